"""Figures 16 to 19: the published algorithms 1 (gradient descent) and 2 (grid search), iteration by iteration."""
import numpy
import scipy.sparse

import data
import learn
from common import report

ROWS = 2000  # to train on: an iteration fits two normals 2 d (or 9 d) times
SEEDS = {"descent": (1, 2), "grid": (1,)}
STEPS = {"descent": (1, 2, 4, 8, 16, 32, 50), "grid": (1, 2, 4, 8)}
PANELS = ("training rows", "test rows", "test error")


def text():
    counts, y = data.News().against(("rec.sport",), ("comp.",))
    return data.tfidf(counts, 504), y


def digits():
    """Means of 2 x 2 pixels: a quarter of the columns."""
    x, y = data.mnist(1, 2)
    return scipy.sparse.csr_matrix(x.toarray().reshape(-1, 14, 2, 14, 2).mean((2, 4)).reshape(len(y), -1)), y


SETS = {"text": (text, {"descent": "figure-16", "grid": "figure-17"}),
        "digits": (digits, {"descent": "figure-18", "grid": "figure-19"})}


class Split:
    """Rows to train on without labels, and others to see how it went."""

    def __init__(self, place, x, y):
        train, self.test = data.split(len(y), 301)
        self.place, self.x, self.y, self.train, self.prior = place, x, y, train[:ROWS], round(y.mean(), 2)

    def blind(self, algorithm, seed, iterations):
        """As published: no penalty, no offset; what `scant blind` says, and its scores."""
        return learn.blind(self.place, self.x[self.train], self.y[self.train], self.prior, "--algorithm", algorithm,
                           "--starts", 1, "--l2", 0, "--no-offset", "--max-iter", iterations, "--tol", 0, "--threads", 1,
                           seed=seed, also=(report.UNIDENTIFIED,))

    def judge(self, said, scores):
        """Estimated and true log loss on training rows, both on test rows, and the test error; None where there is none."""
        if not said:
            return [None] * 5
        f, other = scores(self.x[self.train]), scores(self.x[self.test])
        one, = learn.audit(self.place, other[:, None], self.prior)
        values = (said["risk"], learn.logloss(f, self.y[self.train]), learn.estimated(one),
                  learn.logloss(other, self.y[self.test]), ((other > 0) != self.y[self.test]).mean())
        return [None if numpy.isnan(value) else round(float(value), 4) for value in values]

    def course(self, algorithm):
        """What each of the steps gives, from the start with the lowest estimate in the end: what one who has no labels can
        choose by."""
        *before, last = STEPS[algorithm]
        ends = {seed: self.blind(algorithm, seed, last) for seed in SEEDS[algorithm]}
        seed = min((seed for seed in ends if ends[seed][0]), key=lambda seed: ends[seed][0]["risk"])
        return [self.judge(*one) for one in [*(self.blind(algorithm, seed, t) for t in before), ends[seed]]]


def draw(steps, course, name):
    figure, axes = report.plot(1, 3, 2.8, 2.6)
    for axis, title, columns in zip(axes[0], PANELS, ((0, 1), (2, 3), (4,))):
        for column in columns:
            axis.plot(steps, course[:, column], marker=".", label=None if column == 4 else ("without labels", "with")[column % 2])
        axis.set(xlabel="iteration", title=title)
    axes[0][0].set_ylabel("log loss")
    axes[0][0].legend(fontsize=7)
    report.save(figure, report.beside(__file__, f"{name}.svg"))


def curves(say, place, outcomes):
    say("## Figures 16 to 19: the published algorithms, iteration by iteration\n")
    say(f"No penalty and no offset, as published; {ROWS} training rows (the paper has 139 530 and 10 407), of {len(SEEDS['descent'])} starts "
        "of algorithm 1 the one with the lowest estimate in the end, of algorithm 2 one start, split 301. Text: rec.sport against comp of 20 newsgroups, 504 words, in "
        "place of RCV1; digits: MNIST 1 against 2, 14 x 14 means of pixels. Algorithm 1 with `--step 1`, algorithm 2 with 9 "
        "points within 4, both defaults. The paper ends at a test error of 0.10 in all four; a dash is where the scores are "
        "not those of two classes in the right order, and nothing is told.\n")
    for name, (load, figures) in SETS.items():
        split = Split(place, *load())
        for number, (algorithm, figure) in enumerate(figures.items(), 1):
            found = numpy.array(outcomes.get(f"curve {name} {algorithm}", lambda: split.course(algorithm)), float)
            draw(STEPS[algorithm], found, figure)
            say(f"### {figure.replace('figure-', 'Figure ')}: {name}, algorithm {number}\n\n![{name}]({figure}.svg)\n")
            say(report.table(["iteration", "estimated, training", "true, training", "estimated, test", "true, test", "test error"],
                             [[t, *("-" if numpy.isnan(v) else f"{v:.3f}" for v in line)]
                              for t, line in zip(STEPS[algorithm], found)]))
