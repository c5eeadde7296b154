"""Log-likelihoods as good as mclust's for every shape that both have, without degenerate components."""
import csv
import math

import pytest

import models
from conftest import SHARED

REFERENCE = SHARED / "reference_fits" / "mclust_bic_tables.csv"
SETS = {
    "faithful": ("faithful/faithful.csv", "eruptions,waiting"),
    "galaxies_mass": ("galaxies/galaxies.csv", "velocity_km_s"),
    "galaxies_corrected": ("galaxies/galaxies_corrected.csv", "velocity_km_s"),
    "acidity": ("acidity/acidity.csv", "log_acidity"),
    "iris": ("iris/iris.csv", "Sepal.Length,Sepal.Width,Petal.Length,Petal.Width"),
    "crabs": ("crabs/crabs.csv", "FL,RW,CL,CW,BD"),
}
SHAPES = {"E": "tied", "V": "full", "EII": "tied-spherical", "VII": "spherical", "EEI": "tied-diag",
          "VVI": "diag", "EEE": "tied", "VVV": "full"}
TOLERANCE = 1e-3


def cases():
    for name, (_, columns) in SETS.items():
        one = "," not in columns
        for shape in SHAPES:
            if (len(shape) == 1) == one:
                yield name, shape


def degrees_of_freedom(shape, components, d):
    each = {"E": 0, "V": 1, "EII": 0, "VII": 1, "EEI": 0, "VVI": d, "EEE": 0, "VVV": d * (d + 1) // 2}
    shared = {"E": 1, "EII": 1, "EEI": d, "EEE": d * (d + 1) // 2}
    return components - 1 + components * d + components * each[shape] + shared.get(shape, 0)


def reference(name, shape):
    """Components and BIC, where mclust found one."""
    with open(REFERENCE) as file:
        for row in csv.DictReader(file):
            if row["set"] == name and row["model"] == shape and row["BIC"] not in ("", "NA"):
                yield int(row["G"]), float(row["BIC"])


@pytest.mark.parametrize("name,shape", cases())
def test_as_good_as_mclust(scant, tmp_path, name, shape):
    path, columns = SETS[name]
    if not REFERENCE.exists() or not (SHARED / path).exists():
        pytest.skip(f"{REFERENCE} or {path} is absent")
    d, faults = columns.count(",") + 1, []
    for components, bic in reference(name, shape):
        result = scant("fit", SHARED / path, "--features", columns, "-k", components, "--covariance",
                       SHAPES[shape], "--json", "-q", "-o", tmp_path / "m.json", ok=(0, 4)).json()
        theirs = (bic + degrees_of_freedom(shape, components, d) * math.log(result["rows"])) / 2
        smallest = min(models.load(tmp_path / "m.json")["training"]["component_rows"])
        if result["loglik"] < theirs - TOLERANCE:
            faults.append(f"G={components}: {result['loglik']:.4f} < {theirs:.4f}")
        if smallest < d + 1 and not SHAPES[shape].startswith("tied"):  # a shared matrix cannot collapse
            faults.append(f"G={components}: a component of {smallest:.2f} rows")
        faults += [f"G={components}: {w}" for w in result["warnings"] if "floor" in w]
    assert not faults, "\n".join(faults)
