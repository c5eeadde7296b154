"""A speller with two commands: a binary tree over the letters in alphabetic order, whose nodes split
their probability 0.9 to 0.1, heavy and light side in turn."""
import numpy as np

from ppm import LETTERS

SYMBOLS = len(LETTERS) + 1  # and backspace, the last
BACKSPACE = 0.02            # its probability: corrections are made for the user, so it is never wanted
HEAVY = 0.9
THRESHOLD = 3.0             # of the feedback cursor, the sum of P(right) - P(left)
LONGEST = 20                # samples of a command; then the side that the cursor is on
PATIENCE = 3                # corrections at a node; then the command is made for the user
LEFT, RIGHT = 0, 1


def priors(language, typed):
    return np.append((1 - BACKSPACE) * np.array(language.probabilities(typed)), BACKSPACE)


def cut(p, low, high, heavy):
    """Where [low, high) is parted so that the heavy side has as near 0.9 of it as can be."""
    share = np.cumsum(p[low:high - 1]) / p[low:high].sum()
    at = int(np.argmin(np.abs(share - (HEAVY if heavy == LEFT else 1 - HEAVY))))
    return low + at + 1, share[at]


class Speller:
    """Yields what a session asks for: (side the user wants, P(left) by the context), once a sample,
    and is sent P(right) by the classifier."""

    def __init__(self, language, words):
        self.language, self.words = language, words
        self.commands = self.wrong_commands = self.wrong_context = 0

    def session(self):
        heavy = LEFT
        for word in self.words:
            for i, letter in enumerate(word):
                p = priors(self.language, " " + word[:i])
                wanted = LETTERS.index(letter)
                low, high, errors = 0, SYMBOLS, 0
                while high - low > 1:
                    middle, left = cut(p, low, high, heavy)
                    side = LEFT if wanted < middle else RIGHT
                    done = yield from self.command(side, left)
                    heavy = 1 - heavy  # at the next level, and at this one after an error
                    self.commands += 1
                    self.wrong_context += side == (LEFT if left < 0.5 else RIGHT)
                    self.wrong_commands += done != side
                    errors = 0 if done == side else errors + 1
                    if errors in (0, PATIENCE):  # else it is undone: the node stays
                        low, high = (low, middle) if side == LEFT else (middle, high)
                        errors = 0

    @staticmethod
    def command(side, left):
        cursor = 0.0
        for _ in range(LONGEST):
            cursor += 2 * (yield side, left) - 1
            if abs(cursor) >= THRESHOLD:
                break
        return LEFT if cursor < 0 else RIGHT
