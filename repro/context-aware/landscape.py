"""Figure 2: log-likelihoods of one mean. Two univariate normals, of which only mu_1 is unknown.

scant does not fit one mean and leave the other alone, so EM is spelt out here: with r_i the posterior of the
first component, mu_1 = sum r_i x_i / sum r_i.
"""
import numpy
from scipy import optimize

SHARE, MEANS, DEVIATIONS, ROWS, START = 0.1, (0.0, 1.0), (0.5, 3.0), 100, 2.0
STEP_MAX, ITERATIONS_MAX = 1e-5, 300


def favoured(negentropy):
    """p of the favoured one of two classes that says so much."""
    def off(p):
        return 1 + p * numpy.log2(p) + (1 - p) * numpy.log2(1 - p) - negentropy
    return 0.5 if negentropy == 0 else optimize.brentq(off, 0.5, 1 - 1e-12)


class Sample:
    def __init__(self, seed):
        random = numpy.random.default_rng(seed)
        self.first = random.random(ROWS) < SHARE
        self.x = numpy.where(self.first, random.normal(MEANS[0], DEVIATIONS[0], ROWS),
                             random.normal(MEANS[1], DEVIATIONS[1], ROWS))

    def context(self, negentropy):
        p = favoured(negentropy)
        return numpy.where(self.first, p, 1 - p)

    def log_terms(self, mu, who, p=None):
        """log c of either component: rows x 2; `mu` is mu_1."""
        log_f = [-0.5 * ((self.x - m) / s) ** 2 - numpy.log(s * numpy.sqrt(2 * numpy.pi))
                 for m, s in ((mu, DEVIATIONS[0]), (MEANS[1], DEVIATIONS[1]))]
        share = numpy.log([SHARE, 1 - SHARE])
        context = numpy.log([p, 1 - p]) if p is not None else numpy.zeros((2, ROWS))
        with numpy.errstate(divide="ignore"):
            label = numpy.log([self.first, ~self.first])
        prior = {"US": share[:, None], "DCA": share[:, None], "WCA": share[:, None] + context, "CA": context,
                 "S": share[:, None] + label}[who]
        return (prior + numpy.array(log_f)).T

    def loglik(self, mu, who, p=None):
        return float(numpy.logaddexp.reduce(self.log_terms(mu, who, p), axis=1).sum())

    def posterior(self, mu, who, p=None):
        if who == "DCA":
            return numpy.stack([p, 1 - p], axis=1)
        terms = self.log_terms(mu, who, p)
        return numpy.exp(terms - numpy.logaddexp.reduce(terms, axis=1, keepdims=True))

    def bound(self, mu, r, who, p=None):
        """Q + H: what an M-step raises, given the posterior r."""
        terms = self.log_terms(mu, who, p)
        use = r > 0
        return float((r[use] * (terms[use] - numpy.log(r[use]))).sum())

    def step(self, mu, who, p=None):
        r = self.posterior(mu, who, p)[:, 0]
        return float((r * self.x).sum() / r.sum())

    def fit(self, who, p=None):
        mu = START
        for _ in range(ITERATIONS_MAX):
            last, mu = mu, self.step(mu, who, p)
            if abs(mu - last) < STEP_MAX:
                break
        return mu


def escapes(sample, negentropy):
    """Does EM without context end in a maximum above its start, and with context (CA) near the truth?"""
    return sample.fit("US") > START and abs(sample.fit("CA", sample.context(negentropy))) < 0.5


def choose(negentropy, tries=1000):
    """The first sample that shows it, and how many of `tries` do; and how often US and CA end near the truth."""
    shown, us, ca, first = 0, 0, 0, None
    for seed in range(tries):
        sample = Sample(seed)
        found = escapes(sample, negentropy)
        us += abs(sample.fit("US")) < 0.5
        ca += abs(sample.fit("CA", sample.context(negentropy))) < 0.5
        shown += found
        first = seed if found and first is None else first
    return first, shown, us, ca
