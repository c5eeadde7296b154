"""select, predict, evaluate, cv, show, simulate, convert and check, as users meet them."""
import contextlib
import csv
import io
import os
import pathlib
import time

import numpy as np
import pytest

import models
from conftest import interrupt, start_program, write_csv

FEATURES = "FL,RW,CL,CW,BD"


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def sexes(scant, crabs, tmp_path):
    path = tmp_path / "crabs.json"
    scant("fit", crabs, "--label", "sex", "--features", FEATURES, "-q", "-o", path)
    return path


@pytest.fixture
def geyser(scant, faithful, tmp_path):
    path = tmp_path / "faithful.json"
    scant("fit", faithful, "-k", 2, "-q", "-o", path)
    return path


# --- predict ---


def density(X, mean, covariance):
    d = X - mean
    quadratic = np.einsum("ij,jk,ik->i", d, np.linalg.inv(covariance), d)
    return -0.5 * (quadratic + np.linalg.slogdet(2 * np.pi * covariance)[1])


def test_predictions_follow_from_the_model_file(scant, crabs, sexes):
    predicted = rows_of(scant("predict", sexes, crabs, "--digits", 17).out)
    assert list(predicted[0]) == ["label", "p_F", "p_M", "support", "loglik"]
    X = np.array([[float(r[c]) for c in FEATURES.split(",")] for r in rows_of(crabs.read_text())])
    model = models.load(sexes)
    _, means, covariances = models.gaussian(model)
    coupling = np.array(model["coupling"])
    joint = np.stack([density(X, m, c) for m, c in zip(means, covariances)], axis=1)
    each = np.exp(joint) @ coupling
    np.testing.assert_allclose([float(r["loglik"]) for r in predicted], np.log(each.sum(axis=1)),
                               rtol=1e-9)
    np.testing.assert_allclose([[float(r["p_F"]), float(r["p_M"])] for r in predicted],
                               each / each.sum(axis=1, keepdims=True), atol=1e-9)
    for r in predicted:
        assert r["label"] == ("F" if float(r["p_F"]) >= float(r["p_M"]) else "M")
        assert 0 <= float(r["support"]) <= 1


def test_support_is_whole_where_every_component_saw_labels(scant, crabs, tmp_path):
    """Exactly: rows with a support below 1 are looked for by that."""
    scant("fit", crabs, "--label", "sp", "--ignore", "sex,index", "-k", "3/class", "-q", "-o", tmp_path / "m.json", ok=(0, 4))
    assert {r["support"] for r in rows_of(scant("predict", tmp_path / "m.json", crabs).out)} == {"1"}


def test_components_of_a_plain_mixture(scant, faithful, geyser):
    predicted = rows_of(scant("predict", geyser, faithful).out)
    assert list(predicted[0]) == ["component", "p_1", "p_2", "loglik"]
    assert {r["component"] for r in predicted} == {"1", "2"}
    for r in predicted:
        assert float(r["p_1"]) + float(r["p_2"]) == pytest.approx(1)
    total = sum(float(r["loglik"]) for r in predicted)
    assert total == pytest.approx(models.load(geyser)["training"]["loglik"], rel=1e-10)


def test_prior_reject_id_and_components(scant, crabs, sexes):
    plain = rows_of(scant("predict", sexes, crabs, "--digits", 17).out)
    result = scant("predict", sexes, crabs, "--digits", 17, "--prior", "F=0.999,M=0.001", "--id", "index",
                   "--components", "--reject", 0.9)
    told = rows_of(result.out)
    assert list(told[0])[:2] == ["index", "label"]
    assert list(told[0])[-2:] == ["component_1", "component_2"]
    assert told[0]["index"] == "1"
    for before, after in zip(plain, told):
        odds = float(before["p_F"]) * 0.999 / 0.5, float(before["p_M"]) * 0.001 / 0.5
        assert float(after["p_F"]) == pytest.approx(odds[0] / sum(odds), abs=1e-6)
        best = max(float(after["p_F"]), float(after["p_M"]))
        assert (after["label"] == "") == (best < 0.9)
    assert scant("predict", sexes, crabs, "--digits", 17, "--prior", "0.001", "--id", "index", "--components",
                 "--reject", 0.9).out == result.out


@pytest.mark.parametrize("prior,message", [("F=0.5,M=0.6", "1.1"), ("F=1", "'M'"), ("F=0.5,X=0.5", "'X'"),
                                           ("half", "half"), ("F=0.5,F=0.5", "twice"), ("1.5", "1.5")])
def test_bad_priors(scant, crabs, sexes, prior, message):
    result = scant("predict", sexes, crabs, "--prior", prior, ok=2)
    assert "--prior" in result.err and message in result.err


def test_ids_are_read_back_as_they_were(scant, sexes, tmp_path):
    names = [" a ", "b;c", "d|e", "f\tg", 'h"i', "j,k", "plain"]
    text = "name,FL,RW,CL,CW,BD\n" + "".join('"%s",8,7,16,19,7\n' % n.replace('"', '""') for n in names)
    (tmp_path / "d.csv").write_text(text)
    scant("predict", sexes, tmp_path / "d.csv", "--id", "name", "-o", tmp_path / "p.csv", "-q")
    back = scant("convert", tmp_path / "p.csv", "-", "--id", "name", "--ignore", "label").out
    assert [r["name"] for r in rows_of(back)] == names


def test_prediction_file_and_summary(scant, crabs, sexes, tmp_path):
    out = tmp_path / "out.csv"
    summary = scant("predict", sexes, crabs, "-o", out, "--json").json()
    assert out.read_text() == scant("predict", sexes, crabs).out
    assert summary["rows"] == 200 and sum(summary["counts"].values()) == 200
    result = scant("predict", sexes, crabs, "-o", tmp_path / "no" / "out.csv", ok=1)
    assert "out.csv" in result.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["crabs.json", "out.csv"]


@pytest.mark.parametrize("id,column", [("label", "label_"), ("p_F", "p_F_"), ("component_1", "component_1_"),
                                       ("name", "name")])
def test_names_of_answers_are_all_different(scant, crabs, sexes, tmp_path, id, column):
    data, out = tmp_path / "named.csv", tmp_path / "out.csv"
    data.write_text(crabs.read_text().replace("index", id, 1))
    scant("predict", sexes, data, "--id", id, "--components", "-o", out)
    header = out.read_text().splitlines()[0].split(",")
    assert header[:4] == [column, "label", "p_F", "p_M"] and len(set(header)) == len(header)
    scant("check", out, "--label", "label", "--id", column)


@pytest.mark.parametrize("line", [
    "fit {crabs} --label sex --ignore sp -o no/m.json",
    "fit {crabs} --label sex --ignore sp --checkpoint no/c",
    "select {crabs} --label sex --ignore sp -o no/m.json",
    "blind {faithful} --prior 0.3 -o no/m.json",
    "factor {purchases} --rank 2 -o no/there",
    "factor {purchases} --rank 2 -o no/there/",
    "plan {sexes} {crabs} --label sex --budget 3 -o no/rows.csv",
    "report {sexes} {crabs} -o no/report.html",
    "stream {sexes} {crabs} --save no/state",
])
def test_folders_are_looked_for_before_the_work(scant, crabs, faithful, sexes, tmp_path, line):
    names = {"crabs": crabs, "faithful": faithful, "sexes": sexes, "purchases": crabs.parent / "purchases.tns"}
    result = scant(*line.format(**names).split(), ok=1, cwd=tmp_path)
    assert "cannot create: No such file" in result.err
    assert result.out == "" and "seed" not in result.err
    assert not (tmp_path / "no").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_what_cannot_be_written_is_printed_all_the_same(scant, faithful):
    for line in (["fit", faithful, "-k", 2], ["blind", faithful, "--prior", 0.36]):
        assert "iterations" in scant(*line, "-o", "/dev/full", ok=1).out
        told = scant(*line, "-o", "/dev/full", "--json", ok=1).json()
        assert told["rows"] == 272 and "model" not in told


def test_regression_predicts_a_target(scant, tmp_path):
    rng = np.random.default_rng(4)
    x = rng.uniform(-2, 2, 300)
    y = np.where(np.arange(300) % 2, 3 + 2 * x, -3 - x) + 0.1 * rng.normal(size=300)
    data = write_csv(tmp_path / "lines.csv", ["x", "y"], np.column_stack([x, y]))
    model = tmp_path / "lines.json"
    scant("fit", data, "--family", "regression", "--target", "y", "-k", 2, "-q", "-o", model)
    predicted = rows_of(scant("predict", model, data).out)
    np.testing.assert_allclose([float(r["prediction"]) for r in predicted], 0.5 * x, atol=0.5)
    measured = scant("evaluate", model, data, "--target", "y", "--json").json()
    assert measured["mse"] > 0 and measured["rows"] == 300
    scant("evaluate", model, data, "--target", "x", ok=2)


# --- evaluate and cv ---


def test_evaluation_follows_from_the_predictions(scant, crabs, sexes):
    measured = scant("evaluate", sexes, crabs, "--label", "sex", "--json").json()
    predicted = rows_of(scant("predict", sexes, crabs).out)
    truth = [r["sex"] for r in rows_of(crabs.read_text())]
    right = [p["label"] == t for p, t in zip(predicted, truth)]
    p = np.array([float(r[f"p_{t}"]) for r, t in zip(predicted, truth)])
    assert measured["rows"] == 200 and measured["classes"] == ["F", "M"]
    assert measured["accuracy"] == pytest.approx(np.mean(right))
    by_class = [np.mean([r for r, t in zip(right, truth) if t == c]) for c in "FM"]
    assert measured["balanced_accuracy"] == pytest.approx(np.mean(by_class))
    assert measured["log_loss"] == pytest.approx(-np.mean(np.log(p)))
    assert measured["brier"] == pytest.approx(np.mean(2 * (1 - p)**2))
    confusion = np.array(measured["confusion"])
    assert confusion.sum() == 200 and np.trace(confusion) == sum(right)
    assert 0 <= measured["ece"] <= 1


def test_evaluate_wants_something_to_compare(scant, crabs, sexes, tmp_path):
    rows = [[i / 10, 2 * i / 10 + i % 3, "ab"[i % 2]] for i in range(60)]
    data = write_csv(tmp_path / "lines.csv", ["x", "y", "class"], rows)
    plain, classes = tmp_path / "plain.json", tmp_path / "classes.json"
    fit = ["fit", data, "--family", "regression", "--target", "y", "-q"]
    scant(*fit, "--ignore", "class", "-o", plain)
    scant(*fit, "--label", "class", "-o", classes)
    assert scant("evaluate", classes, data, "--json").json()["rows"] == 60
    absent = write_csv(tmp_path / "absent.csv", ["x", "class"], [[x, k] for x, _, k in rows])
    empty = write_csv(tmp_path / "empty.csv", ["x", "y", "class"], [[x, None, None] for x, _, _ in rows])
    for model in (plain, classes):
        assert "there is no column 'y'" in scant("evaluate", model, absent, ok=3).err
        assert "target column y: no row has a value" in scant("evaluate", model, empty, ok=3).err
    result = scant("evaluate", classes, empty, "--label", "class", ok=3)
    assert "label column class: no row has an exact label" in result.err and result.out == ""
    assert scant("evaluate", classes, absent, "--label", "class", "--json").json()["rows"] == 60


def test_evaluate_wants_labels(scant, crabs, sexes, faithful, geyser):
    assert "--label" in scant("evaluate", sexes, crabs, ok=2).err
    assert "classes" in scant("evaluate", geyser, faithful, "--label", "waiting", ok=2).err


def test_labels_of_weight_0_are_not_looked_at(scant, tmp_path):
    rows = ["1,0,1", "2,1,1", "3,0,1", "2.4,-1,1", "1.4,1,1", "1.5,1,1"]
    (tmp_path / "plain.csv").write_text("\n".join(["a,y,w", *rows, ""]))
    how = ("--label", "y", "--weight", "w")
    scant("fit", tmp_path / "plain.csv", *how, "-k", "1/class", "-o", tmp_path / "m.json", "-q", ok=(0, 4))
    expected = scant("evaluate", tmp_path / "m.json", tmp_path / "plain.csv", *how).out
    for label in ("foo", "0|", "0:0.5;1:0.9", "12:30", "0|NA", "0|1"):  # -1 is unknown beside each of them
        (tmp_path / "d.csv").write_text("\n".join(["a,y,w", *rows, f"1,{label},0", ""]))
        scant("fit", tmp_path / "d.csv", *how, "-k", "1/class", "-o", tmp_path / "d.json", "-q", ok=(0, 4))
        assert scant("evaluate", tmp_path / "d.json", tmp_path / "d.csv", *how).out == expected


def test_evaluate_leaves_rows_of_weight_0_out(scant, tmp_path):
    rows = [[x, y, "ab"[x > 2], w] for x, y, w in [(1, 2, 1), (2, 5, 2), (3, 6, 1), (4, 9, 1), (1.5, 2.5, 1), (3.5, 7.5, 1), (9, 1, 0)]]
    data = write_csv(tmp_path / "w.csv", ["x", "y", "c", "w"], rows)
    for how in (("--label", "c"), ("--features", "x,y", "--family", "regression", "--target", "y")):
        scant("fit", data, *how, "--weight", "w", "-o", tmp_path / "m.json", "-q", ok=(0, 4))
        words = ("evaluate", tmp_path / "m.json", data, *(how if how[0] == "--label" else ()), "--weight", "w", "--json")
        assert scant(*words).json()["rows"] == 6
    write_csv(tmp_path / "w.csv", ["x", "y", "c", "w"], [[*row[:3], 0] for row in rows])
    assert "no row" in scant(*words, ok=3).err


def test_cross_validation(scant, crabs):
    line = ["cv", crabs, "--label", "sex", "--features", FEATURES, "--folds", 4]
    result = scant(*line, "--json", ok=(0, 4)).json()
    assert [f["fold"] for f in result["folds"]] == [1, 2, 3, 4]
    assert sum(f["test_rows"] for f in result["folds"]) == 200
    accuracy = [f["accuracy"] for f in result["folds"]]
    assert result["mean"]["accuracy"] == pytest.approx(np.mean(accuracy))
    assert result["sd"]["accuracy"] == pytest.approx(np.std(accuracy, ddof=1))
    assert result["accuracy"] > 0.85
    assert scant(*line, "--json", "--threads", 3, ok=(0, 4)).json() == result
    text = scant(*line, ok=(0, 4)).out.splitlines()
    assert text[0].split()[:3] == ["fold", "train", "test"] and text[-2].startswith("mean")


def test_groups_stay_together(scant, tmp_path):
    """Each group is a far cluster of its own: held out together, it is never explained."""
    rng = np.random.default_rng(9)
    group = np.repeat(np.arange(10), 20)
    X = 1000 * group[:, None] + rng.normal(size=(200, 1))
    data = write_csv(tmp_path / "g.csv", ["x", "g"],
                     [[x[0], f"g{g}"] for x, g in zip(X, group)])
    line = ["cv", data, "--features", "x", "-k", 10, "--folds", 5, "--json"]
    apart = scant(*line, "--group", "g", ok=(0, 4)).json()["mean_loglik"]
    mixed = scant(*line, "--ignore", "g", ok=(0, 4)).json()["mean_loglik"]
    assert apart < mixed - 5


def test_groups_are_held_out_whole(scant, tmp_path):
    """Unlabelled rows of a group that is held out are neither in training nor measured."""
    rng = np.random.default_rng(2)
    rows = [[*rng.normal(3 * (g % 2), 1, 2).round(3), "ab"[g % 2] if i < 2 else "", f"g{g}"] for g in range(16) for i in range(7)]
    rows += [[*rng.normal(1, 1, 2).round(3), "", "unlabelled"] for _ in range(11)]
    data = write_csv(tmp_path / "g.csv", ["x", "y", "c", "g"], rows)
    for fold in scant("cv", data, "--label", "c", "--group", "g", "--folds", 4, "--json", "-q").json()["folds"]:
        assert (fold["test_rows"], fold["train_rows"]) == (8, 12 * 7 + 11)


@pytest.mark.parametrize("line", ["cv --folds 5", "select -k 1/class,2/class --by cv --folds 5"])
def test_classes_in_one_fold_alone_are_said(scant, tmp_path, line):
    """The fit that this fold is measured by does not know them. A set in training is enough to know one."""
    rng = np.random.default_rng(3)
    cells = [*"ab" * 10, "c", "d", "d|a", "", "", "e"]
    data = write_csv(tmp_path / "d.csv", ["x", "y"], [[round(rng.normal(), 3), y] for y in cells])
    err = scant(*line.split(), data, "--label", "y", ok=(0, 4)).err
    assert err.count("alone") == 1
    assert "classes 'c', 'e': labels in one of the 5 folds alone" in err
    data = write_csv(tmp_path / "d.csv", ["x", "y"], [[round(rng.normal(), 3), y] for y in cells[:20]])
    assert "alone" not in scant(*line.split(), data, "--label", "y", ok=(0, 4)).err


def test_folds_do_not_see_rows_of_weight_0(scant, tmp_path):
    rng = np.random.default_rng(2)
    rows = [[*rng.normal(2 * (i % 2), 1, 2).round(3), "ab"[i % 2] if i % 3 else "", 1 + i % 2] for i in range(60)]
    told = []
    for extra in ([], [[9, 9, "a", 0], [8, 8, "", 0], [-9, 7, "b", 0]]):
        data = write_csv(tmp_path / "w.csv", ["x", "y", "c", "w"], [row for i, row in enumerate(rows) for row in [row, *extra[i % 7:][:1]]])
        told.append(scant("cv", data, "--label", "c", "--weight", "w", "--json", "-q").json())
    for fold, other in zip(told[0]["folds"], told[1]["folds"]):
        assert fold == pytest.approx(other, rel=1e-6)
    assert told[0]["baseline"]["accuracy"] == told[1]["baseline"]["accuracy"]


# --- select and show ---


def test_selection(scant, faithful, tmp_path):
    best = tmp_path / "best.json"
    line = ["select", faithful, "-k", "1:4", "--covariance", "full,tied", "-o", best]
    result = scant(*line, "--json", ok=(0, 4)).json()
    assert len(result["candidates"]) == 8 and result["by"] == "bic"
    scores = [c["bic"] for c in result["candidates"] if "failed" not in c]
    assert result["best"]["bic"] == min(scores)
    assert models.load(best)["training"]["bic"] == pytest.approx(result["best"]["bic"])
    lines = scant(*line, ok=(0, 4)).out.splitlines()
    assert len(lines) == 9 and sum(l.startswith("*") for l in lines) == 1
    assert len(scant("select", faithful, "-k", "1,3", "--json", ok=(0, 4)).json()["candidates"]) == 12


def test_ties_of_a_selection(scant, tmp_path):
    """Errors that differ by rounding are equal: the fewest parameters decide, and then the first."""
    rng = np.random.default_rng(19)
    rows = [["uvw"[c], 0.1, rng.normal(1.5 * c), rng.normal(-c)] for c in [0, 1, 2] * 30]
    data = write_csv(tmp_path / "d.csv", ["y", "w", "a", "b"], rows)
    line = ["select", data, "--label", "y", "--weight", "w", "-k", "1/class", "--by", "cv", "--folds", 7, "--json", "-q"]
    found = scant(*line, "--covariance", "full,tied,tied").json()["candidates"]
    assert found[1]["cv_error"] == pytest.approx(found[0]["cv_error"], rel=1e-12)  # here but for the last bit
    assert [c["best"] for c in found] == [False, True, False]


def test_selection_without_a_covariance(scant, tmp_path):
    """Counts have none: one fit a number of components, not six."""
    data = write_csv(tmp_path / "counts.csv", ["n"], [[i % 5] for i in range(60)])
    line = ["select", data, "--family", "poisson", "-k", "1:2"]
    tried = scant(*line, "--json").json()["candidates"]
    assert [(c["components"], c["covariance"]) for c in tried] == [("1", "none"), ("2", "none")]
    assert "gaussian" in scant(*line, "--covariance", "diag", ok=2).err


@pytest.mark.parametrize("options,message", [
    ("--covariance full,foo", "'foo' is none of all, full"),
    ("--by cv --folds 300", "300 folds cannot be made of 272 rows"),
    ("--family foo", "'foo' is none of gaussian"),
    ("--prior 0.5", "no candidate could be fitted"),
])
def test_selections_that_cannot_be(scant, faithful, options, message):
    result = scant("select", faithful, "-k", "1:2", *options.split(), ok=2)
    assert message in result.err and result.out == ""


@pytest.mark.parametrize("by", ["bic", "cv"])
def test_interrupt_keeps_the_best_of_a_selection(crabs, tmp_path, by):
    best = tmp_path / "best.json"
    process = start_program("select", crabs, "--label", "sex", "--features", FEATURES, "-k", "1:3/class", "--covariance", "full",
                            "--by", by, "--init", "labels", "--starts", 1, "--tol", 0, "--max-iter", 10**8, "--json", "-o", best)
    time.sleep(1)
    result = interrupt(process)
    assert result.code == 4 and result.json()["stop"] == "interrupted", result
    assert result.json()["untried"] == 2 and "2 of 3 candidates were not tried" in result.err
    assert models.load(best)["components"] == 2


ENDLESS = ["--tol", 0, "--max-iter", 10**9, "--json"]


@pytest.mark.parametrize("by", ["bic", "cv"])
def test_time_limit_of_a_selection(scant, crabs, tmp_path, by):
    best = tmp_path / "best.json"
    line = ["select", crabs, "--label", "sex", "--features", FEATURES, "-k", "1:3/class", "--covariance", "full,tied"]
    result = scant(*line, *ENDLESS, "--by", by, "--time-limit", 0.5, "-o", best, ok=4)
    told = result.json()
    assert told["stop"] == "time" and told["untried"] == 5 and [c["stop"] for c in told["candidates"]] == ["time"]
    assert "5 of 6 candidates were not tried" in result.err and models.load(best)["components"] == 2
    whole = scant("select", crabs, "--features", FEATURES, "-k", "1,2", "--covariance", "diag", "--json", "--time-limit", 600).json()
    assert whole["untried"] == 0 and whole["stop"] == "converged"


def test_time_limit_of_a_cross_validation(scant, crabs, tmp_path):
    lines = [line.split(",") for line in crabs.read_text().splitlines()]
    half = [[*line[:1], "" if i % 4 > 1 else line[1], *line[2:]] for i, line in enumerate(lines)]
    data = tmp_path / "half.csv"
    data.write_text("".join(",".join(line) + "\n" for line in half))
    before = time.monotonic()
    result = scant("cv", data, "--label", "sex", "--features", FEATURES, *ENDLESS, "--time-limit", 1, ok=4).json()
    assert time.monotonic() - before < 4
    assert [fold["stop"] for fold in result["folds"]] == 5 * ["time"]
    assert "time" in result["baseline"]["why"]


def test_show(scant, sexes, geyser):
    shown, model = scant("show", sexes, "--json").json(), models.load(sexes)
    for name in ("columns", "classes", "components", "coupling", "warnings"):
        assert shown[name] == model[name]
    for name in ("loglik", "bic", "stop", "seed", "component_rows", "iterations"):
        assert shown["training"][name] == model["training"][name]
    text = scant("show", sexes).out
    for word in ("component", "labeled", "means", "FL", "BD", "loglik"):
        assert word in text
    assert "waiting" in scant("show", "-", stdin=geyser.read_text()).out


def test_show_keeps_to_twelve_columns(scant, tmp_path):
    X = np.random.default_rng(3).normal(size=(50, 20))
    data = write_csv(tmp_path / "wide.csv", [f"c{j}" for j in range(20)], X)
    scant("fit", data, "--covariance", "diag", "-q", "-o", tmp_path / "m.json")
    short, whole = scant("show", tmp_path / "m.json").out, scant("show", tmp_path / "m.json", "--all").out
    assert "c11" in short and "c12" not in short and "8 more columns" in short
    assert "c19" in whole


# --- simulate, convert, check ---


def test_simulation(scant, sexes, tmp_path):
    line = ["simulate", sexes, "-n", 4000]
    text = scant(*line).out
    assert scant(*line, "--threads", 3).out == text
    assert scant(*line, "--seed", 2).out != text
    rows = rows_of(text)
    assert len(rows) == 4000
    model = models.load(sexes)
    weights, means, covariances = models.gaussian(model)
    X = np.array([[float(r[c]) for c in FEATURES.split(",")] for r in rows])
    mean = weights @ means
    covariance = np.einsum("m,mij->ij", weights, covariances) + \
        np.einsum("m,mi,mj->ij", weights, means - mean, means - mean)
    assert np.all(np.abs(X.mean(axis=0) - mean) < 5 * np.sqrt(np.diag(covariance) / 4000))
    assert "component" in scant(*line, "--component").out.splitlines()[0].split(",")
    assert scant(*line, "-o", "-", "--json", ok=2).out == ""
    scant(*line, "-o", tmp_path / "new.csv", "-q")
    assert (tmp_path / "new.csv").read_text() == text


def writes_into(process, folder):
    """Has it a file open there, other than the model?"""
    for descriptor in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            path = os.readlink(descriptor)
            if path.startswith(str(folder)) and not path.endswith(".json") and descriptor.stat().st_size:
                return True
    return False


def simulate_until(sexes, folder, writing):
    process = start_program("simulate", sexes, "-n", 10**6 if writing else 4 * 10**6, "-o", folder / "big.csv")
    while writing and not writes_into(process, folder):
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.2)
    return process


@pytest.mark.parametrize("writing", [False, True])
def test_interrupt_of_a_simulation(sexes, tmp_path, writing):
    """It ends soon, whether rows are drawn or written, and leaves no file."""
    process = simulate_until(sexes, tmp_path, writing)
    before = time.monotonic()
    result = interrupt(process)
    assert result.code == 4 and "interrupted" in result.err and time.monotonic() - before < 3, result
    assert [path.name for path in tmp_path.iterdir()] == ["crabs.json"]


def test_a_program_that_is_killed_leaves_no_file(sexes, tmp_path):
    """As a second Ctrl-C does it."""
    try:
        os.close(os.open(tmp_path, os.O_TMPFILE | os.O_WRONLY))
    except OSError:
        pytest.skip("the file system has no files without names")
    process = simulate_until(sexes, tmp_path, True)
    process.kill()
    assert process.wait() == -9
    assert [path.name for path in tmp_path.iterdir()] == ["crabs.json"]


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "npy", "svm", "mtx"])
def test_conversion_there_and_back(scant, faithful, tmp_path, ending):
    there, back = tmp_path / f"t.{ending}", tmp_path / "back.csv"
    scant("convert", faithful, there, "-q")
    scant("convert", there, back, "-q")
    a = np.genfromtxt(faithful, delimiter=",", skip_header=1)
    b = np.genfromtxt(back, delimiter=",", skip_header=1)
    np.testing.assert_array_equal(a, b[:, :2])  # svmlight adds a column of labels
    assert scant("convert", there, "-").out == back.read_text()


def test_svmlight_keeps_columns_of_zeros(scant, tmp_path):
    table = write_csv(tmp_path / "t.csv", ["a", "b", "c"], [[1, 0, 0], [2, 3, 0]])
    there = tmp_path / "t.svm"
    scant("convert", table, there, "-q")
    assert there.read_text() == "nan 1:1 3:0\nnan 1:2 2:3\n"
    back = scant("convert", there, "-", "--ignore", "label", "-q").out
    assert back.splitlines()[1:] == ["1,0,0", "2,3,0"]
    scant("convert", there, tmp_path / "again.svm", "-q")
    assert (tmp_path / "again.svm").read_text() == there.read_text()


def test_tensors(scant, tmp_path):
    cube = np.zeros((2, 3, 4))
    cube[0, 1, 2], cube[1, 2, 3], cube[0, 0, 0] = 1.5, -2, 7
    np.save(tmp_path / "cube.npy", cube)
    scant("convert", tmp_path / "cube.npy", tmp_path / "cube.tns", "-q")
    entries = {tuple(map(float, l.split())) for l in (tmp_path / "cube.tns").read_text().splitlines()
               if l and not l.startswith("#")}
    assert entries == {(1, 2, 3, 1.5), (2, 3, 4, -2), (1, 1, 1, 7)}
    scant("convert", tmp_path / "cube.tns", tmp_path / "back.npy", "-q")
    np.testing.assert_array_equal(np.load(tmp_path / "back.npy"), cube)


def test_check_tells_what_is_there(scant, crabs):
    report = scant("check", crabs, "--label", "sex", "--ignore", "sp", "--json").json()
    assert report["rows"] == 200 and report["columns_in_all"] == 8
    column = {c["name"]: c for c in report["columns"]}["FL"]
    assert (column["min"], column["max"], column["missing"]) == (7.2, 23.1, 0)
    assert report["labels"]["classes"] == {"F": 100, "M": 100}
    assert report["labels"]["unlabeled"] == 0 and report["problems"] == []


def test_check_tells_of_labels_that_are_not_there(scant, tmp_path):
    data = write_csv(tmp_path / "bare.csv", ["x", "y"], [[i * 0.37 % 1, None] for i in range(60)])
    report = scant("check", data, "--label", "y", "--json").json()
    assert [p for p in report["problems"] if p.startswith("no row has a label")]


def test_check_finds_problems(scant, tmp_path):
    n = 60
    rows = [[float(i), 3.0, None, i % 3, 1.0 if i == 4 else None, i * 0.37 % 1, "ab"[i == 0] if i < 30 else ""]
            for i in range(n)]
    data = write_csv(tmp_path / "odd.csv", ["number", "same", "gone", "kind", "rare", "fine", "y"], rows)
    report = scant("check", data, "--label", "y", "--json").json()
    for words in ("'same' is constant", "'gone' has no values", "'kind' is taken for a count", "'number' is taken for an identifier (counts the rows)",
                  "class 'b' has 1 labelled row"):
        assert any(words in p for p in report["problems"]), words
    assert not any("'fine'" in p for p in report["problems"])
    assert report["labels"]["unlabeled"] == 30
    text = scant("check", data, "--label", "y").out
    assert "to look at:" in text and "'same' is constant" in text


def test_check_finds_identifiers_among_categories(scant, tmp_path):
    data = write_csv(tmp_path / "d.csv", ["who", "day", "kind", "x"],
                     [[f"p{i}", f"2024-01-{i % 25}", "ab"[i % 2], i * 0.37 % 1] for i in range(40)])
    report = scant("check", data, "--json").json()
    kinds = {column["name"]: column["type"] for column in report["columns"]}
    assert kinds == {"who": "identifier", "day": "identifier", "kind": "category", "x": "number"}
    assert [p[:39] for p in report["problems"]] == [f"column '{name}' is taken for an identifier"[:39] for name in ("who", "day")]


def test_check_takes_counts_of_sparse_rows_for_counts(scant, tmp_path):
    """As categories they would be made dense, all columns of them."""
    (tmp_path / "d.svm").write_text("".join(f"{i % 2} {1 + i % 3}:{1 + i % 4}\n" for i in range(60)))
    assert scant("check", tmp_path / "d.svm", "--json").json()["problems"] == []


def test_classes_that_may_be_none_or_one_are_told(scant, tmp_path):
    """Numbers written in two ways, and words for labels that are not known."""
    data = write_csv(tmp_path / "d.csv", ["x", "y"], [[i * 0.37 % 1, ["0", "1", "1.0", "2"][i % 4]] for i in range(60)])
    words = "classes {0}1{0} and {0}1.0{0} are the same number, but two classes"
    assert scant("check", data, "--label", "y", "--json").json()["problems"] == [words.format("'")]
    assert words.format("") in scant("fit", data, "--label", "y", "--json", "-q").json()["warnings"]
    data = write_csv(tmp_path / "d.csv", ["x", "y"], [[i * 0.37 % 1, ["a", "b", "None", "N/A"][i % 4]] for i in range(60)])
    told = scant("check", data, "--label", "y", "--json").json()["problems"]
    assert told == [f"class '{name}' is one of its own: if it means unknown, --missing-label {name}" for name in ("N/A", "None")]
