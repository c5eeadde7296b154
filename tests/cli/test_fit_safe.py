"""scant fit holds unlabeled rows against held-out labels, and goes by rows and columns."""
import random

import numpy as np
import pytest

import models
from conftest import SHARED, write_csv


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


def test_a_fit_that_is_not_what_was_measured_is_given_up(scant, tmp_path):
    """Six labels: on the folds all rows count well, with all labels EM climbs a peak that has the classes exchanged."""
    source = SHARED / "breast_cancer_wisconsin_original" / "breast_cancer_wisconsin_original.csv"
    if not source.exists():
        pytest.skip("../shared/data is not there")
    lines = [line.split(",") for line in source.read_text().splitlines()]
    rows = [line for line in lines[1:] if not set(line) & {"", "NA", "?"}]
    at = lines[0].index("Class")
    features = [c for c, name in enumerate(lines[0]) if c != at and name != "Id"]
    truth = np.array([row[at] for row in rows])
    order = np.random.default_rng(306).permutation(len(rows))
    train = order[:len(rows) // 2]
    chosen = {i for k in set(truth) for i in train[truth[train] == k][:3]}
    table = [[*(float(rows[i][c]) for c in features), truth[i] if i in chosen else None] for i in train]
    others = [[*(float(rows[i][c]) for c in features), truth[i]] for i in order[len(rows) // 2:]]
    header = [*(f"x{c}" for c in features), "y"]
    data, test = write_csv(tmp_path / "d.csv", header, table), write_csv(tmp_path / "t.csv", header, others)
    scant("fit", data, "--label", "y", "-q", "-o", tmp_path / "m.json")
    assert scant("evaluate", tmp_path / "m.json", test, "--label", "y", "-q", "--json").json()["accuracy"] > 0.9
    scant("fit", data, "--label", "y", "-q", "--unlabeled-weight", 1, "--keep", "-o", tmp_path / "m.json")
    assert scant("evaluate", tmp_path / "m.json", test, "--label", "y", "-q", "--json").json()["accuracy"] < 0.5
