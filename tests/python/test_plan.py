"""LabelPlan: the command line's answers to the last digit, and what they must be by themselves."""
import pickle

import numpy as np
import pytest

import scant
from scant import LabelPlan, MixtureClassifier
from conftest import told

pandas = pytest.importorskip("pandas")
QUICK = {"replicates": 4, "repeats": 1, "threads": 1}
LIKELIHOOD = {"shrinkage": 0, "unlabeled_weight": 1, "keep": True}  # a plan is of its maximum
WORDS = ["--replicates", "4", "--repeats", "1", "--threads", "1"]


@pytest.fixture(scope="module")
def pilot():
    """Two normal classes in three columns; 60 of 600 rows are labelled."""
    rng = np.random.default_rng(11)
    truth = (rng.random(600) < 0.4).astype(int)
    X = pandas.DataFrame(rng.normal(size=(600, 3)) + np.where(truth[:, None], [2, 0, 0], 0), columns=list("uvw"))
    y = pandas.Series(np.array(["no", "yes"])[truth]).where(np.arange(600) < 60)
    return X, y, MixtureClassifier(covariance="tied", starts=2, threads=1, **LIKELIHOOD).fit(X, y)


@pytest.mark.filterwarnings("ignore:the pilot is too small")
@pytest.mark.parametrize("question, words", [
    ({"budget": 50}, ["--budget", "50"]),
    ({"target_error": 0.177, "cost": {"label": 2, "row": 0.01}, "rows": 5000},
     ["--target-error", "0.177", "--cost", "label=2,row=0.01", "--rows", "5000"]),
    ({"trade": 1e4, "random_state": 3}, ["--trade", "10000", "--seed", "3"]),
])
def test_the_same_as_the_command_line(pilot, tmp_path, question, words):
    X, y, classifier = pilot
    X.assign(label=y).to_csv(tmp_path / "rows.csv", index=False, float_format="%.17g")
    classifier.save(tmp_path / "model.json")
    said = told("plan", tmp_path / "model.json", tmp_path / "rows.csv", "--label", "label", *WORDS, *words, "-o",
                tmp_path / "next.csv")
    plan = LabelPlan(pilot=classifier, **question, **QUICK).fit(X, y)
    for name in ("labels", "rows", "cost", "error"):
        assert getattr(plan, f"{name}_") == said["plan"][name], name
    assert plan.error_interval_ == (said["plan"]["low"], said["plan"]["high"])
    if "labels_low" in said["plan"]:
        ends = [np.inf if end is None else end for end in (said["plan"]["labels_low"], said["plan"]["labels_high"])]
        assert list(plan.labels_interval_) == ends
    for name in ("limit", "excess", "drawn_excess", "unlabeled_worth", "method", "too_small"):
        assert getattr(plan, f"{name}_") == said[name], name
    assert plan.curve_ == said.get("curve") and plan.limit_stderr_ == said["limit_error"]
    assert {name: plan.now_[name] for name in said["now"]} == said["now"]
    assert [row + 1 for row in plan.next_rows_] == said["choice"]["rows"]
    assert plan.chosen_error_ == said["choice"]["chosen"]
    listed = pandas.read_csv(tmp_path / "next.csv", float_precision="round_trip")
    np.testing.assert_array_equal(plan.gain_[plan.next_rows_], listed.gain)


def test_answers_agree(pilot):
    X, y, classifier = pilot
    plan = LabelPlan(pilot=classifier.model_, **QUICK).fit(X, y)
    assert not hasattr(plan, "labels_") and np.isnan(plan.gain_[:60]).all() and np.isfinite(plan.gain_[60:]).all()
    bought = plan.answer(budget=100)
    assert bought["labels"] == 160 and bought["cost"] == 100 and bought["error"] < plan.now_["error"]
    assert plan.forecast(160)["error"] == bought["error"]
    wanted = plan.answer(target_error=bought["error"] * 1.0001)
    assert wanted["cost"] <= 100 and wanted["labels_interval"][0] <= wanted["labels"]
    rows, chosen, chance = plan.choose(20)
    assert len(set(rows)) == 20 and rows.min() >= 60 and chosen <= chance
    assert plan.limit_ < plan.now_["error"]
    with pytest.raises(scant.UnidentifiedError):
        plan.answer(target_error=plan.limit_ / 2)
    with pytest.raises(scant.ArgumentError, match="one of budget, target_error and trade"):
        plan.answer(budget=1, trade=2)
    with pytest.raises(scant.ArgumentError, match="one of budget"):
        LabelPlan(pilot=classifier, budget=1, trade=2, **QUICK).fit(X, y)


def test_pilots_and_copies(pilot, tmp_path):
    X, y, classifier = pilot
    classifier.save(tmp_path / "model.json")
    plan = LabelPlan(pilot=classifier, budget=30, **QUICK).fit(X, y)
    fresh = MixtureClassifier(covariance="tied", starts=2, threads=1, **LIKELIHOOD)  # is fitted to the same rows, and stays as it is
    for one in (tmp_path / "model.json", fresh):
        again = LabelPlan(pilot=one, budget=30, **QUICK).fit(X, y)
        assert again.error_ == plan.error_ and again.next_rows_.tolist() == plan.next_rows_.tolist()
    assert not hasattr(fresh, "model_") and again.pilot_.classes_.tolist() == ["no", "yes"]
    copy = pickle.loads(pickle.dumps(plan))
    assert copy.error_ == plan.error_ and copy.get_params()["budget"] == 30
    with pytest.raises(ValueError, match="fit it"):
        copy.answer(budget=3)
    with pytest.raises(scant.ArgumentError, match="neither a scant classifier"):
        LabelPlan(pilot=3, budget=1).fit(X, y)
    with pytest.raises(scant.ArgumentError, match="label=PRICE"):
        LabelPlan(pilot=classifier, budget=1, cost={"hour": 3}).fit(X, y)


def test_doubt_and_an_end(pilot):
    X, y, classifier = pilot
    few = y.where((np.arange(600) < 6) | (y == "no"))
    small = MixtureClassifier(covariance="tied", threads=1, **LIKELIHOOD).fit(X, few)
    with pytest.warns(scant.DoubtWarning, match="too small to plan from: class yes"):
        plan = LabelPlan(pilot=small, budget=5, **QUICK).fit(X, few)
    assert plan.too_small_ and "class yes" in plan.why_
    seen = []
    with pytest.raises(KeyboardInterrupt):
        LabelPlan(pilot=classifier, budget=5, callback=lambda event: seen.append(event) or event.done == 2, **QUICK).fit(X, y)
    assert seen[-1].what == "plan" and seen[-1].total == 4 + 6 + 4


def test_rows_of_another_fit_are_said(pilot):
    """In the command line's words: a plan is of the rows of the fit."""
    X, y, classifier = pilot
    with pytest.warns(scant.DoubtWarning, match="fitted to 600 rows, 60 with a label.*; here are 500, 60 labelled"):
        LabelPlan(pilot=classifier, budget=5, **QUICK).fit(X[:500], y[:500])


def test_rows_of_no_use_are_said():
    """A model that is sure of itself and wrong: the learning curve forecasts, and knows the rows at hand alone."""
    rng = np.random.default_rng(3)
    truth = (rng.random(900) < 0.4).astype(int)
    X = rng.normal(size=(900, 3))
    X[:, 0] += 0.7 * truth
    X[:, 1] += 6 * (rng.random(900) < 0.5) * (2 * truth - 1)
    y = np.where(np.arange(900) < 500, truth, -1)
    classifier = MixtureClassifier(covariance="tied-spherical", threads=1, **LIKELIHOOD).fit(X, y)
    with pytest.warns(scant.DoubtWarning, match="--rows 5000: no rows are bought"):
        plan = LabelPlan(pilot=classifier, budget=100, rows=5000, replicates=8, repeats=6, threads=1).fit(X, y)
    assert plan.method_ == "curve" and plan.rows_ == 900
