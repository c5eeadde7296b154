"""Figure 21 for every pair of Reuters' classes: does a setting that the paper does not report decide it?

Words of a document depend on each other, so that naive Bayes is far too sure of its classes, and what unlabelled documents
say is overrated. Settings here weigh words less, by a factor that is found from labels alone: a classifier of half of the
documents should be as sure of the others' classes as it is right. Where classes are no clusters that does not suffice; then
documents without a label are weighed, too, by what held-out labels prefer. None looks at errors over the grid."""
import concurrent.futures
import csv
import itertools
import os

import numpy
import scipy.optimize
import scipy.special

import text
import vocabulary
from common import report

WORDS = 200
LEAST = 400  # documents that a fit should be able to have: the grid has three sizes then, or more
WORKERS = 2
NEWS = 6  # pairs of 20 newsgroups beside the one of figure 21, drawn


def counts(x):
    return x


def presence(x):
    return (x > 0).astype(float)


def common_length(x):
    length = x.sum(axis=1, keepdims=True)
    return x * length.mean() / length


SETTINGS = {  # how documents are written, whether words are weighed, and whether documents without a label are
    "counts": (counts, False, False),
    "counts, weighed": (counts, True, False),
    "presence, weighed": (presence, True, False),
    "common length, weighed": (common_length, True, False),
    "counts, weighed; documents, too": (counts, True, True),
}
CHOSEN, BOTH = "counts, weighed", "counts, weighed; documents, too"
EVERYTHING = [*((setting, WORDS) for setting in SETTINGS if setting != BOTH), (CHOSEN, 500)]
WEIGHTS = [1, 0.3, 0.1, 0.03, 0.01, 0]  # of a document without a label
TRIED, TRIED_SHARE, TRIALS = {2: 400, 8: 800}, 0.2, 10  # documents by the number of classes, labelled ones; fits


def weight_of_words(texts):
    """The factor on all counts that makes posteriors of held-out documents right: least log loss, two halves in turn."""
    order = numpy.random.default_rng(27).permutation(len(texts.y))
    halves, told = (order[::2], order[1::2]), []
    for own, other in (halves, halves[::-1]):
        theta = vocabulary.fit(texts.x[own], texts.y[own], len(own), texts.nclasses)
        told.append((texts.x[other] @ numpy.log(theta.p).T, numpy.log(theta.P), texts.y[other]))

    def loss(log_factor):
        total = 0
        for words, shares, y in told:
            log = numpy.exp(log_factor) * words + shares
            total += (scipy.special.logsumexp(log, axis=1) - log[numpy.arange(len(y)), y]).sum()
        return total

    return float(numpy.exp(scipy.optimize.minimize_scalar(loss, bounds=(-6, 3), method="bounded").x))


def weight_of_documents(texts, smooth):
    """Of those without a label: the one with which fits to some documents foretell the others' labels best (log loss)."""
    n, loss = TRIED[texts.nclasses], numpy.zeros(len(WEIGHTS))
    for r in range(TRIALS):
        order = numpy.random.default_rng([33, r]).permutation(len(texts.y))
        rows, held, labelled = order[:n], order[n:], round(TRIED_SHARE * n)
        if not text.covers(texts, rows, labelled):
            continue
        for i, weight in enumerate(WEIGHTS):
            theta = vocabulary.fit(texts.x[rows], texts.y[rows], labelled, texts.nclasses, smooth, weight)
            right = theta.posterior(texts.x[held])[numpy.arange(len(held)), texts.y[held]]
            loss[i] -= numpy.log(numpy.maximum(right, 1e-300)).mean()
    return WEIGHTS[int(loss.argmin())]


def one_setting(texts, setting, repetitions):
    """Pseudo-counts of words are weighed as words are: fits to labelled documents alone stay what they are."""
    written, weighed, documents = SETTINGS[setting]
    here = text.Texts.__new__(text.Texts)
    here.x, here.y, here.nclasses = written(texts.x), texts.y, texts.nclasses
    factor = weight_of_words(here) if weighed else 1.0
    here.x = here.x * factor
    smooth = vocabulary.SMOOTH * factor
    weight = weight_of_documents(here, smooth) if documents else 1.0
    return {"factor": factor, "weight": weight, **vocabulary.ranks(vocabulary.grid(here, repetitions, smooth, weight))}


def class_names(name, labels):
    folder, = report.need_data(name)
    with open(os.path.join(folder, "class_names.csv"), encoding="utf-8") as file:
        names = [line[1] for line in csv.reader(file)][1:]
    return " and ".join(names[k] for k in labels) if len(labels) == 2 else f"all {len(labels)} classes"


def one_set(name, labels, settings, repetitions):
    """Settings and numbers of words, or None where documents are too few."""
    texts = text.Texts(name, labels, WORDS)
    if LEAST > 0.7 * len(texts.y):
        return None
    found = {setting if words == WORDS else f"{setting}, {words} words": one_setting(
        texts if words == WORDS else text.Texts(name, labels, words), setting, repetitions) for setting, words in settings}
    return {"name": name, "what": class_names(name, labels), "documents": len(texts.y), "found": found}


def all_pairs(settings, repetitions):
    every = list(itertools.combinations(range(20), 2))
    drawn = numpy.random.default_rng(26).permutation(len(every))[:NEWS]
    todo = [("reuters_r8", list(pair)) for pair in itertools.combinations(range(8), 2)]
    todo += [("news20_bydate", list(pair)) for pair in [(1, 14), *(every[i] for i in drawn)]]
    with concurrent.futures.ProcessPoolExecutor(WORKERS) as pool:
        found = pool.map(one_set, *zip(*todo), itertools.repeat(settings), itertools.repeat(repetitions))
    return [pair for pair in found if pair]
