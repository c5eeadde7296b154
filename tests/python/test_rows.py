"""Arrays, frames and sparse matrices as rows."""
import ctypes
import tracemalloc

import numpy as np
import pytest

from scant import GaussianMixture, MixtureClassifier
from scant._library import library
from scant._rows import Rows, table_of
from conftest import CRABS, two_clouds


def cell(rows, i, j):
    return library.scant_rows_value(rows.pointer, i, j)


def test_a_view_is_not_a_copy():
    X = np.arange(12.0).reshape(4, 3)
    rows = Rows(table_of(X))
    X[2, 1] = -5
    assert cell(rows, 2, 1) == -5
    for other in (X.astype(np.float32), np.asfortranarray(X), X.astype(int), X.tolist(), X[:, ::2]):
        made = Rows(table_of(other))
        assert cell(made, 3, 1) == np.asarray(other)[3, 1]
    X.flags.writeable = False
    assert Rows(table_of(X)).table.values.ctypes.data == X.ctypes.data


def test_memory_of_a_fit():
    """NumPy, which reports its memory, makes no copy of the array on the way to a fit."""
    X = np.random.default_rng(0).normal(size=(200000, 8))
    tracemalloc.start()
    with pytest.warns(UserWarning):
        GaussianMixture(max_iter=2, tol=0).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 20


@pytest.mark.parametrize("bad, message", [
    (np.array([1.0, 2.0]), "Expected 2D array, got 1D array"),
    (np.zeros((2, 2, 2)), "got 3D array"),
    (np.zeros((0, 2)), "0 sample"),
    (np.zeros((2, 0)), "0 feature"),
    (np.array([[1.0, np.inf]]), "infinity"),
    (np.array([[1j, 1.0]]), "Complex data"),
    ([["a", "b"]], "could not convert string"),
])
def test_refused(bad, message):
    with pytest.raises(ValueError, match=message):
        table_of(bad)


def test_huge_values_that_add_up_to_infinity_are_no_error():
    assert table_of(np.array([[1e308, 1e308]])).values[0, 0] == 1e308


def test_sparse_is_dense():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(3)
    X = rng.poisson(0.4, size=(300, 12)).astype(float)
    y = (X[:, :6].sum(axis=1) > X[:, 6:].sum(axis=1)).astype(int)
    for make in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array):
        for family in ("multinomial", "poisson", "bernoulli", "gaussian"):
            counts = (X > 0).astype(float) if family == "bernoulli" else X
            dense = MixtureClassifier(family=family).fit(counts, y)
            thin = MixtureClassifier(family=family).fit(make(counts), y)
            np.testing.assert_allclose(thin.predict_proba(make(counts)), dense.predict_proba(counts), atol=1e-10)
    twice = sparse.csr_matrix((np.ones(2), np.array([1, 1]), np.array([0, 2])), shape=(1, 3))  # (0, 1) given twice
    assert cell(Rows(table_of(twice)), 0, 1) == 2


def test_frames_go_by_name(crabs):
    fitted = MixtureClassifier().fit(crabs[CRABS], crabs.sp)
    assert fitted.feature_names_in_.tolist() == CRABS and fitted.model_.columns == CRABS
    p = fitted.predict_proba(crabs[CRABS])
    np.testing.assert_array_equal(fitted.predict_proba(crabs[CRABS[::-1]]), p)  # any order
    np.testing.assert_array_equal(fitted.predict_proba(crabs), p)  # others are left out
    np.testing.assert_array_equal(fitted.predict_proba(crabs[CRABS].to_numpy()), p)  # without names: the model's order
    with pytest.raises(ValueError, match="column BD is not among the frame's"):
        fitted.predict(crabs[CRABS[:-1]])
    with pytest.raises(ValueError, match="4 features, but MixtureClassifier is expecting 5"):
        fitted.predict(crabs[CRABS[:-1]].to_numpy())


def test_missing_cells_in_frames(crabs):
    pandas = pytest.importorskip("pandas")
    X = crabs[CRABS].copy()
    X.iloc[3, 1] = np.nan
    plain = GaussianMixture(2).fit(X.to_numpy())
    nullable = X.astype("Float64")
    assert nullable.iloc[3, 1] is pandas.NA
    np.testing.assert_array_equal(GaussianMixture(2).fit(nullable).means_, plain.means_)


def test_categories(crabs):
    """A column of names is a category; the probabilities of its levels are counts, by hand."""
    fitted = MixtureClassifier(smooth=0.0).fit(crabs[["sex", "FL"]], crabs.sp)
    families = {family: parameters for family, _, parameters, _ in fitted.model_.factors()}
    assert set(families) == {"categorical", "gaussian"} and fitted.model_.levels == {0: ["F", "M"]}
    counts = crabs.groupby("sp").sex.value_counts(normalize=True).unstack().to_numpy()
    np.testing.assert_allclose(families["categorical"]["probabilities"], counts)
    unseen = crabs[["sex", "FL"]].assign(sex="X")
    with pytest.warns(UserWarning, match="200 of 200 rows have a level of 'sex' .* such as 'X'"):
        told = fitted.predict(unseen)
    hidden = crabs[["sex", "FL"]].assign(sex=None)
    assert (told == fitted.predict(hidden)).all()
    assert (fitted.predict(hidden) == MixtureClassifier().fit(crabs[["FL"]], crabs.sp).predict(crabs[["FL"]])).all()


@pytest.mark.parametrize("kind", ["object", "string", "category"])
def test_names_beside_missing_cells(kind):
    """Whole names, whatever a frame keeps them as; what means unknown in a file does so here."""
    pandas = pytest.importorskip("pandas")
    table = table_of(pandas.DataFrame({"u": pandas.Series(["shore", None, "reef", "rock", "NA", ""], dtype=kind)}))
    assert table.levels == {0: ["reef", "rock", "shore"]}
    np.testing.assert_array_equal(table.values[:, 0], [2, np.nan, 0, 1, np.nan, np.nan])


def test_levels_that_are_numbers_are_in_their_order():
    pandas = pytest.importorskip("pandas")
    assert table_of(pandas.DataFrame({"u": pandas.Categorical([10, 9, None])})).levels == {0: ["9", "10"]}


def test_objects_that_are_numbers_are_numbers():
    pandas = pytest.importorskip("pandas")
    column = pandas.Series([1, 2.5, None, pandas.NA, np.int8(3), True], dtype=object)
    table = table_of(pandas.DataFrame({"u": column}))
    np.testing.assert_array_equal(table.values[:, 0], [1, 2.5, np.nan, np.nan, 3, 1])
    assert table.levels == {}
    known = table_of(pandas.DataFrame({"u": pandas.Series([1, 2], dtype=object)}), levels={0: ["1", "2"]})
    np.testing.assert_array_equal(known.values[:, 0], [0, 1])


@pytest.mark.parametrize("kind", [complex, object])
def test_complex_columns_are_refused(kind):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="Complex data not supported: column u"):
        table_of(pandas.DataFrame({"u": pandas.Series([1j, 1], dtype=kind)}))


def test_dates_are_refused():
    pandas = pytest.importorskip("pandas")
    for when in (pandas.to_datetime(["2020-01-01"]), pandas.period_range("2020-01-01", periods=1, freq="D")):
        with pytest.raises(ValueError, match="column when has dates"):
            table_of(pandas.DataFrame({"when": when}))


def test_rows_know_what_is_wrong():
    X, truth, _ = two_clouds()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        MixtureClassifier().fit(X, truth[:-1])
    with pytest.raises(ValueError, match="row 3: a weight must be a number from 0 to 1e100"):
        MixtureClassifier().fit(X, truth, sample_weight=np.where(np.arange(len(X)) == 2, -1.0, 1.0))
    with pytest.raises(ValueError, match="all sample weights are zero"):
        MixtureClassifier().fit(X, truth, sample_weight=np.zeros(len(X)))


def test_lent_memory_outlives_its_name():
    def rows():
        return Rows(table_of(np.full((1000, 3), 7.0)))
    kept = rows()
    assert cell(kept, 999, 2) == 7 and ctypes.c_void_p.from_buffer(kept.pointer).value
