"""`scant plan` on data drawn from models: labels for a target beside the learning curve, pilot by pilot."""
import concurrent.futures
import os
import sys
import warnings

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "python"))
import scant  # noqa: E402

TIMES = [2, 4]  # targets: the measured error at so many times the pilot's labels
MOST = 20  # labels that are looked at, in pilots
TEST, LARGE = 6000, 100000  # rows that rules are measured on; rows for the least error
WORKERS = 2


class Normal:
    """Gaussian classes with independent columns."""

    def __init__(self, centres, variances):
        self.centres, self.variances = centres, numpy.broadcast_to(variances, centres.shape)

    def draw(self, random, n):
        y = random.integers(0, len(self.centres), n)
        return self.centres[y] + numpy.sqrt(self.variances[y]) * random.normal(size=(n, self.centres.shape[1])), y

    def log_density(self, x):
        w = 1 / self.variances
        return x @ (self.centres * w).T - (x * x) @ w.T / 2 - (self.centres ** 2 * w - numpy.log(w)).sum(axis=1) / 2


class Words:
    """Documents of a fixed length over a vocabulary."""

    def __init__(self, chances, length=40):
        self.chances, self.length = chances, length

    def draw(self, random, n):
        y = random.integers(0, len(self.chances), n)
        return numpy.array([random.multinomial(self.length, self.chances[k]) for k in y], dtype=float), y

    def log_density(self, x):
        return x @ numpy.log(self.chances).T


class Answers:
    """Columns that are 0 or 1."""

    def __init__(self, chances):
        self.chances = chances

    def draw(self, random, n):
        y = random.integers(0, len(self.chances), n)
        return (random.random((n, self.chances.shape[1])) < self.chances[y]).astype(float), y

    def log_density(self, x):
        return x @ numpy.log(self.chances / (1 - self.chances)).T + numpy.log(1 - self.chances).sum(axis=1)


def normal(classes, columns, apart, uneven=0.0, own=0.0):
    """Centres normal with the deviation `apart`; variances uneven between columns, and between classes by `own`."""
    random = numpy.random.default_rng(5)
    common = numpy.exp(uneven * random.normal(size=columns))
    centres = apart * random.normal(size=(classes, columns)) * numpy.sqrt(common)
    return Normal(centres, common * numpy.exp(own * random.normal(size=(classes, columns))))


def words(classes, vocabulary, apart):
    random = numpy.random.default_rng(5)
    common = numpy.log(random.dirichlet(numpy.full(vocabulary, 0.5)) + 1e-4)
    chances = numpy.exp(common + apart * random.normal(size=(classes, vocabulary)))
    return Words(chances / chances.sum(axis=1, keepdims=True))


def answers(classes, columns, apart):
    random = numpy.random.default_rng(5)
    return Answers(1 / (1 + numpy.exp(-random.normal(size=columns) - apart * random.normal(size=(classes, columns)))))


class Problem:
    """What rows are drawn from, how they are fitted, and the pilot: its labels, and its rows in all."""

    def __init__(self, name, truth, settings, labels, rows=0):
        self.name, self.truth, self.settings = name, truth, settings
        self.labels, self.rows = labels, max(labels, rows)

    def learn(self, x, y, labels):
        known = numpy.where(numpy.arange(len(y)) < labels, y, -1)
        return scant.MixtureClassifier(**{"shrinkage": 0, "unlabeled_weight": 1, "keep": True, **self.settings}, starts=1,
                                      threads=1).fit(x, known), known

    def size(self, labels):
        """Rows in all when so many are labelled: further rows come with their labels."""
        return max(labels, self.rows)


PROBLEMS = {
    "spheres": Problem("8 classes, 24 columns, one variance", normal(8, 24, 0.6), {"covariance": "tied-spherical"}, 240),
    "pool": Problem("the same, unlabelled rows beside", normal(8, 24, 0.6), {"covariance": "tied-spherical"}, 160, 640),
    "tied": Problem("12 classes, 24 columns, tied diagonal", normal(12, 24, 0.5, uneven=0.5), {"covariance": "tied-diag"}, 180),
    "diagonal": Problem("2 classes, 100 columns, diagonal", normal(2, 100, 0.2, own=0.15), {"covariance": "diag"}, 300),
    "words": Problem("6 classes, counts of 60 words", words(6, 60, 0.3), {"family": "multinomial"}, 150),
    "many": Problem("16 classes, 60 columns, tied diagonal", normal(16, 60, 0.35, uneven=0.5), {"covariance": "tied-diag"}, 320),
    "more": Problem("30 classes, 60 columns, tied diagonal", normal(30, 60, 0.35, uneven=0.5), {"covariance": "tied-diag"}, 600),
    "answers": Problem("10 classes, 50 yes-or-no columns", answers(10, 50, 0.8), {"family": "bernoulli"}, 150),
}


def chances(truth, x):
    """P(class | row) where the truth is known; all classes are equally frequent."""
    log = truth.log_density(x)
    p = numpy.exp(log - log.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def measured(problem, r):
    """What rules learned from 1, 2 and 4 times the labels give away under the truth."""
    test, _ = problem.truth.draw(numpy.random.default_rng(77), TEST)
    p, lost = chances(problem.truth, test), []
    x, y = problem.truth.draw(numpy.random.default_rng([2, r]), problem.size(TIMES[-1] * problem.labels))
    for times in [1, *TIMES]:
        labels = times * problem.labels
        n = problem.size(labels)
        said = problem.learn(x[:n], y[:n], labels)[0].predict_proba(test).argmax(axis=1)
        lost.append(float((p.max(axis=1) - p[numpy.arange(TEST), said]).mean()))
    return lost


def labels_for(plan, problem, target, bound):
    """The least labels with which the plan foretells the target, at a bound of its interval; None: too many."""
    def foretold(labels):
        return plan.foretell(labels, problem.size(labels))[bound]
    low, high = problem.labels, MOST * problem.labels
    if not foretold(high) <= target:
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if foretold(middle) <= target else (middle + 1, high)
    return low


def planned(problem, r, targets):
    """What one pilot says."""
    x, y = problem.truth.draw(numpy.random.default_rng([3, r]), problem.rows)
    pilot, known = problem.learn(x, y, problem.labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scant.DoubtWarning)  # too small or not: it is kept below
        plan = scant.LabelPlan(pilot=pilot, repeats=0, threads=1, rows=MOST * problem.size(problem.labels)).fit(x, known)
    found = {bound: [labels_for(plan, problem, target, bound) for target in targets] for bound in ("error", "low", "high")}
    return {"labels": found["error"], "labels_low": found["low"], "labels_high": found["high"], "limit": plan.limit_,
            "limit_error": plan.limit_stderr_, "excess": plan.excess_, "drawn_excess": plan.drawn_excess_,
            "too_small": plan.too_small_}


def work(function, name, *more):
    return function(PROBLEMS[name], *more)


def one_problem(name, repetitions):
    problem = PROBLEMS[name]
    large, _ = problem.truth.draw(numpy.random.default_rng(78), LARGE)
    least = float(1 - chances(problem.truth, large).max(axis=1).mean())
    with concurrent.futures.ProcessPoolExecutor(WORKERS) as workers:
        def all_of(function, *more):
            runs = [workers.submit(work, function, name, r, *more) for r in range(repetitions)]
            return [run.result() for run in runs]
        lost = all_of(measured)
        targets = [least + float(mean) for mean in numpy.mean(lost, axis=0)[1:]]
        plans = all_of(planned, targets)
    return {"name": problem.name, "labels": problem.labels, "rows": problem.rows, "least": least, "lost": lost,
            "targets": targets, "plans": plans, "repetitions": repetitions}
