"""`scant plan` by the command: which rows to label, on data drawn from a model, and two real sets, where models are wrong."""
import csv
import json
import os
import subprocess

import numpy

from common import report

QUIET = ["-q", "--threads", "1"]
NAMES = numpy.array(list("abcdefgh"))


class Problem:
    """Rows of a known kind, how they are fitted, and the pilot to plan from."""

    def __init__(self, name, options, draw, pilot, pool):
        self.name, self.options, self.draw, self.pilot, self.pool = name, options, draw, pilot, pool


def spheres(columns, apart):
    """Eight Gaussians, one variance for all, centres normal with the deviation `apart`."""
    centres = apart * numpy.random.default_rng(5).normal(size=(8, columns))

    def draw(random, n):
        y = random.integers(0, 8, n)
        return centres[y] + random.normal(size=(n, columns)), y
    return draw


PROBLEMS = [Problem("eight classes, 24 columns", ["--covariance", "tied-spherical"], spheres(24, 0.6), 240, 1200)]
CHOSEN = 4  # repetitions of the choice of rows, at most
ASKED = 2  # the target is the measured error at so many pilots
CURVE = [1, 1.4, ASKED, 4]  # sizes of a curve that is shown, in pilots


def write(path, x, labels):
    with open(path, "w", encoding="utf-8") as out:
        out.write(",".join(f"x{c + 1}" for c in range(x.shape[1])) + ",y\n")
        out.writelines(",".join(map(repr, cells)) + f",{label}\n" for cells, label in zip(x.tolist(), labels))
    return path


def fit(place, x, labels, options):
    """Rows and model files; empty labels are unknown."""
    rows, model = write(os.path.join(place, "rows.csv"), x, labels), os.path.join(place, "model.json")
    report.scant("fit", rows, "--types", "none", "--label", "y", *options, "--no-baseline", "--starts", 2, "-o", model, "--threads", 1)
    return rows, model


def probabilities(model, rows, place):
    """P(class | row), a column a class."""
    answers = os.path.join(place, "answers.csv")
    subprocess.run([report.SCANT, "predict", model, rows, "-o", answers, *QUIET], check=True)
    with open(answers, encoding="utf-8") as file:
        header = file.readline().rstrip("\n").split(",")
        use = [c for c, name in enumerate(header) if name.startswith("p_")]
        return numpy.array([[float(cells[c]) for c in use] for cells in csv.reader(file)])


def plan(model, rows, *options):
    """The plan's JSON; None where the target is said to be out of reach."""
    done = subprocess.run([report.SCANT, "plan", model, rows, "--label", "y", "--json", *map(str, options), *QUIET],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 5):
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout) if done.returncode == 0 else None


class Truth:
    """The model that rows are drawn from, and what rules cost under it."""

    def __init__(self, problem, place):
        self.place = place
        x, y = problem.draw(numpy.random.default_rng(1), 30000)
        rows, model = fit(place, x, NAMES[y], problem.options)
        self.model = os.path.join(place, "truth.json")
        os.replace(model, self.model)
        self.test = self.draw(5000, 77)
        self.p = probabilities(self.model, self.test, place)
        self.least = 1 - probabilities(self.model, self.draw(100000, 78, "large.csv"), place).max(axis=1).mean()

    def draw(self, n, seed, name="test.csv"):
        path = os.path.join(self.place, name)
        subprocess.run([report.SCANT, "simulate", self.model, "-n", str(n), "--seed", str(seed), "-o", path, *QUIET],
                       check=True)
        return path

    def rows(self, n, seed):
        """Cells and labels."""
        with open(self.draw(n, seed, "drawn.csv"), encoding="utf-8") as file:
            lines = list(csv.reader(file))[1:]
        return numpy.array([line[:-1] for line in lines], dtype=float), numpy.array([line[-1] for line in lines])

    def error(self, model):
        """Of a model's rule: the least there is, and what it gives away on the test rows."""
        said = probabilities(model, self.test, self.place).argmax(axis=1)
        return float(self.least + (self.p.max(axis=1) - self.p[numpy.arange(len(said)), said]).mean())


def which_rows(problem, truth, repetitions):
    """A pilot in a pool of unlabelled rows, and as many labels again: chosen, or by chance."""
    found = []
    for r in range(repetitions):
        x, y = truth.rows(problem.pool, 3000 + r)
        known = numpy.arange(problem.pool) < problem.pilot
        rows, model = fit(truth.place, x, numpy.where(known, y, ""), problem.options)
        told = plan(model, rows, "--budget", problem.pilot, "--repeats", 0)
        chosen = known.copy()
        chosen[numpy.array(told["choice"]["rows"]) - 1] = True
        by_chance = numpy.arange(problem.pool) < 2 * problem.pilot
        found.append([truth.error(fit(truth.place, x, numpy.where(labelled, y, ""), problem.options)[1])
                      for labelled in (chosen, by_chance)]
                     + [told["choice"]["chosen"], told["choice"]["random"]])
    return found


def choices(repetitions, place):
    return [{"name": problem.name, "pilot": problem.pilot, "pool": problem.pool,
             "which": which_rows(problem, Truth(problem, place), min(CHOSEN, repetitions))} for problem in PROBLEMS]


WRONG = [  # folder, label, columns, options, labels of the pilot, rows in all
    ("phoneme", "class", None, ["--covariance", "full"], 300, 2400),
    ("satimage", "classes", ["x.17", "x.18", "x.19", "x.20"], ["--covariance", "full"], 300, 2400),
]


def one_set(which, repetitions, place):
    """Real rows, where the model is wrong: labels for a target, by the model, by the curve, and as they then show."""
    folder, label, use, options, pilot, n = which
    path, = report.need_data(f"{folder}/{folder}.csv")
    with open(path, newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    use = use or [name for name in table[0] if name != label]
    x = numpy.array([[float(row[c]) for c in use] for row in table])
    y = numpy.array([row[label] for row in table])
    sizes, errors, plans = [round(pilot * s) for s in CURVE], [], []
    orders = [numpy.random.default_rng([31, r]).permutation(len(y)) for r in range(repetitions)]
    for order in orders:
        rows, held = order[:n], order[n:]
        test = write(os.path.join(place, "test.csv"), x[held], y[held])
        line = []
        for size in sizes:
            model = fit(place, x[rows], numpy.where(numpy.arange(n) < size, y[rows], ""), options)[1]
            line.append(1 - report.scant("evaluate", model, test, "--label", "y", "--threads", 1)["accuracy"])
        errors.append(line)
    target = float(numpy.mean(errors, axis=0)[CURVE.index(ASKED)])
    for order in orders:
        known = numpy.where(numpy.arange(n) < pilot, y[order[:n]], "")
        rows, model = fit(place, x[order[:n]], known, options)
        told = plan(model, rows, "--budget", (ASKED - 1) * pilot, "--repeats", 5)
        by_model = plan(model, rows, "--target-error", target, "--repeats", 0)
        chosen = numpy.arange(n) < pilot
        chosen[numpy.array(told["choice"]["rows"]) - 1] = True
        test = write(os.path.join(place, "test.csv"), x[order[n:]], y[order[n:]])
        after = fit(place, x[order[:n]], numpy.where(chosen, y[order[:n]], ""), options)[1]
        plans.append({"method": told["method"], "curve": told["curve"], "limit": told["limit"],
                      "error": told["plan"]["error"], "model_labels": by_model and by_model["plan"]["labels"],
                      "chosen": 1 - report.scant("evaluate", after, test, "--label", "y", "--threads", 1)["accuracy"]})
    return {"name": folder, "pilot": pilot, "rows": n, "sizes": sizes, "errors": errors, "target": target,
            "plans": plans}
