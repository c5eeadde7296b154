"""Prediction by partial matching, method C, with exclusion: what letter comes next."""
import collections
import hashlib
import re

LETTERS = "abcdefghijklmnopqrstuvwxyz "


def clean(text):
    """Letters and single spaces, as a speller types them."""
    return re.sub(r"[^a-z]+", " ", text.lower())


class Ppm:
    def __init__(self, text, order):
        self.order = order
        self.counts = collections.defaultdict(collections.Counter)
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        for i, letter in enumerate(text):
            for o in range(min(order, i) + 1):
                self.counts[text[i - o:i]][letter] += 1

    def probabilities(self, history):
        """P(next letter | history), one for each of LETTERS. A context of n letters, q of them different,
        escapes to a shorter one with q / (n + q); letters it knows are out of the question there."""
        p, left = dict.fromkeys(LETTERS, 0.0), 1.0
        unseen = set(LETTERS)
        for o in range(min(self.order, len(history)), -1, -1):
            seen = self.counts.get(history[len(history) - o:], {})
            fresh = {s: c for s, c in seen.items() if s in unseen}
            n, q = sum(fresh.values()), len(fresh)
            for s, c in fresh.items():
                p[s] = left * c / (n + q)
            left *= q / (n + q) if q else 1
            unseen -= set(fresh)
        for s in unseen:
            p[s] = left / len(unseen)
        total = sum(p.values())  # less than one where no letter was left to escape to
        return [p[s] / total for s in LETTERS]
