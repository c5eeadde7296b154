"""scant.HMM: hmmlearn's numbers where that is installed, all paths where it is not, and what hmmlearn has not."""
import itertools
import pickle

import numpy as np
import pytest

import scant

START, A = np.array([0.5, 0.3, 0.2]), np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]])
MEANS = np.array([[0.0, 0.0], [2.0, -1.0], [-1.5, 2.5]])
LENGTHS = [7, 1, 40, 152]


def rng():
    return np.random.default_rng(4)


def covars(kind):
    root = rng().normal(size=(3, 2, 2))
    full = root @ root.transpose(0, 2, 1) + np.eye(2)
    return {"full": full, "tied": full[0], "diag": np.diagonal(full, axis1=1, axis2=2), "spherical": full[:, 0, 0]}[kind]


def gaussian(kind="full"):
    own = scant.HMM(3, covariance_type=kind)
    own.startprob_, own.transmat_, own.means_, own.covars_ = START, A, MEANS, covars(kind)
    return own


def same(own, other, X, lengths):
    """Numbers of both, to 1e-9."""
    assert own.score(X, lengths) == pytest.approx(other.score(X, lengths), rel=1e-9)
    np.testing.assert_allclose(own.predict_proba(X, lengths), other.predict_proba(X, lengths), rtol=1e-9, atol=1e-12)
    for algorithm in ("viterbi", "map"):
        (p, path), (q, expected) = own.decode(X, lengths, algorithm), other.decode(X, lengths, algorithm=algorithm)
        assert p == pytest.approx(q, rel=1e-9)
        np.testing.assert_array_equal(path, expected)
    np.testing.assert_array_equal(own.predict(X, lengths), other.predict(X, lengths))
    (p, r), (q, s) = own.score_samples(X, lengths), other.score_samples(X, lengths)
    assert p == pytest.approx(q, rel=1e-9)
    np.testing.assert_allclose(r, s, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(own.get_stationary_distribution(), other.get_stationary_distribution(), rtol=1e-9)


@pytest.mark.parametrize("implementation", ["log", "scaling"])
@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_gaussians_are_hmmlearns(kind, implementation):
    hmm = pytest.importorskip("hmmlearn.hmm")
    other = hmm.GaussianHMM(3, covariance_type=kind, implementation=implementation)
    other.startprob_, other.transmat_, other.means_, other.covars_ = START, A, MEANS, covars(kind)
    own = gaussian(kind)
    X, _ = own.sample(200, random_state=3)
    same(own, other, X, LENGTHS)
    np.testing.assert_allclose(own.covars_, other.covars_)
    own.covars_ = other.covars_  # as it gives them, which it takes as well
    same(own, other, X, LENGTHS)


def test_symbols_and_counts_are_hmmlearns():
    hmm = pytest.importorskip("hmmlearn.hmm")
    B = rng().dirichlet(np.ones(4), size=3)
    own, other = scant.HMM(3, family="categorical"), hmm.CategoricalHMM(3)
    for one in own, other:
        one.startprob_, one.transmat_, one.emissionprob_ = START, A, B
    other.n_features = 4
    X, _ = own.sample(200, random_state=3)
    same(own, other, X, LENGTHS)
    own, other = scant.HMM(3, family="poisson"), hmm.PoissonHMM(3)
    for one in own, other:
        one.startprob_, one.transmat_, one.lambdas_ = START, A, np.array([[1.0, 4], [3, 0.5], [7, 9]])
    X, _ = own.sample(200, random_state=3)
    same(own, other, X, LENGTHS)


def test_em_is_hmmlearns():
    hmm = pytest.importorskip("hmmlearn.hmm")
    X, _ = gaussian("diag").sample(400, random_state=8)
    other = hmm.GaussianHMM(3, covariance_type="diag", n_iter=20, tol=-np.inf, init_params="", covars_prior=0, covars_weight=0,
                            min_covar=0, means_weight=0)
    other.startprob_, other.transmat_, other.means_, other.covars_ = START, A, MEANS, covars("diag")
    own = gaussian("diag").set_params(init_params="", n_iter=20, tol=0)
    with pytest.warns(Warning, match="stopped before"):
        own.fit(X, [150, 250])
    with np.errstate(all="ignore"):
        other.fit(X, [150, 250])
    np.testing.assert_allclose(own.transmat_, other.transmat_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(own.means_, other.means_, rtol=1e-6)


def test_missing_cells_and_labels_are_all_paths():
    own = gaussian()
    X, _ = own.sample(6, random_state=5)
    X[1, 0] = X[2, 1] = np.nan
    X[4] = np.nan

    def density(x, k):
        seen = ~np.isnan(x)
        if not seen.any():
            return 1.0
        cov, d = covars("full")[k][np.ix_(seen, seen)], (x - MEANS[k])[seen]
        return np.exp(-0.5 * d @ np.linalg.solve(cov, d)) / np.sqrt(np.linalg.det(2 * np.pi * cov))

    F, r, total = np.array([[density(x, k) for k in range(3)] for x in X]), np.zeros((6, 3)), 0
    for path in itertools.product(range(3), repeat=6):
        p = START[path[0]] * np.prod([A[i, j] for i, j in zip(path, path[1:])]) * np.prod(F[range(6), path])
        total += p
        r[range(6), path] += p
    assert own.score(X) == pytest.approx(np.log(total), rel=1e-9)
    np.testing.assert_allclose(own.predict_proba(X), r / total, rtol=1e-9, atol=1e-12)


def test_labels_name_states():
    X, z = gaussian().sample(1500, random_state=2)
    names = np.array(["low", "right", "left"])[z]
    y = np.where(rng().random(1500) < 0.1, names, None)
    lengths = [50] * 30
    fitted = scant.HMM(covariance_type="full", n_init=2, tol=1e-5).fit(X, lengths, y=y)
    assert list(fitted.classes_) == ["left", "low", "right"] == list(fitted.state_classes_)
    rows = scant.MixtureClassifier(covariance="full").fit(X, y)
    assert (fitted.predict(X, lengths) == names).mean() > (rows.predict(X) == names).mean() + 0.03
    some = np.where(rng().random(1500) < 0.5, names, None)
    told = fitted.predict(X, lengths, y=some)
    known = some != None  # noqa: E711
    assert (told[known] == names[known]).all()
    assert fitted.predict_proba(X, lengths).shape == (1500, 3)
    compared = fitted.compare_rows(X, lengths, y)
    assert compared["accuracy"] > compared["rows_accuracy"] and compared["loglik"] > compared["rows_loglik"]


def test_a_fit_finds_what_was_drawn(tmp_path):
    X, _ = gaussian().sample(6000, random_state=1)
    few = {"covariance_type": "full", "n_init": 2, "tol": 1e-5}
    fitted = scant.HMM(3, random_state=0, **few).fit(X, [100] * 60)
    order = np.argsort(fitted.means_[:, 1])[[1, 0, 2]]
    np.testing.assert_allclose(fitted.transmat_[np.ix_(order, order)], A, atol=0.06)
    np.testing.assert_allclose(fitted.means_[order], MEANS, atol=0.2)
    assert fitted.monitor_.converged and (np.diff(fitted.monitor_.history) > -1e-6).all()
    fitted.save(tmp_path / "hmm.json")
    for again in (pickle.loads(pickle.dumps(fitted)), scant.HMM.load(tmp_path / "hmm.json", n_components=3, covariance_type="full")):
        assert again.score(X) == fitted.score(X)
    weighed = scant.HMM(3, **few).fit(X, [100] * 60, sample_weight=np.tile([1.0, 0], 30))
    halved = scant.HMM(3, **few).fit(np.vstack(np.split(X, 60)[::2]), [100] * 30)
    assert weighed.score(X) == pytest.approx(halved.score(X), rel=1e-3)


def test_zeros_stay():
    X, _ = gaussian().sample(300, random_state=1)
    own = gaussian().set_params(init_params="mc", covariance_type="full")
    own.transmat_ = [[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]]
    own.startprob_ = [1, 0, 0]
    own.fit(X)
    assert own.transmat_[1, 0] == own.transmat_[2, 0] == own.transmat_[0, 2] == 0 and own.startprob_[0] == 1


@pytest.mark.parametrize("wrong, words", [
    (lambda m, X: m.score(X, [3, 4]), "doesn't sum to"),
    (lambda m, X: m.decode(X, algorithm="best"), "is not one of viterbi"),
    (lambda m, X: setattr(m, "transmat_", np.ones((3, 3))) or m.score(X), "must sum to 1"),
    (lambda m, X: setattr(m, "startprob_", [1, 0]) or m.score(X), "should have the shape"),
    (lambda m, X: scant.HMM(2).score(X), "not fitted"),
    (lambda m, X: scant.HMM(2, family="weibull").fit(X), "family"),
    (lambda m, X: scant.HMM(2, family="categorical").fit(X), "Symbols"),
])
def test_what_is_wrong(wrong, words):
    X, _ = gaussian().sample(10, random_state=1)
    with pytest.raises(ValueError, match=words):
        wrong(gaussian(), X)
