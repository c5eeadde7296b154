"""Multinomial naive Bayes on texts: asymptotic variance beside measured errors (figures 21 and 22).

Everything about information is worked out here once more, with NumPy and in other words than the library's, so that
the two check each other.
"""
import gzip
import json
import os
import subprocess

import numpy
import scipy.linalg

from common import report

CLASSES = numpy.array(list("abcdefgh"))


def telling(documents, y, nclasses):
    """Mutual information of a document's class and whether a word is in it, for each word."""
    shares = numpy.bincount(y, minlength=nclasses) / len(y)
    having = {}
    for document, k in zip(documents, y):
        for word in document:
            having.setdefault(word, numpy.zeros(nclasses))[k] += 1
    told = {}
    for word, count in having.items():
        joint = numpy.array([count, shares * len(y) - count]) / len(y)
        apart = joint.sum(axis=1, keepdims=True) * shares
        some = joint > 1e-12
        told[word] = (joint[some] * numpy.log(joint[some] / apart[some])).sum()
    return told


class Texts:
    """Documents of some classes of a set, over the words that tell most about the class."""

    def __init__(self, name, labels, words):
        self.name = name
        folder, = report.need_data(name)
        counts, y = [], []
        for part in ("train", "test"):
            with gzip.open(os.path.join(folder, f"{part}.svmlight.gz"), "rt") as file:
                for line in file:
                    label, *pairs = line.split()
                    if int(label) in labels:
                        y.append(labels.index(int(label)))
                        counts.append({int(w): float(c) for w, c in (pair.split(":") for pair in pairs)})
        told = telling(counts, y, len(labels))
        vocabulary = {w: i for i, w in enumerate(sorted(told, key=lambda w: (-told[w], w))[:words])}
        x = numpy.zeros((len(counts), words))
        for i, document in enumerate(counts):
            for word, count in document.items():
                if word in vocabulary:
                    x[i, vocabulary[word]] = count
        some = x.sum(axis=1) > 0
        self.x, self.y, self.nclasses = x[some], numpy.array(y)[some], len(labels)
        self.empty = int((~some).sum())


class Theta:
    """Class shares P (K) and word probabilities p (K x V)."""

    def __init__(self, shares, words):
        self.P, self.p = shares, words

    def posterior(self, x):
        log = x @ numpy.log(self.p).T + numpy.log(self.P)
        log -= log.max(axis=1, keepdims=True)
        q = numpy.exp(log)
        return q / q.sum(axis=1, keepdims=True)

    def distance(self, other):
        """Squared, over all probabilities: one term of the empirical mse."""
        return ((self.P - other.P) ** 2).sum() + ((self.p - other.p) ** 2).sum()


class Worth:
    """The basis in which the information of a labelled and of an unlabelled document are both diagonal.

    Coordinates are log(P_k / P_K) and log(p_kv / p_kV); the trace is that of the probabilities themselves, by the delta
    method: their squared change along each direction is `length`. Documents have the lengths of the rows x.
    """

    def __init__(self, theta, x):
        K, V = theta.p.shape
        q = theta.posterior(x)
        n, m = len(x), x.sum(axis=1)
        size = K - 1 + K * (V - 1)
        labelled = numpy.zeros((size, size))
        to_P = numpy.diag(theta.P) - numpy.outer(theta.P, theta.P)
        labelled[:K - 1, :K - 1] = to_P[:-1, :-1]
        blocks = [slice(K - 1 + k * (V - 1), K - 1 + (k + 1) * (V - 1)) for k in range(K)]
        scores = []  # of every class, for all documents
        for k in range(K):
            p = theta.p[k]
            to_p = numpy.diag(p) - numpy.outer(p, p)
            labelled[blocks[k], blocks[k]] = (q[:, k] @ m / n) * to_p[:-1, :-1]
            s = numpy.zeros((n, size))
            s[:, :K - 1] = -theta.P[:-1]
            if k < K - 1:
                s[:, k] += 1
            s[:, blocks[k]] = (x - m[:, None] * p)[:, :-1]
            scores.append(s)
        mean = sum(q[:, k, None] * scores[k] for k in range(K))
        missing = sum((q[:, k, None] * (s - mean)).T @ (s - mean) for k, s in enumerate(scores)) / n
        lower = numpy.linalg.cholesky(labelled)
        white = scipy.linalg.solve_triangular(
            lower, scipy.linalg.solve_triangular(lower, labelled - missing, lower=True).T, lower=True)
        rho, turn = numpy.linalg.eigh((white + white.T) / 2)
        self.rho = numpy.clip(rho, 0, 1)
        basis = scipy.linalg.solve_triangular(lower.T, turn, lower=False)
        self.chart = (basis ** 2).sum(axis=0)
        self.length = ((to_P[:, :-1] @ basis[:K - 1]) ** 2).sum(axis=0)
        for k in range(K):
            to_p = numpy.diag(theta.p[k]) - numpy.outer(theta.p[k], theta.p[k])
            self.length += ((to_p[:, :-1] @ basis[blocks[k]]) ** 2).sum(axis=0)

    def trace(self, labels, rows, chart=False, weight=1.0):
        """tr Sigma^-1 with so many labels among so many rows; where the others have a weight, of the sandwich."""
        others = self.rho * (rows - labels)
        return ((self.chart if chart else self.length) * (labels + weight ** 2 * others) / (labels + weight * others) ** 2).sum()


def write(path, x, labels):
    with open(path, "w", encoding="utf-8") as out:
        out.write(",".join(f"w{v + 1}" for v in range(x.shape[1])) + ",y\n")
        out.writelines(",".join(map(str, row)) + f",{label}\n" for row, label in zip(x.astype(int).tolist(), labels))
    return path


def fit(texts, rows, labelled, place):
    """Parameters from these rows, of which the first `labelled` have their label, by scant."""
    path, model = os.path.join(place, "rows.csv"), os.path.join(place, "model.json")
    names = [CLASSES[texts.y[i]] if j < labelled else "" for j, i in enumerate(rows)]
    write(path, texts.x[rows], names)
    report.scant("fit", path, "--types", "none", "--label", "y", "--family", "multinomial", "--no-baseline", "--init", "labels",
                 "--starts", 1, "-o", model, "--threads", 1)
    with open(model, encoding="utf-8") as file:
        told = json.load(file)
    shares = numpy.array(told["coupling"])
    order = shares.argmax(axis=1).argsort()  # component of each class
    words = numpy.array(next(iter(told["factors"][0]["parameters"].values())))[order]
    return Theta(shares.sum(axis=0), words / words.sum(axis=1, keepdims=True)), model, path


def covers(texts, rows, labelled):
    """Does every class have a label?"""
    return len(set(texts.y[rows[:labelled]])) == texts.nclasses


def grid(texts, sizes, shares, repeats, place):
    """Figure 21: for each (n, lambda) held-out error, squared error of the parameters, asymptotic variance."""
    everything = numpy.arange(len(texts.y))
    theta = fit(texts, everything, len(everything), place)[0]
    worth = Worth(theta, texts.x)
    found = []
    for n in sizes:
        for share in shares:
            labelled = round(share * n)
            errors, squares = [], []
            for r in range(repeats):
                order = numpy.random.default_rng([21, n, r]).permutation(len(texts.y))
                rows, held = order[:n], order[n:]
                if not covers(texts, rows, labelled):
                    continue
                here = fit(texts, rows, labelled, place)[0]
                errors.append((here.posterior(texts.x[held]).argmax(axis=1) != texts.y[held]).mean())
                squares.append(here.distance(theta))
            if len(errors) > repeats // 2:
                found.append((n, share, numpy.mean(errors), numpy.std(errors, ddof=1) / len(errors) ** 0.5,
                              numpy.mean(squares), worth.trace(labelled, n)))
    return numpy.array(found), theta, worth


def two_stages(texts, rows, pilots, share, repeats, place):
    """Figure 22, middle: the plug-in trace of a pilot over that of all labels, for each pilot and repetition."""
    ratios = numpy.full((len(pilots), repeats, 2), numpy.nan)
    for r in range(repeats):
        order = numpy.random.default_rng([22, r]).permutation(len(texts.y))[:rows]
        whole = Worth(fit(texts, order, rows, place)[0], texts.x[order])
        for i, pilot in enumerate(pilots):
            if not covers(texts, order, pilot):
                continue
            plug = Worth(fit(texts, order, pilot, place)[0], texts.x[order])
            ratios[i, r] = [plug.trace(share * rows, rows, chart) / whole.trace(share * rows, rows, chart)
                            for chart in (False, True)]
    return ratios


def check_library(texts, place):
    """The library's trace beside the one here, of one small fit; they are of the same chart but for its units."""
    rows = numpy.random.default_rng(23).permutation(len(texts.y))[:400]
    some = Texts.__new__(Texts)
    some.x, some.y, some.nclasses = texts.x[:, :30], texts.y, texts.nclasses
    rows = rows[some.x[rows].sum(axis=1) > 0]
    theta, model, path = fit(some, rows, 120, place)
    told = subprocess.run([report.SCANT, "plan", model, path, "--label", "y", "--budget", "10", "--repeats", "0",
                           "--replicates", "2", "--json", "-q", "--threads", "1"], capture_output=True, text=True,
                          check=True)
    here = Worth(theta, some.x[rows]).trace(120, len(rows), chart=True)
    return json.loads(told.stdout)["trace"], here


def drawn_like(texts, theta, seed):
    """Documents of the same classes' shares and the same lengths, drawn from the model itself."""
    random = numpy.random.default_rng(seed)
    drawn = Texts.__new__(Texts)
    drawn.name, drawn.nclasses, drawn.empty = texts.name, texts.nclasses, 0
    drawn.y = random.choice(texts.nclasses, size=len(texts.y), p=theta.P)
    lengths = texts.x.sum(axis=1).astype(int)
    drawn.x = numpy.array([random.multinomial(m, theta.p[k]) for m, k in zip(lengths, drawn.y)], dtype=float)
    return drawn


def random_multinomials(words=1000, shares=(0.2, 0.8), length=60, documents=3000):
    """Figure 22, left: the problem, and documents drawn from it."""
    random = numpy.random.default_rng(24)
    p = random.dirichlet(numpy.full(words, 1.0), size=2) + 1e-5
    theta = Theta(numpy.array(shares), p / p.sum(axis=1, keepdims=True))
    y = (random.random(documents) < shares[1]).astype(int)
    return theta, numpy.array([random.multinomial(length, theta.p[k]) for k in y], dtype=float)
