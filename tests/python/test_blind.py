"""BlindClassifier: a known direction is found without labels, and the command line's model byte by byte."""
import pickle

import numpy as np
import pytest

import scant
from scant import BlindClassifier, MixtureClassifier
from conftest import EXAMPLES, command, told

pandas = pytest.importorskip("pandas")


def clouds(n=1500, seed=3):
    """Three columns, of which the first and the third tell two classes apart; the second class has a share of 0.3."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    return rng.normal(size=(n, 3)) + np.where(truth[:, None], [2.5, 0, 1], 0), truth.astype(int)


def test_the_classes_are_found():
    """Two normals with one covariance: the best line is along the difference of the means."""
    X, truth = clouds()
    blind = BlindClassifier(prior=0.3, threads=1).fit(X)
    assert blind.classes_.tolist() == [0, 1] and blind.converged_ and not blind.warnings_
    best = np.array([2.5, 0, 1])
    assert blind.coef_[0] @ best / np.linalg.norm(blind.coef_) / np.linalg.norm(best) > 0.98
    wrong = 1 - blind.score(X, truth)
    assert abs(blind.error_estimate_ - wrong) < 0.02
    assert blind.error_interval_[0] < wrong < blind.error_interval_[1] and abs(blind.likeliest_share_ - 0.3) < 0.05
    f = blind.decision_function(X)
    np.testing.assert_allclose(f, X @ blind.coef_[0] + blind.intercept_[0])
    assert ((f > 0) == blind.predict(X)).all() and blind.share_ == (f > 0).mean()
    np.testing.assert_allclose(blind.predict_proba(X)[:, 1], 1 / (1 + np.exp(-blind.model_.score["slope"] * f)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("settings, words", [
    ({"prior": {"short": 0.36, "long": 0.64}}, ["--prior", "short=0.36,long=0.64"]),
    ({"prior": {"short, or so": 0.36, "a=b": 0.64}}, ["--prior", "short, or so=0.36,a=b=0.64"]),
    ({"prior": 0.64, "loss": "hinge", "l2": 0.1, "starts": 5}, ["--prior", "0.64", "--loss", "hinge", "--l2", "0.1",
                                                                "--starts", "5"]),
    ({"prior": 0.64, "l1": 0.05, "no_offset": True, "random_state": 9}, ["--prior", "0.64", "--l1", "0.05", "--no-offset",
                                                                        "--seed", "9"]),
])
def test_the_same_as_the_command_line(tmp_path, settings, words):
    path = EXAMPLES / "faithful.csv"
    said = told("blind", path, *words, "--types", "none", "-o", tmp_path / "cli.json")
    X = pandas.read_csv(path)
    blind = BlindClassifier(**settings, threads=1).fit(X)
    blind.save(tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "cli.json").read_bytes()
    assert [blind.objective_, blind.risk_estimate_, blind.error_estimate_, blind.share_, blind.distance_] == [
        said["objective"], said["risk"], said["error"], said["share"], said["distance"]]
    assert blind.warnings_ == said["warnings"] and blind.n_iter_ == said["iterations"]
    loaded = BlindClassifier.load(tmp_path / "cli.json")
    assert loaded.feature_names_in_.tolist() == list(X) and loaded.classes_.tolist() == blind.classes_.tolist()
    command("predict", tmp_path / "cli.json", path, "--digits", 17, "-q", "-o", tmp_path / "answers.csv")
    answers = pandas.read_csv(tmp_path / "answers.csv", float_precision="round_trip")
    assert (answers.label == loaded.predict(X[X.columns[::-1]])).all()  # columns go by name
    np.testing.assert_allclose(answers.iloc[:, 1:3], loaded.predict_proba(X), atol=1e-12)


def test_sparse_rows_and_copies():
    sparse = pytest.importorskip("scipy.sparse")
    X, _ = clouds(600)
    X[np.abs(X) < 0.5] = 0
    dense = BlindClassifier(prior=0.3, starts=5, threads=1).fit(X)
    again = BlindClassifier(prior=0.3, starts=5, threads=1).fit(sparse.csr_matrix(X))
    np.testing.assert_allclose(again.coef_, dense.coef_, rtol=1e-4)
    np.testing.assert_allclose(again.decision_function(sparse.csr_matrix(X)), X @ again.coef_[0] + again.intercept_[0])
    copy = pickle.loads(pickle.dumps(dense))
    np.testing.assert_array_equal(copy.predict_proba(X), dense.predict_proba(X))
    heavy = BlindClassifier(prior=0.3, starts=5, threads=1).fit(  # weight 0 is not there
        np.vstack([X, X[:99] + 50]), sample_weight=np.r_[np.ones(600), np.zeros(99)])
    np.testing.assert_allclose(heavy.coef_, dense.coef_, rtol=1e-6)


def test_labels_name_the_classes_only():
    X, truth = clouds(600)
    names = np.array(["ham", "spam"])
    named = BlindClassifier(prior=0.3, starts=5, threads=1).fit(X, names[truth])
    shuffled = BlindClassifier(prior=0.3, starts=5, threads=1).fit(X, names[np.roll(truth, 7)])
    np.testing.assert_array_equal(named.coef_, shuffled.coef_)
    assert named.classes_.tolist() == ["ham", "spam"] and set(named.predict(X)) == {"ham", "spam"}


def test_what_is_refused_or_doubted():
    X, _ = clouds(300)
    with pytest.raises(scant.ArgumentError, match="needs the classes' proportions"):
        BlindClassifier().fit(X)
    with pytest.raises(scant.UnidentifiedError, match="could be exchanged"):
        BlindClassifier(prior=0.5).fit(X)
    with pytest.raises(ValueError, match="contains NaN"):
        BlindClassifier(prior=0.3).fit(np.where(X > 2, np.nan, X))
    with pytest.raises(scant.InputError, match="3 classes"):
        BlindClassifier(prior=0.3).fit(X, np.arange(300) % 3)
    with pytest.warns(scant.DoubtWarning, match="nearly alike"):
        BlindClassifier(prior=0.47, starts=3, threads=1).fit(X)
    with pytest.raises(ValueError, match="not fitted"):
        BlindClassifier(prior=0.3).decision_function(X)


@pytest.mark.filterwarnings("ignore")
def test_other_models_are_refused(tmp_path):
    X = np.random.default_rng(1).normal(size=(40, 2))
    MixtureClassifier().fit(X, np.arange(40) % 2).save(tmp_path / "mixture.json")
    with pytest.raises(ValueError, match="not a linear classifier"):
        BlindClassifier.load(tmp_path / "mixture.json")


def test_watching():
    X, _ = clouds(300)
    seen = []
    blind = BlindClassifier(prior=0.3, starts=1, threads=1, tol=0.0,
                            callback=lambda event: seen.append(event) or event.iteration >= 3).fit(X)
    assert blind.stop_ == "interrupted" and not blind.converged_ and seen[-1].what == "blind"
    assert MixtureClassifier().fit(X, np.arange(300) % 2).converged_  # nothing lingers
