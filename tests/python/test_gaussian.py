"""GaussianMixture beside scikit-learn's, and what it has beyond."""
import numpy as np
import pytest

import scant
from conftest import CRABS, two_clouds

mixture = pytest.importorskip("sklearn.mixture")
KINDS = ["full", "tied", "diag", "spherical"]
ITERATIONS = 50


def crab_table(crabs):
    return np.ascontiguousarray(crabs[CRABS], dtype=float)


def same_start(X, kind, components):
    """Parameters two iterations from scikit-learn's own start."""
    first = mixture.GaussianMixture(components, covariance_type=kind, max_iter=2, tol=0, reg_covar=0, random_state=0)
    first.fit(X)
    return {"weights_init": first.weights_, "means_init": first.means_, "precisions_init": first.precisions_}


def both(X, kind, **settings):
    """scikit-learn's fit and ours, from the same start."""
    common = {"n_components": 4, "covariance_type": kind, "reg_covar": 0, **settings, **same_start(X, kind, 4)}
    return mixture.GaussianMixture(**common).fit(X), scant.GaussianMixture(**common).fit(X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_log_likelihoods_are_scikit_learns(crabs, kind):
    """As many iterations from the same start: the same parameters, and log-likelihoods row by row."""
    X = crab_table(crabs)
    theirs, ours = both(X, kind, max_iter=ITERATIONS, tol=0)
    assert ours.n_iter_ == theirs.n_iter_ == ITERATIONS
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-6)
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-9, err_msg=name)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-6)
    assert ours.bic(X) == pytest.approx(theirs.bic(X), rel=1e-6)
    assert ours.aic(X) == pytest.approx(theirs.aic(X), rel=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tol", [1e-3, 1e-9])
def test_stops_where_scikit_learn_does(crabs, kind, tol):
    """But for one step, which scikit-learn takes before it looks at the rise of the step before."""
    X = crab_table(crabs)
    theirs, ours = both(X, kind, max_iter=2000, tol=tol)
    assert ours.converged_ and theirs.converged_
    assert ours.n_iter_ + 1 == theirs.n_iter_
    assert 0 <= theirs.score(X) - ours.score(X) < max(tol, 1e-12)
    if tol < 1e-6:
        assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_every_parameter_and_attribute_of_scikit_learns(crabs):
    X = crab_table(crabs)
    theirs, ours = mixture.GaussianMixture(2).fit(X), scant.GaussianMixture(2).fit(X)
    left_out = {"verbose_interval"}  # the progress line is written by the clock
    assert set(theirs.get_params()) - set(ours.get_params()) == left_out
    for name, value in theirs.get_params().items():
        if name not in left_out:
            assert ours.get_params()[name] == value, name
    fitted = {name for name in vars(theirs) if name.endswith("_") and not name.startswith("_")}
    assert {name for name in fitted if not hasattr(ours, name)} <= {"lower_bounds_"}  # of newer releases: model_.trace
    methods = {name for name in dir(theirs) if not name.startswith("_") and callable(getattr(theirs, name))}
    assert {m for m in methods - set(dir(ours)) if "metadata" not in m and "request" not in m} == set()


@pytest.mark.filterwarnings("ignore")
def test_one_of_the_initial_parameters(crabs):
    X = crab_table(crabs)
    means = X[[0, 60, 120, 180]]
    started = scant.GaussianMixture(4, means_init=means, max_iter=0).fit(X)
    np.testing.assert_array_equal(started.means_, means)
    labelled = scant.GaussianMixture(2, means_init=means, max_iter=0).fit(X, crabs.sp)
    np.testing.assert_array_equal(labelled.means_, means)
    assert (labelled.coupling_ > 0).tolist() == [[True, False]] * 2 + [[False, True]] * 2
    all_given = {"weights_init": np.full(4, 0.25), "precisions_init": labelled.precisions_, "means_init": means}
    again = scant.GaussianMixture(2, max_iter=0, **all_given).fit(X, crabs.sp)
    np.testing.assert_allclose(again.covariances_, labelled.covariances_, rtol=1e-6)
    assert again.coupling_.tolist() == [[0.25, 0]] * 2 + [[0, 0.25]] * 2
    with pytest.raises(ValueError, match="means_init"):
        scant.GaussianMixture(3, means_init=means).fit(X)


def test_known_parameters_come_back():
    """20 000 rows of a known mixture of three: the fit finds it, with half of the cells of a column missing."""
    rng = np.random.default_rng(1)
    weights, means = np.array([0.5, 0.3, 0.2]), np.array([[0.0, 0.0], [4.0, 4.0], [-4.0, 5.0]])
    roots = np.array([[[1.0, 0.0], [0.5, 1.0]], [[0.7, 0.0], [0.0, 1.2]], [[1.5, 0.0], [-0.4, 0.5]]])
    component = rng.choice(3, size=20000, p=weights)
    X = means[component] + np.einsum("nij,nj->ni", roots[component], rng.normal(size=(20000, 2)))
    X[rng.random(20000) < 0.5, 1] = np.nan
    fitted = scant.GaussianMixture(3, n_init=5, tol=1e-8, max_iter=1000, random_state=1).fit(X)
    order = np.argsort(-fitted.weights_)
    np.testing.assert_allclose(fitted.weights_[order], weights, atol=0.02)
    np.testing.assert_allclose(fitted.means_[order], means, atol=0.1)
    np.testing.assert_allclose(fitted.covariances_[order], roots @ roots.transpose(0, 2, 1), atol=0.15)


def test_labels_make_classes():
    X, truth, y = two_clouds()
    fitted = scant.GaussianMixture(covariance_type="full").fit(X, y)
    assert fitted.classes_.tolist() == [0, 1]
    assert (fitted.predict(X) == truth).mean() > 0.9
    np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1)
    # every row labelled: means and covariances of the classes, by hand
    supervised = scant.GaussianMixture().fit(X, truth)
    for k in (0, 1):
        np.testing.assert_allclose(supervised.means_[k], X[truth == k].mean(axis=0))
        np.testing.assert_allclose(supervised.covariances_[k], np.cov(X[truth == k].T, bias=True))
    again = supervised.fit(X)
    assert not hasattr(again, "classes_") and again.weights_.shape == (1,)


def test_soft_labels_are_a_matrix():
    """One-hot probabilities are labels, rows of NaN are unlabelled."""
    X, _, y = two_clouds()
    p = np.column_stack([1 - y, y])
    by_labels, by_matrix = scant.GaussianMixture(2).fit(X, y), scant.GaussianMixture(2).fit(X, p)
    assert by_matrix.lower_bound_ == by_labels.lower_bound_
    np.testing.assert_array_equal(by_matrix.predict_proba(X), by_labels.predict_proba(X))
    with pytest.raises(ValueError, match="sum to 0.9"):
        scant.GaussianMixture().fit(X, np.full((len(X), 2), 0.45))


def test_weights_mean_repetition():
    X, _, y = two_clouds(60)
    weight = np.random.default_rng(5).integers(0, 4, len(X))
    weighted = scant.GaussianMixture(tol=1e-12, max_iter=2000).fit(X, y, sample_weight=weight)
    repeated = scant.GaussianMixture(tol=1e-12, max_iter=2000).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.means_, repeated.means_, rtol=1e-6)
    np.testing.assert_allclose(weighted.covariances_, repeated.covariances_, rtol=1e-5)


def test_sample_and_warm_start(crabs):
    X = crab_table(crabs)
    fitted = scant.GaussianMixture(3, random_state=2).fit(X)
    drawn, components = fitted.sample(20000, random_state=4)
    np.testing.assert_allclose(drawn.mean(axis=0), fitted.weights_ @ fitted.means_, rtol=0.01)
    np.testing.assert_allclose(np.bincount(components) / 20000, fitted.weights_, atol=0.02)
    fitted.set_params(warm_start=True, tol=1e-10, max_iter=5000)
    before = fitted.lower_bound_
    assert fitted.fit(X).lower_bound_ >= before
    assert fitted.fit(X).n_iter_ == 1


@pytest.mark.parametrize("kind", [*KINDS, "tied-diag", "tied-spherical"])
def test_files(crabs, tmp_path, kind):
    X = crabs[CRABS]
    fitted = scant.GaussianMixture(2, covariance_type=kind).fit(X, crabs.sp)
    fitted.save(tmp_path / "model.json")
    loaded = scant.GaussianMixture.load(tmp_path / "model.json")
    assert loaded.n_components == 2 and loaded.covariance_type == kind
    for name in ("means_", "covariances_", "precisions_", "precisions_cholesky_", "classes_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(fitted, name))
    # the density by its definition, from what the attributes say
    S = np.array([{"full": lambda j: fitted.precisions_[j], "tied": lambda j: fitted.precisions_,
                   "diag": lambda j: np.diag(fitted.precisions_[j]), "tied-diag": lambda j: np.diag(fitted.precisions_),
                   "spherical": lambda j: fitted.precisions_[j] * np.eye(5),
                   "tied-spherical": lambda j: fitted.precisions_[0] * np.eye(5)}[kind](j) for j in range(4)])
    d = X.to_numpy()[:, None] - fitted.means_
    log = 0.5 * np.linalg.slogdet(S)[1] - 2.5 * np.log(2 * np.pi) - 0.5 * np.einsum("njc,jcd,njd->nj", d, S, d)
    np.testing.assert_allclose(loaded.score_samples(X), np.log((np.exp(log) * fitted.weights_).sum(axis=1)), rtol=1e-9)
    mixed = scant.MixtureClassifier().fit(crabs[["sex", "FL"]], crabs.sp)
    mixed.save(tmp_path / "mixed.json")
    with pytest.raises(ValueError, match="not a mixture of Gaussians alone"):
        scant.GaussianMixture.load(tmp_path / "mixed.json")


def test_standard_errors_of_a_mean():
    """One component: the error of a mean is its deviation over the root of n."""
    X, _, _ = two_clouds(500)
    fitted = scant.GaussianMixture().fit(X)
    errors = fitted.information(X)["factors"][0]["means"]
    np.testing.assert_allclose(errors[0], X.std(axis=0) / np.sqrt(len(X)), rtol=1e-6)
