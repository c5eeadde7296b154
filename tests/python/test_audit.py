"""VoteAudit and margin_risk: known error rates are found, and the command line's numbers to the last digit."""
import math
import pickle

import numpy as np
import pytest

import scant
from scant import VoteAudit, margin_risk
from conftest import EXAMPLES, command, told

pandas = pytest.importorskip("pandas")
ACCURACY = np.array([0.9, 0.8, 0.7, 0.85])


def draw(n=1000, share=0.3, missing=0.0, seed=1, accuracy=ACCURACY):
    """True classes, and votes 'a' and 'b' with None for what was not answered."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < share).astype(int)
    right = rng.random((n, len(accuracy))) < accuracy
    votes = np.array(["a", "b"], dtype=object)[np.where(right, truth[:, None], 1 - truth[:, None])]
    votes[rng.random(votes.shape) < missing] = None
    return np.array(["a", "b"])[truth], pandas.DataFrame(votes, columns=[f"p{c + 1}" for c in range(len(accuracy))])


def numbers(value):
    """Nested lists of JSON as an array; null is NaN."""
    return np.array(value, dtype=np.float64)


def assert_told(audit, said):
    """The estimator has exactly what the command line tells."""
    assert audit.classes_.astype(str).tolist() == said["classes"] and audit.model_ == said["model"]
    assert audit.predictors_ == [p["name"] for p in said["predictors"]]
    for name, key in (("error", "error"), ("error_stderr", "stderr"), ("error_interval", "interval"), ("wrong", "wrong"),
                      ("wrong_interval", "wrong_interval"),
                      ("answers", "answers"), ("confusion", "confusion"), ("confusion_stderr", "confusion_stderr"),
                      ("confusion_interval", "confusion_interval")):
        np.testing.assert_array_equal(getattr(audit, f"{name}_"), numbers([p[key] for p in said["predictors"]]), name)
    for name, key in (("prior", "value"), ("prior_stderr", "stderr"), ("prior_interval", "interval")):
        np.testing.assert_array_equal(getattr(audit, f"{name}_"), numbers([said["prior"][c][key] for c in said["classes"]]))
    assert audit.prior_estimated_ == said["prior_estimated"] and audit.stop_ == said["stop"]
    assert (audit.loglik_, audit.n_parameters_, audit.n_iter_) == (said["loglik"], said["parameters"], said["iterations"])
    assert audit.warnings_ == said["warnings"]
    for name in ("verdict", "pairs", "rejected"):
        assert audit.independence_[name] == said["independence"][name]
    assert audit.symmetry_["verdict"] == said["symmetry"]["verdict"]


def test_known_error_rates_are_found():
    """Over 40 draws, 95 % intervals hold the truth in most cases, and the tables are those that were drawn from."""
    held, off = [], []
    for seed in range(40):
        audit = VoteAudit(prior=[0.7, 0.3], threads=1).fit(draw(seed=seed)[1])
        low, high = audit.error_interval_.T
        held.append((low <= 1 - ACCURACY) & (1 - ACCURACY <= high))
        off.append(audit.error_ - (1 - ACCURACY))
    assert np.mean(held) > 0.9  # 0.95, less three standard errors of 160 cases
    assert (np.abs(np.mean(off, axis=0)) < 0.01).all()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("settings, words", [
    ({"prior": {"a": 0.7, "b": 0.3}}, ["--prior", "a=0.7,b=0.3"]),
    ({}, []),
    ({"model": "symmetric", "prior": np.array([0.7, 0.3]), "smooth": 0.0},
     ["--model", "symmetric", "--prior", "0.7,0.3", "--smooth", "0"]),
    ({"model": "symmetric", "prior": "0.7,0.3", "separately": True},
     ["--model", "symmetric", "--prior", "0.7,0.3", "--separately"]),
    ({"max_iter": 3, "ci": 0.9, "random_state": 4}, ["--max-iter", "3", "--ci", "0.9", "--seed", "4"]),
])
def test_the_same_as_the_command_line(tmp_path, settings, words):
    _, votes = draw(missing=0.2)
    votes.to_csv(tmp_path / "votes.csv", index=False)
    said = told("audit", tmp_path / "votes.csv", *words, "--combine", tmp_path / "answers.csv")
    audit = VoteAudit(**settings).fit(votes)
    assert_told(audit, said)
    answers = pandas.read_csv(tmp_path / "answers.csv", float_precision="round_trip")
    np.testing.assert_array_equal(audit.predict_proba(votes), answers[["p_a", "p_b"]])
    assert (audit.predict(votes) == answers.label).all()


def test_loglinear_is_the_command_lines(tmp_path):
    _, votes = draw(400, accuracy=np.array([0.9, 0.8, 0.7, 0.85, 0.75]))
    votes.to_csv(tmp_path / "votes.csv", index=False)
    said = told("audit", tmp_path / "votes.csv", "--model", "loglinear", "--prior", "0.7,0.3")
    assert_told(VoteAudit(model="loglinear", prior=[0.7, 0.3]).fit(votes), said)


@pytest.mark.filterwarnings("ignore:1 item has no answers")
def test_long_tables_and_truth(tmp_path):
    truth, votes = draw(300, missing=0.3)
    votes.index = [f"i{i}" for i in range(300)]
    known = {f"i{i}": truth[i] for i in range(0, 300, 7)}
    rows = [(i, c, votes.loc[i, c], known.get(i)) for i in votes.index for c in votes if votes.loc[i, c]]
    table = pandas.DataFrame(rows, columns=["task", "worker", "label", "gold"]).sample(frac=1, random_state=2)
    table.to_csv(tmp_path / "long.csv", index=False)
    said = told("audit", tmp_path / "long.csv", "--long", "--truth", "gold", "--combine", tmp_path / "answers.csv")
    audit = VoteAudit(long=True).fit(table, truth="gold")
    assert_told(audit, said)
    answers = pandas.read_csv(tmp_path / "answers.csv", float_precision="round_trip")
    assert audit.items_.tolist() == table.task.drop_duplicates().tolist()
    answers = answers.set_index("item").loc[audit.items_]
    np.testing.assert_array_equal(audit.predict_proba(table, truth="gold"), answers[["p_a", "p_b"]])
    again = VoteAudit(long=True).fit((table.task, table.worker, table.label), truth=known)
    assert_told(again, said)
    wide = VoteAudit().fit(votes, truth=[known.get(i) for i in votes.index])
    np.testing.assert_allclose(wide.error_, audit.error_, atol=1e-7)
    with pytest.raises(ValueError, match="no column 'who'; name it by worker"):
        VoteAudit(long=True, worker="who").fit(table)


@pytest.mark.filterwarnings("ignore:class .c. is nobody")
def test_forms_of_votes():
    _, frame = draw(200, missing=0.2)
    names = VoteAudit().fit(frame)
    codes = frame.replace({"a": 0, "b": 1})
    for form in (codes.to_numpy(dtype=float), codes.astype("Int64"), codes.to_numpy(dtype=object),
                 codes.fillna(-1).to_numpy(dtype=int)):  # -1 is no answer beside 0 and 1
        audit = VoteAudit().fit(form)
        assert audit.classes_.tolist() == [0, 1]
        np.testing.assert_array_equal(audit.error_, names.error_)
    gone = VoteAudit(missing_label="?").fit(frame.fillna("?"))
    np.testing.assert_array_equal(gone.error_, names.error_)
    mixed = frame[frame.columns[::-1]].assign(stranger="a")  # columns are found by name, and a stranger does not count
    np.testing.assert_allclose(names.predict_proba(mixed), names.predict_proba(frame), atol=1e-14)
    assert names.fit_predict(frame).tolist() == names.predict(frame).tolist()
    third = VoteAudit(prior={"a": 0.6, "b": 0.3, "c": 0.1}).fit(frame)  # which nobody answered
    assert third.classes_.tolist() == ["a", "b", "c"] and third.confusion_.shape == (4, 3, 3)
    with pytest.raises(ValueError, match="votes of 3 predictors; 4 were audited"):
        names.predict(frame.to_numpy()[:, :3])
    with pytest.raises(ValueError, match="continuous"):
        VoteAudit().fit([[0.5, 1.0, 0.0]])
    with pytest.raises(ValueError, match="only -1 and 1"):
        VoteAudit().fit([[-1, 1, 1], [1, 1, -1]])


def test_weights_are_repetition():
    _, votes = draw(200)
    weight = np.arange(200) % 3
    heavy = VoteAudit(prior=[0.7, 0.3]).fit(votes, sample_weight=weight)
    copied = VoteAudit(prior=[0.7, 0.3]).fit(votes.loc[np.repeat(votes.index, weight)])
    np.testing.assert_allclose(heavy.error_, copied.error_, atol=1e-6)
    np.testing.assert_allclose(heavy.error_stderr_, copied.error_stderr_, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_later_votes_and_questions(tmp_path):
    _, votes = draw(600, missing=0.3)
    votes[:400].to_csv(tmp_path / "first.csv", index=False)
    votes[400:].to_csv(tmp_path / "later.csv", index=False)
    said = told("audit", tmp_path / "first.csv", "--more", tmp_path / "later.csv", "--ask", 5, "--cost", "p2=0.2")
    audit = VoteAudit().partial_fit(votes[:400])
    assert np.isfinite(audit.error_interval_).all()
    audit.partial_fit(votes[400:])
    np.testing.assert_array_equal(audit.error_, [p["error"] for p in said["predictors"]])
    np.testing.assert_array_equal(audit.answers_, [p["answers"] for p in said["predictors"]])
    assert np.isnan(audit.error_interval_).all()
    asked = audit.ask(5, cost={"p2": 0.2})
    assert [(str(a["item"] + 1), a["predictor"], a["bits"], a["worth"]) for a in asked] == [
        (a["item"], a["predictor"], a["bits"], a["worth"]) for a in said["ask"]]
    again = pickle.loads(pickle.dumps(audit))
    assert again.ask(5, cost={"p2": 0.2}) == asked
    np.testing.assert_array_equal(again.predict_proba(votes), audit.predict_proba(votes))
    with pytest.raises(ValueError, match="no predictor is called 'p9'"):
        audit.ask(1, cost={"p9": 1})


def test_what_cannot_be_told():
    _, votes = draw(100)
    with pytest.raises(scant.UnidentifiedError, match="one"):
        VoteAudit(prior=[0.5, 0.5], model="symmetric").fit(votes[["p1"]])
    with pytest.raises(scant.ArgumentError, match="prior is needed"):
        VoteAudit().fit(votes[["p1", "p2"]])
    with pytest.raises(scant.ArgumentError, match="symmetrical"):
        VoteAudit(model="symmetrical").fit(votes)
    with pytest.raises(ValueError, match="not fitted"):
        VoteAudit().predict(votes)
    votes = draw(accuracy=np.array([0.9, 0.8, 0.7, 0.85, 0.8, 0.75]))[1]
    copies = votes.assign(copy=votes.p3)
    with pytest.warns(scant.DoubtWarning, match="independen"):
        audit = VoteAudit(prior=[0.7, 0.3]).fit(copies)
    assert audit.independence_["verdict"] == "fails" and audit.warnings_


@pytest.mark.filterwarnings("ignore")
def test_an_audit_that_is_ended():
    """A callback ends it; what it had come to is kept, and a pickle comes to the same."""
    _, votes = draw(500, missing=0.2)
    seen = []
    with pytest.warns(UserWarning, match="interrupted"):
        audit = VoteAudit(tol=0.0, callback=lambda event: seen.append(event) or event.iteration == 4).fit(votes)
    assert audit.stop_ == "interrupted" and audit.n_iter_ == 4 and not audit.converged_ and len(seen) == 5
    again = pickle.loads(pickle.dumps(VoteAudit(tol=0.0, max_iter=4).fit(votes)))
    np.testing.assert_array_equal(again.predict_proba(votes), audit.predict_proba(votes))


def test_margin_risk():
    """The truth is within the interval; the numbers are the command line's."""
    path = EXAMPLES / "scores.csv"
    scores = pandas.read_csv(path)
    said = told("audit", "--scores", path, "--prior", "0.3", "--ci", "0.9")["classifiers"][0]
    for loss in ("log", "hinge", "exp", "zero-one"):
        found = margin_risk(scores[said["name"]], 0.3, loss, ci=0.9, threads=1)
        assert {"value": found.value, "stderr": found.stderr, "low": found.low, "high": found.high} == said["risk"][loss]
        assert [list(found.mean), list(found.sd), found.distance] == [said["mean"], said["sd"], said["distance"]]
    rng = np.random.default_rng(5)
    second = rng.random(4000) < 0.3
    drawn = rng.normal(size=4000) * np.where(second, 0.9, 1.2) + np.where(second, 1.8, -1.5)
    wrong = 0.7 * (1 - math.erf(1.5 / 1.2 / 2**0.5)) / 2 + 0.3 * (1 - math.erf(1.8 / 0.9 / 2**0.5)) / 2
    found = margin_risk(drawn, {"no": 0.7, "yes": 0.3}, threads=1)
    assert found.low < wrong < found.high and abs(found.value - wrong) < 3 * found.stderr
    with pytest.warns(scant.DoubtWarning, match="exchanged"):
        assert margin_risk(-drawn, 0.3, threads=1).reversed
    with pytest.raises(ValueError, match="'squared' is not one of log, hinge, exp, zero-one"):
        margin_risk(drawn, 0.3, "squared")
    with pytest.raises(scant.InputError, match="8"):
        margin_risk(drawn[:5], 0.3)


def test_help_has_the_same_words():
    """The command's own options that are parameters here are in its help."""
    help_ = " ".join(command("audit", "--help").split())
    for name in ("long", "item", "worker", "answer"):
        assert f"--{name}" in help_
