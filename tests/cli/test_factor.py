"""scant factor: known data, independent solvers, bad input, and that interruptions change nothing."""
import csv
import gzip
import json
import time

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, nnls

from conftest import EXAMPLES, SHARED, interrupt, start_program

AMINO = SHARED / "amino_acid_fluorescence"
needs_amino = pytest.mark.skipif(not AMINO.exists(), reason="no amino_acid_fluorescence in SCANT_SHARED_DATA")


def table(path):
    """Numbers of a factor's file, names left out."""
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    skip = rows[0][0] == "name"
    return np.array([[float(cell) for cell in row[skip:]] for row in rows[1:]])


def factors(folder, order):
    return [table(folder / f"mode-{m + 1}.csv") for m in range(order)], table(folder / "weights.csv")[:, 0]


def model(modes, weights):
    letters = "ijklm"[:len(modes)]
    return np.einsum(",".join(c + "q" for c in letters) + ",q->" + letters, *modes, weights)


def write_tns(path, x):
    with open(path, "w") as file:
        for index in np.argwhere(x):
            file.write(" ".join(str(i + 1) for i in index) + f" {float(x[tuple(index)])!r}\n")
    return path


@pytest.fixture
def made(tmp_path):
    """A tensor of rank 3, with a little noise, as .npy and .tns."""
    random = np.random.default_rng(1)
    truth = [random.random((n, 3)) for n in (12, 10, 8)]
    x = np.einsum("iq,jq,kq->ijk", *truth) + 0.01 * random.random((12, 10, 8))
    np.save(tmp_path / "x.npy", x)
    write_tns(tmp_path / "x.tns", x)
    return tmp_path, x


# --- what it reaches ---

@needs_amino
@pytest.mark.parametrize("seed", range(1, 11))
def test_amino_acids(scant, tmp_path, seed):
    result = scant("factor", AMINO / "amino_5x201x61_f64.npy", "--rank", 3, "--allow-negative", "--seed", seed,
                   "--json", "-o", tmp_path / "d").json()
    assert result["negative"] == 881 and result["stop"] == "converged"
    assert result["rssr"] <= 0.000632
    # where ten random starts of TensorLy 0.10's HALS all end on the same cells, 300 iterations each
    assert result["rssr"] == pytest.approx(0.000630921993, abs=1e-7)
    with open(AMINO / "amino_concentrations.csv") as file:
        known = np.array([[float(cell) for cell in row[1:]] for row in list(csv.reader(file))[1:]])
    samples = table(tmp_path / "d" / "mode-1.csv")
    alike = np.corrcoef(samples.T, known.T)[:3, 3:]
    rows, columns = linear_sum_assignment(-alike)
    assert alike[rows, columns].min() > 0.995


@needs_amino
def test_amino_acids_listed(scant):
    """The sparse file holds the same cells."""
    dense = scant("factor", AMINO / "amino_5x201x61_f64.npy", "--rank", 3, "--allow-negative", "--json").json()
    sparse = scant("factor", AMINO / "amino.tns.gz", "--rank", 3, "--allow-negative", "--json").json()
    assert dense["rssr"] == pytest.approx(sparse["rssr"], abs=1e-10)
    assert sparse["sparse"] and not dense["sparse"] and sparse["sizes"] == [5, 201, 61]


def test_residual_and_files(scant, made):
    folder, x = made
    result = scant("factor", folder / "x.npy", "--rank", 3, "--json", "-o", folder / "d").json()
    modes, weights = factors(folder / "d", 3)
    assert all((mode >= 0).all() for mode in modes)
    for mode in modes:
        assert np.linalg.norm(mode, axis=0) == pytest.approx(np.ones(3))
    assert (np.diff(weights) <= 0).all()
    residual = ((x - model(modes, weights)) ** 2).sum() / (x ** 2).sum()
    assert result["rssr"] == pytest.approx(residual, abs=1e-12)
    losses = [step["loss"] for step in result["trace"]]
    assert len(losses) == result["iterations"] and all(b <= a * (1 + 1e-12) for a, b in zip(losses, losses[1:]))
    assert result["trace"][-1]["kkt"] < result["trace"][0]["kkt"]


@pytest.mark.parametrize("solver", ["bpp", "active-set", "als", "mu", "hals"])
def test_solvers_meet(scant, made, solver):
    folder, _ = made
    best = scant("factor", folder / "x.npy", "--rank", 3, "--tol", 1e-12, "--json").json()["rssr"]
    found = scant("factor", folder / "x.npy", "--rank", 3, "--solver", solver, "--tol", 1e-10, "--max-iter", 20000,
                  "--json", ok=(0, 4)).json()["rssr"]
    assert found == pytest.approx(best, abs=1e-6)


def test_als_keeps_its_best(scant, tmp_path):
    """An iteration that raises the loss neither ends the fit nor counts for its result."""
    for seed in 0, 3, 5:
        x = np.random.default_rng(seed).random((6, 5, 4))
        np.save(tmp_path / "x.npy", x)
        got = scant("factor", tmp_path / "x.npy", "--rank", 3, "--solver", "als", "--json", "-o", tmp_path / "out").json()
        residuals = [step["rssr"] for step in got["trace"]]
        assert got["stop"] == "converged" and abs(residuals[-1] - residuals[-2]) < 1e-9 and max(np.diff(residuals)) > 1e-5
        assert got["rssr"] == min(residuals) < residuals[-1]
        assert np.sum((x - model(*factors(tmp_path / "out", 3))) ** 2) / np.sum(x**2) == pytest.approx(got["rssr"])


@pytest.mark.parametrize("solver", ["bpp", "active-set"])
def test_fixed_modes_are_nonnegative_least_squares(scant, tmp_path, solver):
    """With all modes but one fixed, each row is a problem that SciPy's Lawson-Hanson solves."""
    random = np.random.default_rng(3)
    known = [random.random((7, 4)), random.random((6, 4))]
    x = random.random((20, 7, 6))
    np.save(tmp_path / "x.npy", x)
    for number, factor in zip((2, 3), known):
        (tmp_path / f"f{number}.csv").write_text("a,b,c,d\n" + "\n".join(",".join(map(repr, row)) for row
                                                                        in factor.tolist()) + "\n")
    scant("factor", tmp_path / "x.npy", "--rank", 4, "--solver", solver, "-o", tmp_path / "d",
          "--fix", f"2={tmp_path / 'f2.csv'},3={tmp_path / 'f3.csv'}")
    (found, *fixed), weights = factors(tmp_path / "d", 3)
    assert (weights == 1).all() and (fixed[0] == known[0]).all() and (fixed[1] == known[1]).all()
    design = np.einsum("jq,kq->jkq", *known).reshape(42, 4)
    for row, slice_ in zip(found, x):
        assert row == pytest.approx(nnls(design, slice_.ravel())[0], abs=1e-10)


def test_missing_cells(scant, tmp_path):
    random = np.random.default_rng(5)
    truth = [random.random((n, 2)) for n in (15, 12, 9)]
    x = np.einsum("iq,jq,kq->ijk", *truth)
    hidden = random.random(x.shape) < 0.3
    np.save(tmp_path / "x.npy", np.where(hidden, np.nan, x))
    refused = scant("factor", tmp_path / "x.npy", "--rank", 2, ok=3)
    assert "missing" in refused.err and "--missing observed" in refused.err
    result = scant("factor", tmp_path / "x.npy", "--rank", 2, "--missing", "observed", "--tol", 1e-13, "--json",
                   "-o", tmp_path / "d").json()
    assert result["missing"] == hidden.sum()
    assert abs(model(*factors(tmp_path / "d", 3)) - x)[hidden].max() < 1e-3


def test_divergence_of_counts(scant, tmp_path):
    random = np.random.default_rng(7)
    truth = [random.gamma(0.5, size=(n, 2)) for n in (14, 12, 10)]
    x = random.poisson(5 * np.einsum("iq,jq,kq->ijk", *truth)).astype(float)
    write_tns(tmp_path / "x.tns", x)
    result = scant("factor", tmp_path / "x.tns", "--rank", 2, "--loss", "kl", "--json", "-o", tmp_path / "d").json()
    y = model(*factors(tmp_path / "d", 3))
    log = np.where(x > 0, x * np.log(np.where(x > 0, x, 1) / y[:14, :12, :10]), 0)
    assert result["loss"] == pytest.approx((log - x + y).sum(), rel=1e-8)


def test_matrix(scant, tmp_path):
    """Order 2 is the factorization of a matrix."""
    random = np.random.default_rng(9)
    x = random.random((30, 4)) @ random.random((4, 20))
    np.save(tmp_path / "x.npy", x)
    assert scant("factor", tmp_path / "x.npy", "--rank", 4, "--json", ok=(0, 4)).json()["rssr"] < 1e-5


# --- choosing ---

@pytest.mark.parametrize("solver", ["bpp", "active-set", "als", "mu", "hals"])
def test_units_do_not_matter(scant, tmp_path, solver):
    """A power of two times every cell, however large, leads to the same fit."""
    x = np.random.default_rng(3).random((6, 5, 4))
    found = []
    for power in (0, 90, -90):
        np.save(tmp_path / "x.npy", x * 2.0**power)
        got = scant("factor", tmp_path / "x.npy", "--rank", 2, "--solver", solver, "--json").json()
        found.append(got["rssr"])
    assert found == pytest.approx([found[0]] * 3, rel=1e-9) and found[0] < 0.2


def relations(seed, items=135, kinds=14, slices=46, ones=6529):
    """Ones between kinds of items, some kinds of relation empty: what rank 10 cannot hold dies, component by component."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, kinds, items)
    cells = []
    for r in range(slices):
        pairs = rng.integers(0, kinds, (rng.integers(0, 6), 2)) if r % 7 else []
        block = {(i, j) for a, b in pairs for i in np.flatnonzero(kind == a) for j in np.flatnonzero(kind == b)}
        cells += [(i, j, r) for i, j in block]
    rng.shuffle(cells)
    x = np.zeros((items, items, slices))
    x[tuple(np.array(cells[:ones]).T)] = 1
    return x


@pytest.mark.parametrize("loss", ["square", "kl"])
def test_components_that_die_leave_numbers(scant, tmp_path, loss):
    """The residual 0 of NaN was the best there is: two seeds of five ended "converged" with empty cells in their files."""
    x = relations(3)
    write_tns(tmp_path / "x.tns", x)
    for seed in (2, 3):
        got = scant("factor", tmp_path / "x.tns", "--rank", 10, "--solver", "mu", "--loss", loss, "--seed", seed, "--json", "-o",
                    tmp_path / "d", ok=(0, 4)).json()
        modes, weights = factors(tmp_path / "d", 3)
        assert all(np.isfinite(m).all() for m in modes) and np.isfinite(weights).all()
        counted = ((x - model(modes, weights))**2).sum() / (x**2).sum()
        assert got["rssr"] == pytest.approx(counted, rel=1e-9) and 0.4 < counted < 0.9
        trace = [step["loss"] for step in got["trace"]]
        assert all(b <= a + 1e-9 * abs(a) for a, b in zip(trace, trace[1:]))


def test_range_of_ranks_cut_short(scant, tmp_path):
    """Most of 2000 starts are not made: that the best of the others converged is not all there is to say."""
    np.save(tmp_path / "x.npy", np.random.default_rng(4).random((20, 20, 20)))
    got = scant("factor", tmp_path / "x.npy", "--rank", "1:40", "--starts", 50, "--time-limit", 0.5, "--json", ok=4)
    assert "ranks were cut short at " in got.err and len(got.json()["ranks"]) < 40


def test_range_of_ranks(scant, made):
    folder, _ = made
    result = scant("factor", folder / "x.npy", "--rank", "1:5", "--json").json()
    assert [one["rank"] for one in result["ranks"]] == [1, 2, 3, 4, 5]
    assert result["ranks"][0]["starts"] == 3 and result["rank"] == result["best_rank"]
    residuals = [one["rssr"] for one in result["ranks"]]
    assert residuals[2] < 0.01 * residuals[1] < 0.01 * residuals[0] and max(residuals[3:]) < 1.01 * residuals[2]
    assert result["best_rank"] == 3
    text = scant("factor", folder / "x.npy", "--rank", "1:5").out
    assert "core" in text and "stability" in text and "\n*" in text


def test_names_and_top(scant):
    names = [EXAMPLES / f"purchases_{what}.txt" for what in ("people", "goods", "days")]
    args = ["factor", EXAMPLES / "purchases.tns", "--rank", 2, "--top", 2, "--starts", 4,
            "--names", ",".join(map(str, names))]
    text = scant(*args).out
    assert "bread" in text and "Sat" in text and "stability" in text
    result = scant(*args, "--json").json()
    first = result["components"][0]
    assert first["modes"][1][0]["name"] == "bread" and len(first["modes"][0]) == 2
    assert first["stability"] > 0.99 and len(result["all_starts"]) == 4


def test_stability_is_of_the_component_beside_it(scant, tmp_path):
    """One cell far above noise is found by every start; what else there is differs."""
    x = np.random.default_rng(3).random((8, 7, 6))
    x[0, 0, 0] += 50
    np.save(tmp_path / "x.npy", x)
    for seed in 1, 2, 3:
        result = scant("factor", tmp_path / "x.npy", "--rank", 4, "--starts", 3, "--seed", seed, "--top", 1,
                       "--json").json()
        stability = [one["stability"] for one in result["components"]]
        assert stability[0] > 0.999 > 0.99 > min(stability[1:])
        assert np.mean(stability) == pytest.approx(result["stability"])


@pytest.mark.skipif(not (SHARED / "enron_tensor").exists(), reason="no enron_tensor in SCANT_SHARED_DATA")
def test_enron(scant):
    folder = SHARED / "enron_tensor"
    people = f"{folder / 'enron_modes.csv'}:title"
    result = scant("factor", folder / "enron_156x156x44.tns", "--rank", 5, "--top", 5, "--json", "--names",
                   f"{people},{people},-", ok=(0, 4)).json()
    assert result["sizes"] == [156, 156, 44] and result["rssr"] < 0.8
    names = {entry["name"] for one in result["components"] for entry in one["modes"][0]}
    assert any("Trad" in name or "VP" in name or "Legal" in name for name in names), names


@pytest.mark.skipif(not (SHARED / "contingency_tensors").exists(), reason="no contingency_tensors")
def test_contingency(scant, tmp_path):
    """The long tables with names: one component is independence, whose fit is known in closed form."""
    with open(SHARED / "contingency_tensors" / "titanic.csv") as file:
        rows = list(csv.DictReader(file))
    modes = ["Class", "Sex", "Age", "Survived"]
    levels = [sorted({row[m] for row in rows}) for m in modes]
    x = np.zeros([len(one) for one in levels])
    for row in rows:
        x[tuple(one.index(row[m]) for m, one in zip(modes, levels))] = float(row["Freq"])
    write_tns(tmp_path / "t.tns", x)
    files = []
    for m, one in zip(modes, levels):
        files.append(tmp_path / m)
        files[-1].write_text("\n".join(one) + "\n")
    result = scant("factor", tmp_path / "t.tns", "--rank", 1, "--loss", "kl", "--tol", 1e-14, "--top", 1, "--json",
                   "-o", tmp_path / "d", "--names", ",".join(map(str, files))).json()
    margins = [x.sum(axis=tuple(k for k in range(4) if k != m)) for m in range(4)]
    independent = np.einsum("i,j,k,l->ijkl", *margins) / x.sum() ** 3
    assert model(*factors(tmp_path / "d", 4)) == pytest.approx(independent, rel=1e-6)
    tops = [mode[0]["name"] for mode in result["components"][0]["modes"]]
    assert tops == ["Crew", "Male", "Adult", "No"]


# --- the same bytes ---

@pytest.mark.parametrize("extra", [[], ["--loss", "kl"], ["--missing", "observed"], ["--init", "nndsvd"]])
def test_threads_change_nothing(scant, tmp_path, extra):
    random = np.random.default_rng(11)
    x = random.random((60, 70, 80)) * (random.random((60, 70, 80)) < 0.3)
    np.save(tmp_path / "x.npy", x)
    texts, results = set(), []
    for threads in (1, 2, 5):
        out = scant("factor", tmp_path / "x.npy", "--rank", 4, "--max-iter", 5, "--threads", threads, "--json", "-o",
                    tmp_path / "d", *extra, ok=4).json()
        for step in out["trace"]:
            step.pop("seconds")
        out.pop("seconds")
        results.append(out)
        texts.add("".join((tmp_path / "d" / f"mode-{m}.csv").read_text() for m in (1, 2, 3)))
    assert len(texts) == 1 and all(one == results[0] for one in results)


def test_start_goes_on(scant, made):
    folder, _ = made
    begun = scant("factor", folder / "x.npy", "--rank", 3, "--max-iter", 5, "-o", folder / "d", "--json", ok=4).json()
    on = scant("factor", folder / "x.npy", "--rank", 3, "--start", folder / "d", "--json").json()
    assert on["trace"][0]["rssr"] < begun["rssr"]


def test_interrupt_and_resume(scant, tmp_path):
    random = np.random.default_rng(13)
    np.save(tmp_path / "x.npy", random.random((40, 45, 50)))
    common = ["factor", tmp_path / "x.npy", "--rank", 8, "--starts", 2, "--tol", 0, "--max-iter", 400, "--json",
              "--threads", 1]
    whole = scant(*common, "-o", tmp_path / "whole", ok=4).json()
    process = start_program(*common, "-o", tmp_path / "part", "--checkpoint", tmp_path / "c.json",
                            "--checkpoint-every", 0)
    for _ in range(400):
        time.sleep(0.02)
        if (tmp_path / "c.json").exists():
            break
    stopped = interrupt(process)
    assert stopped.code == 4 and stopped.json()["stop"] in ("interrupted", "iterations")
    assert (tmp_path / "part" / "mode-1.csv").exists()
    resumed = scant(*common, "-o", tmp_path / "part", "--checkpoint", tmp_path / "c.json", "--resume", ok=4).json()
    assert [step["loss"] for step in resumed["trace"]] == [step["loss"] for step in whole["trace"]]
    for m in (1, 2, 3):
        assert (tmp_path / "part" / f"mode-{m}.csv").read_text() == (tmp_path / "whole" / f"mode-{m}.csv").read_text()
    refused = scant(*common[:3], 7, *common[4:], "--checkpoint", tmp_path / "c.json", "--resume", ok=3)
    assert "a fit with other data or settings" in refused.err


def test_time_limit(scant, tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(15).random((60, 60, 60)))
    result = scant("factor", tmp_path / "x.npy", "--rank", 5, "--tol", 0, "--max-iter", 1000000, "--time-limit", 0.3,
                   "--json", ok=4).json()
    assert result["stop"] == "time" and result["iterations"] >= 1


# --- bad input ---

BAD = {
    "negative": ("1 1 1\n2 3 -0.5\n", "2 3 is -0.5"),
    "squares overflow": ("1 1 1\n2 2 1e200\n", "2 2, is 1e+200; it must be from 1e-100 to 1e+100"),
    "squares vanish": ("1 1 1e-200\n2 2 3e-200\n", "2 2, is 3e-200"),
    "index 0": ("1 0 1\n", "index is 1 or more"),
    "beyond": ("1 4294967296 1\n", "less than 2^32"),
    "nan": ("1 1 1\n2 2 nan\n", "2 2 is missing"),
    "inf": ("1 1 inf\n", "not a finite number"),
    "text": ("1 1 x\n", "not a finite number"),
    "few indices": ("1 1 1 2\n1 1 2\n", "t.tns:2"),
    "zeros": ("1 1 0\n2 2 0\n", "nothing to factor"),
    "list": ("1 5\n2 6\n", "order 1"),
    "empty": ("", "no entry"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tensor(scant, tmp_path, name):
    text, why = BAD[name]
    (tmp_path / "t.tns").write_text(text)
    result = scant("factor", tmp_path / "t.tns", "--rank", 1, "-o", tmp_path / "d", ok=3)
    assert why in result.err and result.out == "" and not (tmp_path / "d").exists()


def test_duplicates_are_added_up_and_told(scant, tmp_path):
    (tmp_path / "t.tns").write_text("1 1 2\n2 2 3\n1 1 4\n")
    (tmp_path / "s.tns").write_text("1 1 6\n2 2 3\n")
    twice = scant("factor", tmp_path / "t.tns", "--rank", 2, "--json")
    assert "more than once" in twice.err
    assert twice.json()["rssr"] == scant("factor", tmp_path / "s.tns", "--rank", 2, "--json").json()["rssr"]


def test_rank_too_large(scant, made):
    folder, _ = made
    assert "more than any tensor of these sizes needs (80)" in scant("factor", folder / "x.npy", "--rank", 81, ok=3).err


def test_empty_slices_have_zero_rows(scant, tmp_path):
    (tmp_path / "t.tns").write_text("1 1 1 2\n1 2 2 1\n4 1 2 3\n")
    for extra in ([], ["--loss", "kl"], ["--missing", "observed"]):
        scant("factor", tmp_path / "t.tns", "--rank", 2, "-o", tmp_path / "d", *extra, ok=(0, 4))
        mode = table(tmp_path / "d" / "mode-1.csv")
        assert mode.shape == (4, 2) and (mode[1:3] == 0).all() and mode[0].any()


@pytest.mark.parametrize("args, code, why", [
    (["--rank", "0"], 2, "'0'"), (["--rank", "3:2"], 2, "'3:2'"), ([], 2, "--rank R is needed"),
    (["--rank", "2", "--l1", "1,2"], 2, "2 numbers for 3 modes"), (["--rank", "2", "--l2", "x"], 2, "'x'"),
    (["--rank", "2", "--fix", "9=a.csv"], 2, "from 1 to 3"), (["--rank", "2", "--fix", "1=absent.csv"], 3, "absent"),
    (["--rank", "2", "--names", "a"], 2, "1 files for 3 modes"), (["--rank", "2", "--resume"], 2, "--checkpoint"),
    (["--rank", "2", "--names", "absent,-,-"], 3, "absent"), (["--rank", "2", "--start", "absent"], 3, "absent"),
    (["--rank", "1:2", "--start", "d"], 2, "single rank"), (["--rank", "2", "--loss", "kl", "--l2", "1"], 2, "--l2"),
    (["--rank", "2", "--loss", "kl", "--solver", "als"], 2, "als")])
def test_bad_options(scant, made, args, code, why):
    folder, _ = made
    assert why in scant("factor", folder / "x.npy", *args, ok=code, cwd=folder).err


def test_gzip_and_output(scant, made):
    folder, _ = made
    with gzip.open(folder / "x.tns.gz", "wt") as file:
        file.write((folder / "x.tns").read_text())
    first = scant("factor", folder / "x.tns.gz", "--rank", 3, "--json").json()
    assert first["rssr"] == scant("factor", folder / "x.tns", "--rank", 3, "--json").json()["rssr"]
    (folder / "file").write_text("")
    assert scant("factor", folder / "x.tns", "--rank", 3, "-o", folder / "file" / "d", ok=1).out == ""
    assert json.loads(scant("factor", folder / "x.tns", "--rank", 3, "--json").out)["seed"] == 1


def test_modes_of_an_earlier_tensor_go(scant, made, tmp_path):
    folder, _ = made
    scant("factor", folder / "x.tns", "--rank", 2, "-o", tmp_path / "d")
    (tmp_path / "y.tns").write_text("1 1 1\n1 2 2\n2 1 3\n2 2 1\n")
    scant("factor", tmp_path / "y.tns", "--rank", 2, "-o", tmp_path / "d")
    assert sorted(p.name for p in (tmp_path / "d").iterdir()) == ["mode-1.csv", "mode-2.csv", "weights.csv"]
