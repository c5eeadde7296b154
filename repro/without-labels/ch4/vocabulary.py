"""Figure 21 once more, with other vocabularies and all classes: a plain EM here, in NumPy, makes the fits.

It asks what the rank correlation of variance and error hangs on, which the paper does not say: which words, how many."""
import numpy
import scipy.sparse
import scipy.special
import scipy.stats

import text

SIZES = {2: [100, 200, 400, 800, 1200], 8: [400, 800, 1600, 3200]}  # by the number of classes
SHARES = [0.1, 0.2, 0.4, 0.7, 1.0]
WORDS = [60, 200]
SMOOTH = 1.0  # pseudo-count of every word and class, as the naive Bayes of the paper's reference has it
STEPS, TOLERANCE = 200, 1e-6  # of EM, and of the log-likelihood a document


def fit(x, y, labelled, nclasses, smooth=SMOOTH, weight=1.0):
    """EM from the labelled documents, the first ones; `smooth` is the pseudo-count of words, `weight` what one of the
    others counts."""
    known = numpy.eye(nclasses)[y[:labelled]]
    told = known.sum(axis=0), known.T @ x[:labelled]  # classes and words of the labelled ones
    rest = scipy.sparse.csr_array(x[labelled:])
    turned, shares, words = rest.T.tocsr(), 0, 0  # those of the others, as they are expected
    before = -numpy.inf
    for _ in range(STEPS):
        shares, words = told[0] + shares + SMOOTH, told[1] + words + smooth
        theta = text.Theta(shares / shares.sum(), words / words.sum(axis=1, keepdims=True))
        if labelled == len(x) or weight == 0:
            break
        log = rest @ numpy.log(theta.p).T + numpy.log(theta.P)
        norm = scipy.special.logsumexp(log, axis=1, keepdims=True)
        now = weight * norm.sum() + (told[0] * numpy.log(theta.P)).sum() + (told[1] * numpy.log(theta.p)).sum()
        if now - before < TOLERANCE * len(x):
            break
        before, q = now, numpy.exp(log - norm)
        shares, words = weight * q.sum(axis=0), weight * (turned @ q).T
    return theta


def grid(texts, repetitions, smooth=SMOOTH, weight=1.0):
    """For each (n, lambda): mean held-out error, mean squared error of the parameters, asymptotic variance; and the mean
    errors of the odd and of the even repetitions, to see how much of it is chance."""
    theta = fit(texts.x, texts.y, len(texts.y), texts.nclasses, smooth)
    worth, found = text.Worth(theta, texts.x), []
    for n in [n for n in SIZES[texts.nclasses] if n <= 0.7 * len(texts.y)]:
        for share in SHARES:
            labelled, errors, squares = round(share * n), [], []
            for r in range(repetitions):
                order = numpy.random.default_rng([21, n, r]).permutation(len(texts.y))
                rows, held = order[:n], order[n:]
                if not text.covers(texts, rows, labelled):
                    continue
                here = fit(texts.x[rows], texts.y[rows], labelled, texts.nclasses, smooth, weight)
                errors.append((here.posterior(texts.x[held]).argmax(axis=1) != texts.y[held]).mean())
                squares.append(here.distance(theta))
            if len(errors) > repetitions // 2:
                found.append((n, share, numpy.mean(errors), numpy.mean(squares),
                              worth.trace(labelled, n, weight=weight), numpy.mean(errors[::2]), numpy.mean(errors[1::2])))
    return numpy.array(found)


def rank(cells, a, b):
    """Spearman's correlation of two columns; None where one does not change."""
    if numpy.ptp(cells[:, a]) == 0 or numpy.ptp(cells[:, b]) == 0:
        return None
    return float(scipy.stats.spearmanr(cells[:, a], cells[:, b])[0])


def ranks(cells):
    return {"cells": cells[:, :5].tolist(), "error_rank": rank(cells, 2, 4), "mse_rank": rank(cells, 3, 4),
            "halves": rank(cells, 5, 6)}


def one_vocabulary(name, labels, words, repetitions):
    """Rank correlations of the trace with the held-out error and with the parameters' mse."""
    texts = text.Texts(name, labels, words)
    return {"words": words, "documents": len(texts.y), **ranks(grid(texts, repetitions))}
