"""tools/check_docs finds examples that do not do what they say, and says which it left out."""
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check(tmp_path, page, *options):
    """(exit code, what it printed, the page afterwards)"""
    path = tmp_path / "page.md"
    path.write_text(page.replace("~~~", "```"))
    done = subprocess.run([ROOT / "tools" / "check_docs", *options, path], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, path.read_text().replace("```", "~~~")


GOOD = {
    "a script": "~~~sh\ntrue\ntest -f examples/data/crabs.csv\n~~~\n",
    "files stay for the next block": "~~~sh\necho 1 > a\n~~~\ntext\n~~~sh\ntest -f a\n~~~\n",
    "what is set up": "<!-- setup\nseen=1\n-->\n~~~sh\ntest $seen = 1\n~~~\n",
    "an answer": "~~~console\n$ echo 1 2\n1 2\n$ echo b\nb\n~~~\n",
    "stderr too": "~~~console\n$ echo aloud >&2\naloud\n~~~\n",
    "a command of two lines": "~~~console\n$ echo a \\\n    b\na b\n~~~\n",
    "a loop": "~~~console\n$ for a in 1 2; do\n>   echo $a\n> done\n1\n2\n~~~\n",
    "numbers nearly equal": "~~~console\n$ echo x=1.0000001\nx=1\n~~~\n",
    "times are free": "~~~console\n$ echo 'seconds  2.5'\nseconds            0.1\n~~~\n",
    "lines left out": "~~~console\n$ seq 9\n1\n...\n8\n9\n~~~\n",
    "statements of C": '~~~c\n#include <scant/scant.h>\n#include <stdio.h>\n\nputs(scant_version());\n~~~\n',
    "a program in C": "~~~c\nint main(void)\n{\n    return 0;\n}\n~~~\n",
    "Python": "~~~python\nx = 1\n~~~\nand\n~~~python\nassert x == 1\n~~~\n",
    "doctest": "~~~python\n>>> 1 + 1\n2\n\n~~~\n",
    "json": '~~~json\n{"a": 1}\n~~~\n',
    "a new file": "<!-- file src/none.c -->\n~~~c\nno C\n~~~\n",
    "a piece of a file": "<!-- from Makefile -->\n~~~sh\nmake no sense of it\n~~~\n".replace(
        "make no sense of it", next(line for line in (ROOT / "Makefile").read_text().splitlines() if line)),
}
BAD = {
    "a script that fails": "~~~sh\nfalse\n~~~\n",
    "the middle of a pipe": "~~~sh\nfalse | true\n~~~\n",
    "another answer": "~~~console\n$ echo 1\n2\n~~~\n",
    "another word": "~~~console\n$ echo a 1\nb 1\n~~~\n",
    "an answer too few": "~~~console\n$ seq 2\n1\n~~~\n",
    "an answer to nothing": "~~~console\nhello\n~~~\n",
    "C with a warning": "~~~c\nint unused;\n~~~\n",
    "C that fails": "~~~c\nreturn 3;\n~~~\n",
    "Python that raises": "~~~python\nx\n~~~\n",
    "doctest": "~~~python\n>>> 1 + 1\n3\n\n~~~\n",
    "json": "~~~json\n{a}\n~~~\n",
    "not in the file": "<!-- from Makefile -->\n~~~sh\nno such line\n~~~\n",
    "a new file that is there": "<!-- file Makefile -->\n~~~c\nint x;\n~~~\n",
    "a language nobody runs": "~~~sh\ntrue\n~~~\n~~~perl\n1\n~~~\n",
    "a comment about nothing": "~~~sh\ntrue\n~~~\n<!-- not run: why -->\n~~~\nno code\n~~~\n",
    "a page without examples": "text\n",
    "a link to nothing": "~~~sh\ntrue\n~~~\n[here](nowhere.md)\n",
    "a file that is gone": "~~~sh\ntrue\n~~~\nsee `src/family/cauchy.c`\n",
}


@pytest.mark.parametrize("what", GOOD)
def test_good(tmp_path, what):
    code, said, _ = check(tmp_path, GOOD[what])
    assert code == 0, said


@pytest.mark.parametrize("what", BAD)
def test_bad(tmp_path, what):
    code, said, _ = check(tmp_path, BAD[what])
    assert code == 1, said


def test_lists_what_is_not_run(tmp_path):
    code, said, _ = check(tmp_path, "~~~sh\ntrue\n~~~\n<!-- not run: takes\na day -->\n~~~sh\nfalse\n~~~\n")
    assert code == 0
    assert "1 run, 1 not" in said and "not run: line 6: takes a day" in said


def test_update_writes_what_is_printed(tmp_path):
    page = "~~~console\n$ echo 1\n2\n$ seq 5\n1\n...\n5\n~~~\nend\n"
    code, _, after = check(tmp_path, page, "--update")
    assert code == 0
    assert after == page.replace("$ echo 1\n2", "$ echo 1\n1")
