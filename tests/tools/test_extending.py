"""docs/extending.md followed to the letter, in a copy of the tree: a family, a structure and an objective are added, built and
tested. Nothing is made up here: every file, every change and every command is the page's."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SCANT_BUILD", ROOT / "build"))
PAGE = (ROOT / "docs" / "extending.md").read_text()
STEP = re.compile(r"(?:^<!-- file (?P<file>\S+) -->\n```c|^```(?P<language>sh|diff))\n(?P<text>.*?)^```$", flags=re.M | re.S)
SECTIONS = ("A family within scant", "A structure", "An objective")


@pytest.fixture(scope="module")
def copy():
    """A copy of the tree, always at the same place, so that ccache has seen it before; it is compiled quickly rather than for speed."""
    tree = BUILD / "extending"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT, tree, symlinks=True,
                    ignore=lambda folder, names: [name for name in names
                                                  if name in (".git", "__pycache__") or
                                                  pathlib.Path(folder) == ROOT and name.startswith("build")])
    run(tree, ["cmake", "--preset", "release", "-DCMAKE_C_FLAGS_RELEASE=-O1"])
    yield tree
    shutil.rmtree(tree)


def run(tree, command, given=None):
    environment = {**os.environ, "CCACHE_BASEDIR": str(tree), "CCACHE_NOHASHDIR": "1"}
    done = subprocess.run(command, cwd=tree, env=environment, input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode:
        pytest.fail(f"{command}: {done.stdout[-4000:]}\n{given or ''}", pytrace=False)
    return done.stdout


def follow(tree, section):
    """Takes every step of the section, in order; what the commands print."""
    text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE, flags=re.M | re.S)[1]
    steps, said = list(STEP.finditer(text)), ""
    for step in steps:
        if step["file"]:
            assert not (tree / step["file"]).exists(), step["file"]
            (tree / step["file"]).write_text(step["text"])
        elif step["language"] == "diff":
            run(tree, ["patch", "-p1", "--fuzz=0", "--no-backup-if-mismatch"], step["text"])
        else:
            said += run(tree, ["bash", "-e", "-o", "pipefail", "-c", step["text"]])
    assert {step["language"] for step in steps} >= {"diff", "sh"}
    return said


@pytest.mark.parametrize("section", SECTIONS)
def test_page_is_followed_to_the_letter(copy, section):
    """In the page's order: the objective's copy has the structure, too."""
    said = follow(copy, section)
    assert "PASSED" in said and "FAILED" not in said


def test_what_was_added_is_scants(copy):
    """The library has all three, and the program knows the family by its name."""
    symbols = run(copy, ["nm", "build/libscant.so"]) if (copy / "build/libscant.so").exists() else ""
    objects = copy / "build" / "CMakeFiles" / "scant_objects.dir" / "src"
    for name, symbol in (("family/rayleigh", "scant_i_rayleigh"), ("latent/bags", "toy_bags"), ("latent/contrast", "toy_contrast")):
        assert symbol in run(copy, ["nm", str(objects / f"{name}.c.o")])
    assert "scant_i_rayleigh" in symbols
    assert '"family": "rayleigh"' in re.sub(r"\s+", " ", (copy / "waves.json").read_text())
    assert not list((copy / "tests" / "support").glob("toy_*.c"))
