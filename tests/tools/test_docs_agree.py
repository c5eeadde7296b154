"""Documents and program speak of the same things: pages, commands, options."""
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("SCANT_BUILD", ROOT / "build")) / "scant"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
INDEX = (ROOT / "docs" / "README.md").read_text()
# Options of CMake, pkg-config, bench/run, the tools and Python's venv.
OTHERS = {"--preset", "--build", "--target", "--cflags", "--libs", "--only", "--quick", "--update", "--system-site-packages", "--kernels", "--against",
          "--count"}


def said(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True).stdout


def commands():
    return re.findall(r"^  ([a-z]+)  ", said("--help"), flags=re.M)


def test_index_lists_every_page():
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", INDEX))
    assert {path.name for path in PAGES[1:]} - {"README.md"} == linked


def test_index_lists_every_command():
    listed = set(re.findall(r"`([a-z]+)`", INDEX))
    assert set(commands()) - {"help", "completion"} <= listed


def test_options_exist():
    known = set(OTHERS)
    for command in commands():
        known |= set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", said(command, "--help"), flags=re.M))
    unknown = {path.name: named - known for path in PAGES
               if (named := set(re.findall(r"(?<![\w-])(--[a-z][\w-]+)", path.read_text()))) - known}
    assert not unknown
