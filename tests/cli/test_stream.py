"""scant stream: answers before it learns, follows what changes, and survives what goes wrong."""
import csv
import io
import json
import os
import select
import signal
import subprocess
import time

import numpy as np
import pytest

import models
from conftest import PROGRAM, Result, write_csv

NAMES = ["x", "y"]


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def draw(rng, n, shift=0.0, turn=0.0):
    """Two classes in the plane; `shift` and `turn` grow along the rows."""
    z = rng.integers(0, 2, n)
    t = np.linspace(0, 1, n)
    angle = turn * t
    centre = (2 * z - 1)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) * 1.3
    return z, centre + shift * t[:, None] + rng.normal(size=(n, 2))


def label(z):
    return "ab"[z]


def soft(z, p):
    """Evidence that is right with probability p."""
    return f"a:{p:.3f};b:{1 - p:.3f}" if z == 0 else f"a:{1 - p:.3f};b:{p:.3f}"


@pytest.fixture
def start(scant, tmp_path):
    rng = np.random.default_rng(1)
    z, x = draw(rng, 400)
    data = write_csv(tmp_path / "start.csv", NAMES + ["label"], [(*r, label(k)) for r, k in zip(x, z)])
    model = tmp_path / "start.json"
    scant("fit", data, "--label", "label", "--covariance", "tied", "-q", "-o", model)
    return model


def lines(x, cells):
    return [",".join([*(repr(float(v)) for v in row), cell]) + "\n" for row, cell in zip(x, cells)]


HEADER = "x,y,label\n"


def accuracy(out, z):
    return np.mean([r["label"] == label(k) for r, k in zip(rows_of(out), z)])


# --- answers ---


def test_first_answer_is_the_models(scant, start, tmp_path):
    rng = np.random.default_rng(2)
    z, x = draw(rng, 30)
    data = write_csv(tmp_path / "d.csv", NAMES + ["label"], [(*r, label(k)) for r, k in zip(x, z)])
    answered = rows_of(scant("stream", start, data, "--label", "label", "-q").out)
    predicted = rows_of(scant("predict", start, data).out)
    assert list(answered[0]) == ["label", "p_a", "p_b", "support", "loglik"]
    assert answered[0] == predicted[0]  # before it learns
    assert answered[5] != predicted[5]
    still = scant("stream", start, data, "--label", "label", "--iterations", 0, "-q")
    assert rows_of(still.out) == predicted


def test_context_comes_in_columns_too(scant, start):
    """The same probabilities in label cells and in columns give the same answers; a bad row is told and left out."""
    p = [0.9, 0.2, 0.5, 0.7]
    rows = [(0.1 * i, 1 - 0.2 * i) for i in range(4)]
    cells = HEADER + "".join(f"{x},{y},a:{q};b:{round(1 - q, 3)}\n" for (x, y), q in zip(rows, p))
    columns = "x,y,p_b,p_a\n" + "".join(f"{x},{y},{round(1 - q, 3)},{q}\n" for (x, y), q in zip(rows, p))
    mode = ["--context-mode", "prior", "--iterations", 5, "-q"]
    one = scant("stream", start, "--label", "label", *mode, stdin=cells)
    two = scant("stream", start, "--context", "p_*", *mode, stdin=columns)
    assert one.out == two.out
    bad = scant("stream", start, "--context", "p_*", *mode, stdin=columns + "1,1,0.4,0.4\n" + "1,1,0.5,0.5\n")
    assert ":6:3" in bad.err and "sum to 0.8" in bad.err
    assert len(rows_of(bad.out)) == 6


def test_label_of_a_row_is_not_in_its_answer(scant, start):
    rng = np.random.default_rng(3)
    _, x = draw(rng, 20)
    told = [scant("stream", start, "--label", "label", "-q", stdin=HEADER + "".join(
        lines(x, ["a"] * 19 + [last]))).out for last in ("a", "b")]
    assert told[0] == told[1]
    used = [rows_of(scant("stream", start, "--label", "label", "--use-labels", "-q", stdin=HEADER + "".join(
        lines(x, ["a"] * 19 + [last]))).out) for last in ("a", "b")]
    assert [u[-1]["label"] for u in used] == ["a", "b"]


def test_line_by_line(start):
    """Each row is answered while the pipe is open and no further row has been written."""
    rng = np.random.default_rng(4)
    _, x = draw(rng, 5)
    process = subprocess.Popen([PROGRAM, "stream", start, "--label", "label", "-q"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True, bufsize=1)
    process.stdin.write(HEADER)
    process.stdin.flush()
    assert process.stdout.readline().startswith("label,")
    for line in lines(x, ["a", "", "b", "a|b", "a:0.5;b:0.5"]):
        process.stdin.write(line)
        process.stdin.flush()
        assert select.select([process.stdout], [], [], 20)[0], "no answer"
        assert process.stdout.readline().count(",") == 4
    process.stdin.close()
    assert process.wait(20) == 0


def test_plain_mixture_and_regression(scant, faithful, tmp_path):
    model = tmp_path / "plain.json"
    scant("fit", faithful, "-k", 2, "-q", "-o", model)
    told = rows_of(scant("stream", model, faithful, "--window", 50, "-q").out)
    assert len(told) == 272 and list(told[0]) == ["component", "p_1", "p_2", "loglik"]
    line = tmp_path / "line.json"
    scant("fit", faithful, "--family", "regression", "--target", "waiting", "-q", "-o", line)
    told = rows_of(scant("stream", line, faithful, "--window", 50, "-q").out)
    wait = np.array([float(r["waiting"]) for r in rows_of(faithful.read_text())])
    error = wait - [float(r["prediction"]) for r in told]
    assert np.mean(error**2) < 0.4 * np.var(wait)


# --- what it fits ---


def naive_stream(model, x, evidence, window, memory, iterations):
    """The same by hand: tied covariance, probabilities in place of the proportions (CA), and the
    start as a conjugate prior of s rows. Answers before learning."""
    m0, S0 = (np.array(model["factors"][0]["parameters"][k]) for k in ("means", "covariances"))
    P = np.array(model["coupling"]).sum(axis=0)
    m, S = m0.copy(), S0.copy()
    out = []
    for t in range(len(x)):
        d = x[t] - m
        joint = np.log(P) - 0.5 * np.einsum("ki,ij,kj->k", d, np.linalg.inv(S), d)
        out.append(1 / (1 + np.exp(joint[0] - joint[1])))
        X, p = x[max(0, t + 1 - window):t + 1], evidence[max(0, t + 1 - window):t + 1]
        s = max(memory, window - len(X))
        for _ in range(iterations):
            d = X[:, None] - m
            f = np.exp(-0.5 * np.einsum("nki,ij,nkj->nk", d, np.linalg.inv(S), d))
            r = p * f / (p * f).sum(axis=1, keepdims=True)
            N = r.sum(axis=0) + s * P
            m = (r.T @ X + s * P[:, None] * m0) / N[:, None]
            d, d0 = X[:, None] - m, m0 - m
            S = (np.einsum("nk,nki,nkj->ij", r, d, d) + s * S0 + s * np.einsum("k,ki,kj->ij", P, d0, d0)) / N.sum()
    return np.array(out)


@pytest.mark.parametrize("window,memory", [(40, 1), (40, 25), (7, 0.5)])
def test_same_as_by_hand(scant, start, window, memory):
    rng = np.random.default_rng(5)
    z, x = draw(rng, 90, turn=2)
    p = rng.uniform(0.05, 0.95, 90)
    told = rows_of(scant("stream", start, "--label", "label", "--digits", 17, "--context-mode", "prior", "--window", window,
                         "--prior-rows", memory, "--iterations", 3, "--tol", 0, "-q",
                         stdin=HEADER + "".join(lines(x, [f"a:{1 - q!r};b:{q!r}" for q in p]))).out)
    want = naive_stream(models.load(start), x, np.column_stack([1 - p, p]), window, memory, 3)
    np.testing.assert_allclose([float(r["p_b"]) for r in told], want, atol=1e-9)


@pytest.mark.parametrize("evidence", ["exact", "soft"])
def test_drift_is_followed(scant, start, evidence):
    rng = np.random.default_rng(6)
    z, x = draw(rng, 1500, shift=4, turn=3)
    cells = [label(k) if evidence == "exact" else soft(k, 0.85) for k in z]
    text = HEADER + "".join(lines(x, cells))
    options = ["--label", "label", "--context-mode", "prior", "--window", 150, "-q"]
    adapted = accuracy(scant("stream", start, *options, stdin=text).out, z)
    fixed = accuracy(scant("stream", start, *options, "--iterations", 0, stdin=text).out, z)
    assert adapted > 0.85 and fixed < 0.6


def test_stationary_rows_do_no_harm(scant, start):
    rng = np.random.default_rng(7)
    z, x = draw(rng, 800)
    text = HEADER + "".join(lines(x, [soft(k, 0.8) for k in z]))
    options = ["--label", "label", "--context-mode", "prior", "--window", 240, "-q"]
    adapted = accuracy(scant("stream", start, *options, stdin=text).out, z)
    fixed = accuracy(scant("stream", start, *options, "--iterations", 0, stdin=text).out, z)
    assert adapted > fixed - 0.015


def test_budget_of_time(scant, start):
    rng = np.random.default_rng(8)
    z, x = draw(rng, 40)
    text = HEADER + "".join(lines(x, [label(k) for k in z]))
    began = time.monotonic()
    result = scant("stream", start, "--label", "label", "--budget-ms", 20, "--tol", 0, "--json", stdin=text).json()
    assert result["learned"] == 40 and 0.7 < time.monotonic() - began < 20


# --- what goes wrong ---


def test_bad_rows(scant, start):
    text = HEADER + "1,2,a\nzero,1,a\n1,2\n1,2,a,3\n1,\"2,a\n,,\n1,2,c\n1,2,a:0.5;b:0.7\n\n1,inf,b\n1,2,b\n"
    result = scant("stream", start, "--label", "label", stdin=text)
    told = result.out.splitlines()[1:]
    assert [line == ",,,," for line in told] == [False, True, True, True, True, False, True, True, True, False]
    for place in (":3:1: x: 'zero'", ":4:3:", ":5:4:", ":6:2:", ":8:3: label: 'c'", ":9:3: label:", ":11:2: y: 'inf'"):
        assert f"standard input{place}" in result.err
    assert "3 rows answered, 7 bad" in result.err
    summary = scant("stream", start, "--label", "label", "--json", stdin=text).json()
    assert (summary["rows"], summary["bad"], summary["learned"], summary["stop"]) == (3, 7, 3, "end")


@pytest.mark.parametrize("text,message", [("", "empty"), (HEADER, "no row"), (HEADER + "a,b,c\n", "no row"),
                                          ("x,label\n1,a\n", "'y'"), ("x,y\n1,2\n", "'label'")])
def test_nothing_to_read(scant, start, text, message):
    assert message in scant("stream", start, "--label", "label", ok=3, stdin=text).err


@pytest.mark.parametrize("window", [1, 2, 5])
@pytest.mark.parametrize("memory", [0, 1e-6, 1])
@pytest.mark.parametrize("covariance", ["full", "tied", "diag"])
def test_no_collapse(scant, start, tmp_path, window, memory, covariance):
    """One class for long, the same row for long, missing cells, far values: every answer is a number."""
    rng = np.random.default_rng(9)
    model = tmp_path / f"{covariance}.json"
    scant("fit", tmp_path / "start.csv", "--label", "label", "--covariance", covariance, "-q", "-o", model)
    z, x = draw(rng, 60)
    cells = [",".join(map(repr, row)) for row in x.tolist()]
    text = [f"{c},a" for c in cells[:20]] + [f"{cells[0]},b"] * 20 + [f"{c.split(',')[0]},,a" for c in cells[20:30]] \
        + [",,b"] * 10 + ["1e9,-1e9,"] * 10 + [f"{c},b|a" for c in cells[30:]]
    saved = tmp_path / "saved.json"
    told = rows_of(scant("stream", model, "--label", "label", "--window", window, "--prior-rows", memory, "--save", saved,
                         "-q", stdin=HEADER + "\n".join(text) + "\n").out)
    assert len(told) == len(text)
    for row in told:
        p = float(row["p_a"]), float(row["p_b"])
        assert 0 <= min(p) and sum(p) == pytest.approx(1, abs=1e-9)
        assert memory == 0 or np.isfinite(float(row["loglik"]))
    parameters = models.load(saved)["factors"][0]["parameters"]
    assert np.isfinite(np.array(parameters["covariances"])).all() and np.isfinite(np.array(parameters["means"])).all()


# --- where it goes on ---


@pytest.fixture
def drifting():
    rng = np.random.default_rng(10)
    z, x = draw(rng, 120, turn=2)
    x[::11, 1] = np.nan
    cells = [[label(k), "", "a|b", soft(k, 0.8)][i % 4] for i, k in enumerate(z)]
    return [line.replace("nan", "") for line in lines(x, cells)]


@pytest.mark.parametrize("cut", [0, 1, 29, 30, 31, 77, 119])
def test_cut_and_resumed(scant, start, drifting, tmp_path, cut):
    saved = tmp_path / "saved.json"
    options = ["--label", "label", "--window", 30, "--iterations", 4, "--context-mode", "prior", "-q"]
    whole = scant("stream", start, *options, stdin=HEADER + "".join(drifting)).out.splitlines()
    first = scant("stream", start, *options, "--save", saved, ok=0 if cut else 3,
                  stdin=HEADER + "".join(drifting[:cut])).out.splitlines()
    second = scant("stream", start, "--label", "label", "--resume", saved, "-q",
                   stdin=HEADER + "".join(drifting[cut:])).out.splitlines()
    assert first + second[1:] == whole


def test_threads_do_not_matter(scant, start, drifting):
    told = {scant("stream", start, "--label", "label", "--threads", n, "-q", stdin=HEADER + "".join(drifting)).out
            for n in (1, 2, 5)}
    assert len(told) == 1


def test_resume_keeps_its_settings(scant, start, drifting, tmp_path):
    saved = tmp_path / "saved.json"
    text = HEADER + "".join(drifting)
    told = scant("stream", start, "--label", "label", "--window", 30, "--save", saved, "--resume", saved, stdin=text)
    assert "beginning with" in told.err
    assert "30" in scant("stream", start, "--label", "label", "--window", 31, "--resume", saved, ok=2, stdin=text).err
    again = scant("stream", start, "--label", "label", "--window", 30, "--resume", saved, stdin=text)
    assert "behind row 120" in again.err and "240 learned in all" in again.err
    assert "no stream was saved" in scant("stream", start, "--resume", start, ok=3, stdin=text).err
    whole = json.loads(saved.read_text())
    for spoil in ({"window": 0}, {"rows": [{"cells": [1], "weight": 1, "class": None}]}, {"start": {}},
                  {"prior_rows": -1}, {"rows": [{"cells": [1, 2], "weight": 1, "class": 7}]}, {"schema": 3}):
        saved.write_text(json.dumps({**whole, "stream": {**whole["stream"], **spoil}}))
        assert "stream" in scant("stream", start, "--label", "label", "--resume", saved, ok=3, stdin=text).err


def test_saved_stream_is_a_model(scant, start, drifting, tmp_path):
    saved = tmp_path / "saved.json"
    scant("stream", start, "--label", "label", "--save", saved, "-q", stdin=HEADER + "".join(drifting))
    data = tmp_path / "d.csv"
    data.write_text(HEADER + "".join(drifting))
    assert len(rows_of(scant("predict", saved, data).out)) == 120
    assert "covariances" in scant("show", saved).out


def interrupted(start, saved, send, drifting, after):
    process = subprocess.Popen([PROGRAM, "stream", start, "--label", "label", "--window", "30", "--save", saved],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdin.write(HEADER + "".join(drifting[:after]))
    process.stdin.flush()
    told = [process.stdout.readline() for _ in range(after + 1)]
    process.send_signal(send)
    out, err = process.communicate(timeout=60)  # the pipe stays open until it has ended
    assert process.returncode == 0, err
    return Result([], 0, "".join(told) + out, err)


@pytest.mark.parametrize("send", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("after", [0, 50])
def test_signals_save(scant, start, drifting, tmp_path, send, after):
    saved = tmp_path / "saved.json"
    process_input = drifting if after else []
    if after:
        first = interrupted(start, saved, send, process_input, after)
    else:  # before anything came, not even a header
        process = subprocess.Popen([PROGRAM, "stream", start, "--label", "label", "--window", "30", "--save", saved],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        process.send_signal(send)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        first = Result([], 0, out, err)
    assert f"{after} rows answered" in first.err
    whole = scant("stream", start, "--label", "label", "--window", 30, "-q", stdin=HEADER + "".join(drifting)).out
    rest = scant("stream", start, "--label", "label", "--resume", saved, "-q", stdin=HEADER + "".join(drifting[after:]))
    assert first.out.splitlines() + rest.out.splitlines()[1:] == whole.splitlines()


def test_signal_at_work(scant, start, tmp_path):
    """Many rows are waiting when the signal comes: those answered are learned, the others are left."""
    rng = np.random.default_rng(11)
    z, x = draw(rng, 4000)
    rows = lines(x, [label(k) for k in z])
    data, saved = tmp_path / "many.csv", tmp_path / "saved.json"
    data.write_text(HEADER + "".join(rows))
    options = ["--label", "label", "--iterations", "40", "--tol", "0", "-q"]
    told = tmp_path / "told.csv"
    with told.open("w") as out:
        process = subprocess.Popen([PROGRAM, "stream", start, data, *options, "--save", saved], stdout=out)
        while told.read_text().count("\n") < 60:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    first = told.read_text().splitlines(keepends=True)
    assert len(first) < 4001
    done = len(first) - 1
    rest = scant("stream", start, *options, "--resume", saved, stdin=HEADER + "".join(rows[done:done + 100])).out
    whole = scant("stream", start, *options, stdin=HEADER + "".join(rows[:done + 100])).out
    assert "".join(first) + "".join(rest.splitlines(keepends=True)[1:]) == whole


def test_killed(scant, start, drifting, tmp_path):
    """Without any warning: the last save is whole, and says how far it goes."""
    saved = tmp_path / "saved.json"
    options = ["--label", "label", "--window", "30", "--save-every", "0"]
    process = subprocess.Popen([PROGRAM, "stream", start, *options, "--save", saved], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    process.stdin.write(HEADER + "".join(drifting[:80]))
    process.stdin.flush()
    for _ in range(70):
        process.stdout.readline()
    process.kill()
    process.communicate()
    learned = json.loads(saved.read_text())["stream"]["learned"]
    assert 50 < learned <= 80
    whole = scant("stream", start, *options, "-q", stdin=HEADER + "".join(drifting)).out.splitlines()
    rest = scant("stream", start, *options, "-q", "--resume", saved, stdin=HEADER + "".join(drifting[learned:]))
    assert rest.out.splitlines()[1:] == whole[learned + 1:]


@pytest.mark.parametrize("how", [["--unlabeled", "em3"], ["--unlabeled", "em1"],
                                 ["--sharing", "common", "-k", "3"], ["-k", "2/class", "--covariance", "diag"],
                                 ["--family", "exponential"], ["--family", "gamma"], ["--prior", "a=0.3,b=0.7"]])
def test_models_of_every_kind(scant, tmp_path, how):
    rng = np.random.default_rng(13)
    z, x = draw(rng, 200)
    x = np.exp(0.2 * x)
    rows = lines(x, [label(k) if i % 3 else "" for i, k in enumerate(z)])
    data, model, saved = (tmp_path / name for name in ("d.csv", "m.json", "s.json"))
    data.write_text(HEADER + "".join(rows))
    scant("fit", data, "--label", "label", *how, "-q", "-o", model)
    options = ["--label", "label", "--window", 40, "-q"]
    whole = scant("stream", model, *options, stdin=HEADER + "".join(rows)).out
    scant("stream", model, *options, "--save", saved, stdin=HEADER + "".join(rows[:90]))
    rest = scant("stream", model, *options, "--resume", saved, stdin=HEADER + "".join(rows[90:])).out
    assert rest.splitlines()[1:] == whole.splitlines()[91:]
    assert accuracy(whole, z) > accuracy(scant("predict", model, data).out, z) - 0.05
    if "--prior" in how:
        assert np.array(json.loads(saved.read_text())["coupling"]).sum(axis=0) == pytest.approx([0.3, 0.7])


def test_labels_that_name_afterwards_are_refused(scant, start, tmp_path):
    model = tmp_path / "m.json"
    scant("fit", tmp_path / "start.csv", "--label", "label", "--unlabeled", "em0", "-k", 2, "-q", "-o", model)
    assert "em0" in scant("stream", model, "--label", "label", ok=2, stdin=HEADER + "1,2,a\n").err


def test_nobody_listens(start, drifting, tmp_path):
    saved = tmp_path / "saved.json"
    process = subprocess.Popen([PROGRAM, "stream", start, "--label", "label", "--save", saved],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    try:
        process.stdin.write(HEADER + "".join(drifting))
        process.stdin.close()
    except BrokenPipeError:
        pass
    assert process.wait(60) == 1
    assert "could not be written" in process.stderr.read() and json.loads(saved.read_text())["stream"]["learned"] == 0


def peak_memory(*args):
    process = subprocess.Popen([PROGRAM, *map(str, args)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return usage.ru_maxrss


@pytest.mark.skipif("asan" in PROGRAM, reason="the sanitizer keeps what was freed for a while")
def test_memory_does_not_grow(scant, start, tmp_path):
    rng = np.random.default_rng(12)
    z, x = draw(rng, 1000)
    few = lines(x, [soft(k, p) for k, p in zip(z, rng.uniform(0.5, 1, 1000))])
    short, long = tmp_path / "short.csv", tmp_path / "long.csv"
    short.write_text(HEADER + "".join(few))
    long.write_text(HEADER + "".join(few) * 100)
    options = ["--label", "label", "--window", 20, "--iterations", 1, "--threads", 1, "-q"]
    least = peak_memory("stream", start, short, *options)
    assert peak_memory("stream", start, long, *options) < least + 1500  # kilobytes; 100 000 rows
