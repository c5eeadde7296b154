"""NonnegativeCP: known factors are found, and the command line's numbers to the last digit."""
import os
import pickle

import numpy as np
import pytest

import scant
from scant import NonnegativeCP
from conftest import EXAMPLES, command, told


def known(shape=(8, 7, 6), rank=3, noise=0.0, seed=4):
    """Factors with many zeros, and the tensor they make."""
    rng = np.random.default_rng(seed)
    factors = [np.where(rng.random((size, rank)) < 0.4, 0, rng.random((size, rank))) for size in shape]
    tensor = factors[0]
    for factor in factors[1:]:
        tensor = tensor[..., np.newaxis, :] * factor
    tensor = tensor.sum(axis=-1)
    return factors, tensor + noise * rng.random(shape)


def congruence(found, truth):
    """For each true component its best match: the product over modes of the columns' cosines."""
    cosines = 1.0
    for a, b in zip(found, truth):
        cosines = cosines * ((a / np.linalg.norm(a, axis=0)).T @ (b / np.linalg.norm(b, axis=0)))
    return cosines.max(axis=0)


@pytest.mark.parametrize("shape", [(8, 7, 6), (6, 5, 4, 3)])
def test_known_factors_are_found(shape):
    factors, tensor = known(shape)
    cp = NonnegativeCP(rank=3, starts=3, threads=1, tol=1e-12).fit(tensor)
    assert cp.converged_ and cp.rssr_ < 1e-7 and (congruence(cp.factors_, factors) > 0.999).all()
    assert [factor.shape for factor in cp.factors_] == [(size, 3) for size in shape]
    for factor in cp.factors_:
        np.testing.assert_allclose(np.linalg.norm(factor, axis=0), 1)
        assert (factor >= 0).all()
    assert (np.diff(cp.weights_) <= 0).all() and cp.core_consistency_ > 99 and cp.stability_ > 0.99
    np.testing.assert_allclose(cp.inverse_transform(), tensor, atol=1e-3)
    rssr = ((cp.inverse_transform() - tensor) ** 2).sum() / (tensor**2).sum()
    assert rssr == pytest.approx(cp.rssr_, rel=1e-3, abs=1e-12)
    assert len(cp.trace_) == cp.n_iter_ and cp.trace_.rssr[-1] == cp.rssr_ and len(cp.starts_) == 3


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("settings, words", [
    ({"rank": 3}, ["--rank", "3"]),
    ({"rank": 2, "solver": "hals", "starts": 2, "random_state": 5}, ["--rank", "2", "--solver", "hals", "--starts", "2",
                                                                      "--seed", "5"]),
    ({"rank": 2, "loss": "kl", "solver": "mu", "max_iter": 50}, ["--rank", "2", "--loss", "kl", "--solver", "mu",
                                                                "--max-iter", "50"]),
    ({"rank": 3, "l2": 0.1, "l1": [0.1, 0, 0.2], "init": "nndsvd"}, ["--rank", "3", "--l2", "0.1", "--l1", "0.1,0,0.2",
                                                                   "--init", "nndsvd"]),
])
def test_the_same_as_the_command_line(tmp_path, settings, words):
    _, tensor = known(noise=0.05)
    np.save(tmp_path / "x.npy", tensor)
    said = told("factor", tmp_path / "x.npy", *words, "-o", tmp_path / "cli")
    cp = NonnegativeCP(**settings, threads=1).fit(tensor)
    for name in ("rssr", "loss", "kkt", "stop", "rank"):
        assert getattr(cp, f"{name}_") == said[name], name
    assert cp.n_iter_ == said["iterations"] and cp.n_vanished_ == said["vanished"]
    assert [step["rssr"] for step in said["trace"]] == cp.trace_.rssr.tolist()
    np.testing.assert_array_equal([np.nan if said["stability"] is None else said["stability"]], [cp.stability_])
    cp.save(tmp_path / "python")
    assert sorted(os.listdir(tmp_path / "python")) == sorted(os.listdir(tmp_path / "cli"))
    for name in os.listdir(tmp_path / "cli"):
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "cli" / name).read_bytes(), name
    loaded = NonnegativeCP.load(tmp_path / "cli")
    np.testing.assert_array_equal(loaded.weights_, cp.weights_)
    np.testing.assert_array_equal(loaded.transform(tensor), NonnegativeCP.load(tmp_path / "python").transform(tensor))


def test_sparse_tensors_and_ranks(tmp_path):
    path = EXAMPLES / "purchases.tns"
    table = np.loadtxt(path)
    entries = table[:, :3].T.astype(int) - 1, table[:, 3]
    said = told("factor", path, "--rank", "1:3")
    cp = NonnegativeCP(rank="1:3", threads=1).fit(entries)
    assert [(one["rank"], one["rssr"], one["starts"]) for one in cp.sweep_] == [
        (one["rank"], one["rssr"], 3) for one in said["ranks"]]
    assert (cp.best_rank_, cp.rank_) == (said["best_rank"], said["rank"])
    dense = np.zeros(cp.shape_)
    np.add.at(dense, tuple(entries[0]), entries[1])
    np.testing.assert_allclose(NonnegativeCP(rank=cp.rank_, starts=3, threads=1).fit(dense).rssr_, cp.rssr_, rtol=1e-4)
    larger = NonnegativeCP(rank=2, threads=1).fit((*entries, np.array(cp.shape_) + 1))
    assert larger.shape_ == tuple(size + 1 for size in cp.shape_) and not larger.factors_[0][-1].any()
    sparse = pytest.importorskip("scipy.sparse")
    matrix = dense.sum(axis=2)
    np.testing.assert_allclose(NonnegativeCP(rank=2, threads=1).fit(sparse.csr_matrix(matrix)).rssr_,
                               NonnegativeCP(rank=2, threads=1).fit(matrix).rssr_, rtol=1e-3)
    command("convert", path, tmp_path / "x.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), dense)


def test_new_slices():
    """Slices that the components made are told by the same numbers; a mode that is fixed stays."""
    factors, tensor = known()
    cp = NonnegativeCP(rank=3, threads=1, tol=1e-13).fit(tensor)
    first = cp.factors_[0] * cp.weights_
    np.testing.assert_allclose(cp.transform(tensor), first, atol=1e-3)
    mixed = np.array([[1.0, 2.0, 0.0], [0.0, 0.5, 3.0]])
    np.testing.assert_allclose(cp.transform(cp.inverse_transform(mixed)), mixed, atol=1e-8)
    np.testing.assert_array_equal(NonnegativeCP(rank=3, threads=1, tol=1e-13).fit_transform(tensor), first)
    kept = NonnegativeCP(rank=3, threads=1, fix={1: factors[1]}).fit(tensor)
    np.testing.assert_array_equal(kept.factors_[1], factors[1])
    assert (kept.weights_ == 1).all()
    with pytest.raises(ValueError, match=r"slices of shape \(7, 5\)"):
        cp.transform(tensor[:, :, :5])
    with pytest.raises(ValueError, match="no mode 3"):
        NonnegativeCP(rank=2, fix={3: factors[1]}).fit(tensor)


def test_missing_cells():
    factors, tensor = known()
    holes = np.where(np.random.default_rng(1).random(tensor.shape) < 0.2, np.nan, tensor)
    with pytest.raises(scant.InputError, match=r"missing \(NaN\); missing cells can be left out \(missing observed\)"):
        NonnegativeCP(rank=3).fit(holes)
    cp = NonnegativeCP(rank=3, missing="observed", starts=3, threads=1, tol=1e-12).fit(holes)
    assert cp.n_missing_ == np.isnan(holes).sum() and (congruence(cp.factors_, factors) > 0.99).all()
    np.testing.assert_allclose(cp.inverse_transform(), tensor, atol=0.02)  # the holes too


@pytest.mark.filterwarnings("ignore")
def test_starts_ends_and_copies():
    _, tensor = known(noise=0.1)
    seen = []
    cp = NonnegativeCP(rank=3, tol=0.0, threads=1, callback=lambda event: seen.append(event) or event.iteration == 5)
    cp.fit(tensor)
    assert cp.stop_ == "interrupted" and not cp.converged_ and cp.n_iter_ <= 6 and seen[-1].what == "factor"
    before = cp.loss_
    cp.set_params(warm_start=True, callback=None, max_iter=30).fit(tensor)
    assert cp.loss_ < before and cp.trace_.loss[0] <= before * (1 + 1e-9)
    copy = pickle.loads(pickle.dumps(cp))
    np.testing.assert_array_equal(copy.transform(tensor), cp.transform(tensor))
    with pytest.raises(ValueError, match="the last tensor was of shape"):
        cp.fit(tensor[1:])


def test_entries_that_are_refused():
    with pytest.raises(ValueError, match="whole numbers"):
        NonnegativeCP(rank=1).fit((np.array([[0.5, 1], [0, 1]]), [1.0, 2.0]))
    with pytest.raises(ValueError, match="Complex data"):
        NonnegativeCP(rank=1).fit((np.array([[0, 1], [0, 1]]), [1j, 2.0]))


def test_what_is_refused():
    _, tensor = known()
    with pytest.raises(scant.ArgumentError, match="rank: '' is neither"):
        NonnegativeCP().fit(tensor)
    with pytest.raises(scant.InputError, match=r"the cell at 1 1 1 is -1.*\(allow_negative\)"):
        NonnegativeCP(rank=2).fit(tensor * 0 - 1)
    clipped = np.where(np.arange(tensor.size).reshape(tensor.shape) % 5, tensor, -1)
    assert NonnegativeCP(rank=2, threads=1, allow_negative=True).fit(clipped).rssr_ == NonnegativeCP(
        rank=2, threads=1).fit(np.maximum(clipped, 0)).rssr_
    with pytest.raises(scant.InputError, match="not finite"):
        NonnegativeCP(rank=2).fit(np.where(tensor > 0.5, np.inf, tensor))
    with pytest.raises(ValueError, match="modes by entries"):
        NonnegativeCP(rank=2).fit((np.zeros((5, 3), dtype=int), np.ones(5)))
    with pytest.raises(scant.InputError, match="more than any"):
        NonnegativeCP(rank=100).fit(tensor)
    with pytest.raises(ValueError, match="2D array or a tensor"):
        NonnegativeCP(rank=2).fit(np.ones(5))
    with pytest.raises(ValueError, match="not fitted"):
        NonnegativeCP(rank=2).transform(tensor)
