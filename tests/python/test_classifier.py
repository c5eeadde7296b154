"""MixtureClassifier: methods, couplings, contexts, streams."""
import json
import pathlib
import pickle

import numpy as np
import pytest

import scant
from scant import MixtureClassifier, MixtureSelector, SemiSupervisedKFold
from conftest import CRABS, EXAMPLES, command, told, two_clouds

def few(crabs, every=20):
    """The species of one crab in `every`, the others unknown."""
    return crabs.sp.where(crabs.index % every == 0)


@pytest.mark.filterwarnings("ignore")
def test_unlabeled_rows_as_a_class_have_weight(crabs, tmp_path):
    """Weights add up to 1 with what unlabeled rows have, which can be read as P(unlabeled | component)."""
    fitted = MixtureClassifier(components=4, sharing="common", unlabeled="em3").fit(crabs[CRABS], few(crabs))
    assert fitted.weights_.sum() == pytest.approx(1, abs=1e-12)
    assert fitted.coupling_.sum() < 0.2
    assert fitted.weights_ * (1 - fitted.unlabeled_) == pytest.approx(fitted.coupling_.sum(axis=1), abs=1e-12)
    fitted.save(tmp_path / "m.json")
    assert told("show", tmp_path / "m.json")["unlabeled"] == pytest.approx(fitted.unlabeled_, abs=1e-12)
    plain = MixtureClassifier().fit(crabs[CRABS], few(crabs))
    assert plain.unlabeled_ is None and plain.weights_ == pytest.approx(plain.coupling_.sum(axis=1), abs=1e-15)


@pytest.mark.filterwarnings("ignore")
def test_rows_of_the_fit_are_known(crabs):
    fitted = MixtureClassifier(random_state=2).fit(crabs[CRABS], crabs.sp)
    assert fitted.evaluate(crabs[CRABS], crabs.sp)["of_the_fit"]
    assert not fitted.evaluate(crabs[CRABS][:150], crabs.sp[:150])["of_the_fit"]
    half = MixtureClassifier().fit(crabs[CRABS][::2], crabs.sp[::2])
    assert not half.evaluate(crabs[CRABS][1::2], crabs.sp[1::2])["of_the_fit"]
    assert fitted.information(crabs[CRABS], crabs.sp)["by"] == "information"


@pytest.mark.parametrize("settings, words", [
    ({}, []),
    ({"components": "2/class"}, ["-k", "2/class"]),
    ({"components": {"B": 2, "O": 1}, "covariance": "tied"}, ["-k", "B=2,O=1", "--covariance", "tied"]),
    ({"components": 4, "sharing": "common", "unlabeled": "em1"}, ["-k", "4", "--sharing", "common", "--unlabeled", "em1", "--no-baseline"]),
    ({"components": 4, "sharing": "common", "unlabeled": "em3"},
     ["-k", "4", "--sharing", "common", "--unlabeled", "em3", "--no-baseline"]),
    ({"unlabeled": "em0", "components": 4, "sharing": "common"}, ["--unlabeled", "em0", "-k", "4", "--sharing", "common", "--no-baseline"]),
    ({"components": 4, "sharing": "lambda=0.3"}, ["-k", "4", "--sharing", "lambda=0.3", "--no-baseline"]),
    ({"components": 4, "sharing": "auto"}, ["-k", "4", "--sharing", "auto", "--no-baseline"]),
    ({"prior": {"B": 0.5, "O": 0.5}, "unlabeled_weight": 0.2}, ["--prior", "B=0.5,O=0.5", "--unlabeled-weight", "0.2"]),
    ({"label_noise": 0.1, "random_state": 7}, ["--label-noise", "0.1", "--seed", "7", "--no-baseline"]),
])
@pytest.mark.filterwarnings("ignore")
def test_the_same_as_the_command_line(crabs, tmp_path, settings, words):
    """The model file is the command line's, byte by byte."""
    table = crabs[CRABS].assign(species=few(crabs))
    table.to_csv(tmp_path / "few.csv", index=False)
    command("fit", tmp_path / "few.csv", "--label", "species", "--types", "none", "-q", *words, "-o",
            tmp_path / "cli.json")
    fitted = MixtureClassifier(**settings).fit(crabs[CRABS], few(crabs))
    fitted.save(tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "cli.json").read_bytes()
    loaded = MixtureClassifier.load(tmp_path / "cli.json")
    assert loaded.classes_.tolist() == ["B", "O"]
    np.testing.assert_array_equal(loaded.predict_proba(crabs), fitted.predict_proba(crabs))
    command("predict", tmp_path / "python.json", EXAMPLES / "crabs.csv", "--digits", 17, "-q", "-o", tmp_path / "answers.csv")
    answers = pytest.importorskip("pandas").read_csv(tmp_path / "answers.csv")
    np.testing.assert_allclose(answers[["p_B", "p_O"]], fitted.predict_proba(crabs), atol=1e-9)
    assert (answers.label == fitted.predict(crabs)).all()
    np.testing.assert_allclose(answers.support, fitted.support(crabs), atol=1e-9)


def test_information_is_the_command_lines(crabs, tmp_path):
    crabs[CRABS].assign(species=few(crabs)).to_csv(tmp_path / "few.csv", index=False)
    command("fit", tmp_path / "few.csv", "--label", "species", "--no-baseline", "--types", "none", "-q", "--stderr",
            "-o", tmp_path / "cli.json")
    fitted = MixtureClassifier(shrinkage=0, unlabeled_weight=1, keep=True).fit(crabs[CRABS], few(crabs))
    found = fitted.information(crabs[CRABS], few(crabs))
    fitted.save(tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "cli.json").read_bytes()
    document = json.loads((tmp_path / "cli.json").read_text())["information"]
    assert found["missing"] == document["missing"]
    np.testing.assert_array_equal(found["factors"][0]["means"], document["errors"]["factors"][0]["means"])


def test_selection_is_the_command_lines(crabs, tmp_path):
    crabs[CRABS].assign(species=few(crabs)).to_csv(tmp_path / "few.csv", index=False)
    command("select", tmp_path / "few.csv", "--label", "species", "-k", "1:2/class", "--covariance", "full,diag", "--types", "none",
            "-q", "-o", tmp_path / "cli.json")
    chosen = MixtureSelector(components="1:2/class", covariances="full,diag").fit(crabs[CRABS], few(crabs))
    chosen.save(tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "cli.json").read_bytes()


def test_cross_validation_is_the_command_lines(crabs, tmp_path):
    crabs[CRABS].assign(species=few(crabs)).to_csv(tmp_path / "few.csv", index=False)
    theirs = json.loads(command("cv", tmp_path / "few.csv", "--label", "species", "--folds", 3, "--json", "-q"))
    ours = MixtureClassifier().cross_validate(crabs[CRABS], few(crabs), folds=3)
    for name in ("accuracy", "log_loss", "mean_loglik"):
        assert ours[name] == pytest.approx(theirs[name], rel=1e-12)


def test_arrays_in_place_of_files(crabs):
    X, y = crabs[CRABS], few(crabs)
    mask = np.array([[1, 0], [1, 1], [0, 1]])
    fitted = MixtureClassifier(sharing=mask, components=3).fit(X, y)
    assert ((fitted.coupling_ > 0) <= mask).all()
    noise = np.array([[0.9, 0.1], [0.2, 0.8]])
    noisy = MixtureClassifier(label_noise=noise).fit(X, y)
    np.testing.assert_allclose(noisy.model_.to_dict()["label_noise"], noise)
    assert "tmp" not in str(fitted.model_.to_dict()["settings"])
    with pytest.raises(scant.InputError, match="expected 0 or 1, not 0.5"):
        MixtureClassifier(sharing=mask / 2).fit(X, y)
    with pytest.raises(scant.ArgumentError, match="2 x 3"):
        MixtureClassifier(label_noise=mask.T).fit(X, y)
    fixed = MixtureClassifier(prior=np.array([0.3, 0.7])).fit(X, y)
    np.testing.assert_allclose(fixed.coupling_.sum(axis=0), [0.3, 0.7])
    mixed = MixtureClassifier(family={"gamma": ["FL", "RW"], "gaussian": "C*"}).fit(crabs[["FL", "RW", "CL", "CW"]], y)
    assert [family for family, *_ in mixed.model_.factors()] == ["gamma", "gaussian"]


@pytest.mark.parametrize("mode", ["likelihood", "prior", "posterior"])
def test_context(mode):
    """Probabilities beside the rows: the answers follow algebra.md's tables, worked out here by hand."""
    X, truth, y = two_clouds(400, labelled=40)
    rng = np.random.default_rng(8)
    p = rng.dirichlet([1, 1], len(X))
    p = np.where(truth[:, None] == p.argmax(axis=1)[:, None], p, p[:, ::-1])  # contexts that tell the truth mostly
    fitted = MixtureClassifier(context_mode=mode).fit(X, y, context=np.where(np.isnan(y)[:, None], p, np.nan))
    assert fitted.score(X, truth) > 0.9
    if mode == "posterior":
        return
    parameters = fitted.model_.factors()[0][2]
    F = np.exp([[-0.5 * d @ np.linalg.solve(S, d) - 0.5 * np.log(np.linalg.det(S))
                 for S, d in zip(parameters["covariances"], x - parameters["means"])] for x in X])
    shares = fitted.coupling_.sum(axis=0) if mode == "likelihood" else 1.0
    by_hand = F * p * shares
    by_hand /= by_hand.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.predict_proba(X, context=p), by_hand, atol=1e-9)
    shifted = fitted.predict_proba(X, prior={0: 0.9, 1: 0.1})
    by_hand = F * [0.9, 0.1]
    np.testing.assert_allclose(shifted, by_hand / by_hand.sum(axis=1, keepdims=True), atol=1e-9)


def test_context_tables():
    pandas = pytest.importorskip("pandas")
    given = pandas.DataFrame({"F": [0.2, 0.7], "M": [0.8, 0.3]}, index=["reef", "shore"])
    prior = pandas.DataFrame({"shore": [1.0, 0.5], "reef": [0.0, 0.5]}, index=[10, 11])
    made = scant.context.latent(prior, given)
    np.testing.assert_allclose(made, [[0.7, 0.3], [0.45, 0.55]])
    assert made.columns.tolist() == ["F", "M"] and made.index.tolist() == [10, 11]
    seen = scant.context.observed(["shore", None, "reef"], given)
    np.testing.assert_allclose(seen, [[0.7, 0.3], [np.nan, np.nan], [0.2, 0.8]])
    likelihood = pandas.DataFrame({"reef": [0.9, 0.4], "shore": [0.1, 0.6]}, index=["F", "M"])
    turned = scant.context.invert(likelihood, {"F": 0.25, "M": 0.75})
    np.testing.assert_allclose(turned.loc["reef"], [0.225 / 0.525, 0.3 / 0.525])
    np.testing.assert_allclose(scant.context.negentropy([[0.5, 0.5], [1.0, 0.0]]), [0, 1])
    with pytest.raises(ValueError, match="no row for context 'desert'"):
        scant.context.observed(["desert"], given)


def test_evaluate_and_compare(crabs):
    X, y = crabs[CRABS], few(crabs)
    fitted = MixtureClassifier().fit(X, y)
    found = fitted.evaluate(X, crabs.sp)
    assert found["accuracy"] == pytest.approx(fitted.score(X, crabs.sp))
    p = fitted.predict_proba(X)[np.arange(len(X)), (crabs.sp == "O").astype(int)]
    assert found["log_loss"] == pytest.approx(-np.log(p).mean())
    assert found["confusion"].sum() == len(X)
    beside = fitted.compare(X, y, folds=3)
    assert beside["labeled"] == 10 and beside["difference"] == pytest.approx(
        beside["accuracy"] - beside["supervised_accuracy"])
    alone = fitted.cross_validate(X, y, folds=3, supervised=True)
    assert len(alone["folds"]) == 3 and 0 <= alone["accuracy"] <= 1


def test_evaluate_tells_of_a_guess(crabs, tmp_path):
    """As the command line does: a model that names the classes the wrong way round is worse than naming one."""
    fitted = MixtureClassifier().fit(crabs[CRABS], crabs.sp)
    swapped = crabs.assign(sp=crabs.sp.map({"B": "O", "O": "B"})).iloc[:150]
    found = fitted.evaluate(swapped[CRABS], swapped.sp)["guess"]
    fitted.save(tmp_path / "m.json")
    swapped.to_csv(tmp_path / "swapped.csv", index=False)
    assert found == pytest.approx(told("evaluate", tmp_path / "m.json", tmp_path / "swapped.csv", "--label", "sp")["guess"])
    assert found["better"] is True and found["accuracy"] == pytest.approx((swapped.sp == found["class"]).mean())


def test_selector_finds_the_truth():
    """Three components a class, spherical, well apart: BIC and ICL choose them."""
    rng = np.random.default_rng(2)
    centres = np.array([[0, 0], [8, 0], [0, 8], [20, 20], [28, 20], [20, 28]], dtype=float)
    component = rng.integers(0, 6, 1200)
    X, y = centres[component] + rng.normal(size=(1200, 2)), component // 3
    for by in ("bic", "icl"):
        chosen = MixtureSelector(components="1:4/class", covariances=["spherical", "full", "tied-spherical"], by=by,
                                 starts=5).fit(X, y)
        assert chosen.best_params_ == {"components": "3/class", "covariance": "tied-spherical"}
        assert len(chosen.candidates_) == 12
        assert chosen.best_index_ == int(np.argmin([c["score"] for c in chosen.candidates_]))
    plain = MixtureSelector(components="5,6,7", covariances="tied-spherical", starts=5).fit(X)
    assert plain.best_params_["components"] == "6" and not hasattr(plain, "classes_")
    assert len(np.unique(plain.predict(X))) == 6


def test_folds_hold_out_labels():
    y = np.array([0] * 6 + [1] * 4 + [-1] * 10)
    tested = []
    for train, test in SemiSupervisedKFold(2).split(np.zeros((20, 1)), y):
        assert set(range(10, 20)) <= set(train) and not set(train) & set(test)
        assert np.bincount(y[test]).tolist() == [3, 2]
        tested += test.tolist()
    assert sorted(tested) == list(range(10))
    groups = np.repeat(np.arange(10), 2)
    for train, test in SemiSupervisedKFold(3).split(None, y, groups):
        assert not set(groups[train]) & set(groups[test])
    with pytest.raises(ValueError, match="n_splits=11"):
        next(SemiSupervisedKFold(11).split(None, y))


def test_partial_fit_follows(tmp_path):
    """The classes move; a model that follows stays right, one that does not goes wrong. Pickles go on alike."""
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 2, 900)
    X = rng.normal(size=(900, 1)) + 6.0 * truth[:, None] + np.linspace(0, 12, 900)[:, None]
    y = np.where(rng.random(900) < 0.2, truth, -1)
    following = MixtureClassifier(window=100).partial_fit(X[:100], truth[:100], classes=[0, 1])
    still = pickle.loads(pickle.dumps(following))
    following.partial_fit(X[100:500], y[100:500])
    copy = pickle.loads(pickle.dumps(following))
    for one in (following, copy):
        one.partial_fit(X[500:], y[500:])
    np.testing.assert_array_equal(copy.predict_proba(X), following.predict_proba(X))
    assert following.score(X[800:], truth[800:]) > 0.95 > 0.6 > still.score(X[800:], truth[800:])
    following.save(tmp_path / "now.json")
    assert json.loads(pathlib.Path(tmp_path / "now.json").read_text())["format"] == "scant-model"
    with pytest.raises(ValueError, match="2 is not one of the 2 classes"):
        following.partial_fit(X[:1], [2])
    assert "_stream" not in vars(following.fit(X, truth))


def test_partial_fit_learns_all_rows_or_none():
    X, truth, _ = two_clouds()
    plain, refused = (MixtureClassifier(window=20).partial_fit(X, truth) for _ in range(2))
    for bad in ({"y": truth[:3], "sample_weight": [1, 1, -1]}, {"y": [[1, 0], [0, 1], [0.5, 0.9]]}):
        with pytest.raises(ValueError):
            refused.partial_fit(X[:3], **bad)
    np.testing.assert_array_equal(refused.partial_fit(X[:9], truth[:9]).predict_proba(X),
                                  plain.partial_fit(X[:9], truth[:9]).predict_proba(X))


def test_partial_fit_takes_probabilities_and_weights_of_zero():
    X, truth, _ = two_clouds()
    certain = np.eye(2)[truth]
    plain, soft, light = (MixtureClassifier(window=20).partial_fit(X, truth) for _ in range(3))
    plain.partial_fit(X[:9], truth[:9])
    soft.partial_fit(X[:9], certain[:9])
    np.testing.assert_allclose(soft.predict_proba(X), plain.predict_proba(X), atol=1e-12)
    light.partial_fit(X[:10], truth[:10], sample_weight=np.arange(10) < 9)  # weight 0: the row is not there
    np.testing.assert_array_equal(light.predict_proba(X), plain.predict_proba(X))


def test_values_of_options():
    """NumPy's truth values, classes that are floats, lists and ranges are as good as texts."""
    X, truth, _ = two_clouds()
    shares = MixtureClassifier(prior={0.0: 0.2, np.float64(1): 0.8}, anneal=np.bool_(True)).fit(X, truth * 1.0)
    np.testing.assert_allclose(shares.coupling_.sum(axis=0), [0.2, 0.8])
    for components in ("1,2", [1, 2], range(1, 3)):
        chosen = MixtureSelector(components=components, covariances=["full"]).fit(X)
        assert [c["components"] for c in chosen.candidates_] == ["1", "2"]


def test_priors_of_any_names():
    """Classes may have the signs that part the pairs of a prior."""
    X, truth, _ = two_clouds()
    names = np.array(["ham, eggs", "a=b,c=1"])
    prior = dict(zip(names, [0.2, 0.8]))
    fitted = MixtureClassifier(prior=prior).fit(X, names[truth])
    plain = MixtureClassifier(prior=[0.2, 0.8]).fit(X, truth)
    order = [list(fitted.classes_).index(name) for name in names]
    np.testing.assert_allclose(fitted.coupling_.sum(axis=0)[order], [0.2, 0.8])
    for shares in (prior, np.array([prior[name] for name in fitted.classes_])):
        np.testing.assert_allclose(fitted.predict_proba(X, prior=shares)[:, order],
                                   plain.predict_proba(X, prior={0: 0.2, 1: 0.8}), atol=1e-9)
    several = MixtureClassifier(components=dict(zip(names, [2, 1]))).fit(X, names[truth])
    assert list((several.coupling_ > 0).sum(axis=0)[order]) == [2, 1]
    with pytest.raises(ValueError, match="3 shares for 2 classes"):
        fitted.predict_proba(X, prior=np.array([0.2, 0.3, 0.5]))


@pytest.mark.parametrize("state", ["a", 1.5])
def test_states_that_are_none(state):
    X, truth, _ = two_clouds()
    with pytest.raises(TypeError, match=f"random_state={state!r} is neither a whole number nor a generator"):
        MixtureClassifier(random_state=state).fit(X, truth)


def test_messages_speak_python():
    X, truth, _ = two_clouds()
    with pytest.raises(scant.ArgumentError, match="^max_iter: '-3' is not a whole number") as told:
        MixtureClassifier(max_iter=-3).fit(X, truth)
    assert told.value.option == "max_iter"
    with pytest.raises(scant.Error, match="--odd.csv") as told:  # what is quoted stays as it is
        MixtureClassifier(sharing="--odd.csv").fit(X, truth)
    assert told.value.option is None
    with pytest.raises(scant.ArgumentError, match="components: 1 components cannot serve 2 classes.*sharing common"):
        MixtureClassifier(components=1).fit(X, truth)
    with pytest.raises(ValueError, match="requires y to be passed"):
        MixtureClassifier().fit(X, None)
    with pytest.raises(FileNotFoundError, match="nowhere.json"):
        scant.Model.load("nowhere.json")
    with pytest.raises(scant.InputError, match="crabs.csv"):
        scant.Model.load(EXAMPLES / "crabs.csv")


def test_scores_want_labels_of_the_classes_kind(tmp_path):
    """Numbers that a file has as 1.0 are names; compared with numbers, all rows would be wrong."""
    X, y, _ = two_clouds(60)
    table = tmp_path / "d.csv"
    table.write_text("a,b,y\n" + "".join(f"{a},{b},{k:.1f}\n" for (a, b), k in zip(X.tolist(), y)))
    command("fit", table, "--label", "y", "-q", "-o", tmp_path / "m.json")
    model = MixtureClassifier.load(tmp_path / "m.json")
    names = np.array([f"{k:.1f}" for k in y])
    assert model.score(X, names) == model.score(X, names.astype(object)) > 0.8
    with pytest.raises(ValueError, match="names and numbers are never the same"):
        model.score(X, y)
