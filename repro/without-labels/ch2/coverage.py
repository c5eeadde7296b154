"""Do intervals hold what they promise? 1000 simulations of n = 1000 each; and those by the profile, beside them."""
import os

import numpy
from report import Report, table

from simulation import ERROR, PREDICTOR, RIGHT0, RIGHT1, STATUS, Experiment, simulate

SHARE = 0.7
SYMMETRIC = {1: [(0.75, 0.75)], 3: [(0.7, 0.7), (0.8, 0.8), (0.9, 0.9)],
             10: [(round(0.6 + 0.035 * c, 3),) * 2 for c in range(10)]}
CONFUSION = {3: [(0.85, 0.75), (0.7, 0.8), (0.9, 0.65)],
             10: [(round(0.65 + 0.03 * c, 2), round(0.9 - 0.03 * c, 2)) for c in range(10)]}


def covered(rows, experiment, errors_only=False):
    """Share of intervals that hold the truth, for each parameter; what has no interval does not."""
    shares = []
    for c, (a, b) in enumerate(experiment.accuracy):
        mine = rows[rows[:, PREDICTOR] == c]
        truths = [(ERROR, experiment.error(c))]
        if experiment.model == "confusion" and not errors_only:
            truths += [(RIGHT0, a), (RIGHT1, b)]
        shares += [numpy.mean((mine[:, at + 1] <= truth) & (truth <= mine[:, at + 2])) for at, truth in truths]
    return 100 * numpy.array(shares)


def width(rows):
    return numpy.nanmean(rows[:, ERROR + 2] - rows[:, ERROR + 1])


CASES = [(model, k, missing, prior) for model, sets in (("symmetric", SYMMETRIC), ("confusion", CONFUSION))
         for k in sets for missing in (0, 0.3) for prior in ("known", "estimate") if prior == "known" or k >= 3]
PROFILED = (("symmetric", 1, 0, "known"), ("symmetric", 3, 0.3, "estimate"), ("confusion", 3, 0, "known"),
            ("confusion", 3, 0.3, "known"), ("confusion", 3, 0, "estimate"), ("confusion", 10, 0.3, "known"))
EDGE = ((3, 100, 0.97), (3, 200, 0.97), (5, 100, 0.95), (5, 200, 0.98))  # predictors, items, accuracy
FEWER = 100  # draws: a profile takes ten times as long


def experiment_of(case):
    model, k, missing, prior = case
    return Experiment(model, (SYMMETRIC if model == "symmetric" else CONFUSION)[k], SHARE, missing=missing,
                      prior="estimate" if prior == "estimate" else None, seed=10 + CASES.index(case))


def both(experiment):
    """Coverage and mean width of error rates' intervals, by standard errors and by the profile, on the same draws."""
    found = simulate([experiment.by(kind, FEWER) for kind in ("wald", "profile")])
    shares = [covered(rows, experiment, errors_only=True) for rows in found]
    return [*(f"{s.mean():.1f} ({s.min():.1f}..{s.max():.1f})" for s in shares), *(f"{width(rows):.4f}" for rows in found)]


def profile(here):
    report = Report(os.path.join(here, "profile.md"))
    report.say("# Intervals by the profile of the likelihood\n\nMade by `repro/without-labels/ch2/run profile`.\n")
    report.say(f"`--intervals profile` beside the default, on the first {FEWER} draws of [coverage](coverage.md): error rates "
               "alone, covered in the mean over predictors (smallest..largest), in %, and the intervals' mean width. Of "
               f"{FEWER} draws 95 % has a standard error of {100 * (0.95 * 0.05 / FEWER) ** 0.5:.1f}.\n")
    columns = ["standard errors", "profile", "width, standard errors", "width, profile"]
    report.say(table(["model", "predictors", "missing answers", "prior", *columns],
                     [[case[0], case[1], f"{100 * case[2]:.0f}%", case[3], *both(experiment_of(case))] for case in PROFILED]))
    report.say("Few items and predictors that hardly err, where standard errors are at their worst: full confusion, prior known.\n")
    report.say(table(["predictors", "items", "true error", *columns],
                     [[k, n, f"{1 - a:.2f}", *both(Experiment("confusion", [(a, a)] * k, SHARE, n=n, seed=90 + n))]
                      for k, n, a in EDGE]))
    report.close()


def run(here):
    experiments = [experiment_of(case) for case in CASES]
    report = Report(os.path.join(here, "coverage.md"))
    report.say("# Coverage of 95% intervals\n\nMade by `repro/without-labels/ch2/run coverage`.\n")
    report.say(f"1000 draws of 1000 items each, two classes of shares {SHARE} and {1 - SHARE:.1f}. Parameters are the "
               "error rates, and for confusion the chances to be right on either class; an interval that was refused or "
               "withheld counts as one that misses. Wanted: 93 to 97% in the mean, 91 to 98% each.\n")
    rows = []
    for case, experiment, found in zip(CASES, experiments, simulate(experiments)):
        share = covered(found, experiment)
        inside = 93 <= share.mean() <= 97 and 91 <= share.min() and share.max() <= 98
        rows.append([case[0], case[1], f"{100 * case[2]:.0f}%", case[3], len(share), f"{share.mean():.1f}",
                     f"{share.min():.1f}..{share.max():.1f}", f"{100 * numpy.mean(found[:, STATUS] != 0):.1f}%",
                     f"{100 * numpy.mean(numpy.isnan(found[:, ERROR + 1])):.1f}%", "yes" if inside else "no"])
    report.say(table(["model", "predictors", "missing answers", "prior", "parameters", "covered, mean %", "each %",
                      "refused", "no interval", "as wanted"], rows))
    report.close()
