"""scant fit --objective conditional: labels given rows, by bounds and by the gradient."""
import random

import numpy as np
import pytest

import models
from conftest import write_csv

LINE = ["--label", "y", "--objective", "conditional", "--json", "-q"]


def write_rows(path, n, apart, groups=1, labeled=1.0, seed=1):
    """Two classes `apart` from each other in u, each of groups in v, which alternate."""
    draw = random.Random(seed)
    rows = []
    for i in range(n):
        k, group = i % 2, draw.randrange(groups)
        label = "ab"[k] if draw.random() < labeled or i < 12 else None
        rows.append([label, apart * k + draw.gauss(0, 1), 4 * (2 * group + k) * (groups > 1) + draw.gauss(0, 1),
                     draw.gauss(0, 2)])
    return write_csv(path, ["y", "u", "v", "w"], rows)


@pytest.fixture(scope="module")
def overlapping(tmp_path_factory):
    return write_rows(tmp_path_factory.mktemp("objective") / "d.csv", 300, 1.0)


def test_it_tells_classes_apart_better_than_the_likelihood(scant, overlapping, tmp_path):
    for optimizer in "cem", "lbfgs":
        found = scant("fit", overlapping, *LINE, "-k", "2/class", "--covariance", "diag", "--optimizer", optimizer,
                      "--max-iter", 200, "-o", tmp_path / "m.json", ok=(0, 4)).json()
        contrast = found["contrast"]
        assert found["conditional_loglik"] == contrast["fit"]["conditional_loglik"]
        assert contrast["fit"]["conditional_loglik"] > contrast["likelihood"]["conditional_loglik"]
        assert contrast["fit"]["loglik"] < contrast["likelihood"]["loglik"]
        assert abs(found["objective"] - found["conditional_loglik"]) < 1e-6 * abs(found["objective"])
        settings = models.load(tmp_path / "m.json")["settings"]
        assert settings["objective"] == "conditional" and settings["optimizer"] == optimizer
        told = scant("evaluate", tmp_path / "m.json", overlapping, "--label", "y", "--json").json()
        assert told["accuracy"] == contrast["fit"]["accuracy"]
    shown = scant("show", tmp_path / "m.json").out
    assert "objective" in shown and "conditional" in shown
    words = scant("fit", overlapping, "--label", "y", "--objective", "conditional", ok=(0, 4)).out
    for line in "optimizer", "likelihood's fit", "this fit", "logistic":
        assert line in words


def test_steps_and_slopes_find_the_same_maximum(scant, overlapping):
    """One component a class with known covariances: the objective is concave but for what shifts both means."""
    values = [scant("fit", overlapping, *LINE, "--covariance", "tied-spherical", "--hybrid", 0.5, "--optimizer", optimizer,
                    *more, "--tol", 1e-11, "--max-iter", 20000).json()["objective"]
              for optimizer, more in (("lbfgs", []), ("cem", ["--accelerate", "squarem"]))]
    assert abs(values[0] - values[1]) < 1e-5 * abs(values[0])


def test_one_tied_gaussian_a_class_is_logistic_regression(scant, overlapping):
    linear_model = pytest.importorskip("sklearn.linear_model")
    table = np.genfromtxt(overlapping, delimiter=",", skip_header=1, dtype=str)
    x, y = table[:, 1:].astype(float), table[:, 0]
    x = (x - x.mean(0)) / x.std(0)
    regression = linear_model.LogisticRegression(C=1e12, tol=1e-12, max_iter=10000).fit(x, y)
    want = regression.predict_log_proba(x)[np.arange(len(y)), np.searchsorted(regression.classes_, y)].sum()
    found = scant("fit", overlapping, *LINE, "--covariance", "tied", "--shrinkage", 0, "--optimizer", "lbfgs",
                  "--tol", 1e-13).json()
    assert abs(found["conditional_loglik"] - want) < 1e-6 * abs(want)
    assert found["contrast"]["logistic"]["conditional_loglik"] == pytest.approx(want, rel=1e-6)


def test_one_number_goes_from_one_to_the_other(scant, overlapping):
    runs = [scant("fit", overlapping, *LINE, "--covariance", "full", "--hybrid", s, ok=(0, 4)).json()["contrast"]
            for s in (0, 0.1, 10, 1000)]
    conditional = [r["fit"]["conditional_loglik"] for r in runs]
    loglik = [r["fit"]["loglik"] for r in runs]
    assert conditional == sorted(conditional, reverse=True)
    assert loglik == sorted(loglik)
    assert loglik[-1] == pytest.approx(runs[-1]["likelihood"]["loglik"], rel=1e-5)


def test_the_weight_is_chosen_on_held_out_labels(scant, tmp_path):
    data = write_rows(tmp_path / "few.csv", 160, 1.5, labeled=0.3)
    scant("fit", data, *LINE, "--covariance", "diag", "--hybrid", "auto", "-o", tmp_path / "m.json", ok=(0, 4))
    settings = models.load(tmp_path / "m.json")["settings"]
    assert "auto" not in (settings.get("hybrid"), settings["unlabeled-weight"])


def test_rows_without_a_label_enter_through_the_likelihood(scant, tmp_path):
    data = write_rows(tmp_path / "some.csv", 200, 1.0, labeled=0.4)
    values = [scant("fit", data, *LINE, "--covariance", "diag", "--unlabeled-weight", w, "--no-baseline",
                    ok=(0, 4)).json() for w in (0, 1)]
    assert values[1]["loglik"] != values[0]["loglik"]
    assert values[1]["objective"] < values[0]["objective"]  # with the log density of more rows


def test_separable_classes_are_told(scant, tmp_path):
    data = write_rows(tmp_path / "apart.csv", 60, 30)
    ran = scant("fit", data, *LINE, "--covariance", "tied", ok=4)
    assert ran.json()["stop"] == "separable"
    assert any("--hybrid" in warning for warning in ran.json()["warnings"])
    held = scant("fit", data, *LINE, "--covariance", "tied", "--hybrid", 0.01).json()
    assert held["stop"] == "converged" and held["contrast"]["fit"]["accuracy"] == 1


def test_bad_input(scant, overlapping, tmp_path):
    rows = [["a", 1.0 + i % 3] if i % 2 else ["a|c", i % 5] for i in range(20)] + [["b", 7.0], ["b", 8.5]]
    lacking = write_csv(tmp_path / "lacking.csv", ["y", "x"], rows)
    assert "class c has no labeled row" in scant("fit", lacking, *LINE, ok=3).err
    gamma = write_csv(tmp_path / "gamma.csv", ["y", "x"], [["ab"[i % 2], 1 + i % 7] for i in range(60)])
    refused = scant("fit", gamma, *LINE, "--family", "gamma", "--optimizer", "cem", ok=2).err
    assert "no bound is known for gamma; families that have one: gaussian, multinomial" in refused
    scant("fit", gamma, *LINE, "--family", "gamma", "--hybrid", 0.1, ok=(0, 4))  # by the gradient
    for options, why in ((["--unlabeled", "em1"], "only with --unlabeled em2"),
                         (["--sharing", "auto"], "--sharing"),
                         (["--label-noise", "estimate"], "--label-noise"),
                         (["--stderr"], "standard errors"),
                         (["--optimizer", "lbfgs", "--accelerate", "squarem"], "lbfgs")):
        assert why in scant("fit", overlapping, *LINE, *options, ok=2).err
    assert "only with --objective conditional" in scant("fit", overlapping, "--label", "y", "--hybrid", 1, ok=2).err


def test_without_labels_it_is_em(scant, tmp_path):
    data = write_csv(tmp_path / "none.csv", ["y", "u"], [[None, random.Random(i).gauss(0, 1)] for i in range(40)])
    line = ["fit", data, "--ignore", "y", "-k", 2, "--json", "-q"]
    conditional, likelihood = (scant(*line, "--covariance", "diag", "--objective", objective).json()
                               for objective in ("conditional", "likelihood"))
    assert conditional["loglik"] == pytest.approx(likelihood["loglik"], rel=1e-6)


def test_threads_leave_no_trace(scant, overlapping, tmp_path):
    files = []
    for threads in 1, 2:
        files.append(tmp_path / f"m{threads}.json")
        scant("fit", overlapping, *LINE, "-k", "2/class", "--threads", threads, "--max-iter", 30, "-o", files[-1], ok=(0, 4))
    assert files[0].read_bytes() == files[1].read_bytes()
