"""Figures 1 to 3 of the paper: their generators, many draws, every way of sharing."""
import json
import os
import tempfile

import numpy

from report import plot, save, scant, spread, table

VARIANCE = 0.08  # of every cluster, along each axis; all clusters have their second coordinate at 1
CLASSES = ("C1", "C2")
STARTS = 10
SHOWN = 300  # rows of a draw that a figure shows


# The papers' estimator: no prior, and unlabeled rows whatever they do.
MAXIMUM_LIKELIHOOD = ["--shrinkage", "0", "--unlabeled-weight", "1", "--keep"]


class Problem:
    """Clusters (share, first coordinate) of each class, the classes' shares, and the rows of a draw."""

    def __init__(self, number, rows, shares, clusters):
        self.number, self.rows, self.shares, self.clusters = number, rows, shares, clusters

    def draw(self, random):
        classes = random.choice(len(CLASSES), self.rows, p=self.shares)
        centre = numpy.empty(self.rows)
        for k, clusters in enumerate(self.clusters):
            weight, place = numpy.array(clusters).T
            own = classes == k
            centre[own] = random.choice(place, own.sum(), p=weight / weight.sum())
        noise = random.normal(0, VARIANCE ** 0.5, (self.rows, 2))
        return numpy.column_stack([centre, numpy.ones(self.rows)]) + noise, classes


PROBLEMS = (
    Problem(1, 300, (0.7, 0.3), (((0.5, 1), (0.5, 2.9)), ((1, 3),))),
    Problem(2, 300, (0.7, 0.3), (((0.5, 1), (0.5, 3)), ((1, 3.8),))),
    Problem(3, 1200, (0.5, 0.5), (((1, 2.3), (1, 4), (1, 7)), ((0.5, 1.5), (0.5, 7)))),
)
SHARED_ONE = "C1,C2\n1,1\n1,0\n0,1\n"  # figure 3d: one component for both classes, one for each
PAIR = {"common": ("common", "2"), "separate": ("separate", "1/class")}
TRIPLE = {
    "common": ("common", "3"),
    "separate 2 + 1": ("separate", "C1=2,C2=1"),
    "separate 1 + 2": ("separate", "C1=1,C2=2"),
    "one shared": ("TABLE", None),
    "Z*": ("auto", "3"),
}
MODELS = {1: {**PAIR, "Z*": ("auto", "2")}, 2: {**PAIR, "Z*": ("auto", "2")}, 3: TRIPLE}
LAMBDAS = (0, 0.05, 0.1, 0.25, 0.5, 0.75, 1)
BY_LAMBDA = tuple(f"lambda={value}" for value in LAMBDAS)
# What the paper prints: error in per cent, and log-likelihood of the rows given their classes. The two separate
# splits of figure 3 stand here the other way round than in its caption; by_hand() shows why.
PAPER = {
    1: {"common": (27, -238.62), "separate": (32.2, -465.97)},
    2: {"common": (26.1, -326.23), "separate": (7, -489.18)},
    3: {"common": (33.33, -1754.51), "separate 2 + 1": (34, -3748.42),
        "separate 1 + 2": (24.33, -2683.25), "one shared": (21.67, -1822.53)},
}


def by_hand(rows, groups):
    """Expected log-likelihood of classes of equal share, each a list of groups of clusters of equal share, where
    every group is far from the others and has a spherical Gaussian of its own. No fit is involved."""
    total = 0.0
    for clusters in groups:
        count = sum(len(group) for group in clusters)
        for group in clusters:
            share, variance = len(group) / count, numpy.var(group) / 2 + VARIANCE
            total += rows / len(groups) * share * (numpy.log(share) - numpy.log(2 * numpy.pi * variance) - 1)
    return total


def write(path, x, classes):
    with open(path, "w", encoding="utf-8") as out:
        out.write("x,y,class\n")
        for point, k in zip(x, classes):
            out.write(f"{point[0]:.17g},{point[1]:.17g},{CLASSES[k]}\n")


def parameters(path):
    """Coupling (components by classes), means and variances of a spherical model."""
    with open(path, encoding="utf-8") as file:
        model = json.load(file)
    own = model["factors"][0]["parameters"]
    variances = next(value for name, value in own.items() if "varianc" in name)
    return tuple(numpy.array(part, float) for part in (model["coupling"], own["means"], variances))


def boundary_gap(model, x, classes):
    """How far from type 1 a solution is: the largest distance between a component and the mean of what one
    class gives to it, in standard deviations of the component. 0 where each class alone would put it there."""
    coupling, means, variances = model
    variances = variances.reshape(len(means), -1)[:, 0]
    square = ((x[:, None, :] - means[None]) ** 2).sum(axis=2)
    with numpy.errstate(divide="ignore"):
        weight = numpy.log(coupling[:, classes].T) - numpy.log(variances) - square / (2 * variances)
    weight = numpy.exp(weight - weight.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    gap = 0.0
    for k in range(len(CLASSES)):
        own = weight[classes == k]
        total = own.sum(axis=0)
        for j in numpy.flatnonzero(total > 1):
            away = own[:, j] @ x[classes == k] / total[j] - means[j]
            gap = max(gap, numpy.linalg.norm(away) / variances[j] ** 0.5)
    return gap


def structure(model):
    """Which component serves which class, as sorted words such as 01 10 11."""
    return " ".join(sorted("".join("1" if w > 0 else "0" for w in line) for line in model[0]))


def settings(name, folder, problem):
    split = "C1=1,C2=2" if problem.number == 3 else "1/class"
    sharing, components = (name, split) if name in BY_LAMBDA else MODELS[problem.number][name]
    if sharing == "TABLE":
        sharing = os.path.join(folder, "shared.csv")
        with open(sharing, "w", encoding="utf-8") as out:
            out.write(SHARED_ONE)
    return ["--sharing", sharing] + (["-k", components] if components else [])


def one_draw(job):
    """All models on one draw: {model: error %, log-likelihood given the classes, gap, structure, place of sharing}."""
    number, seed, draw, _, _ = job
    problem = PROBLEMS[number - 1]
    random = numpy.random.default_rng([seed, number, draw])
    x, classes = problem.draw(random)
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (os.path.join(folder, name) for name in ("train.csv", "test.csv", "model.json"))
        write(train, x, classes)
        write(test, *problem.draw(random))
        count = numpy.bincount(classes, minlength=len(CLASSES))
        of_classes = (count * numpy.log(count / len(classes))).sum()
        for name in (*MODELS[number], *BY_LAMBDA):
            fit = scant("fit", train, "--label", "class", *MAXIMUM_LIKELIHOOD, *settings(name, folder, problem), "--covariance",
                        "spherical", "--starts", STARTS, "--seed", seed, "--threads", 1, "-o", model)
            accuracy = scant("evaluate", model, test, "--label", "class", "--threads", 1)["accuracy"]
            fitted = parameters(model)
            both = (fitted[0] > 0).all(axis=1)
            result[name] = {
                "error": 100 * (1 - accuracy), "loglik": fit["loglik"] - of_classes,
                "gap": boundary_gap(fitted, x, classes), "structure": structure(fitted),
                "shared": fitted[1][both, 0].tolist(),
            }
    return result


def jobs(problem, seed, draws):
    """With all that a result depends on."""
    return [(problem.number, seed, draw, problem.rows, STARTS) for draw in range(draws)]


def column(results, name, what):
    return [result[name][what] for result in results]


def inside(value, values):
    low, high = numpy.percentile(values, [5, 95])
    return "yes" if low <= value <= high else "**no**"


def table_of(number, results):
    rows = []
    for name in MODELS[number]:
        errors, logliks = column(results, name, "error"), column(results, name, "loglik")
        error, loglik = PAPER[number].get(name, (None, None))
        rows.append([name, "-" if error is None else f"{error:g}", *spread(errors),
                     "-" if error is None else inside(error, errors),
                     "-" if error is None else f"{loglik:.0f}", *spread(logliks, 0),
                     spread(column(results, name, "gap"), 2)[0]])
    return table(["model", "error % paper", "ours", "5..95 %", "inside", "L paper", "ours", "5..95 %", "gap"], rows)


def share_of(results, name, wanted, near=None):
    """Per cent of draws whose Z is the wanted one (and whose shared component is near a place)."""
    hits = [r[name]["structure"] == wanted and (near is None or abs(r[name]["shared"][0] - near) < 0.2)
            for r in results]
    return 100 * numpy.mean(hits)


def ellipse(axes, mean, variance, colour):
    angle = numpy.linspace(0, 2 * numpy.pi, 100)
    for sds in (1, 2):
        reach = sds * variance ** 0.5
        axes.plot(mean[0] + reach * numpy.cos(angle), mean[1] + reach * numpy.sin(angle), color=colour, lw=1)


def draw_models(number, seed, path):
    """The first draw with the components of each model, as the paper's figure shows them."""
    problem, names = PROBLEMS[number - 1], [*PAPER[number]] + (["Z*"] if number == 3 else [])
    random = numpy.random.default_rng([seed, number, 0])
    x, classes = problem.draw(random)
    figure, axes = plot(1, len(names), 3.0, 2.4)
    with tempfile.TemporaryDirectory() as folder:
        train, model = os.path.join(folder, "train.csv"), os.path.join(folder, "model.json")
        write(train, x, classes)
        for at, name in zip(axes[0], names):
            scant("fit", train, "--label", "class", *settings(name, folder, problem), *MAXIMUM_LIKELIHOOD, "--covariance", "spherical",
                  "--starts", STARTS, "--seed", seed, "--threads", 1, "-o", model)
            coupling, means, variances = parameters(model)
            for k, (mark, colour) in enumerate((("o", "tab:blue"), ("x", "tab:red"))):
                at.scatter(*x[:SHOWN][classes[:SHOWN] == k].T, s=5, marker=mark, color=colour, lw=0.5, alpha=0.5)
            for j, variance in enumerate(variances.reshape(len(means), -1)[:, 0]):
                colour = "black" if (coupling[j] > 0).all() else "tab:blue" if coupling[j, 0] > 0 else "tab:red"
                ellipse(at, means[j], variance, colour)
            at.set(title=name, xlim=(x[:, 0].min() - 1, x[:, 0].max() + 1), aspect="equal", ylim=(-1.5, 3.5))
    save(figure, path)


def draw_lambdas(results, path):
    figure, axes = plot(1, len(PROBLEMS), 3.0, 2.6)
    for at, problem in zip(axes[0], PROBLEMS):
        of = results[problem.number]
        at.errorbar(LAMBDAS, [numpy.mean(column(of, name, "error")) for name in BY_LAMBDA],
                    yerr=[numpy.std(column(of, name, "error")) / len(of) ** 0.5 for name in BY_LAMBDA], marker="o", ms=3)
        at.set(title=f"figure {problem.number}", xlabel="lambda", ylabel="error %")
    save(figure, path)
