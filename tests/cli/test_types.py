"""What each column of a table is: guessed as a hand wrote it down, and used by every command."""
import csv
import fnmatch
import os
import pathlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
MESSY = sorted((ROOT / "tests/data/messy").iterdir())
SHARED = pathlib.Path(os.environ.get("SCANT_SHARED_DATA", ROOT.parent / "shared/data"))
# label column, options, and the kinds that count for what a file is there for
KINDS = {
    "customers_latin1.csv": {"Kunde": "identifier", "Umsatz": "number", "Größe": "number", "Besuche": "count"},
    "leaves_utf16be.csv": {"Id": "identifier", "Länge": "number", "Breite": "number"},
    "ledger_us.csv": {"date": "date", "account": "identifier", "amount, USD": "number", "share": "number", "count": "count"},
    "names_with_commas.csv": {"size, cm": "number", 'weight, "net"': "number", "zip": "category", "growth, %": "number"},
    "payments.csv": {"when": "date", "user_id": "identifier", "amount": "number", "channel": "category"},
    "people_utf16.tsv": {"id": "identifier", "Weight": "number", "City": "category"},
    "prices_de.csv": {"Nr": "identifier", "Preis": "number", "Rabatt": "number", "Größe": "number", "Farbe": "category"},
    "reviews.csv": {"id": "identifier", "review": "text"},
    "runs_utf16.csv": {"run": "identifier", "load, N": "count", "load, N_2": "number", "state": "category"},
    "sensors_latin1.csv": {"temp": "number", "temp_2": "number", "Gerät": "category"},
    "towns_de.csv": {"Datum": "date", "Einwohner": "count", "Anteil": "number"},
    "twice_named.csv": {"unnamed_1": "identifier", "value": "number", "value_2": "number", "unit": "constant", "flag": "0/1"},
}
LABEL = {"people_utf16.tsv": "label", "ledger_us.csv": "class", "payments.csv": "fraud", "reviews.csv": "sentiment",
         "names_with_commas.csv": "outcome", "runs_utf16.csv": "result"}


def kinds_of(scant, path, *args):
    return {c["name"]: c for c in scant("check", path, "--all", "--json", "-q", *args).json()["columns"]}


def test_twelve_messy_files_are_there():
    assert {path.name for path in MESSY} == set(KINDS) and len(MESSY) == 12


@pytest.mark.parametrize("path", MESSY, ids=lambda path: path.name)
def test_a_messy_file_goes_all_the_way(scant, tmp_path, path):
    label, model, out = LABEL.get(path.name, "y"), tmp_path / "m.json", tmp_path / "p.csv"
    columns = kinds_of(scant, path, "--label", label)
    assert {name: columns[name]["type"] for name in KINDS[path.name]} == KINDS[path.name]
    scant("fit", path, "--label", label, "-o", model, ok=(0, 4))
    scant("predict", model, path, "-o", out)
    with out.open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 60
    for row in table:
        assert abs(sum(float(p) for name, p in row.items() if name.startswith("p_")) - 1) < 1e-9
    assert scant("evaluate", model, path, "--label", label, "--json").json()["accuracy"] > 0.8
    scant("report", model, path, "--label", label, "-o", tmp_path / "r.html")


@pytest.mark.parametrize("path", MESSY, ids=lambda path: path.name)
def test_a_messy_file_is_trained_on(scant, tmp_path, path):
    label, model = LABEL.get(path.name, "y"), tmp_path / "m.json"
    command = scant("check", path, "--label", label, "--json").json()["command"]
    assert command.startswith("scant train ") and f"--label {label}" in command
    scant("train", path, "--label", label, "-o", model, ok=(0, 4))
    scant("predict", model, path, "-o", tmp_path / "p.csv")
    assert scant("evaluate", model, path, "--label", label, "--json").json()["accuracy"] > 0.8
    scant("report", model, path, "--label", label, "-o", tmp_path / "r.html")


def test_guesses_against_a_table_written_by_hand(scant):
    if not (SHARED / "iris/iris.csv").exists():
        pytest.skip("../shared/data is not there")
    rules, share = {}, []
    with (ROOT / "tests/data/types.csv").open() as file:
        for row in csv.DictReader(file):
            rules.setdefault(row["table"], []).append((row["column"], row["kind"]))
    for table, known in rules.items():
        right = []
        for name, column in kinds_of(scant, SHARED / table).items():
            wanted = next((kind for pattern, kind in known if fnmatch.fnmatchcase(name, pattern)), "?")
            right += [column["type"] == wanted] if wanted != "?" else []
        if right:
            share.append(np.mean(right))
    assert len(share) >= 45 and np.mean(share) >= 0.95


def test_the_numbers_are_those_that_were_written(scant, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text("sep=;\na;b;c;d\n1.234,5;12,5%;(3,00);€ 7,25\n-0,5;2%;4,00;€ 1.000,00\n10;0,5 %;-1,5;€ 2,5\n")
    wanted = [[1234.5, .125, -3, 7.25], [-.5, .02, 4, 1000], [10, .005, -1.5, 2.5]]
    found = kinds_of(scant, data)
    for j, name in enumerate("abcd"):
        column = np.array(wanted)[:, j]
        assert found[name]["type"] == "number" and (found[name]["min"], found[name]["max"]) == (column.min(), column.max())
        assert found[name]["mean"] == pytest.approx(column.mean(), rel=1e-12)


@pytest.mark.parametrize("written,mean", [("1,234;5,678", 3.456), ("1,234;5,678;1.5", 2304.5)])
def test_a_comma_that_may_be_either_goes_by_the_rest(scant, tmp_path, written, mean):
    """Alone with a semicolon between cells it is taken for decimals; beside 1.5 it is between thousands."""
    data = tmp_path / "d.csv"
    data.write_text("a;b\n" + "".join(f"{cell};x{k}\n" for k, cell in enumerate(written.split(";"))))
    column = kinds_of(scant, data, "--types", "a=number:comma" if "." not in written else "b=category")["a"]
    assert column["mean"] == pytest.approx(mean, rel=1e-9)
    assert kinds_of(scant, data)["a"]["sure"] < 1 or "." in written


def test_dates_become_a_number_and_cycles(scant, tmp_path):
    data, model = tmp_path / "d.csv", tmp_path / "m.json"
    data.write_text("t,x\n" + "".join(f"2020-{1 + k % 12:02d}-{1 + k:02d} {k % 24:02d}:00,{k * k % 7 + .5}\n" for k in range(28)))
    scant("fit", data, "-o", model, ok=(0, 4))
    import json
    names = [column["name"] for column in json.loads(model.read_text())["columns"]]
    assert names == ["t", "t.week_sin", "t.week_cos", "t.day_sin", "t.day_cos", "x"]
    column = kinds_of(scant, data)["t"]
    assert column["min"] == 18262.0  # 2020-01-01 in days since 1970-01-01
    assert column["option"] == "t=date:ymd:wd"


def test_unseen_levels_are_missing_unless_strict(scant, tmp_path):
    data, new, model = (tmp_path / name for name in ("d.csv", "n.csv", "m.json"))
    data.write_text("c,y\n" + "red,a\nred,a\nblue,b\nblue,b\n" * 5)
    new.write_text("c\nred\nmauve\n")
    scant("fit", data, "--label", "y", "-o", model, ok=(0, 4))
    result = scant("predict", model, new)
    assert "1 of 2 rows have a level of 'c' that the model has never seen ('mauve')" in result.err
    assert "mauve" in scant("predict", model, new, "--strict", ok=3).err


@pytest.mark.parametrize("words, kind", [(["k.A."], "number"), (["offen"], "number"), (["klein", "grob"], "identifier")])
def test_one_word_among_numbers_means_missing(scant, tmp_path, words, kind):
    cells = [words[i // 5 % len(words)] if i % 5 == 0 else f"{i * 37 % 91},{i % 10}5" for i in range(40)]
    data = tmp_path / "d.csv"
    data.write_text("a;b\n" + "".join(f"{cell};{i % 3}\n" for i, cell in enumerate(cells)))
    assert kinds_of(scant, data)["a"]["type"] == kind


def test_missing_values_are_kept_by_the_model(scant, tmp_path):
    data, new, model = (tmp_path / name for name in ("d.csv", "n.csv", "m.json"))
    data.write_text("x,z,y\n" + "".join(f"{k % 7 - 3 if k % 5 else -999},{k * .37 % 1},{'ab'[k % 2]}\n" for k in range(40)))
    new.write_text("x,z\n-999,0.5\n,0.5\n")
    assert kinds_of(scant, data, "--missing-value", "-999")["x"]["min"] == -3
    scant("fit", data, "--label", "y", "--missing-value", "-999", "-o", model, ok=(0, 4))
    first, second = scant("predict", model, new).out.splitlines()[1:]
    assert first == second


def test_identifiers_of_the_fit_come_first(scant, tmp_path):
    data, model = tmp_path / "d.csv", tmp_path / "m.json"
    data.write_text("who,x,y\n" + "".join(f"p{k},{k * .37 % 1},{'ab'[k % 2]}\n" for k in range(40)))
    scant("fit", data, "--label", "y", "--id", "who", "-o", model, ok=(0, 4))
    lines = scant("predict", model, data).out.splitlines()
    assert lines[0].startswith("who,label,p_a") and lines[1].startswith("p0,")
    data.write_text("x\n0.5\n")
    assert scant("predict", model, data).out.startswith("label,p_a")


def test_probabilities_have_the_digits_that_are_asked_for(scant, tmp_path):
    data, model = tmp_path / "d.csv", tmp_path / "m.json"
    data.write_text("x,y\n" + "".join(f"{k * .37 % 1 + .2 * (k % 3)},{'abc'[k % 3]}\n" for k in range(90)))
    scant("fit", data, "--label", "y", "-o", model, ok=(0, 4))
    rows = {d: list(csv.DictReader(scant("predict", model, data, "--digits", d).out.splitlines())) for d in (3, 6, 17)}
    for few, exact in zip(rows[3], rows[17]):
        for name in ("p_a", "p_b", "p_c"):
            assert float(few[name]) == pytest.approx(float(exact[name]), abs=2e-3)
        assert sorted(len(few[n].lstrip("0.")) for n in ("p_a", "p_b", "p_c"))[0] <= 3
    for row in rows[6]:
        assert abs(sum(float(row[name]) for name in ("p_a", "p_b", "p_c")) - 1) < 1e-12


def test_a_long_table_is_known_by_its_header(scant, tmp_path):
    data = tmp_path / "d.csv"
    rng = np.random.default_rng(1)
    data.write_text("Task,annotator,Label\n" + "".join(
        f"t{i},w{w},{'no yes'.split()[(i % 2) ^ (rng.random() < .2)]}\n" for i in range(120) for w in range(5)))
    plain, said = (scant("audit", data, *more, "--prior", "no=0.5,yes=0.5", "--json", ok=(0, 4)) for more in ([], ["--long"]))
    assert plain.json()["predictors"] == said.json()["predictors"] and "read as a long table" in plain.err
