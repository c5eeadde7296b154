"""scant plan: the answers, the picture, the rows to label, and what is refused."""
import csv
import xml.etree.ElementTree

import numpy
import pytest
from conftest import write_csv

FEW = ["--replicates", 8, "--repeats", 2]


def draw(seed, n, labelled, gap=2.0, wrong=False):
    """Two classes of three columns; with `wrong` each is a pair of far lumps that one Gaussian does not fit."""
    random = numpy.random.default_rng(seed)
    y = (random.random(n) < 0.4).astype(int)
    x = random.normal(size=(n, 3))
    x[:, 0] += gap * y
    if wrong:
        x[:, 1] += 6 * (random.random(n) < 0.5) * (2 * y - 1)
    return [[*x[i], "ab"[y[i]] if i < labelled else None] for i in range(n)]


@pytest.fixture
def pilot(scant, tmp_path):
    rows = write_csv(tmp_path / "rows.csv", ["x1", "x2", "x3", "y"], draw(1, 500, 80))
    model = tmp_path / "model.json"
    scant("fit", rows, "--label", "y", "--covariance", "tied", "--no-baseline", "--starts", 2, "-o", model)
    return model, rows


def test_shares_that_fade_are_none(scant, tmp_path):
    """Classes that share components in vain: a plan is that of components of their own, wherever EM has stopped."""
    rows = write_csv(tmp_path / "rows.csv", ["x1", "x2", "x3", "y"], draw(3, 200, 100, gap=6.0))
    traces = []
    for sharing in (["separate"], ["common", "-k", 2], ["common", "-k", 2, "--tol", "1e-5"]):
        model = tmp_path / "model.json"
        scant("fit", rows, "--label", "y", "--covariance", "diag", "--no-baseline", "--starts", 2, "--sharing", *sharing,
              "-o", model)
        told = scant("plan", model, rows, "--label", "y", "--budget", 10, "--json", "--replicates", 10, "--repeats", 0).json()
        traces.append(told["trace"])
    numpy.testing.assert_allclose(traces, traces[0], rtol=1e-2)


def test_intervals_hold_the_optimism_of_a_small_pilot(scant, tmp_path):
    """Three lumps a class, one Gaussian each: 30 labels do not show it, and an interval has to leave room for it."""
    random = numpy.random.default_rng(8)
    lumps = random.normal(size=(2, 3, 6)) * 1.6

    def some(n):
        y = (random.random(n) < 0.4).astype(int)
        return lumps[y, random.integers(3, size=n)] + random.normal(size=(n, 6)), y

    (x, y), (new_x, new_y) = some(300), some(3000)
    names = [f"x{c}" for c in range(6)] + ["y"]
    rows = write_csv(tmp_path / "rows.csv", names,
                     [[*x[i], "ab"[y[i]] if i < 30 else None] for i in range(300)])
    others = write_csv(tmp_path / "others.csv", names, [[*row, "ab"[k]] for row, k in zip(new_x, new_y)])
    model = tmp_path / "model.json"
    scant("fit", rows, "--label", "y", "--unlabeled-weight", 1, "--keep", "--no-baseline", "--covariance", "tied", "-o", model)
    error = 1 - scant("evaluate", model, others, "--label", "y", "--json").json()["accuracy"]
    now = scant("plan", model, rows, "--label", "y", "--budget", 0, "--json", "--replicates", 10, "--repeats", 4).json()["now"]
    assert now["error"] < error / 2  # the model's own word
    assert now["low"] < error < now["high"]


def test_budget(scant, pilot):
    told = scant("plan", *pilot, "--label", "y", "--budget", 120, "--json", *FEW).json()
    assert told["rows"] == 500 and told["labeled"] == 80 and told["method"] in ("model", "curve")
    assert told["now"]["labels"] == 80 and told["now"]["cost"] == 0
    plan = told["plan"]
    assert plan["labels"] == 200 and plan["cost"] == 120 and plan["rows"] == 500
    assert plan["low"] < plan["error"] < plan["high"]
    assert plan["error"] < told["now"]["error"]
    assert 0 < told["unlabeled_worth"] < 1
    assert len(told["choice"]["rows"]) == 120 == len(set(told["choice"]["rows"]))
    assert min(told["choice"]["rows"]) > 80  # the first 80 have labels
    assert told["choice"]["chosen"] < told["choice"]["random"]
    curve = told["curve"]
    assert curve["asymptote"] >= 0 and curve["factor"] >= 0
    nearer = abs(curve["by_curve"] - curve["measured"]) + curve["measured_error"] < abs(
        curve["by_model"] - curve["measured"])
    assert told["method"] == ("curve" if nearer else "model")


def test_nothing_to_gain(scant, tmp_path):
    """Classes that are apart for certain: no error, no worth of a row, and no NaN in any answer."""
    rows = write_csv(tmp_path / "rows.csv", ["x1", "x2", "x3", "y"], draw(2, 120, 60, gap=200.0))
    model = tmp_path / "model.json"
    scant("fit", rows, "--label", "y", "--covariance", "tied", "--no-baseline", "--starts", 2, "-o", model)
    answer = scant("plan", model, rows, "--label", "y", "--budget", 20, *FEW)
    assert "nan" not in answer.out.lower() and "unlabelled row" not in answer.out
    told = scant("plan", model, rows, "--label", "y", "--budget", 20, "--json", *FEW).json()
    assert told["limit"] == 0 and told["excess"] == 0 and told["unlabeled_worth"] is None
    assert told["plan"]["error"] == 0
    told = scant("plan", model, rows, "--label", "y", "--budget", 0, "--json", *FEW).json()
    assert told["choice"] == {"rows": [], "chosen": None, "random": None}


def test_answers_that_no_label_changes(scant, tmp_path):
    """One yes-or-no column, wrong for 15 %: labels do not change the rule, and its error is not 0."""
    rows = [[(i * 7 % 20 < 17) == i % 2, "ab"[i % 2] if i % 3 else None] for i in range(600)]
    data = write_csv(tmp_path / "rows.csv", ["x", "y"], [[int(x), y] for x, y in rows])
    scant("fit", data, "--label", "y", "--family", "bernoulli", "--no-baseline", "-o", tmp_path / "m.json")
    told = scant("plan", tmp_path / "m.json", data, "--label", "y", "--budget", 20, "--json", "--repeats", 0).json()
    assert told["limit"] == pytest.approx(0.15, abs=0.02) and 0.005 < told["limit_error"] < 0.05
    assert told["plan"]["error"] == pytest.approx(told["limit"]) and not told["too_small"]
    scant("plan", tmp_path / "m.json", data, "--label", "y", "--target-error", 0.01, "--repeats", 0, ok=5)


def test_prices_are_decimal(scant, pilot):
    """0.3 buys three labels of 0.1 each, though 0.3 / 0.1 is below 3."""
    cheap = scant("plan", *pilot, "--label", "y", "--budget", 0.3, "--cost", "label=0.1", "--json", *FEW).json()
    assert cheap["plan"]["labels"] == 83 and cheap["plan"]["cost"] == pytest.approx(0.3)


def test_rows_of_a_weight_are_refused(scant, pilot, tmp_path):
    with open(pilot[1]) as file:
        lines = file.read().splitlines()
    heavy = tmp_path / "heavy.csv"
    heavy.write_text("\n".join([lines[0] + ",w"] + [line + ",2" for line in lines[1:]]) + "\n")
    refused = scant("plan", pilot[0], heavy, "--label", "y", "--weight", "w", "--budget", 9, *FEW, ok=2)
    assert "a plan counts rows" in refused.err


def test_target_undoes_budget(scant, pilot):
    bought = scant("plan", *pilot, "--label", "y", "--budget", 100, "--json", *FEW).json()["plan"]
    wanted = scant("plan", *pilot, "--label", "y", "--target-error", repr(bought["error"]), "--json",
                   *FEW).json()["plan"]
    assert wanted["labels"] == bought["labels"]
    assert wanted["labels_low"] <= wanted["labels"]
    assert wanted["labels_high"] is None or wanted["labels_high"] >= wanted["labels"]


def test_trade_buys_more_for_a_higher_price(scant, pilot):
    labels = [scant("plan", *pilot, "--label", "y", "--trade", price, "--json", *FEW).json()["plan"]["labels"]
              for price in (1e3, 1e5)]
    assert labels[0] < labels[1]


def test_rows_can_be_bought(scant, pilot):
    plan = scant("plan", *pilot, "--label", "y", "--budget", 60, "--cost", "label=1,row=0.01", "--rows", 4000,
                 "--json", "--repeats", 0, "--replicates", 8).json()["plan"]
    assert plan["rows"] > 500 and plan["cost"] <= 60


def test_text_and_files(scant, pilot, tmp_path):
    rows, picture = tmp_path / "next.csv", tmp_path / "plan.svg"
    result = scant("plan", *pilot, "--label", "y", "--budget", 25, "-o", rows, "--plot", picture, *FEW)
    for words in ("80 labelled", "forecast by", "which rows", "by chance", "learning curve", "on the pilot"):
        assert words in result.out, words
    assert "seed 1" in result.err
    table = list(csv.DictReader(rows.open()))
    assert len(table) == 25 and all(float(line["gain"]) > 0 for line in table)
    drawn = xml.etree.ElementTree.parse(picture).getroot()
    assert drawn.tag.endswith("svg")
    assert "labels" in "".join(drawn.itertext())


def test_same_bytes(scant, pilot):
    out = [scant("plan", *pilot, "--label", "y", "--budget", 40, "--json", "--threads", threads, *FEW).out
           for threads in (1, 2)]
    assert out[0] == out[1]


def test_wrong_model_takes_the_curve(scant, tmp_path):
    """The model is sure of itself and wrong; the pilot's own errors say so."""
    rows = write_csv(tmp_path / "rows.csv", ["x1", "x2", "x3", "y"], draw(3, 900, 500, gap=0.7, wrong=True))
    model = tmp_path / "model.json"
    scant("fit", rows, "--label", "y", "--covariance", "tied-spherical", "--no-baseline", "-o", model)
    told = scant("plan", model, rows, "--label", "y", "--budget", 100, "--json", "--replicates", 8,
                 "--repeats", 6).json()
    assert told["method"] == "curve"
    gap = abs(told["curve"]["by_model"] - told["curve"]["measured"])
    assert gap > 2 * told["curve"]["measured_error"]
    more = scant("plan", model, rows, "--label", "y", "--budget", 100, "--cost", "row=0.01", "--rows", 5000, "--json",
                 "--replicates", 8, "--repeats", 6)
    assert more.json()["plan"]["rows"] == 900
    assert "--rows 5000: no rows are bought" in more.err


def test_too_small(scant, tmp_path):
    rows = write_csv(tmp_path / "rows.csv", ["x1", "x2", "x3", "y"], draw(4, 300, 8))
    model = tmp_path / "model.json"
    scant("fit", rows, "--label", "y", "--covariance", "tied", "--no-baseline", "-o", model)
    result = scant("plan", model, rows, "--label", "y", "--budget", 10, "--json", *FEW)
    assert result.json()["too_small"] and "labelled rows" in result.json()["why"]
    assert "too small to plan from" in result.err


@pytest.mark.parametrize("seed, name", [(2, "excess"), (15, "drawn_excess")])
def test_excess_is_a_share(scant, tmp_path, seed, name):
    """Four labels: what is forecast by far too few of them is more than all answers."""
    rows = write_csv(tmp_path / "rows.csv", ["x1", "x2", "x3", "y"], draw(seed, 12, 4))
    model = tmp_path / "model.json"
    scant("fit", rows, "--label", "y", "--features", "x1,x2", "--no-baseline", "-o", model)
    told = scant("plan", model, rows, "--label", "y", "--budget", 10, "--json", *FEW).json()
    assert told["too_small"] and told[name] == pytest.approx(1 - told["limit"], rel=1e-12)


def test_out_of_reach(scant, pilot):
    result = scant("plan", *pilot, "--label", "y", "--target-error", 0.0001, *FEW, ok=5)
    assert "out of reach" in result.err


@pytest.mark.parametrize("options, words", [
    ([], "--budget"),
    (["--budget", 5, "--trade", 5], "--budget"),
    (["--budget", 5, "--cost", "hour=1"], "hour=1"),
    (["--budget", 5, "--cost", "label=0"], "label all"),
    (["--budget", 5, "--rows", 7], "--rows"),
])
def test_usage(scant, pilot, options, words):
    assert words in scant("plan", *pilot, "--label", "y", *options, ok=2).err


def test_sharing_by_a_degree_is_refused(scant, pilot, tmp_path):
    """It maximises no likelihood; of how it was fitted a model file has the settings alone."""
    scant("fit", pilot[1], "--label", "y", "--sharing", "lambda=0.3", "--no-baseline", "-o", tmp_path / "shared.json")
    refused = scant("plan", tmp_path / "shared.json", pilot[1], "--label", "y", "--budget", 5, *FEW, ok=2)
    assert "maximises the likelihood" in refused.err


def test_linear_classifiers_are_refused(scant, tmp_path):
    rows = [[*row[:3], row[3] and "01"[row[3] == "b"]] for row in draw(1, 200, 50)]
    data, model = write_csv(tmp_path / "rows.csv", ["x1", "x2", "x3", "y"], rows), tmp_path / "blind.json"
    scant("blind", data, "--ignore", "y", "--prior", 0.4, "-o", model)
    assert "linear classifier" in scant("plan", model, data, "--label", "y", "--budget", 5, *FEW, ok=2).err


def test_rows_of_another_fit_are_said(scant, pilot, tmp_path):
    """A fit that had class probabilities beside, which the rows have not: its parameters are surer than labels make them."""
    context, model = tmp_path / "context.csv", tmp_path / "with.json"
    context.write_text("p_a,p_b\n" + "0.6,0.4\n" * 500)
    scant("fit", pilot[1], "--label", "y", "--covariance", "tied", "--no-baseline", "--context", context, "-o", model)
    short = ["--label", "y", "--budget", 5, "--replicates", 8, "--repeats", 0]
    told = scant("plan", model, pilot[1], *short).err
    assert "fitted to 500 rows, 500 with a label or class probabilities; here are 500, 80 labelled" in told
    assert "fitted to" not in scant("plan", *pilot, *short).err


def test_one_thing_on_standard_output(scant, pilot):
    """The rows alone, or the plan; and one file from standard input."""
    ask = ["plan", *pilot, "--label", "y", "--budget", 5, "--replicates", 8, "--repeats", 0, "-o", "-"]
    table = list(csv.DictReader(scant(*ask).out.splitlines()))
    assert len(table) == 5 and all(float(line["gain"]) > 0 for line in table)
    assert "standard output" in scant(*ask, "--json", ok=2).err
    assert "standard input" in scant("plan", "-", "-", "--label", "y", "--budget", 5, ok=2).err


def test_label_is_needed(scant, pilot):
    assert "--label" in scant("plan", *pilot, "--budget", 5, ok=2).err


@pytest.mark.parametrize("command", [["plan", "--budget", 3], ["predict"], ["evaluate"]])
def test_model_without_classes_is_told(scant, pilot, tmp_path, command):
    """Before its rows are read: their labels would be none of 0 classes."""
    model = tmp_path / "plain.json"
    scant("fit", pilot[1], "--ignore", "y", "-k", 2, "--starts", 1, "-q", "-o", model)
    assert "--label: the model has no classes" in scant(*command, model, pilot[1], "--label", "y", ok=2).err
