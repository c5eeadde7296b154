"""The parts of the speller's reproduction: a language model that can be checked by hand, and its tree."""
import os
import sys

import numpy as np
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "repro", "speller"))

from ppm import LETTERS, Ppm, clean  # noqa: E402
from speller import LEFT, PATIENCE, RIGHT, SYMBOLS, Speller, cut, priors  # noqa: E402

TEXT = clean("Permission is granted to copy, distribute and/or modify this document. Nothing in it is a portion.")


def test_clean():
    assert clean("A, b-C\n1 d") == "a b c d"


def test_by_hand():
    """After abracadabra, order 1, context "a": b twice, c and d once; n = 4, q = 3, so b has 2/7, c and d 1/7 and
    3/7 escapes. Order 0 without these has a five times and r twice, n = 7, q = 2, and 2/9 escapes to the rest."""
    p = dict(zip(LETTERS, Ppm("abracadabra", 1).probabilities("abracadabra")))
    assert [p[s] for s in "bcd"] == pytest.approx([2 / 7, 1 / 7, 1 / 7])
    assert [p[s] for s in "ar"] == pytest.approx([3 / 7 * 5 / 9, 3 / 7 * 2 / 9])
    assert p["z"] == pytest.approx(3 / 7 * 2 / 9 / (len(LETTERS) - 5))


@pytest.mark.parametrize("order", [0, 1, 3, 5])
@pytest.mark.parametrize("history", ["", " ", " not", " zzz", " permissio"])
def test_probabilities(order, history):
    p = Ppm(TEXT, order).probabilities(history)
    assert sum(p) == pytest.approx(1) and min(p) > 0


def test_cut_is_the_best_there_is():
    rng = np.random.default_rng(1)
    for _ in range(50):
        p = rng.dirichlet(np.full(SYMBOLS, 0.3)) + 1e-9
        low, high = sorted(rng.choice(SYMBOLS + 1, 2, replace=False))
        if high - low < 2:
            continue
        for heavy, wanted in ((LEFT, 0.9), (RIGHT, 0.1)):
            middle, left = cut(p, low, high, heavy)
            share = [p[low:m].sum() / p[low:high].sum() for m in range(low + 1, high)]
            assert low < middle < high and left == pytest.approx(p[low:middle].sum() / p[low:high].sum())
            assert abs(left - wanted) == pytest.approx(min(abs(s - wanted) for s in share))


def type_with(answer):
    speller = Speller(Ppm(TEXT, 3), ["nothing", "portion"])
    session, samples = speller.session(), 0
    try:
        side, left = next(session)
        while True:
            assert 0 < left < 1
            samples += 1
            side, left = session.send(answer(side))
    except StopIteration:
        return speller, samples


def test_sessions():
    right, few = type_with(lambda side: 0.95 if side == RIGHT else 0.05)
    assert right.wrong_commands == 0 and few == 4 * right.commands  # 4 x 0.9 passes the threshold of 3
    assert 0 < right.wrong_context < right.commands
    wrong, many = type_with(lambda side: 0.05 if side == RIGHT else 0.95)
    assert wrong.wrong_commands == wrong.commands and many > PATIENCE * 14
    type_with(lambda side: 0.9)  # ends, though it never says left


def test_priors_know_all_symbols():
    p = priors(Ppm(TEXT, 3), " no")
    assert len(p) == SYMBOLS and p.sum() == pytest.approx(1) and p[LETTERS.index("t")] > 0.1
