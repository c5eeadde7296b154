"""Draws and audits in C (simulate.c, regress.c): a list of experiments in, arrays out."""
import copy
import os
import subprocess
import sys

import numpy

from program import ENVIRONMENT, build

HERE = os.path.dirname(os.path.abspath(__file__))
RUN, PREDICTOR, STATUS, ERROR, RIGHT0, RIGHT1, COUNTED = 0, 1, 2, 3, 6, 9, 12  # columns; two bounds follow an estimate
THETA = 2  # of regress.c


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


class Numbers:
    """Predictions theta (y - e) by k predictors of a number, y and e standard normal; see regress.c."""

    def __init__(self, theta, k=1, n=1000, runs=200, seed=1):
        self.line = f"{n} {runs} {seed} {k} {theta}"


def simulate(experiments, source="simulate.c"):
    """For each experiment an array: a row a predictor of a run."""
    _, program = build("repro/ch2", [os.path.join(HERE, source)])
    lines = "".join(f"{i} {e.line}\n" for i, e in enumerate(experiments))
    done = subprocess.run([program], input=lines, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    if done.returncode:
        sys.exit(done.stderr)
    rows = numpy.array([line.split() for line in done.stdout.splitlines()], float)
    return [rows[rows[:, 0] == i, 1:] for i in range(len(experiments))]
