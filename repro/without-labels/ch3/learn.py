"""Blind training through the command, and logistic regression with labels beside it."""
import json
import os

import numpy
import scipy.optimize
import scipy.special

import data
from common import report


def logloss(f, y):
    return numpy.logaddexp(0, numpy.where(y > 0, -f, f)).mean()


class Standard:
    """Columns in units of their spread, centred without filling in zeros."""

    def __init__(self, x):
        self.mean = numpy.asarray(x.mean(0)).ravel()
        spread = numpy.sqrt(numpy.maximum(numpy.asarray(x.multiply(x).mean(0)).ravel() - self.mean**2, 0))
        self.factor = numpy.where(spread > 0, 1 / numpy.where(spread > 0, spread, 1), 0)

    def scores(self, x, theta):
        u = theta[:-1] * self.factor
        return x @ u - u @ self.mean + theta[-1]

    def back(self, x, c):
        return numpy.append((x.T @ c - self.mean * c.sum()) * self.factor, c.sum())


def logistic(x, y, l2):
    """Weights in standard units that minimise the mean log loss + l2 |w|^2 / 2."""
    standard = Standard(x)
    sign = numpy.where(y > 0, 1, -1)

    def objective(theta):
        f = standard.scores(x, theta)
        c = -sign * scipy.special.expit(-sign * f) / len(y)
        penalty = l2 * numpy.append(theta[:-1], 0)
        return logloss(f, y) + penalty @ theta / 2, standard.back(x, c) + penalty

    theta = scipy.optimize.minimize(objective, numpy.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B",
                                    options={"maxiter": 150}).x
    return lambda rows: standard.scores(rows, theta)


def plain_logistic(x, y, cost):
    """Weights of the columns as they are, and an offset, that minimise the summed log loss + |w|^2 / 2 cost."""
    sign, back = numpy.where(y > 0, 1, -1), x.T.tocsr()

    def objective(theta):
        w, f = theta[:-1], x @ theta[:-1] + theta[-1]
        c = -sign * scipy.special.expit(-sign * f)
        return logloss(f, y) + w @ w / (2 * cost * len(y)), numpy.append(back @ c + w / cost, c.sum()) / len(y)

    theta = scipy.optimize.minimize(objective, numpy.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B").x
    return lambda rows: rows @ theta[:-1] + theta[-1]


def supervised(x, y, seed):
    """Logistic regression whose penalty does best on a fifth of the training rows."""
    inner, held = data.split(len(y), seed + 1000, 0.8)
    best = min((1e-3, 1e-2, 1e-1),
               key=lambda l2: ((logistic(x[inner], y[inner], l2)(x[held]) > 0) != y[held]).mean())
    return logistic(x, y, best)


def blind(place, x, y, prior, *options, seed=1, also=()):
    """What `scant blind` says, and its scores as a function; labels are in the file, as for any svmlight file,
    and not looked at. (None, None) where it ends with an exit code of `also`."""
    rows, model = os.path.join(place, "train.svm"), os.path.join(place, "model.json")
    data.write(rows, x, y)
    said = report.scant("blind", rows, "--prior", prior, "--seed", seed, "-o", model, *options, also=also)
    if "risk" not in said:
        return None, None
    with open(model, encoding="utf-8") as file:
        score = json.load(file)["score"]
    weights = numpy.array(score["weights"])
    return said, lambda other: other @ weights + score["offset"]


def audit(place, scores, prior):
    """Findings of `scant audit --scores`, one a column; without a risk where it refuses."""
    path = os.path.join(place, "scores.csv")
    names = [f"f{c + 1}" for c in range(scores.shape[1])]
    numpy.savetxt(path, scores, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    said = report.scant("audit", "--scores", path, "--prior", prior, "--threads", 1, also=(report.UNIDENTIFIED,))
    return said.get("classifiers", [{} for _ in names])


def estimated(one):
    """The log loss among the findings, NaN where it was refused."""
    return one["risk"]["log"]["value"] if "risk" in one else numpy.nan
