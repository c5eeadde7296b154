"""NumberAudit: the command line's numbers to the last digit, signs, true values, copies."""
import pickle
import warnings

import numpy as np
import pytest

import scant
from scant import NumberAudit
from conftest import told

pandas = pytest.importorskip("pandas")


def draw(theta, mu=0.7, noise=0.5, n=1000, seed=1):
    rng = np.random.default_rng(seed)
    y = mu + rng.normal(size=n)
    return y, pandas.DataFrame(np.asarray(theta) * (y[:, None] - noise * rng.normal(size=(n, len(theta)))),
                               columns=[f"f{c + 1}" for c in range(len(theta))])


@pytest.mark.parametrize("channel", [False, True])
def test_as_on_the_command_line(tmp_path, channel):
    y, x = draw([0.9, 1.1, 1.0])
    x.to_csv(tmp_path / "x.csv", index=False)
    said = told("audit", tmp_path / "x.csv", "--channel" if channel else "--regression", "--prior-mean", 0.7, "--prior-sd", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scant.DoubtWarning)
        audit = NumberAudit(channel=channel, prior_mean=0.7, prior_sd=1).fit(x)
    for name in ("mse", "theta"):
        found = [p[name] for p in said["predictors"]]
        np.testing.assert_array_equal(getattr(audit, f"{name}_"), [p["value"] for p in found])
        np.testing.assert_array_equal(getattr(audit, f"{name}_stderr_"),
                                      np.array([p["stderr"] for p in found], dtype=float))
        np.testing.assert_array_equal(getattr(audit, f"{name}_interval_"),
                                      np.array([p["interval"] for p in found], dtype=float))
    assert audit.warnings_ == said["warnings"] and audit.loglik_ == said["loglik"]
    assert audit.independence_["verdict"] == said["independence"]["verdict"]


def test_signs_and_true_values():
    y, x = draw([-0.8, 0.9], mu=0, n=2000)
    with pytest.warns(scant.DoubtWarning, match="signs changed"):
        blind = NumberAudit(noise_sd=0.5).fit(x)
    assert abs(blind.sign_gap_).max() < 1e-6
    known = np.where(np.arange(len(y)) < 40, y, np.nan)
    audit = NumberAudit(noise_sd=0.5).fit(x, known)
    assert audit.theta_ == pytest.approx([-0.8, 0.9], abs=0.05)
    assert audit.mse_ == pytest.approx(np.mean((x.to_numpy() - y[:, None]) ** 2, axis=0), rel=0.1)
    mean, sd = pickle.loads(pickle.dumps(audit)).predict(x, return_std=True)
    assert np.mean((mean - y) ** 2) == pytest.approx(np.mean(sd ** 2), rel=0.1)
    with pytest.raises(ValueError, match="expecting 2 features"):
        audit.predict(x[["f1"]])


def test_callback_and_separately():
    _, x = draw([0.8, 0.9])
    cut = []
    with pytest.warns(Warning, match="cut short|stopped"):
        cut = NumberAudit(callback=lambda event: event.iteration > 0).fit(x)
    assert not cut.converged_ and np.isnan(cut.mse_interval_).all()
    alone = NumberAudit(prior_mean=0.7, separately=True).fit(x)
    assert alone.noise_[0] != alone.noise_[1] and alone.independence_["verdict"] == "untested"
