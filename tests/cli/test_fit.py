"""scant fit: what it reaches, what it writes, and that neither threads nor interruptions change it."""
import csv
import os
import signal
import time

import numpy as np
import pytest

import models
from conftest import interrupt, start_program, strict_json, write_csv

FIELDS = ["rows", "labeled", "components", "classes", "loglik", "objective", "iterations", "stop", "bic",
          "icl", "aic", "seconds"]


def read_faithful(path):
    with open(path) as file:
        return np.array([[float(v) for v in row] for row in list(csv.reader(file))[1:]])


@pytest.mark.parametrize("seed", range(1, 21))
def test_faithful_reaches_the_known_maximum(scant, faithful, seed):
    result = scant("fit", faithful, "-k", 2, "--seed", seed, "--json", "-q").json()
    assert result["loglik"] == pytest.approx(-1130.264, abs=1e-3)
    assert result["stop"] == "converged"


@pytest.mark.parametrize("seed", range(1, 6))
def test_first_of_equal_starts_is_kept(scant, faithful, seed):
    """All starts come to one maximum here, up to rounding, which must not choose between them."""
    result = scant("fit", faithful, "-k", 3, "--covariance", "tied", "--tol", 0, "--max-iter", 5000, "--starts", 8, "--seed",
                   seed, "--json", "-q", ok=(0, 4)).json()
    assert result["loglik"] == pytest.approx(-1126.3159278, abs=1e-6)
    assert result["best_start"] == 0


@pytest.fixture
def visits(tmp_path):
    return write_csv(tmp_path / "visits.csv", ["n", "x", "y"],
                     [[i % 7, i / 10, "ab"[i % 2]] for i in range(40)])


@pytest.mark.parametrize("options,message", [
    ("--features n --target n", "--target n: no column has the regression family"),
    ("--features x --sharing common", "--sharing common: these rows have no classes"),
    ("--features x --sharing auto", "--sharing auto: these rows have no classes"),
    ("--features x --unlabeled em3", "--unlabeled em3: these rows have no classes"),
    ("--label y -k a=1,a=2,b=1", "names class a twice"),
    ("--label y --family poisson:n --family gaussian:n", "column n is given to poisson already"),
    ("--label y --family poisson --family gaussian", "poisson and gaussian cannot both be for all columns"),
    ("--label y --family gamma:x,poisson,gaussian", "poisson and gaussian cannot both be for all columns"),
    ("--features n --family poisson --covariance tied", "--covariance tied: no column has the gaussian family"),
    ("--features n --dataset cells", "visits.csv: --dataset cells: the file is read as CSV and has no data sets"),
    ("--label y --features x,y", "visits.csv: --features: column 'y' is the label column already"),
    ("--weight n --features x,n", "visits.csv: --features: column 'n' is the weight column already"),
])
def test_options_that_would_change_nothing(scant, visits, options, message):
    assert message in scant("fit", visits, *options.split(), ok=2).err


@pytest.mark.parametrize("ignored,said", [("y", True), ("n,y", True), ("n", False), ("n,y*", False)])
def test_ignoring_the_label_is_said(scant, visits, ignored, said):
    """By its name; a pattern may be meant for others."""
    result = scant("fit", visits, "--label", "y", "--ignore", ignored)
    assert ("--ignore: column 'y' is used all the same, as the label column" in result.err) == said


@pytest.mark.parametrize("method", ["em0", "em1", "em2", "em3"])
def test_methods_take_one_set_of_options(scant, visits, method):
    """So that they can be compared: those without a smoothing let it be."""
    scant("fit", visits, "--label", "y", "--unlabeled", method, "--unlabeled-smoothing", 0.1, "--covariance", "diag")


def test_json_fields(scant, faithful):
    result = scant("fit", faithful, "-k", 2, "--json").json()
    assert list(result)[:len(FIELDS)] == FIELDS
    assert (result["rows"], result["labeled"], result["components"]) == (272, 0, 2)
    assert result["classes"] == [] and result["parameters"] == 11 and result["seed"] == 1
    assert result["bic"] == pytest.approx(-2 * result["loglik"] + 11 * np.log(272))
    assert result["aic"] == pytest.approx(-2 * result["loglik"] + 2 * 11)
    assert result["icl"] >= result["bic"] and result["seconds"] >= 0


def test_classes_in_json(scant, crabs):
    result = scant("fit", crabs, "--label", "sex", "--features", "FL,RW,CL,CW,BD", "--json").json()
    assert result["classes"] == ["F", "M"] and result["labeled"] == 200
    assert result["components"] == 2


def test_streams(scant, faithful, tmp_path):
    plain = scant("fit", faithful, "-k", 2, "-o", tmp_path / "m.json")
    assert "loglik" in plain.out and "scant predict" in plain.err and "scant predict" not in plain.out
    assert "seed 1" in plain.err and plain.err.count("seed") == 1
    quiet = scant("fit", faithful, "-k", 2, "-q", "-o", tmp_path / "m.json")
    assert quiet.err == "" and "scant predict" not in quiet.out
    assert "seed" not in scant("fit", faithful, "-k", 2, "--seed", 3).err
    piped = scant("fit", faithful, "-k", 2, "-q", "-o", "-")
    assert piped.out == (tmp_path / "m.json").read_text()
    stdin = scant("fit", "-", "-k", 2, "-q", "-o", "-", stdin=faithful.read_text())
    assert stdin.out == piped.out
    assert strict_json(piped.out)["format"] == "scant-model"


@pytest.mark.parametrize("extra", [["-k", "3"], ["-k", "4", "--covariance", "tied", "--starts", "7"],
                                   ["-k", "2", "--family", "gamma"]])
def test_threads_change_nothing(scant, faithful, tmp_path, extra):
    files, objects = set(), []
    for threads in (1, 2, 7):
        path = tmp_path / "model.json"
        result = scant("fit", faithful, *extra, "--threads", threads, "--json", "-q", "-o", path,
                       ok=(0, 4)).json()
        del result["seconds"]
        objects.append(result)
        files.add(path.read_bytes())
    assert len(files) == 1
    assert objects[0] == objects[1] == objects[2]


def test_threads_change_nothing_where_they_are_used(scant, tmp_path):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(9000, 4)) + 3 * np.eye(4)[rng.integers(4, size=9000)]
    X[rng.random(X.shape) < 0.02] = np.nan
    np.save(tmp_path / "data.npy", X)
    files = set()
    for threads in (1, 2, 7):
        scant("fit", tmp_path / "data.npy", "-k", 4, "--starts", 2, "--max-iter", 20, "--threads", threads,
              "-q", "-o", tmp_path / "m.json", ok=(0, 4))
        files.add((tmp_path / "m.json").read_bytes())
        scant("predict", tmp_path / "m.json", tmp_path / "data.npy", "--threads", threads, "-q", "-o",
              tmp_path / "p.csv")
        files.add((tmp_path / "p.csv").read_bytes())
    assert len(files) == 2


def compare_models(a, b, tolerance):
    for x, y in zip(models.gaussian(a), models.gaussian(b)):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)
    assert a["training"]["loglik"] == pytest.approx(b["training"]["loglik"], rel=tolerance)
    assert a["training"]["weight"] == b["training"]["weight"]


@pytest.mark.parametrize("covariance", ["full", "tied", "diag", "spherical"])
def test_weights_are_repetition(scant, faithful, tmp_path, covariance):
    X = read_faithful(faithful)
    weight = np.random.default_rng(5).integers(0, 4, len(X))
    header = ["eruptions", "waiting"]
    scant("fit", faithful, "-k", 3, "--covariance", covariance, "--max-iter", 3, "--starts", 1, "-o",
          tmp_path / "init.json", ok=(0, 4))
    weighted = write_csv(tmp_path / "w.csv", header + ["w"], np.column_stack([X, weight]))
    kept = write_csv(tmp_path / "k.csv", header + ["w"],
                     np.column_stack([X, weight])[weight > 0])
    repeated = write_csv(tmp_path / "r.csv", header, np.repeat(X, weight, axis=0))
    fits = {}
    for name, path, more in (("weighted", weighted, ["--weight", "w"]),
                             ("kept", kept, ["--weight", "w"]), ("repeated", repeated, [])):
        out = tmp_path / f"{name}.json"
        scant("fit", path, "-k", 3, "--covariance", covariance, "--init", tmp_path / "init.json",
              "--starts", 1, "--tol", 0, "--max-iter", 40, "-o", out, *more, ok=(0, 4))
        fits[name] = models.load(out)
    compare_models(fits["weighted"], fits["repeated"], 1e-10)
    compare_models(fits["weighted"], fits["kept"], 1e-10)


def test_missing_cells_are_integrated_out(scant, tmp_path):
    """One normal: the mean of a column that is complete does not care about the other's gaps."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2)) @ np.array([[1, 0.8], [0, 0.6]])
    rows = [[x, y if i % 3 else None] for i, (x, y) in enumerate(X)]
    path = write_csv(tmp_path / "gaps.csv", ["a", "b"], rows)
    scant("fit", path, "-k", 1, "--tol", 1e-14, "--max-iter", 10000, "-o", tmp_path / "m.json")
    _, means, covariances = models.gaussian(models.load(tmp_path / "m.json"))
    # Anderson (1957): regress b on a where both are there, and carry over to all of a
    full = X[np.arange(300) % 3 != 0]
    slope = np.cov(full.T, bias=True)[0, 1] / full[:, 0].var()
    rest = full[:, 1].var() - slope**2 * full[:, 0].var()
    np.testing.assert_allclose(means[0], [X[:, 0].mean(), full[:, 1].mean() +
                                          slope * (X[:, 0].mean() - full[:, 0].mean())], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(covariances[0, 1], [slope * X[:, 0].var(),
                                                   rest + slope**2 * X[:, 0].var()], rtol=1e-4)


def test_iteration_limit_still_writes(scant, faithful, tmp_path):
    path = tmp_path / "m.json"
    result = scant("fit", faithful, "-k", 3, "--max-iter", 2, "--json", "-o", path, ok=4)
    assert result.json()["stop"] == "iterations"
    assert models.load(path)["training"]["stop"] == "iterations"
    assert "converge" in result.err


def test_files_appear_whole_or_not_at_all(scant, faithful, tmp_path):
    path = tmp_path / "m.json"
    path.write_text("old")
    bad = write_csv(tmp_path / "bad.csv", ["a"], [["x"]])
    scant("fit", bad, "--types", "none", "-o", path, ok=3)
    assert path.read_text() == "old"
    result = scant("fit", faithful, "-o", tmp_path / "nowhere" / "m.json", ok=1)
    assert "nowhere" in result.err
    scant("fit", faithful, "-k", 2, "-o", path)
    assert strict_json(path.read_text())["components"] == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.csv", "m.json"]
    assert path.stat().st_mode & 0o777 == 0o666 & ~current_umask()


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_start_from_a_model(scant, faithful, tmp_path):
    path = tmp_path / "m.json"
    first = scant("fit", faithful, "-k", 2, "--json", "-q", "-o", path).json()
    again = scant("fit", faithful, "-k", 2, "--start", path, "--json", "-q").json()
    assert again["iterations"] <= 3
    assert again["loglik"] == pytest.approx(first["loglik"], abs=1e-6)


def test_a_start_of_another_regression(scant, tmp_path):
    rng = np.random.default_rng(2)
    path = write_csv(tmp_path / "d.csv", ["u", "v", "w"], rng.normal(size=(80, 3)).tolist())
    both = ["--family", "regression:u,v", "--target", "u", "--family", "gaussian:w"]
    scant("fit", path, *both, "-k", 2, "-q", "-o", tmp_path / "both.json", ok=(0, 4))
    scant("fit", path, *both, "--start", tmp_path / "both.json", "-q", ok=(0, 4))
    other = ["--family", "regression:u,v", "--target", "v", "--family", "gaussian:w"]
    assert "target" in scant("fit", path, *other, "--start", tmp_path / "both.json", ok=2).err
    assert "2 families" in scant("fit", path, *both[:4], "--features", "u,v", "--start", tmp_path / "both.json", ok=2).err


@pytest.mark.parametrize("family", ["full", "diag", "tied-spherical", "exponential", "gamma", "maxwell", "regression"])
def test_leaps_stay_within_bounds(scant, tmp_path, family):
    """Beyond a floor the objective is higher, and the step back would look like the end."""
    rng = np.random.default_rng(8)
    x = np.abs(rng.normal(size=(80, 2))) * rng.choice([0.05, 1, 3], 80)[:, None] + 0.01
    path = write_csv(tmp_path / "d.csv", ["u", "v"], x.tolist())
    more = (["--family", family] if family in ("exponential", "gamma", "maxwell", "regression") else ["--covariance", family])
    more += ["--target", "v"] if family == "regression" else []
    for seed in range(1, 6):
        scant("fit", path, *more, "-k", 4, "--starts", 1, "--min-variance", 0.05, "--accelerate", "squarem", "--tol", 1e-9, "--seed",
              seed, "-q", "-o", tmp_path / "m.json", ok=(0, 4))
        model = models.load(tmp_path / "m.json")
        assert np.diff(model["training"]["trace"]).min(initial=0) > -1e-9
        again = scant("fit", path, *more, "--init", tmp_path / "m.json", "--min-variance", 0.05, "--max-iter", 1, "--json", "-q",
                      ok=(0, 4)).json()
        assert again["objective"] > model["training"]["objective"] - 1e-6  # nothing had to be put back


def test_leaps_keep_sums(scant, tmp_path):
    """Extrapolations that follow each other must not magnify what rounding has left of a sum."""
    rng = np.random.default_rng(3)
    rows = [[*rng.normal(0.5 * (i % 3), 1, 2), "abc"[i % 3] if i % 4 == 0 else None] for i in range(300)]
    path = write_csv(tmp_path / "d.csv", ["u", "v", "y"], rows)
    for seed in range(1, 9):
        scant("fit", path, "--label", "y", "--sharing", "common", "-k", 5, "--starts", 1, "--accelerate", "squarem", "--tol", 0, "--seed",
              seed, "--max-iter", 1000, "--no-baseline", "-q", "-o", tmp_path / "m.json", ok=4)
        model = models.load(tmp_path / "m.json")
        assert np.sum(model["coupling"]) == pytest.approx(1, abs=1e-9)
        assert np.diff(model["training"]["trace"]).min() > -2e-9


@pytest.mark.parametrize("family", ["gaussian", "categorical", "bernoulli", "poisson", "exponential", "gamma", "maxwell"])
@pytest.mark.parametrize("covariance", ["full", "diag", "spherical"])
def test_a_column_that_a_class_never_has(scant, tmp_path, family, covariance):
    """Its cells say nothing there, so the class keeps what all rows say of the column."""
    rng = np.random.default_rng(4)
    cells = {"gaussian": rng.normal(5, 2, 40), "categorical": rng.choice(["p", "q"], 40)}.get(family, rng.integers(0, 2, 40))
    cells = cells + 1 if family in ("exponential", "gamma", "maxwell") else cells
    rows = [[rng.normal(), None, "a"] for _ in cells] + [[rng.normal(8), c, "b"] for c in cells]
    path = write_csv(tmp_path / "d.csv", ["x", "c", "y"], rows)
    more = ["--categorical", "c"] if family == "categorical" else ["--family", f"{family}:c"]
    result = scant("fit", path, "--label", "y", "--covariance", covariance, *more, "--json", "-q", "-o", tmp_path / "m.json")
    assert not [w for w in result.json()["warnings"] if "floor" in w]
    model = models.load(tmp_path / "m.json")
    own = next(f for f in model["factors"] if "c" in f["columns"])
    at = own["columns"].index("c") if family == "gaussian" else slice(None)
    for name, values in own["parameters"].items():
        if name != "covariances" or covariance == "diag":
            np.testing.assert_allclose(np.array(values)[0][at], np.array(values)[1][at], rtol=0.05)
    scant("predict", tmp_path / "m.json", path, "-q")


@pytest.fixture
def long_fit(tmp_path):
    """A fit of several seconds: overlapping clusters, many components, no tolerance."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20000, 6)) + rng.integers(0, 3, size=(20000, 1))
    path = tmp_path / "long.csv"
    np.savetxt(path, X, delimiter=",", header="a,b,c,d,e,f", comments="", fmt="%.9g")
    return ["fit", path, "-k", 12, "--starts", 1, "--tol", 0, "--json", "-q"]


def wait_for(path, process, seconds=60):
    end = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, f"{path} never came"
        time.sleep(0.05)


def test_interrupt_keeps_the_model(long_fit, tmp_path):
    out, checkpoint = tmp_path / "m.json", tmp_path / "check"
    process = start_program(*long_fit, "--max-iter", 1000000, "-o", out, "--checkpoint", checkpoint,
                            "--checkpoint-every", 0.05)
    wait_for(checkpoint, process)  # then there is a model
    result = interrupt(process)
    assert result.code == 4, result
    assert result.json()["stop"] == "interrupted"
    assert models.load(out)["training"]["stop"] == "interrupted"
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith("m.json")] == ["m.json"]


def test_ignored_interrupts_stay_ignored(long_fit, tmp_path):
    """As nohup and shells have it for what runs in the background."""
    out, checkpoint = tmp_path / "m.json", tmp_path / "check"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = start_program(*long_fit, "--max-iter", 200, "-o", out, "--checkpoint", checkpoint, "--checkpoint-every", 0.01)
    finally:
        signal.signal(signal.SIGINT, before)
    wait_for(checkpoint, process)
    result = interrupt(process)
    assert result.code == 4 and result.json()["stop"] == "iterations", result


@pytest.mark.parametrize("more", [[], ["--sharing", "auto", "-k", 4], ["--unlabeled", "em0", "-k", 4],
                                  ["--label-noise", "estimate"]])
def test_interrupt_keeps_a_model_with_labels(crabs, tmp_path, more):
    out, checkpoint = tmp_path / "m.json", tmp_path / "check"
    process = start_program("fit", crabs, "--label", "sex", "--features", "FL,RW,CL,CW,BD", "--tol", 0, "--max-iter", 10**8,
                            "--checkpoint", checkpoint, "--checkpoint-every", 0.05, "--json", "-o", out, *more)
    wait_for(checkpoint, process)
    result = interrupt(process)
    assert result.code == 4 and result.json()["stop"] == "interrupted", result
    assert models.load(out)["training"]["stop"] == "interrupted"


def test_resume_makes_the_same_model(scant, long_fit, tmp_path):
    limit = ["--max-iter", 500]
    whole, parts, checkpoint = (tmp_path / n for n in ("whole.json", "parts.json", "check"))
    scant(*long_fit, *limit, "-o", whole, ok=(0, 4))
    keep = ["--checkpoint", checkpoint, "--checkpoint-every", 0.05, "-o", parts]
    process = start_program(*long_fit, *limit, *keep)
    wait_for(checkpoint, process)
    result = interrupt(process)
    assert result.code == 4 and result.json()["stop"] == "interrupted", result
    scant(*long_fit, *limit, *keep, "--resume", ok=(0, 4))
    assert parts.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("more", [[], ["--label-noise", "estimate"]])
def test_fits_beside_leave_the_checkpoint_alone(scant, tmp_path, more):
    """Neither a baseline nor a rival that is better goes on from the checkpoint, or writes there."""
    rng = np.random.default_rng(5)
    rows = [["ab"[i % 2] if i < 80 else None, rng.normal(2 * (i % 2)), rng.normal()] for i in range(200)]
    data = write_csv(tmp_path / "d.csv", ["y", "u", "v"], rows)
    line = ["fit", data, "--label", "y", "--starts", 2, "--shrinkage", 0, "--unlabeled-weight", 1, "--keep", "--json", "-q",
            *more]
    keep = ["--checkpoint", tmp_path / "check", "--checkpoint-every", 1e-6]
    whole = scant(*line, ok=(0, 4)).json()
    scant(*line, *keep, "--max-iter", 3, ok=4)
    resumed = scant(*line, *keep, "--resume", ok=(0, 4)).json()
    assert resumed["objective"] == pytest.approx(whole["objective"], rel=1e-9)
    assert resumed["baseline"]["folds"] == 5 and resumed["baseline"] == whole["baseline"]


def test_annealing_ends_with_the_time(scant, faithful):
    """No time at all: the start is judged as it was made."""
    line = ["fit", faithful, "-k", 3, "--starts", 1, "--time-limit", 1e-9, "--json", "-q"]
    plain, annealed = (scant(*line, *more, ok=4).json() for more in ([], ["--anneal"]))
    assert plain["stop"] == annealed["stop"] == "time" and plain["loglik"] == annealed["loglik"]


def test_resume_with_more_iterations_goes_on(scant, faithful, tmp_path):
    fit = ("fit", faithful, "-k", 5, "--checkpoint", tmp_path / "checkpoint.json", "--checkpoint-every", 1e-6, "--json", "-q")
    cut = scant(*fit, "--max-iter", 20, ok=4).json()
    assert cut["stop"] == "iterations" and cut["best_start"] < cut["starts"] - 1
    result = scant(*fit, "--max-iter", 5000, "--resume").json()
    assert result["stop"] == "converged" and result["iterations"] > 20 and result["objective"] > cut["objective"]


def test_time_limit(scant, long_fit):
    before = time.monotonic()
    result = scant(*long_fit, "--max-iter", 1000000, "--time-limit", 1, ok=4).json()
    assert result["stop"] == "time" and time.monotonic() - before < 10


def test_rows_of_no_weight_do_not_count(scant, tmp_path):
    lines = ["a,b,y,w", "1,2,p,1", "2,3.5,q,1", "1.5,2.2,p,1", "2.4,3,q,1", "1.2,2.7,p,1", "3,3.1,q,1", "9,9,q,0", "8,8,,0"]
    (tmp_path / "d.csv").write_text("\n".join(lines) + "\n")
    how = ("fit", tmp_path / "d.csv", "--label", "y", "--weight", "w", "--covariance", "diag", "-q", "--json")
    told = scant(*how).json()
    assert (told["rows"], told["labeled"]) == (6, 6)
    (tmp_path / "d.csv").write_text("\n".join([lines[0], *(line[:-1] + "0" for line in lines[1:])]) + "\n")
    assert "no row has a positive weight" in scant(*how, ok=3).err


@pytest.mark.parametrize("ending", ["csv", "npy"])
def test_rows_of_weight_0_are_not_there(scant, tmp_path, ending):
    """Nor do they make classes and levels; a conversion keeps what they say."""
    rng = np.random.default_rng(1)
    rows = [[*rng.normal(3 * (i % 2), 1, 2).round(3), rng.integers(2), i % 2 + 4 if i % 3 else "", 1] for i in range(60)]
    names, words = ["x1", "x2", "x3", "x4", "x5"], ["--label", "x4", "--weight", "x5", "--categorical", "x3"]
    tables = [write_csv(tmp_path / "a.csv", names, rows),
              write_csv(tmp_path / "b.csv", names, [*rows[:20], [1.0, 2.0, 7, 9, 0], *rows[20:]])]
    assert "1,2,7.0,9.0,0" in scant("convert", tables[1], "-", *words).out.splitlines()
    told = []
    for table in tables:
        data = table.with_suffix("." + ending)
        if ending != "csv":
            scant("convert", table, data, "-q")
        model = table.with_suffix(".json")
        told.append(scant("fit", data, *words, "-q", "-o", model, "--json").json())
        told[-1]["accuracy"] = scant("evaluate", model, data, *words[:4], "--json").json()["accuracy"]
    for name in ("classes", "rows", "labeled", "components", "parameters", "accuracy"):
        assert told[0][name] == told[1][name], name
    assert told[0]["loglik"] == pytest.approx(told[1]["loglik"], rel=1e-9)


def test_columns_that_only_rows_of_weight_0_vary(scant, tmp_path):
    data = write_csv(tmp_path / "d.csv", ["u", "v", "w"], [[i * i, 5 + (i == 3), float(i != 3)] for i in range(9)])
    assert "column v has the same value in every row" in scant("fit", data, "--weight", "w").out


@pytest.mark.parametrize("seed", range(1, 7))
def test_few_labels_among_many_rows_name_the_classes(scant, tmp_path, seed):
    """Starts look at a sample of many rows; it must not leave out the rows that tell which class is which."""
    n = 200000
    x = np.random.default_rng(1).normal(size=n) + 6 * (np.arange(n) % 2)
    labels = {101: "odd", 140001: "odd", 20000: "even", 150000: "even"}
    data = write_csv(tmp_path / "many.csv", ["x", "y"], [[f"{x[i]:.3f}", labels.get(i, "")] for i in range(n)])
    truth = write_csv(tmp_path / "truth.csv", ["x", "y"], [[-0.5, "even"], [6.5, "odd"]])
    model = tmp_path / "model.json"
    scant("fit", data, "--label", "y", "--seed", seed, "--starts", 1, "--no-baseline", "-o", model, "-q")
    assert scant("evaluate", model, truth, "--label", "y", "--json").json()["accuracy"] == 1


def test_labels_of_weight_0_in_svmlight(scant, tmp_path):
    data = tmp_path / "w.svm"
    data.write_text("".join(f"{i % 2} 1:{i % 5 + 3 * (i % 2)} 2:1\n" for i in range(20)) + "7 1:2 2:0\n8 1:2\n")
    told = scant("fit", data, "--label", "label", "--weight", "x2", "--family", "poisson", "--json", "-q").json()
    assert told["classes"] == ["0", "1"] and told["rows"] == 20


def test_few_rows_of_weight_among_many(scant, tmp_path):
    rows = [[i % 5, i % 100000 == 19] for i in range(200000)]
    data = write_csv(tmp_path / "many.csv", ["x", "w"], [[x, int(w)] for x, w in rows])
    few = write_csv(tmp_path / "few.csv", ["x"], [[x] for x, w in rows if w])
    results = [scant("fit", *call, "-k", 1, "--family", "poisson", "--starts", 1, "--json", "-q").json()
               for call in ((data, "--weight", "w"), (few,))]
    assert results[0]["loglik"] == results[1]["loglik"]


@pytest.mark.parametrize("seed", range(1, 7))
def test_labels_name_the_classes_of_light_or_wide_rows(scant, tmp_path, seed):
    """Centres that few rows are near are moved within their class: light rows make all of them such, and so do many columns."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=400) + 6 * (np.arange(400) % 2)
    light = [[f"{x[i]:.3f}", "ab"[i % 2] if i < 8 else "", 0.001] for i in range(400)]
    data = write_csv(tmp_path / "light.csv", ["x", "y", "w"], light)
    truth = write_csv(tmp_path / "truth.csv", ["x", "y"], [[-0.5, "a"], [6.5, "b"]])
    shares = rng.dirichlet(np.full(1000, 0.1), 2)
    words = [{c + 1: n for c, n in enumerate(rng.multinomial(80, shares[i % 2])) if n} for i in range(400)]
    for name, known in (("wide.svm", 8), ("wide_truth.svm", 400)):
        lines = [" ".join([str(i % 2) if i < known else "nan", *(f"{c}:{n}" for c, n in row.items())]) for i, row in enumerate(words)]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    model = tmp_path / "model.json"
    how = ("--starts", 1, "--seed", seed, "--no-baseline", "-o", model, "-q")
    scant("fit", data, "--label", "y", "--weight", "w", *how)
    assert scant("evaluate", model, truth, "--label", "y", "--json").json()["accuracy"] == 1
    scant("fit", tmp_path / "wide.svm", "--label", "label", "--family", "multinomial", *how)
    assert scant("evaluate", model, tmp_path / "wide_truth.svm", "--label", "label", "--json").json()["accuracy"] > 0.99


def test_a_floor_is_told_for_what_it_is(scant, tmp_path):
    """A column that copies another: the rows do vary, but not across the two."""
    x = np.random.default_rng(5).normal(size=2400).round(3)
    data = write_csv(tmp_path / "d.csv", ["x", "copy", "y"], [[v, 2 * v, "ab"[i % 2]] for i, v in enumerate(x)])
    told = scant("fit", data, "--label", "y", "-q", "--json").json()["warnings"]
    assert told[:2] == [f"component {j} sits at the variance floor: its 1200 rows hardly vary in some direction, compared with all rows"
                        for j in (1, 2)]


@pytest.mark.parametrize("classes", [5, 6, 27])
def test_many_warnings_of_a_kind_are_one(scant, tmp_path, classes):
    """27 components at the floor are told in a line, in the model as on the screen; up to five one by one."""
    x = np.random.default_rng(5).normal(size=30 * classes).round(3)
    data = write_csv(tmp_path / "d.csv", ["x", "copy", "y"], [[v, 2 * v, f"c{i % classes:02}"] for i, v in enumerate(x)])
    result = scant("fit", data, "--label", "y", "-q", "--json", "-o", tmp_path / "m.json").json()
    one = [f"component {j} sits at the variance floor: its 30 rows hardly vary in some direction, compared with all rows" for j in range(1, 6)]
    many = [f"{classes} of {classes} components sit at the variance floor (1, 2, 3, 4, 5, ...): their rows hardly vary in some direction, "
            "compared with all rows"]
    assert [w for w in result["warnings"] if "floor" in w] == (one if classes == 5 else many)
    assert scant("show", tmp_path / "m.json", "--json").json()["warnings"] == result["warnings"]
