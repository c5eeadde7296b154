"""Components that some classes share: a naive twin of the updates, and problems whose answer is known."""
import numpy as np
import pytest

import models

STEPS = 40
NARROW = 0.08  # variance of every cluster
# clusters (first coordinate) of each class, which are equally likely
SLIGHT_OVERLAP = ((1, 3), (3.8,))
BOTH_KINDS = ((2.3, 4, 7), (1.5, 7))  # of overlap: slight at 2, full at 7


def draw(path, clusters, n, seed):
    random = np.random.default_rng(seed)
    y = random.integers(len(clusters), size=n)
    centre = np.array([random.choice(clusters[k]) for k in y])
    x = np.column_stack([centre, np.ones(n)]) + random.normal(0, NARROW ** 0.5, (n, 2))
    with open(path, "w") as out:
        out.write("a,b,class\n")
        out.writelines(f"{p[0]:.17g},{p[1]:.17g},{'uv'[k]}\n" for p, k in zip(x, y))
    return x, y


def fit(scant, data, out, *more, ok=0):
    return scant("fit", data, "--label", "class", "-q", "--json", "-o", out, *more, ok=ok)


def coupling(path):
    return np.array(models.load(path)["coupling"])


def density(x, means, covariances):
    away = x[:, None, :] - means
    square = np.einsum("njd,jde,nje->nj", away, np.linalg.inv(covariances), away)
    return np.exp(-0.5 * square) / (2 * np.pi * np.sqrt(np.linalg.det(covariances)))


def naive_steps(x, y, W, means, covariances, R, learn_R):
    """STEPS rounds of the paper's appendix B; R of ones is its appendix A."""
    for _ in range(STEPS):
        phi = (R * W / W.sum(axis=0))[:, y].T * density(x, means, covariances)
        phi /= phi.sum(axis=1, keepdims=True)
        N = np.stack([phi[y == k].sum(axis=0) for k in range(W.shape[1])], axis=1)
        total = N.sum(axis=1)
        means = phi.T @ x / total[:, None]
        away = x[:, None, :] - means
        covariances = np.einsum("nj,njd,nje->jde", phi, away, away) / total[:, None, None]
        W = N / N.sum()
        R = N / total[:, None] if learn_R else R
    return W, means, covariances, R


def start_of(scant, data, tmp_path):
    """Four components that both classes share, and their parameters."""
    fit(scant, data, tmp_path / "start.json", "-k", 4, "--sharing", "common", "--max-iter", 0, "--starts", 1, ok=4)
    model = models.load(tmp_path / "start.json")
    return np.array(model["coupling"]), *models.gaussian(model)[1:]


def same(path, W, means, covariances):
    model = models.load(path)
    assert np.array(model["coupling"]) == pytest.approx(W, abs=1e-8)
    assert models.gaussian(model)[1] == pytest.approx(means, abs=1e-7)
    assert models.gaussian(model)[2] == pytest.approx(covariances, abs=1e-7)


def test_learned_sharing_against_its_naive_twin(scant, tmp_path):
    x, y = draw(tmp_path / "d.csv", BOTH_KINDS, 300, 5)
    W, means, covariances = start_of(scant, tmp_path / "d.csv", tmp_path)
    W, means, covariances, R = naive_steps(x, y, W, means, covariances, np.full(W.shape, 0.5), True)
    Z = (R > 1e-6) | (R == R.max(axis=0))
    W, means, covariances, _ = naive_steps(x, y, W * Z, means, covariances, np.ones(W.shape), False)
    fit(scant, tmp_path / "d.csv", tmp_path / "m.json", "--start", tmp_path / "start.json", "--sharing", "auto",
        "--tol", 0, "--max-iter", STEPS, ok=4)
    assert not Z.all()
    same(tmp_path / "m.json", W, means, covariances)


def test_lambda_against_its_naive_twin(scant, tmp_path):
    x, y = draw(tmp_path / "d.csv", BOTH_KINDS, 300, 6)
    W, means, covariances = start_of(scant, tmp_path / "d.csv", tmp_path)
    own = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    W, means, covariances, _ = naive_steps(x, y, W, means, covariances, np.where(own, 1, 0.3) / 1.3, False)
    fit(scant, tmp_path / "d.csv", tmp_path / "m.json", "--start", tmp_path / "start.json", "-k", "2/class",
        "--sharing", "lambda=0.3", "--tol", 0, "--max-iter", STEPS, ok=4)
    same(tmp_path / "m.json", W, means, covariances)


@pytest.mark.parametrize("seed", range(5))
def test_learned_sharing_finds_what_is_shared(scant, tmp_path, seed):
    draw(tmp_path / "d.csv", BOTH_KINDS, 1200, seed)
    fit(scant, tmp_path / "d.csv", tmp_path / "m.json", "-k", 3, "--sharing", "auto", "--covariance", "spherical")
    served = coupling(tmp_path / "m.json") > 0
    assert sorted(map(tuple, served)) == [(False, True), (True, False), (True, True)]
    means = models.gaussian(models.load(tmp_path / "m.json"))[1]
    assert means[served.all(axis=1)][0] == pytest.approx([7, 1], abs=0.1)


def test_learned_sharing_keeps_off_the_boundary(scant, tmp_path):
    """Two components: shared ones reach the higher likelihood with one of them across the boundary."""
    apart = 0
    for seed in range(10):
        draw(tmp_path / "d.csv", SLIGHT_OVERLAP, 300, seed)
        fit(scant, tmp_path / "d.csv", tmp_path / "m.json", "-k", 2, "--sharing", "auto", "--covariance", "spherical",
            "--starts", 10)
        apart += (coupling(tmp_path / "m.json") > 0).sum() == 2
    assert apart >= 9


def test_unconverged_search_is_said(scant, tmp_path):
    """The fit that follows the search converges in 20 steps, the search does not: Z is not what it would become."""
    draw(tmp_path / "d.csv", BOTH_KINDS, 300, 1)
    settings = ("-k", 4, "--sharing", "auto", "--starts", 1, "--tol", 1e-6)
    short = fit(scant, tmp_path / "d.csv", tmp_path / "m.json", *settings, "--max-iter", 20, ok=4).json()
    assert short["stop"] == "iterations" and short["iterations"] < 40
    assert fit(scant, tmp_path / "d.csv", tmp_path / "m.json", *settings).json()["loglik"] != short["loglik"]


def test_starts_within_classes(scant, tmp_path):
    """One component a class: its start is the class's mean, and both classes may use both."""
    x, y = draw(tmp_path / "d.csv", SLIGHT_OVERLAP, 300, 2)
    fit(scant, tmp_path / "d.csv", tmp_path / "m.json", "-k", 2, "--sharing", "common", "--init", "labels",
        "--max-iter", 0, "--starts", 1, ok=4)
    means = models.gaussian(models.load(tmp_path / "m.json"))[1]
    assert means == pytest.approx(np.stack([x[y == 0].mean(axis=0), x[y == 1].mean(axis=0)]))
    shares = np.bincount(y) / len(y)
    assert coupling(tmp_path / "m.json") == pytest.approx(np.stack([shares / 2, shares / 2]))


def test_starts_within_classes_need_a_component_each(scant, tmp_path):
    """Fewer components than classes start as ever; what a table forbids stays forbidden."""
    draw(tmp_path / "d.csv", SLIGHT_OVERLAP, 100, 3)
    fit(scant, tmp_path / "d.csv", tmp_path / "m.json", "-k", 1, "--sharing", "common", "--init", "labels")
    assert (coupling(tmp_path / "m.json") > 0).all()
    (tmp_path / "z.csv").write_text("u,v\n0,1\n1,1\n0,1\n")
    fit(scant, tmp_path / "d.csv", tmp_path / "m.json", "--sharing", tmp_path / "z.csv", "--init", "labels")
    assert (coupling(tmp_path / "m.json")[[0, 2], 0] == 0).all()


def test_a_start_and_words_that_differ(scant, tmp_path):
    draw(tmp_path / "d.csv", BOTH_KINDS, 200, 4)
    (tmp_path / "z.csv").write_text("u,v\n1,0\n0,1\n1,1\n")
    (tmp_path / "y.csv").write_text("u,v\n1,0\n1,1\n0,1\n")
    starts = {"separate": ("-k", "u=2,v=1"), "common": ("-k", 3, "--sharing", "common"),
              "table": ("--sharing", tmp_path / "z.csv")}
    for name, how in starts.items():
        fit(scant, tmp_path / "d.csv", tmp_path / f"{name}.json", *how, "--starts", 1)

    def go_on(name, *words, ok=0):
        return fit(scant, tmp_path / "d.csv", tmp_path / "m.json", *words, "--start", tmp_path / f"{name}.json", ok=ok)
    for name in starts:
        assert go_on(name).json()["components"] == go_on(name, "-k", 3).json()["components"] == 3
        go_on(name, *starts[name])
        assert "--components: 4 components asked for, the start has 3" in go_on(name, "-k", 4, ok=2).err
        assert "--components: 'x/class' is neither" in go_on(name, "-k", "x/class", ok=2).err
    assert "--components: 1 components asked for class u, the start has 2" in go_on("separate", "-k", "1/class", ok=2).err
    assert "asked for class v, the start has 1" in go_on("separate", "-k", "u=2,v=2", ok=2).err
    assert "--components: 4 components asked for, the start has 3" in go_on("common", "-k", "2/class", ok=2).err
    go_on("common", "-k", "u=1,v=2")
    go_on("table", "-k", "2/class")  # one of the three is of both
    assert "asked for class u, the start has 2" in go_on("table", "-k", "1/class", ok=2).err
    for words in ("common", "lambda=0.5", tmp_path / "y.csv"):
        for name in ("table", "separate"):
            told = go_on(name, "-k", 3, "--sharing", words, ok=2).err
            assert f"--sharing {words}: the components of the start serve other classes" in told


def test_selection_among_starts_that_differ(scant, tmp_path):
    draw(tmp_path / "d.csv", SLIGHT_OVERLAP, 100, 4)
    fit(scant, tmp_path / "d.csv", tmp_path / "m.json")
    told = scant("select", tmp_path / "d.csv", "--label", "class", "-k", "1:2/class", "--covariance", "full",
                 "--start", tmp_path / "m.json", "-q", "--json").json()
    assert ["failed" in one for one in told["candidates"]] == [False, True]


def test_a_table_and_components_that_differ(scant, tmp_path):
    draw(tmp_path / "d.csv", BOTH_KINDS, 200, 4)
    (tmp_path / "z.csv").write_text("u,v\n1,0\n0,1\n1,1\n")
    how = (scant, tmp_path / "d.csv", tmp_path / "m.json", "--sharing", tmp_path / "z.csv", "-k")
    assert fit(*how, 3).json()["components"] == fit(*how, "2/class").json()["components"] == 3
    assert "--components: 4 components asked for, the sharing table has 3" in fit(*how, 4, ok=2).err
    assert "asked for class v, the sharing table has 2" in fit(*how, "u=2,v=1", ok=2).err


@pytest.mark.parametrize("unlabeled", ["em1", "em2", "em3", "em0"])
def test_what_is_open_counts_however_small_it_gets(scant, tmp_path, unlabeled):
    """No row of either class is anywhere near the other's component, and yet both may serve both."""
    draw(tmp_path / "d.csv", ((1,), (50,)), 60, 2)
    how = ("--sharing", "common", "--unlabeled", unlabeled)
    for more in ((), ("--start", tmp_path / "m.json")):
        told = fit(scant, tmp_path / "d.csv", tmp_path / "m.json", *how, *more).json()
        W = coupling(tmp_path / "m.json")[:, :2]
        assert told["parameters"] == 4 - 1 + 2 * 5
        assert W.min() > 0 and np.sort(W.ravel())[:2] == pytest.approx(0, abs=1e-200)


def test_icl_of_lambda_is_of_the_model_that_predicts(scant, tmp_path):
    """R is of the fit alone: log-likelihood, entropy and rows of components are without it."""
    draw(tmp_path / "d.csv", BOTH_KINDS, 200, 7)
    lines = (tmp_path / "d.csv").read_text().splitlines()
    (tmp_path / "d.csv").write_text("\n".join(line if i % 3 == 0 else line[:-1] for i, line in enumerate(lines)) + "\n")
    result = fit(scant, tmp_path / "d.csv", tmp_path / "m.json", "-k", "2/class", "--sharing", "lambda=0.3",
                 "--max-iter", 3, ok=4).json()
    scant("predict", tmp_path / "m.json", tmp_path / "d.csv", "--use-labels", "--label", "class", "--components", "--digits", 17, "-q", "-o",
          tmp_path / "p.csv")
    r = np.genfromtxt(tmp_path / "p.csv", delimiter=",", skip_header=1)[:, -4:]
    entropy = -np.where(r > 0, r * np.log(np.where(r > 0, r, 1)), 0).sum()
    assert result["icl"] - result["bic"] == pytest.approx(2 * entropy, rel=1e-6)
    np.testing.assert_allclose(models.load(tmp_path / "m.json")["training"]["component_rows"], r.sum(axis=0), rtol=1e-9)
