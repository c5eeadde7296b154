"""Tables 1 to 5 of the paper: 5-fold cross-validation, repeated, of three ways of sharing."""
import os

import numpy

from report import DATA, plot, save, scant, table

FOLDS = 5
FIRST = 101  # seed of the first repeat; those below served to choose the settings
# One start, made in the same way for all three: k-means within classes, components dealt out equally.
START = ("--init", "labels", "--starts", 1)
SPHERICAL = ("--covariance", "spherical")
RIDGE = ("--min-variance", 0.1)
WAYS = {"Z*": "auto", "common": "common", "separate": "separate"}


class Set:
    """A data set, how it is fitted, and the paper's error and standard deviation over folds for each number of
    components, in the order of WAYS."""

    def __init__(self, number, path, label, options, printed):
        self.number, self.path, self.label = number, os.path.join(DATA, path), label
        self.options, self.printed = options, printed

    @property
    def name(self):
        return os.path.splitext(os.path.basename(self.path))[0]


SETS = (
    Set(1, "elena_clouds/clouds.csv", "class", SPHERICAL, {
        4: ((18.82, 4.94), (13.06, 0.8), (24.24, 2.03)),
        6: ((12.4, 0.93), (11.12, 0.84), (20.44, 4.45)),
        8: ((11.42, 0.51), (11.32, 0.89), (11.86, 0.85)),
        10: ((10.82, 0.85), (10.42, 0.89), (11.36, 0.98))}),
    Set(2, "satimage/satimage.csv", "classes", RIDGE, {
        12: ((12.33, 0.5), (13.23, 0.56), (12.05, 0.53)),
        18: ((11.4, 0.74), (12.28, 0.79), (11.21, 0.75)),
        24: ((11.1, 0.75), (11.52, 0.75), (10.98, 0.71))}),
    Set(3, "phoneme/phoneme.csv", "class", (), {
        10: ((17.96, 1.14), (20.62, 0.75), (17.85, 1.4)),
        12: ((17.07, 1.01), (20.03, 0.75), (17.37, 0.75)),
        14: ((15.85, 1.19), (20.98, 1.04), (16.88, 1.15))}),
    Set(4, "pima/pima.csv", "diabetes", ("--covariance", "diag", *RIDGE), {
        10: ((27.08, 2.6), (29.95, 3.06), (26.69, 3.58)),
        12: ((26.92, 3.26), (28.12, 2.21), (26.43, 1.34)),
        14: ((25.94, 2.27), (28.25, 1.97), (27.08, 2.22))}),
    Set(5, "ionosphere/ionosphere.csv", "Class", SPHERICAL, {
        8: ((11.11, 2.3), (15.11, 3.85), (11.82, 1.89)),
        10: ((8.55, 2.4), (9.41, 3.35), (12.24, 3.77)),
        12: ((9.13, 3.92), (9.27, 3.21), (9.39, 3.0))}),
)


# Gaussians among which the settings above were chosen, on the first repeats and the fewest components.
SHAPES = (SPHERICAL, ("--covariance", "diag", *RIDGE), (), RIDGE)
CHOOSING = (1, 2)


def words(options):
    """Options in plain words."""
    named = dict(zip(options[::2], options[1::2]))
    ridge = named.get("--min-variance")
    return named.get("--covariance", "full") + (f", ridge {ridge}" if ridge else "")


def command(of, components, way, repeat, options, start=START):
    return ("cv", of.path, "--types", "none", "--label", of.label, "-k", components, "--sharing", WAYS[way], "--folds", FOLDS, *start,
            "--tol", 1e-5 if of.name == "satimage" else 1e-6, *options, "--seed", repeat, "--threads", 1)


def cross_validate(job):
    """A command's errors of the folds in per cent, and how many fits stopped short of convergence."""
    folds = scant(*job)["folds"]
    return {"errors": [100 * (1 - fold["accuracy"]) for fold in folds],
            "short": sum(fold["stop"] != "converged" for fold in folds)}


class Cell:
    """All repeats of one setting."""

    def __init__(self, results):
        self.errors = numpy.array([result["errors"] for result in results])  # repeats x folds
        self.short = sum(result["short"] for result in results)

    @property
    def mean(self):
        return self.errors.mean()

    @property
    def sd(self):
        """Over the folds of one repeat, as the paper has it; the mean over repeats."""
        return self.errors.std(axis=1, ddof=1).mean()


def above(one, other):
    """Mean of the differences between two cells on the same folds, and its standard error."""
    apart = one.errors - other.errors
    repeats = apart.mean(axis=1)
    se = repeats.std(ddof=1) / len(repeats) ** 0.5 if len(repeats) > 1 else apart.std(ddof=1) / apart.size ** 0.5
    return apart.mean(), se


def standard_errors_off(cell, error, sd):
    """How far the paper's mean is from ours, in standard errors of both together; folds count as independent."""
    ours = cell.sd ** 2 / cell.errors.size
    return (error - cell.mean) / (sd ** 2 / FOLDS + ours) ** 0.5


def verdict(cells):
    """Is Z* worse than both others by more than one standard error of the difference?"""
    worse = [difference > se for difference, se in (above(cells["Z*"], cells[way]) for way in ("common", "separate"))]
    return "**worse than both**" if all(worse) else "worse than one" if any(worse) else "not worse"


def table_of(of, cells):
    header = ["components"] + [f"{way} {who}" for way in WAYS for who in ("paper", "ours")] + ["Z* against the others"]
    rows = []
    for components, printed in of.printed.items():
        row = [components]
        for way, (error, sd) in zip(WAYS, printed):
            cell = cells[components][way]
            row += [f"{error:.2f} ± {sd:.2f}", f"{cell.mean:.2f} ± {cell.sd:.2f}"]
        rows.append(row + [verdict(cells[components])])
    return table(header, rows)


def draw(cells, path):
    figure, axes = plot(1, len(cells), 2.6, 2.8)
    for at, (of, by_size) in zip(axes[0], cells.items()):
        for w, (way, colour) in enumerate(zip(WAYS, ("black", "tab:blue", "tab:red"))):
            sizes = list(of.printed)
            at.errorbar(sizes, [by_size[s][way].mean for s in sizes], yerr=[by_size[s][way].sd for s in sizes],
                        color=colour, marker="o", ms=3, lw=1, label=f"{way}, ours")
            at.plot(sizes, [of.printed[s][w][0] for s in sizes], color=colour, ls="--", marker="x", lw=0.8,
                    label=f"{way}, paper")
        at.set(title=of.name, xlabel="components", xticks=sizes)
    axes[0, 0].set(ylabel="error %")
    axes[0, 0].legend(fontsize=6)
    save(figure, path)
