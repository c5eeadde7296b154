#!/usr/bin/python3
"""`scant train` with 5, 10 and 50 labels a class on seven sets of texts, compared with tf-idf and logistic regression.

    repro/few-labels/text.py [--draws 5] [--first 0] [--labels 5,10,50] [--sets NAMES] [--jobs 1]

For each draw at most 4000 documents train, with the first labels of each class, and at most 2000 others test. The rival is
scikit-learn's LogisticRegression(C=10) on sublinear tf-idf of the labeled documents, idf from all that train. Writes text.csv
and prints a table: accuracy in percent, the mean over sets of the difference, and the worst set.
"""
import argparse
import csv
import multiprocessing
import os
import sys
import tempfile
import warnings

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "common"))
from report import DATA, beside, need_data, scant  # noqa: E402

warnings.filterwarnings("ignore")
FOLDERS = {"news20": "news20_bydate", "pair1": "news20_bydate", "pair2": "news20_bydate", "pair3": "news20_bydate",
           "kitchen": "amazon_reviews/kitchen", "books": "amazon_reviews/books", "r8": "reuters_r8"}
PAIRS = {"pair1": (0, 15), "pair2": (1, 11), "pair3": (8, 9)}
MOST_TRAIN, MOST_TEST, FEWEST_OF_A_CLASS = 4000, 2000, 60


def load(name):
    """Documents and classes, to train and to test."""
    from sklearn.datasets import load_svmlight_file
    folder = os.path.join(DATA, FOLDERS[name])
    ends = ("_train.svmlight.gz", "_test.svmlight.gz") if "amazon" in folder else ("/train.svmlight.gz", "/test.svmlight.gz")
    x, y = load_svmlight_file(folder + ends[0])
    test, truth = load_svmlight_file(folder + ends[1], n_features=x.shape[1])
    classes, counts = np.unique(y, return_counts=True)
    chosen = classes[list(PAIRS[name])] if name in PAIRS else classes[counts >= FEWEST_OF_A_CLASS]
    keep, kept = np.isin(y, chosen), np.isin(truth, chosen)
    return x.tocsr()[keep], y[keep].astype(int), test.tocsr()[kept], truth[kept].astype(int)


def split(name, labels, draw):
    x, y, test, truth = load(name)
    random = np.random.default_rng(10 * labels + draw)
    order, others = random.permutation(len(y))[:MOST_TRAIN], random.permutation(len(truth))[:MOST_TEST]
    x, y, test, truth = x[order], y[order], test[others], truth[others]
    known = np.concatenate([np.flatnonzero(y == k)[:labels] for k in np.unique(y)])
    return x, y, known, test, truth


def write_svmlight(path, x, labels):
    with open(path, "w") as out:
        for i, label in enumerate(labels):
            row = slice(x.indptr[i], x.indptr[i + 1])
            entries = sorted(zip(x.indices[row], x.data[row]))
            out.write(" ".join([label, *(f"{c + 1}:{v:.17g}" for c, v in entries)]) + "\n")


def by_scant(x, y, known, test):
    labels = np.full(len(y), "nan", dtype=object)
    labels[known] = y[known].astype(str)
    with tempfile.TemporaryDirectory() as folder:
        train, rows, model, out = (os.path.join(folder, n) for n in ("train.svm", "test.svm", "m.json", "p.csv"))
        write_svmlight(train, x, labels)
        write_svmlight(rows, test, ["nan"] * test.shape[0])
        told = scant("train", train, "--label", "label", "--threads", 1, "-o", model)
        scant("predict", model, rows, "-o", out)
        with open(out) as source:
            answers = [int(line["label"]) for line in csv.DictReader(source)]
    return np.array(answers), told


def by_logistic(x, y, known, test):
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import LogisticRegression
    weigh = TfidfTransformer(sublinear_tf=True).fit(x)
    model = LogisticRegression(C=10, max_iter=500).fit(weigh.transform(x[known]), y[known])
    return model.predict(weigh.transform(test))


def one(job):
    name, labels, draw = job
    x, y, known, test, truth = split(name, labels, draw)
    answers, told = by_scant(x, y, known, test)
    low, high = told["accuracy_interval"]
    row = {"set": name, "labels": labels, "draw": draw, "train": (answers == truth).mean(),
           "logistic": (by_logistic(x, y, known, test) == truth).mean(), "low": low, "high": high, "seconds": told["seconds"]}
    print(f"{labels:3d} {name:8s} draw {draw}: train {100 * row['train']:.1f}, logistic {100 * row['logistic']:.1f}; "
          f"expected {100 * low:.0f} to {100 * high:.0f}; {told['seconds']:.1f} s; "
          + ", ".join(f"{m['name']} {m['weight']:.2f}" for m in told["members"]), flush=True)
    return row


def show(rows):
    for labels in sorted({row["labels"] for row in rows}):
        own = [row for row in rows if row["labels"] == labels]
        sets = list(dict.fromkeys(row["set"] for row in own))
        means = {m: [100 * np.mean([row[m] for row in own if row["set"] == s]) for s in sets] for m in ("train", "logistic")}
        gaps = np.subtract(means["train"], means["logistic"])
        held = np.mean([row["low"] <= row["train"] <= row["high"] for row in own])
        print(f"{labels} labels a class: train {np.mean(means['train']):.1f}, logistic {np.mean(means['logistic']):.1f}, "
              f"difference {gaps.mean():+.1f}, least {gaps.min():+.1f} ({sets[gaps.argmin()]}); the interval holds the accuracy in "
              f"{100 * held:.0f} % of {len(own)} runs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--labels", default="5,10,50")
    parser.add_argument("--sets", default=",".join(FOLDERS))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv", default=beside(__file__, "text.csv"))
    options = parser.parse_args()
    names = options.sets.split(",")
    need_data("news20_bydate", "amazon_reviews", "reuters_r8")
    jobs = [(name, int(labels), draw) for labels in options.labels.split(",") for name in names
            for draw in range(options.first, options.first + options.draws)]
    with multiprocessing.Pool(options.jobs) as pool:
        rows = list(pool.imap(one, jobs))
    with open(options.csv, "w", newline="") as out:
        writer = csv.DictWriter(out, [f for f in rows[0] if f != "seconds"], extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: f"{v:.4f}" if isinstance(v, float) else v for k, v in row.items()} for row in rows)
    show(rows)


if __name__ == "__main__":
    main()
