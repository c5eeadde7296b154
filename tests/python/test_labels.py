"""Which rows are unlabelled, what classes there are."""
import numpy as np
import pytest

from scant import BlindClassifier, GaussianMixture, MixtureClassifier, _labels
from conftest import two_clouds

NAN = float("nan")


def codes(y, **how):
    found, classes = _labels.encode(y, **how)
    return found.tolist(), classes.tolist()


@pytest.mark.parametrize("y, expected", [
    (["b", None, "a"], ([1, -1, 0], ["a", "b"])),
    ([2.0, NAN, 0.0], ([1, -1, 0], [0, 2])),
    ([3, -1, 0, 3], ([1, -1, 0, 1], [0, 3])),  # -1 beside non-negative integers
    ([-1, 0], ([-1, 0], [0])),
    ([-2, -1, 3], ([0, 1, 2], [-2, -1, 3])),  # another negative one: -1 is a class
    ([True, False, None], ([1, 0, -1], [False, True])),
    (["1", "-1"], ([1, 0], ["-1", "1"])),  # names, not numbers
    (np.array([1, 0], dtype=np.int8), ([1, 0], [0, 1])),
])
def test_encode(y, expected):
    assert codes(y if isinstance(y, np.ndarray) else np.array(y, dtype=object)) == expected
    if not any(cell is None for cell in y):
        assert codes(y) == expected


def test_pandas_missing():
    pandas = pytest.importorskip("pandas")
    for series in (pandas.Series(["u", pandas.NA, "v"], dtype="string"), pandas.Series(["u", None, "v"]),
                   pandas.Series(["u", NAN, "v"], dtype="category")):
        assert codes(series) == ([0, -1, 1], ["u", "v"])
    assert codes(pandas.Series([0, pandas.NA, 4], dtype="Int64")) == ([0, -1, 1], [0, 4])


def test_minus_one_and_one():
    for y in ([-1, 1, 1], [-1.0, 1.0, NAN], np.array([1, -1, None], dtype=object)):
        with pytest.raises(ValueError, match="missing_label='none'.*missing_label=-1"):
            _labels.encode(y)
    assert codes([-1, 1, 1], missing_label="none") == ([0, 1, 1], [-1, 1])
    assert codes([-1, 1, 1], missing_label=-1) == ([-1, 0, 0], [1])
    assert codes(["?", "x"], missing_label="?") == ([-1, 0], ["x"])


@pytest.mark.parametrize("y, message", [
    ([0.5, 1.0], "Unknown label type: continuous"),
    ([NAN, NAN], "no row has a label"),
    ([np.inf, 1.0], "infinity"),
    (np.array(["a", 1], dtype=object), "several types"),
    (np.zeros((2, 2, 2)), "one a row"),
])
def test_refused(y, message):
    with pytest.raises(ValueError, match=message):
        _labels.encode(y)


def test_every_way_of_saying_unknown_is_the_same_fit():
    X, _, y = two_clouds()
    ways = [y, np.where(np.isnan(y), -1, y).astype(int), [None if np.isnan(v) else int(v) for v in y]]
    fits = [MixtureClassifier().fit(X, way) for way in ways]
    for one in fits:
        assert one.model_.summary["labeled"] == 20
        np.testing.assert_array_equal(one.predict_proba(X), fits[0].predict_proba(X))


@pytest.mark.parametrize("said", ["", " ", "NA", "?", "nan"])
def test_names_that_mean_unknown_in_files_do_so_here(said):
    X, truth, y = two_clouds()
    names = np.array(["no", "yes"])[truth]
    known = [None if np.isnan(v) else name for v, name in zip(y, names)]
    expected = MixtureClassifier().fit(X, known)
    for way in (np.where(np.isnan(y), said, names), [said if name is None else name for name in known]):
        fitted = MixtureClassifier().fit(X, way)
        assert fitted.classes_.tolist() == ["no", "yes"]
        assert fitted.model_.summary["labeled"] == 20
        np.testing.assert_array_equal(fitted.predict_proba(X), expected.predict_proba(X))


def test_classes_keep_their_kind():
    X, truth, _ = two_clouds()
    for labels in (np.array(["no", "yes"]), np.array([7, 9]), np.array([False, True]), np.array([2.0, 3.0])):
        fitted = MixtureClassifier().fit(X, labels[truth])
        assert fitted.predict(X).dtype == labels.dtype
        assert set(fitted.predict(X).tolist()) == set(labels.tolist())
        assert fitted.score(X, labels[truth]) > 0.9


def test_truth_values_come_back_from_files(tmp_path):
    X, truth, _ = two_clouds()
    fitted = MixtureClassifier().fit(X, truth == 1)
    fitted.save(tmp_path / "model.json")
    again = MixtureClassifier.load(tmp_path / "model.json")
    assert again.classes_.tolist() == [False, True] and again.score(X, truth == 1) == fitted.score(X, truth == 1)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [bool, np.bool_, float, np.float32, int])
def test_priors_name_classes_of_any_kind(kind):
    X, truth, _ = two_clouds()
    fitted = MixtureClassifier(prior={kind(0): 0.4, kind(1): 0.6}).fit(X, truth.astype(kind))
    assert fitted.score(X, truth.astype(kind)) > 0.9
    blind = BlindClassifier(prior={kind(0): 0.4, kind(1): 0.6}).fit(X)
    assert set(blind.classes_.tolist()) == {0, 1}


def test_a_missing_label_beside_others():
    pandas = pytest.importorskip("pandas")
    labels = np.array(["a", pandas.NA, "none of them", "b"], dtype=object)
    assert codes(labels, missing_label="none of them") == ([0, -1, -1, 1], ["a", "b"])


@pytest.mark.parametrize("labels, unknown", [
    (["no", "yes"], None), (["no", "yes"], "NA"), ([0, 1], -1), ([0.0, 1.0], np.nan)])
def test_scores_are_of_rows_with_labels(labels, unknown):
    X, truth, _ = two_clouds()
    labels = np.array([*labels, unknown], dtype=object)
    fitted = MixtureClassifier().fit(X, labels[truth])
    half = np.where(np.arange(len(X)) % 2, truth, 2)
    assert fitted.score(X, labels[half].tolist()) == fitted.score(X[1::2], labels[truth[1::2]].tolist())
    weight = np.where(np.arange(len(X)) < 50, 1.0, 0.0)
    assert fitted.score(X, labels[half].tolist(), weight) == fitted.score(X[1:50:2], labels[truth[1:50:2]].tolist())
    with pytest.raises(ValueError, match="no row has a label to compare with"):
        fitted.score(X, [unknown] * len(X))


@pytest.mark.parametrize("word", ["auto", "none"])
def test_words_of_missing_label_are_names_as_others(word):
    X = np.r_[np.zeros((20, 1)), np.ones((20, 1))] + np.linspace(0, 0.3, 40)[:, None]
    fitted = MixtureClassifier(missing_label=word).fit(X, ["manual"] * 20 + ["stick"] * 20)
    assert fitted.score(X, [word] * 20 + ["stick"] * 20) == 0.5
    with pytest.raises(ValueError, match="not one of the 2 classes"):
        fitted.evaluate(X, [word] * 20 + ["stick"] * 20)


def test_labels_of_weight_zero_are_no_score():
    X, y = np.arange(8.0)[:, None] % 5, np.array([0, 1, 0, 1, -1, -1, 0, 1])
    with pytest.raises(ValueError, match="no row has a label"):
        MixtureClassifier().fit(X, y).score(X, y, (y < 0).astype(float))


def test_names_with_blanks_around_them():
    X, truth, _ = two_clouds()
    for names in (np.array([" a", "b "]), np.array([" a", "a"])):
        fitted = MixtureClassifier().fit(X, names[truth])
        assert fitted.classes_.tolist() == names.tolist() and fitted.score(X, names[truth]) > 0.9


def test_names_with_odd_letters():
    """What means something in a label cell of a file is a name like any other here."""
    X, truth, _ = two_clouds()
    names = np.array(["a|b", "c:0.5;d:0.5"])
    fitted = MixtureClassifier().fit(X, names[truth])
    assert fitted.classes_.tolist() == names.tolist()
    np.testing.assert_allclose(fitted.predict_proba(X), MixtureClassifier().fit(X, truth).predict_proba(X))


def test_a_frame_of_probabilities_names_classes():
    pandas = pytest.importorskip("pandas")
    X, _, y = two_clouds()
    p = pandas.DataFrame({"b": y, "a": 1 - y})
    fitted = GaussianMixture(tol=1e-12, max_iter=2000).fit(X, p)
    assert fitted.classes_.tolist() == ["b", "a"]
    swapped = GaussianMixture(tol=1e-12, max_iter=2000).fit(X, y)
    np.testing.assert_allclose(fitted.predict_proba(X)[:, ::-1], swapped.predict_proba(X), atol=1e-4)
