"""The report and its figures, from the numbers that the parts left."""
import json
import os

import numpy

import planning
from drawn import PROBLEMS, TIMES
from common import report

AT = planning.CURVE.index(planning.ASKED)  # of a curve's sizes, the one that is asked for


def load(here, part):
    with open(os.path.join(here, f"{part}.json"), encoding="utf-8") as file:
        return json.load(file)


def contours(axes, grid, column, title, log=False):
    """One panel of figure 21: n across, lambda upwards."""
    sizes, shares = sorted(set(grid[:, 0])), sorted(set(grid[:, 1]))
    z = numpy.full((len(shares), len(sizes)), numpy.nan)
    for row in grid:
        z[shares.index(row[1]), sizes.index(row[0])] = row[column]
    drawn = axes.contourf(sizes, shares, numpy.log(z) if log else z, 12, cmap="viridis")
    axes.set(title=title, xlabel="n", ylabel="labelled share", xscale="log")
    axes.figure.colorbar(drawn, ax=axes)


def figure_21(here, sets):
    figure, axes = report.plot(len(sets), 3)
    for line, of in zip(axes, sets):
        grid = numpy.array(of["real"]["grid"])
        contours(line[0], grid, 2, f"{of['what']}: error")
        contours(line[1], grid, 4, "log mse of the parameters", log=True)
        contours(line[2], grid, 5, "log trace of the asymptotic variance", log=True)
    report.save(figure, os.path.join(here, "figure-21.svg"))


def figure_22(here, found):
    figure, axes = report.plot(1, 3)
    left, middle, right = axes[0]
    of = found["multinomials"]
    drawn = left.contourf(of["sizes"], of["shares"], numpy.log(of["trace"]), 12, cmap="viridis")
    left.set(title="log trace, two multinomials of 1000 words", xlabel="n", ylabel="labelled share", xscale="log")
    figure.colorbar(drawn, ax=left)
    news = found["sets"][0]
    ratios = [[r for r in line if not numpy.isnan(r)] for line in numpy.array(news["ratios"], float)[:, :, 1]]
    middle.boxplot(ratios, labels=[str(p) for p in news["pilots"]])
    middle.set(title=f"plug-in trace over that of all labels, {news['what']}", xlabel="labels of the pilot")
    grid = numpy.array(news["real"]["grid"])
    cost, error = grid[:, 0] * grid[:, 1], grid[:, 2]
    order = cost.argsort()
    front = numpy.minimum.accumulate(error[order])
    right.fill_between(cost[order], 0, front, step="post", color="0.85")
    right.scatter(cost, error, s=12)
    right.set(title=f"achievable, {news['what']}", xlabel="labels", ylabel="error", xscale="log", ylim=(0, None))
    report.save(figure, os.path.join(here, "figure-22.svg"))


def settled(of, chart):
    """The least pilot from which on every repetition is within a tenth of the full value."""
    ratios = numpy.array(of["ratios"], float)[:, :, chart]
    good = [bool((numpy.abs(line[~numpy.isnan(line)] - 1) < 0.1).all()) for line in ratios]
    from_here = [pilot for i, pilot in enumerate(of["pilots"]) if all(good[i:])]
    return str(from_here[0]) if from_here else f"above {of['pilots'][-1]}"


def text_tables(out, found):
    out.say("## Figure 21: asymptotic variance beside measured errors\n")
    out.say(f"Multinomial naive Bayes of two classes over the {found['words']} words that tell most about the class (mutual "
            "information with presence, over all documents); documents without any of them are left out. So the "
            "information is worked out whole, with a reduced vocabulary. For each number of documents n and share of labels a "
            "model is fitted to a random part (labelled and unlabelled rows together) and measured on the rest. Trace: variances of all "
            "probabilities, tr Sigma^-1 with the factor 1 / n, at the parameters from all documents and labels. `Drawn` are "
            "documents of the same lengths drawn from that model: there it is right.\n")
    out.say(report.table(
        ["set", "documents", "rank correlation of error and trace (wanted: above 0.9)", "of mse and trace",
         "error and trace, drawn", "mse and trace, drawn"],
        [[f"{of['name']}: {of['what']}", of["documents"], f"**{of['real']['error_rank']:.3f}**",
          f"{of['real']['mse_rank']:.2f}", f"{of['drawn']['error_rank']:.2f}", f"{of['drawn']['mse_rank']:.2f}"]
         for of in found["sets"]]))
    out.say("![figure 21](figure-21.svg)\n")
    lines = []
    for of in found["sets"]:
        grid = numpy.array(of["real"]["grid"])
        most = grid[:, 0].max()
        ends = {share: error for n, share, error in grid[:, :3] if n == most}
        lines.append([of["what"], int(most), *(f"{100 * ends[share]:.1f}" for share in sorted(ends))])
    out.say("Held-out error in per cent at the largest n, by the share of labels: where fewer labels are much worse although the rest of the "
            "documents is there, unlabelled documents pull the fit away from the classes. That is bias, of which a variance knows "
            "nothing, and where the rank correlation fails it fails by it.\n")
    out.say(report.table(["set", "n", "0.1", "0.2", "0.4", "0.7", "1"], lines))
    out.say("The library's trace beside a second implementation, in NumPy, of one small fit each: " + "; ".join(
        f"{of['library']:.10g} and {of['here']:.10g}" for of in found["sets"]) + ".\n")
    out.say("## Figure 22: two stages\n")
    out.say("The plug-in trace of a pilot (r labelled, the others unlabelled) over that of all labels, for a plan that labels half. "
            "The paper: very accurate from r = 1000, almost perfect from 1300 (20 newsgroups, 2000 documents). Within 10 % in all "
            "repetitions from the pilot on that is given; in the probabilities, and in their log ratios (the library's "
            "coordinates), where rare words count as much as frequent ones.\n")
    out.say(report.table(
        ["set", "documents", "paper", "probabilities", "log ratios", "median and range of the ratio at r = 100, log ratios",
         "at the largest r"],
        [[f"{of['name']}: {of['what']}", of["staged_rows"], "1000", settled(of, 0), settled(of, 1),
          around(of, of["pilots"].index(100)), around(of, len(of["pilots"]) - 1)] for of in found["sets"]]))
    out.say("![figure 22](figure-22.svg)\n")


def vocabulary_tables(out, found):
    out.say("## Figure 21 with other vocabularies\n")
    out.say("The same grid and words by the same rule, but more of them, and Reuters with all its classes; fits by a plain EM in NumPy with a "
            "pseudo-count of 1, so that rare words can be had. Rank correlations with the trace of the asymptotic variance; "
            "the error in per cent over the grid, least to largest.\n")
    out.say(report.table(["set", "words", "documents", "error and trace (wanted: above 0.9)", "mse and trace", "error"], [
        [f"{of['name']}: {of['what']}", one["words"], one["documents"], f"**{one['error_rank']:.3f}**",
         f"{one['mse_rank']:.2f}", "{:.1f} to {:.1f}".format(*(100 * edge(cell[2] for cell in one["cells"])
                                                             for edge in (min, max)))]
        for of in found["sets"] for one in of["found"]]))


def shown(value):
    return "-" if value is None else f"{value:.2f}"


def pairs_tables(out, found):
    """Every pair, and how many of them are where they should be."""
    pairs = by_set(found["pairs"])
    settings = list(pairs[0]["found"])
    out.say("## Figure 21 for all pairs of classes\n")
    out.say("Every pair of Reuters' classes that leaves 400 documents to a fit and 30 % to hold out, and seven pairs of 20 newsgroups "
            "(the first, and six drawn); 200 words unless told. *Weighed*: all counts are multiplied by one factor a set, the one at "
            "which a classifier of half of the labelled documents is as sure of the others as it is right (least log loss). It looks at labels, "
            "not at the grid. Common length: every document is scaled to the mean length. Rank correlations of held-out error and trace.\n")
    out.say(report.table(["pairs", "setting", "median", "least to largest", "above 0.9", "median of mse and trace",
                          "median of odd and even repetitions' errors"],
                         [[f"{group} ({len(of)})", setting, *summary(of, setting)]
                          for group, of in groups_of(pairs).items() for setting in settings]))
    out.say("One by one; in brackets the correlation of the errors of odd and of even repetitions, which says how much of the errors' order is chance:\n")
    out.say(report.table(["pair", "documents", "error, weighed counts", *settings], [
        [pair["what"], pair["documents"],
         "{:.1f} to {:.1f} %".format(*(100 * edge(cell[2] for cell in pair["found"]["counts, weighed"]["cells"])
                                       for edge in (min, max))),
         *(f"{shown(of['error_rank'])} ({shown(of['halves'])})" for of in pair["found"].values())]
        for pair in pairs]))


def often_tables(out, found):
    """Chosen settings with errors that chance has less of a part in."""
    settings = list(found["whole"]["found"])
    out.say("Weighed counts of 200 words once more, with more repetitions a cell; in the second setting documents without a label are weighed, "
            "too, by one of six weights a set: the one with which fits to 400 documents (800 of all classes), a fifth of them labelled, foretell the labels of the "
            "others best (log loss). The variance is then the sandwich. Error and trace (wanted: above 0.9), mse and trace, "
            "and in brackets odd and even repetitions' errors:\n")
    rows = [*by_set(found["pairs"]), found["whole"]]
    out.say(report.table(["documents", *(f"{setting}: {what}" for setting in settings for what in ("error", "mse")), "weight"], [
        [pair["what"], *(cell for of in pair["found"].values() for cell in
                         (f"**{shown(of['error_rank'])}** ({shown(of['halves'])})", shown(of["mse_rank"]))),
         f"{pair['found'][settings[-1]]['weight']:g}"] for pair in rows]))
    out.say(report.table(["pairs", "setting", "median", "least to largest", "above 0.9", "median of mse and trace",
                          "median of odd and even repetitions' errors"],
                         [[f"{group} ({len(of)})", setting, *summary(of, setting)]
                          for group, of in groups_of(found["pairs"]).items() for setting in settings]))


def by_set(pairs):
    return sorted(pairs, key=lambda pair: (pair["name"], "earn" in pair["what"]))


def groups_of(pairs):
    return {"Reuters, without earn": [p for p in pairs if p["name"] == "reuters_r8" and "earn" not in p["what"]],
            "Reuters, with earn": [p for p in pairs if p["name"] == "reuters_r8" and "earn" in p["what"]],
            "20 newsgroups": [p for p in pairs if p["name"] == "news20_bydate"]}


def summary(of, setting):
    """Of one setting over pairs; errors that never change have no order."""
    here = [pair["found"][setting] for pair in of]
    errors, squares, halves = ([one[name] for one in here if one[name] is not None]
                               for name in ("error_rank", "mse_rank", "halves"))
    return (f"**{numpy.median(errors):.2f}**", f"{min(errors):.2f} to {max(errors):.2f}",
            f"{sum(e > 0.9 for e in errors)} of {len(here)}", f"{numpy.median(squares):.2f}", f"{numpy.median(halves):.2f}")


def around(of, at):
    line = numpy.array(of["ratios"], float)[at, :, 1]
    line = line[~numpy.isnan(line)]
    return f"{numpy.median(line):.3f} ({line.min():.3f} to {line.max():.3f})"


def show(ratio):
    low, high = numpy.percentile(ratio, [5, 95], method="nearest")
    return f"{numpy.median(ratio):.2f}", f"{low:.2f} to {high:.2f}".replace("inf", "out of reach")


def ratios(problem, at, name="labels"):
    """Labels over the right number, pilot by pilot, for one of the targets."""
    right = TIMES[at] * problem["labels"]
    return numpy.array([numpy.inf if p[name][at] is None else p[name][at] / right for p in problem["plans"]])


def by_fifties(ratio):
    """Medians of the pilots fifty by fifty: how much the median of fifty may be off."""
    return ", ".join(f"{numpy.median(ratio[first:first + 50]):.2f}" for first in range(0, len(ratio), 50))


def held(problem, at):
    """Does the interval of labels hold the right number? A plan starts at the pilot's: there the lower end is open."""
    return (ratios(problem, at, "labels_low") <= 1) & (ratios(problem, at, "labels_high") >= 1)


def planning_tables(out, found):
    out.say("## `scant plan` on data drawn from a model\n")
    out.say("Pilots drawn from a known model; further rows come with their labels. The learning curve is measured on as many "
            "fits to other rows; targets are its errors at twice and at four times the pilot's labels, so 1 is right. Errors are the "
            "least there is plus what a rule gives away under the true model.\n")
    lines, more = [], []
    for problem in (found["problems"][name] for name in PROBLEMS if name in found["problems"]):
        plans, lost = problem["plans"], numpy.mean(problem["lost"], axis=0)
        for at, times in enumerate(TIMES):
            labels = ratios(problem, at)
            lines.append([problem["name"], len(plans), f"{problem['labels']} of {problem['rows']}", f"x {times}",
                          f"{100 * problem['targets'][at]:.2f} %", *show(labels), by_fifties(labels),
                          f"{100 * numpy.mean(numpy.abs(labels - 1) <= 0.15):.0f} %", f"{100 * held(problem, at).mean():.0f} %"])
        more.append([problem["name"], f"{100 * problem['least']:.2f}",
                     *(f"{100 * numpy.mean([p[name] for p in plans]):.2f} ({100 * numpy.std([p[name] for p in plans]):.2f})"
                       for name in ("limit", "limit_error")), f"{100 * lost[0]:.2f}",
                     *(f"{100 * numpy.mean([p[name] for p in plans]):.2f} ({100 * numpy.std([p[name] for p in plans]):.2f})"
                       for name in ("drawn_excess", "excess"))])
    out.say(report.table(["problem", "pilots", "labels of rows", "target at", "error", "labels / right: median", "5 to 95 %", "median, fifty by fifty",
                          "pilots within 15 %", "95 % interval of labels holds"], lines))
    missing = [problem.name for name, problem in PROBLEMS.items() if name not in found["problems"]]
    if missing:
        out.say(f"Set up and not measured: {'; '.join(missing)}.\n")
    out.say("What the pilots found, in per cent, mean and standard deviation:\n")
    out.say(report.table(["problem", "least error", "limit", "its standard error, as said", "true excess", "excess, by drawn pilots",
                          "by the formula alone"], more))


def choice_tables(out, found):
    out.say("A label chosen by its gain beside one by chance: error after as many labels again as the pilot has, in a pool of "
            "unlabelled rows; the difference with its standard error.\n")
    lines = []
    for problem in found["problems"]:
        which = numpy.array(problem["which"])
        gap = which[:, 0] - which[:, 1]
        lines.append([problem["name"], problem["pilot"], problem["pool"], len(which), f"{100 * which[:, 0].mean():.2f} %",
                      f"{100 * which[:, 1].mean():.2f} %",
                      f"{100 * gap.mean():+.2f} ({100 * gap.std(ddof=1) / len(gap) ** 0.5:.2f})",
                      f"{100 * (which[:, 2] - which[:, 3]).mean():+.2f}"])
    out.say(report.table(["problem", "pilot", "rows", "repetitions", "chosen", "by chance", "difference (se)",
                          "difference as foretold"], lines))


def wrong_tables(out, found):
    out.say("## `scant plan` where the model is wrong\n")
    out.say("One Gaussian a class, full covariances (satimage: the four bands of the central pixel). The target is the measured error at "
            "twice the pilot's labels, in the same rows. Labels over the right number: by the model's information, by the "
            "extrapolated learning curve (infinity: its asymptote is above the target), medians with ranges.\n")
    lines, rows = [], []
    for of in found["sets"]:
        asked = of["sizes"][AT]
        by_model = [(p["model_labels"] or numpy.inf) / asked for p in of["plans"]]
        by_curve = [(p["curve"]["factor"] / (of["target"] - p["curve"]["asymptote"])) ** (1 / p["curve"]["power"]) / asked
                    if p["curve"]["factor"] > 0 and of["target"] > p["curve"]["asymptote"] else numpy.inf
                    for p in of["plans"]]
        used = [p["method"] for p in of["plans"]]
        lines.append([of["name"], of["pilot"], of["rows"], f"{100 * of['target']:.1f} %",
                      *(f"{numpy.median(r):.2f} ({min(r):.2f} to {max(r):.2f})" for r in (by_model, by_curve)),
                      f"curve {used.count('curve')}, model {used.count('model')}",
                      *(f"{100 * numpy.mean(list(v)):.1f} %" for v in (
                          (p["curve"]["measured"] for p in of["plans"]), (p["curve"]["by_model"] for p in of["plans"]),
                          (p["curve"]["by_curve"] for p in of["plans"]), (p["error"] for p in of["plans"])))])
        gap = numpy.array([p["chosen"] for p in of["plans"]]) - numpy.array(of["errors"])[:, AT]
        rows.append([of["name"], len(gap), f"{100 * numpy.mean([p['chosen'] for p in of['plans']]):.1f} %",
                     f"{100 * of['target']:.1f} %", f"{100 * gap.mean():+.1f} ({100 * gap.std(ddof=1) / len(gap) ** 0.5:.1f})"])
    out.say(report.table(["set", "pilot", "rows", "target", "labels / right, by the model", "by the curve", "plan used",
                          "error of the pilot's largest part", "as the model foretold it", "as the curve did",
                          "error foretold for twice the labels"], lines))
    out.say("Rows by their gain and by chance, as many labels again as the pilot has:\n")
    out.say(report.table(["set", "repetitions", "chosen", "by chance", "difference (se)"], rows))


def report_of(here):
    """Of the parts that were measured."""
    out = report.Report(os.path.join(here, "README.md"))
    out.say("# What labels are worth\n")
    out.say("*Learning without labels*, chapter 4, on 20 newsgroups and Reuters, and the command that came of it. Made by "
            "`repro/without-labels/ch4/run`; all seeds are in the code. [docs/plan.md](../../../docs/plan.md) has the formulas.\n")
    for part, tables in (("text", text_tables), ("vocabulary", vocabulary_tables), ("pairs", pairs_tables),
                         ("often", often_tables), ("planning", planning_tables), ("choice", choice_tables),
                         ("wrong", wrong_tables)):
        if not os.path.exists(os.path.join(here, f"{part}.json")):
            out.say(f"(`--part {part}` has not been run.)\n")
            continue
        found = load(here, part)
        how = "--problem NAME --repetitions PILOTS" if part == "planning" else f"--repetitions {found['repetitions']}"
        out.say(f"Made by `run --part {part} {how}`.\n")
        tables(out, found)
        if part == "text":
            figure_21(here, found["sets"])
            figure_22(here, found)
    with open(os.path.join(here, "notes.md"), encoding="utf-8") as notes:
        out.say(notes.read())
    out.close()
