"""Do the intervals of a crowd's workers hold? Simulated crowds, and those whose truth is known."""
import csv
import os
import tempfile

import numpy
from report import DATA, Report, scant, table

CASES = [(classes, items, workers, per_item) for classes, items, workers, per_item in (
    (2, 400, 40, 5), (2, 800, 60, 10), (3, 500, 40, 6), (5, 600, 40, 6), (5, 400, 20, 10))]
DRAWS = 20
BANDS = ((10, 30), (31, 60), (61, 200))
CROWDS = ("bluebird", "rte", "temp", "trec", "face_sentiment", "sentiment_polarity", "labelme")


def audit(rows):
    """What the program says of votes (item, worker, answer)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "votes.csv")
        with open(path, "w", newline="") as out:
            csv.writer(out).writerows([("item", "worker", "label"), *rows])
        return scant("audit", path, "--long", "--threads", 1)


def draw(case, seed):
    """A crowd with tables of its own for each worker, whose chances to answer differ tenfold."""
    classes, items, workers, per_item = case
    rng = numpy.random.default_rng([seed, *case])
    truth = rng.choice(classes, size=items, p=rng.dirichlet(numpy.full(classes, 8.0)))
    right = rng.beta(6, 2, size=(workers, classes))
    other = rng.dirichlet(numpy.ones(classes - 1), size=(workers, classes))
    busy = rng.uniform(0.1, 1, size=workers)
    rows = []
    for i, y in enumerate(truth):
        for w in rng.choice(workers, size=per_item, replace=False, p=busy / busy.sum()):
            wrong = [a for a in range(classes) if a != y]
            a = y if rng.random() < right[w, y] else wrong[rng.choice(classes - 1, p=other[w, y])]
            rows.append((f"i{i}", f"w{w}", f"c{a}"))
    return rows, {f"i{i}": f"c{y}" for i, y in enumerate(truth)}


def covered(rows, truth):
    """For each worker: answers about items of known class, and whether its share of wrong ones is held by the interval of that
    share and by that of the error rate; None: there is no interval."""
    said = audit(rows)
    wrong = {}
    for item, worker, answer in rows:
        if item in truth:
            wrong.setdefault(worker, []).append(answer != truth[item])
    found = []
    for p in said["predictors"]:
        mine = wrong.get(p["name"], [])
        if mine:
            share = numpy.mean(mine)
            found.append([len(mine), *(None if low is None else low - 1e-9 <= share <= high + 1e-9
                                       for low, high in (p["wrong_interval"], p["interval"]))])
    return found, said


def share(found, at, low=0, high=10 ** 9):
    told = [f[at] for f in found if low <= f[0] <= high and f[at] is not None]
    return f"{100 * numpy.mean(told):.1f} % of {len(told)}" if told else "none"


def simulated(report):
    lines = []
    for case in CASES:
        found = [f for seed in range(DRAWS) for f in covered(*draw(case, seed))[0]]
        lines.append([*case, *(share(found, 1, *band) for band in BANDS), *(share(found, 2, *band) for band in BANDS)])
    report.say(table(["classes", "items", "workers", "answers an item", *(f"{a} to {b} answers" for a, b in BANDS),
                      *(f"error rate, {a} to {b}" for a, b in BANDS)], lines))


def known(report, folder):
    lines = []
    for name in CROWDS:
        votes, truth = (os.path.join(folder, f"{name}_{kind}.csv") for kind in ("labels", "truth"))
        if not os.path.exists(votes):
            continue
        with open(votes) as text, open(truth) as right:
            rows = [(r["item"], r["worker"], r["label"]) for r in csv.DictReader(text)]
            known_classes = {r["item"]: r["truth"] for r in csv.DictReader(right)}
        found, said = covered(rows, known_classes)
        lines.append([name, share(found, 1, 20), share(found, 2, 20), said["independence"]["verdict"],
                      f"{said['independence']['pairs']} of {said['independence']['possible']}"])
    if lines:
        report.say(table(["crowd", "share of wrong answers", "error rate", "independence", "pairs tested"], lines))


def run(here):
    report = Report(os.path.join(here, "workers.md"))
    report.say("# Intervals of workers\n\nMade by `repro/without-labels/ch2/run workers`.\n")
    report.say("How many workers' true share of wrong answers is within the interval of 95 % of that share (`wrong_interval`), and "
               "within that of the error rate under the classes' proportions (`interval`), which is about another number. "
               f"{DRAWS} simulated crowds a line, a table of its own for each worker.\n")
    simulated(report)
    report.say("\nCrowds whose truth is known, workers with 20 answers or more about items of known class:\n")
    known(report, os.path.join(DATA, "crowd"))
    report.close()
