"""Figures 4 to 9, redrawn: error of the estimated accuracy against what it depends on."""
import os

import numpy
from report import Report, plot, save, table

from simulation import COUNTED, ERROR, THETA, Experiment, Numbers, simulate

SIZES = (100, 200, 400, 800, 1600)
RUNS = 200


def mae(rows, truth):
    """Mean absolute error over predictors and runs (eq. 58), refused ones left out."""
    return numpy.nanmean(numpy.abs(rows[:, ERROR] - truth))


def same(k, accuracy=0.75):
    return [(accuracy, accuracy)] * k


def fisher(share, theta):
    """Information of one answer about theta, one symmetric predictor."""
    s = share * theta + (1 - share) * (1 - theta)
    return (2 * share - 1) ** 2 / (s * (1 - s))


def figure4(report, here):
    """Error against p(y) and theta, beside the Fisher information; n = 500, one predictor."""
    thetas, shares = numpy.linspace(0.52, 0.98, 15), numpy.linspace(0.55, 0.97, 15)
    experiments = [Experiment("symmetric", [(t, t)], s, n=500, runs=100, seed=400 + i)
                   for i, (t, s) in enumerate((t, s) for t in thetas for s in shares)]
    found = simulate(experiments)
    error = numpy.array([mae(f, e.error(0)) for f, e in zip(found, experiments)]).reshape(15, 15)
    information = fisher(shares[None, :], thetas[:, None])
    figure, axes = plot(1, 2)
    for axis, values, title in ((axes[0, 0], error, "mean absolute error, n = 500"),
                                (axes[0, 1], numpy.log10(information), "log10 Fisher information")):
        drawn = axis.contourf(shares, thetas, values, 12)
        figure.colorbar(drawn, ax=axis)
        axis.set(xlabel="p(y = 1)", ylabel="accuracy", title=title)
    save(figure, os.path.join(here, "figure4.svg"))
    predicted = numpy.sqrt(2 / numpy.pi / (500 * information))  # of a normal with that variance
    inner = predicted < 0.05  # where it does not reach the edge of [0, 1]
    ranks = [numpy.argsort(numpy.argsort(x[inner])) for x in (error, predicted)]
    report.say("## Figure 4: error against p(y) and accuracy\n\n![](figure4.svg)\n")
    report.say(f"Over the {inner.sum()} of 225 points where the information predicts an error below 0.05: rank "
               f"correlation of measured and predicted error {numpy.corrcoef(*ranks)[0, 1]:.3f}, ratio "
               f"{numpy.mean(error[inner] / predicted[inner]):.3f} (1 is perfect agreement, 100 runs a point).\n")


def series(report, here, name, title, curves, labels):
    """Error against n, a curve a list of (experiment for each n, how it is measured)."""
    flat = [e for curve in curves for e in curve]
    found = iter(simulate(flat))
    figure, axes = plot()
    rows = []
    for curve, label in zip(curves, labels):
        errors = [mae(next(found), e.error(0)) for e in curve]
        axes[0, 0].plot(SIZES, errors, marker="o", label=label)
        rows.append([label, *(f"{e:.4f}" for e in errors)])
    axes[0, 0].set(xlabel="n", ylabel="mean absolute error", xscale="log", yscale="log", title=title)
    axes[0, 0].legend(fontsize=7)
    save(figure, os.path.join(here, f"{name}.svg"))
    report.say(f"![]({name}.svg)\n\n" + table(["", *(f"n = {n}" for n in SIZES)], rows))


def figure5(report, here):
    report.say("## Figure 5: more predictors, less error\n\nAccuracies and p(y = 1) are 0.75, as published.\n")
    counts = (1, 2, 3, 5, 10)
    series(report, here, "figure5", "together", [
        [Experiment("symmetric", same(k), 0.75, n=n, runs=RUNS, seed=500 + k) for n in SIZES] for k in counts],
        [f"k = {k}" for k in counts])


def scatter(axis, truths, found):
    """Estimates against the truth, a line of points for each, moved a little so that they can be told apart."""
    rng = numpy.random.default_rng(6)
    for truth, rows in zip(truths, found):
        axis.plot(truth + rng.uniform(-0.02, 0.02, len(rows)), rows[:, THETA], ".", markersize=2, color="C0")
    axis.plot(truths, truths, color="black", linewidth=0.5)
    axis.set(xlabel="true theta", ylabel="estimate", title="k = 1, n = 1000")


def figure6(report, here):
    """Predictors of a number: theta found again, and the error against n for more and more of them."""
    truths, counts = [round(0.2 * t, 1) for t in range(1, 11)], (1, 2, 3, 5, 10)
    ones = simulate([Numbers(truth, seed=600 + i, runs=100) for i, truth in enumerate(truths)], "regress.c")
    grid = simulate([Numbers(1, k=k, n=n, seed=610 + k) for k in counts for n in SIZES], "regress.c")
    error = numpy.array([numpy.abs(rows[:, THETA] - 1).mean() for rows in grid]).reshape(len(counts), -1)
    figure, axes = plot(1, 2)
    scatter(axes[0, 0], truths, ones)
    for k, line in zip(counts, error):
        axes[0, 1].plot(SIZES, line, marker="o", label=f"k = {k}")
    axes[0, 1].set(xlabel="n", ylabel="mean absolute error", xscale="log", yscale="log", title="together")
    axes[0, 1].legend(fontsize=7)
    save(figure, os.path.join(here, "figure6.svg"))
    bias = [rows[:, THETA].mean() / truth - 1 for truth, rows in zip(truths, ones)]
    spread = [rows[:, THETA].std() / truth * numpy.sqrt(2000) for truth, rows in zip(truths, ones)]
    inside = numpy.mean([(rows[:, THETA + 1] <= truth) & (truth <= rows[:, THETA + 2]) for truth, rows in zip(truths, ones)])
    report.say("## Figure 6: predictors of a number\n\ny and the noise are standard normal and known to be; theta is 1 on the "
               "right, as published.\n\n![](figure6.svg)\n")
    report.say(f"Left: for theta from {truths[0]} to {truths[-1]} the mean of 100 estimates is within {100 * max(map(abs, bias)):.1f} % "
               f"of it, and their spread is {min(spread):.2f} to {max(spread):.2f} times theta / sqrt(2n), what the information "
               f"says of one predictor; 95 % intervals hold theta in {100 * inside:.1f} % of the runs. Right:\n")
    report.say(table(["", *(f"n = {n}" for n in SIZES)],
                     [[f"k = {k}", *(f"{e:.4f}" for e in line)] for k, line in zip(counts, error)]))


def figure7(report, here):
    report.say("## Figure 7: together and separately, ten predictors\n")
    series(report, here, "figure7", "k = 10", [
        [Experiment("symmetric", same(10), 0.75, n=n, runs=RUNS, seed=700, separately=apart) for n in SIZES]
        for apart in (False, True)], ["together", "separately"])


def figure8(report, here):
    """Unsupervised beside counting with labels, on the same draws."""
    report.say("## Figure 8: beside labels\n")
    counts = (1, 3, 5, 10)
    experiments = [Experiment("symmetric", same(k), 0.75, n=n, runs=RUNS, seed=800 + k) for k in counts for n in SIZES]
    found = iter(simulate(experiments))
    figure, axes = plot()
    rows = []
    for k in counts:
        pairs = [(mae(f, 0.25), numpy.mean(numpy.abs(f[:, COUNTED] - 0.25))) for f in (next(found) for _ in SIZES)]
        axes[0, 0].plot(SIZES, [p[0] for p in pairs], marker="o", label=f"no labels, k = {k}")
        rows.append([f"no labels, k = {k}", *(f"{p[0]:.4f}" for p in pairs)])
        counted = [p[1] for p in pairs]
    axes[0, 0].plot(SIZES, counted, color="black", label="labels")
    rows.append(["labels", *(f"{c:.4f}" for c in counted)])
    axes[0, 0].set(xlabel="n", ylabel="mean absolute error", xscale="log", yscale="log")
    axes[0, 0].legend(fontsize=7)
    save(figure, os.path.join(here, "figure8.svg"))
    report.say("![](figure8.svg)\n\n" + table(["", *(f"n = {n}" for n in SIZES)], rows))


def figure9(report, here):
    report.say("## Figure 9: a wrong p(y)\n\nOne predictor of accuracy 0.75; the audit is told another p(y = 1).\n")
    for name, share, told in (("figure9a", 0.8, (0.7, 0.75, 0.8, 0.85, 0.9)), ("figure9b", 0.75, (0.65, 0.7, 0.75, 0.8, 0.85))):
        series(report, here, name, f"true p(y = 1) = {share}", [
            [Experiment("symmetric", same(1), share, prior=t, n=n, runs=RUNS, seed=900) for n in SIZES] for t in told],
            [f"told {t}" for t in told])


def run(here):
    report = Report(os.path.join(here, "figures.md"))
    report.say("# Figures 4 to 9, redrawn\n\nMade by `repro/without-labels/ch2/run figures`. The paper's figures have no "
               "numbers beside them, so what is compared is what their captions claim.\n")
    for figure in (figure4, figure5, figure6, figure7, figure8, figure9):
        figure(report, here)
    report.close()
