"""Do intervals hold what they promise? 1000 simulations of n = 1000 each."""
import os

import numpy
from report import Report, table

from simulation import ERROR, PREDICTOR, RIGHT0, RIGHT1, STATUS, Experiment, simulate

SHARE = 0.7
SYMMETRIC = {1: [(0.75, 0.75)], 3: [(0.7, 0.7), (0.8, 0.8), (0.9, 0.9)],
             10: [(round(0.6 + 0.035 * c, 3),) * 2 for c in range(10)]}
CONFUSION = {3: [(0.85, 0.75), (0.7, 0.8), (0.9, 0.65)],
             10: [(round(0.65 + 0.03 * c, 2), round(0.9 - 0.03 * c, 2)) for c in range(10)]}


def covered(rows, experiment):
    """Share of intervals that hold the truth, for each parameter; what has no interval does not."""
    shares = []
    for c, (a, b) in enumerate(experiment.accuracy):
        mine = rows[rows[:, PREDICTOR] == c]
        truths = [(ERROR, experiment.error(c))]
        if experiment.model == "confusion":
            truths += [(RIGHT0, a), (RIGHT1, b)]
        shares += [numpy.mean((mine[:, at + 1] <= truth) & (truth <= mine[:, at + 2])) for at, truth in truths]
    return numpy.array(shares)


def run(here):
    cases = [(model, k, missing, prior) for model, sets in (("symmetric", SYMMETRIC), ("confusion", CONFUSION))
             for k in sets for missing in (0, 0.3) for prior in ("known", "estimate") if prior == "known" or k >= 3]
    experiments = [Experiment(model, (SYMMETRIC if model == "symmetric" else CONFUSION)[k], SHARE, missing=missing,
                              prior="estimate" if prior == "estimate" else None, seed=10 + i)
                   for i, (model, k, missing, prior) in enumerate(cases)]
    report = Report(os.path.join(here, "coverage.md"))
    report.say("# Coverage of 95% intervals\n\nMade by `repro/without-labels/ch2/run coverage`.\n")
    report.say(f"1000 draws of 1000 items each, two classes of shares {SHARE} and {1 - SHARE:.1f}. Parameters are the "
               "error rates, and for confusion the chances to be right on either class; an interval that was refused or "
               "withheld counts as one that misses. Wanted: 93 to 97% in the mean, 91 to 98% each.\n")
    rows = []
    for case, experiment, found in zip(cases, experiments, simulate(experiments)):
        share = 100 * covered(found, experiment)
        inside = 93 <= share.mean() <= 97 and 91 <= share.min() and share.max() <= 98
        rows.append([case[0], case[1], f"{100 * case[2]:.0f}%", case[3], len(share), f"{share.mean():.1f}",
                     f"{share.min():.1f}..{share.max():.1f}", f"{100 * numpy.mean(found[:, STATUS] != 0):.1f}%",
                     f"{100 * numpy.mean(numpy.isnan(found[:, ERROR + 1])):.1f}%", "yes" if inside else "no"])
    report.say(table(["model", "predictors", "missing answers", "prior", "parameters", "covered, mean %", "each %",
                      "refused", "no interval", "as wanted"], rows))
    report.close()
