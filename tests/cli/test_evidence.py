"""Unlabelled rows, probabilities and the coupling of components to classes, as a user meets them."""
import csv
import random

import numpy as np
import pytest

import models
from conftest import EXAMPLES, write_csv

FEATURES = "FL,RW,CL,CW,BD"


@pytest.fixture
def crabs(tmp_path):
    """The crabs with nine labels: three blue males, three orange males, three orange females."""
    with open(EXAMPLES / "crabs.csv") as file:
        rows = list(csv.DictReader(file))
    chooser, chosen = random.Random(3), set()
    for species, sex in (("B", "M"), ("O", "M"), ("O", "F")):
        group = [i for i, row in enumerate(rows) if (row["sp"], row["sex"]) == (species, sex)]
        chosen |= set(chooser.sample(group, 3))
    path = tmp_path / "crabs9.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*rows[0], "known"])
        for i, row in enumerate(rows):
            writer.writerow([*row.values(), row["sex"] if i in chosen else ""])
    return path


def fit(scant, data, out, *more, ok=0):
    return scant("fit", data, "--label", "known", "--features", FEATURES, "--covariance", "tied", "-q", "--json",
                 "-o", out, *more, ok=ok)


def probabilities(scant, model, data, tmp_path, *more):
    scant("predict", model, data, "-q", "-o", tmp_path / "p.csv", *more)
    with open(tmp_path / "p.csv") as file:
        return np.array([float(row["p_F"]) for row in csv.DictReader(file)])


def test_em1_and_em2_reach_the_same(scant, crabs, tmp_path):
    one, two = (fit(scant, crabs, tmp_path / "m.json", "-k", 4, "--unlabeled", u).json()
                for u in ("em1", "em2"))
    assert one["loglik"] == pytest.approx(two["loglik"], abs=1e-4)
    assert one["labeled"] == 9


@pytest.mark.parametrize("name, alias", [("em0", "ignore-labels"), ("em1", "component-major"), ("em2", "class-major"),
                                         ("em3", "own-class")])
def test_unlabeled_has_long_names(scant, crabs, tmp_path, name, alias):
    fit(scant, crabs, tmp_path / "name.json", "--unlabeled", name, "--no-baseline")
    fit(scant, crabs, tmp_path / "alias.json", "--unlabeled", alias, "--no-baseline")
    assert (tmp_path / "alias.json").read_bytes() == (tmp_path / "name.json").read_bytes()
    assert models.load(tmp_path / "name.json")["settings"]["unlabeled"] == name


@pytest.mark.parametrize("old", ["--restarts 3", "--em 1", "--unlabeled latent", "--unlabeled latent-both", "--doubt 0.1",
                                 "--unlabeled drop-labels", "--context-mode weigh", "--context-mode replace",
                                 "--context-mode fix"])
def test_former_words_are_refused(scant, crabs, tmp_path, old):
    fit(scant, crabs, tmp_path / "m.json", *old.split(), ok=2)


def canonical_variates(X, group):
    """Two directions that part the groups best, measured in units of the spread within them."""
    means = np.array([X[group == g].mean(0) for g in np.unique(group)])
    within = sum(np.cov(X[group == g].T) for g in np.unique(group))
    values, vectors = np.linalg.eig(np.linalg.solve(within, np.cov(means.T)))
    return X @ vectors[:, np.argsort(-values.real)[:2]].real


def test_own_class_doubts_where_nothing_is_labelled(scant, crabs, tmp_path):
    """The blue females have no label at all. Two components a class make a latent fit sure of them, either way;
    with unlabelled rows as a class of their own the model must not be sure (partial labels, figure 4)."""
    with open(crabs) as file:
        rows = list(csv.DictReader(file))
    group = np.array([row["sp"] + row["sex"] for row in rows])
    Z = canonical_variates(np.array([[float(row[c]) for c in FEATURES.split(",")] for row in rows]), group)
    data = tmp_path / "variates.csv"
    with open(data, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["u", "v", "known"])
        writer.writerows([*map(repr, z.tolist()), row["known"]] for z, row in zip(Z, rows))
    mean = {}
    for name, method in (("sure", "em1"), ("unsure", "em3")):
        scant("fit", data, "--label", "known", "-k", 4, "--covariance", "tied", "--starts", 30, "--no-baseline", "--unlabeled",
              method, "-q", "-o", tmp_path / f"{name}.json")
        mean[name] = probabilities(scant, tmp_path / f"{name}.json", data, tmp_path)[group == "BF"].mean()
    assert mean["sure"] > 0.9
    assert abs(mean["unsure"] - 0.5) < 0.2
    more = probabilities(scant, tmp_path / "unsure.json", data, tmp_path, "--unlabeled-smoothing", 1)[group == "BF"].mean()
    assert abs(more - 0.5) <= abs(mean["unsure"] - 0.5) + 1e-9


def test_predictions_take_a_smoothing_of_their_own(scant, crabs, tmp_path):
    """None at all is one, too."""
    for name, smoothing in (("usual", "0.02"), ("none", "0")):
        fit(scant, crabs, tmp_path / f"{name}.json", "--unlabeled", "em3", "--unlabeled-smoothing", smoothing)
    usual, none = (probabilities(scant, tmp_path / f"{name}.json", crabs, tmp_path) for name in ("usual", "none"))
    assert not np.array_equal(usual, none)
    assert np.array_equal(probabilities(scant, tmp_path / "usual.json", crabs, tmp_path, "--unlabeled-smoothing", 0), none)
    assert np.array_equal(probabilities(scant, tmp_path / "none.json", crabs, tmp_path, "--unlabeled-smoothing", 0.02), usual)


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_own_class_takes_no_proportions_of_new_rows(scant, crabs, tmp_path, command):
    fit(scant, crabs, tmp_path / "m.json", "--unlabeled", "em3")
    told = scant(command, tmp_path / "m.json", crabs, "--label", "sex", "--prior", "F=0.9,M=0.1", ok=2).err
    assert "em3 takes no --prior" in told


def test_own_class_model_survives_its_file(scant, crabs, tmp_path):
    fit(scant, crabs, tmp_path / "m.json", "-k", 4, "--unlabeled", "em3")
    model = models.load(tmp_path / "m.json")
    assert model["unlabeled_smoothing"] == 0.02 and len(model["coupling"][0]) == 3
    again = fit(scant, crabs, tmp_path / "n.json", "--start", tmp_path / "m.json", "--unlabeled", "em3").json()
    assert again["loglik"] >= model["training"]["loglik"] - 1e-6


def test_rows_drawn_from_an_own_class_model(scant, crabs, tmp_path):
    """Unlabelled is a class there: its rows come without a label, in its share."""
    fit(scant, crabs, tmp_path / "m.json", "-k", 4, "--unlabeled", "em3")
    labels = [row["label"] for row in csv.DictReader(scant("simulate", tmp_path / "m.json", "-n", 2000).out.splitlines())]
    share = sum(row[2] for row in models.load(tmp_path / "m.json")["coupling"])
    assert set(labels) == {"F", "M", ""}
    assert abs(labels.count("") / 2000 - share) < 5 * np.sqrt(share * (1 - share) / 2000)


def test_drop_labels_names_components_afterwards(scant, crabs, tmp_path):
    plain = scant("fit", crabs, "--features", FEATURES, "--covariance", "tied", "-k", 4, "-q", "--json").json()
    named = fit(scant, crabs, tmp_path / "m.json", "-k", 4, "--unlabeled", "em0").json()
    assert named["loglik"] == pytest.approx(plain["loglik"], abs=1e-6)
    assert named["classes"] == ["F", "M"]


@pytest.mark.parametrize("more", [[], ["--accelerate", "squarem"], ["--sharing", "common", "--context-mode", "prior"]])
def test_a_class_that_only_sets_name(scant, tmp_path, more):
    """Its start has shares as others do: the objective rises from there, and W adds up to 1."""
    rng = np.random.default_rng(3)
    rows = [[("a", "b", "b|c")[i % 3] if i < 150 else None, rng.normal(2 * (i % 3)), rng.normal(i % 3)] for i in range(300)]
    data = write_csv(tmp_path / "d.csv", ["y", "u", "v"], rows)
    scant("fit", data, "--label", "y", "-k", 6, "--init", "labels", "--no-baseline", "-q", *more, "-o", tmp_path / "m.json")
    model = models.load(tmp_path / "m.json")
    trace = np.array(model["training"]["trace"])
    assert len(trace) > 3 and np.diff(trace).min() > -1e-12
    assert np.sum(model["coupling"]) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("weight", [0.25, 0])
def test_dropped_labels_still_weigh(scant, tmp_path, weight):
    """Rows without a label count as --unlabeled-weight says, also where labels are dropped: as a column of weights would."""
    rng = np.random.default_rng(7)
    rows = [["ab"[i % 2] if i < 90 else None, rng.normal(3 * (i % 2)), rng.normal()] for i in range(300)]
    data = write_csv(tmp_path / "d.csv", ["y", "u", "v"], rows)
    weighed = write_csv(tmp_path / "w.csv", ["y", "u", "v", "w"], [[*row, 1 if row[0] else weight] for row in rows])
    line = ["--label", "y", "--unlabeled", "em0", "-k", 2, "--no-baseline", "-q", "--json"]
    one = scant("fit", data, *line, "--unlabeled-weight", weight, "-o", tmp_path / "one.json").json()
    other = scant("fit", weighed, "--weight", "w", *line, "-o", tmp_path / "other.json").json()
    assert [one[name] for name in ("loglik", "bic")] == pytest.approx([other[name] for name in ("loglik", "bic")], rel=1e-6)
    couplings = [np.sort(models.load(tmp_path / f"{name}.json")["coupling"], axis=0) for name in ("one", "other")]
    np.testing.assert_allclose(*couplings, atol=1e-3)


def test_no_weight_for_unlabelled_rows_is_the_supervised_fit(scant, crabs, tmp_path):
    with open(crabs) as file:
        rows = list(csv.DictReader(file))
    labelled = tmp_path / "labelled.csv"
    with open(labelled, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(row for row in rows if row["known"])
    few = fit(scant, labelled, tmp_path / "few.json", "--shrinkage", 0).json()
    none = fit(scant, crabs, tmp_path / "none.json", "--unlabeled-weight", 0, "--shrinkage", 0).json()
    assert none["loglik"] == pytest.approx(few["loglik"], rel=1e-9)


@pytest.mark.parametrize("mode", ["likelihood", "prior", "posterior"])
def test_probabilities_in_every_mode(scant, crabs, tmp_path, mode):
    """Good hints for half of the rows beat the nine labels alone."""
    with open(crabs) as file:
        rows = list(csv.DictReader(file))
    for i, row in enumerate(rows):
        if not row["known"] and i % 2:
            row["known"] = "F:0.9;M:0.1" if row["sex"] == "F" else "F:0.1;M:0.9"
    hints = tmp_path / "hints.csv"
    with open(hints, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    fit(scant, hints, tmp_path / "m.json", "-k", 4, "--context-mode", mode, ok=(0, 4))
    result = scant("evaluate", tmp_path / "m.json", hints, "--label", "sex", "--json", "-q").json()
    assert result["accuracy"] > 0.85


@pytest.mark.parametrize("more,reason", [
    (["--unlabeled", "em1", "--prior", "F=0.5,M=0.5"], "no closed form"),
    (["--unlabeled", "em1", "--context-mode", "prior"], "bring their own proportions"),
    (["--unlabeled", "em1", "--context-mode", "posterior"], "fixed class posteriors"),
    (["--unlabeled", "em3", "--prior", "0.5"], "--prior has no meaning"),
    (["--unlabeled", "em3", "--context-mode", "prior"], "both set the proportions"),
    (["--unlabeled", "em0", "--prior", "0.5"], "no effect"),
    (["--unlabeled", "em0", "--context-mode", "prior"], "names components"),
    (["--sharing", "auto", "--unlabeled", "em1"], "only with --unlabeled em2"),
    (["--sharing", "lambda=0.5", "--context-mode", "posterior"], "only with --context-mode likelihood"),
    (["--sharing", "auto", "--accelerate", "squarem"], "extrapolations"),
    (["--sharing", "lambda=1.5"], "from 0 (separate) to 1 (common)"),
])
def test_settings_that_exclude_each_other(scant, crabs, tmp_path, more, reason):
    result = fit(scant, crabs, tmp_path / "m.json", *more, ok=2)
    assert reason in result.err and not (tmp_path / "m.json").exists()


def write_table(path, *lines):
    path.write_text("\n".join(lines) + "\n")
    return path


def test_sharing_by_a_table(scant, crabs, tmp_path):
    table = write_table(tmp_path / "z.csv", "M,F", "1,0", "1,1", "0,1")
    fit(scant, crabs, tmp_path / "m.json", "--sharing", table)
    coupling = np.array(models.load(tmp_path / "m.json")["coupling"])  # columns F, M
    assert coupling.shape == (3, 2) and coupling[0, 0] == 0 and coupling[2, 1] == 0
    assert coupling.sum() == pytest.approx(1)


@pytest.mark.parametrize("lines,where", [
    (("F,M", "1,0", "0,0", "0,1"), "z.csv:3:"),
    (("F,M", "1,0", "1,0"), "no component serves class M"),
    (("F,M", "1,0", "0,2"), "z.csv:3:2: M: expected 0 or 1, not 2"),
    (("F", "1"), "'M'"),
])
def test_bad_tables(scant, crabs, tmp_path, lines, where):
    table = write_table(tmp_path / "z.csv", *lines)
    assert where in fit(scant, crabs, tmp_path / "m.json", "--sharing", table, ok=3).err


@pytest.mark.parametrize("mode", ["prior", "likelihood"])
def test_weak_probabilities_tell_classes_apart_from_one_start(scant, tmp_path, mode):
    """Every row has a probability of 0.7 for one of the classes, right in 70 % of the rows, and no row has a label. Where a
    start looked only at what evidence allows, half of these fits ended with their classes exchanged."""
    data = tmp_path / "counts.csv"
    for seed in range(6):
        rng = np.random.default_rng(seed)
        second = rng.integers(0, 2, 400)
        x = rng.poisson(np.where(second[:, None], [6, 3], [3, 6]))
        p = np.where(rng.random(400) < 0.7, second, 1 - second) * 0.4 + 0.3
        with open(data, "w") as file:
            file.write("u,v,y\n")
            file.writelines(f"{a},{b},first:{1 - q:.1f};second:{q:.1f}\n" for (a, b), q in zip(x, p))
        scant("fit", data, "--label", "y", "--family", "poisson", "--starts", 1, "--seed", seed + 1, "--context-mode", mode,
              "-q", "-o", tmp_path / "m.json")
        scant("predict", tmp_path / "m.json", data, "-q", "-o", tmp_path / "p.csv")
        with open(tmp_path / "p.csv") as file:
            said = np.array([row["label"] == "second" for row in csv.DictReader(file)])
        assert np.mean(said == second) > 0.75


@pytest.fixture
def hints(tmp_path):
    """Two groups on a line, with a probability for each row; every third row has none."""
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.normal(0, 1, 60), rng.normal(3, 1, 60)])
    p = np.where(np.arange(120) < 60, 0.8, 0.3)
    path = tmp_path / "hints.csv"
    path.write_text("x,known\n" + "".join(
        f"{a:.17g},{'' if i % 3 == 0 else f'F:{b};M:{1 - b:.1f}'}\n" for i, (a, b) in enumerate(zip(x, p))))
    return path


@pytest.mark.parametrize("mode", ["likelihood", "posterior"])
@pytest.mark.parametrize("unlabeled", [True, False])
def test_own_class_needs_no_exact_label(scant, hints, tmp_path, mode, unlabeled):
    lines = hints.read_text().splitlines()
    hints.write_text("\n".join(line for line in lines if unlabeled or not line.endswith(",")) + "\n")
    scant("fit", hints, "--label", "known", "--unlabeled", "em3", "--context-mode", mode, "-q", "-o",
          tmp_path / "m.json")
    coupling = np.array(models.load(tmp_path / "m.json")["coupling"])
    assert coupling[:, 2].sum() == pytest.approx(1 / 3 if unlabeled else 0)


def test_icl_of_fixed_posteriors(scant, hints, tmp_path):
    """The components within a class are not known, whatever is known of the class."""
    result = scant("fit", hints, "--label", "known", "--context-mode", "posterior", "-k", "2/class", "-q", "--json", "-o",
                   tmp_path / "m.json", ok=(0, 4)).json()
    model = models.load(tmp_path / "m.json")
    W = np.array(model["coupling"])
    _, means, covariances = models.gaussian(model)
    rows = [line.split(",") for line in hints.read_text().splitlines()[1:]]
    entropy = 0
    for x, cell in rows:
        f = np.exp(-0.5 * (float(x) - means[:, 0]) ** 2 / covariances[:, 0, 0]) / covariances[:, 0, 0] ** 0.5
        g = W * f[:, None]
        shares = [float(part.split(":")[1]) for part in cell.split(";")] if cell else [1]
        for share, r in zip(shares, g.T if cell else [g.sum(axis=1)]):
            r = r[r > 0] / r.sum()
            entropy -= share * (r * np.log(r)).sum()
    assert entropy > 1 and result["icl"] - result["bic"] == pytest.approx(2 * entropy, rel=1e-6)
