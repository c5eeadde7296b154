"""Pairs of categories, PLSA: p(a, b) = sum_z p(z) p(a|z) p(b|z), against EM written out."""
import numpy as np
import pytest

import models

DOCUMENTS, WORDS, TOPICS, STEPS = 12, 20, 5, 40


@pytest.fixture
def counts():
    """How often each document has each word, drawn from three topics."""
    rng = np.random.default_rng(11)
    of_document = rng.dirichlet(np.full(3, 0.3), DOCUMENTS)
    of_topic = rng.dirichlet(np.full(WORDS, 0.3), 3)
    return rng.multinomial(60, of_document @ of_topic)


def write_pairs(path, counts, weighed):
    lines = ["document,word,count"]
    for d, w in zip(*counts.nonzero()):
        lines += [f"d{d:02},w{w:02},{counts[d, w]}"] if weighed else [f"d{d:02},w{w:02},1"] * counts[d, w]
    path.write_text("\n".join(lines) + "\n")
    return path


def parameters(path, nword):
    """p(z), p(document|z), p(word|z); levels are sorted, as the names of the pairs are."""
    model = models.load(path)
    factor, = model["factors"]
    assert factor["family"] == "categorical"
    table = np.array(factor["parameters"]["probabilities"], float).reshape(TOPICS, -1)
    assert table.shape == (TOPICS, DOCUMENTS + nword)
    return np.array(model["coupling"], float).reshape(-1), table[:, :DOCUMENTS], table[:, DOCUMENTS:]


def plsa(counts, z, a, b, steps):
    for _ in range(steps):
        joint = z[:, None, None] * a[:, :, None] * b[:, None, :]
        share = counts * joint / joint.sum(0)
        of_topic = share.sum((1, 2))
        z, a, b = of_topic / counts.sum(), share.sum(2) / of_topic[:, None], share.sum(1) / of_topic[:, None]
    return z, a, b


@pytest.mark.parametrize("weighed", [True, False], ids=["weights", "repeated"])
def test_pairs_equal_plsa(scant, tmp_path, counts, weighed):
    counts = counts[:, counts.sum(0) > 0]
    data = write_pairs(tmp_path / "pairs.csv", counts, weighed)
    fit = ["fit", data, "--categorical", "document,word", "-k", TOPICS, "--smooth", 0, "--tol", 0, "-q", "--json",
           *(["--weight", "count"] if weighed else ["--ignore", "count"])]
    scant(*fit, "--init", "random", "--starts", 1, "--max-iter", 1, "-o", tmp_path / "start.json", ok=4)
    start = parameters(tmp_path / "start.json", counts.shape[1])
    told = scant(*fit, "--start", tmp_path / "start.json", "--max-iter", STEPS, "-o", tmp_path / "end.json", ok=4).json()
    z, a, b = plsa(counts, *start, STEPS)
    for ours, naive in zip(parameters(tmp_path / "end.json", counts.shape[1]), (z, a, b)):
        np.testing.assert_allclose(ours, naive, rtol=0, atol=1e-10)
    loglik = (counts * np.log(np.einsum("z,za,zb->ab", z, a, b), where=counts > 0, out=np.zeros(counts.shape))).sum()
    assert told["loglik"] == pytest.approx(loglik, rel=1e-12)
    assert told["weight"] == counts.sum()
    assert told["parameters"] == TOPICS - 1 + TOPICS * (DOCUMENTS - 1 + counts.shape[1] - 1)


def test_topics_that_do_not_mix_are_found(scant, tmp_path):
    """Two blocks of documents and words that share nothing are two components, whatever the start."""
    counts = np.zeros((6, 8), int)
    counts[:3, :4], counts[3:, 4:] = 5, 5
    data = write_pairs(tmp_path / "pairs.csv", counts, True)
    scant("fit", data, "--categorical", "document,word", "--weight", "count", "-k", 2, "--smooth", 0, "-q",
          "-o", tmp_path / "m.json")
    table = np.array(models.load(tmp_path / "m.json")["factors"][0]["parameters"]["probabilities"]).reshape(2, -1)
    documents = sorted(table[:, :6].round(6).tolist())
    np.testing.assert_allclose(documents, [[0, 0, 0, 1 / 3, 1 / 3, 1 / 3], [1 / 3, 1 / 3, 1 / 3, 0, 0, 0]], atol=1e-6)
