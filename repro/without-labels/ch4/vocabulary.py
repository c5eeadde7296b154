"""Figure 21 once more, with other vocabularies and all classes: a plain EM here, in NumPy, makes the fits.

It asks what the rank correlation of variance and error hangs on, which the paper does not say: which words, how many."""
import numpy
import scipy.special
import scipy.stats

import text

SIZES = {2: [100, 200, 400, 800, 1200], 8: [400, 800, 1600, 3200]}  # by the number of classes
SHARES = [0.1, 0.2, 0.4, 0.7, 1.0]
WORDS = [60, 200]
SMOOTH = 1.0  # pseudo-count of every word and class, as the naive Bayes of the paper's reference has it
STEPS, TOLERANCE = 200, 1e-6  # of EM, and of the log-likelihood a document


def maximise(x, q):
    shares, words = q.sum(axis=0) + SMOOTH, q.T @ x + SMOOTH
    return text.Theta(shares / shares.sum(), words / words.sum(axis=1, keepdims=True))


def fit(x, y, labelled, nclasses):
    """EM from the labelled documents, the first ones."""
    known = numpy.zeros((labelled, nclasses))
    known[numpy.arange(labelled), y[:labelled]] = 1
    theta, before = maximise(x[:labelled], known), -numpy.inf
    for _ in range(STEPS if labelled < len(x) else 0):
        log = x @ numpy.log(theta.p).T + numpy.log(theta.P)
        now = log[:labelled][known > 0].sum() + scipy.special.logsumexp(log[labelled:], axis=1).sum()
        if now - before < TOLERANCE * len(x):
            break
        before = now
        theta = maximise(x, numpy.vstack([known, theta.posterior(x[labelled:])]))
    return theta


def one_vocabulary(name, labels, words, repetitions):
    """Rank correlations of the trace with the held-out error and with the parameters' mse."""
    texts = text.Texts(name, labels, words)
    theta = fit(texts.x, texts.y, len(texts.y), len(labels))
    worth, found = text.Worth(theta, texts.x), []
    for n in [n for n in SIZES[len(labels)] if n <= 0.7 * len(texts.y)]:
        for share in SHARES:
            labelled, errors, squares = round(share * n), [], []
            for r in range(repetitions):
                order = numpy.random.default_rng([21, n, r]).permutation(len(texts.y))
                rows, held = order[:n], order[n:]
                if not text.covers(texts, rows, labelled):
                    continue
                here = fit(texts.x[rows], texts.y[rows], labelled, len(labels))
                errors.append((here.posterior(texts.x[held]).argmax(axis=1) != texts.y[held]).mean())
                squares.append(here.distance(theta))
            if len(errors) > repetitions // 2:
                found.append((n, share, numpy.mean(errors), numpy.mean(squares), worth.trace(labelled, n)))
    found = numpy.array(found)
    return {"words": words, "documents": len(texts.y), "cells": found.tolist(),
            "error_rank": float(scipy.stats.spearmanr(found[:, 2], found[:, 4])[0]),
            "mse_rank": float(scipy.stats.spearmanr(found[:, 3], found[:, 4])[0])}
