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


# In these mclust's own fit has a component of less than d + 1 rows (1.0 of acidity's rows, 4.1 of iris's), and
# 3000 starts of ours found nothing as good without one: only the health of our fit is checked. Nor is there such a
# point off EM's path: the likelihood maximised under the constraint that every component has d + 1 rows, from those of
# 295 maxima (18 000 starts and exchanges of components) that are no worse than mclust's, comes to -235.40 for iris, where that has -234.52; for
# acidity, from 400 starts, it stays 1.5 to 4.9 below mclust.
UNHEALTHY = {("acidity", "E", g) for g in range(5, 10)} | {("iris", "EII", 9)}


def fit(scant, tmp_path, name, shape, components, bic, starts):
    """What is wrong with the fit, as a list of texts."""
    path, columns = SETS[name]
    d, faults = columns.count(",") + 1, []
    result = scant("fit", SHARED / path, "--features", columns, "-k", components, "--covariance", SHAPES[shape],
                   "--starts", starts, "--json", "-q", "-o", tmp_path / "m.json", ok=(0, 4)).json()
    theirs = (bic + degrees_of_freedom(shape, components, d) * math.log(result["rows"])) / 2
    smallest = min(models.load(tmp_path / "m.json")["training"]["component_rows"])
    if result["loglik"] < theirs - TOLERANCE and (name, shape, components) not in UNHEALTHY:
        faults.append(f"G={components}: {result['loglik']:.4f} < {theirs:.4f}")
    if smallest < d + 1:
        faults.append(f"G={components}: a component of {smallest:.2f} rows")
    return faults + [f"G={components}: {w}" for w in result["warnings"] if "floor" in w]


@pytest.mark.parametrize("name,shape", cases())
def test_as_good_as_mclust(scant, tmp_path, name, shape):
    if not REFERENCE.exists() or not (SHARED / SETS[name][0]).exists():
        pytest.skip(f"{REFERENCE} or {SETS[name][0]} is absent")
    faults = []
    for components, bic in reference(name, shape):
        # the default of ten starts does for most; the hard ones get more
        found = fit(scant, tmp_path, name, shape, components, bic, 10)
        if found:
            found = fit(scant, tmp_path, name, shape, components, bic, 200)
        faults += found
    assert not faults, "\n".join(faults)
