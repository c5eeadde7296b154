"""The benchmarks' own arithmetic: bounds, scaling, ratios, order of repetitions."""
import os
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))

from harness import measure, report, workloads  # noqa: E402


def test_bound_is_the_necessary_arithmetic():
    limit = {"flops": 1e9, "exps": 1e8}
    full = report.bound_seconds(1000, 16, 16, 20, "full", limit)
    assert full == pytest.approx(20 * (1000 * 16 * 153 * 4 / 1e9 + 1000 * 16 / 1e8))
    diag = report.bound_seconds(1000, 16, 16, 20, "diag", limit)
    assert diag == pytest.approx(20 * (1000 * 16 * 33 * 4 / 1e9 + 1000 * 16 / 1e8))


def test_a_peer_that_stops_early_is_scaled_and_said():
    series = measure.Series()
    series.add({"seconds": 3.0, "iterations": 6, "check": 1.0}, 20)
    assert series.median() == pytest.approx(10.0)
    assert "6" in series.note


def test_repetitions_are_interleaved_and_failures_stay_in_their_row():
    order = []

    def good(name):
        def run(threads):
            order.append((name, threads))
            return {"seconds": 1.0 if name == "scant" else 2.0, "check": 0.5}
        return run

    def bad(threads):
        raise measure.Failed("no luck")

    peers = [("scant", good("scant"), (1, 2)), ("other", good("other"), (1,)), ("bad", bad, (1, 2))]
    series = measure.interleave(peers, 2, (1, 2))
    assert order == [("scant", 1), ("scant", 2), ("other", 1)] * 2
    text = report.side_by_side(series, ["scant", "other", "bad"])
    assert "| other | 2.000 (2.000..2.000) | 2.00 | - | - | 2 | 0.500000 |" in text
    assert "failed: no luck" in text


def test_data_are_the_same_every_time(tmp_path):
    one = workloads.gaussian(str(tmp_path / "a"), "g", 500, 3, 2, "full")
    two = workloads.gaussian(str(tmp_path / "b"), "g", 500, 3, 2, "full")
    for name in ("x.npy", "start.json", "start.txt"):
        with open(os.path.join(one, name), "rb") as first, open(os.path.join(two, name), "rb") as second:
            assert first.read() == second.read()
