"""predict --fisher-scores: the kernel they make, against differences of a naive density."""
import csv
import json

import numpy
import pytest


def read_scores(path):
    with open(path) as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name.startswith("score_")]
    return names, numpy.array([[float(row[name]) for name in names] for row in rows])


def write(path, columns, labels=None):
    names = [f"x{c + 1}" for c in range(columns.shape[1])] + (["y"] if labels is not None else [])
    with open(path, "w") as out:
        out.write(",".join(names) + "\n")
        for i, row in enumerate(columns):
            cells = [repr(float(v)) for v in row] + ([labels[i]] if labels is not None else [])
            out.write(",".join(cells) + "\n")
    return path


@pytest.fixture
def mixed(scant, tmp_path):
    random = numpy.random.default_rng(8)
    second = random.random(8000) < 0.4
    x = random.normal(size=8000) * numpy.where(second, 1.3, 1) + 3 * second
    path = write(tmp_path / "rows.csv", x[:, None])
    model = tmp_path / "model.json"
    scant("fit", path, "-k", 2, "--tol", "1e-11", "--starts", 2, "-o", model)
    return path, model, x


def density(theta, x):
    """Log density of two Gaussians by logit, means and log variances."""
    weight = 1 / (1 + numpy.exp(-theta[0]))
    each = [p * numpy.exp(-0.5 * (x - m)**2 / numpy.exp(v) - 0.5 * v) / numpy.sqrt(2 * numpy.pi)
            for p, m, v in ((weight, theta[1], theta[3]), (1 - weight, theta[2], theta[4]))]
    return numpy.log(each[0] + each[1])


def differences(theta, x, h=1e-4):
    steps = numpy.eye(len(theta)) * h
    scores = numpy.array([(density(theta + s, x) - density(theta - s, x)) / (2 * h) for s in steps]).T
    second = numpy.array([[numpy.mean(density(theta + s + t, x) - density(theta + s - t, x)
                                      - density(theta - s + t, x) + density(theta - s - t, x)) / (4 * h * h)
                           for t in steps] for s in steps])
    return scores, -second


def test_kernel(scant, mixed, tmp_path):
    """s' I^-1 s does not depend on the parametrisation, so a naive one must give the same kernel."""
    path, model, x = mixed
    fitted = json.loads(model.read_text())
    parameters = fitted["factors"][0]["parameters"]
    weight = fitted["coupling"][0][0]
    theta = numpy.array([numpy.log(weight / (1 - weight)), *numpy.ravel(parameters["means"]),
                         *numpy.log(numpy.ravel(parameters["covariances"]))])
    out = tmp_path / "scores.csv"
    scant("predict", model, path, "--fisher-scores", "-o", out)
    names, f = read_scores(out)
    assert names == ["score_pi_1", "score_1_1_1", "score_1_1_2", "score_1_2_1", "score_1_2_2"]
    scores, information = differences(theta, x)
    some = slice(0, 60)
    want = scores[some] @ numpy.linalg.solve(information, scores[some].T)
    numpy.testing.assert_allclose(f[some] @ f[some].T, want, atol=1e-4 * numpy.abs(want).max())


def test_white_on_the_rows_of_the_fit(scant, mixed, tmp_path):
    path, model, _ = mixed
    out = tmp_path / "scores.csv"
    scant("predict", model, path, "--fisher-scores", "-o", out)
    _, f = read_scores(out)
    second = f.T @ f / len(f)
    # an entry has a standard error of sd(f_a f_b) / sqrt(n)
    error = numpy.sqrt(numpy.mean((f[:, :, None] * f[:, None, :])**2, axis=0) / len(f))
    assert (numpy.abs(second - numpy.eye(len(second))) < 5 * error + 1e-9).all()
    assert (numpy.abs(f.mean(axis=0)) < 1e-3).all()


def test_reference_rows(scant, mixed, tmp_path):
    """Rows have the same scores whichever others are in their file, if the reference is the same."""
    path, model, x = mixed
    few = write(tmp_path / "few.csv", x[:5, None])
    out = tmp_path / "few_scores.csv"
    scant("predict", model, few, "--fisher-scores", "--fisher-rows", path, "-o", out)
    _, f = read_scores(out)
    scant("predict", model, path, "--fisher-scores", "-o", out)
    _, all_of_them = read_scores(out)
    numpy.testing.assert_allclose(f, all_of_them[:5], rtol=1e-9, atol=1e-12)
    assert "--fisher-scores" in scant("predict", model, few, "--fisher-rows", path, ok=2).err


def test_shared_components_say_nothing_of_classes(scant, tmp_path):
    random = numpy.random.default_rng(9)
    second = random.random(600) < 0.5
    x = random.normal(size=(600, 1)) + 4 * second[:, None]
    y = numpy.where(random.random(600) < 0.5, numpy.where(random.random(600) < 0.3 + 0.4 * second, "b", "a"), "")
    path = write(tmp_path / "rows.csv", x, y)
    model, out = tmp_path / "model.json", tmp_path / "scores.csv"
    scant("fit", path, "--label", "y", "-k", 2, "--sharing", "common", "--no-baseline", "-o", model)
    told = scant("predict", model, path, "--fisher-scores", "-o", out)
    assert "of 7 directions" in told.err
    names, f = read_scores(out)
    assert names[:3] == ["score_p_a", "score_pi_1_a", "score_pi_1_b"]
    second_moment = numpy.linalg.eigvalsh(f.T @ f / len(f))
    assert (second_moment[:2] < 1e-9).all() and (second_moment[2:] > 0.5).all()
    scant("predict", model, path, "--label", "y", "--use-labels", "--fisher-scores", "-o", out)
    _, known = read_scores(out)
    assert (numpy.linalg.eigvalsh(known.T @ known / len(known)) > 0.5).all()


def test_sparse_rows(scant, tmp_path):
    """The same counts as svmlight and as CSV."""
    random = numpy.random.default_rng(10)
    counts = random.poisson(numpy.where(random.random((300, 1)) < 0.5, [[3, 1, 2]], [[1, 4, 2]]))
    dense = write(tmp_path / "rows.csv", counts)
    sparse = tmp_path / "rows.svmlight"
    sparse.write_text("".join(
        "0 " + " ".join(f"{c + 1}:{v}" for c, v in enumerate(row) if v) + "\n" for row in counts))
    model, found = tmp_path / "model.json", []
    scant("fit", dense, "-k", 2, "--family", "multinomial", "-o", model)
    for path in (dense, sparse):
        scant("predict", model, path, "--fisher-scores", "-o", tmp_path / "scores.csv")
        found.append(read_scores(tmp_path / "scores.csv")[1])
    numpy.testing.assert_allclose(found[0], found[1], rtol=1e-8, atol=1e-10)


def test_rows_without_weight(scant, tmp_path):
    data = tmp_path / "rows.csv"
    data.write_text("x,w\n" + "".join(f"{i % 7},0\n" for i in range(30)))
    plain = tmp_path / "plain.csv"
    plain.write_text("x\n" + "".join(f"{i % 7}\n" for i in range(30)))
    scant("fit", plain, "-k", 1, "-o", tmp_path / "m.json")
    refused = scant("predict", tmp_path / "m.json", data, "--weight", "w", "--fisher-scores", ok=3)
    assert "no row has a weight" in refused.err


def test_contexts_of_two_files_are_columns(scant, tmp_path):
    """A file of probabilities is of DATA's rows, and not of as many others."""
    random = numpy.random.default_rng(9)
    y = random.integers(0, 2, 200)
    x, p = random.normal(size=200) + 3 * y, numpy.where(y, 0.2, 0.7)
    table = numpy.stack([x, p, 1 - p], axis=1)
    for name, part, header in (("first", table[:100], "x,p_a,p_b"), ("second", table[100:], "x,p_a,p_b"),
                               ("context", table[100:, 1:], "p_a,p_b")):
        numpy.savetxt(tmp_path / f"{name}.csv", part, delimiter=",", header=header, comments="")
    first, second, model = tmp_path / "first.csv", tmp_path / "second.csv", tmp_path / "model.json"
    scant("fit", first, "--context", "p_a,p_b", "--covariance", "diag", "-o", model)
    ask = ["predict", model, second, "--features", "x", "--fisher-scores", "-o", tmp_path / "out.csv"]
    refused = scant(*ask, "--context", tmp_path / "context.csv", "--fisher-rows", first, ok=2)
    assert "not of --fisher-rows" in refused.err and "columns" in refused.err
    scant(*ask, "--context", "p_a,p_b", "--fisher-rows", first)
    by_columns = read_scores(tmp_path / "out.csv")[1]
    scant(*ask, "--context", tmp_path / "context.csv", "--fisher-rows", second)
    assert numpy.abs(by_columns - read_scores(tmp_path / "out.csv")[1]).max() > 1e-3
