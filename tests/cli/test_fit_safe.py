"""scant fit holds unlabeled rows against held-out labels, and goes by rows and columns."""
import random

import numpy as np
import pytest

import models
from conftest import write_csv


@pytest.fixture(scope="module")
def misleading(tmp_path_factory):
    """Two classes 2 apart in u; two clusters 12 apart in v, in both classes."""
    draw = random.Random(2)
    rows = [["ab"[i % 2] if i < 24 else None, 2 * (i % 2) + draw.gauss(0, 1), 12 * draw.randrange(2) + draw.gauss(0, 1)]
            for i in range(400)]
    return write_csv(tmp_path_factory.mktemp("safe") / "d.csv", ["y", "u", "v"], rows)


def setting(path, name):
    return models.load(path)["settings"].get(name)


def test_the_labeled_rows_win(scant, misleading, tmp_path):
    line = ["fit", misleading, "--label", "y", "--unlabeled-weight", 1, "--json", "-q", "-o", tmp_path / "m.json"]
    found = scant(*line).json()
    assert any("labeled rows alone" in warning for warning in found["warnings"])
    assert found["baseline"]["hurts"] and found["baseline"]["log_loss"] < found["baseline"]["fit_log_loss"]
    assert float(setting(tmp_path / "m.json", "unlabeled-weight")) == 0
    assert models.load(tmp_path / "m.json")["baseline"]["hurts"]
    kept = scant(*line, "--keep").json()
    assert not any("labeled rows alone" in warning for warning in kept["warnings"])
    assert float(setting(tmp_path / "m.json", "unlabeled-weight")) == 1


def test_the_papers_estimator_is_there(scant, misleading, tmp_path):
    line = ["fit", misleading, "--label", "y", "--shrinkage", 0, "--unlabeled-weight", 1, "--covariance", "full", "-q", "--json"]
    assert scant(*line, "--no-baseline", "-o", tmp_path / "m.json").json()["stop"] == "converged"
    assert setting(tmp_path / "m.json", "shrinkage") is None


def test_the_form_goes_by_rows_and_columns(scant, tmp_path):
    rng = np.random.default_rng(1)
    rows = [["ab"[i % 2], *rng.normal(size=300)] for i in range(400)]
    data = write_csv(tmp_path / "wide.csv", ["y", *(f"x{c}" for c in range(300))], rows)
    found = scant("fit", data, "--label", "y", "--json", "-q").json()
    assert found["parameters"] == 2 * 600 + 1
    assert any("covariance diag was chosen" in warning for warning in found["warnings"])


def test_auto_is_no_number_of_other_options(scant, misleading):
    assert "'auto' is not a number" in scant("fit", misleading, "--smooth", "auto", ok=2).err
    assert "is not a number" in scant("fit", misleading, "--shrinkage", "-1", ok=2).err
