"""Data that break mixtures elsewhere: always a finite model or a clear message, never a crash or NaN."""
import numpy as np
import pytest

import models
from conftest import strict_json, write_csv

RNG = np.random.default_rng(11)
N = 60


def clusters(n=N, d=3):
    return RNG.normal(size=(n, d)) + 4 * (np.arange(n) % 2)[:, None]


def holes(X, share):
    return [[None if RNG.random() < share else v for v in row] for row in X]


def with_column(X, column):
    return np.column_stack([X, column])


BASE = clusters()
NUMBERS = {
    "constant column": with_column(BASE, np.full(N, 3.0)),
    "constant zero": with_column(BASE, np.zeros(N)),
    "all constant": np.full((N, 2), 7.0),
    "duplicated rows": np.repeat(BASE[:3], 20, axis=0),
    "two distinct rows": np.repeat(BASE[:2], 30, axis=0),
    "fewer rows than components": BASE[:2],
    "one row": BASE[:1],
    "as many rows as columns": BASE[:3],
    "collinear": with_column(BASE, BASE[:, 0] + BASE[:, 1]),
    "repeated column": with_column(BASE, BASE[:, 0]),
    "nearly collinear": with_column(BASE, BASE[:, 0] + 1e-9 * RNG.normal(size=N)),
    "tiny scale": 1e-300 * BASE,
    "huge scale": 1e300 * BASE,
    "subnormal": 1e-310 * BASE,
    "mixed scales": BASE * np.array([1e-150, 1.0, 1e150]),
    "far from zero": BASE + 1e12,
    "one far row": np.concatenate([BASE, [[1e9] * 3]]),
    "one infinite-looking row": np.concatenate([BASE, [[1.7e308] * 3]]),
    "more columns than rows": RNG.normal(size=(5, 30)),
    "integers": np.round(BASE),
    "zeros and ones": (BASE > 2).astype(float),
    "many missing": holes(BASE, 0.7),
    "column all missing": [[*row, None] for row in BASE],
    "row all missing": [[None] * 3, *BASE.tolist()],
    "all missing": [[None] * 3] * 10,
    "disjoint columns": [[v, None] if i % 2 else [None, v] for i, v in enumerate(BASE[:, 0])],
}
COVARIANCES = ["full", "diag", "spherical", "tied", "tied-diag", "tied-spherical"]
FAMILIES = ["multinomial", "bernoulli", "poisson", "exponential", "gamma", "maxwell", "categorical"]


def table(tmp_path, rows, extra=None, header=None):
    rows = [list(row) for row in rows]
    names = [f"x{j + 1}" for j in range(len(rows[0]))]
    if extra is not None:
        rows = [row + [e] for row, e in zip(rows, extra)]
        names.append(header)
    return write_csv(tmp_path / "data.csv", names, rows)


def check(scant, tmp_path, *args):
    """Exit 0, 3, 4 or 5; a model with finite numbers, or no model and a message that says something."""
    out = tmp_path / "model.json"
    result = scant("fit", tmp_path / "data.csv", *args, "--json", "-o", out, "--max-iter", 200,
                   ok=(0, 3, 4, 5), timeout=120)
    if result.code in (3, 5):
        assert result.out == "" and not out.exists(), result
        message = [line for line in result.err.splitlines() if "seed" not in line]
        assert message and len(message[0]) > 25, result
        return None
    summary = result.json()
    assert summary["loglik"] is not None and summary["objective"] is not None, result
    text = out.read_text()
    model = strict_json(text)
    assert "null" not in text.split('"training"')[0], "a parameter is not a number"
    assert sum(map(sum, model["coupling"])) == pytest.approx(1)
    predicted = scant("predict", out, tmp_path / "data.csv").out.lower()
    assert "nan" not in predicted
    return model


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("name", NUMBERS)
def test_gaussians(scant, tmp_path, name, covariance):
    table(tmp_path, NUMBERS[name])
    check(scant, tmp_path, "-k", 4, "--covariance", covariance)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", ["constant column", "constant zero", "duplicated rows", "one row",
                                  "fewer rows than components", "tiny scale", "huge scale", "integers",
                                  "zeros and ones", "many missing", "column all missing",
                                  "row all missing"])
def test_families(scant, tmp_path, name, family):
    rows = [[None if v is None else abs(v) for v in row] for row in NUMBERS[name]]
    if family in ("multinomial", "poisson", "categorical") and "scale" not in name:
        rows = [[None if v is None else round(v) for v in row] for row in rows]
    if family == "bernoulli" and "scale" not in name:
        rows = [[None if v is None else float(v > 2) for v in row] for row in rows]
    table(tmp_path, rows)
    more = ["--categorical", "x*"] if family == "categorical" else []
    check(scant, tmp_path, "-k", 3, "--family", family, *more)


@pytest.mark.parametrize("family,value", [("poisson", -1), ("poisson", 1.5), ("bernoulli", 2),
                                          ("multinomial", -3), ("gamma", -1), ("exponential", -1),
                                          ("maxwell", -1)])
def test_values_outside_a_family_are_refused(scant, tmp_path, family, value):
    other = 0 if family in ("bernoulli", "poisson", "multinomial") else 2
    table(tmp_path, [[1, other], [other, 1], [value, 1], [1, 1]])
    result = scant("fit", tmp_path / "data.csv", "--family", family, ok=3)
    assert "x1" in result.err


LABELS = {
    "one row a class": [str(i) for i in range(N)],
    "one class": ["a"] * N,
    "one labelled row": ["a"] + [""] * (N - 1),
    "one labelled row of each": ["a", "b"] + [""] * (N - 2),
    "a class of one row": ["a"] * (N - 1) + ["b"],
    "nothing labelled": [""] * N,
    "only sets": ["a|b"] * N,
    "only even probabilities": ["a:0.5;b:0.5"] * N,
    "certain probabilities": ["a:1;b:0", "a:0;b:1"] * (N // 2),
    "labels against the clusters": ["a"] * (N // 2) + ["b"] * (N // 2),
    "strange names": ['"a,b"', "caf\u00e9"] * (N // 2),
}


@pytest.mark.parametrize("sharing", ["separate", "common"])
@pytest.mark.parametrize("name", LABELS)
def test_labels(scant, tmp_path, name, sharing):
    table(tmp_path, BASE, LABELS[name], "y")
    check(scant, tmp_path, "--label", "y", "--sharing", sharing, "-k",
          "2/class" if sharing == "separate" else 3)


def test_nothing_labelled_says_so(scant, tmp_path):
    table(tmp_path, BASE, [""] * N, "y")
    result = scant("fit", tmp_path / "data.csv", "--label", "y", ok=(3, 5))
    assert "label" in result.err


WEIGHTS = {
    "all zero": [0.0] * N,
    "one positive": [1.0] + [0.0] * (N - 1),
    "tiny": [1e-300] * N,
    "huge": [1e300] * N,
    "uneven": [1e-12, 1e12] * (N // 2),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights(scant, tmp_path, name):
    table(tmp_path, BASE, WEIGHTS[name], "w")
    check(scant, tmp_path, "-k", 2, "--weight", "w")


def test_more_components_than_rows_in_all(scant, tmp_path):
    table(tmp_path, BASE[:5])
    check(scant, tmp_path, "-k", 1000)


@pytest.mark.parametrize("command", ["select", "cv"])
@pytest.mark.parametrize("name", ["one row", "all constant", "fewer rows than components", "collinear",
                                  "all missing"])
def test_other_commands(scant, tmp_path, command, name):
    table(tmp_path, NUMBERS[name])
    more = ["-k", "1:3"] if command == "select" else ["-k", "2"]
    result = scant(command, tmp_path / "data.csv", *more, "--json", ok=(0, 2, 3, 4, 5), timeout=120)
    if result.out:
        result.json()
    else:
        assert result.err


HAND_WRITTEN = """{"format": "scant-model", "schema": 3, "settings": {}, "classes": [], "components": 1,
"coupling": [[1]], "columns": [{"name": "x"}, {"name": "y"}],
"factors": [{"family": "regression", "columns": ["y", "x"], "target": "y",
"parameters": {"coefficients": [[1, 2]], "variances": [0.5]}}]}"""


def test_model_written_by_hand(scant, tmp_path):
    """Without training, settings or standard units it can be shown and used all the same."""
    model, data = tmp_path / "hand.json", tmp_path / "data.csv"
    model.write_text(HAND_WRITTEN)
    data.write_text("x,y\n0,1\n1,4\n2,5\n")
    shown = scant("show", model).out
    assert "training           none" in shown and "converged" not in shown
    assert "(intercept)" in shown and "x" in shown.split("(intercept)")[1]
    measured = scant("evaluate", model, data, "--target", "y", "--json").json()
    assert measured["mse"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("name,value", [("smooth", "1e300"), ("smooth", "-3"), ("smooth", "much"),
                                        ("min-variance", "0"), ("unlabeled-weight", "-1")])
def test_settings_of_a_model_are_checked(scant, tmp_path, name, value):
    """A pseudo-count of 1e300 would make every probability a half, in silence."""
    model, data = tmp_path / "hand.json", tmp_path / "data.csv"
    model.write_text(HAND_WRITTEN.replace('"settings": {}', f'"settings": {{"{name}": "{value}"}}'))
    data.write_text("x,y\n0,1\n1,4\n2,5\n")
    said = scant("predict", model, data, ok=3).err
    assert f"settings.{name}" in said and value in said


def test_class_of_one_row_in_folds(scant, tmp_path):
    table(tmp_path, BASE, ["a", "b"] * (N // 2 - 1) + ["a", "z"], "y")
    scant("cv", tmp_path / "data.csv", "--label", "y", "--folds", 3, "--json")


def test_means_far_apart(scant, tmp_path):
    """Counts about 3 beside counts about 20000: no floor lifts the small mean."""
    random = np.random.default_rng(5)
    x = np.concatenate([random.poisson(3, 100), random.poisson(20000, 100)])
    write_csv(tmp_path / "rows.csv", ["x"], [[int(v)] for v in x])
    scant("fit", tmp_path / "rows.csv", "-k", 2, "--family", "poisson", "-o", tmp_path / "m.json")
    means = sorted(m[0] for m in models.load(tmp_path / "m.json")["factors"][0]["parameters"]["means"])
    assert means == pytest.approx([x[:100].mean(), x[100:].mean()])


def test_counts_of_nothing_are_no_collapse(scant, tmp_path):
    write_csv(tmp_path / "rows.csv", ["x"], [[0]] * 50 + [[v] for v in range(90, 110)])
    result = scant("fit", tmp_path / "rows.csv", "-k", 2, "--family", "poisson", "--json").json()
    assert result["warnings"] == [] and result["stop"] == "converged"


def test_pseudo_count_that_rounding_loses(scant, tmp_path):
    write_csv(tmp_path / "rows.csv", ["x", "z"], [[1, i % 2] for i in range(40)])
    result = scant("fit", tmp_path / "rows.csv", "-k", 1, "--family", "bernoulli", "--smooth", 1e-18, "--json").json()
    assert result["stop"] == "converged" and np.isfinite(result["objective"])


def test_gamma_over_many_scales(scant, tmp_path):
    rows = [[v * 1e-17] for v in range(1, 10)] + [[4 + v / 9] for v in range(9)]
    write_csv(tmp_path / "rows.csv", ["x"], rows)
    result = scant("fit", tmp_path / "rows.csv", "-k", 2, "--family", "gamma", "--json", ok=(0, 4)).json()
    assert np.isfinite(result["loglik"])


@pytest.mark.parametrize("smooth", [0, 1])
def test_class_without_a_count(scant, tmp_path, smooth):
    """Its rows say nothing about its probabilities, which are even then; those of others are as ever."""
    data = write_csv(tmp_path / "data.csv", ["y", "u", "v", "w"], [["a", 0, 0, 0], ["a", 0, 0, 0], ["b", 1, 3, 4], ["b", 1, 3, 4]])
    model = tmp_path / "model.json"
    scant("fit", data, "--label", "y", "--family", "multinomial", "--smooth", smooth, "-q", "-o", model)
    p = strict_json(model.read_text())["factors"][0]["parameters"]["probabilities"]
    assert np.reshape(p, (2, 3))[0] == pytest.approx([1 / 3] * 3)
    assert np.reshape(p, (2, 3))[1] == pytest.approx(np.array([2 + smooth, 6 + smooth, 8 + smooth]) / (16 + 3 * smooth))


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("deviation", [1e-4, 1e-2])
def test_gamma_over_eight_orders_never_falls(scant, tmp_path, deviation, k):
    """Cells about 1 keep their digits beside cells about 1e8."""
    model = tmp_path / "model.json"
    for seed in range(12):
        draw = np.random.default_rng(seed).normal
        cells = [*np.exp(draw(0, deviation, 60)), *1e8 * np.exp(draw(0, 0.1, 60))]
        write_csv(tmp_path / "data.csv", ["x"], [[f"{x:.17g}"] for x in cells])
        scant("fit", tmp_path / "data.csv", "-k", k, "--family", "gamma", "--tol", 0, "--max-iter", 60, "--starts", 3, "-q",
              "-o", model, ok=(0, 4))
        trace = strict_json(model.read_text())["training"]["trace"]
        assert np.diff(trace).min() > -1e-8, seed
