#!/usr/bin/python3
"""`scant fit` with 3, 10 and 30 labels a class on thirteen real tables, compared with its own fit of the labeled rows alone.

    repro/few-labels/fit.py [--draws 10] [--first 0] [--labels 3,10,30] [--sets NAMES] [--jobs 1]

Tables and draws are those of `run`. Nothing is said to `fit` but which column has the labels; the other fit has
`--unlabeled-weight 0`, and so the same prior. Writes fit.csv and prints accuracy, log loss and calibration error in the mean
over tables, and for each number of labels the tables that lose most against the labeled rows alone.
"""
import argparse
import csv
import importlib.machinery
import importlib.util
import multiprocessing
import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "common"))
from report import beside, need_data, scant  # noqa: E402

loader = importlib.machinery.SourceFileLoader("few_labels", os.path.join(HERE, "run"))
few = importlib.util.module_from_spec(importlib.util.spec_from_loader("few_labels", loader))
loader.exec_module(few)
METHODS = {"fit": [], "labeled": ["--unlabeled-weight", "0"]}
SHOWN = 3  # tables that lose most


def one(job):
    name, labels, draw = job
    x, known, test, truth = few.split(*few.load(name), labels, draw, False)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        train, others, model = (os.path.join(folder, n) for n in ("train.csv", "test.csv", "m.json"))
        few.write_table(train, x, known)
        few.write_table(others, test, truth)
        for method, words in METHODS.items():
            scant("fit", train, "--label", "y", "--missing-label", "none", "--threads", 1, *words, "-o", model)
            found = scant("evaluate", model, others, "--label", "y")
            rows.append({"set": name, "labels": labels, "draw": draw, "method": method, **{m: found[m] for m in few.MEASURES}})
    return rows


def show(rows):
    for labels in sorted({row["labels"] for row in rows}):
        print(f"\n{labels} labels a class: accuracy %, log loss, calibration error %")
        for method in METHODS:
            v = [few.mean(rows, labels=labels, method=method, of=m) for m in few.MEASURES]
            print(f"  {method:8s} {100 * v[0]:5.1f}  {v[1]:.3f}  {100 * v[2]:4.1f}")
        gaps = {s: np.subtract(*(few.mean(rows, set=s, labels=labels, method=m, of="accuracy") for m in METHODS))
                for s in {row["set"] for row in rows}}
        worst = sorted(gaps, key=gaps.get)[:SHOWN]
        print("  points against the labeled rows alone: " + ", ".join(f"{s} {100 * gaps[s]:+.1f}" for s in worst))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--labels", default="3,10,30")
    parser.add_argument("--sets", default=",".join(few.SETS))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv", default=beside(__file__, "fit.csv"))
    options = parser.parse_args()
    names = options.sets.split(",")
    need_data(*names)
    jobs = [(name, int(labels), draw) for name in names for labels in options.labels.split(",")
            for draw in range(options.first, options.first + options.draws)]
    with multiprocessing.Pool(options.jobs) as pool:
        rows = [row for some in pool.imap(one, jobs) for row in some]
    with open(options.csv, "w", newline="") as out:
        writer = csv.DictWriter(out, ["set", "labels", "draw", "method", *few.MEASURES], lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: f"{v:.4f}" if isinstance(v, float) else v for k, v in row.items()} for row in rows)
    show(rows)


if __name__ == "__main__":
    main()
