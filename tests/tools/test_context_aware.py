"""The program behind repro/context-aware: threads do not change what it writes, and contexts do what they should."""
import importlib.machinery
import importlib.util
import os
import subprocess

import numpy as np
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
S, US, FIRST_CA, FIRST_WCA, LAST_CA = 0, 1, 2, 3, 32  # fits, as study.c orders them
D, RATE = 0, 1

pytestmark = pytest.mark.skipif(not os.path.exists(os.path.join(ROOT, "build", "libscant.so")),
                                reason="no library in build/")


@pytest.fixture(scope="module")
def run():
    pytest.importorskip("matplotlib")
    path = os.path.join(ROOT, "repro", "context-aware", "run")
    loader = importlib.machinery.SourceFileLoader("context_aware_run", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("context_aware_run", loader))
    loader.exec_module(module)
    return module


def test_context_lies_between_labels_and_nothing(run, tmp_path):
    (_, study), found = run.build_one("study"), []
    for threads in (1, 2):
        out = str(tmp_path / f"{threads}.npy")
        subprocess.run([study, "two", "6", "3", str(threads), "forward", "usual", out], env=ENVIRONMENT, check=True)
        found.append(np.load(out))
    one, two = found
    assert one.shape == (1, 6, 35, 8)
    np.testing.assert_array_equal(one, two)
    fits = one[0]
    np.testing.assert_allclose(fits[:, FIRST_WCA, D], fits[:, US, D], rtol=1e-5)  # uniform context says nothing
    np.testing.assert_allclose(fits[:, LAST_CA, D], fits[:, S, D], atol=0.02)  # NE 0.99 says nearly all
    assert (fits[:, LAST_CA, RATE] > 0.95).all()


def expected_loglik(limit, theta):
    """Of a row, at pi_1, mu_1, mu_2."""
    theory = importlib.import_module("theory")
    pi, mu = theta[0], theta[1:]
    f = np.exp(-0.5 * ((theory.X[:, None] - mu) / theory.DEVIATIONS) ** 2) / theory.DEVIATIONS
    prior = 1 if limit.who == "CA" else np.array([pi, 1 - pi])
    return np.sum(limit.weight * np.log(((limit.known * prior)[:, None, :] * f).sum(axis=2)))


@pytest.mark.parametrize("who, negentropy, are_true", [("US", 0, False), ("WCA", 0.3, False), ("CA", 0.3, False),
                                                       ("WCA", 0.5, True), ("CA", 0.5, True)])
def test_theory_agrees_with_differences(run, who, negentropy, are_true):
    """complete - missing is minus the second derivative of the expected log-likelihood, at a maximum of it."""
    limit = importlib.import_module("theory").Limit(who, negentropy, are_true)
    at, step = np.array([limit.pi, *limit.mu]), 1e-3
    observed = (limit.complete - limit.missing)[limit.free, limit.free]
    unit = np.eye(3)[limit.free] * step
    for a, u in enumerate(unit):
        assert abs(expected_loglik(limit, at + u) - expected_loglik(limit, at - u)) / (2 * step) < 1e-5
        for b, v in enumerate(unit):
            bend = sum(s * t * expected_loglik(limit, at + s * u + t * v) for s in (-1, 1) for t in (-1, 1)) / (4 * step**2)
            assert abs(observed[a, b] + bend) < 1e-4
    if are_true:
        np.testing.assert_allclose(at, [0.6, 0, 1], atol=1e-9)  # the truth is what estimates tend to
        np.testing.assert_allclose(limit.score[limit.free, limit.free], observed, atol=1e-9)  # and the sandwich is I^-1
