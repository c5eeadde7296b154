"""What columns and classes cost: memory of their number, not its square, and time of its square, not its cube."""
import json

import numpy as np
import pytest

from conftest import write_csv
from test_claims import run_measured

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("covariance", ["diag", "spherical", "tied-diag", "tied-spherical"])
def test_ten_thousand_columns(tmp_path, covariance):
    data = tmp_path / "wide.csv"
    np.savetxt(data, RNG.normal(size=(20, 10000)), delimiter=",", fmt="%.3f", comments="",
               header=",".join(f"x{c}" for c in range(10000)))
    model = tmp_path / "m.json"
    code, said, _, megabytes = run_measured(["fit", data, "-k", 2, "--covariance", covariance, "--starts", 2, "-o", model])
    assert code in (0, 4), said
    assert megabytes < 300
    code, said, _, megabytes = run_measured(["predict", model, data])
    assert code == 0 and megabytes < 300, said


def test_a_thousand_classes(tmp_path):
    centers = 10 * RNG.normal(size=(1000, 2))
    rows = [[*(centers[k] + RNG.normal(size=2)), f"c{k}"] for k in range(1000) for _ in range(5)]
    data, model = write_csv(tmp_path / "d.csv", ["a", "b", "y"], rows), tmp_path / "m.json"
    code, said, seconds, _ = run_measured(["fit", data, "--label", "y", "--covariance", "tied", "-o", model])
    assert code == 0, said
    assert seconds < 5
    assert len(json.loads(model.read_text())["classes"]) == 1000
