"""scant train: a stack of members from few labels, and the commands that take it."""
import csv
import json
import math

import numpy as np
import pytest

from conftest import write_csv

FIELDS = {"accuracy", "accuracy_interval", "log_loss", "baselines", "members"}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Three classes in six columns, ten labels each; the truth in a column of its own."""
    folder = tmp_path_factory.mktemp("train")
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 900)
    x = rng.normal(size=(900, 6)) + 2 * np.eye(3, 6)[truth]
    seen = [0, 0, 0]
    rows = []
    for i in range(900):
        seen[truth[i]] += 1
        rows.append([*x[i], "abc"[truth[i]] if seen[truth[i]] <= 10 else None, "abc"[truth[i]], f"r{i}"])
    write_csv(folder / "rows.csv", [*(f"x{j}" for j in range(6)), "y", "truth", "id"], rows)
    return folder


LEAVE = ("--ignore", "truth,id")


@pytest.fixture(scope="module")
def model(data):
    from conftest import run
    said = run("train", data / "rows.csv", "--label", "y", *LEAVE, "-o", data / "m.json", "--json")
    return said.json()


def test_headline(model):
    assert FIELDS <= set(model)
    low, high = model["accuracy_interval"]
    assert 0 <= low <= model["accuracy"] <= high <= 1
    assert set(model["baselines"]) == {"majority", "labeled_only", "logistic"}
    assert math.isclose(sum(m["weight"] for m in model["members"]), 1, rel_tol=1e-9)
    assert model["rows"] == 900 and model["labeled"] == 30 and model["held_out"] == 30 and model["stop"] == "converged"


def test_headline_is_first(scant, data):
    lines = scant("train", data / "rows.csv", "--label", "y", *LEAVE, "-q").out.splitlines()
    assert lines[0].startswith("accuracy") and "expected" in lines[0]
    assert lines[1].startswith("compared with") and "majority" in lines[1] and "logistic" in lines[1]


def test_model_goes_on(scant, data, model):
    """predict, evaluate, show and report take it; the interval has the truth."""
    told = scant("evaluate", data / "m.json", data / "rows.csv", "--label", "truth", "--json").json()
    assert told["accuracy"] > 0.8 and told["log_loss"] < 0.6
    low, high = model["accuracy_interval"]
    assert low <= told["accuracy"] <= high
    lines = list(csv.DictReader(scant("predict", data / "m.json", data / "rows.csv").out.splitlines()))
    assert len(lines) == 900
    assert all(abs(sum(float(line[f"p_{k}"]) for k in "abc") - 1) < 1e-9 for line in lines)
    shown = scant("show", data / "m.json", "--json").json()
    assert shown["headline"]["accuracy"] == model["accuracy"] and shown["components"] == 0
    assert scant("show", data / "m.json").out.startswith("accuracy")
    scant("report", data / "m.json", data / "rows.csv", "--label", "truth", "-o", data / "page.html")
    page = (data / "page.html").read_text()
    assert "accuracy" in page and "calibration" in page


def test_asked_rows_have_no_label(data, model):
    rows = list(csv.DictReader(open(data / "rows.csv")))
    assert model["ask"] and all(rows[i - 1]["y"] == "" for i in model["ask"])


def test_same_bytes_for_any_threads(scant, data):
    for threads in (1, 3):
        scant("train", data / "rows.csv", "--label", "y", *LEAVE, "-o", data / f"t{threads}.json", "--threads", threads)
    assert (data / "t1.json").read_bytes() == (data / "t3.json").read_bytes()


def test_order_of_columns_is_free(scant, data, model, tmp_path):
    rows = list(csv.DictReader(open(data / "rows.csv")))
    names = list(reversed(rows[0]))
    write_csv(tmp_path / "turned.csv", names, [[row[n] or None for n in names] for row in rows])
    assert scant("predict", data / "m.json", tmp_path / "turned.csv").out == scant(
        "predict", data / "m.json", data / "rows.csv").out


def test_members(scant, data):
    told = scant("train", data / "rows.csv", "--label", "y", *LEAVE, "--members", "logistic,trees", "--json").json()
    assert {m["name"] for m in told["members"]} == {"logistic", "trees"}
    assert "no member 'treez'" in scant("train", data / "rows.csv", "--label", "y", *LEAVE, "--members", "treez", ok=2).err


@pytest.mark.parametrize("labels, ok, text", [
    ([None] * 40, 3, "no row has a label"),
    (["a"] * 3 + [None] * 37, 3, "all labels are of one class, 'a'"),
    (["a", "b"] + [None] * 38, 0, "equal weights"),
    (["a"] + ["b"] * 9 + [None] * 30, 0, "class a has one label"),
    (["a"] + [None] * 39, 3, "all labels are of one class, 'a'"),
    ([], 3, "there is a header but no row"),
])
def test_bad_labels(scant, tmp_path, labels, ok, text):
    rng = np.random.default_rng(1)
    write_csv(tmp_path / "d.csv", ["x", "z", "y"], [[*rng.normal(size=2), label] for label in labels])
    result = scant("train", tmp_path / "d.csv", "--label", "y", ok=ok)
    assert text in result.out + result.err


def test_labels_that_are_all_wrong(scant, tmp_path):
    """Each row has the label of another class, of three, and no rule is in that: doubted, and a model is written all the same."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 120)
    x = rng.normal(size=(120, 2)) + 3 * np.eye(3, 2)[truth]
    wrong = (truth + 1 + rng.integers(0, 2, 120)) % 3
    write_csv(tmp_path / "d.csv", ["x", "z", "y"], [[*x[i], "abc"[wrong[i]] if i < 30 else None] for i in range(120)])
    told = scant("train", tmp_path / "d.csv", "--label", "y", "-o", tmp_path / "m.json", "--json").json()
    assert told["accuracy"] < 0.6 and told["accuracy_interval"][0] < 0.5
    shuffled = rng.permutation(truth)
    write_csv(tmp_path / "d.csv", ["x", "z", "y"], [[*x[i], "abc"[shuffled[i]] if i < 30 else None] for i in range(120)])
    told = scant("train", tmp_path / "d.csv", "--label", "y", "-o", tmp_path / "m.json", "--json").json()
    assert any("predicted no better than by always naming" in warning for warning in told["warnings"]), told
    scant("predict", tmp_path / "m.json", tmp_path / "d.csv")


def test_labels_some_of_which_are_wrong(scant, tmp_path):
    """A fifth of the labels is another one: the headline is of true classes, and probabilities are nearer to them."""
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 3, 600)
    x = rng.normal(size=(600, 3)) + 3 * np.eye(3)[truth]
    seen = np.where(rng.random(600) < 0.2, (truth + rng.integers(1, 3, 600)) % 3, truth)
    data = write_csv(tmp_path / "d.csv", ["x", "z", "u", "y", "truth"],
                     [[*x[i], "abc"[seen[i]] if i < 120 else None, "abc"[truth[i]]] for i in range(600)])
    found = {}
    for rate in (0, 0.2):
        told = scant("train", data, "--label", "y", "--ignore", "truth", "--label-noise", rate, "-o", tmp_path / "m.json", "--json").json()
        found[rate] = scant("evaluate", tmp_path / "m.json", data, "--label", "truth", "--json").json(), told
    right, told = found[0.2]
    assert told["accuracy_interval"][0] <= right["accuracy"] <= told["accuracy_interval"][1]
    assert found[0][1]["accuracy"] < right["accuracy"] - 0.1  # as the labels stand
    assert right["log_loss"] < found[0][0]["log_loss"] - 0.05 and right["accuracy"] >= found[0][0]["accuracy"] - 0.01
    assert scant("cv", tmp_path / "m.json", data, "--label", "y", "--no-baseline", "--json").json()["accuracy"] > 0.6
    assert "say nothing" in scant("train", data, "--label", "y", "--label-noise", 0.7, ok=2).err


@pytest.mark.parametrize("column", [lambda i: 1.0, lambda i: 1e300 * (i % 2), lambda i: 1e300 if i == 3 else i / 50])
def test_odd_columns(scant, tmp_path, column):
    write_csv(tmp_path / "d.csv", ["x", "y"], [[column(i), "ab"[i % 2] if i < 12 else None] for i in range(50)])
    told = scant("train", tmp_path / "d.csv", "--label", "y", "-o", tmp_path / "m.json", "--json").json()
    assert told["accuracy"] is None or 0 <= told["accuracy"] <= 1
    if column(0) == column(1):
        assert any("no column varies" in w for w in told["warnings"])
    lines = list(csv.DictReader(scant("predict", tmp_path / "m.json", tmp_path / "d.csv").out.splitlines()))
    assert all(0 <= float(line["p_a"]) <= 1 for line in lines)


def test_needs_a_label_column(scant, data):
    assert "--label COL is needed" in scant("train", data / "rows.csv", ok=2).err


def test_stops_and_keeps_the_best(scant, data, tmp_path):
    told = scant("train", data / "rows.csv", "--label", "y", *LEAVE, "--time-limit", "1e-6", "-o", tmp_path / "m.json",
                 "--json", ok=4).json()
    assert told["stop"] == "time" and told["members"]
    scant("predict", tmp_path / "m.json", data / "rows.csv")


def test_commands_that_need_components(scant, data, model):
    assert "components" in scant("simulate", data / "m.json", "-n", 3, ok=2).err


def test_cv_trains_as_the_stack_was_trained(scant, data, model):
    """Its folds agree with the headline, and with what predicts the truth; the settings are the stack's."""
    told = scant("cv", data / "m.json", data / "rows.csv", "--label", "y", "--json").json()
    assert len(told["folds"]) == 5 and sum(f["test_rows"] for f in told["folds"]) == 30
    assert abs(told["accuracy"] - model["accuracy"]) < 0.15 and told["baseline"]["labeled"] == 30
    one = scant("cv", data / "m.json", data / "rows.csv", "--label", "y", "--json", "--threads", 1, "--no-baseline").json()
    assert one["folds"] == told["folds"]
    assert "--covariance is of a fit" in scant("cv", data / "m.json", data / "rows.csv", "--label", "y", "--covariance", "full",
                                               ok=2).err
    scant("train", data / "rows.csv", "--label", "y", *LEAVE, "--members", "logistic", "-o", data / "l.json")
    only = scant("cv", data / "l.json", data / "rows.csv", "--label", "y", "--json").json()
    assert only["log_loss"] != told["log_loss"]
    scant("fit", data / "rows.csv", "--label", "y", *LEAVE, "-o", data / "mixture.json", ok=(0, 4))
    assert "scant train" in scant("cv", data / "mixture.json", data / "rows.csv", "--label", "y", ok=2).err


@pytest.fixture(scope="module")
def drift(tmp_path_factory):
    """A stack of two classes, and rows like its own of which, after 90, columns have moved by 4; every third has a label."""
    from conftest import run
    folder = tmp_path_factory.mktemp("drift")
    rng = np.random.default_rng(3)

    def rows(n, shift, labeled):
        truth = rng.integers(0, 2, n)
        x = rng.normal(size=(n, 3)) + np.outer(truth, [2.5, 0, 0]) + np.array([shift, shift, 0])
        return [[*x[i], "uv"[int(rng.integers(2))], "ab"[truth[i]] if labeled(i) else None, "ab"[truth[i]]] for i in range(n)]

    header = ["p", "q", "r", "c", "y", "truth"]
    write_csv(folder / "start.csv", header, rows(150, 0, lambda i: i < 30))
    write_csv(folder / "live.csv", header, rows(90, 0, lambda i: i % 3 == 0) + rows(270, 4, lambda i: i % 3 == 0))
    run("train", folder / "start.csv", "--label", "y", "--ignore", "truth", "-o", folder / "m.json")
    return folder


def streamed(out):
    return [line["label"] for line in csv.DictReader(out.splitlines())]


def test_a_stream_trains_again(scant, drift):
    """What has moved is learned; rows that have not are answered as well as by the stack that does not learn."""
    truth = [line["truth"] for line in csv.DictReader(open(drift / "live.csv"))]
    right = {}
    for name, options in {"still": ["--iterations", 0], "again": ["--window", 120], "often": ["--window", 120, "--refit", 4]}.items():
        answers = streamed(scant("stream", drift / "m.json", drift / "live.csv", "--label", "y", *options).out)
        right[name] = [np.mean([a == t for a, t in zip(answers[i:j], truth[i:j])]) for i, j in ((0, 90), (240, 360))]
    assert right["still"][0] > 0.8 and right["still"][1] < 0.7
    for name in ("again", "often"):
        assert right[name][0] > right["still"][0] - 0.05 and right[name][1] > 0.8, right


def test_a_stream_of_a_stack_goes_on_from_its_file(scant, drift, tmp_path):
    lines = (drift / "live.csv").read_text().splitlines()
    whole = scant("stream", drift / "m.json", drift / "live.csv", "--label", "y", "--threads", 1).out
    for at in (100, 176):  # the second is between two trainings
        (tmp_path / "a.csv").write_text("\n".join(lines[:at]) + "\n")
        (tmp_path / "b.csv").write_text("\n".join([lines[0], *lines[at:]]) + "\n")
        first = scant("stream", drift / "m.json", tmp_path / "a.csv", "--label", "y", "--save", tmp_path / "s.json").out
        then = scant("stream", drift / "m.json", tmp_path / "b.csv", "--label", "y", "--resume", tmp_path / "s.json").out
        assert first + "".join(then.splitlines(keepends=True)[1:]) == whole
    kept = json.loads((tmp_path / "s.json").read_text())
    assert kept["stream"]["refit"] == 10 and any("loss" in row for row in kept["stream"]["rows"])
    scant("predict", tmp_path / "s.json", drift / "start.csv")  # and is a model


def test_streams_of_texts_are_refused(scant, notes):
    scant("train", notes / "notes.csv", "--label", "y", "--ignore", "truth", "-o", notes / "t.json")
    assert "stack of texts" in scant("stream", notes / "t.json", notes / "notes.csv", "--label", "y", ok=2).err


def test_plan_by_the_learning_curve(scant, data, model):
    """Of a stack the curve is all there is; rows come by what the members do not know."""
    told = scant("plan", data / "m.json", data / "rows.csv", "--label", "y", "--budget", 30, "--repeats", 2, "--json").json()
    assert told["method"] == "curve" and told["limit"] is None and told["excess"] is None and told["parameters"] == 0
    assert told["plan"]["labels"] == 60 and told["plan"]["error"] <= told["now"]["error"]
    rows = list(csv.DictReader(open(data / "rows.csv")))
    chosen = told["choice"]["rows"]
    assert len(set(chosen)) == 30 and all(rows[i - 1]["y"] == "" for i in chosen)
    p = {int(i): line for i, line in enumerate(csv.DictReader(scant("predict", data / "m.json", data / "rows.csv").out.splitlines()), 1)}
    sure = {i: max(float(line[f"p_{k}"]) for k in "abc") for i, line in p.items()}
    assert np.mean([sure[i] for i in chosen]) < np.mean(list(sure.values())) - 0.05
    said = scant("plan", data / "m.json", data / "rows.csv", "--label", "y", "--budget", 30, "--repeats", 2, "-o", data / "next.csv")
    assert "nan" not in said.out.lower() and len((data / "next.csv").read_text().splitlines()) == 31
    assert "--repeats 0" in scant("plan", data / "m.json", data / "rows.csv", "--label", "y", "--budget", 3, "--repeats", 0, ok=2).err


def test_plan_wants_five_labels_a_class(scant, tmp_path):
    rng = np.random.default_rng(2)
    write_csv(tmp_path / "d.csv", ["x", "z", "y"], [[*rng.normal(size=2), "ab"[i % 2] if i < 8 else None] for i in range(60)])
    scant("train", tmp_path / "d.csv", "--label", "y", "-o", tmp_path / "m.json")
    said = scant("plan", tmp_path / "m.json", tmp_path / "d.csv", "--label", "y", "--budget", 3, ok=5)
    assert "class a has 4 labelled rows, fewer than 5" in said.err


def test_damaged_files(scant, data, model, tmp_path):
    """A model file that was cut or changed is refused with its place, never read halfway."""
    good = json.loads((data / "m.json").read_text())
    damage = {
        "spaces": lambda m: m["machine"].pop("spaces"),
        "spread": lambda m: m["machine"]["spaces"]["spread"][0].__setitem__(0, 0),
        "members": lambda m: m["machine"]["members"][0].__setitem__("name", "unheard"),
        "weight": lambda m: m["machine"]["members"][0].__setitem__("weight", 7),
        "method": lambda m: m.__setitem__("method", "unheard"),
    }
    for name, change in damage.items():
        bad = json.loads(json.dumps(good))
        change(bad)
        (tmp_path / "bad.json").write_text(json.dumps(bad))
        assert "bad.json" in scant("show", tmp_path / "bad.json", ok=3).err, name
    for member in range(len(good["machine"]["members"])):
        for key in good["machine"]["members"][member]:
            if key != "name":
                bad = json.loads(json.dumps(good))
                bad["machine"]["members"][member][key] = [[]]
                (tmp_path / "bad.json").write_text(json.dumps(bad))
                scant("show", tmp_path / "bad.json", ok=3)


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """300 rows of 1500 columns, two classes with words of their own, six labels each; once more with a negative number."""
    folder = tmp_path_factory.mktemp("texts")
    rng = np.random.default_rng(6)
    lines = []
    for i in range(300):
        words = np.unique(rng.integers(0, 1500, 40) // 2 * 2 + (rng.random(40) < 0.2 + 0.6 * (i % 2)))
        label = i % 2 if i < 12 else "nan"
        lines.append(f"{label} " + " ".join(f"{w + 1}:{rng.integers(1, 4)}" for w in words))
    (folder / "texts.svmlight").write_text("\n".join(lines) + "\n")
    lines[7] = f"{lines[7].split()[0]} 1:-1 1500:1"
    (folder / "signs.svmlight").write_text("\n".join(lines) + "\n")
    (folder / "narrow.svmlight").write_text("".join(
        f"{i % 2 if i < 12 else 'nan'} 1:{rng.normal() + 3 * (i % 2):.3f} 2:{rng.normal():.3f}\n" for i in range(300)))
    return folder


def test_texts(scant, texts):
    told = scant("train", texts / "texts.svmlight", "--label", "label", "-o", texts / "m.json", "--json").json()
    assert {m["name"] for m in told["members"]} <= {"tfidf", "bayes", "bayes-em", "bayes-em-weak", "topics"}
    assert told["baselines"]["logistic"] is not None and told["warnings"] == []
    assert scant("predict", texts / "m.json", texts / "texts.svmlight", "-o", texts / "p.csv").code == 0
    with open(texts / "p.csv") as source:
        answers = [int(line["label"]) for line in csv.DictReader(source)]
    assert np.mean(np.array(answers) == np.arange(300) % 2) > 0.75
    refused = scant("predict", texts / "m.json", texts / "signs.svmlight", "-o", texts / "q.csv", ok=3)
    assert "is no count" in refused.err and ":8:" in refused.err


def test_no_counts(scant, texts):
    wide = scant("train", texts / "signs.svmlight", "--label", "label", "-o", texts / "n.json", ok=3)
    assert "no counts" in wide.err
    told = scant("train", texts / "narrow.svmlight", "--label", "label", "-o", texts / "n.json", "--json").json()
    assert any("members of words were left out" in warning for warning in told["warnings"])
    assert told["accuracy"] > 0.7


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    """400 rows of two classes: in even rows a number tells them apart, in odd rows the words of a note do."""
    folder = tmp_path_factory.mktemp("notes")
    rng = np.random.default_rng(7)
    own = ["good great lovely fine super nice".split(), "bad awful poor broken ugly slow".split()]
    common = [f"{a}{b}" for a in ("ta", "lo", "mi", "ke") for b in ("ble", "ck", "nd", "ra")]
    rows = []
    for i in range(400):
        k = int(rng.integers(2))
        words = [str(rng.choice(own[k] if i % 2 and rng.random() < 0.5 else common)) for _ in range(9)]
        rows.append([rng.normal() + (0 if i % 2 else 6 * k - 3), rng.normal(), " ".join(words), "pn"[k] if i < 60 else None, "pn"[k]])
    write_csv(folder / "notes.csv", ["x", "z", "note", "y", "truth"], rows)
    return folder


def test_texts_beside_columns(scant, notes):
    """Both are used, which is more than either; the model reads its texts again."""
    how = ("--label", "y", "--ignore", "truth", "--json")
    told = scant("train", notes / "notes.csv", *how, "-o", notes / "m.json").json()
    names = {m["name"] for m in told["members"]}
    assert names & {"logistic", "gaussian", "trees"} and names & {"tfidf", "bayes", "topics"}
    assert not told["warnings"]
    right = {}
    for name, options in {"both": (), "columns": ("--features", "x,z"), "words": ("--features", "note")}.items():
        scant("train", notes / "notes.csv", *how, *options, "-o", notes / f"{name}.json")
        right[name] = scant("evaluate", notes / f"{name}.json", notes / "notes.csv", "--label", "truth", "--json").json()["accuracy"]
    assert right["both"] > 0.9 and right["both"] > max(right["columns"], right["words"]) + 0.1
    kept = json.loads((notes / "m.json").read_text())
    assert "lovely" in kept["reading"]["terms"] and len(kept["columns"]) == 2
    assert scant("cv", notes / "m.json", notes / "notes.csv", "--label", "y", "--json").json()["accuracy"] > 0.8
    again = scant("train", notes / "notes.csv", *how, "--threads", 3, "-o", notes / "n.json")
    assert again.code == 0 and (notes / "n.json").read_bytes() == (notes / "m.json").read_bytes()


def test_texts_are_missed(scant, notes):
    rows = list(csv.DictReader(open(notes / "notes.csv")))
    write_csv(notes / "plain.csv", ["x", "z"], [[row["x"], row["z"]] for row in rows])
    np.save(notes / "plain.npy", np.zeros((3, 2)))
    scant("train", notes / "notes.csv", "--label", "y", "--ignore", "truth", "-o", notes / "k.json")
    for name in ("plain.csv", "plain.npy"):
        assert "no column 'note'" in scant("predict", notes / "k.json", notes / name, ok=3).err


def test_texts_without_words_in_common(scant, tmp_path):
    """60 notes of words that no other has: left out, and the model does without them."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    rows = [[i % 7 + (i % 2), " ".join(letters[i % 26] + letters[i // 26] + c + c for c in "qwxz"), "pn"[i % 2] if i < 20 else None]
            for i in range(60)]
    write_csv(tmp_path / "d.csv", ["x", "note", "y"], rows)
    said = scant("train", tmp_path / "d.csv", "--label", "y", "--types", "note=text", "-o", tmp_path / "m.json")
    assert "no words in common" in said.err
    assert len(scant("predict", tmp_path / "m.json", tmp_path / "d.csv").out.splitlines()) == 61
