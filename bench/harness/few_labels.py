"""Tasks with few labels: draws of a training half with some labels, and a test half with all.

A folder has a sub-folder for every number of labels a class and draw, LABELS-DRAW, with train.csv (columns x1, x2, ...
and y, which is empty where the label is hidden), labelled.csv (its labelled rows alone) and test.csv.
Columns are standardised by the training half, since some of the peers measure distances.
"""
import csv
import fnmatch
import os

import numpy

from . import measure, workloads

COUNTS = (3, 5, 10)  # labels a class
# Wine was looked at while the workload was written; settings were not changed after the first look at the others.
# Vowel was first looked at after the number of starts had been changed for what the other sets showed.
# Of the breast cancers the ten means serve: with all thirty columns mclust takes more than half a minute a fit.
SETS = {
    "wine": ("wine/wine.csv", "class", "*"),
    "breast cancer, diagnostic": ("breast_cancer_wisconsin_diagnostic/breast_cancer_wisconsin_diagnostic.csv",
                                  "Diagnosis", "*_mean"),
    "phoneme": ("phoneme/phoneme.csv", "class", "*"),
    "vowel": ("vowel/vowel.csv", "Class", "*"),
}
SYNTHETIC_ROWS, SYNTHETIC_COLUMNS, SYNTHETIC_CLASSES = 2000, 6, 3


def read_set(name):
    """Rows and classes of a shared data set."""
    path, label, features = SETS[name]
    path = os.path.join(measure.SHARED, path)
    if not os.path.exists(path):
        raise measure.Failed(f"skipped: no {path} (SCANT_SHARED_DATA names the folder)")
    with open(path, encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    columns = [column for column in fnmatch.filter(rows[0], features) if column != label]
    return (numpy.array([[float(row[column]) for column in columns] for row in rows]),
            numpy.array([row[label] for row in rows]))


class Synthetic:
    """Three Gaussian classes, each with a covariance of its own: the model of scant and mclust is right."""

    def __init__(self):
        random = numpy.random.default_rng(workloads.SEED)
        size = (SYNTHETIC_CLASSES, SYNTHETIC_COLUMNS)
        self.centre = random.normal(0, 0.9, size)
        self.shape = random.normal(0, 0.4, (*size, SYNTHETIC_COLUMNS)) + numpy.eye(SYNTHETIC_COLUMNS)
        self.x = numpy.empty((SYNTHETIC_ROWS, SYNTHETIC_COLUMNS))
        self.y = workloads.draw_mixture(self.x, random, self.centre, self.shape)

    def bayes(self):
        """Accuracy of the true densities on all rows: what can be reached at most, up to chance."""
        away = numpy.linalg.solve(self.shape[:, None], (self.x - self.centre[:, None])[..., None])[..., 0]
        density = -0.5 * (away ** 2).sum(axis=2) - numpy.log(abs(numpy.linalg.det(self.shape)))[:, None]
        return (density.argmax(axis=0) == self.y).mean()


def write_rows(path, x, y):
    with open(path, "w", newline="", encoding="ascii") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{c + 1}" for c in range(x.shape[1])), "y"])
        writer.writerows([*map(repr, row), label] for row, label in zip(x.tolist(), y))


def halves(random, y):
    """A random half of every class, and the rest."""
    train = numpy.concatenate([mine[:len(mine) // 2] for mine in
                               (random.permutation(numpy.flatnonzero(y == k)) for k in numpy.unique(y))])
    return numpy.sort(train), numpy.setdiff1d(numpy.arange(len(y)), train)


def hide(random, y, count):
    """Only `count` labels of every class."""
    known = numpy.concatenate([random.choice(numpy.flatnonzero(y == k), count, replace=False)
                               for k in numpy.unique(y)])
    return numpy.where(numpy.isin(numpy.arange(len(y)), known), y, "")


def make_draw(folder, x, y, count, draw):
    random = numpy.random.default_rng((workloads.SEED, count, draw))
    train, test = halves(random, y)
    x = (x - x[train].mean(axis=0)) / x[train].std(axis=0)
    seen = hide(random, y[train], count)
    os.makedirs(folder, exist_ok=True)
    write_rows(os.path.join(folder, "train.csv"), x[train], seen)
    write_rows(os.path.join(folder, "labelled.csv"), x[train][seen != ""], seen[seen != ""])
    write_rows(os.path.join(folder, "test.csv"), x[test], y[test])


def make(root, name, x, y, draws):
    """The folder of a data set."""
    folder = os.path.join(root, f"few-{name.replace(', ', '-').replace(' ', '-')}-{draws}")
    y = y.astype(str)

    def make_all():
        for count in COUNTS:
            for draw in range(draws):
                make_draw(os.path.join(folder, f"{count}-{draw}"), x, y, count, draw)

    return workloads.once(folder, make_all)


def batches(folder, draws, count):
    """The tasks in `count` batches of whole draws: for each, (labels a class, sub-folder) of its tasks."""
    return [[(labels, os.path.join(folder, f"{labels}-{draw}")) for draw in range(first, draws, count)
             for labels in COUNTS] for first in range(min(count, draws))]
