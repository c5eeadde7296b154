"""Help, usage errors, exit codes and streams: what needs no data to be fitted."""
import os
import re
import shlex
import subprocess

import pytest

from conftest import PROGRAM, ROOT

COMMANDS = ["train", "med", "fit", "select", "predict", "evaluate", "stream", "cv", "show", "report", "plot", "context", "audit", "blind",
            "plan", "factor", "simulate", "convert", "check"]


def test_overview(scant, golden):
    result = scant("--help")
    assert result.err == ""
    golden("help", result.out)
    assert scant("-h").out == result.out
    assert scant("help").out == result.out


def test_version(scant):
    assert re.fullmatch(r"scant \d+\.\d+\.\d+\n", scant("--version").out)


@pytest.mark.parametrize("command", COMMANDS)
def test_help(scant, golden, command):
    result = scant(command, "--help")
    assert result.err == ""
    golden(f"help-{command}", result.out)
    assert scant("help", command).out == result.out
    assert scant(command, "--nonsense", "--help").out == result.out
    assert max(map(len, result.out.splitlines())) <= 110


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_what_users_need(scant, command):
    text = scant(command, "--help").out
    assert f"usage: scant {command}" in text
    for needed in ("--json", "--quiet", "--verbose", "Exit codes:", f"Example:\n  scant {command} "):
        assert needed in text


USAGE_ERRORS = [
    "",
    "fti",
    "xyzzy",
    "--json fit",
    "check",
    "check a.csv b.csv",
    "check a.csv --labell y",
    "check a.csv --xyzzy",
    "check a.csv -z",
    "check a.csv --label",
    "simulate m.json -n",
    "check a.csv --label --json",
    "check a.csv --json=yes",
    "check a.csv -qv",
    "check a.csv --features a,,b",
    "simulate m.json -n many",
    "simulate m.json -n0",
    "simulate m.json -n 1 --seed=-1",
    "predict m.json a.csv --reject 1.5",
    "simulate m.json",
    "simulate m.json -n 3 --json",
    "predict m.json a.csv -o - --json",
    "predict - -",
    "predict m.json a.csv --use-labels",
    "check a.csv --group a --sequence b",
    "check a.csv --separator comma",
    "fit a.csv -o - --json",
    "fit a.csv --resume",
    "select a.csv --by bix",
    "cv a.csv --folds 1",
    "cv a.csv --checkpoint c",
    "select a.csv --resume",
    "fit a.csv --starts -3",
    "fit a.csv --init kmean",
    "fit a.csv --context p.csv --context-prior 0.5 --context-mode prior",
    "fit - --context -",
    "context",
    "context --prior c.csv",
    "context --prior c.csv --given g.csv --likelihood l.csv",
    "context --prior c.csv --observed place --given g.csv",
    "context a.csv --prior c.csv --given g.csv",
    "context --observed place --given g.csv",
    "context --prior c.csv --given g.csv --class-prior 0.5",
    "context --prior c.csv --likelihood l.csv",
    "context --prior - --given -",
    "context --prior c.csv --given g.csv --json -o -",
    "completion tcsh",
    "stream",
    "stream m.json --window 0",
    "stream m.json --prior-rows -1",
    "stream m.json --context-mode guess",
    "stream -",
    "stream m.json --save -",
]


def test_usage_errors(scant, golden, tmp_path):
    told = []
    for line in USAGE_ERRORS:
        result = scant(*shlex.split(line), ok=2, cwd=tmp_path)
        assert result.out == ""
        told.append(f"$ scant {line}\n{result.err}")
    golden("usage", "\n".join(told))
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_absent(scant, tmp_path):
    for line in (["check", "absent.csv"], ["show", "absent.json"], ["fit", "absent.csv"],
                 ["predict", "absent.json", "absent.csv"], ["convert", "absent.csv", "out.npy"],
                 ["convert", "absent.tns", "out.npy"], ["fit", "absent.csv", "--start", "no.json"]):
        result = scant(*line, ok=3, cwd=tmp_path)
        assert result.out == "" and re.search(r"absent\.|no\.json", result.err)
    assert list(tmp_path.iterdir()) == []


def test_init_file_that_is_absent(scant, faithful):
    result = scant("fit", faithful, "-k", 2, "--init", "absent.json", ok=3)
    assert "absent.json" in result.err


def test_values_in_every_form(scant, faithful):
    forms = (["--features", "waiting"], ["--features=waiting"], ["--features", "wait*", "--"],
             ["-q", "--features=waiting", "-q"])
    outputs = {scant("check", *form[:-1], form[-1], faithful).out.split("next:")[0] for form in forms}
    assert len(outputs) == 1


def test_two_dashes_end_options(scant, tmp_path):
    result = scant("check", "--", "--odd.csv", ok=3, cwd=tmp_path)
    assert "--odd.csv" in result.err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_full_disk(faithful):
    for args in (["--help"], ["check", str(faithful)]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, *args], stdout=full, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1
        assert "standard output could not be written" in done.stderr


def test_manual_pages(scant, tmp_path):
    subprocess.run([ROOT / "tools" / "make_man", PROGRAM, tmp_path], check=True)
    for command in COMMANDS:
        text = (tmp_path / f"scant-{command}.1").read_text()
        assert text.startswith(".TH SCANT") and ".SH EXAMPLE" in text
    overview = (tmp_path / "scant.1").read_text()
    for command in COMMANDS:
        assert f".BR scant\\-{command} (1)" in overview


def test_completion(scant):
    script = scant("completion", "bash").out
    typed = {
        "check --cat": "--categorical",
        "ev": "evaluate",
        "help ev": "evaluate",
        "completion b": "bash",
        "context --li": "--likelihood",
        "fit d.csv --covariance tied-": "tied-diag tied-spherical",
        "fit d.csv --covariance = sph": "spherical",
        "fit d.csv --accelerate =": "none squarem",
        "select d.csv --by i": "icl",
        "predict m.json exa": "",
    }
    probe = "".join(f'COMP_WORDS=(scant {words}); COMP_CWORD={len(words.split())}; _scant; echo "${{COMPREPLY[@]}}"\n'
                    for words in typed)
    done = subprocess.run(["bash", "-c", script + "\n" + probe], capture_output=True, text=True, check=True)
    assert dict(zip(typed, done.stdout.splitlines())) == typed


def test_completion_knows_every_option(scant):
    """Help, manual page and completion are made from one table, so that none can know more than another."""
    script = scant("completion", "bash").out
    for command in COMMANDS:
        options = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", scant(command, "--help").out, flags=re.M))
        manual = scant("help", "--man", command).out.replace("\\-", "-")
        assert options == set(re.findall(r"^(?:\.B )?(?:-\w, )?(--[\w-]+)", manual.split(".SH EXIT")[0], flags=re.M)), command
        part = re.search(rf"^        {command}\)$(.*?)^            ;;$", script, flags=re.M | re.S)[1]
        assert options == set(re.search(r"words='(.*?)'", part)[1].split()), command


def test_examples_run(scant, tmp_path):
    """Every example of the help texts, in the order of the commands, as a user would type it."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for command in COMMANDS:
        example = scant(command, "--help").out.split("Example:\n  ")[1].splitlines()[0]
        scant(*shlex.split(example)[1:], cwd=tmp_path)
