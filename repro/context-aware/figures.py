"""Figures 2 and 5 to 11 of the paper, redrawn from the simulations."""
import os
import sys

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))
from report import plot, save  # noqa: E402

import landscape  # noqa: E402
from outcome import ALPHA, AWARE, LEVELS, SCENARIOS, SHARES  # noqa: E402

COLOUR = {"S": "black", "US": "red", "CA": "blue", "WCA": "green", "DCA": "purple", "CAE": "magenta"}
NAMES = {"D": "estimation precision D", "rate": "convergence rate r'", "ASE": "mean standard error",
         "A": "accuracy, %", "B": "class bias B"}


def path_of(number):
    return os.path.join(HERE, f"figure{number}.svg")


def draw_levels(axes, outcome, measure, shown):
    """One line an algorithm, with deviations; a star where it differs from US."""
    for k, who in enumerate(shown):
        means = numpy.array([outcome.mean(who, measure, l) for l in range(len(LEVELS))])
        spread = [outcome.spread(who, measure, l) for l in range(len(LEVELS))]
        at = numpy.array(LEVELS) + 0.015 * (k - 1)
        axes.errorbar(at, means, spread, color=COLOUR[who], marker="o", markersize=3, linewidth=1, elinewidth=0.4,
                      label=who)
        for l, mean in enumerate(means):
            if outcome.p(who, "US", measure, l) < ALPHA:
                axes.annotate("*", (at[l], mean), color=COLOUR[who], ha="center", fontsize=8)


def draw_bounds(axes, outcome, measure, bounds):
    for who in bounds:
        axes.axhline(outcome.mean(who, measure), color=COLOUR[who], linewidth=0.8, linestyle="--", label=who)


def fit_height(axes, means):
    """Deviations may be far longer than the differences between means, which are what there is to see."""
    bottom, top = axes.get_ylim()
    room = 0.5 * (max(means) - min(means)) or 0.1
    axes.set_ylim(max(0, bottom, min(means) - room), min(top, max(means) + room))


def scenarios(data, number, measure, shown):
    figure, grid = plot(2, 3)
    for axes, (name, title) in zip(grid.flat, SCENARIOS.items()):
        outcome, bounds = data[name][0], ("US",) if measure == "rate" else ("US", "S")
        apart = ("DCA",) if (name, measure) == ("three", "D") else ()  # on a scale of its own, as in the paper
        left = [who for who in shown if who not in apart]
        draw_levels(axes, outcome, measure, left)
        draw_bounds(axes, outcome, measure, bounds)
        fit_height(axes, [outcome.mean(w, measure, l) for w in left for l in range(len(LEVELS))] +
                   [outcome.mean(w, measure) for w in bounds])
        if apart:
            right = axes.twinx()
            draw_levels(right, outcome, measure, apart)
            right.set_ylim(0)
            right.set_ylabel("D of DCA")
        axes.set_title(title, fontsize=9)
        axes.set_xlabel("NE")
        axes.set_ylabel("mean squared error" if measure == "A" and name == "lines" else NAMES[measure])
    grid[0][0].legend(fontsize=7)
    save(figure, path_of(number))


def mixed(outcome):
    figure, grid = plot(1, 4, width=2.8)
    for axes, measure in zip(grid.flat, ("D", "rate", "ASE", "A")):
        shown = [w for w in ("US", "CA", "WCA", "DCA", "S") if not (measure in ("rate", "ASE") and w == "DCA")]
        for k, who in enumerate(shown):
            axes.bar(k, outcome.mean(who, measure), yerr=outcome.spread(who, measure), color=COLOUR[who], alpha=0.7,
                     error_kw={"linewidth": 0.6})
            axes.annotate(str(outcome.irregular(who)), (k, outcome.mean(who, measure)), ha="center", fontsize=7)
        axes.set_xticks(range(len(shown)), shown)
        axes.set_title(NAMES[measure], fontsize=9)
    save(figure, path_of(9))


def map_of(axes, conditions, measure, scale):
    columns = [("US", 0)] + [(w, l) for w in AWARE for l in range(len(LEVELS))] + [("S", 0)]
    values = numpy.array([[o.mean(w, measure, l) for w, l in columns] for o in conditions])
    image = axes.imshow(values, aspect="auto", **scale(values))
    axes.set_yticks(range(len(SHARES)), [f"{s:.1f}" for s in SHARES])
    axes.set_xticks([0, *(1 + 11 * k + l for k in range(3) for l in (0, 5, 9)), len(columns) - 1],
                    ["US", *(f"{w} {LEVELS[l]:g}" for w in AWARE for l in (0, 5, 9)), "S"], rotation=90, fontsize=7)
    for edge in (0.5, 11.5, 22.5, 33.5):
        axes.axvline(edge, color="white", linewidth=1)
    axes.figure.colorbar(image, ax=axes)
    axes.set_title(NAMES[measure], fontsize=9)


def wrong(conditions):
    figure, grid = plot(1, 2, width=5.5)
    for axes, measure in zip(grid.flat, ("D", "A")):
        map_of(axes, conditions, measure, lambda v: {"cmap": "viridis"})
        axes.set_ylabel("share of wrong contexts")
    save(figure, path_of(10))


def biased(conditions):
    figure, grid = plot(1, 1, width=6)
    map_of(grid[0][0], conditions, "B", lambda v: {"cmap": "RdBu_r", "vmin": -abs(v).max(), "vmax": abs(v).max()})
    grid[0][0].set_ylabel("share of the first class")
    save(figure, path_of(11))


def landscapes(seed):
    sample, mu = landscape.Sample(seed), numpy.linspace(-4, 6, 401)
    figure, grid = plot(1, 2, width=5.5, height=3.8)
    left, right = grid[0]
    shown = {"US": ("US", None), "CAE": ("CA", 0), "CA": ("CA", 0.7), "WCA": ("WCA", 0.7), "DCA": ("DCA", 0.7),
             "S": ("S", None)}
    for name, (who, negentropy) in shown.items():
        p = None if negentropy is None else sample.context(negentropy)
        r, at = sample.posterior(landscape.START, who, p), sample.fit(who, p)
        left.plot(mu, [sample.loglik(m, who, p) for m in mu], color=COLOUR[name], linewidth=1, label=name)
        left.plot(mu, [sample.bound(m, r, who, p) for m in mu], color=COLOUR[name], linewidth=0.7, linestyle="--")
        left.plot(at, sample.loglik(at, who, p), "x", color=COLOUR[name])
        first = sample.step(landscape.START, who, p)
        left.plot(first, sample.bound(first, r, who, p), "o", color=COLOUR[name], markersize=4, fillstyle="none")
    left.axvline(landscape.START, color="grey", linewidth=0.5)
    left.set_ylim(-345, -235)
    right.plot(mu, [sample.loglik(m, "US") for m in mu], color=COLOUR["US"], linewidth=1, label="US")
    for who in ("CA", "WCA"):
        for negentropy, style in ((0, "-"), (0.3, "--"), (0.7, "-."), (0.99, ":")):
            p = sample.context(negentropy)
            right.plot(mu, [sample.loglik(m, who, p) for m in mu], style, color=COLOUR[who], linewidth=1,
                       label=f"{who} {negentropy:g}")
    for axes in (left, right):
        axes.set_xlabel("mu_1")
        axes.set_ylabel("log-likelihood")
        axes.legend(fontsize=6)
    save(figure, path_of(2))


def draw(data, seed):
    scenarios(data, 5, "D", AWARE)
    scenarios(data, 6, "rate", ("CA", "WCA"))
    scenarios(data, 7, "ASE", ("CA", "WCA"))
    scenarios(data, 8, "A", AWARE)
    mixed(data["mixed"][0])
    wrong(data["wrong"])
    biased(data["biased"])
    landscapes(seed)
