"""The tables of the experiments, random splits, and what rivals and ours share."""
import csv
import os
import sys
import warnings

import numpy as np

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "common"), os.path.join(HERE, "..", "..", "python")]
import report  # noqa: E402
import scant  # noqa: E402

warnings.filterwarnings("ignore")  # scant.DoubtWarning: splits are small; ConvergenceWarning of rivals
CRABS = ("FL", "RW", "CL", "CW", "BD")
# Letters of DNA as the bases that they may stand for.
BASES = {"A": "A", "C": "C", "G": "G", "T": "T", "D": "AGT", "N": "ACGT", "R": "AG", "S": "CG"}


def _rows(*path):
    with open(report.need_data(os.path.join(*path))[0], encoding="ascii") as file:
        return list(csv.DictReader(file))


def crabs():
    """Sex of the crabs: x, y."""
    with open(os.path.join(report.ROOT, "examples", "data", "crabs.csv"), encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    return np.array([[float(row[c]) for c in CRABS] for row in rows]), np.array([row["sex"] == "M" for row in rows]).astype(int)


def breast():
    """The 683 complete rows."""
    rows = _rows("breast_cancer_wisconsin_original", "breast_cancer_wisconsin_original.csv")
    columns = [c for c in rows[0] if c not in ("Id", "Class")]
    rows = [row for row in rows if all(row[c] for c in columns)]
    return np.array([[float(row[c]) for c in columns] for row in rows]), np.array([row["Class"] == "malignant" for row in rows]).astype(int)


def heart():
    rows = _rows("heart", "heart_statlog.csv")
    columns = [c for c in rows[0] if c != "class"]
    return np.array([[float(row[c]) for c in columns] for row in rows]), np.array([row["class"] == "present" for row in rows]).astype(int)


def splice():
    """EI against IE, 60 letters as 240 fractions."""
    rows = _rows("dna_splice", "splice_raw60.csv")
    label = list(rows[0])[-1]
    rows = [row for row in rows if row[label] in ("EI", "IE")]
    letters = [c for c in rows[0] if c != label]
    code = {letter: [(base in set_) / len(set_) for base in "ACGT"] for letter, set_ in BASES.items()}
    return np.array([sum((code[row[c]] for c in letters), []) for row in rows]), np.array([row[label] == "EI" for row in rows]).astype(int)


def boston():
    rows = _rows("boston", "boston.csv")
    columns = [c for c in rows[0] if c != "medv"]
    return np.array([[float(row[c]) for c in columns] for row in rows]), np.array([float(row["medv"]) for row in rows])


def splits(count, n, train, test, seed=1, y=None):
    """`count` times the numbers of rows to train on and to test on; with y, as many of each class to train on."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        order = random.permutation(n)
        if y is not None:
            each = [order[y[order] == k][:train // 2] for k in (0, 1)]
            chosen = random.permutation(np.concatenate(each))
            order = np.concatenate([chosen, order[~np.isin(order, chosen)]])
        yield order[:train], order[train:train + test]


def standard(x, *others):
    """Columns in standard units of the first table's rows."""
    mean, sd = x.mean(axis=0), x.std(axis=0)
    sd = np.where(sd > 0, sd, 1)
    return [(one - mean) / sd for one in (x, *others)]


def med(**settings):
    return scant.MEDClassifier(**{"folds": 0, "threads": 1, "missing_label": "none", **settings})


def errors(model, x, y):
    return int((model.predict(x) != y).sum())


def summary(values, digits=2):
    """Mean (5th to 95th percentile)."""
    low, high = np.percentile(values, [5, 95])
    return f"{np.mean(values):.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def best(table):
    """The setting with the smallest mean, of {setting: values over splits}."""
    return min(table, key=lambda key: np.mean(table[key]))
