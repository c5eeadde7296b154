"""Frames: what columns are is guessed as on the command line, when fitting and when asked again."""
import numpy as np
import pytest

import scant
from scant import Classifier, MixtureClassifier
from conftest import command

pandas = pytest.importorskip("pandas")
WORDS = "alpha beta gamma delta epsilon zeta".split()


@pytest.fixture(scope="module")
def mixed():
    """An identifier, a date, a number, a two-valued column, a category, notes; every third row has a label."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 120)
    frame = pandas.DataFrame({
        "id": np.arange(500, 620),
        "when": pandas.Timestamp("2024-01-01") + pandas.to_timedelta(rng.integers(0, 300, 120), "D"),
        "size": rng.normal(size=120) + 2.5 * truth,
        "flag": rng.integers(0, 2, 120),
        "color": rng.choice(["red", "green", "blue"], 120),
        "note": [" ".join(rng.choice(WORDS[:4] if k else WORDS[2:], 6)) for k in truth]})
    y = pandas.Series(np.where(np.arange(120) % 3, None, np.array(["no", "yes"])[truth]))
    return frame, y, np.array(["no", "yes"])[truth]


@pytest.mark.parametrize("cls, verb", [(Classifier, "train"), (MixtureClassifier, "fit")])
def test_the_guess_is_that_of_the_command_line(mixed, tmp_path, cls, verb):
    frame, y, truth = mixed
    frame.assign(y=y).to_csv(tmp_path / "d.csv", index=False)
    command(verb, tmp_path / "d.csv", "--label", "y", "-q", "-o", tmp_path / "m.json")
    command("predict", tmp_path / "m.json", tmp_path / "d.csv", "-q", "--digits", 17, "-o", tmp_path / "p.csv")
    with pytest.warns(scant.DoubtWarning, match="column 'id' is left out"):
        model = cls().fit(frame, y)
    kept = scant.Model.load(tmp_path / "m.json")
    assert model.model_.columns == kept.columns and "when.week_sin" in kept.columns and "id" not in kept.columns
    assert model.n_features_in_ == 6 and model.feature_names_in_.tolist() == list(frame.columns)
    answers = pandas.read_csv(tmp_path / "p.csv", float_precision="round_trip")
    p = model.predict_proba(frame)
    np.testing.assert_array_equal(p, answers[["p_no", "p_yes"]])
    assert (model.predict(frame) == truth).mean() > 0.85
    np.testing.assert_array_equal(model.predict_proba(frame[frame.columns[::-1]]), p)  # columns go by name
    np.testing.assert_array_equal(model.predict_proba(frame.to_numpy()), p)
    model.save(tmp_path / "again.json")
    np.testing.assert_array_equal(cls.load(tmp_path / "again.json").predict_proba(frame), p)
    np.testing.assert_array_equal(cls.load(tmp_path / "m.json").predict_proba(frame), p)
    with pytest.raises(ValueError, match="column size is not among the frame's"):
        model.predict(frame.drop(columns="size"))


@pytest.mark.filterwarnings("ignore::scant.DoubtWarning")
def test_types_say_otherwise(mixed):
    frame, y, _ = mixed
    number = Classifier(types={"id": "number", "note": "ignore", "flag": "category"}).fit(frame, y)
    assert number.model_.columns[0] == "id" and number.model_.levels and not number.model_.to_dict()["reading"].get("terms")
    plain = frame[["id", "size", "flag", "color"]]
    nothing = Classifier(types="none").fit(plain, y)
    assert nothing.model_.columns == list(plain.columns) and set(nothing.model_.levels) == {3}
    with pytest.raises(ValueError, match="'weight' is none of number"):
        Classifier(types={"size": "weight"}).fit(frame, y)


@pytest.mark.filterwarnings("ignore::scant.DoubtWarning")
def test_cells_that_are_missing(mixed):
    frame, y, _ = mixed
    holes = frame[["size", "color"]].astype(object)
    holes.loc[3:5, "size"] = -999.0
    holes.loc[6, "color"] = np.nan
    model = MixtureClassifier(missing_value=-999).fit(holes, y)
    assert np.isfinite(model.predict_proba(holes)).all()
    empty = holes.copy()
    empty.loc[3:5, "size"] = None
    np.testing.assert_array_equal(model.predict_proba(empty), model.predict_proba(holes))


@pytest.mark.filterwarnings("ignore::scant.DoubtWarning")
def test_what_pandas_says_of_a_column(mixed):
    frame, y, truth = mixed
    told = pandas.DataFrame({"size": frame["size"], "grade": pandas.Categorical(np.where(truth == "no", 1, 2)),
                             "known": truth == "yes"})
    model = Classifier().fit(told, y)
    assert set(model.model_.levels) == {1, 2} and (model.predict(told) == truth).mean() > 0.95
    with pytest.warns(UserWarning, match="never seen"):
        model.predict(told.assign(grade="7"))


def test_measurements_are_handed_over_as_they_are(mixed):
    """No column can be anything but a number: cells keep their bits, and nothing is written."""
    frame, y, _ = mixed
    rng = np.random.default_rng(4)
    numbers = pandas.DataFrame(rng.normal(size=(120, 2)) / 3, columns=["u", "v"])
    framed, plain = Classifier().fit(numbers, y), Classifier().fit(numbers.to_numpy(), y)
    np.testing.assert_array_equal(framed.predict_proba(numbers), plain.predict_proba(numbers.to_numpy()))
