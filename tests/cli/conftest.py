"""What the tests of the program share: running it, golden files, tables."""
import json
import os
import pathlib
import signal
import subprocess

import pytest

import schemas

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EXAMPLES = ROOT / "examples" / "data"
SHARED = pathlib.Path(os.environ.get("SCANT_SHARED_DATA", ROOT.parent / "shared" / "data"))
PROGRAM = os.environ.get("SCANT", str(ROOT / "build" / "scant"))


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="write the golden files anew")


def refuse_constant(name):
    raise AssertionError(f"{name} in JSON")


def strict_json(text):
    """JSON as the standard has it: no NaN, no Infinity."""
    return json.loads(text, parse_constant=refuse_constant)


class Result:
    def __init__(self, args, code, out, err):
        self.args, self.code, self.out, self.err = args, code, out, err

    def json(self):
        return strict_json(self.out)

    def __repr__(self):
        return f"scant {' '.join(self.args)}\nexit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def run(*args, stdin=None, ok=0, cwd=None, timeout=600):
    """Runs the program. `ok` is the exit code it must have, or several, or None for any but a signal."""
    args = [str(a) for a in args]
    done = subprocess.run([PROGRAM, *args], input=stdin, capture_output=True, text=True, cwd=cwd,
                          timeout=timeout)
    result = Result(args, done.returncode, done.stdout, done.stderr)
    assert result.code >= 0, f"ended by a signal: {result!r}"
    if ok is not None:
        allowed = (ok,) if isinstance(ok, int) else ok
        assert result.code in allowed, f"exit code not in {allowed}: {result!r}"
    schemas.check(result)
    return result


@pytest.fixture
def scant():
    return run


@pytest.fixture
def golden(request):
    """golden(name, text): the text is what golden/name.txt holds; --update writes it."""

    def check(name, text):
        path = HERE / "golden" / f"{name}.txt"
        if request.config.getoption("--update"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            return
        if not path.exists():
            pytest.fail(f"{path.name} is not there yet: run pytest with --update and look at it")
        assert text == path.read_text(), f"{path.name} differs; --update writes it anew"

    return check


@pytest.fixture
def faithful():
    return EXAMPLES / "faithful.csv"


@pytest.fixture
def crabs():
    return EXAMPLES / "crabs.csv"


def write_csv(path, header, rows):
    """None is an empty cell; floats keep all their digits."""

    def cell(value):
        if value is None:
            return ""
        return repr(float(value)) if not isinstance(value, str) else value

    lines = [",".join(header)] + [",".join(cell(v) for v in row) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start what runs in the background with it ignored


def start_program(*args):
    return subprocess.Popen([PROGRAM, *map(str, args)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def interrupt(process, timeout=60):
    """Ctrl-C; the exit code, stdout and stderr."""
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=timeout)
    result = Result(process.args[1:], process.returncode, out, err)
    schemas.check(result)
    return result
