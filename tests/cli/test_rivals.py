"""Wrong labels, the supervised fit beside, and what components are made of."""
import csv
import time

import numpy as np
import pytest

import models
from conftest import interrupt, start_program, write_csv


def draw(seed, n, gap=2.5):
    """Two Gaussian classes of different shapes; rows and true classes."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    x = random.normal(size=(n, 3)) * np.where(y[:, None] == 1, [1.0, 2.0, 1.0], [1.0, 1.0, 0.5])
    x[:, 0] += gap * y
    return random, x, y


def write(path, x, labels):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["a", "b", "c", "y"])
        out.writerows([[*map(repr, map(float, row)), label] for row, label in zip(x, labels)])
    return path


def fit(scant, data, out, *more, ok=0):
    return scant("fit", data, "--label", "y", "-q", "--json", "-o", out, *more, ok=ok)


def evaluate(scant, model, data):
    return scant("evaluate", model, data, "--label", "y", "-q", "--json").json()


@pytest.fixture
def noisy(tmp_path):
    """Training rows of whose labels a fifth is flipped, and clean rows to test on."""
    random, x, y = draw(4, 3000)
    seen = np.where(random.random(len(y)) < 0.2, 1 - y, y)
    _, clean_x, clean_y = draw(5, 3000)
    return (write(tmp_path / "noisy.csv", x, ["pq"[k] for k in seen]),
            write(tmp_path / "clean.csv", clean_x, ["pq"[k] for k in clean_y]))


def test_estimated_noise_is_right_and_pays(scant, noisy, tmp_path):
    model = tmp_path / "m.json"
    found = fit(scant, noisy[0], model, "--label-noise", "estimate").json()
    assert np.allclose(found["label_noise"], [[0.8, 0.2], [0.2, 0.8]], atol=0.03)
    assert found["noise_check"]["difference"] > 0
    estimated = evaluate(scant, model, noisy[1])
    fit(scant, noisy[0], model)
    trusting = evaluate(scant, model, noisy[1])
    assert estimated["accuracy"] > trusting["accuracy"]
    assert estimated["log_loss"] < 0.9 * trusting["log_loss"]


def test_known_noise_and_its_table(scant, noisy, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("p,q\n0.8,0.2\n0.2,0.8\n")
    rate = fit(scant, noisy[0], tmp_path / "r.json", "--label-noise", "0.2").json()
    same = fit(scant, noisy[0], tmp_path / "t.json", "--label-noise", table).json()
    assert rate["loglik"] == same["loglik"]
    free = fit(scant, noisy[0], tmp_path / "e.json", "--label-noise", "estimate").json()
    assert free["loglik"] > rate["loglik"]  # a free table explains at least as much
    none = fit(scant, noisy[0], tmp_path / "n.json", "--label-noise", "0").json()
    assert none["loglik"] == pytest.approx(fit(scant, noisy[0], tmp_path / "n.json").json()["loglik"], abs=1e-9)
    shown = scant("show", tmp_path / "t.json", "--json").json()
    assert shown["label_noise"] == [[0.8, 0.2], [0.2, 0.8]]
    assert "seen as q" in scant("show", tmp_path / "t.json").out


def test_probabilities_are_not_seen_through_the_noise(scant, tmp_path):
    """Only labels and sets of them may be wrong: where there are none of these, no table of noise has a say."""
    random, x, y = draw(4, 200)
    soft = np.where(y == 0, 0.75, 0.25)
    context = tmp_path / "context.csv"
    context.write_text("p_p,p_q\n" + "".join(f"{p},{1 - p}\n" for p in soft))
    cells = write(tmp_path / "cells.csv", x, [f"p:{p};q:{1 - p}" for p in soft])
    bare = write(tmp_path / "bare.csv", x, [""] * len(y))
    sets = write(tmp_path / "sets.csv", x, ["pq"[k] + "|r" for k in y])
    for data, more in ((cells, ()), (bare, ("--context", context)), (sets, ())):
        right, wrong = (fit(scant, data, tmp_path / "m.json", *more, *noise).json()["loglik"]
                        for noise in ((), ("--label-noise", 0.3)))
        assert (right == wrong) == (data != sets)


def test_labels_are_trusted_where_that_is_better(scant, tmp_path):
    """A long tail that has nothing to do with the classes: a learned table makes it one of them."""
    random = np.random.default_rng(8)
    z = random.normal(size=(800, 3))
    x = np.column_stack([np.exp(z[:, 0]), z[:, 1], z[:, 2]])
    y = 2 * z[:, 1] + random.logistic(size=800) > 0
    data = write(tmp_path / "d.csv", x, ["pq"[int(k)] for k in y])
    shape = ["--covariance", "full"]
    found = fit(scant, data, tmp_path / "m.json", "--label-noise", "estimate", *shape).json()
    assert "label_noise" not in found and found["noise_check"]["difference"] < 0
    assert any("labels are trusted" in warning for warning in found["warnings"])
    saved = ["--checkpoint", tmp_path / "c.json", "--checkpoint-every", "0"]
    fit(scant, data, tmp_path / "cut.json", "--label-noise", "estimate", *shape, *saved, "--max-iter", "3", ok=(0, 4))
    fit(scant, data, tmp_path / "cut.json", "--label-noise", "estimate", *shape, *saved, "--resume")
    assert (tmp_path / "cut.json").read_bytes() == (tmp_path / "m.json").read_bytes()
    assert found["loglik"] == pytest.approx(fit(scant, data, tmp_path / "n.json", *shape).json()["loglik"])
    kept = fit(scant, data, tmp_path / "m.json", "--label-noise", "estimate", "--keep-noise", *shape).json()
    assert "label_noise" in kept


@pytest.mark.parametrize("text, said", [
    ("p,q\n0.8,0.2\n", "1 rows for 2 classes"),
    ("p,q\n0.8,0.2\n0.3,0.8\n", ":3:1"),
    ("p,q\n0.8,0.2\n-0.3,1.3\n", ":3:1"),
    ("p,r\n0.8,0.2\n0.3,0.7\n", "q"),
    ("p,q\n0.8,0.2\nx,0.7\n", ":3:1"),
])
def test_bad_tables_are_named(scant, noisy, tmp_path, text, said):
    table = tmp_path / "bad.csv"
    table.write_text(text)
    done = fit(scant, noisy[0], tmp_path / "m.json", "--label-noise", table, ok=3)
    assert "bad.csv" in done.err and said in done.err


@pytest.mark.parametrize("cells", [("a:0.6;b:0.4", "a:0.3;b:0.7", "c:0.8;a:0.2"), ("a|b|c", "a|b|c", "a:0.5;b:0.2;c:0.3")])
def test_noise_wants_labels_that_may_be_wrong(scant, tmp_path, cells):
    """Nothing in these rows speaks of wrong labels: what the table starts from is no estimate."""
    rows = [[i % 3 + (i * 7 % 11) / 9, cells[i % 3]] for i in range(60)]
    how = ("--label", "y", "--label-noise", "estimate", "--keep-noise", "-q")
    assert "no row has a label that could be wrong" in scant("fit", write_csv(tmp_path / "d.csv", ["x", "y"], rows), *how, ok=5).err
    rows[5][1] = "a|c"
    scant("fit", write_csv(tmp_path / "d.csv", ["x", "y"], rows), *how, ok=(0, 4))


@pytest.mark.parametrize("more, code", [
    (["--label-noise", "estimate", "--sharing", "common"], 5),
    (["--label-noise", "estimate", "--unlabeled", "em3"], 2),
    (["--label-noise", "estimate", "--accelerate", "squarem"], 2),
    (["--label-noise", "0.1", "--context-mode", "prior"], 2),
    (["--label-noise", "1.5"], 2),
])
def test_what_noise_cannot_go_with(scant, noisy, tmp_path, more, code):
    assert "noise" in fit(scant, noisy[0], tmp_path / "m.json", *more, ok=code).err


def test_a_cut_fit_goes_on_with_its_table(scant, noisy, tmp_path):
    options = ["--label-noise", "estimate", "--keep-noise", "--tol", "1e-7"]
    fit(scant, noisy[0], tmp_path / "whole.json", *options)
    saved = ["--checkpoint", tmp_path / "c.json"]
    fit(scant, noisy[0], tmp_path / "cut.json", *options, *saved, "--checkpoint-every", "0", "--max-iter", "3", ok=4)
    fit(scant, noisy[0], tmp_path / "cut.json", *options, *saved, "--resume")
    assert (tmp_path / "cut.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


def test_a_fit_that_was_resumed_has_its_baseline(scant, tmp_path):
    _, x, y = draw(9, 200)
    data = write(tmp_path / "d.csv", x, ["pq"[k] if i % 5 == 0 else "" for i, k in enumerate(y)])
    once = ["--starts", "1"]
    saved = [*once, "--checkpoint", tmp_path / "c.json", "--checkpoint-every", "0"]
    whole = fit(scant, data, tmp_path / "whole.json", *once).json()
    fit(scant, data, tmp_path / "cut.json", *saved, "--max-iter", "3", ok=4)
    assert fit(scant, data, tmp_path / "cut.json", *saved, "--resume").json()["baseline"] == whole["baseline"]
    assert (tmp_path / "cut.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


def test_unlabelled_rows_that_help(scant, tmp_path):
    _, x, y = draw(6, 1500, gap=4)
    labels = ["pq"[k] if i < 20 else "" for i, k in enumerate(y)]
    data = write(tmp_path / "d.csv", x, labels)
    beside = fit(scant, data, tmp_path / "m.json").json()["baseline"]
    assert beside["labeled"] == 20 and beside["folds"] == 5
    assert beside["fit_accuracy"] >= beside["accuracy"] and not beside["hurts"]
    assert "baseline" not in fit(scant, data, tmp_path / "m.json", "--no-baseline").json()
    assert "labelled rows alone" in scant("fit", data, "--label", "y").out
    crossed = scant("cv", data, "--label", "y", "-q", "--json").json()
    assert crossed["baseline"]["accuracy"] == pytest.approx(beside["accuracy"])


def test_time_limit_holds_for_the_baseline(scant, tmp_path):
    _, x, y = draw(6, 1500, gap=4)
    data = write(tmp_path / "d.csv", x, ["pq"[k] if i < 200 else "" for i, k in enumerate(y)])
    fit(scant, data, tmp_path / "m.json", "--no-baseline")
    before = time.monotonic()
    told = fit(scant, data, tmp_path / "n.json", "--start", tmp_path / "m.json", "--starts", 10**6, "--time-limit", 1)
    assert time.monotonic() - before < 4
    assert told.json()["stop"] == "converged" and "time limit" in told.json()["baseline"]["why"]


def test_interrupt_leaves_the_baseline_out(scant, tmp_path):
    _, x, y = draw(6, 1500, gap=4)
    data = write(tmp_path / "d.csv", x, ["pq"[k] if i < 200 else "" for i, k in enumerate(y)])
    model, again = tmp_path / "m.json", tmp_path / "again.json"
    fit(scant, data, model, "--no-baseline")
    # a fit that is given its start makes that one alone, its rival all that are asked for
    process = start_program("fit", data, "--label", "y", "--start", model, "--starts", 10**6, "--json", "-o", again)
    time.sleep(1)
    result = interrupt(process)
    assert result.code == 4 and "no baseline" in result.err, result
    assert result.json()["stop"] == "converged" and "interrupted" in result.json()["baseline"]["why"]
    assert "baseline" not in models.load(again) and models.load(again)["training"]["stop"] == "converged"


def test_unlabelled_rows_that_hurt(scant, tmp_path):
    """Clusters lie across the classes: a mixture that follows the many rows loses the classes."""
    random = np.random.default_rng(9)
    n = 2000
    x = random.normal(size=(n, 3))
    x[:, 0] += np.where(random.random(n) < 0.5, 6, -6)  # two clusters that no class knows of
    y = x[:, 1] > 0
    labels = ["pq"[int(k)] if i < 120 else "" for i, k in enumerate(y)]
    data = write(tmp_path / "d.csv", x, labels)
    line = [data, "--label", "y", "--covariance", "tied-spherical", "--unlabeled-weight", 1]
    for keep in ([], ["--keep"]):
        assert scant("fit", *line, *keep, "--json").json()["baseline"]["hurts"]
        told = scant("fit", *line, *keep).out
        assert ("unlabelled rows hurt" in told) == bool(keep) and ("unlabeled rows do not help" in told) == (not keep)
    assert "unlabelled rows hurt" in scant("cv", *line).out
    for command in ("fit", "cv"):  # left to themselves neither follows the many rows
        beside = scant(command, *line[:-2], "--json").json()["baseline"]
        assert beside.get("hurts") or beside["fit_accuracy"] >= beside["accuracy"]


def test_a_baseline_that_cannot_be(scant, tmp_path):
    _, x, y = draw(7, 300)
    labels = ["pq"[k] if i < 20 and (k == 0 or list(y[:i]).count(1) == 0) else "" for i, k in enumerate(y)]
    assert labels.count("q") == 1
    data = write(tmp_path / "d.csv", x, labels)
    beside = fit(scant, data, tmp_path / "m.json", "--covariance", "tied").json()["baseline"]
    assert beside["folds"] == 0 and "fewer than two" in beside["why"]


def test_composition_goes_by_the_rows_alone(scant, tmp_path):
    """Three clusters; class q has two components, one of which sits on unlabelled rows, and one on both classes."""
    random = np.random.default_rng(10)
    x = random.normal(size=(900, 3))
    group = np.repeat([0, 1, 2], 300)
    x[:, 0] += 8.0 * group
    labels = []
    for i, g in enumerate(group):
        if g == 2 or i % 3:
            labels.append("")
        else:
            labels.append("p" if g == 0 else "pq"[i % 2])
    data = write(tmp_path / "d.csv", x, labels)
    fit(scant, data, tmp_path / "m.json", "-k", "p=1,q=2", "--covariance", "spherical", "--no-baseline")
    shown = scant("show", tmp_path / "m.json", "--json").json()
    training = shown["training"]
    made_of = np.array(training["component_composition"])
    assert made_of.shape == (3, 3)
    assert made_of.sum() == pytest.approx(900)
    assert made_of[:, :2].sum() == pytest.approx(labels.count("p") + labels.count("q"))
    unlabelled_only = made_of[:, :2].sum(1) < 0.01
    assert unlabelled_only.sum() == 1
    assert any("no labelled row" in warning for warning in shown["warnings"])
    assert any("mixes classes" in warning for warning in shown["warnings"])
    assert "purity" in scant("show", tmp_path / "m.json").out


# --- always naming one class ---


def test_a_guess_that_is_better_is_told(scant, tmp_path):
    """A class that hardly varies draws all rows of its place to itself, most of which are of the other."""
    rows = [[int(i % 5 == 0), "most"] for i in range(100)] + [[0, "few"] for _ in range(30)]
    data, model = write_csv(tmp_path / "d.csv", ["x", "y"], rows), tmp_path / "m.json"
    fit(scant, data, model, "--types", "none")
    words = ("evaluate", model, data, "--label", "y")
    right = np.array([row == [1, "most"] or row[1] == "few" for row in rows], float)
    gap = right - np.array([row[1] == "most" for row in rows])
    wanted = {"class": "most", "accuracy": 100 / 130, "difference": gap.mean(),
              "standard_error": gap.std() / np.sqrt(130), "better": True}
    for line in (words, ("cv", data, "--label", "y", "--folds", 5, "--types", "none")):
        assert scant(*line, "--json", "-q").json()["guess"] == pytest.approx(wanted)
        assert "warning            always naming most would be right in 0.7692 of the rows, 0.38 +-" in scant(*line).out


def test_a_guess_that_is_worse_is_not_told(scant, tmp_path):
    _, x, y = draw(1, 300)
    data, model = write(tmp_path / "d.csv", x, y), tmp_path / "m.json"
    fit(scant, data, model)
    for line in (("evaluate", model, data, "--label", "y"), ("cv", data, "--label", "y")):
        told = scant(*line, "--json", "-q").json()
        assert not told["guess"]["better"] and told["guess"]["difference"] > 0.2
        assert "always naming" not in scant(*line).out
    plain = scant("cv", data, "--ignore", "y", "--json", "-q").json()
    assert "guess" not in plain
