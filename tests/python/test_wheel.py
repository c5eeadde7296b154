"""`pip install .` in a clean checkout, without a network: the wheel carries the library and works on its own."""
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

from conftest import EXAMPLES, ROOT

SCRIPT = """
import scant, pandas
frame = pandas.read_csv({crabs!r})
features = frame[["FL", "RW", "CL", "CW", "BD"]]
fitted = scant.MixtureClassifier(components="2/class").fit(features, frame.sp.where(frame.index % 20 == 0))
print(scant.__file__, scant.__version__, fitted.score(features, frame.sp) > 0.9)
"""


def run(*command, **more):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def environment():
    """Nothing but the wheel is to be found: no checkout, no library told, no network."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("SCANT", "PYTHON", "PIP", "LD_"))}
    return {**clean, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """The files that git knows, as they are here."""
    folder = tmp_path_factory.mktemp("checkout")
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).splitlines()
    for name in listed:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def venv(tmp_path_factory, environment):
    folder = tmp_path_factory.mktemp("venv")
    run(sys.executable, "-m", "venv", "--system-site-packages", folder, env=environment)
    return folder / "bin" / "python"


def test_install(checkout, venv, environment, tmp_path):
    before = sorted(path for path in checkout.rglob("*") if "__pycache__" not in path.parts)
    run(venv, "-m", "pip", "wheel", "--no-deps", "-w", tmp_path, checkout, env=environment)
    assert sorted(path for path in checkout.rglob("*") if "__pycache__" not in path.parts) == before
    wheel, = tmp_path.glob("scant-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        assert "scant/libscant.so" in names and archive.testzip() is None
        assert {f"scant/{path.name}" for path in (ROOT / "python/scant").glob("*.py")} <= names
    run(venv, "-m", "pip", "install", wheel, env=environment)
    where, version, right = run(venv, "-c", SCRIPT.format(crabs=str(EXAMPLES / "crabs.csv")), env=environment,
                                cwd=tmp_path).split()[-3:]
    assert str(venv.parent.parent) in where and right == "True"
    assert f"project(scant VERSION {version}" in (ROOT / "CMakeLists.txt").read_text()
    run(venv, "-m", "pip", "uninstall", "-y", "scant", env=environment)
    left = subprocess.run([str(venv), "-c", "import scant"], env=environment, cwd=tmp_path, capture_output=True,
                          check=False)
    assert left.returncode != 0


def test_sources_are_what_git_knows(checkout, tmp_path):
    """What lies about in a checkout, a virtual environment say, is not packed."""
    tree = tmp_path / "tree"
    shutil.copytree(checkout, tree)
    run("git", "init", "-q", cwd=tree)
    run("git", "add", "-A", cwd=tree)
    (tree / "notes.txt").write_text("not for others")
    run(sys.executable, "-c", "import build_wheel; build_wheel.build_sdist('..')", cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "python")})
    with tarfile.open(next(tmp_path.glob("scant-*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"PKG-INFO", "CMakeLists.txt", "python/scant/__init__.py"} <= names and "notes.txt" not in names
