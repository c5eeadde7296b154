"""Fifty iterations from the same start give what scikit-learn's GaussianMixture gives."""
import csv

import numpy as np
import pytest

import models
from conftest import EXAMPLES, write_csv

mixture = pytest.importorskip("sklearn.mixture")
ITERATIONS = 50


def table(name, columns):
    with open(EXAMPLES / name) as file:
        rows = list(csv.DictReader(file))
    return columns, np.array([[float(row[c]) for c in columns] for row in rows])


def simulated():
    """Three flowers' worth of clusters in four correlated columns."""
    rng = np.random.default_rng(7)
    centres = np.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.5, 2.0]])
    mix = rng.normal(scale=0.3, size=(3, 4, 4)) + 0.3 * np.eye(4)
    return list("abcd"), np.concatenate([c + rng.normal(size=(50, 4)) @ m
                                         for c, m in zip(centres, mix)])


SETS = {
    "faithful": (lambda: table("faithful.csv", ["eruptions", "waiting"]), 2),
    "simulated": (simulated, 3),
    "crabs": (lambda: table("crabs.csv", ["FL", "RW", "CL", "CW", "BD"]), 4),
}


def precisions(covariances, kind):
    inverse = np.linalg.inv(covariances)
    return {"full": inverse, "tied": inverse[0], "diag": np.diagonal(inverse, axis1=1, axis2=2),
            "spherical": inverse[:, 0, 0]}[kind]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_same_as_sklearn(scant, tmp_path, name, kind):
    make, components = SETS[name]
    header, X = make()
    data = write_csv(tmp_path / "data.csv", header, X)
    common = ["fit", data, "-k", components, "--covariance", kind, "--starts", 1, "--accelerate", "none",
              "--tol", 0, "-q"]
    scant(*common, "--max-iter", 2, "-o", tmp_path / "init.json", ok=(0, 4))
    scant(*common, "--max-iter", ITERATIONS, "--init", tmp_path / "init.json", "-o",
          tmp_path / "model.json", ok=(0, 4))
    ours = models.load(tmp_path / "model.json")
    weights, means, covariances = models.gaussian(models.load(tmp_path / "init.json"))
    assert ours["training"]["iterations"] == ITERATIONS
    theirs = mixture.GaussianMixture(components, covariance_type=kind, reg_covar=0, tol=0,
                                     max_iter=ITERATIONS,
                                     weights_init=weights / weights.sum(), means_init=means,
                                     precisions_init=precisions(covariances, kind))
    theirs.fit(X)
    weights, means, covariances = models.gaussian(ours)
    np.testing.assert_allclose(weights, theirs.weights_, rtol=1e-8)
    np.testing.assert_allclose(means, theirs.means_, rtol=1e-8)
    scale = np.sqrt(X.var(axis=0))
    difference = covariances - models.expand(theirs.covariances_, kind, *means.shape)
    assert np.abs(difference / np.outer(scale, scale)).max() < 1e-8
    assert ours["training"]["loglik"] == pytest.approx(theirs.score(X) * len(X), rel=1e-8)
