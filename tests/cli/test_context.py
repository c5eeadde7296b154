"""Contexts: class probabilities made of them, and what commands do with class probabilities beside labels."""
import csv
import io
import math
import subprocess

import numpy as np
import pytest

import models
from conftest import PROGRAM, write_csv

CLASSES = ("a", "b", "c")


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def cell(p):
    return ";".join(f"{name}:{float(x)!r}" for name, x in zip(CLASSES, p))


@pytest.fixture
def data(tmp_path):
    """Three overlapping classes. Some rows are labelled, most have probabilities, some have neither; the same in
    label cells (cells.csv), in columns of the data (columns.csv) and in a file beside (p.csv, data.csv)."""
    rng = np.random.default_rng(5)
    n = 240
    z = rng.integers(3, size=n)
    x = rng.normal(size=(n, 2)) + np.array([[0, 0], [2.5, 0], [0, 2.5]])[z]
    p = rng.dirichlet(np.ones(3), n) + 2 * np.eye(3)[z]
    p /= p.sum(1, keepdims=True)
    p[5:9] = 0.25, 0.5, 0.25  # equal vectors are kept once
    label = [CLASSES[z[i]] if i % 10 == 0 else "" for i in range(n)]
    known = [i % 10 != 0 and i % 10 != 1 for i in range(n)]
    shown = [p[i].tolist() if known[i] else [None] * 3 for i in range(n)]
    header = ["x", "y"]
    write_csv(tmp_path / "cells.csv", [*header, "label"],
              [[*x[i], cell(p[i]) if known[i] else label[i]] for i in range(n)])
    write_csv(tmp_path / "columns.csv", ["x", "p_c", "p_a", "y", "b", "label"],
              [[x[i, 0], shown[i][2], shown[i][0], x[i, 1], shown[i][1], label[i]] for i in range(n)])
    write_csv(tmp_path / "data.csv", [*header, "label"], [[*x[i], label[i]] for i in range(n)])
    write_csv(tmp_path / "p.csv", ["note", "p_b", "p_a", "p_c"],
              [["some text", shown[i][1], shown[i][0], shown[i][2]] for i in range(n)])
    write_csv(tmp_path / "true.csv", [*header, "truth"], [[*x[i], CLASSES[z[i]]] for i in range(n)])
    return tmp_path


def same_model(one, two, tolerance=1e-12):
    """Numbers of two model files agree, and everything else is equal."""
    if isinstance(one, dict):
        assert one.keys() == two.keys()
        for key in one:
            same_model(one[key], two[key], tolerance)
    elif isinstance(one, list):
        assert len(one) == len(two)
        for a, b in zip(one, two):
            same_model(a, b, tolerance)
    elif isinstance(one, float):
        assert one == pytest.approx(two, rel=tolerance, abs=tolerance)
    else:
        assert one == two


# --- the same probabilities in three places ---


@pytest.mark.parametrize("mode", ["likelihood", "prior", "posterior"])
@pytest.mark.parametrize("more", [[], ["--sharing", "common", "-k", 4], ["-k", "2/class", "--starts", 2]],
                         ids=["separate", "common", "two"])
def test_label_cells_columns_and_files_fit_alike(scant, data, mode, more):
    def fit(name, *where):
        out = data / f"{name}.json"
        scant("fit", data / f"{name}.csv", "--label", "label", *where, "--context-mode", mode, "-q", "-o", out, *more,
              ok=(0, 4))
        return models.load(out)

    cells = fit("cells")
    same_model(cells, fit("columns", "--context", "p_*,b"))
    same_model(cells, fit("data", "--context", data / "p.csv"))


@pytest.mark.parametrize("mode", ["likelihood", "prior"])
def test_predictions_alike(scant, data, mode):
    scant("fit", data / "cells.csv", "--label", "label", "-q", "-o", data / "m.json")
    told = [rows_of(scant("predict", data / "m.json", data / f"{name}.csv", "--digits", 17, "--context-mode", mode, *more).out)
            for name, more in [("cells", ["--label", "label", "--use-labels"]),
                               ("columns", ["--label", "label", "--use-labels", "--context", "p_c,p_a,b"]),
                               ("data", ["--label", "label", "--use-labels", "--context", data / "p.csv"])]]
    for other in told[1:]:
        assert [r["label"] for r in other] == [r["label"] for r in told[0]]
        for column in ("p_a", "p_b", "p_c", "support", "loglik"):
            np.testing.assert_allclose([float(r[column]) for r in other], [float(r[column]) for r in told[0]],
                                       rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("labelled", [0, 40])
def test_a_class_without_a_share_keeps_its_components(scant, tmp_path, labelled):
    """No row favours c, and no label says so; its components are told by the rows that bring its probability."""
    rng = np.random.default_rng(6)
    z = np.repeat([0, 1, 2, 3], [100, 100, 90, 10])
    x = rng.normal(size=len(z)) + 40 * z
    p = np.array([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.35, 0.35, 0.3], [0.35, 0.35, 0.3]])
    labels = [CLASSES[i % 2] if i < labelled else cell(p[k]) for i, k in enumerate(z)]
    x[:labelled] += 40 * (np.arange(labelled) % 2)
    write_csv(tmp_path / "rows.csv", ["x", "y"], [[repr(float(v)), y] for v, y in zip(x, labels)])
    scant("fit", tmp_path / "rows.csv", "--label", "y", "-k", "a=1,b=1,c=2", "--context-mode", "prior", "--no-baseline",
          "-q", "-o", tmp_path / "m.json")
    of_c = np.array(models.load(tmp_path / "m.json")["coupling"])[2:, 2]
    np.testing.assert_allclose(sorted(of_c / of_c.sum()), [0.1, 0.9], rtol=1e-6)


def posterior(path, x, p, mode):
    """P(class | x, context) of every row, by the formula; rows of NaN have no context."""
    model = models.load(path)
    _, means, covariances = models.gaussian(model)
    W = np.array(model["coupling"], float)
    F = np.stack([np.exp(-0.5 * np.einsum("ni,ij,nj->n", x - m, np.linalg.inv(S), x - m)) /
                  math.sqrt(np.linalg.det(2 * math.pi * S)) for m, S in zip(means, covariances)], axis=1)
    coupling = W / W.sum(0) if mode == "prior" else W
    with_p = (F @ coupling) * p
    result = np.where(np.isnan(p), F @ W, with_p)
    return result / result.sum(1, keepdims=True)


@pytest.mark.parametrize("mode", ["likelihood", "prior"])
@pytest.mark.parametrize("sharing", ["separate", "common"])
def test_predictions_follow_the_formula(scant, data, mode, sharing):
    """Without --use-labels the labels are not looked at. Shared components tell the two modes apart: classes of a
    component then depend on the proportions, which `prior` must leave out."""
    scant("fit", data / "cells.csv", "--label", "label", "--sharing", sharing, "-k", 3, "-q", "-o", data / "m.json")
    told = rows_of(scant("predict", data / "m.json", data / "data.csv", "--digits", 17, "--label", "label", "--context", data / "p.csv",
                         "--context-mode", mode).out)
    rows, context = rows_of((data / "data.csv").read_text()), rows_of((data / "p.csv").read_text())
    x = np.array([[float(r["x"]), float(r["y"])] for r in rows])
    p = np.array([[float(r[f"p_{k}"] or "nan") for k in CLASSES] for r in context])
    ours = np.array([[float(r[f"p_{k}"]) for k in CLASSES] for r in told])
    np.testing.assert_allclose(ours, posterior(data / "m.json", x, p, mode), rtol=0, atol=1e-10)


def test_predictions_take_the_mode_of_the_fit(scant, data):
    scant("fit", data / "cells.csv", "--label", "label", "--context-mode", "prior", "-q", "-o", data / "m.json")
    ask = ["predict", data / "m.json", data / "data.csv", "--context", data / "p.csv"]
    assert scant(*ask).out == scant(*ask, "--context-mode", "prior").out
    assert scant(*ask).out != scant(*ask, "--context-mode", "likelihood").out


def test_evaluate_uses_the_context_and_not_the_labels(scant, data):
    scant("fit", data / "cells.csv", "--label", "label", "-q", "-o", data / "m.json")
    ask = ["evaluate", data / "m.json", data / "true.csv", "--label", "truth", "--json"]
    alone, helped = scant(*ask).json(), scant(*ask, "--context", data / "p.csv").json()
    predicted = rows_of(scant("predict", data / "m.json", data / "true.csv", "--digits", 17, "--context", data / "p.csv").out)
    truth = [r["truth"] for r in rows_of((data / "true.csv").read_text())]
    right = np.mean([r["label"] == t for r, t in zip(predicted, truth)])
    assert helped["rows"] == 240 and helped["accuracy"] == pytest.approx(right)
    assert alone["accuracy"] < helped["accuracy"] < 1


def test_predictions_can_be_a_context(scant, data):
    """What predict writes is a context file: p_<class> beside other columns."""
    scant("fit", data / "cells.csv", "--label", "label", "-q", "-o", data / "m.json")
    scant("predict", data / "m.json", data / "data.csv", "-q", "-o", data / "out.csv")
    told = scant("fit", data / "data.csv", "--ignore", "label", "--context", data / "out.csv", "--context-mode", "posterior",
                 "--json", "-q").json()
    assert told["classes"] == list(CLASSES) and told["labeled"] == 240


# --- one file a command ---


@pytest.mark.parametrize("command,more", [("cv", ["--folds", 3]), ("select", ["-k", "1:2/class", "--covariance", "diag"])])
def test_cv_and_select_take_a_context(scant, data, command, more):
    ask = [command, "--label", "label", "--json", "-q", *more]
    told = [scant(*ask, data / f"{name}.csv", *where).json() for name, where in
            [("cells", []), ("columns", ["--context", "p_*,b"]), ("data", ["--context", data / "p.csv"])]]
    for result in told:
        result.pop("seconds", None)
    same_model(told[0], told[1])
    same_model(told[0], told[2])


def test_context_prior_is_divided_out(scant, data):
    prior = dict(zip(CLASSES, (0.2, 0.3, 0.5)))
    text = ",".join(f"{k}={q}" for k, q in prior.items())
    rows = rows_of((data / "p.csv").read_text())
    divided = []
    for row in rows:
        v = [float(row[f"p_{k}"]) / prior[k] if row["p_a"] else None for k in CLASSES]
        divided.append([x / sum(v) if x is not None else None for x in v])
    write_csv(data / "divided.csv", [f"p_{k}" for k in CLASSES], divided)
    fit = ["fit", "--label", "label", "-q", "--json"]
    by_hand = scant(*fit, data / "data.csv", "--context", data / "divided.csv").json()["loglik"]
    assert scant(*fit, data / "data.csv", "--context", data / "p.csv", "--context-prior",
                 text).json()["loglik"] == pytest.approx(by_hand, rel=1e-10)
    # label cells are class probabilities too
    assert scant(*fit, data / "cells.csv", "--context-prior", text).json()["loglik"] == pytest.approx(by_hand, rel=1e-10)
    scant(*fit, data / "data.csv", "--context-prior", "a=0.5,b=0.5", ok=2)


def test_a_label_and_a_context(scant, tmp_path):
    """An exact label wins, a set limits the context, and what cannot both be is an error with its place."""
    data = write_csv(tmp_path / "d.csv", ["x", "y"], [[0.1 * i, "a" if i % 2 else "b"] for i in range(8)])
    p = write_csv(tmp_path / "p.csv", ["a", "b"], [[0.5, 0.5]] * 8)
    fit = ["fit", data, "--label", "y", "--json", "-q"]
    assert scant(*fit, "--context", p).json()["loglik"] == scant(*fit).json()["loglik"]
    write_csv(tmp_path / "p.csv", ["a", "b"], [[0.5, 0.5]] * 3 + [[0, 1]] + [[0.5, 0.5]] * 4)
    told = scant(*fit, "--context", p, ok=3)
    assert "p.csv:5:1: a: the row's probabilities rule out what its label says" in told.err


# --- what is refused ---

GOOD = ["p_a,p_b"] + ["0.5,0.5"] * 6


def replaced(line, text):
    return [*GOOD[:line - 1], text, *GOOD[line:]]


@pytest.mark.parametrize("lines,told", [
    (replaced(4, "0.5,0.4"), "p.csv:4:1: p_a: the row's probabilities sum to 0.9, not 1"),
    (replaced(4, "0.5,0.500002"), "p.csv:4:1: p_a: the row's probabilities sum to 1.000002"),
    (replaced(4, "-0.5,1.5"), "p.csv:4:1: p_a: a probability must not be negative, as -0.5 is"),
    (replaced(4, "0.5,half"), "p.csv:4:2: p_b: 'half' is not a number; a probability must be one"),
    (replaced(4, "0.5,inf"), "p.csv:4:2: p_b: 'inf' is not finite"),
    (replaced(4, "1,"), "p.csv:4:2: p_b: a probability is missing among others"),
    (replaced(4, "1"), "p.csv:4:2: 1 field, but the header has 2"),
    (GOOD[:-1], "p.csv:6:1: p_a: the last of 5 rows, but d.csv has 6 rows"),
    ([*GOOD, "0.5,0.5"], "p.csv:8:1: p_a: row 7, but d.csv has 6 rows"),
    (["p_a,p_b,p_a"] + ["0.5,0.5,0"] * 6, "p.csv:1:3: column 1 is named 'p_a' too"),
    ([], "p.csv: the file is empty"),
])
def test_bad_files(scant, tmp_path, lines, told):
    write_csv(tmp_path / "d.csv", ["x", "y"], [[0.1 * i, "a" if i % 2 else "b"] for i in range(6)])
    (tmp_path / "p.csv").write_text("".join(line + "\n" for line in lines))
    result = scant("fit", "d.csv", "--label", "y", "--context", "p.csv", "-o", "m.json", ok=3, cwd=tmp_path)
    assert told in result.err and result.out == "" and not (tmp_path / "m.json").exists()


def test_a_tolerance_of_a_millionth(scant, tmp_path):
    write_csv(tmp_path / "d.csv", ["x"], [[0.1 * i] for i in range(6)])
    (tmp_path / "p.csv").write_text("\n".join(replaced(4, "0.5,0.5000009")) + "\n")
    scant("fit", "d.csv", "--context", "p.csv", "-q", cwd=tmp_path)


def test_columns_and_classes_that_are_not_there(scant, data):
    scant("fit", data / "cells.csv", "--label", "label", "-q", "-o", data / "m.json")
    told = scant("predict", data / "m.json", data / "data.csv", "--context", data / "absent.csv", ok=3).err
    assert "there is no file or context column" in told and "absent.csv" in told
    text = (data / "p.csv").read_text().replace("p_c", "p_d", 1)
    (data / "q.csv").write_text(text)
    for command in ("predict", "evaluate"):
        told = scant(command, "m.json", "data.csv", "--label", "label", "--context", "q.csv", ok=3, cwd=data).err
        assert "q.csv:1:4: p_d: 'd' is not one of the 3 classes" in told
    told = scant("fit", "columns.csv", "--context", "p_a,p_aa", ok=3, cwd=data).err
    assert "'p_aa'; did you mean 'p_a'?" in told


def test_models_that_cannot_take_a_context(scant, data):
    scant("fit", data / "data.csv", "--ignore", "label", "-k", 2, "-q", "-o", data / "plain.json")
    told = scant("predict", data / "plain.json", data / "data.csv", "--context", data / "p.csv", ok=2).err
    assert "no classes" in told
    scant("fit", data / "data.csv", "--label", "label", "--unlabeled", "em3", "-q", "-o", data / "own.json")
    told = scant("predict", data / "own.json", data / "data.csv", "--context", data / "p.csv", ok=2).err
    assert "em3" in told


def test_evidence_that_contradicts_the_coupling(scant, tmp_path):
    """A start that gives class b no component's mass cannot make a row labelled b."""
    x = [[0.3 * i] for i in range(8)]
    write_csv(tmp_path / "d.csv", ["x"], x)
    write_csv(tmp_path / "sure.csv", ["p_a", "p_b"], [[1, 0]] * 8)
    write_csv(tmp_path / "open.csv", ["p_a", "p_b"], [[1, 0]] * 5 + [[0, 1]] + [[1, 0]] * 2)
    write_csv(tmp_path / "z.csv", ["a", "b"], [[1, 1]])
    fit = ["fit", "d.csv", "--sharing", "z.csv", "-q"]
    scant(*fit, "--context", "sure.csv", "-o", "m.json", cwd=tmp_path)
    told = scant(*fit, "--context", "open.csv", "--start", "m.json", ok=3, cwd=tmp_path).err
    assert "d.csv:7: context: no component can make this row" in told


@pytest.mark.parametrize("lines,told", [
    (["a,b", "1,0", "0,0", "0,1"], "z.csv:3:1: a: component 2 serves no class"),
    (["a,b", "1,0", "1,0"], "z.csv:1:2: b: no component serves class b"),
    (["a,b", "1,0", "0,"], "z.csv:3:2: b: expected 0 or 1"),
])
def test_tables_of_sharing_with_gaps(scant, tmp_path, lines, told):
    write_csv(tmp_path / "d.csv", ["x", "p_a", "p_b"], [[0.3 * i, 0.4, 0.6] for i in range(8)])
    (tmp_path / "z.csv").write_text("\n".join(lines) + "\n")
    result = scant("fit", "d.csv", "--context", "p_a,p_b", "--sharing", "z.csv", ok=3, cwd=tmp_path)
    assert told in result.err


# --- scant context ---


@pytest.fixture
def tables(tmp_path):
    (tmp_path / "given.csv").write_text("context,p_a,p_b\nday,0.9,0.1\nnight,0.25,0.75\n")
    (tmp_path / "likelihood.csv").write_text("class,p_day,p_night\na,0.8,0.2\nb,0.3,0.7\n")
    (tmp_path / "c.csv").write_text("p_day,p_night\n0.5,0.5\n1,0\n,\n")
    (tmp_path / "d.csv").write_text("x,time\n1,night\n2,\n3,day\n")
    return tmp_path


def probabilities(result):
    return [[float(r[k]) if r[k] else None for k in ("p_a", "p_b")] for r in rows_of(result.out)]


def negentropy(p):
    return 1 + sum(x * math.log(x, len(p)) for x in p if x) if p[0] is not None else 0


def test_latent_and_observed_contexts(scant, tables):
    latent = scant("context", "--prior", "c.csv", "--given", "given.csv", "-q", cwd=tables)
    assert probabilities(latent) == [pytest.approx([0.575, 0.425]), pytest.approx([0.9, 0.1]), [None, None]]
    observed = scant("context", "d.csv", "--observed", "time", "--given", "given.csv", "-q", cwd=tables)
    assert probabilities(observed) == [[0.25, 0.75], [None, None], [0.9, 0.1]]
    for result in (latent, observed):
        told = [float(r["negentropy"]) for r in rows_of(result.out)]
        assert told == pytest.approx([negentropy(p) for p in probabilities(result)], abs=1e-15)
        assert told[probabilities(result).index([None, None])] == 0


def test_contexts_given_the_class(scant, tables):
    weigh = scant("context", "d.csv", "--observed", "time", "--likelihood", "likelihood.csv", "-q", cwd=tables)
    assert probabilities(weigh) == [pytest.approx([0.2 / 0.9, 0.7 / 0.9]), [None, None],
                                    pytest.approx([0.8 / 1.1, 0.3 / 1.1])]
    bayes = ["--likelihood", "likelihood.csv", "--class-prior", "a=0.6,b=0.4", "-q"]
    observed = scant("context", "d.csv", "--observed", "time", *bayes, cwd=tables)
    night = 0.2 * 0.6 / (0.2 * 0.6 + 0.7 * 0.4)
    day = 0.8 * 0.6 / (0.8 * 0.6 + 0.3 * 0.4)
    assert probabilities(observed) == [pytest.approx([night, 1 - night]), [None, None], pytest.approx([day, 1 - day])]
    latent = scant("context", "--prior", "c.csv", *bayes, cwd=tables)
    assert probabilities(latent)[0] == pytest.approx([(night + day) / 2, 1 - (night + day) / 2])


def test_context_summaries(scant, tables):
    ask = ["context", "d.csv", "--observed", "time", "--given", "given.csv"]
    told = scant(*ask, "--json", "-o", "p.csv", cwd=tables).json()
    mean = (negentropy([0.25, 0.75]) + 0 + negentropy([0.9, 0.1])) / 3
    assert told == {"rows": 3, "classes": ["a", "b"], "contexts": "observed", "context_mode": "prior",
                    "negentropy": pytest.approx(mean), "empty": 1, "output": "p.csv"}
    plain = scant(*ask, cwd=tables)
    assert plain.out == (tables / "p.csv").read_text()
    assert f"negentropy {mean:.6g} on average over 3 rows" in plain.err
    text = scant(*ask, "-o", "q.csv", cwd=tables)
    assert text.err == "" and f"{mean:.6g}" in text.out and "--context-mode prior" in text.out
    told = scant("context", "d.csv", "--observed", "time", "--likelihood", "likelihood.csv", "--json", cwd=tables).json()
    assert told["context_mode"] == "likelihood" and "output" not in told


@pytest.mark.parametrize("name,text,told", [
    ("c.csv", "p_day,p_noon\n0.5,0.5\n", "c.csv:1:2: p_noon: given.csv has no row for context 'noon'"),
    ("c.csv", "p_day,p_night\n0.5,0.5\n0.5,0.6\n", "c.csv:3:1: p_day: the row's probabilities sum to 1.1"),
    ("c.csv", "p_day,p_night\n0.5,x\n", "c.csv:2:2: p_night: 'x' is not a number; a probability must be one"),
    ("given.csv", "context,p_a,p_b\nday,0.9,0.1\nnight,0.9,0.2\n", "given.csv:3:2: p_a: the row's probabilities sum"),
    ("given.csv", "context,p_a,p_b\nday,0.9,0.1\nnight,-1,2\n", "given.csv:3:2: p_a: a probability must not be neg"),
    ("given.csv", "context,p_a,p_b\nday,0.9,0.1\nday,0.5,0.5\n", "given.csv:3:2: p_a: context 'day' has a row already"),
])
def test_bad_contexts(scant, tables, name, text, told):
    (tables / name).write_text(text)
    result = scant("context", "--prior", "c.csv", "--given", "given.csv", "-o", "p.csv", ok=3, cwd=tables)
    assert told in result.err and result.out == "" and not (tables / "p.csv").exists()


def test_bad_observed_contexts(scant, tables):
    (tables / "d.csv").write_text("x,time\n1,nigth\n")
    ask = ["context", "d.csv", "--given", "given.csv", "--observed"]
    told = scant(*ask, "time", ok=3, cwd=tables).err
    assert "d.csv:2:2: time: given.csv has no row for context 'nigth'; did you mean 'night'?" in told
    assert "'tim'; did you mean 'time'?" in scant(*ask, "tim", ok=3, cwd=tables).err
    (tables / "given.csv").write_text("p_a,p_b\n0.9,0.1\n")
    assert "given.csv: a column `context`" in scant(*ask, "time", ok=3, cwd=tables).err
    told = scant("context", "d.csv", "--observed", "time", "--likelihood", "given.csv", ok=3, cwd=tables).err
    assert "'class'" in told
    assert "absent.csv" in scant("context", "--prior", "absent.csv", "--given", "c.csv", ok=3, cwd=tables).err


def test_a_context_helps_from_end_to_end(scant, tmp_path):
    """Two classes that overlap, no label anywhere, and a context that is right four times in five: contexts piped into
    a fit give a classifier of new rows about as good as the true densities' and better than the context itself."""
    rng = np.random.default_rng(8)
    n = 600
    z = rng.integers(2, size=n)
    x = rng.normal(size=n) + 2.2 * z
    time = np.where(rng.random(n) < 0.8, z, 1 - z)
    write_csv(tmp_path / "train.csv", ["x", "time"], [[x[i], ["day", "night"][time[i]]] for i in range(300)])
    write_csv(tmp_path / "test.csv", ["x", "truth"], [[x[i], "ab"[z[i]]] for i in range(300, n)])
    (tmp_path / "given.csv").write_text("context,p_a,p_b\nday,0.8,0.2\nnight,0.2,0.8\n")
    for mode in ("prior", "likelihood"):
        done = subprocess.run(
            f"{PROGRAM} context train.csv --observed time --given given.csv -q | "
            f"{PROGRAM} fit train.csv --features x --context - --context-mode {mode} -q -o {mode}.json",
            shell=True, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        told = scant("evaluate", f"{mode}.json", "test.csv", "--label", "truth", "--json", cwd=tmp_path).json()
        best = np.mean((x[300:] > 1.1) == z[300:])  # of the true classes' densities
        assert told["accuracy"] > best - 0.02 and best > 0.82
        _, means, _ = models.gaussian(models.load(tmp_path / f"{mode}.json"))
        assert means.ravel() == pytest.approx([0, 2.2], abs=0.3)
