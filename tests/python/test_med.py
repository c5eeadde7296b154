"""MEDClassifier and MEDRegressor: the command line's model, the exact optima, rows of every kind, what is refused."""
import os
import pickle
import signal

import numpy as np
import pytest

import scant
from scant import MEDClassifier, MEDRegressor, Model
from conftest import CRABS, told


def test_the_same_as_the_command_line(tmp_path, crabs):
    pytest.importorskip("pandas")
    said = told("med", scant_crabs(crabs, tmp_path), "--label", "sex", "--features", ",".join(CRABS), "--c", 10, "--positive", "M",
                "-o", tmp_path / "cli.json")
    model = MEDClassifier(c=10, positive="M").fit(crabs[CRABS], crabs.sex)
    model.save(tmp_path / "python.json")
    written = Model.load(tmp_path / "cli.json").to_dict()
    written.pop("reading")  # of a file; an array was not read from one
    assert model.model_.to_dict() == written
    assert model.objective_ == said["objective"] == pytest.approx(149.6815462, rel=1.1e-6)
    assert model.gap_ == said["gap"] <= 1e-6 * model.objective_ and model.bias_[0] == said["bias"]
    assert model.classes_.tolist() == ["F", "M"] and model.inputs_ == CRABS and model.weights_.shape == (1, 5)
    loaded = MEDClassifier.load(tmp_path / "cli.json")
    np.testing.assert_array_equal(loaded.predict(crabs[CRABS[::-1]]), model.predict(crabs[CRABS]))
    assert loaded.decision_function(crabs[CRABS])[0] == model.decision_function(crabs[CRABS])[0]


def scant_crabs(crabs, folder):
    crabs.to_csv(folder / "crabs.csv", index=False)
    return folder / "crabs.csv"


def test_decisions_are_of_the_second_class(crabs):
    """Whatever class is called +1."""
    x = crabs[CRABS].to_numpy()
    for positive in ("F", "M"):
        model = MEDClassifier(c=10, folds=0, positive=positive).fit(x, crabs.sex)
        f = model.decision_function(x)
        assert (np.where(f > 0, "M", "F") == model.predict(x)).all()


@pytest.mark.parametrize("how", ["rest", "joint", "codes"])
def test_three_classes(how):
    rng = np.random.default_rng(1)
    y = np.arange(90) % 3
    x = rng.normal(size=(90, 3)) + 3 * np.eye(3)[y]
    model = MEDClassifier(c=5, multiclass=how).fit(x, y)
    assert model.score(x, y) > 0.9 and model.decision_function(x).shape == (90, 3)
    assert (model.classes_[model.decision_function(x).argmax(axis=1)] == model.predict(x)).all()
    np.testing.assert_allclose(model.predict_proba(x).sum(axis=1), 1)


def test_unlabeled_rows_help():
    rng = np.random.default_rng(2)
    truth = np.arange(200) % 2
    x = rng.normal(size=(200, 20))
    x[:, 0] += 4 * truth - 2
    y = np.where(np.arange(200) < 8, truth, -1)
    with pytest.warns(scant.DoubtWarning, match="192 rows without a label were left out"):
        alone = MEDClassifier(c=3, folds=0, bias_prior="gaussian").fit(x, y)
    together = MEDClassifier(c=3, folds=0, transduce="mean-field", no_standardize=True).fit(x, y)
    assert together.score(x[8:], truth[8:]) > alone.score(x[8:], truth[8:]) + 0.02


def test_sparse_and_precomputed(crabs):
    sparse = pytest.importorskip("scipy.sparse")
    x, y = crabs[CRABS].to_numpy(), crabs.sex
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    K = np.exp(-0.1 * ((x[:, None] - x) ** 2).sum(axis=2))
    rbf = MEDClassifier(kernel="rbf", gamma=0.1, c=10, folds=0, positive="M").fit(x, y)
    assert rbf.objective_ == pytest.approx(241.5050584, rel=1.1e-6) and rbf.weights_ is None
    given = MEDClassifier(kernel="precomputed", c=10, folds=0, positive="M").fit(K, y)
    rows = MEDClassifier(kernel="rbf", gamma=0.1, c=10, folds=0, positive="M").fit(sparse.csr_matrix(x), y)
    np.testing.assert_allclose(given.decision_function(K), rbf.decision_function(x), atol=2e-2)  # each to its own gap
    np.testing.assert_allclose(rows.decision_function(sparse.csr_matrix(x)), rbf.decision_function(x), atol=2e-2)


def test_densities_score_draw_and_fill(tmp_path, crabs):
    """A model of two Gaussians: rows that are drawn look like the rows, and log densities add up to 1."""
    x = crabs[["FL", "RW"]].to_numpy()
    model = MEDClassifier(generative="gaussian", c=3, margin_percentile=20, folds=0).fit(x, crabs.sex)
    model.save(tmp_path / "m.json")
    model = MEDClassifier.load(tmp_path / "m.json")
    drawn, classes = model.sample(4000, 3)
    assert abs((classes == "M").mean() - 0.5) < 0.03
    np.testing.assert_allclose(drawn.mean(axis=0), x.mean(axis=0), rtol=0.05)
    np.testing.assert_allclose(np.corrcoef(drawn.T)[0, 1], np.corrcoef(x.T)[0, 1], atol=0.1)
    grid = np.stack(np.meshgrid(np.linspace(0, 35, 141), np.linspace(0, 30, 121), indexing="ij"), axis=-1).reshape(-1, 2)
    assert np.exp(model.score_samples(grid)).sum() * 0.25 ** 2 == pytest.approx(1, abs=0.01)
    holes = x.copy()
    holes[::2, 1] = np.nan
    filled = model.fill(holes)
    assert (filled[1::2] == x[1::2]).all()
    assert np.mean((filled[::2, 1] - x[::2, 1]) ** 2) < 0.4 * x[:, 1].var()
    marginal = model.score_samples(np.column_stack([np.linspace(0, 35, 701), np.full(701, np.nan)]))
    assert np.exp(marginal).sum() * 0.05 == pytest.approx(1, abs=0.01)
    with pytest.raises(scant.ArgumentError, match="generative"):
        MEDClassifier(c=3, folds=0).fit(x, crabs.sex).sample(3)


def test_regression(tmp_path, crabs):
    features = CRABS[:4]
    model = MEDRegressor(c=5).fit(crabs[features], crabs.BD)
    assert model.score(crabs[features], crabs.BD) > 0.97
    assert model.held_out_["mse"] < 0.05 * crabs.BD.var() and model.weights_.shape == (1, 4)
    assert model.feature_names_in_.tolist() == features and model.n_features_in_ == 4
    measured = model.evaluate(crabs[features], crabs.BD)
    assert measured["mse"] == pytest.approx(np.mean((model.predict(crabs[features]) - crabs.BD) ** 2))
    model.save(tmp_path / "m.json")
    loaded = MEDRegressor.load(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.predict(crabs[features[::-1]]), model.predict(crabs[features]))
    with pytest.raises(ValueError, match="not a model of MEDClassifier"):
        MEDClassifier.load(tmp_path / "m.json")
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(crabs[features]), model.predict(crabs[features]))


def test_what_is_refused(crabs):
    x, y = crabs[CRABS].to_numpy(), crabs.sex
    with pytest.raises(scant.InputError, match="one class"):
        MEDClassifier(c=3).fit(x, ["a"] * 200)
    with pytest.raises(scant.ArgumentError, match="linear"):
        MEDClassifier(c=3, select=0.1, kernel="rbf").fit(x, y)
    with pytest.raises(TypeError, match="sparse"):
        MEDRegressor(c=3).fit(pytest.importorskip("scipy.sparse").csr_matrix(x), x[:, 0])
    with pytest.warns(scant.DoubtWarning, match="nothing was learned"):
        MEDClassifier(c=1).fit(x, y)


def test_ctrl_c_keeps_the_best_so_far():
    """A fit that is interrupted has its gap."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(1500, 3)), rng.integers(0, 2, 1500)
    model = MEDClassifier(kernel="rbf", gamma=30, c=1000, folds=0, tol=1e-12, callback=lambda event: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        model.fit(x, y)
    assert model.stop_ == "interrupted" and np.isfinite(model.objective_) and model.gap_ > 0
    assert np.isfinite(model.predict_proba(x)).all()
