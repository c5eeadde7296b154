"""Figure 13: error rates of text classifiers on other domains, and of one-against-all classifiers, without labels."""
import csv
import os
import tempfile

import numpy
import scipy.optimize
import scipy.sparse
from report import Report, need_data, scant, table

DOMAINS = ("books", "dvd", "kitchen", "electronics")
PUBLISHED = {"training error": (0.22, 0.23, 0.26, 0.30), "separately": (0.04, 0.04, 0.08, 0.06),
             "together": (0.10, 0.10, 0.09, 0.08)}
SPLITS, TRAIN, TEST, SHARE = 20, 300, 1000, 0.75
NEWS_SPLITS, NEWS_TRAIN, NEWS_TEST = 3, 1000, 15000


def read_svmlight(path):
    import gzip
    labels, rows, columns, values = [], [], [], []
    with gzip.open(path, "rt") as file:
        for i, line in enumerate(file):
            label, *cells = line.split()
            labels.append(float(label))
            for cell in cells:
                column, value = cell.split(":")
                rows.append(i)
                columns.append(int(column) - 1)
                values.append(float(value))
    return numpy.array(labels), scipy.sparse.csr_matrix((values, (rows, columns)), shape=(len(labels), max(columns) + 1))


def features(x, width):
    """Logarithms of counts, rows of length 1."""
    x = x.copy()
    x.resize((x.shape[0], width))
    x.data = numpy.log1p(x.data)
    length = numpy.sqrt(numpy.asarray(x.multiply(x).sum(1)).ravel())
    return scipy.sparse.diags(1 / numpy.maximum(length, 1e-12)) @ x


def train(x, y, penalty=1e-4):
    """Logistic regression, y = 1 or -1: weights, the last one of a constant."""
    def loss(w):
        margin = y * (x @ w[:-1] + w[-1])
        p = -y / (1 + numpy.exp(numpy.clip(margin, -500, 500)))
        return (numpy.logaddexp(0, -margin).mean() + penalty / 2 * (w[:-1] @ w[:-1]),
                numpy.append(x.T @ p / len(y) + penalty * w[:-1], p.mean()))
    return scipy.optimize.minimize(loss, numpy.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B",
                                   options={"maxiter": 200}).x


def predict(w, x):
    return numpy.where(x @ w[:-1] + w[-1] > 0, 1, -1)


def pick(random, y, n, share):
    """n rows, of which the share is of class 1."""
    ones = random.choice(numpy.flatnonzero(y == 1), round(n * share), replace=False)
    others = random.choice(numpy.flatnonzero(y != 1), n - len(ones), replace=False)
    return random.permutation(numpy.concatenate([ones, others]))


def audit(votes, share, *arguments):
    """Error rates of the columns of votes (1 and -1); NaN where they cannot be told."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as out:
        writer = csv.writer(out)
        writer.writerow([f"f{c}" for c in range(votes.shape[1])])
        writer.writerows(numpy.where(votes == 1, "pos", "neg").tolist())
    try:
        got = scant("audit", out.name, "--prior", f"pos={share},neg={1 - share}", "-q", "--threads", 1, *arguments)
    finally:
        os.unlink(out.name)
    error = [p["error"] for p in got["predictors"]]
    return numpy.array([numpy.nan if e is None else e for e in error]), got["independence"]["verdict"]


KINDS = {"separately": ("--model", "symmetric", "--separately"), "together": ("--model", "symmetric"),
         "together, confusion": ("--model", "confusion")}


def read_domains():
    folder, = need_data("amazon_reviews")
    data = {}
    for domain in DOMAINS:
        for part in ("train", "test"):
            y, x = read_svmlight(os.path.join(folder, f"{domain}_{part}.svmlight.gz"))
            data[domain, part] = y, features(x, 5000)
    return data


def transfer(data, trained_on):
    """Absolute errors of each estimate by target, and the verdicts on independence."""
    found = {kind: {d: [] for d in DOMAINS} for kind in ("training error", *KINDS)}
    verdicts, true_errors = [], []
    for split in range(SPLITS):
        random = numpy.random.default_rng(split)
        weights, training = {}, {}
        for domain in DOMAINS:
            y, x = data[domain, "train"]
            rows = pick(random, y, TRAIN, trained_on)
            weights[domain] = train(x[rows], y[rows])
            training[domain] = numpy.mean(predict(weights[domain], x[rows]) != y[rows])
        for target in DOMAINS:
            y, x = data[target, "test"]
            rows = pick(random, y, TEST, SHARE)
            sources = [d for d in DOMAINS if d != target]
            votes = numpy.column_stack([predict(weights[s], x[rows]) for s in sources])
            true = numpy.mean(votes != y[rows][:, None], axis=0)
            true_errors.append(true)
            found["training error"][target].append(numpy.abs([training[s] for s in sources] - true))
            for kind, arguments in KINDS.items():
                error, verdict = audit(votes, SHARE, *arguments)
                found[kind][target].append(numpy.abs(error - true))
                if kind == "together, confusion":
                    verdicts.append(verdict)
    return found, verdicts, numpy.mean(true_errors)


def amazon(report):
    data = read_domains()
    report.say("## Amazon reviews\n\n"
               f"A logistic classifier trained on {TRAIN} reviews of one domain, audited on {TEST} of another with p(y = 1) = "
               f"{SHARE}, {SPLITS} splits; mean absolute error of the error rate over the three sources of each target. The "
               "paper's text says full confusion for one predictor at a time, which cannot be identified (two unknowns, "
               "one frequency): `separately` here is the symmetric model. The paper does not say what the classes' "
               "shares are in training.\n")
    for trained_on in (0.5, SHARE):
        found, verdicts, error = transfer(data, trained_on)
        rows = []
        for kind, each in found.items():
            paper = PUBLISHED.get(kind)
            for i, target in enumerate(DOMAINS):
                values = numpy.concatenate(each[target])
                low, high = numpy.nanpercentile([numpy.nanmean(v) for v in each[target]], [5, 95])
                rows.append([kind, target, f"{paper[i]:.2f}" if paper else "", f"{numpy.nanmean(values):.3f}",
                             f"{low:.3f}..{high:.3f}"])
        counts = {v: verdicts.count(v) for v in sorted(set(verdicts))}
        report.say(f"### Trained with p(y = 1) = {trained_on}: true error {error:.3f} on average\n")
        report.say(table(["estimate", "target", "paper", "ours", "5..95% of splits"], rows))
        report.say("The test of independence on the three classifiers together (confusion): "
                   + ", ".join(f"{v} {n}" for v, n in counts.items()) + ".\n")


def newsgroups(report):
    folder, = need_data("news20_bydate")
    parts = [read_svmlight(os.path.join(folder, f"{part}.svmlight.gz")) for part in ("train", "test")]
    width = max(x.shape[1] for _, x in parts)
    y = numpy.concatenate([p[0] for p in parts]).astype(int)
    x = scipy.sparse.vstack([features(p[1], width) for p in parts]).tocsr()
    found = {"training error": [], "separately": []}
    for split in range(NEWS_SPLITS):
        random = numpy.random.default_rng(1000 + split)
        order = random.permutation(len(y))
        fit, rest = order[:NEWS_TRAIN], order[NEWS_TRAIN:NEWS_TRAIN + NEWS_TEST]
        for k in range(20):
            target = numpy.where(y == k, 1, -1)
            w = train(x[fit], target[fit], penalty=1e-5)
            votes = predict(w, x[rest])
            true = numpy.mean(votes != target[rest])
            found["training error"].append(abs(numpy.mean(predict(w, x[fit]) != target[fit]) - true))
            error, _ = audit(votes[:, None], 0.05, "--model", "symmetric", "--separately")
            found["separately"].append(abs(error[0] - true))
    report.say("## 20 newsgroups, one against all\n\n"
               f"{NEWS_TRAIN} posts train, {NEWS_TEST} are audited, p(y = 1) = 0.05 as published, {NEWS_SPLITS} splits.\n")
    report.say(table(["estimate", "paper", "ours", "5..95% of classifiers"], [
        [kind, paper, f"{numpy.nanmean(found[kind]):.4f}",
         "..".join(f"{v:.4f}" for v in numpy.nanpercentile(found[kind], [5, 95]))]
        for kind, paper in (("training error", "0.028"), ("separately", "0.006"))]))


def run(here):
    report = Report(os.path.join(here, "domains.md"))
    report.say("# Figure 13: error rates where there are no labels\n\nMade by `repro/without-labels/ch2/run domains`.\n")
    amazon(report)
    newsgroups(report)
    report.close()
