"""Section 4.2, figures 3 and 4: information, standard errors and rates against the negentropy of contexts."""
import os
import subprocess

import numpy
from program import ENVIRONMENT, machine
from report import Report, plot, save, table

from figures import COLOUR, HERE, path_of
from outcome import LEVELS
from theory import NAMES, Limit

ROWS = 10000
ALGORITHMS = ("CA", "WCA")
CONTEXTS = ("the paper's contexts", "true contexts")
SHOWN = (0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
RATE = 6  # where it is among a fit's numbers (information.c), after three estimates and their errors


class Fits:
    """Numbers of all repetitions: contexts x repetitions x fits x numbers."""

    def __init__(self, array):
        self.array = array

    def of(self, contexts, who, level=0):
        fit = ("S", "US").index(who) if who in ("S", "US") else 2 + 2 * level + ALGORITHMS.index(who)
        return self.array[contexts, :, fit].astype(float)

    def errors(self, contexts, who, level=0):
        """Mean standard errors, and their sum."""
        mean = self.of(contexts, who, level)[:, 3:RATE].mean(axis=0)
        return numpy.append(mean, mean.sum())

    def spread(self, contexts, who, level=0):
        """Of the estimates themselves, likewise."""
        spread = self.of(contexts, who, level)[:, :3].std(axis=0, ddof=1)
        return numpy.append(spread, spread.sum())

    def rate(self, contexts, who, level=0):
        rates = self.of(contexts, who, level)[:, RATE]
        return rates.mean(), rates.std(ddof=1)


class Theory:
    """The same with infinitely many rows."""

    def __init__(self):
        self.limit = {(c, w, l): Limit(w, ne, c == 1)
                      for c in range(2) for w in ALGORITHMS for l, ne in enumerate(LEVELS)}
        for who in ("S", "US"):
            self.limit.update({(c, who, 0): Limit(who) for c in range(2)})

    def errors(self, contexts, who, level=0, sandwich=False):
        errors = self.limit[contexts, who, level].errors(ROWS, sandwich)
        return numpy.append(errors, errors.sum())

    def rate(self, contexts, who, level=0):
        return self.limit[contexts, who, level].rate()


# --- figures ---

def normalised(matrix, reference):
    """Each entry in units of the reference's; where that has none, as it is."""
    size = numpy.where(abs(reference) > 1e-9, abs(reference), 1)
    return matrix / size


def draw_matrices(theory):
    """Figure 3: I_c, I_m and J, in units of US's."""
    figure, grid = plot(6, len(LEVELS), width=0.95, height=0.95)
    reference = theory.limit[0, "US", 0].matrices()
    for block, who in enumerate(("WCA", "CA")):
        for l, ne in enumerate(LEVELS):
            limit = theory.limit[0, who, l]
            for row, (name, matrix, unit) in enumerate(zip(("I_c", "I_m", "J"), limit.matrices(), reference)):
                axes = grid[3 * block + row][l]
                axes.imshow(normalised(matrix, unit[limit.free, limit.free]), cmap="RdBu_r", vmin=-1, vmax=1)
                axes.set_xticks([])
                axes.set_yticks([])
                if l == 0:
                    axes.set_ylabel(f"{who} {name}", fontsize=7)
                if row == 0:
                    axes.set_title(f"NE {ne:g}", fontsize=7)
    save(figure, path_of(3))


def draw_one(axes, fits, theory, contexts, k):
    """One standard error (k up to 3), or the rate."""
    of_theory = theory.rate if k > 3 else lambda c, w, l=0: theory.errors(c, w, l)[k]
    for who in ALGORITHMS:
        levels = [l for l in range(len(LEVELS)) if is_told(contexts, who, l, k)]
        at = [LEVELS[l] for l in levels]
        axes.plot(at, [of_theory(contexts, who, l) for l in levels], color=COLOUR[who], linewidth=0.8)
        if k > 3:
            means, spreads = zip(*(fits.rate(contexts, who, l) for l in levels))
            axes.errorbar(at, means, spreads, fmt="o", color=COLOUR[who], markersize=3, elinewidth=0.6, label=who)
            continue
        axes.plot(at, [fits.errors(contexts, who, l)[k] for l in levels], "o", color=COLOUR[who], markersize=3, label=who)
        axes.plot(at, [fits.spread(contexts, who, l)[k] for l in levels], "x", color=COLOUR[who], markersize=4)
    for who in ("US", "S"):
        axes.axhline(of_theory(contexts, who), color=COLOUR[who], linewidth=0.8, linestyle="--", label=who)


def is_told(contexts, who, level, k):
    """With true contexts the favoured classes' shares are not the classes' own, and at NE 0 there are no true ones."""
    return not (contexts == 1 and who == "CA" and (k in (0, 3) or level == 0))


def draw_errors(fits, theory):
    """Figure 4: lines by theory, circles the mean of what fits say, crosses the spread of their estimates."""
    titles = [*(f"standard error of {name}" for name in NAMES), "their sum", "convergence rate r'"]
    figure, grid = plot(2, len(titles), width=2.9, height=2.9)
    for contexts, line in enumerate(grid):
        for k, axes in enumerate(line):
            draw_one(axes, fits, theory, contexts, k)
            axes.set_title(titles[k] if contexts == 0 else f"{titles[k]}, true contexts", fontsize=8)
            axes.set_xlabel("NE")
    grid[0][0].legend(fontsize=7)
    save(figure, path_of(4))


# --- claims ---

def falls(values):
    return sum(numpy.diff(values) < 0)


def moved(theory, contexts, who):
    """How far entries of I_c are from US's, at most, relatively; off the diagonal there are none."""
    own = theory.limit[contexts, who, 0].free
    reference = numpy.diag(theory.limit[contexts, "US", 0].complete)[own]
    return max(abs(numpy.diag(theory.limit[contexts, who, l].complete)[own] / reference - 1).max()
               for l in range(len(LEVELS)) if is_told(contexts, who, l, 1))


def claims(fits, theory):
    n, names = len(LEVELS), (*NAMES, "sum")
    error = {w: numpy.array([fits.errors(0, w, l) for l in range(n)]) for w in ALGORITHMS}
    rate = {w: numpy.array([fits.rate(0, w, l)[0] for l in range(n)]) for w in ALGORITHMS}
    limit, us, s = theory.limit, fits.errors(0, "US"), fits.errors(0, "S")
    complete = {w: moved(theory, 0, w) for w in ALGORITHMS}
    missing = {w: [abs(limit[0, w, l].matrices()[1]).max() for l in range(n)] for w in ALGORITHMS}
    rows = []

    def add(where, claim, ours, held):
        rows.append([where, claim, ours, "held" if held else "**not held**"])

    add("fig. 3", "I_c is the same at all NE", f"entries move by up to {100 * complete['WCA']:.0f} % (WCA) and "
        f"{100 * complete['CA']:.0f} % (CA), as estimates do", max(complete.values()) < 0.01)
    add("fig. 3", "I_m of WCA is that of US at NE 0", f"largest difference {abs(limit[0, 'WCA', 0].missing - limit[0, 'US', 0].missing).max():.1g}",
        numpy.allclose(limit[0, "WCA", 0].missing, limit[0, "US", 0].missing))
    for who in ALGORITHMS:
        add("fig. 3", f"I_m of {who} falls with NE and vanishes", f"largest entry falls in {falls(missing[who])} of {n - 1} "
            f"steps, from {missing[who][0]:.2f} to {missing[who][-1]:.2g}", falls(missing[who]) == n - 1
            and missing[who][-1] < 0.05 * missing[who][0])
    for who in ALGORITHMS:
        for k, name in enumerate(names):
            steps = falls(error[who][:, k])
            constant = who == "CA" and k == 0
            add("fig. 4a", f"{who}: standard error of {name} falls with NE" if k < 3 else f"{who}: the sum falls with NE",
                "that of S at all NE but 0, where no class is favoured" if constant else f"{steps} of {n - 1} steps",
                constant or steps == n - 1)
    for who in ALGORITHMS:
        add("fig. 4a", f"{who} reaches the standard errors of S", "at NE 0.99 " + ", ".join(
            f"{name} {error[who][-1, k] / s[k]:.3f}" for k, name in enumerate(names)) + " of S's",
            (abs(error[who][-1] / s - 1) < 0.01).all())
    add("fig. 4a", "WCA at NE 0 is US", f"sum {error['WCA'][0, 3]:.4f}, US {us[3]:.4f}", abs(error["WCA"][0, 3] / us[3] - 1) < 1e-3)
    for k, name in enumerate(names):
        below = int(sum(error["CA"][:, k] < error["WCA"][:, k]))
        if name == "mu_1":
            add("fig. 4a", "mu_1 is the exception: CA not below WCA", f"CA is below at {below} of {n} levels", below < n / 2)
        else:
            add("fig. 4a", f"CA below WCA for {name}, for most of the range", f"at {below} of {n} levels", below > n / 2)
    for who in ALGORITHMS:
        add("fig. 4b", f"{who}: r' rises with NE, to 1", f"{falls(-rate[who])} of {n - 1} steps, {rate[who][0]:.3f} to "
            f"{rate[who][-1]:.3f}", falls(-rate[who]) == n - 1 and rate[who][-1] > 0.99)
    faster = int(sum(rate["CA"] > rate["WCA"]))
    add("fig. 4b", "r' of CA above WCA's for most of the range", f"at {faster} of {n} levels; at NE 0 {rate['CA'][0]:.3f}, "
        f"{rate['WCA'][0]:.3f}", faster > n / 2)
    short = [f"NE {ne:g}: {rate['CA'][l]:.4f}, {rate['WCA'][l]:.4f}, by theory {theory.rate(0, 'CA', l):.4f}, "
             f"{theory.rate(0, 'WCA', l):.4f}" for l, ne in enumerate(LEVELS) if rate["CA"][l] <= rate["WCA"][l]]
    add("4.2", "and must be at every NE", "; ".join(short) or "it is", not short)
    return rows


# --- report ---

def number(value):
    return f"{value:.4f}"


def line(fits, theory, contexts, who, level):
    told = [k for k in range(3) if is_told(contexts, who, level, k)]
    said, by_theory = fits.errors(contexts, who, level), theory.errors(contexts, who, level)
    spread, sandwich = fits.spread(contexts, who, level), theory.errors(contexts, who, level, True)
    cells = [f"{number(said[k])} / {number(by_theory[k])} / {number(spread[k])} / {number(sandwich[k])}"
             if k in told else "-" for k in range(3)]
    mean, deviation = fits.rate(contexts, who, level)
    estimates = fits.of(contexts, who, level)[:, :3].mean(axis=0)
    return [who if who in ("S", "US") else f"{who} {LEVELS[level]:g}", *cells,
            f"{mean:.4f} ± {deviation:.4f} / {theory.rate(contexts, who, level):.4f}",
            ", ".join(f"{e:.3f}" if k in told else "-" for k, e in enumerate(estimates))]


def error_table(fits, theory, contexts):
    rows = [("S", 0), ("US", 0), *((w, LEVELS.index(ne)) for w in ALGORITHMS for ne in SHOWN
                                   if is_told(contexts, w, LEVELS.index(ne), 1))]
    return table(["", *NAMES, "r'", "mean estimates"], [line(fits, theory, contexts, *row) for row in rows])


def agreement(fits, theory):
    """How far the mean standard errors and rates of fits are from theory, at most."""
    cells = [(c, w, l) for c in range(2) for w in ALGORITHMS for l in range(len(LEVELS)) if is_told(c, w, l, 1)]
    # CA's share at NE 0 is a tie in every row, of which theory knows nothing
    errors = max(abs(fits.errors(*cell)[k] / theory.errors(*cell)[k] - 1) for cell in cells for k in (1, 2))
    return errors, max(abs(fits.rate(*cell)[0] - theory.rate(*cell)) for cell in cells)


def spread_ratio(fits, who, contexts):
    """Spread of the estimates of both means over their standard errors, mean over levels."""
    levels = [0] if who == "S" else [l for l in range(len(LEVELS)) if is_told(contexts, who, l, 1)]
    return numpy.mean([fits.spread(contexts, who, l)[1:3] / fits.errors(contexts, who, l)[1:3] for l in levels])


def with_true_contexts(theory):
    """Where the paper's contexts are to blame: the same claims by theory, with true ones."""
    told = {(w, k): [theory.errors(1, w, l)[k] for l in range(len(LEVELS)) if is_told(1, w, l, k)]
            for w in ALGORITHMS for k in range(3)}
    steps = [falls(values) for values in told.values() if values]
    all_steps = sum(len(values) - 1 for values in told.values() if values)
    return (f"With true contexts, by theory: I_c moves by {max(moved(theory, 1, w) for w in ALGORITHMS):.1g}, and standard errors "
            f"fall in {sum(steps)} of {all_steps} steps. What fails there with the paper's contexts fails since estimates move with "
            "NE. That r' of CA need not be the larger has another reason: its posteriors have no shares in them, so that its J is "
            "no part of WCA's, and fewer parameters do not make the radius smaller.\n")


def write(fits, theory, options):
    report = Report(os.path.join(HERE, "information.md"))
    with open(os.path.join(HERE, "information-method.md"), encoding="utf-8") as text:
        report.say(text.read())
    report.say(f"`repro/context-aware/run --information --repetitions {options.repetitions} --seed {options.seed}`, "
               f"{machine()}.\n")
    report.say("## Claims\n")
    rows = claims(fits, theory)
    report.say(f"{sum(r[-1] == 'held' for r in rows)} of {len(rows)} held.\n")
    report.say(table(["where", "paper", "ours", ""], rows))
    errors, rates = agreement(fits, theory)
    report.say(f"Fits and theory: mean standard errors of mu_1 and mu_2 differ by at most {100 * errors:.1f} %, mean rates by "
               f"{rates:.4f}.\n")
    ratios = [", ".join(f"{w} {spread_ratio(fits, w, c):.2f}" for w in ("S", *ALGORITHMS)) for c in range(2)]
    report.say(f"Spread of the estimates of both means over their standard errors, mean over levels: {ratios[1]} with true "
               f"contexts, {ratios[0]} with the paper's. {options.repetitions} repetitions tell a spread to "
               f"{100 / numpy.sqrt(2 * options.repetitions):.0f} %, and all algorithms see the same rows, so that what S is off by, "
               "whose estimates are plain means, is chance and common to all.\n")
    report.say(with_true_contexts(theory))
    report.say("Matrices of (π₁, μ₁, μ₂), for CA of (μ₁, μ₂), each entry in units of US's; red is positive:\n")
    report.say("![matrices](figure3.svg)\n\n![standard errors and rates](figure4.svg)\n")
    for contexts, title in enumerate(CONTEXTS):
        report.say(f"## With {title}\n\nStandard errors: mean of the fits' / theory / spread of the estimates / sandwich.\n")
        report.say(error_table(fits, theory, contexts))
    report.close()


def run(folder, program, options):
    path = os.path.join(folder, "information.npy")
    if not (options.redraw and os.path.exists(path)):
        subprocess.run([program, str(options.repetitions), str(options.seed), str(options.threads), path], check=True,
                       env=ENVIRONMENT)
    fits, theory = Fits(numpy.load(path)), Theory()
    draw_matrices(theory)
    draw_errors(fits, theory)
    write(fits, theory, options)
