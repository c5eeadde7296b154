"""Section 4.2's problem with infinitely many rows: what the estimates tend to, and the information of a row there.

Expectations are sums over a grid of x, for each class and favoured class. With g_k what is known of a row's class k, f_k
its density, r_k = g_k f_k / sum_k g_k f_k and the scores s_k of log g_k f_k in (pi_1, mu_1, mu_2):
    complete = E sum_k r_k (-d s_k)        missing = E Cov_r(s)        score = E (sum_k r_k s_k)(sum_k r_k s_k)'
Where contexts are not right as often as they say, the likelihood is not that of the rows; its maximum tends to another
point than the truth, and estimates spread by the sandwich I^-1 score I^-1 with I = complete - missing, not by I^-1.
"""
import numpy

SHARE, MEANS, DEVIATIONS = 0.6, numpy.array([0.0, 1.0]), numpy.array([1.0, 2.0])
X = numpy.linspace(-16, 18, 3401)
NAMES = ("pi_1", "mu_1", "mu_2")


def top_of(negentropy):
    """The larger of two probabilities that say so much."""
    low, high = 0.5, 1.0
    for _ in range(60):
        p = (low + high) / 2
        said = 1 + (p * numpy.log2(p) + (1 - p) * numpy.log2(1 - p))
        low, high = (p, high) if said < negentropy else (low, p)
    return high if negentropy > 0 else 0.5


def joint(who, top, are_true):
    """P(class, favoured class); as wrong_share of information.c."""
    classes = numpy.array([SHARE, 1 - SHARE])
    right = numpy.ones(2)
    if are_true and who == "WCA":
        right = numpy.full(2, top)
    elif are_true and who == "CA" and top > SHARE:
        first = (SHARE - (1 - top)) / (2 * top - 1)
        right = top * numpy.array([first, 1 - first]) / classes
    return numpy.array([[classes[0] * right[0], classes[0] * (1 - right[0])],
                        [classes[1] * (1 - right[1]), classes[1] * right[1]]])


class Limit:
    """An algorithm with contexts of some negentropy; US and S have none."""

    def __init__(self, who, negentropy=0.0, are_true=False):
        self.who = who
        top = top_of(negentropy)
        self.known = numpy.array([[top, 1 - top], [1 - top, top]])  # favoured x class
        if who in ("US", "S"):
            self.known = numpy.eye(2) if who == "S" else numpy.ones((2, 2))
        density = numpy.exp(-0.5 * ((X[:, None] - MEANS) / DEVIATIONS) ** 2) / DEVIATIONS
        density /= density.sum(axis=0)
        self.weight = numpy.einsum("kc,xk->cx", joint(who, top, are_true), density)  # favoured x grid
        self.pi, self.mu = SHARE, MEANS.copy()
        self.climb()
        self.inform()

    def posterior(self):
        """r: favoured x grid x class"""
        f = numpy.exp(-0.5 * ((X[:, None] - self.mu) / DEVIATIONS) ** 2) / DEVIATIONS
        prior = 1 if self.who == "CA" else numpy.array([self.pi, 1 - self.pi])
        r = (self.known * prior)[:, None, :] * f
        return r / r.sum(axis=2, keepdims=True)

    def climb(self):
        """EM from the truth to the maximum."""
        for _ in range(20000):
            r = self.posterior() * self.weight[:, :, None]
            counts = r.sum(axis=(0, 1))
            mu, pi = numpy.einsum("cxk,x->k", r, X) / counts, counts[0]
            moved = abs(mu - self.mu).max() + abs(pi - self.pi) * (self.who != "CA")
            self.mu, self.pi = mu, pi
            if moved < 1e-13:
                return

    def inform(self):
        r, pi = self.posterior(), self.pi
        scores = numpy.zeros((len(X), 2, 3))
        scores[:, 0, 0], scores[:, 1, 0] = 1 / pi, -1 / (1 - pi)
        for k in range(2):
            scores[:, k, 1 + k] = (X - self.mu[k]) / DEVIATIONS[k] ** 2
        mean = numpy.einsum("cxk,xka->cxa", r, scores)
        counts = numpy.einsum("cx,cxk->k", self.weight, r)
        self.complete = numpy.diag([counts[0] / pi**2 + counts[1] / (1 - pi) ** 2, *(counts / DEVIATIONS**2)])
        self.score = numpy.einsum("cx,cxa,cxb->ab", self.weight, mean, mean)
        self.missing = numpy.einsum("cx,cxk,xka,xkb->ab", self.weight, r, scores, scores) - self.score
        self.free = slice(1, 3) if self.who == "CA" else slice(0, 3)

    def matrices(self):
        """complete, missing and J of the free parameters"""
        complete, missing = self.complete[self.free, self.free], self.missing[self.free, self.free]
        return complete, missing, numpy.linalg.solve(complete, missing)

    def rate(self):
        return 1 - abs(numpy.linalg.eigvals(self.matrices()[2])).max()

    def errors(self, rows, sandwich=False):
        """Standard errors of pi_1, mu_1, mu_2. CA's share is that of the favoured classes, as if labels were seen."""
        complete, missing, _ = self.matrices()
        covariance = numpy.linalg.inv(complete - missing)
        if sandwich:
            covariance = covariance @ self.score[self.free, self.free] @ covariance
        errors = numpy.sqrt(numpy.diag(covariance) / rows)
        if self.who != "CA":
            return errors
        favoured = self.weight.sum(axis=1)[0]
        return numpy.array([numpy.sqrt(favoured * (1 - favoured) / rows), *errors])
