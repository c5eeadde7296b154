"""The measurements, part by part: each returns what goes into its file."""
import numpy
import scipy.stats

import drawn
import pairs
import planning
import text
import vocabulary

SETS = [  # folder, labels of two classes, what they are
    ("news20_bydate", [1, 14], "comp.graphics and sci.space"),
    ("reuters_r8", [2, 0], "earn and acq"),
    ("reuters_r8", [0, 1], "acq and crude"),
    ("reuters_r8", [5, 7], "money-fx and trade"),
]
WORDS = 60
SIZES = [100, 200, 400, 800, 1200]
SHARES = [0.1, 0.2, 0.4, 0.7, 1.0]
PILOTS = [25, 50, 100, 200, 400, 800, 1000, 1300]
STAGED_ROWS, STAGED_SHARE = 1600, 0.5


def rank(found, column):
    """Spearman's correlation with the asymptotic variance over the grid."""
    return float(scipy.stats.spearmanr(found[:, column], found[:, 5])[0])


def one_grid(texts, repetitions, place):
    sizes = [n for n in SIZES if n <= 0.7 * len(texts.y)]  # the rest is held out
    found, theta, worth = text.grid(texts, sizes, SHARES, max(3, repetitions // 5), place)
    return theta, {"grid": found.tolist(), "error_rank": rank(found, 2), "mse_rank": rank(found, 4),
                   "worth": numpy.quantile(worth.rho, [0, 0.1, 0.5]).tolist()}


def text_set(name, labels, what, repetitions, place):
    texts = text.Texts(name, labels, WORDS)
    theta, real = one_grid(texts, repetitions, place)
    drawn = one_grid(text.drawn_like(texts, theta, 25), repetitions, place)[1]
    rows = min(STAGED_ROWS, len(texts.y))
    pilots = [pilot for pilot in PILOTS if pilot < rows]
    ratios = text.two_stages(texts, rows, pilots, STAGED_SHARE, max(3, repetitions // 5), place)
    library, here = text.check_library(texts, place)
    return {"name": name, "what": what, "documents": len(texts.y), "empty": texts.empty,
            "length": float(texts.x.sum(axis=1).mean()), "real": real, "drawn": drawn, "pilots": pilots,
            "staged_rows": rows, "ratios": ratios.tolist(), "library": library, "here": here}


def multinomials():
    theta, x = text.random_multinomials()
    worth = text.Worth(theta, x)
    sizes, shares = [500, 1000, 2000, 4000, 8000], [0.05, 0.1, 0.2, 0.4, 0.7, 1.0]
    return {"sizes": sizes, "shares": shares,
            "trace": [[float(worth.trace(share * n, n)) for n in sizes] for share in shares]}


def text_part(repetitions, place):
    return {"words": WORDS, "staged_share": STAGED_SHARE,
            "multinomials": multinomials(),
            "sets": [text_set(*of, repetitions, place) for of in SETS]}


def vocabulary_part(repetitions, place):
    del place  # nothing is written
    return {"sets": [{"name": name, "what": what, "found": [
        vocabulary.one_vocabulary(name, labels, words, max(3, repetitions // 10)) for words in vocabulary.WORDS]}
        for name, labels, what in [*SETS, ("reuters_r8", list(range(8)), "all eight classes")]]}


def pairs_part(repetitions, place):
    del place
    return {"pairs": pairs.all_pairs(pairs.EVERYTHING, max(3, repetitions // 10))}


def often_part(repetitions, place):
    del place
    settings, repetitions = [(setting, pairs.WORDS) for setting in (pairs.CHOSEN, pairs.BOTH)], max(3, repetitions // 2)
    return {"pairs": pairs.all_pairs(settings, repetitions),
            "whole": pairs.one_set("reuters_r8", list(range(8)), settings, repetitions)}


def planning_part(repetitions, place):
    del place  # nothing is written
    return {"problems": {name: drawn.one_problem(name, repetitions) for name in drawn.PROBLEMS}}


def choice_part(repetitions, place):
    return {"problems": planning.choices(repetitions, place)}


def wrong_part(repetitions, place):
    return {"sets": [planning.one_set(which, max(3, repetitions // 8), place) for which in planning.WRONG]}
