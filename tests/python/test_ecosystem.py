"""Beside other software: pipelines, searches, copies, other threads and processes, Ctrl-C, and no scikit-learn at all."""
import inspect
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")
import joblib
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import scant
from scant import (BlindClassifier, Classifier, GaussianMixture, HMM, LabelPlan, MEDClassifier, MEDRegressor, MixtureClassifier,
                   MixtureSelector, NonnegativeCP, NumberAudit, SemiSupervisedKFold, VoteAudit)
from scant._library import option_table
from scant.med import OF_CLASSES
from scant._parameters import OWN
from conftest import ROOT, command, two_clouds

ESTIMATORS = [GaussianMixture(2, random_state=3), MixtureClassifier(components="2/class", random_state=3),
              MixtureSelector(components="1:2/class", covariances=["diag"], random_state=3)]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_copies(estimator, tmp_path):
    X, truth, y = two_clouds()
    fitted = clone(estimator).fit(X, y)
    assert fitted.get_params() == estimator.get_params()
    joblib.dump(fitted, tmp_path / "model.joblib")
    for again in (pickle.loads(pickle.dumps(fitted)), joblib.load(tmp_path / "model.joblib")):
        np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
        assert again.lower_bound_ == fitted.lower_bound_ and again.classes_.tolist() == [0, 1]
    refit = clone(fitted)
    assert not hasattr(refit, "model_")
    np.testing.assert_array_equal(refit.fit(X, y).predict_proba(X), fitted.predict_proba(X))
    assert is_classifier(estimator) == isinstance(estimator, MixtureClassifier)
    assert (fitted.predict(X) == truth).mean() > 0.9


def test_pipeline_and_grid_search():
    X, truth, y = two_clouds(300, labelled=40)
    search = GridSearchCV(make_pipeline(StandardScaler(), MixtureClassifier()),
                          {"mixtureclassifier__components": ["1/class", "2/class"],
                           "mixtureclassifier__covariance": ["full", "tied"]}, cv=SemiSupervisedKFold(4), n_jobs=2)
    search.fit(X, y)
    assert len(search.cv_results_["params"]) == 4 and search.best_score_ > 0.8
    assert search.score(X, truth) > 0.85
    unlabelled = GridSearchCV(GaussianMixture(random_state=0), {"n_components": [1, 2, 3]}, cv=3).fit(X)
    assert unlabelled.best_params_["n_components"] in (1, 2)
    scores = cross_val_score(MixtureClassifier(), X, truth, cv=3, n_jobs=2)
    assert scores.min() > 0.85


@pytest.mark.filterwarnings("ignore")
def test_other_threads_run():
    """The interpreter's lock is given up: a thread counts while another fits."""
    X = np.random.default_rng(0).normal(size=(200000, 8))
    fitting = threading.Thread(target=lambda: MixtureSelector(components="3", covariances="full", starts=1, max_iter=20,
                                                              tol=0.0, threads=1).fit(X))
    fitting.start()
    turns = 0
    while fitting.is_alive():
        time.sleep(0.001)
        turns += 1
    assert turns > 50


def bound_of(seed):
    X, _, _ = two_clouds(2000)
    fitted = GaussianMixture(2, random_state=seed, threads=2).fit(X)
    return fitted.lower_bound_, fitted.score(X)


def test_forked_processes():
    """Threads of OpenMP do not live through a fork; a child that asks for some gets the same answer with one."""
    here = bound_of(1)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        there = pool.map_async(bound_of, [1, 1]).get(timeout=120)
    assert there == [here, here]


@pytest.mark.filterwarnings("ignore")
def test_callback():
    X, _, _ = two_clouds()
    seen = []

    def stop_at_five(event):
        seen.append(event)
        return event.iteration >= 5

    fitted = GaussianMixture(3, tol=0, max_iter=1000, callback=stop_at_five).fit(X)
    assert fitted.stop_ == "interrupted" and fitted.n_iter_ == 5 and not fitted.converged_
    objectives = [event.objective for event in seen]
    assert [event.iteration for event in seen] == list(range(6)) and objectives == sorted(objectives)
    np.testing.assert_allclose(objectives, fitted.model_.trace)

    def fails(event):
        raise RuntimeError(f"at {event.iteration}")

    with pytest.raises(RuntimeError, match="at 0"):
        GaussianMixture(3, callback=fails).fit(X)
    assert GaussianMixture(2).fit(X).converged_  # nothing lingers


INTERRUPTED = """
import sys, threading, time, os, signal
sys.path.insert(0, {path!r})
import numpy as np, scant
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start what runs in the background with it ignored
rng = np.random.default_rng(0)
X = {rows}
estimator = scant.{estimator}
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    estimator.fit(X)
    print("not interrupted")
except KeyboardInterrupt:
    print({kept})
print(scant.GaussianMixture(1).fit(np.eye(3)).converged_)
"""
MODEL = "estimator.stop_, estimator.model_.components > 0, np.isfinite(estimator.score_samples(X[:100])).all()"


@pytest.mark.parametrize("rows, estimator, kept", [
    ("rng.normal(size=(100000, 8))", "GaussianMixture(8, tol=0, max_iter=10**6, threads=1)", MODEL),
    ("rng.normal(size=(100000, 8))",
     "MixtureSelector(components='6:40', covariances='full', tol=0.0, max_iter=10**6, threads=1)", MODEL),
    ("rng.normal(size=(100000, 8)) + 3 * (rng.random((100000, 1)) < 0.3)",
     "BlindClassifier(prior=0.3, tol=0.0, starts=10**5, threads=1)", MODEL),
    ("np.where(rng.random((50000, 8)) < 0.6, rng.integers(0, 3, (50000, 1)), rng.integers(0, 3, (50000, 8)))",
     "VoteAudit(tol=0.0, max_iter=10**6, threads=1)",
     "estimator.stop_, len(estimator.error_) == 8, np.isfinite(estimator.predict_proba(X[:100])).all()"),
    ("rng.random((80, 70, 60))", "NonnegativeCP(rank=20, tol=0.0, max_iter=10**6, threads=1)",
     "estimator.stop_, len(estimator.weights_) == 20, np.isfinite(estimator.factors_[2]).all()"),
], ids=["GaussianMixture", "MixtureSelector", "BlindClassifier", "VoteAudit", "NonnegativeCP"])
def test_ctrl_c_keeps_the_best(rows, estimator, kept):
    done = subprocess.run([sys.executable, "-B", "-W", "ignore", "-c",
                           INTERRUPTED.format(path=str(ROOT / "python"), rows=rows, estimator=estimator, kept=kept)],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split("\n")[:2] == ["interrupted True True", "True"], done.stderr


def test_progress_line(capsys):
    X = np.random.default_rng(0).normal(size=(100000, 8))
    with pytest.warns(UserWarning, match="time"):
        MixtureClassifier(components="8/class", starts=1, tol=0.0, max_iter=10**6, time_limit=2.5, verbose=1).fit(
            X, np.zeros(len(X), dtype=int))
    said = capsys.readouterr().err
    assert "\rfit |" in said and "iteration" in said and said.endswith("s\n")


# Options that are no parameters, {estimator: {option: why}}; every other one of its tables is, under its name.
SINGLE = {"checkpoint": "of one fit, not of many", "checkpoint_every": "as checkpoint", "resume": "as checkpoint"}
ABSENT = {
    MixtureClassifier: {"target": "regressions have no classes", "budget_ms": "answers would depend on the machine",
                        "refit": "of stacks", "transitions": "rows have no order"},
    MixtureSelector: {**SINGLE, "target": "regressions have no classes", "covariance": "what is selected",
                      "sharing": "separate components are what is selected", "label_noise": "as sharing",
                      "transitions": "rows have no order"},
    MEDClassifier: {"task": "the class says it", "target": "y is it", "eps": "of regressions"},
    MEDRegressor: {"task": "the class says it", "target": "y is it", **dict.fromkeys(OF_CLASSES, "of classes")},
    NumberAudit: {"truth": "y is it"},
}
# Of estimators made by parameters_from: the library's tables, and the command whose help has what else there is.
MADE = [(MixtureClassifier, ("fit", "stream"), "fit"), (MixtureSelector, ("fit",), "select"),
        (VoteAudit, ("audit",), "audit"), (BlindClassifier, ("blind",), "blind"), (LabelPlan, ("plan",), "plan"),
        (NonnegativeCP, ("factor",), "factor"), (Classifier, ("train",), "train"), (MEDClassifier, ("med",), "med"),
        (MEDRegressor, ("med",), "med"), (NumberAudit, ("regression",), "audit")]
# Parameters that no command has: Python's own, and those that are called otherwise there, {parameter: option}.
PYTHONS = set(OWN) | {"random_state", "pilot"}
CALLED = {"covariances": "covariance"}


def test_every_estimator_is_made_of_tables():
    made = {cls for cls, _, _ in MADE} | {GaussianMixture, HMM}  # these two have the words of other packages
    assert made == {thing for thing in vars(scant).values() if isinstance(thing, type) and hasattr(thing, "get_params")}


@pytest.mark.parametrize("cls, kinds, name", MADE, ids=[cls.__name__ for cls, _, _ in MADE])
def test_parameters_are_the_librarys_options(cls, kinds, name):
    """Every option of the library's is a parameter with its default and its words, and every other parameter is an option
    of the command's or Python's own."""
    parameters, absent = inspect.signature(cls).parameters, ABSENT.get(cls, {})
    documented = " ".join(cls.__doc__.split())
    for kind in kinds:
        for option in option_table(kind).values():
            if option.name in absent:
                assert option.name not in parameters
                continue
            parameter = {"seed": "random_state"}.get(option.name, option.name)
            assert parameter in parameters and f"{parameter} : " in documented
            if parameter != "random_state" and option.name in cls.OPTIONS[kind]:
                assert parameters[parameter].default == option.default(), parameter
                assert " ".join(option.help.split()) in documented
    assert set(cls().get_params()) == set(parameters)
    given = {"random_state": 3} if "random_state" in parameters else {"threads": 3}
    assert clone(cls(**given)).get_params() == {**cls().get_params(), **given}
    help_ = command(name, "--help")
    tables = {option for kind in kinds for option in option_table(kind)}
    for parameter in set(parameters) - tables - PYTHONS:
        option = CALLED.get(parameter, parameter).replace("_", "-")
        assert re.search(rf"^  (-\w, )?--{option}\b", help_, flags=re.M), parameter


def test_gaussian_options_are_the_librarys():
    """scikit-learn's words stand for options that exist, and its own docstring names every parameter."""
    table = option_table("fit")
    assert set(GaussianMixture.OPTIONS["fit"].values()) <= set(table)
    for name in inspect.signature(GaussianMixture).parameters:
        assert name in GaussianMixture.__doc__
    shared = {"accelerate", "time_limit", "threads"}
    for name in shared:
        assert inspect.signature(GaussianMixture).parameters[name].default == table[name].default()
    # the likelihood of all rows, as scikit-learn's: nothing is chosen on held-out labels
    assert inspect.signature(GaussianMixture).parameters["unlabeled_weight"].default == 1


WITHOUT = """
import sys
for name in ("sklearn", "pandas", "scipy", "joblib"):
    sys.modules[name] = None
sys.path.insert(0, {path!r})
import numpy as np, pickle, scant
X = np.random.default_rng(0).normal(size=(100, 2)) + np.repeat([[0, 0], [5, 5]], 50, axis=0)
y = np.repeat([0, 1], 50)
fitted = scant.MixtureClassifier(covariance="diag").fit(X, y)
assert fitted.score(X, y) == 1.0 and repr(fitted) == "MixtureClassifier(covariance='diag')"
assert scant.GaussianMixture(2).set_params(n_components=1).fit(X, [None] * 99 + ["a"]).classes_.tolist() == ["a"]
assert pickle.loads(pickle.dumps(fitted)).score(X, y) == 1.0
votes = np.stack([y, y, 1 - y, y], axis=1)
assert pickle.loads(pickle.dumps(scant.VoteAudit(prior=[0.5, 0.5]).fit(votes))).predict(votes).tolist() == y.tolist()
assert scant.NonnegativeCP(rank=1).fit_transform(np.ones((3, 2, 2))).shape == (3, 1)
assert scant.BlindClassifier(prior=0.25).fit(np.vstack([X, X[:50], X[:50] + 0.1]))._check_fitted() is None
try:
    scant.MixtureSelector().predict(X)
except ValueError as error:
    print(type(error).__name__, scant.MixtureSelector(components="1:2").fit(X).best_params_["components"])
"""


def test_without_scikit_learn():
    done = subprocess.run([sys.executable, "-B", "-c", WITHOUT.format(path=str(ROOT / "python"))], capture_output=True,
                          text=True, check=False)
    assert done.stdout == "NotFittedError 2\n", done.stderr


def test_version():
    assert scant.__version__ == GaussianMixture().fit(np.eye(3)).model_.to_dict()["version"]


def test_openmp_says_how_many_threads_are_usual():
    """Threads that a fit started stay: they are counted."""
    code = ("import os, numpy as np; from scant import GaussianMixture; X = np.random.default_rng(0).normal(size=(30000, 3)); "
            "before = len(os.listdir('/proc/self/task')); GaussianMixture(2, max_iter=3, tol=0.0).fit(X); "
            "print(1 + len(os.listdir('/proc/self/task')) - before)")
    for threads in ("1", "3"):
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env={**os.environ, "OMP_NUM_THREADS": threads,
                                                                                       "PYTHONPATH": str(ROOT / "python")},
                              capture_output=True, text=True, check=True, timeout=120)
        assert done.stdout.strip() == threads
