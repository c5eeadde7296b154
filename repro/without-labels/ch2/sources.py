"""Crowds and labelling functions: what audits make of them, beside the majority and Snorkel's label model."""
import csv
import gzip
import os
import subprocess
import tempfile

import numpy
from report import Report, need_data, scant, table

CROWDS = ("bluebird", "rte", "trec", "temp", "sentiment_polarity", "face_sentiment", "labelme")
FEELINGS = ("valence", "anger", "disgust", "fear", "joy", "sadness", "surprise")
SILENT = 1e-6
TUNED = ("bluebird", "rte", "trec")  # the pseudo-votes were chosen with these in view
SNORKEL = """
import sys, numpy
from snorkel.labeling.model import LabelModel, MajorityLabelVoter
L = numpy.load(sys.argv[1]); k = int(sys.argv[2])
errors = []
for seed in range(5):
    model = LabelModel(cardinality=k, verbose=False)
    model.fit(L, n_epochs=500, seed=seed)
    errors.append(model.predict(L, tie_break_policy="random"))
numpy.save(sys.argv[3], numpy.array(errors))
"""


def rows_of(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def judge(labels, truth):
    """A line of the table: what `scant audit` makes of the file of votes, and how wrong that is."""
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "combined.csv")
        got = scant("audit", labels, "--long", "--combine", out, "-q")
        combined = [r for r in rows_of(out) if r["item"] in truth]
    wrong = {}
    for vote in rows_of(labels):
        if vote["item"] in truth:
            wrong.setdefault(vote["worker"], []).append(vote["label"] != truth[vote["item"]])
    pairs = [(p["wrong"], numpy.mean(wrong[p["name"]])) for p in got["predictors"]
             if len(wrong.get(p["name"], [])) >= 20]
    return [got["items"], len(got["predictors"]), got["votes"],
            f"{sum(r['label'] != truth[r['item']] for r in combined)} of {len(combined)}",
            f"{sum(r['majority'] != truth[r['item']] for r in combined)}",
            f"{numpy.corrcoef(numpy.array(pairs).T)[0, 1]:.3f}", got["independence"]["verdict"]]


def write_feelings(folder, scratch, emotion):
    """Scores of a headline's feeling as votes of two classes: above the emotion's mean score or not (valence: above 0)."""
    scores = [r for r in rows_of(os.path.join(folder, "snow_affect_scores.csv")) if r["emotion"] == emotion]
    cut = 0 if emotion == "valence" else numpy.mean([float(r["score"]) for r in scores])
    path = os.path.join(scratch, f"{emotion}.csv")
    with open(path, "w", encoding="ascii", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "worker", "label"])
        writer.writerows([r["item"], r["worker"], int(float(r["score"]) > cut)] for r in scores)
    return path, {r["item"]: str(int(float(r["gold"]) > cut)) for r in scores}


def crowds(report):
    folder, = need_data("crowd")
    lines = []
    for name in CROWDS:
        truth = {r["item"]: r["truth"] for r in rows_of(os.path.join(folder, f"{name}_truth.csv"))}
        lines.append([name + ("" if name in TUNED else " *"), *judge(os.path.join(folder, f"{name}_labels.csv"), truth)])
    with tempfile.TemporaryDirectory() as scratch:
        for emotion in FEELINGS:
            lines.append([f"affect, {emotion} **", *judge(*write_feelings(folder, scratch, emotion))])
    report.say("## Crowds\n\nFull confusion, prior estimated, 0.1 pseudo-votes a cell; correlation of the expected and the true "
               "share of wrong votes over workers with 20 or more. Sets without a star are those of the "
               "tests; the number of pseudo-votes was chosen in a sweep that saw all sets but those with two stars, "
               "which were looked at for the first time with everything settled: Snow's headlines, numbers made votes by "
               "whether they are above 0 (valence) or above the emotion's mean score.\n")
    report.say(table(["set", "items", "workers", "votes", "wrong, combined", "wrong, majority", "correlation",
                      "independence"], lines))


def snorkel(votes, classes):
    """Answers of five seeds of Snorkel's label model; None where it is not installed (SNORKEL_PYTHON)."""
    python = os.environ.get("SNORKEL_PYTHON")
    if not python:
        return None
    with tempfile.TemporaryDirectory() as scratch:
        given, made = os.path.join(scratch, "L.npy"), os.path.join(scratch, "out.npy")
        numpy.save(given, votes)
        done = subprocess.run([python, "-c", SNORKEL, given, str(classes), made], capture_output=True, text=True,
                              check=False)
        return numpy.load(made) if done.returncode == 0 else None


def silence_counts(votes, columns, classes):
    """Classes when "no answer" is an answer like any other: a further class that hardly any row is of, prior even."""
    prior = ",".join(f"{j}={(1 - SILENT) / classes:.9f}" for j in range(classes)) + f",none={SILENT:.9f}"
    with tempfile.TemporaryDirectory() as scratch:
        table_path, out = (os.path.join(scratch, name) for name in ("votes.csv", "combined.csv"))
        with open(table_path, "w", encoding="ascii", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows([["none" if v < 0 else v for v in row] for row in votes.tolist()])
        got = scant("audit", table_path, "--prior", prior, "--combine", out, "-q")
        best = [numpy.argmax([float(r[f"p_{j}"]) for j in range(classes)]) for r in rows_of(out)]
        return numpy.array(best), got["independence"]["verdict"]


def functions(report):
    folder, = need_data("weak_supervision")
    lines = []
    for name, classes in (("youtube_lf.csv", 2), ("trec_lf.csv.gz", 6)):
        path = os.path.join(folder, name)
        data = rows_of(path)
        truth = [r["label"] for r in data]
        test = numpy.array([r["split"] == "test" for r in data])
        columns = [c for c in data[0] if c.startswith("lf")]
        votes = numpy.array([[int(r[c]) for c in columns] for r in data])
        covered = test & (votes >= 0).any(1)
        errors = {}
        for model in ("confusion", "symmetric"):
            with tempfile.TemporaryDirectory() as scratch:
                out = os.path.join(scratch, "combined.csv")
                scant("audit", path, "--features", "lf*", "--model", model, "--combine", out, "-q")
                combined = rows_of(out)
            wrong = numpy.array([c["label"] != t for c, t in zip(combined, truth)])
            errors[f"scant, {model}"] = f"{100 * wrong[covered].mean():.1f}"
        wrong = numpy.array([c["majority"] != t for c, t in zip(combined, truth)])
        errors["majority"] = f"{100 * wrong[covered].mean():.1f}"
        number = numpy.array([int(t) for t in truth])
        answer, verdict = silence_counts(votes, columns, classes)
        errors["silence"] = f"{100 * (answer != number)[covered].mean():.1f}"
        other = snorkel(votes, classes)
        errors["Snorkel"] = "not run" if other is None else "{:.1f} ({:.1f}..{:.1f})".format(
            *(lambda e: (e.mean(), e.min(), e.max()))(100 * (other[:, covered] != number[covered]).mean(1)))
        lines.append([name.split("_")[0], len(columns), len(data), f"{covered.sum()} of {test.sum()}",
                      errors["scant, confusion"], errors["scant, symmetric"], errors["silence"], errors["majority"], errors["Snorkel"],
                      verdict])
    report.say("## Labelling functions\n\nVotes of all rows are audited, labels are used for the error on test rows that "
               "at least one function answers; per cent wrong. Snorkel: mean and extremes of five seeds.\n")
    report.say("Most of these functions name one class only, or say nothing. That answers are missing at random, which the "
               "audit takes for granted, is then as wrong as can be: whether a function answers is all it tells. With "
               "silence as an answer of its own (a further class of share 1e-6, the others even) the audit gets its "
               "information back. On trec the functions depend on each other so much that no model with independent "
               "ones comes near the majority; the test says so.\n")
    report.say(table(["set", "functions", "rows", "test rows answered", "scant, confusion", "scant, symmetric",
                      "scant, silence counts", "majority", "Snorkel's label model", "independence, silence counts"], lines))


def run(here):
    report = Report(os.path.join(here, "sources.md"))
    report.say("# Crowds and labelling functions\n\nMade by `repro/without-labels/ch2/run sources` "
               "(`SNORKEL_PYTHON` names an interpreter that has Snorkel; without it that column is empty).\n")
    crowds(report)
    functions(report)
    report.close()
