"""Classifier: the command line's model, labels and rows of every kind, and what it says of itself."""
import os
import pickle
import signal
import warnings

import numpy as np
import pytest

import scant
from scant import Classifier, Model
from conftest import CRABS, command, told, two_clouds


def clouds(n=300, each=6, seed=5):
    """Three classes in four columns, `each` labels a class: X, truth, and y with None for most."""
    rng = np.random.default_rng(seed)
    truth = np.array(["ash", "elm", "oak"])[rng.integers(0, 3, n)]
    X = rng.normal(size=(n, 4)) + 2.5 * np.eye(3, 4)[np.unique(truth, return_inverse=True)[1]]
    y = np.full(n, None, dtype=object)
    for k in np.unique(truth):
        y[np.flatnonzero(truth == k)[:each]] = k
    return X, truth, y


def test_the_same_as_the_command_line(tmp_path, crabs):
    pandas = pytest.importorskip("pandas")
    table = crabs[CRABS].assign(sex=crabs.sex.where(crabs.index % 10 == 0, ""))
    table.to_csv(tmp_path / "few.csv", index=False)
    said = told("train", tmp_path / "few.csv", "--label", "sex", "--folds", 4, "--seed", 7, "-o", tmp_path / "cli.json")
    model = Classifier(folds=4, random_state=7).fit(pandas.read_csv(tmp_path / "few.csv")[CRABS], table.sex)
    model.save(tmp_path / "python.json")
    written = Model.load(tmp_path / "cli.json").to_dict()
    assert set(written.pop("reading")) == {"types"}  # of a file; an array was not read from one
    assert model.model_.to_dict() == written
    assert model.accuracy_ == said["accuracy"] and list(model.accuracy_interval_) == said["accuracy_interval"]
    assert [model.log_loss_, model.gain_, model.held_out_, model.folds_] == [
        said[name] for name in ("log_loss", "gain", "held_out", "folds")]
    assert model.baselines_ == said["baselines"] and model.warnings_ == said["warnings"]
    assert [{"name": name, "weight": weight} for name, weight in model.members_] == said["members"]
    assert (model.next_rows_ + 1).tolist() == said["ask"] and model.stop_ == said["stop"]
    assert model.feature_names_in_.tolist() == CRABS and model.classes_.tolist() == ["F", "M"]
    command("predict", tmp_path / "cli.json", tmp_path / "few.csv", "-q", "-o", tmp_path / "answers.csv")
    answers = pandas.read_csv(tmp_path / "answers.csv")
    loaded = Classifier.load(tmp_path / "cli.json")
    shuffled = crabs[CRABS[::-1]]  # columns go by name
    assert (answers.label == loaded.predict(shuffled)).all()
    np.testing.assert_array_equal(loaded.predict_proba(shuffled), model.predict_proba(crabs[CRABS]))


def test_classes_are_found_and_the_interval_holds():
    X, truth, y = clouds()
    model = Classifier().fit(X, y)
    low, high = model.accuracy_interval_
    known = model.score(X, truth)
    assert known > 0.85 and low <= known <= high and model.baselines_["majority"] < 0.5
    assert model.log_loss_ < np.log(3) and model.held_out_ == 18 and model.folds_ == 5 and model.n_features_in_ == 4
    assert sum(weight for _, weight in model.members_) == pytest.approx(1) and all(y[model.next_rows_] == None)  # noqa: E711
    assert model.evaluate(X, truth)["accuracy"] == pytest.approx(known)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    rare = model.predict_proba(X, prior=[0.01, 0.01, 0.98])
    assert (rare[:, 2] > p[:, 2]).all()


@pytest.mark.parametrize("unknown", [None, np.nan, "", -1])
def test_every_way_to_say_unknown(unknown):
    X, _, y = clouds()
    codes = {"ash": 0, "elm": 1, "oak": 2}
    numbered = not isinstance(unknown, str) and unknown is not None
    labels = [unknown if name is None else codes[name] if numbered else name for name in y]
    model, same = Classifier().fit(X, labels), Classifier().fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), same.predict_proba(X))
    assert model.classes_.tolist() == ([0, 1, 2] if numbered else ["ash", "elm", "oak"])


def test_soft_labels_say_what_hard_ones_do():
    X, truth, y = clouds()
    p = np.full((len(X), 3), np.nan)
    for k, name in enumerate(np.unique(truth)):
        p[y == name] = np.eye(3)[k]
    hard, soft = Classifier().fit(X, y), Classifier().fit(X, p)
    np.testing.assert_allclose(soft.predict_proba(X), hard.predict_proba(X), atol=1e-9)
    doubtful = np.where(np.isnan(p), p, 0.8 * p + 0.2 / 3)
    assert Classifier().fit(X, doubtful).predict_proba(X).max(axis=1).mean() < soft.predict_proba(X).max(axis=1).mean()


@pytest.mark.filterwarnings("ignore")
def test_weights():
    X, _, y = clouds()
    model = Classifier().fit(X, y)
    more = Classifier().fit(np.vstack([X, X[:50] + 9]), np.append(y, ["ash"] * 50), sample_weight=np.r_[np.ones(300), np.zeros(50)])
    np.testing.assert_array_equal(more.predict_proba(X), model.predict_proba(X))  # weight 0 is not there
    heavy = Classifier().fit(X, y, sample_weight=np.where(y == "oak", 5.0, 1.0))
    assert heavy.predict_proba(X)[:, 2].mean() > model.predict_proba(X)[:, 2].mean()


def test_missing_cells_are_told():
    X, truth, y = clouds()
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    with pytest.warns(scant.DoubtWarning, match="missing cells"):
        model = Classifier().fit(X, y)
    assert model.score(X, truth) > 0.7 and model.warnings_


@pytest.mark.filterwarnings("ignore::scant.DoubtWarning")
def test_sparse_rows():
    sparse = pytest.importorskip("scipy.sparse")
    X, truth, y = clouds()
    X[X < 0] = 0
    model = Classifier(members=["logistic", "trees"]).fit(sparse.csr_matrix(X), y)
    dense = Classifier(members=["logistic", "trees"]).fit(X, y)
    assert model.score(sparse.csr_matrix(X), truth) > 0.7 and dense.score(X, truth) > 0.7


def test_categories():
    pandas = pytest.importorskip("pandas")
    X, truth, y = clouds()
    frame = pandas.DataFrame(X, columns=list("abcd")).assign(kind=np.where(truth == "ash", "soft", "hard"))
    model = Classifier().fit(frame, y)
    predicted = model.predict(frame[["kind", *"dcba"]])
    assert ((predicted == "ash") == (truth == "ash")).mean() > 0.97


def test_copies_threads_and_generators():
    X, _, y = clouds()
    one, two = Classifier(threads=1).fit(X, y), Classifier(threads=2).fit(X, y)
    assert one.model_.to_dict() == two.model_.to_dict()
    copy = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(copy.predict_proba(X), one.predict_proba(X))
    assert copy.members_ == one.members_
    drawn = [Classifier(members=["trees"], random_state=np.random.default_rng(seed)).fit(X, y).predict_proba(X) for seed in (1, 1, 2)]
    assert (drawn[0] == drawn[1]).all() and (drawn[0] != drawn[2]).any()


def test_what_is_refused_or_doubted():
    X, _, y = clouds()
    with pytest.raises(scant.InputError, match="all labels are of one class, 'ash'"):
        Classifier().fit(X, np.where(y == "ash", "ash", None))
    with pytest.raises(ValueError, match="no row has a label"):
        Classifier().fit(X, np.full(len(X), None))
    with pytest.raises(scant.ArgumentError, match="no member 'oracle'"):
        Classifier(members=["oracle"]).fit(X, y)
    with pytest.raises(ValueError, match="requires y"):
        Classifier().fit(X, None)
    with pytest.raises(ValueError, match="not fitted"):
        Classifier().predict(X)
    one = y.copy()
    one[np.flatnonzero(y == "oak")[1:]] = None
    with pytest.warns(scant.DoubtWarning, match="class oak has one label"):
        Classifier().fit(X, one)
    with pytest.warns(scant.DoubtWarning, match="too few labels"):
        unsure = Classifier().fit(*_one_label_each(X, y))
    assert np.isnan(unsure.accuracy_) and unsure.folds_ == 0


def test_cross_validation_is_that_of_the_command_line(tmp_path, crabs):
    pandas = pytest.importorskip("pandas")
    table = crabs[CRABS].assign(sex=crabs.sex.where(crabs.index % 8 == 0, ""))
    table.to_csv(tmp_path / "few.csv", index=False)
    frame = pandas.read_csv(tmp_path / "few.csv")
    model = Classifier().fit(frame[CRABS], table.sex)
    model.save(tmp_path / "m.json")
    said = told("cv", tmp_path / "m.json", tmp_path / "few.csv", "--label", "sex", "--folds", 3)
    found = model.cross_validate(frame[CRABS], table.sex, folds=3)
    assert found["accuracy"] == said["accuracy"] and found["log_loss"] == said["log_loss"] and len(found["folds"]) == 3
    alone = model.cross_validate(frame[CRABS], table.sex, folds=3, supervised=True)
    assert alone["folds"][0]["train_rows"] < found["folds"][0]["train_rows"]


@pytest.mark.filterwarnings("ignore::scant.DoubtWarning")
def test_plans_go_by_the_curve():
    X, truth, y = clouds(each=8)
    plan = scant.LabelPlan(pilot=Classifier(threads=1), budget=12, repeats=1).fit(X, y)
    assert plan.method_ == "curve" and np.isnan(plan.limit_) and plan.labels_ == 36 and isinstance(plan.pilot_, Classifier)
    assert all(y[plan.next_rows_] == None) and np.isnan(plan.gain_[y != None]).all()  # noqa: E711


def _one_label_each(X, y):
    kept = np.full(len(y), None, dtype=object)
    for name in ("ash", "elm", "oak"):
        kept[np.flatnonzero(y == name)[0]] = name
    return X, kept


def test_other_models_are_refused(tmp_path):
    X, _, y = two_clouds()
    scant.MixtureClassifier().fit(X, y).save(tmp_path / "mixture.json")
    with pytest.raises(ValueError, match="not a stack"):
        Classifier.load(tmp_path / "mixture.json")


def test_watching():
    X, _, y = clouds()
    seen = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = Classifier(threads=1, callback=lambda event: seen.append(event) or len(seen) >= 4).fit(X, y)
    assert seen[0].total >= seen[0].done and model.stop_ == "interrupted" and not model.converged_
    assert any("training stopped early" in str(one.message) for one in caught)


def test_ctrl_c_keeps_what_is_done():
    X, truth, y = clouds()
    seen = []

    def interrupt(event):
        seen.append(event)
        if len(seen) == 4:
            os.kill(os.getpid(), signal.SIGINT)

    model = Classifier(threads=1, callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.stop_ == "interrupted" and np.isfinite(model.predict_proba(X)).all() and len(seen) < seen[0].total
    assert Classifier().fit(X, y).converged_  # nothing lingers


def test_with_the_tools_of_scikit_learn():
    pytest.importorskip("sklearn")
    from sklearn.base import clone, is_classifier
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    X, truth, y = clouds()
    codes = np.array([{"ash": 0, "elm": 1, "oak": 2}.get(name, -1) for name in y])
    search = GridSearchCV(make_pipeline(StandardScaler(), Classifier(threads=1)), {"classifier__members": [None, ["logistic"]]},
                          cv=scant.SemiSupervisedKFold(3), error_score="raise").fit(X, codes)
    assert search.score(X, np.unique(truth, return_inverse=True)[1]) > 0.8
    assert is_classifier(Classifier()) and clone(Classifier(folds=3)).folds == 3
