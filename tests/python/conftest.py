"""What the tests of the Python package share: the package of this checkout over the library under test."""
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "data"
BUILD = pathlib.Path(os.environ.get("SCANT_BUILD", ROOT / "build"))
os.environ.setdefault("SCANT_LIBRARY", str(BUILD / "libscant.so"))
sys.path.insert(0, str(ROOT / "python"))

CRABS = ["FL", "RW", "CL", "CW", "BD"]


def command(*args):
    """What the program prints."""
    program = os.environ.get("SCANT", str(BUILD / "scant"))
    done = subprocess.run([program, *map(str, args)], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 4), done.stderr
    return done.stdout


def told(*args):
    """The program's JSON; null is NaN, as in arrays."""
    return json.loads(command(*args, "--json", "-q"))


@pytest.fixture(scope="session")
def crabs():
    """The frame of crabs with its measurements, species and sex."""
    pandas = pytest.importorskip("pandas")
    return pandas.read_csv(EXAMPLES / "crabs.csv")


def two_clouds(n=200, labelled=20, seed=3):
    """Rows of two overlapping Gaussians with known parameters; X, true classes, and labels with NaN for most."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 2)) + np.array([[0.0, 0.0], [3.0, 1.0]])[truth]
    y = truth.astype(float)
    y[labelled:] = np.nan
    return X, truth, y
