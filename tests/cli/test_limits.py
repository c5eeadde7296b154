"""Under a limit of memory the program ends at once, with a result or a message."""
import json
import os
import subprocess

import numpy as np
import pytest

SCANT = os.environ["SCANT"]
SECONDS = 20  # a hundred times what it takes


def run_limited(limit, *arguments, **environment):
    """The program under `ulimit`: a shell sets it, and is replaced."""
    return subprocess.run(["bash", "-c", f'ulimit {limit}; exec "$0" "$@"', SCANT, *map(str, arguments)], text=True,
                          capture_output=True, check=False, timeout=SECONDS, env={**os.environ, **environment})


@pytest.mark.parametrize("kilobytes", [5000, 20000, 60000, 80000, 100000, 120000, 150000, 200000, 400000, 1000000])
@pytest.mark.parametrize("resource", ["-v", "-d"])
@pytest.mark.parametrize("environment", [{}, {"OPENBLAS_NUM_THREADS": "2"}, {"OMP_NUM_THREADS": "2"}])
def test_it_ends(resource, kilobytes, environment):
    done = run_limited(f"{resource} {kilobytes}", "--version", **environment)
    assert (done.returncode == 0 and done.stdout.startswith("scant ")) or done.stderr


@pytest.mark.parametrize("kilobytes", [80000, 100000, 200000])
def test_a_fit_ends(tmp_path, kilobytes):
    (tmp_path / "d.csv").write_text("x,y\n" + "".join(f"{i % 7},{i * i % 11}\n" for i in range(100)))
    done = run_limited(f"-v {kilobytes}", "fit", tmp_path / "d.csv", "-k", "2", "--seed", "1", "--threads", "2",
                       "-o", tmp_path / "m.json")
    assert (done.returncode == 0 and (tmp_path / "m.json").exists()) or done.stderr


@pytest.mark.parametrize("kilobytes", [120000, 150000, 200000, 400000])
def test_large_matrices_end(tmp_path, kilobytes):
    """OpenBLAS wants 128 MB for those of 300 columns; without, the same comes out in other ways."""
    random = np.random.default_rng(1)
    np.savetxt(tmp_path / "d.csv", random.normal(size=(700, 300)), delimiter=",", fmt="%.4f",
               header=",".join(f"x{c}" for c in range(300)), comments="")
    asked = ["fit", tmp_path / "d.csv", "-k", "1", "--max-iter", "3", "--threads", "1", "-q", "--json", "-o", tmp_path / "m.json"]
    free = json.loads(subprocess.run([SCANT, *map(str, asked)], capture_output=True, text=True, check=True).stdout)
    done = run_limited(f"-v {kilobytes}", *asked)
    if done.returncode == 0:
        assert json.loads(done.stdout)["loglik"] == pytest.approx(free["loglik"], rel=1e-9)
    else:
        assert "out of memory" in done.stderr and kilobytes < 200000


def test_arguments_and_streams_survive(tmp_path):
    """The program that starts again is the one that was called."""
    plain = subprocess.run([SCANT, "no such command"], capture_output=True, text=True, check=False)
    again = run_limited("-v 1000000", "no such command")
    assert (again.returncode, again.stdout, again.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    (tmp_path / "d.csv").write_text("x\n1\n2\n4\n")
    done = subprocess.run(["bash", "-c", f'ulimit -v 1000000; exec "{SCANT}" check -'],
                          stdin=open(tmp_path / "d.csv", encoding="utf-8"), capture_output=True, text=True, check=False,
                          timeout=SECONDS)
    assert done.returncode == 0 and "3" in done.stdout
