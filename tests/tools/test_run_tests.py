"""The closing line of `make test` must count what ctest wrote, and nothing may fail in silence."""
import importlib.machinery
import importlib.util
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def load(path):
    loader = importlib.machinery.SourceFileLoader("run_tests", os.path.join(ROOT, path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_tests", loader))
    loader.exec_module(module)
    return module


run_tests = load("tools/run_tests")

REPORT = """<?xml version="1.0"?>
<testsuite name="x" tests="4" failures="1" disabled="1" skipped="1">
  <testcase name="a/good" status="run"/>
  <testcase name="a/bad" status="fail"><failure message=""/></testcase>
  <testcase name="a/skipped" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
  <testcase name="a/disabled" status="disabled"/>
</testsuite>
"""


def test_junit_is_counted(tmp_path):
    report = tmp_path / "tests.xml"
    report.write_text(REPORT)
    tally = run_tests.Tally()
    assert tally.add_junit("release", report) == 4
    assert (tally.passed, tally.failed, tally.skipped) == (1, 1, 2)
    assert tally.failures == ["release: a/bad"]


def test_a_stage_that_does_not_build_fails(monkeypatch):
    monkeypatch.setattr(run_tests, "build", lambda *_: False)
    tally = run_tests.Tally()
    run_tests.ctest_stage(tally, "tsan")
    assert tally.failures == ["tsan: build"]


def test_a_stage_without_tests_fails(monkeypatch, tmp_path):
    monkeypatch.setattr(run_tests, "build", lambda *_: True)
    monkeypatch.setattr(run_tests, "run", lambda *_, **__: 0)
    monkeypatch.setattr(run_tests, "ROOT", str(tmp_path))
    tally = run_tests.Tally()
    run_tests.ctest_stage(tally, "release")
    assert tally.failures == ["release: no tests ran"]


def test_fuzz_targets_are_found_by_name(tmp_path):
    for name, mode in (("fuzz_csv", 0o755), ("fuzz_csv.log", 0o644), ("other", 0o755), ("fuzz_text", 0o644)):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(mode)
    assert [name for name, _ in run_tests.fuzz_targets(str(tmp_path))] == ["fuzz_csv"]


def test_only_faults_of_libhdf5_itself_are_passed_over():
    theirs = ("    #0 0x1 in malloc (/build/fuzz_hdf5+0x2)\n    #1 0x2 in H5C_protect (/lib/libhdf5_serial.so.103+0x8)\n"
              "    #2 0x3 in read_set /src/io/hdf5.c:254\n")
    ours = "    #0 0x1 in read_set /src/io/hdf5.c:254\n    #1 0x2 in H5Dread (/lib/libhdf5_serial.so.103+0x8)\n"
    assert run_tests.within_libhdf5("fuzz_hdf5", theirs)
    assert not run_tests.within_libhdf5("fuzz_csv", theirs)
    assert not run_tests.within_libhdf5("fuzz_hdf5", ours)
    assert not run_tests.within_libhdf5("fuzz_hdf5", "no stack")
