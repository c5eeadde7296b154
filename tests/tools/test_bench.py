"""The benchmarks' own arithmetic: bounds, scaling, ratios, order of repetitions."""
import csv
import json
import os
import subprocess
import sys

import numpy
import pytest
import scipy.stats

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))

from harness import against, few_labels, measure, report, workloads  # noqa: E402


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


def test_some_labels_are_right_and_the_rows_are_the_same(tmp_path):
    plain = workloads.gaussian(str(tmp_path / "a"), "g", 4000, 3, 4, "diag")
    semi = workloads.gaussian(str(tmp_path / "b"), "g", 4000, 3, 4, "diag", 2, 0.1)
    x, table = (numpy.load(os.path.join(folder, "x.npy")) for folder in (plain, semi))
    assert (table[:, :3] == x).all() and set(table[:, 3]) == {-1, 0, 1}
    assert (table[:, 3] >= 0).mean() == pytest.approx(0.1, abs=0.02)
    with open(os.path.join(semi, "labelled.json"), encoding="ascii") as file:
        coupling = numpy.array(json.load(file)["coupling"])
    assert (coupling > 0).sum(axis=1).tolist() == [1] * 4 and coupling.sum() == pytest.approx(1)


def test_draws_of_few_labels(tmp_path):
    random = numpy.random.default_rng(1)
    x, y = random.normal(size=(60, 2)), numpy.repeat(["a", "b"], [40, 20])
    few_labels.make_draw(str(tmp_path), x, y, 3, 0)
    tables = {}
    for name in ("train", "labelled", "test"):
        with open(tmp_path / f"{name}.csv", encoding="ascii") as file:
            tables[name] = list(csv.DictReader(file))
    assert {name: len(rows) for name, rows in tables.items()} == {"train": 30, "labelled": 6, "test": 30}
    assert sorted(row["y"] for row in tables["train"]) == [""] * 24 + ["a"] * 3 + ["b"] * 3
    assert sorted(row["y"] for row in tables["test"]) == ["a"] * 20 + ["b"] * 10
    train = numpy.array([[float(row["x1"]), float(row["x2"])] for row in tables["train"]])
    assert train.mean(axis=0) == pytest.approx(0, abs=1e-9) and train.std(axis=0) == pytest.approx(1)


def test_batches_hold_every_task_once():
    batches = few_labels.batches("f", 7, 3)
    tasks = [task for batch in batches for task in batch]
    assert len(batches) == 3 and len(set(tasks)) == len(tasks) == 7 * len(few_labels.COUNTS)
    assert all(os.path.basename(folder).startswith(f"{labels}-") for labels, folder in tasks)


def test_true_densities_are_the_best_rule():
    """Against densities computed by SciPy."""
    synthetic = few_labels.Synthetic()
    density = [scipy.stats.multivariate_normal(centre, shape @ shape.T).logpdf(synthetic.x)
               for centre, shape in zip(synthetic.centre, synthetic.shape)]
    assert synthetic.bayes() == (numpy.argmax(density, axis=0) == synthetic.y).mean()


def test_accuracies_with_failures():
    assert report.percent([0.5, None, 0.7]) == "60.0 (50.0..70.0), 1 failed"
    assert report.percent([None]) == "failed"
    assert report.percent([]) == "-"


def test_accuracies_beside_times():
    one, two = measure.Series(), measure.Series()
    one.add({"seconds": 2.0, "check": [(3, 0.5), (5, 0.75), (3, 0.7)]}, None)
    two.add({"seconds": 4.0, "check": [(3, None)]}, None)
    text = report.few_labels({("a", 1): one, ("b", 1): two}, ["a", "b"], "a")
    assert "| a | 60.0 (50.0..70.0) | 75.0 (75.0..75.0) | 2.000 (2.000..2.000) | 1.00 | 3 |" in text
    assert "| b | failed | - | 4.000 (4.000..4.000) | 2.00 | 1 |" in text


def test_pairs_take_turns_and_ratios_are_this_build_to_the_other():
    order = []

    def measured(program, arguments, threads):
        order.append(program)
        return {"mine": 3.0, "other": 2.0}[program]

    found = against.pairs("mine", "other", ["fit"], 1, 4, measured)
    assert order == ["mine", "other", "other", "mine", "mine", "other", "other", "mine"]
    line, good = against.row("full", 2, found)
    assert line == ["full", "2", "3.000", "2.000", "1.500 (1.500..1.500)", "NO"] and not good
    line, good = against.row("full", 1, [(1.05, 1.0), (1.0, 1.0), (9.0, 1.0)])
    assert line[4].startswith("1.050 ") and line[5] == "yes" and good


def test_processor_time_is_the_childs_and_failures_are_told(tmp_path):
    program = tmp_path / "scant"
    build = against.Build(str(tmp_path), str(program), "none", "--starts")
    program.write_text("#!/usr/bin/python3\nimport time\nend = time.process_time() + 0.3\nwhile time.process_time() < end:\n    pass\n")
    program.chmod(0o755)
    assert 0.3 <= against.seconds_of(build, [], 1) < 1
    program.write_text("#!/bin/sh\necho no luck >&2\nexit 2\n")
    with pytest.raises(measure.Failed, match="exit 2: no luck"):
        against.seconds_of(build, [], 1)
    with pytest.raises(measure.Failed, match="not there"):
        against.build_at(tmp_path / "absent")


def test_a_build_runs_with_its_own_library_and_names(tmp_path, monkeypatch):
    """Programs that print what they were called with, over libraries of one name."""
    (tmp_path / "lib.c").write_text("int scant_here(void) { return 0; }\n")
    (tmp_path / "main.c").write_text("""#include <stdio.h>
        int scant_here(void);
        int main(void) { return puts(NAMES) == EOF || scant_here(); }\n""")
    for name, option in (("new", "--starts"), ("old", "--restarts")):
        (tmp_path / name).mkdir()
        for command in (["-shared", "-fPIC", "lib.c", "-Wl,-soname,libscant.so.0", "-o", f"{name}/libscant.so.0"],
                        [f'-DNAMES="{option} N"', "main.c", f"{name}/libscant.so.0", "-o", f"{name}/scant"]):
            subprocess.run([os.environ.get("CC", "cc"), *command], cwd=tmp_path, check=True)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "new"))
    for name, option in (("new", "--starts"), ("old", "--restarts")):
        build = against.build_at(tmp_path / name)
        assert build.library == str((tmp_path / name / "libscant.so.0").resolve())
        assert against.spelled(build, ["fit", against.ONE_START, "-k"]) == ["fit", option, "1", "-k"]
    (tmp_path / "old" / "libscant.so.0").rename(tmp_path / "elsewhere")
    subprocess.run(["cc", "-DNAMES=\"\"", "main.c", "elsewhere", f"-Wl,-rpath,{tmp_path}/new", "-o", "old/scant"], cwd=tmp_path,
                   check=True)
    with pytest.raises(measure.Failed, match="not the library of its own build"):
        against.build_at(tmp_path / "old")


def test_other_trees_are_limited_by_their_own_option(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text("option(SCANT_AVX512 ON)\n")
    assert measure.limit_of(str(tmp_path), "avx2") == "-DSCANT_AVX512=OFF"
    with pytest.raises(measure.Failed, match="sse2"):
        measure.limit_of(str(tmp_path), "sse2")
    assert measure.limit_of(ROOT, "avx2") == "-DSCANT_KERNELS=avx2"
    (tmp_path / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={ROOT}\n")
    assert measure.source_of(str(tmp_path)) == ROOT
    with pytest.raises(measure.Failed, match="no build folder"):
        measure.source_of(str(tmp_path / "absent"))


def test_missing_cells_and_votes_are_the_share_asked_for(tmp_path):
    folder = workloads.gaussian(str(tmp_path), "g", 2000, 4, 2, "diag")
    holes = numpy.load(os.path.join(workloads.with_missing(folder, 0.1), "x.npy"))
    whole = numpy.load(os.path.join(folder, "x.npy"))
    missing = numpy.isnan(holes)
    assert (holes[~missing] == whole[~missing]).all() and not missing[:, 0].any()
    assert missing[:, 1:].mean() == pytest.approx(0.1, abs=0.02)
    folder = workloads.votes(str(tmp_path), "v", 500, 4, 3)
    answers = numpy.load(os.path.join(folder, "votes.npy"))
    with open(workloads.votes_table(folder, 0.3), encoding="ascii") as table:
        rows = list(csv.reader(table))[1:]
    cells = numpy.array(rows)
    assert (cells != "").mean() == pytest.approx(0.7, abs=0.05)
    assert all(cell in ("", f"c{answer}") for row, right in zip(rows, answers) for cell, answer in zip(row, right))
