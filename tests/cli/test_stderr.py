"""fit --stderr and what show makes of it."""
import json

import numpy
import pytest


def write(path, x, labels=None):
    names = [f"x{c + 1}" for c in range(x.shape[1])]
    with open(path, "w") as out:
        out.write(",".join(names + (["y"] if labels is not None else [])) + "\n")
        for i, row in enumerate(x):
            cells = [repr(float(v)) for v in row] + ([labels[i]] if labels is not None else [])
            out.write(",".join(cells) + "\n")
    return path


@pytest.fixture
def labelled(tmp_path):
    random = numpy.random.default_rng(4)
    y = random.random(500) < 0.3
    x = random.normal(size=(500, 2)) + 4 * y[:, None] + 1e5
    return write(tmp_path / "rows.csv", x, numpy.where(y, "b", "a")), x, y


def test_textbook(scant, labelled):
    """All labels, one component a class: the textbook's standard errors, and nothing missing."""
    path, x, y = labelled
    result = scant("fit", path, "--label", "y", "--covariance", "diag", "--stderr", "--json")
    told = json.loads(result.out)["information"]
    assert told["identified"] and told["missing"] == 0 and told["rate"] == 1
    assert told["parameters"] == 1 + 4 + 4
    for j, of in enumerate([~y, y]):
        n, part = of.sum(), x[of]
        means = told["factors"][0]["means"]
        numpy.testing.assert_allclose(means["stderr"][j], part.std(axis=0) / numpy.sqrt(n), rtol=1e-5)
        numpy.testing.assert_allclose(
            told["factors"][0]["covariances"]["stderr"][j], part.var(axis=0) * numpy.sqrt(2 / n), rtol=1e-5)
        numpy.testing.assert_allclose(
            told["coupling"]["stderr"][j][j], numpy.sqrt(of.mean() * (1 - of.mean()) / len(x)), rtol=1e-5)
        numpy.testing.assert_allclose(
            means["high"][j] - part.mean(axis=0), 1.96 * numpy.array(means["stderr"][j]), rtol=1e-3)


def test_model_keeps_it(scant, labelled, tmp_path):
    path, _, _ = labelled
    model = tmp_path / "m.json"
    fitted = scant("fit", path, "--label", "y", "--stderr", "--json", "-o", model)
    shown = scant("show", model, "--json")
    assert json.loads(shown.out)["information"] == json.loads(fitted.out)["information"]
    text = scant("show", model).out
    assert "means, standard errors" in text and "EM's rate" in text
    plain = scant("fit", path, "--label", "y", "--json", "-o", model)
    assert "information" not in json.loads(plain.out)
    assert "standard error" not in scant("show", model).out


def test_threads_do_not_matter(scant, tmp_path):
    random = numpy.random.default_rng(5)
    x = random.normal(size=(6000, 2)) + 3 * random.integers(0, 2, (6000, 1))
    path = write(tmp_path / "rows.csv", x)
    models = []
    for threads in (1, 2):
        model = tmp_path / f"{threads}.json"
        scant("fit", path, "-k", 2, "--stderr", "--threads", threads, "-o", model)
        models.append(model.read_bytes())
    assert models[0] == models[1]


def test_singular(scant, tmp_path):
    """More components than the rows can tell apart: the model is written, and the code is 5."""
    random = numpy.random.default_rng(6)
    x = random.normal(size=(60, 1))
    path = write(tmp_path / "rows.csv", x)
    first = tmp_path / "first.json"
    scant("fit", path, "-k", 1, "-o", first)
    model = json.loads(first.read_text())
    model["components"] = 2
    model["coupling"] = [[0.5], [0.5]]
    parameters = model["factors"][0]["parameters"]
    parameters.update({name: 2 * value for name, value in parameters.items()})
    del model["training"]
    twice = tmp_path / "twice.json"
    twice.write_text(json.dumps(model))
    out = tmp_path / "out.json"
    result = scant("fit", path, "-k", 2, "--start", twice, "--stderr", "--json", "-o", out, ok=5)
    told = json.loads(result.out)
    assert not told["information"]["identified"]
    assert any("no standard errors" in warning for warning in told["warnings"])
    assert "no standard errors" in result.err
    assert "errors" not in json.loads(out.read_text())["information"]


@pytest.mark.parametrize("options, words", [
    (["--sharing", "lambda=0.3"], "pseudo-likelihood"),
    (["--sharing", "common", "-k", "2", "--unlabeled", "drop-labels"], "two parts"),
])
def test_refused_before_the_fit(scant, tmp_path, options, words):
    """Rows are not even read."""
    result = scant("fit", tmp_path / "nowhere.csv", "--label", "y", "--stderr", *options, ok=2)
    assert words in result.err and "bootstrap" in result.err
