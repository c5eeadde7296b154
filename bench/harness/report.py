"""Tables in Markdown, and the arithmetic bound that scant's times are held against."""
import math
import statistics

GIGA = 1e9


def bound_seconds(rows, columns, components, iterations, covariance, limit):
    """Least seconds of exact EM in double precision: a product of features and coefficients in the E-step, one
    of features and responsibilities in the M-step (2 flop a multiply-add each), one exponential a row and
    component. Memory traffic is hidden behind it."""
    square = columns * (columns + 1) // 2 if covariance == "full" else columns
    features = 1 + columns + square
    flop = 4.0 * rows * components * features
    return iterations * (flop / limit["flops"] + rows * components / limit["exps"])


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def spread(series):
    if series is None:
        return "-"
    if series.failure:
        return f"failed: {series.failure}".replace("|", "/")
    times = series.seconds
    return f"{series.median():.3f} ({min(times):.3f}..{max(times):.3f})" if times else "-"


def ratio(series, reference):
    if not series or not reference or not series.seconds or not reference.seconds:
        return "-"
    return f"{series.median() / reference.median():.2f}"


def side_by_side(series, names, bounds=None, reference="scant"):
    """One row a peer; ratios are to the reference with as many threads. bounds: {threads: seconds} or None."""
    header = ["peer", "1 thread: median s (min..max)", f"ratio to {reference}", "2 threads: median s (min..max)",
              f"ratio to {reference}", "runs", "check"]
    rows = []
    for name in names:
        one, two = series.get((name, 1)), series.get((name, 2))
        best = one or two
        check = "-" if best.check is None else f"{best.check:.6f}"
        notes = {s.note for s in (one, two) if s and s.note}
        runs = "/".join(str(len(s.seconds)) for s in (one, two) if s)
        rows.append([name, spread(one), ratio(one, series.get((reference, 1))),
                     spread(two), ratio(two, series.get((reference, 2))), runs,
                     "; ".join([check, *sorted(notes)])])
    if bounds:
        cells = []
        for threads in (1, 2):
            scant = series.get(("scant", threads))
            seconds = bounds[threads]
            cells.append(f"{seconds:.3f}")
            cells.append(f"{seconds / scant.median():.2f}" if scant and scant.seconds else "-")
        rows.append(["arithmetic bound", *cells, "-", "-"])
    return table(header, rows)


def to_same_residual(series, ours, names):
    """One row a peer: how long each of ours takes to where the peer ends, and the ratio of the peer's time to that."""
    header = ["peer", "residual at its end", *(f"{name} to it, {threads} thread{'s' * (threads > 1)}: median s (min..max), ratio"
                                               for name in ours for threads in (1, 2))]
    rows = []
    for name in names:
        ends = [series[name, t] for t in (1, 2) if series.get((name, t)) and series[name, t].seconds]
        if not ends:
            continue
        row = [name, f"{ends[0].check:.6f}"]
        for mine in ours:
            for threads in (1, 2):
                one, other = series[mine, threads], series.get((name, threads))
                times = sorted(one.times_to(ends[0].check))
                if not times or other is None or not other.seconds:
                    row.append("-")
                    continue
                middle = statistics.median(times)
                if middle == math.inf:
                    row.append("never")
                    continue
                row.append(f"{middle:.3f} ({times[0]:.3f}..{times[-1]:.3f}), {other.median() / middle:.2f}")
        rows.append(row)
    return table(header, rows)


def percent(accuracies):
    """Mean and the 5th to 95th percentile, in per cent; failed tasks (None) are counted apart."""
    good = sorted(100 * value for value in accuracies if value is not None)
    failed = len(accuracies) - len(good)
    if not good:
        return "failed" if failed else "-"
    low, high = (good[round(share * (len(good) - 1))] for share in (0.05, 0.95))
    text = f"{sum(good) / len(good):.1f} ({low:.1f}..{high:.1f})"
    return f"{text}, {failed} failed" if failed else text


def few_labels(series, names, reference):
    """One row a peer: accuracies for every number of labels a class, and times."""
    kinds = sorted({labels for one in series.values() for labels, _ in one.check or ()})
    header = ["peer", *(f"{labels} labels a class: accuracy, %" for labels in kinds),
              "a fit: median s (min..max)", f"ratio to {reference}", "fits"]
    rows = []
    for name in names:
        one = series[(name, 1)]
        found = one.check or []
        cells = [percent([value for labels, value in found if labels == kind]) for kind in kinds]
        rows.append([name, *cells, spread(one), ratio(one, series[(reference, 1)]), str(len(found))])
    return table(header, rows)
