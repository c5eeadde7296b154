"""Help, manual pages and documents say the same: one table of options makes the first two, and the last follow."""
import re

import pytest

from conftest import ROOT
from test_usage import COMMANDS

DOCUMENTS = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
# Options of other programs that documents speak of in words: {option: whose}.
OTHERS = {"--quick": "bench/run", "--only": "bench/run", "--kernels": "bench/run", "--against": "bench/run", "--system-site-packages": "python3 -m venv"}


def one_line(text):
    return " ".join(text.split())


def help_of(scant, command):
    """{option as typed: its words} of --help."""
    found = {}
    body = scant(command, "--help").out
    for entry in re.split(r"\n  (?=-)", body.split("\n\nExit codes:")[0])[1:]:
        lines = entry.split("\n\n")[0].split("\n")
        head, _, words = lines[0].partition("  ")
        found[head.strip()] = one_line(" ".join([words, *lines[1:]]))
    return found


def man_of(scant, command):
    """The same of the manual page."""
    page = scant("help", "--man", command).out.replace("\\-", "-").replace("\\&", "")
    body = page.split(".SH EXAMPLE")[0].split(".SH EXIT")[0]
    entries = re.findall(r"\.TP\n\.B (-[^\n]*)\n((?:(?!\.)[^\n]*\n)*)", body)
    return {head.strip(): one_line(words.replace("\\\\", "\\")) for head, words in entries}


def long_options(entries):
    return {re.search(r"--[a-z0-9-]+", head)[0] for head in entries}


@pytest.fixture(scope="module")
def known():
    from conftest import run
    return {command: long_options(help_of(run, command)) for command in COMMANDS} | {
        "audit --scores": long_options(help_of(lambda *args: run("audit", "--scores", *args[1:]), "audit"))}


@pytest.mark.parametrize("command", COMMANDS)
def test_manual_page_is_the_help(scant, command):
    told, printed = help_of(scant, command), man_of(scant, command)
    assert len(told) > 5 and told.keys() == printed.keys()
    for option, words in told.items():
        assert words and words == printed[option], option


def code_lines(text):
    """Command lines of scant in blocks of code, continued lines joined."""
    for block in re.findall(r"```(?:sh|console)?\n(.*?)```", text, flags=re.S):
        for line in block.replace("\\\n", " ").split("\n"):
            for call in re.finditer(r"(?:^|[|&;$(]\s*)scant ([a-z]+)([^|#;]*)", line):
                yield call[1], call[2]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_name_options_that_exist(known, path):
    """Every option of a command line in a document is one of that command's, every one in a sentence some command's."""
    text = path.read_text(encoding="utf-8")
    anywhere = set().union(*known.values()) | {"--help", "--version", "--man"}
    for command, rest in code_lines(text):
        assert command in [*COMMANDS, "help", "completion", "report", "plot"], f"scant {command}"
        allowed = known.get(command, anywhere) | (known["audit --scores"] if command == "audit" else set())
        for option in re.findall(r"(?<!\S)--[a-z][a-z0-9-]*", rest):
            assert option in allowed | {"--help"}, f"scant {command}{rest}"
    for option in re.findall(r"`(--[a-z][a-z0-9-]*)", re.sub(r"```.*?```", "", text, flags=re.S)):
        assert option in anywhere or option in OTHERS, option


def test_every_command_has_its_documents():
    """A command is told of in README or in a page under docs."""
    text = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    for command in COMMANDS:
        assert f"scant {command}" in text, command
