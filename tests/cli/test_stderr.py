"""fit --stderr and what show makes of it."""
import csv
import json
import time

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
    means = json.loads(shown.out)["information"]["factors"][0]["means"]
    assert means["estimate"] == json.loads(shown.out)["factors"][0]["parameters"]["means"]
    first = text.split("means, 95 % intervals\n")[1].splitlines()[1].split()
    assert [float(first[1]), float(first[3])] == pytest.approx(
        [means["low"][0][0], means["high"][0][0]], rel=0, abs=means["stderr"][0][0] / 10)
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
    (["--sharing", "common", "-k", "2", "--unlabeled", "em0"], "two parts"),
])
def test_refused_before_the_fit(scant, tmp_path, options, words):
    """Rows are not even read."""
    result = scant("fit", tmp_path / "nowhere.csv", "--label", "y", "--stderr", *options, ok=2)
    assert words in result.err and "bootstrap" in result.err


@pytest.fixture
def partly(tmp_path):
    """Two classes, a third of the rows labelled."""
    random = numpy.random.default_rng(7)
    y = random.random(5000) < 0.4
    x = random.normal(size=(5000, 2)) + 3 * y[:, None]
    labels = numpy.where(random.random(5000) < 0.33, numpy.where(y, "b", "a"), "")
    return write(tmp_path / "rows.csv", x, labels)


def errors_of(result):
    told = json.loads(result.out)["information"]
    numbers = [told["coupling"]["stderr"][0][0]]
    for name in ("means", "covariances"):
        numbers += numpy.ravel(told["factors"][0][name]["stderr"]).tolist()
    return told, numpy.array(numbers)


@pytest.mark.parametrize("weight", ["1", "0.3"])
def test_bootstrap_agrees(scant, partly, tmp_path, weight):
    """With the information, and where unlabelled rows count less with the sandwich."""
    fit = ["fit", partly, "--label", "y", "--covariance", "diag", "--no-baseline", "--unlabeled-weight", weight, "--json"]
    told, by_information = errors_of(scant(*fit, "--stderr"))
    assert told["by"] == ("information" if weight == "1" else "sandwich")
    model = tmp_path / "m.json"
    told, by_bootstrap = errors_of(scant(*fit, "--stderr", "bootstrap", "-o", model))
    assert told["by"] == "bootstrap" and told["draws"] == 200 and told["failed"] == 0
    # a standard deviation of 200 draws is known to 5 %
    numpy.testing.assert_allclose(by_bootstrap, by_information, rtol=0.2)
    assert json.loads(scant("show", model, "--json").out)["information"] == told
    assert "by bootstrap" in scant("show", model).out


def test_bootstrap_within_a_time_limit(scant, partly, tmp_path):
    """Half of the draws or more make standard errors, fewer make none."""
    model, fit = tmp_path / "m.json", ["fit", partly, "--label", "y", "--no-baseline", "--stderr=bootstrap", "--json"]
    before = time.monotonic()
    result = scant(*fit, "--draws", 10**6, "--time-limit", 0.5, "-o", model, ok=4)
    assert time.monotonic() - before < 5
    assert "information" not in result.json() and "the model has no standard errors" in result.err
    assert "time limit was reached after" in json.loads(model.read_text())["warnings"][-1]
    before = time.monotonic()
    scant(*fit, "--draws", 400)
    most = 0.8 * (time.monotonic() - before)
    result = scant(*fit, "--draws", 400, "--time-limit", most, ok=(0, 4))
    told = result.json().get("information")
    assert (told is None) == (result.code == 4)
    assert not told or told["draws"] == 400 or (told["draws"] >= 200 and "time limit" in result.json()["warnings"][-1])


def test_bootstrap_in_parallel(scant, partly, tmp_path):
    models = []
    for threads in (1, 2):
        model = tmp_path / f"{threads}.json"
        scant("fit", partly, "--label", "y", "--no-baseline", "--stderr=bootstrap", "--draws", 40, "--threads", threads,
              "-o", model)
        models.append(model.read_bytes())
    assert models[0] == models[1]


@pytest.mark.parametrize("options", [["--sharing", "lambda=0.3"], ["-k", "2", "--sharing", "common", "--unlabeled", "em0"]])
def test_bootstrap_of_other_objectives(scant, partly, options):
    told, errors = errors_of(scant("fit", partly, "--label", "y", "--no-baseline", "--covariance", "diag", "--stderr",
                                   "bootstrap", "--draws", 20, "--json", *options))
    assert told["identified"] and told["rate"] is None and (errors > 0).all()


def test_draws_need_a_bootstrap(scant, partly):
    assert "--stderr bootstrap" in scant("fit", partly, "--draws", 10, ok=2).err


def test_what_is_fixed_has_no_errors(scant, partly, tmp_path):
    """Known covariances and proportions are no parameters, and the others are surer."""
    start = tmp_path / "start.json"
    fit = ["fit", partly, "--label", "y", "--covariance", "diag", "--no-baseline", "--stderr", "--json"]
    free, _ = errors_of(scant(*fit, "-o", start))
    fixed = json.loads(scant(*fit, "--fixed", "covariances", "--init", start, "--prior", "a=0.6,b=0.4").out)["information"]
    assert free["parameters"] == 9 and fixed["parameters"] == 4
    assert set(numpy.ravel(fixed["coupling"]["stderr"])) == {None}
    assert set(numpy.ravel(fixed["factors"][0]["covariances"]["stderr"])) == {None}
    assert (numpy.array(fixed["factors"][0]["means"]["stderr"]) < free["factors"][0]["means"]["stderr"]).all()


def test_many_parameters(scant, tmp_path):
    """Too many for matrices: what is missing and the rate are told, errors are left out and it is said."""
    random = numpy.random.default_rng(11)
    path = tmp_path / "texts.svmlight"
    with open(path, "w") as out:
        for i in range(200):
            words, counts = numpy.unique(random.integers(0, 1200, 25) + (900 * (i % 2) if i % 3 else 0), return_counts=True)
            out.write("0 " + " ".join(f"{w + 1}:{c}" for w, c in zip(words, counts)) + "\n")
    result = scant("fit", path, "-k", 3, "--family", "multinomial", "--smooth", "0.1", "--stderr", "--json", "-q")
    told = json.loads(result.out)
    assert told["information"]["parameters"] > 4000 and not told["information"]["identified"]
    assert 0 <= told["information"]["missing"] < 1 and 0 < told["information"]["rate"] <= 1
    assert any("more than" in warning and "bootstrap" in warning for warning in told["warnings"])


@pytest.mark.parametrize("apart", [0.1, 0.01, 0.001])
@pytest.mark.parametrize("covariance", ["full", "tied"])
def test_columns_that_hardly_differ(scant, tmp_path, apart, covariance):
    """The textbook's errors however close to collinear columns are."""
    random = numpy.random.default_rng(1)
    x = random.normal(size=(60, 1)) + apart * random.normal(size=(60, 3))
    result = scant("fit", write(tmp_path / "rows.csv", x), "-k", 1, "--covariance", covariance, "--stderr", "--json")
    told = json.loads(result.out)["information"]["factors"][0]
    S = numpy.cov(x.T, bias=True)
    squares = numpy.outer(S.diagonal(), S.diagonal())
    found = numpy.reshape(told["covariances"]["stderr"], (3, 3))
    numpy.testing.assert_allclose(told["means"]["stderr"][0], numpy.sqrt(S.diagonal() / 60), rtol=1e-4)
    numpy.testing.assert_allclose(found, numpy.sqrt((S**2 + squares) / 60), rtol=1e-3)


@pytest.mark.parametrize("place", [1e6, 1e8, 1e10])
def test_places_of_columns_do_not_matter(scant, tmp_path, place):
    """Errors are those of the same rows around 0, of means and of a regression's level."""
    random = numpy.random.default_rng(12)
    y = random.integers(0, 2, 400)
    x = numpy.round(1024 * (random.normal(size=(400, 3)) + 2 * y[:, None])) / 1024  # moves without rounding
    labels = ["" if i % 3 else "ab"[y[i]] for i in range(400)]
    family = ["--family", "gaussian:x1", "--family", "regression:x2,x3", "--target", "x3"]
    told = []
    for to in (0, place):
        path = write(tmp_path / "rows.csv", x + [to, 0, to], labels)
        result = scant("fit", path, "--label", "y", "--no-baseline", "--stderr", "--json", *family)
        factors = json.loads(result.out)["information"]["factors"]
        told.append(factors[0]["means"]["stderr"] + factors[1]["coefficients"]["stderr"])
    for near, far in zip(*told):
        assert None not in far
        numpy.testing.assert_allclose(far, near, rtol=1e-3)


def test_ends_of_intervals_differ(scant, tmp_path):
    """However small an error is beside its number, show's intervals have the digits that tell of it."""
    x = numpy.random.default_rng(13).normal(size=(400, 1)) + 1e6
    scant("fit", write(tmp_path / "rows.csv", x), "-k", 1, "--stderr", "-o", tmp_path / "m.json")
    line = scant("show", tmp_path / "m.json").out.split("means, 95 % intervals\n")[1].splitlines()[1]
    low, high = (float(end) for end in line.split()[1::2])
    assert high - low == pytest.approx(2 * 1.96 * x.std() / 20, rel=0.1)


def test_shipped_columns(scant, crabs):
    """Crabs are all of one shape, so that their columns nearly tell each other."""
    columns = ["FL", "RW", "CL", "CW", "BD"]
    result = scant("fit", crabs, "--label", "sp", "--features", ",".join(columns), "--stderr", "--json")
    told = json.loads(result.out)["information"]["factors"][0]
    with open(crabs) as file:
        rows = list(csv.DictReader(file))
    for j, species in enumerate("BO"):
        x = numpy.array([[float(row[c]) for c in columns] for row in rows if row["sp"] == species])
        numpy.testing.assert_allclose(told["means"]["stderr"][j], x.std(axis=0) / numpy.sqrt(len(x)), rtol=1e-5)
        numpy.testing.assert_allclose(
            numpy.diagonal(told["covariances"]["stderr"][j]), x.var(axis=0) * numpy.sqrt(2 / len(x)), rtol=1e-5)


def test_what_fades_has_no_errors(scant, tmp_path):
    """A probability on its way to 0 is told by no row, and a component's share that is is no parameter."""
    random = numpy.random.default_rng(3)
    z = numpy.arange(200) % 2
    x = numpy.stack([4.0 * z + random.normal(size=200), z * (random.random(200) < 0.5)], axis=1)
    result = scant("fit", write(tmp_path / "rows.csv", x), "--family", "gaussian:x1", "--family", "bernoulli:x2", "-k", 2, "--smooth",
                   0, "--tol", 1e-12, "--stderr", "--json", "-o", tmp_path / "m.json")
    told = json.loads(result.out)["information"]["factors"][1]["probabilities"]
    p, error = numpy.array(told["estimate"]).ravel(), [e[0] for e in told["stderr"]]
    assert p.min() < 1e-8 and p.max() > 0.3
    for probability, e in zip(p, error):
        assert e is None or e < 0.1
        assert probability < 1e-8 or e == pytest.approx(numpy.sqrt(probability * (1 - probability) / 100), rel=0.1)
    text = scant("show", tmp_path / "m.json").out
    table = text.split("probabilities, standard errors\n")[1].split("\n\n")[0].splitlines()[1:]
    assert [line.split()[1] == "-" for line in table] == [e is None for e in error]


def test_a_class_without_a_share_has_errors(scant, tmp_path):
    """Rows bring probabilities of class c, but none favours it."""
    random = numpy.random.default_rng(6)
    z = random.integers(0, 3, 300)
    x = random.normal(size=(300, 1)) + 40 * z[:, None]
    cells = numpy.array(["a:0.6;b:0.2;c:0.2", "a:0.2;b:0.6;c:0.2", "a:0.35;b:0.35;c:0.3"])
    path = write(tmp_path / "rows.csv", x, cells[z])
    result = scant("fit", path, "--label", "y", "--context-mode", "prior", "--covariance", "diag", "--stderr", "--json")
    told = json.loads(result.out)["information"]
    assert told["parameters"] == 6
    expected = [x[z == k].std() / numpy.sqrt((z == k).sum()) for k in range(3)]
    numpy.testing.assert_allclose(numpy.ravel(told["factors"][0]["means"]["stderr"]), expected, rtol=1e-5)


def test_no_maximum_has_no_rate(scant, tmp_path):
    """A fit that ends at the floor of a variance is at no maximum: shares above 1 would mean nothing."""
    x = numpy.stack([(numpy.arange(100) % 2) * 3 + (numpy.arange(100) * 37 % 101) / 25, numpy.full(100, 5.0)], axis=1)
    result = scant("fit", write(tmp_path / "rows.csv", x), "-k", 2, "--stderr", "--json", ok=(0, 5))
    told = json.loads(result.out)["information"]
    for name in ("missing", "rate"):
        assert told[name] is None or 0 <= told[name] <= 1


def test_bootstrap_wants_whole_weights(scant, tmp_path):
    """Which is said before the fit, not after it."""
    rows = tmp_path / "rows.csv"
    rows.write_text("x,w\n" + "".join(f"{i % 9},{1 + i % 2 / 2}\n" for i in range(40)))
    refused = scant("fit", rows, "--weight", "w", "-k", 2, "--stderr", "bootstrap", "-v", ok=2)
    assert "a weight of 1.5 is no number of rows" in refused.err and "start 1" not in refused.err


@pytest.mark.parametrize("tol", ["1e-6", "1e-8", "1e-12"])
def test_shares_that_fade_are_no_parameters(scant, tmp_path, tol):
    """Classes that share two components in vain: each has one in the end, wherever the tolerance stops EM."""
    random = numpy.random.default_rng(8)
    y = (random.random(2000) < 0.4).astype(int)
    x = random.normal(size=(2000, 3)) + 2.5 * y[:, None]
    rows = write(tmp_path / "rows.csv", x, ["" if i % 4 else "pq"[y[i]] for i in range(2000)])
    told = scant("fit", rows, "--label", "y", "--sharing", "common", "-k", 2, "--covariance", "diag", "--stderr",
                 "--no-baseline", "--tol", tol, "-o", tmp_path / "model.json", "--json").json()["information"]
    assert told["parameters"] == 13
    assert told["missing"] == pytest.approx(0.27867, abs=1e-4) and told["rate"] == pytest.approx(0.21286, abs=1e-4)
    assert sorted(error is None for row in told["coupling"]["stderr"] for error in row) == [False, False, True, True]


def test_fit_that_was_stopped_is_said(scant, faithful, tmp_path):
    """What it has is no maximum, and standard errors are of one."""
    said = "standard errors and EM's rate are those of a maximum, which the fit did not reach (stop: iterations)"
    line = ["fit", faithful, "-k", 2, "--starts", 1, "--seed", 3, "-q", "--json", "--max-iter"]
    tell = lambda result: [w for w in result.json()["warnings"] if "maximum" in w]
    stopped = scant(*line, 3, "-o", tmp_path / "m.json", "--stderr", ok=4)
    assert tell(stopped) == [said]
    assert tell(scant("show", tmp_path / "m.json", "--json")) == [said]
    assert tell(scant(*line, 3, ok=4)) == []
    assert tell(scant(*line, 1000, "--stderr")) == []
