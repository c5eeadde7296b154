"""Every command's JSON, and its errors, are as the published schemas say."""
import copy
import json
import re
import subprocess
import sys

import jsonschema
import pytest

import schemas
from conftest import EXAMPLES, PROGRAM, ROOT
from test_usage import COMMANDS

CRABS, FAITHFUL = EXAMPLES / "crabs.csv", EXAMPLES / "faithful.csv"
MEASURED = ["--features", "FL,RW,CL,CW,BD"]


def test_every_command_has_a_schema(scant):
    """All that the table of commands has, but those that print text only."""
    listed = re.findall(r"^  ([a-z]+) ", scant("--help").out, flags=re.M)
    assert set(listed) - {"help", "completion"} == set(COMMANDS)
    assert {f"{name}.json" for name in [*COMMANDS, "common", "error"]} == set(schemas.documents())


def objects(schema):
    """Every object that a schema describes, whatever it stands in."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


@pytest.mark.parametrize("name", sorted(schemas.documents()))
def test_schemas_are_strict_and_told(name):
    """They are sound, take no field they do not know, and say of each what it is."""
    document = schemas.documents()[name]
    jsonschema.Draft202012Validator.check_schema(document)
    assert document["$id"] == name and document["title"]
    for part in objects(document):
        assert part["additionalProperties"] is False and set(part["required"]) <= set(part["properties"])
        for field, told in part["properties"].items():
            assert told.get("description"), field


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    from conftest import run
    folder = tmp_path_factory.mktemp("models")
    few = folder / "few.csv"
    lines = CRABS.read_text().splitlines()
    sex = lines[0].split(",").index("sex")
    rows = [line.split(",") for line in lines[1:]]
    for i, row in enumerate(rows):
        row[sex] = row[sex] if i % 2 else ""
    few.write_text("\n".join([lines[0], *map(",".join, rows)]) + "\n")
    run("fit", few, "--label", "sex", *MEASURED, "--no-baseline", "-o", folder / "crabs.json", "-q")
    run("train", few, "--label", "sex", *MEASURED, "-o", folder / "stack.json", "-q")
    run("med", few, "--label", "sex", *MEASURED, "--c", "3", "--select", "0.5", "-o", folder / "med.json", "-q")
    run("blind", FAITHFUL, "--prior", "short=0.36,long=0.64", "-o", folder / "blind.json", "-q")
    return folder


# Every command, with the options that add fields; {0} is the folder of the models above, and of what is written.
CALLS = [
    "train {0}/few.csv --label sex --features FL,RW,CL,CW,BD -o {0}/s.json",
    "train {0}/few.csv --label sex --features FL,RW --time-limit 1e-6 --members logistic,trees",
    "med {0}/few.csv --label sex --features FL,RW,CL,CW,BD --kernel rbf --c 3 -o {0}/r.json",
    f"med {CRABS} --target BD --features FL,RW,CL,CW,BD --c 3 --folds 0",
    f"predict {{0}}/med.json {CRABS}",
    f"evaluate {{0}}/med.json {CRABS} --label sex",
    "show {0}/med.json",
    "report {0}/med.json {0}/few.csv --label sex -o {0}/med.html",
    f"predict {{0}}/stack.json {CRABS}",
    f"evaluate {{0}}/stack.json {CRABS} --label sex",
    "show {0}/stack.json",
    "report {0}/stack.json {0}/few.csv --label sex -o {0}/stack.html",
    "fit {0}/few.csv --label sex --features FL,RW,CL,CW,BD --stderr -o {0}/m.json",
    "fit {0}/few.csv --label sex --features FL,RW --label-noise estimate",
    "fit {0}/few.csv --label sex --features FL,RW --stderr bootstrap --draws 5 --no-baseline --label-noise 0.1",
    f"fit {FAITHFUL} -k 2 --max-iter 1",
    f"select {FAITHFUL} -k 1:2 --covariance full,tied",
    f"select {FAITHFUL} -k 2,200 --covariance full --by cv --folds 2 --starts 1",
    f"predict {{0}}/crabs.json {CRABS}",
    f"predict {{0}}/crabs.json {CRABS} --reject 0.9 -o {{0}}/p.csv",
    f"evaluate {{0}}/crabs.json {CRABS} --label sex",
    f"stream {{0}}/crabs.json {CRABS} --label sex --window 30 --save {{0}}/s.json",
    "cv {0}/few.csv --label sex --features FL,RW --folds 3",
    f"cv {FAITHFUL} -k 2 --folds 2",
    "show {0}/crabs.json",
    "show {0}/blind.json",
    f"context {CRABS} --observed sp --given {EXAMPLES}/sex_given_species.csv -o {{0}}/c.csv",
    "plan {0}/crabs.json {0}/few.csv --label sex --budget 20 --replicates 3 --repeats 1",
    "plan {0}/crabs.json {0}/few.csv --label sex --target-error 0.2 --replicates 3 --repeats 0",
    f"audit {EXAMPLES}/judges.csv --id answer --prior good=0.6,bad=0.4 --ask 3 --combine {{0}}/a.csv",
    f"audit {EXAMPLES}/judges.csv --id answer --prior good=0.6,bad=0.4 --model symmetric",
    f"audit {FAITHFUL} --channel --prior-mean 30 --prior-sd 40",
    f"audit --scores {EXAMPLES}/scores.csv --prior 0.3",
    f"blind {FAITHFUL} --prior 0.64 --starts 2 -o {{0}}/b.json",
    f"factor {EXAMPLES}/purchases.tns --rank 2 --starts 2 --top 2 --names -,{EXAMPLES}/purchases_goods.txt,- -o {{0}}/f",
    f"factor {EXAMPLES}/purchases.tns --rank 1:2",
    "report {0}/crabs.json {0}/few.csv --label sex -o {0}/page.html",
    "plot convergence {0}/crabs.json -o {0}/convergence.svg",
    "simulate {0}/crabs.json -n 5 -o {0}/drawn.csv",
    f"convert {FAITHFUL} {{0}}/f.npy",
    f"convert {EXAMPLES}/purchases.tns {{0}}/t.npy",
    f"check {CRABS} --label sex --categorical sp --ignore index",
]


def test_calls_are_of_every_command():
    assert {call.split()[0] for call in CALLS} == set(COMMANDS)


@pytest.mark.parametrize("call", CALLS)
def test_results(scant, models, call):
    result = scant(*call.format(models).split(), "--json", "-q", "--threads", 1, ok=(0, 4))
    told = result.json()
    schemas.validate(call.split()[0], told)
    extra = copy.deepcopy(told)
    extra["unheard"] = 1  # a field that nobody told of is a fault
    with pytest.raises(AssertionError, match="schemas/"):
        schemas.validate(call.split()[0], extra)


ERRORS = [
    ("fit absent.csv", 3, {"code": "input", "file": "absent.csv"}),
    ("fit bad.csv --types none", 3, {"code": "input", "file": "bad.csv", "line": 3, "column": 2}),
    ("show bad.json", 3, {"code": "input", "file": "bad.json", "line": 1}),
    ("factor bad.tns --rank 1", 3, {"code": "input", "file": "bad.tns", "line": 2}),
    ("fit bad.csv --nonsense", 2, {"code": "usage"}),
    ("nonsense", 2, {"code": "usage"}),
    ("convert good.csv absent/out.npy", 1, {"code": "output", "file": "absent/out.npy"}),
    ("audit votes.csv --prior 0.5,0.5 --model symmetric", 5, {"code": "unidentified"}),
]


@pytest.mark.parametrize("call, code, expected", ERRORS, ids=[call for call, _, _ in ERRORS])
def test_errors(scant, tmp_path, call, code, expected):
    """One object on the last line of standard error, with the message that is told otherwise, and its place."""
    (tmp_path / "good.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n3,x\n")
    (tmp_path / "bad.json").write_text("{nothing}\n")
    (tmp_path / "bad.tns").write_text("1 1 1\n1 2\n")
    (tmp_path / "votes.csv").write_text("p\na\nb\na\n")
    plain = scant(*call.split(), cwd=tmp_path, ok=code)
    result = scant(*call.split(), "--json", cwd=tmp_path, ok=code)
    assert result.out == ""
    told = json.loads(result.err.split("\n")[-2])["error"]
    for field, value in expected.items():
        assert told[field] == value, field
    assert ("file" in told) == ("file" in expected) and told["message"] in plain.err


def test_names_that_are_no_text(tmp_path):
    """Bytes of a file's name that are not UTF-8 do not break the object."""
    name = b"odd\xff.csv"
    done = subprocess.run([PROGRAM, "fit", name, "--json"], capture_output=True, cwd=tmp_path)
    assert done.returncode == 3
    schemas.validate("error", json.loads(done.stderr.decode().split("\n")[-2]))


def test_document_is_current():
    """docs/json.md is made from the schemas."""
    done = subprocess.run([sys.executable, ROOT / "tools" / "make_json_docs", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
