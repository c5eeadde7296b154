"""What the simulations wrote: one array an experiment, conditions x problems x fits x measures (study.c, solve.h)."""
import numpy
from scipy import stats

LEVELS = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)
SCENARIOS = {
    "means": "(a) two univariate normals, means only",
    "two": "(b) two univariate normals",
    "three": "(c) three univariate normals",
    "plane": "(d) two bivariate normals",
    "maxwell": "(e) two Maxwell laws",
    "lines": "(f) two regressions",
}
SPECIAL = {"mixed": "mixed context", "wrong": "wrong context", "biased": "biased classes"}
AWARE = ("CA", "WCA", "DCA")
MEASURES = ("D", "rate", "ASE", "A", "B", "converged", "regular", "iterations")
SHARES = tuple(round(0.1 * k, 1) for k in range(1, 10))  # of wrong labels, of the first class
ALPHA = 0.01


class Outcome:
    """One condition of an experiment."""

    def __init__(self, name, table):
        self.name, self.table = name, table
        self.levels = LEVELS[:(table.shape[1] - 2) // 3]

    def of(self, who, measure, level=0):
        """Values of all problems; `level` is an index into the levels."""
        fit = ("S", "US").index(who) if who in ("S", "US") else 2 + 3 * level + AWARE.index(who)
        return self.table[:, fit, MEASURES.index(measure)]

    def kept(self, who, measure, level=0):
        """The paper shows D and A of all problems, rates and errors of those with a regular maximum."""
        values = self.of(who, measure, level)
        if measure in ("rate", "ASE"):
            values = values[self.of(who, "regular", level) > 0]
        return values

    def mean(self, who, measure, level=0):
        return float(self.kept(who, measure, level).mean())

    def spread(self, who, measure, level=0):
        return float(self.kept(who, measure, level).std(ddof=1))

    def irregular(self, who, level=0):
        return int((self.of(who, "regular", level) == 0).sum())

    def unfinished(self, who, level=0):
        """A regular maximum lies ahead, but 300 iterations did not bring steps below 1e-5."""
        return int(((self.of(who, "converged", level) == 0) & (self.of(who, "regular", level) > 0)).sum())

    def p(self, one, other, measure, level=0, other_level=None):
        """Wilcoxon's rank sum test, two-sided, with ties corrected for."""
        a = self.kept(one, measure, level)
        b = self.kept(other, measure, level if other_level is None else other_level)
        if numpy.array_equal(a, b) or min(len(a), len(b)) == 0:
            return 1.0
        return float(stats.mannwhitneyu(a, b, alternative="two-sided", method="asymptotic").pvalue)

    def better(self, one, other, measure, level=0):
        """Significantly better: +1, worse: -1, neither: 0. Less is better, but for rates and accuracies."""
        if self.p(one, other, measure, level) >= ALPHA:
            return 0
        less = self.rank(one, other, measure, level) < 0
        more_is_better = measure == "rate" or (measure == "A" and self.name != "lines")
        return -1 if less == more_is_better else 1

    def rank(self, one, other, measure, level=0):
        """Which of the two tends to have the larger values: the sign the test's statistic has."""
        a, b = self.kept(one, measure, level), self.kept(other, measure, level)
        u = stats.mannwhitneyu(a, b, alternative="two-sided", method="asymptotic").statistic
        return numpy.sign(u - len(a) * len(b) / 2)


def load(path, name):
    return [Outcome(name, condition) for condition in numpy.load(path)]
