"""Draws and audits in C (simulate.c): a list of experiments in, arrays out."""
import copy
import os
import subprocess
import sys
import tempfile

import numpy

from report import ROOT

WARNINGS = "-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Werror -fno-math-errno".split()
HERE = os.path.dirname(os.path.abspath(__file__))
RUN, PREDICTOR, STATUS, ERROR, RIGHT0, RIGHT1, COUNTED = 0, 1, 2, 3, 6, 9, 12  # columns; two bounds follow an estimate


class Experiment:
    """Votes of predictors whose accuracies on the two classes are given; see simulate.c."""

    def __init__(self, model, accuracy, share, prior=None, n=1000, missing=0.0, runs=1000, seed=1, separately=False,
                 intervals="wald"):
        self.accuracy, self.share, self.model = accuracy, share, model
        self.line = " ".join(map(str, [model, intervals, "separately" if separately else "together",
                                       share if prior is None else prior, n, missing, runs, seed, share, len(accuracy),
                                       *(a for pair in accuracy for a in pair)]))

    def by(self, intervals, runs):
        """The first so many of the same draws, with intervals of another kind."""
        words, other = self.line.split(), copy.copy(self)
        words[1], words[6] = intervals, str(runs)
        other.line = " ".join(words)
        return other

    def error(self, predictor):
        a, b = self.accuracy[predictor]
        return 1 - self.share * a - (1 - self.share) * b


def build(folder):
    library, out = os.path.join(ROOT, "build"), os.path.join(folder, "simulate")
    if not os.path.exists(os.path.join(library, "libscant.so")):
        sys.exit("build the library first: cmake --preset release && ninja -C build")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-std=gnu17", *WARNINGS, f"-I{ROOT}/include", "-o", out,
                    os.path.join(HERE, "simulate.c"), f"-L{library}", f"-Wl,-rpath,{library}", "-lscant", "-lm"],
                   check=True)
    return out


def simulate(experiments):
    """For each experiment an array: a row a predictor of a run."""
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        lines = "".join(f"{i} {e.line}\n" for i, e in enumerate(experiments))
        done = subprocess.run([program], input=lines, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    rows = numpy.array([line.split() for line in done.stdout.splitlines()], float)
    return [rows[rows[:, 0] == i, 1:] for i in range(len(experiments))]
