"""scant med as a user sees it: files, numbers, comparisons with scikit-learn, and what goes wrong."""
import csv
import json
import os
import pathlib
import re
import shutil

import numpy as np
import pytest

from conftest import EXAMPLES, ROOT

CRABS, IRIS = EXAMPLES / "crabs.csv", ROOT / "tests" / "data" / "iris.csv"
MEASURED = ["--features", "FL,RW,CL,CW,BD"]


def table(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


@pytest.fixture(scope="module")
def iris(tmp_path_factory):
    """Two classes that a line parts."""
    path = tmp_path_factory.mktemp("iris") / "iris.csv"
    path.write_text("\n".join(IRIS.read_text().splitlines()[:101]) + "\n")
    return path


def numbers(path):
    with open(path) as file:
        rows = list(csv.reader(file))[1:]
    x = np.array([[float(v) for v in row[:-1]] for row in rows])
    return (x - x.mean(axis=0)) / x.std(axis=0), np.array([row[-1] for row in rows])


def fitted(scant, path, *options, out=None):
    result = scant("med", path, "--json", "-q", *options, *(["-o", out] if out else []))
    return json.loads(result.out)


@pytest.mark.parametrize("c, J, b", [(10, 0.499748683, -0.217366), (100, 0.606689196, -0.240680)])
def test_iris(scant, iris, c, J, b):
    found = fitted(scant, iris, "--label", "species", "--positive", "setosa", "--c", c)
    assert found["objective"] == pytest.approx(J, rel=1e-6)
    assert found["bias"] == pytest.approx(b, abs=2e-5)
    assert found["positive"] == "setosa" and found["task"] == "classify" and found["errors_train"] == 0
    assert -1e-12 <= found["gap"] <= 1e-6


@pytest.mark.parametrize("options, J", [
    (["--c", 2], 10.2752532), (["--c", 10], 149.6815462), (["--c", 100], 1305.1366368),
    (["--c", 10, "--bias-prior", "gaussian"], 149.7308166),
    (["--c", 10, "--kernel", "rbf", "--gamma", 0.1], 241.5050584)])
def test_crabs(scant, options, J):
    found = fitted(scant, CRABS, "--label", "sex", "--positive", "M", *MEASURED, *options)
    assert found["objective"] == pytest.approx(J, rel=1.1e-6)
    assert found["gap"] <= 1e-6 * J


def test_parts_of_the_divergence_and_bounds(scant):
    """J is the divergence from the prior; the weights' part is |w|^2 / 2 without switches."""
    found = fitted(scant, CRABS, "--label", "sex", *MEASURED, "--c", 3, "--bias-prior", "gaussian", "--tol", 1e-10)
    parts = [found[f"divergence_{part}"] for part in ("weights", "bias", "margins")]
    assert sum(parts) == pytest.approx(found["objective"], rel=1e-9) and parts[1] == pytest.approx(found["bias"] ** 2 / 2, rel=1e-6)
    assert found["vc_dimension"] == 6 and found["errors_train"] / 200 < found["vc_bound"] and found["pac_score"] > 0
    kernel = fitted(scant, CRABS, "--label", "sex", *MEASURED, "--c", 3, "--kernel", "rbf")
    assert kernel["vc_dimension"] > 6
    target = fitted(scant, CRABS, "--target", "BD", *MEASURED, "--c", 3)
    assert target["divergence_margins"] > 0 and "vc_bound" not in target


def test_large_c_is_libsvm(scant, iris, tmp_path):
    """Without slack the machine is the one of the largest margin."""
    svm = pytest.importorskip("sklearn.svm")
    x, y = numbers(iris)
    machine = svm.SVC(C=1e6, kernel="linear", tol=1e-10).fit(x, y == "setosa")
    model = tmp_path / "m.json"
    found = fitted(scant, iris, "--label", "species", "--positive", "setosa", "--c", 1e6, "--tol", 1e-10, "--folds", 0, out=model)
    shown = json.loads(scant("show", model, "--json").out)["discrimination"]
    assert shown["weights"][0] == pytest.approx(machine.coef_[0], abs=1e-5)
    assert found["bias"] == pytest.approx(machine.intercept_[0], abs=1e-5)


def test_small_c_learns_nothing_and_says_why(scant, iris):
    found = fitted(scant, iris, "--label", "species", "--c", 1)
    assert found["support"] == 0 and found["objective"] == 0
    assert any("nothing was learned" in said and "--c above 1" in said for said in found["warnings"])


def test_prediction_is_the_sign(scant, tmp_path):
    """Probabilities name the class that the discriminant names, whatever their slope; the model file says it all."""
    model, out = tmp_path / "m.json", tmp_path / "p.csv"
    found = fitted(scant, CRABS, "--label", "sex", "--positive", "M", *MEASURED, "--c", 10, out=model)
    assert scant("predict", model, CRABS, "-o", out, "-q").code == 0
    predicted = [row["label"] for row in csv.DictReader(open(out))]
    truth = [row["sex"] for row in csv.DictReader(open(CRABS))]
    assert sum(a != b for a, b in zip(predicted, truth)) == found["errors_train"]
    measured = json.loads(scant("evaluate", model, CRABS, "--label", "sex", "--json").out)
    assert measured["accuracy"] == pytest.approx(1 - found["errors_train"] / 200)
    assert found["held_out_accuracy"] > 0.9 and found["held_out_log_loss"] < 0.2


def test_settings_are_chosen(scant, tmp_path):
    """Without --c the search does well; with it nothing is searched."""
    chosen = fitted(scant, CRABS, "--label", "sex", *MEASURED, "--kernel", "rbf")
    given = fitted(scant, CRABS, "--label", "sex", *MEASURED, "--kernel", "rbf", "--c", 3)
    assert given["weight_variance"] == 1 and given["gamma"] == pytest.approx(0.2)
    assert chosen["held_out_log_loss"] < given["held_out_log_loss"]


def test_threads_change_nothing(scant, tmp_path):
    files = [tmp_path / f"{n}.json" for n in (1, 3)]
    for n, file in zip((1, 3), files):
        assert scant("med", CRABS, "--label", "sex", *MEASURED, "--kernel", "rbf", "-q", "--threads", n, "-o", file).code == 0
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("how", ["rest", "joint", "codes"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_three_classes(scant, tmp_path, how, kernel):
    model = tmp_path / "m.json"
    found = fitted(scant, IRIS, "--label", "species", "--c", 10, "--multiclass", how, "--kernel", kernel, out=model)
    assert found["errors_train"] <= 9 and found["problems"] == (1 if how == "joint" else 3)
    measured = json.loads(scant("evaluate", model, IRIS, "--label", "species", "--json").out)
    assert measured["accuracy"] == pytest.approx(1 - found["errors_train"] / 150)


def test_switches_find_the_columns_that_matter(scant, tmp_path):
    random = np.random.default_rng(3)
    x = random.normal(size=(300, 12))
    y = np.where(2 * x[:, 2] - x[:, 7] + 0.3 * random.normal(size=300) > 0, "a", "b")
    path = table(tmp_path / "d.csv", [f"v{i}" for i in range(12)] + ["y"], [[*row, label] for row, label in zip(x, y)])
    model = tmp_path / "m.json"
    fitted(scant, path, "--label", "y", "--c", 3, "--select", 0.01, "--folds", 0, out=model)
    shown = json.loads(scant("show", model, "--json").out)["discrimination"]
    weights = np.abs(shown["weights"][0])
    assert set(np.argsort(-weights)[:2]) == {2, 7}
    assert np.delete(weights, [2, 7]).max() < 0.1 * weights.max()


def test_path_over_rho(scant, tmp_path):
    """Each entry is what a fit with that rho alone finds; report and plot show it."""
    model, again, page = tmp_path / "m.json", tmp_path / "again.json", tmp_path / "r.html"
    fitted(scant, CRABS, "--label", "sex", *MEASURED, "--c", 3, "--path", out=model)
    path = json.loads(scant("show", model, "--json").out)["discrimination"]["path"]
    assert [entry["select"] for entry in path] == sorted((entry["select"] for entry in path), reverse=True) and path[0]["select"] == 1
    assert all(entry["held_out"] > 0.9 for entry in path)
    alone = fitted(scant, CRABS, "--label", "sex", *MEASURED, "--c", 3, "--select", 0.01, out=again)
    same = next(entry for entry in path if entry["select"] == 0.01)
    shown = json.loads(scant("show", again, "--json").out)["discrimination"]
    assert same["objective"] == alone["objective"] and same["held_out"] == alone["held_out_accuracy"]
    assert same["weights"] == shown["weights"] and same["switches"] == shown["switches"]
    told = json.loads(scant("report", model, CRABS, "--label", "sex", "-o", page, "--json").out)
    assert "switches" in told["sections"] and page.read_text().count("1e-05") > 0
    if shutil.which("gnuplot"):
        assert {"path", "cumulative", "roc"} <= set(told["pictures"])
        area = float(re.search(r"area ([0-9.]+)", page.read_text()).group(1).rstrip("."))
        assert 0.98 < area <= 1
    result = scant("plot", "path", again, "-o", tmp_path / "p.svg", ok=3)
    assert "--path" in result.err
    assert "linear" in scant("med", CRABS, "--label", "sex", *MEASURED, "--c", 3, "--path", "--kernel", "rbf", ok=2).err


@pytest.mark.parametrize("how, columns, names", [("products", 4 + 10, ["FL*FL", "FL*RW", "CW*CW"]), ("powers", 4 * 3, ["FL^2", "CW^3"])])
def test_expansion(scant, tmp_path, how, columns, names):
    """Columns that are added by hand give the same model."""
    rows = list(csv.DictReader(open(CRABS)))
    x = np.array([[float(row[c]) for c in ("FL", "RW", "CL", "CW")] for row in rows])
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    i, j = np.triu_indices(4)
    wide = np.hstack([z, z[:, i] * z[:, j]] if how == "products" else [z, z ** 2, z ** 3])
    path = table(tmp_path / "d.csv", [f"w{k}" for k in range(columns)] + ["sex"], [[*map(repr, map(float, line)), row["sex"]] for line, row in zip(wide, rows)])
    by_hand = fitted(scant, path, "--label", "sex", "--c", 5, "--select", 0.1, "--folds", 0)
    model, out = tmp_path / "m.json", tmp_path / "p.csv"
    found = fitted(scant, CRABS, "--label", "sex", "--features", "FL,RW,CL,CW", "--c", 5, "--select", 0.1, "--folds", 0, "--expand", how, out=model)
    assert found["objective"] == pytest.approx(by_hand["objective"], rel=1e-9)
    shown = json.loads(scant("show", model, "--json").out)["discrimination"]
    assert len(shown["inputs"]) == columns and set(names) <= set(shown["inputs"])
    assert scant("predict", model, CRABS, "-o", out, "-q").code == 0
    assert sum(row["label"] != truth["sex"] for row, truth in zip(csv.DictReader(open(out)), rows)) == found["errors_train"]


def test_letters_of_dna(scant, tmp_path):
    """Ambiguous letters are fractions of bases, also where the model is read again."""
    path = table(tmp_path / "d.csv", ["p", "q", "y"], [["A", "n", "u"], ["C", "G", "v"], ["R", "T", "u"], ["T", "C", "v"]] * 5)
    model = tmp_path / "m.json"
    found = fitted(scant, path, "--label", "y", "--c", 5, "--dna", "--no-standardize", "--folds", 0, out=model)
    shown = json.loads(scant("show", model, "--json").out)["discrimination"]
    assert shown["inputs"] == [f"{c}={base}" for c in "pq" for base in "ACGT"]
    code = {"A": [1, 0, 0, 0], "C": [0, 1, 0, 0], "G": [0, 0, 1, 0], "T": [0, 0, 0, 1], "R": [.5, 0, .5, 0], "n": [.25] * 4}
    rows = [[*code[a], *code[b], y] for a, b, y in [("A", "n", "u"), ("C", "G", "v"), ("R", "T", "u"), ("T", "C", "v")] * 5]
    by_hand = fitted(scant, table(tmp_path / "n.csv", [f"i{k}" for k in range(8)] + ["y"], rows), "--label", "y", "--c", 5, "--no-standardize", "--folds", 0)
    assert found["objective"] == pytest.approx(by_hand["objective"], rel=1e-9)
    measured = json.loads(scant("evaluate", model, path, "--label", "y", "--json").out)
    assert measured["accuracy"] == 1


def test_exact_optima_of_tables_that_are_not_here(scant, tmp_path):
    """Boston with products, and splice junctions as fractions: known to nine digits from another solver."""
    shared = pathlib.Path(os.environ.get("SCANT_SHARED_DATA", ROOT.parent / "shared" / "data"))
    boston, splice = shared / "boston" / "boston.csv", shared / "dna_splice" / "splice_raw60.csv"
    if not boston.exists() or not splice.exists():
        pytest.skip("no shared data")
    found = fitted(scant, boston, "--target", "medv", "--c", 5, "--eps", 0.2, "--bias-prior", "gaussian", "--expand", "products",
                   "--select", 0.01, "--folds", 0)
    assert found["objective"] == pytest.approx(982.720444, rel=1e-6)
    head, *lines = splice.read_text().splitlines()
    chosen = [line for name in ("EI", "IE") for line in [line for line in lines if line.endswith("," + name)][:100]]
    (tmp_path / "s.csv").write_text("\n".join([head, *chosen]) + "\n")
    found = fitted(scant, tmp_path / "s.csv", "--label", "Class", "--positive", "EI", "--dna", "--no-standardize", "--c", 1.5, "--select", 0.01, "--folds", 0)
    assert found["objective"] == pytest.approx(3.0501037, rel=1e-6)


def test_regression(scant, tmp_path):
    """The target may be missing in new rows; evaluate measures what predict says."""
    model, out, new = tmp_path / "m.json", tmp_path / "p.csv", tmp_path / "new.csv"
    found = fitted(scant, CRABS, "--target", "BD", *MEASURED, "--c", 5, out=model)
    assert found["task"] == "regress" and found["margin_prior"] == "tube"
    rows = list(csv.DictReader(open(CRABS)))
    table(new, ["FL", "RW", "CL", "CW"], [[row[c] for c in ("FL", "RW", "CL", "CW")] for row in rows])
    assert scant("predict", model, new, "-o", out, "-q").code == 0
    predicted = np.array([float(row["prediction"]) for row in csv.DictReader(open(out))])
    truth = np.array([float(row["BD"]) for row in rows])
    mse = np.mean((predicted - truth) ** 2)
    assert mse < 0.03 * truth.var()
    measured = json.loads(scant("evaluate", model, CRABS, "--json").out)
    assert measured["mse"] == pytest.approx(mse, rel=1e-5)
    assert found["held_out_mse"] == pytest.approx(mse, rel=0.3)
    same = fitted(scant, CRABS, "--task", "regress", "--label", "BD", *MEASURED, "--c", 5)
    assert same["objective"] == found["objective"]


def test_rows_without_a_target(scant, tmp_path):
    """Labels inside, rows outside: a high polynomial stays in bounds where rows without a target say where it will be asked."""
    random = np.random.default_rng(6)
    x = np.sort(random.uniform(0, 2, 120))
    y = np.sin(5 * x) + 0.1 * random.normal(size=120)
    path = table(tmp_path / "d.csv", ["x", "y"], [[repr(float(a)), repr(float(b)) if a < 1.2 else ""] for a, b in zip(x, y)])
    model, out, worst = tmp_path / "m.json", tmp_path / "p.csv", {}
    for how in ("none", "gaussian"):
        found = fitted(scant, path, "--target", "y", "--kernel", "poly", "--degree", 8, "--gamma", 1, "--c", 10, "--eps", 0.1,
                       "--bias-prior", "gaussian", "--transduce", how, "--tol", 1e-4, out=model)
        assert found["labeled"] == int((x < 1.2).sum()) and np.isfinite(found["held_out_mse"])
        assert scant("predict", model, path, "-o", out, "-q").code == 0
        predicted = np.array([float(row["prediction"]) for row in csv.DictReader(open(out))])
        assert np.mean((predicted - y)[x < 1.2] ** 2) < 0.05
        worst[how] = np.abs(predicted[x >= 1.2]).max()
    assert worst["gaussian"] < 4 < worst["none"]
    result = scant("med", path, "--target", "y", "--c", 3, "--transduce", "mean-field", ok=2)
    assert "gaussian" in result.err


def test_precomputed_is_the_kernel(scant, tmp_path):
    rows = list(csv.DictReader(open(CRABS)))
    x = np.array([[float(row[c]) for c in ("FL", "RW", "CL", "CW", "BD")] for row in rows])
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    k = np.exp(-0.1 * ((x[:, None] - x) ** 2).sum(axis=2))
    path = table(tmp_path / "k.csv", [f"k{i}" for i in range(200)] + ["sex"], [[*map(repr, map(float, line)), row["sex"]] for line, row in zip(k, rows)])
    model = tmp_path / "m.json"
    found = fitted(scant, path, "--label", "sex", "--positive", "M", "--kernel", "precomputed", "--c", 10, out=model)
    assert found["objective"] == pytest.approx(241.5050584, rel=1.1e-6)
    measured = json.loads(scant("evaluate", model, path, "--label", "sex", "--json").out)
    assert measured["accuracy"] == pytest.approx(1 - found["errors_train"] / 200)
    k[3, 5] += 0.5
    table(path, [f"k{i}" for i in range(200)] + ["sex"], [[*line, row["sex"]] for line, row in zip(k, rows)])
    result = scant("med", path, "--label", "sex", "--kernel", "precomputed", "--c", 10, ok=3)
    assert "not symmetric" in result.err
    k = np.ones((2, 2)) + np.eye(2)[::-1]
    table(path, ["a", "b", "sex"], [[*k[0], "M"], [*k[1], "F"]])
    result = scant("med", path, "--label", "sex", "--kernel", "precomputed", "--c", 10, ok=3)
    assert "not positive" in result.err


def test_transduce_without_a_value(scant, tmp_path):
    lines = pathlib.Path(CRABS).read_text().splitlines()
    data = tmp_path / "d.csv"
    data.write_text("\n".join([lines[0]] + [line if i % 10 == 0 else re.sub(",[FM],", ",,", line) for i, line in enumerate(lines[1:])]) + "\n")
    found = [fitted(scant, data, "--label", "sex", *MEASURED, "--c", 3, *how)["objective"]
             for how in (["--transduce"], ["--transduce", "mean-field"], ["--transduce", "gaussian"])]
    assert found[0] == found[1] != found[2]


def test_cross_validation_trains_as_the_model_was(scant, tmp_path):
    """Each fold is what med makes of the others with the options of the model, searched ones searched again."""
    lines = pathlib.Path(CRABS).read_text().splitlines()
    header, rows = lines[0] + ",g", [f"{line},{i % 4}" for i, line in enumerate(lines[1:])]
    whole, inside, outside, model = (tmp_path / name for name in ("d.csv", "in.csv", "out.csv", "m.json"))
    whole.write_text("\n".join([header, *rows]) + "\n")
    grouped = ["--group", "g", "--folds", 3]
    for asked in (["--label", "sex", *MEASURED, "--c", 3, "--weight-variance", 0.5, "--positive", "F", "--bias-prior", "gaussian"],
                  ["--label", "sex", *MEASURED], ["--target", "BD", "--features", "FL,RW,CL", "--c", 5, "--eps", 0.1, "--kernel", "rbf"]):
        fitted(scant, whole, *asked, *grouped, out=model)
        label = asked[:2] if asked[0] == "--label" else []
        told = json.loads(scant("cv", model, whole, *label, "--group", "g", "--folds", 4, "--json").out)
        key, by_hand = "log_loss" if label else "mse", []
        for g in range(4):
            inside.write_text("\n".join([header, *(row for row in rows if not row.endswith(str(g)))]) + "\n")
            outside.write_text("\n".join([header, *(row for row in rows if row.endswith(str(g)))]) + "\n")
            fitted(scant, inside, *asked, *grouped, out=model)
            by_hand.append(json.loads(scant("evaluate", model, outside, *label, "--json").out)[key])
        assert sorted(fold[key] for fold in told["folds"]) == pytest.approx(sorted(by_hand), rel=1e-9)


def test_target_may_be_called_label(scant, tmp_path):
    measured = ["--features", "FL,RW,CL,CW"]
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    fitted(scant, CRABS, "--target", "BD", "--features", "FL,RW,CL,CW,BD", "--c", 5, out=one)
    fitted(scant, CRABS, "--label", "BD", "--task", "regress", *measured, "--c", 5, out=other)
    assert one.read_bytes() == other.read_bytes()
    mse = [json.loads(scant("evaluate", one, CRABS, *how, "--json").out)["mse"] for how in ([], ["--label", "BD"], ["--target", "BD"])]
    assert mse[0] == mse[1] == mse[2] > 0
    scant("fit", CRABS, "--target", "BD", *measured, "--family", "regression", "-o", tmp_path / "fit.json")


def test_sparse_rows_are_dense_rows(scant, tmp_path):
    random = np.random.default_rng(5)
    x = random.normal(size=(80, 6)) * (random.uniform(size=(80, 6)) < 0.5)
    y = np.where(x[:, 0] + x[:, 1] > 0, 1, 2)
    dense = table(tmp_path / "d.csv", [f"x{i + 1}" for i in range(6)] + ["y"], [[*map(repr, map(float, row)), c] for row, c in zip(x, y)])
    sparse = tmp_path / "d.svmlight"
    sparse.write_text("".join(f"{c} " + " ".join(f"{i + 1}:{float(v)!r}" for i, v in enumerate(row) if v) + "\n" for row, c in zip(x, y)))
    for kernel in (["--kernel", "linear"], ["--kernel", "rbf", "--gamma", "0.3"], ["--bias-prior", "gaussian", "--solver", "axis"]):
        one = fitted(scant, dense, "--label", "y", "--c", 5, "--no-standardize", *kernel)
        other = fitted(scant, sparse, "--label", "label", "--c", 5, *kernel)
        assert other["objective"] == pytest.approx(one["objective"], rel=1e-6)
        assert other["held_out_log_loss"] == pytest.approx(one["held_out_log_loss"], rel=1e-3)


@pytest.mark.parametrize("options, code, words", [
    (["--c", 0], 2, "--c 0: must be above 0"), (["--c", -1], 2, "--c"), (["--c", 2, "--weight-variance", 0], 2, "above 0"),
    (["--c", 2, "--positive", "X"], 2, "no class 'X'"), (["--c", 2, "--select", 0.1, "--kernel", "rbf"], 2, "linear"),
    (["--c", 2, "--kernel", "rbf", "--solver", "axis"], 2, "flat"), (["--c", 2, "--margin-prior", "fixed"], 3, "margin 1 at every row"),
    (["--task", "regress", "--eps", -1], 2, "eps"), (["--c", 2, "--expand", "powers", "--kernel", "precomputed"], 2, "--expand")])
def test_bad_options(scant, options, code, words):
    result = scant("med", CRABS, "--label", "sex", *MEASURED, *options, ok=code)
    assert words in result.err


HOSTILE = {
    "one class only": ([[1, "a"], [2, "a"], [3, "a"]], 3, "one class"),
    "constant columns": ([[1, "a"], [1, "b"], [1, "a"], [1, "b"]], 0, None),
    "duplicates with opposite labels": ([[1, "a"], [1, "b"], [2, "a"], [2, "b"]] * 5, 0, None),
    "missing cells": ([[1, "a"], ["", "b"], [2, "a"], [5, "b"]] * 3, 0, "missing cells"),
    "infinite cells": ([[1, "a"], ["inf", "b"], [2, "a"], [5, "b"]], 3, "not finite"),
    "tiny": ([[1e-300, "a"], [2e-300, "b"], [1.1e-300, "a"], [2.2e-300, "b"]] * 3, 0, None),
    "huge": ([[1e300, "a"], [-1e300, "b"], [1.1e300, "a"], [-1.2e300, "b"]] * 3, 0, None),
    "partial labels": ([[1, "a"], [2, "a|b"], [3, "b"]], 3, "--transduce mean-field learns from them"),
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_hostile_rows(scant, tmp_path, name, kernel):
    rows, code, words = HOSTILE[name]
    path, model = table(tmp_path / "d.csv", ["x", "y"], rows), tmp_path / "m.json"
    result = scant("med", path, "--label", "y", "--features", "x", "--c", 5, "--kernel", kernel, "--json", "-o", model, ok=code)
    if code:
        assert words in result.err
        return
    found = json.loads(result.out)
    assert np.isfinite(found["objective"]) and found["gap"] <= 1e-6 * max(1, abs(found["objective"]))
    if words:
        assert any(words in said for said in found["warnings"])
    out = tmp_path / "p.csv"
    assert scant("predict", model, path, "-o", out, "-q").code == 0
    for row in csv.DictReader(open(out)):
        assert float(row["p_a"]) + float(row["p_b"]) == pytest.approx(1, abs=1e-5)


def test_huge_cells_in_their_own_units(scant, tmp_path):
    path = table(tmp_path / "d.csv", ["x", "y"], HOSTILE["huge"][0])
    result = scant("med", path, "--label", "y", "--features", "x", "--c", 5, "--no-standardize", ok=3)
    assert "standardize" in result.err


def test_a_cut_fit_has_its_gap(scant, tmp_path):
    random = np.random.default_rng(1)
    x = random.normal(size=(600, 3))
    y = np.where(random.uniform(size=600) < 0.5, "a", "b")
    path = table(tmp_path / "d.csv", ["u", "v", "w", "y"], [[*row, label] for row, label in zip(x, y)])
    model = tmp_path / "m.json"
    result = scant("med", path, "--label", "y", "--kernel", "rbf", "--gamma", 30, "--c", 1000, "--max-iter", 1, "--tol", 1e-10,
                   "--folds", 0, "--json", "-o", model, ok=4)
    assert model.exists()
    found = json.loads(result.out)
    assert found["stop"] == "iterations" and found["gap"] > 1e-10 * abs(found["objective"])
    best = fitted(scant, path, "--label", "y", "--kernel", "rbf", "--gamma", 30, "--c", 1000, "--folds", 0, "--tol", 1e-4)
    assert found["objective"] <= best["objective"] + best["gap"] <= found["objective"] + found["gap"] + best["gap"]
