"""Chains from the command line: against all paths, their files, order of rows, and what is refused."""
import csv
import io
import itertools
import json
import math
import random

import pytest

from conftest import EXAMPLES

NIGHTS = EXAMPLES / "nights.csv"
ROWS = ("--sequence", "night", "--time", "minute")
FIT = (NIGHTS, *ROWS, "--label", "stage", "--ignore", "truth")


@pytest.fixture(scope="module")
def nights(tmp_path_factory):
    from conftest import run
    path = tmp_path_factory.mktemp("chain") / "nights.json"
    return path, run("fit", *FIT, "-o", path, "--json").json()


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def write(path, header, rows):
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


# --- a chain, its file, what it says ---

def test_fit_says_what_a_chain_is(nights):
    told = nights[1]
    assert told["sequences"] == 8 and told["states"] == told["components"] == 3
    assert sum(told["start"]) == pytest.approx(1)
    assert all(sum(line) == pytest.approx(1) for line in told["transitions"])
    assert told["dwell"][0] == pytest.approx(1 / (1 - told["transitions"][0][0]))
    rows = told["row_model"]
    assert rows["rival"] == "rows" and rows["difference"] > rows["standard_error"]
    assert rows["fit_loglik"] > rows["loglik"]


def test_chain_beats_rows(nights, scant, tmp_path):
    scant("fit", NIGHTS, "--label", "stage", "--ignore", "truth,night,minute", "-o", tmp_path / "rows.json", "-q")
    rows = scant("evaluate", tmp_path / "rows.json", NIGHTS, "--label", "truth", "--json").json()
    chain = scant("evaluate", nights[0], NIGHTS, "--label", "truth", "--json").json()
    assert chain["accuracy"] > rows["accuracy"] + 0.1
    assert chain["segment_f1"] == pytest.approx(
        2 / (1 / chain["segment_precision"] + 1 / chain["segment_recall"]))


def test_same_bytes_for_any_threads(nights, scant, tmp_path):
    scant("fit", *FIT, "-o", tmp_path / "one.json", "--threads", "3", "-q")
    assert (tmp_path / "one.json").read_bytes() == nights[0].read_bytes()


def test_a_file_read_back_says_the_same(nights, scant):
    document = json.loads(nights[0].read_text())
    assert document["schema"] == 5 and document["training"]["sequences"] == 8
    shown = scant("show", nights[0], "--json").json()
    assert shown["transitions"] == document["chain"]["transitions"] and shown["start"] == document["chain"]["start"]


def normal(x, mean, covariance):
    """log density of the cells that are there."""
    seen = [c for c in range(len(x)) if not math.isnan(x[c])]
    if not seen:
        return 0.0
    if len(seen) == 1:
        v, d = covariance[seen[0]][seen[0]], x[seen[0]] - mean[seen[0]]
        return -0.5 * (math.log(2 * math.pi * v) + d * d / v)
    (a, b), (_, c) = covariance
    det, d, e = a * c - b * b, x[0] - mean[0], x[1] - mean[1]
    return -0.5 * (2 * math.log(2 * math.pi) + math.log(det) + (c * d * d - 2 * b * d * e + a * e * e) / det)


@pytest.mark.parametrize("labels", [(), ("--label", "stage", "--use-labels")])
def test_predictions_are_those_of_all_paths(nights, scant, tmp_path, labels):
    document = json.loads(nights[0].read_text())
    start, A = document["chain"]["start"], document["chain"]["transitions"]
    parameters, classes = document["factors"][0]["parameters"], document["classes"]
    sets = {"": classes, "light": ["light"], "light|deep": ["light", "deep"]}
    steps = [("a", 62.5, 5.0, ""), ("a", "", 9.5, "light"), ("a", 53, 1, ""), ("a", "", "", ""), ("a", 58, "", "light|deep"),
             ("b", 70, 8, ""), ("c", 61, 3, ""), ("c", 60, 4, "light")]
    data = write(tmp_path / "few.csv", "night,pulse,movement,stage", steps)
    told = {decode: table(scant("predict", nights[0], data, "--decode", decode, "--digits", "17", *labels).out)
            for decode in ("posterior", "viterbi", "filter")}

    def weight(path, rows):
        total = math.log(start[path[0]])
        for t, (_, pulse, movement, stage) in enumerate(rows):
            total += math.log(A[path[t - 1]][path[t]]) if t else 0
            x = [float(v) if v != "" else math.nan for v in (pulse, movement)]
            total += normal(x, parameters["means"][path[t]], parameters["covariances"][path[t]])
            total += 0 if not labels or classes[path[t]] in sets[stage] else -math.inf
        return total

    for name in "abc":
        at = [i for i, step in enumerate(steps) if step[0] == name]
        rows = [steps[i] for i in at]
        paths = {path: weight(path, rows) for path in itertools.product(range(3), repeat=len(rows))}
        whole = math.log(sum(map(math.exp, paths.values())))
        assert sum(float(told["posterior"][i]["loglik"]) for i in at) == pytest.approx(whole, rel=1e-9)
        best = max(paths, key=paths.get)
        assert sum(float(told["viterbi"][i]["loglik"]) for i in at) == pytest.approx(paths[best], rel=1e-9)
        for t, i in enumerate(at):
            assert told["viterbi"][i]["label"] == classes[best[t]]
            before = {path: weight(path, rows[:t + 1]) for path in itertools.product(range(3), repeat=t + 1)}
            for k, c in enumerate(classes):
                p = sum(math.exp(w - whole) for path, w in paths.items() if path[t] == k)
                q = sum(math.exp(w) for path, w in before.items() if path[t] == k) / sum(map(math.exp, before.values()))
                assert float(told["posterior"][i][f"p_{c}"]) == pytest.approx(p, rel=1e-9, abs=1e-12)
                assert float(told["filter"][i][f"p_{c}"]) == pytest.approx(q, rel=1e-9, abs=1e-12)


def test_a_drawn_chain_is_found_again(nights, scant, tmp_path):
    scant("simulate", nights[0], "-n", "6000", "--length", "100", "-o", tmp_path / "drawn.csv", "-q")
    drawn = table((tmp_path / "drawn.csv").read_text())
    assert [row["sequence"] for row in drawn] == [str(1 + i // 100) for i in range(6000)]
    told = scant("fit", tmp_path / "drawn.csv", "--sequence", "sequence", "--label", "label", "--no-baseline", "--json").json()
    for found, true in zip(told["transitions"], nights[1]["transitions"]):
        assert found == pytest.approx(true, abs=0.03)


def test_whole_sequences_are_held_out(scant):
    told = scant("cv", *FIT, "--folds", "4", "--json").json()
    sizes = [fold["test_rows"] for fold in told["folds"]]
    assert sum(sizes) == 711 and all(fold["train_rows"] + fold["test_rows"] == 711 for fold in told["folds"])
    assert told["accuracy"] > told["row_model"]["accuracy"]


def test_states_by_bic(scant):
    told = scant("select", NIGHTS, *ROWS, "--ignore", "truth,stage", "-k", "1:4", "--covariance", "diag", "--by", "bic",
                 "--json").json()
    best = told["candidates"][told["best"]] if isinstance(told["best"], int) else told["best"]
    assert str(best["components"]) == "3"


# --- the chain that does not help ---

def test_says_where_the_chain_does_not_help(scant, tmp_path):
    r = random.Random(5)
    rows = []
    for s in range(30):
        for _ in range(20):
            z = r.randrange(2)  # stays in 1 of 2
            rows.append((s, r.gauss(2 * z, 1), r.gauss(0, 1), "ab"[z] if r.random() < 0.2 else ""))
    data = write(tmp_path / "even.csv", "id,x,y,label", rows)
    told = scant("fit", data, "--sequence", "id", "--label", "label", "--json").json()
    assert any("the chain does not help" in word for word in told["warnings"])


# --- lengths, weights, zeros ---

def test_a_hundred_thousand_steps(nights, scant, tmp_path):
    scant("simulate", nights[0], "-n", "100000", "--length", "100000", "-o", tmp_path / "long.csv", "-q")
    told = table(scant("predict", nights[0], tmp_path / "long.csv", "--sequence", "sequence").out)
    classes = [name for name in told[0] if name.startswith("p_")]
    assert len(told) == 100000
    for row in told[::997]:
        assert sum(float(row[name]) for name in classes) == pytest.approx(1, abs=1e-5) and math.isfinite(float(row["loglik"]))


def test_a_sequence_of_weight_two_is_two(scant, tmp_path):
    r = random.Random(3)
    one = [[(s, r.gauss(s % 2, 1), "" if t % 3 else "ab"[t % 2], 1 + s % 2) for t in range(8)] for s in range(6)]
    twice = [row[:3] for rows in one for row in rows]
    twice += [(f"again{row[0]}", *row[1:3]) for rows in one for row in rows if row[3] == 2]
    options = ("--sequence", "id", "--label", "y", "--no-baseline", "--json", "--tol", "1e-13")
    heavy = scant("fit", write(tmp_path / "heavy.csv", "id,x,y,w", [row for rows in one for row in rows]), *options,
                  "--weight", "w").json()
    plain = scant("fit", write(tmp_path / "twice.csv", "id,x,y", twice), *options).json()
    assert heavy["loglik"] == pytest.approx(plain["loglik"], rel=1e-6)


def test_left_to_right(scant, tmp_path):
    rows = [(s, 5 * (t // 4) + 0.1 * ((7 * t + 3 * s) % 5), "abc"[t // 4] if t % 2 else "") for s in range(6) for t in range(12)]
    data = write(tmp_path / "steps.csv", "id,x,y", rows)
    told = scant("fit", data, "--sequence", "id", "--label", "y", "--transitions", "left-to-right", "--json").json()
    A = told["transitions"]
    assert told["start"] == [1, 0, 0] and A[1][0] == A[2][0] == A[2][1] == 0
    zeros = write(tmp_path / "zeros.csv", "a,b,c", [(1, 0, 0), (1, 1, 0), (0, 1, 1), (0, 0, 1)])
    same = scant("fit", data, "--sequence", "id", "--label", "y", "--transitions", zeros, "--json").json()
    B = same["transitions"]  # which differs by what is 0 now: from the first to the last
    assert B[1][0] == B[2][0] == B[2][1] == B[0][2] == 0 and B[1] == pytest.approx(A[1], abs=1e-6)


# --- what is wrong with the data ---

HEADER = "id,t,x,y"
GOOD = [("s", 1, 0.5, "a"), ("s", 2, 1.5, "b"), ("s", 3, 0.7, ""), ("u", 1, 0.2, "a"), ("u", 2, 1.9, "b"), ("u", 3, 1.2, "")]


@pytest.mark.parametrize("change, where, words", [
    (lambda rows: rows.insert(4, ("s", 4, 1, "")), ":6:1", "goes on after another one has begun"),
    (lambda rows: rows.__setitem__(2, ("s", 1.5, 1, "")), ":4:2", "1.5 is not after 2"),
    (lambda rows: rows.__setitem__(2, ("s", "", 1, "")), ":4:2", "a time must not be missing"),
    (lambda rows: rows.__setitem__(2, ("s", "soon", 1, "")), ":4:2", "'soon' is not a number; a time must be one"),
    (lambda rows: rows.__setitem__(2, ("", 3, 1, "")), ":4:1", "a sequence must not be missing"),
    (lambda rows: rows.__setitem__(slice(None), [(i, 1, *row[2:]) for i, row in enumerate(rows)]), "", "each sequence has a single step"),
])
def test_order_of_rows(scant, tmp_path, change, where, words):
    rows = list(GOOD)
    change(rows)
    data = write(tmp_path / "rows.csv", HEADER, rows)
    result = scant("fit", data, "--sequence", "id", "--time", "t", "--label", "y", ok=3)
    assert f"rows.csv{where}" in result.err or not where
    assert words in result.err


def test_weights_within_a_sequence(scant, tmp_path):
    data = write(tmp_path / "rows.csv", "id,w,x", [("s", 1, 1), ("s", 2, 2), ("u", 1, 1), ("u", 1, 3)])
    result = scant("fit", data, "--sequence", "id", "--weight", "w", "-k", "2", ok=3)
    assert "rows.csv:3:1" in result.err and "all steps of a sequence have one weight" in result.err


def test_labels_that_no_path_makes(scant, tmp_path):
    rows = [("s", 1, "a"), ("s", 2, "b"), ("s", 1, ""), ("s", 1, "a"), ("u", 1, "a"), ("u", 2, "b"), ("u", 2, "")]
    data = write(tmp_path / "rows.csv", "id,x,y", rows)
    result = scant("fit", data, "--sequence", "id", "--label", "y", "--transitions", "left-to-right", ok=3)
    assert "rows.csv:5:3: y: no path of states" in result.err


def test_tables_of_transitions(scant, tmp_path):
    data = write(tmp_path / "rows.csv", HEADER, GOOD)
    options = (data, "--sequence", "id", "--label", "y", "--ignore", "t", "--transitions")
    small = write(tmp_path / "small.csv", "a,b,c", [(1, 0, 1)])
    assert "1 x 3 for 2 states" in scant("fit", *options, small, ok=3).err
    dead = write(tmp_path / "dead.csv", "a,b", [(1, 1), (0, 0)])
    assert "dead.csv:3:1" in scant("fit", *options, dead, ok=3).err
    assert "cannot open" in scant("fit", *options, tmp_path / "none.csv", ok=3).err


@pytest.mark.parametrize("more", [
    ("--unlabeled", "em3"), ("--prior", "a=.5,b=.5"), ("--sharing", "auto"), ("--label-noise", "estimate"), ("--stderr",)])
def test_what_is_not_for_chains(scant, tmp_path, more):
    data = write(tmp_path / "rows.csv", HEADER, GOOD)
    assert "--sequence" in scant("fit", data, "--sequence", "id", "--label", "y", "--ignore", "t", *more, ok=2).err


def test_what_is_of_independent_rows(nights, scant):
    assert "independent rows" in scant("stream", nights[0], stdin="pulse,movement\n60,5\n", ok=2).err
    assert "independent rows" in scant("predict", nights[0], NIGHTS, "--fisher-scores", ok=2).err


def test_a_broken_chain_is_refused(nights, scant, tmp_path):
    document = json.loads(nights[0].read_text())
    document["chain"]["transitions"][1] = [0.25, 0.25, 0.125]
    (tmp_path / "broken.json").write_text(json.dumps(document))
    assert "chain.transitions[1]: adds up to 0.625, not 1" in scant("show", tmp_path / "broken.json", ok=3).err
