"""Where the loader looks for libraries: the system's folders and those beside a program. An empty element of a search
path is the current folder, which anyone may have filled. And what hardens the binaries."""
import os
import pathlib
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["SCANT_BUILD"])
TAGS = ("(RPATH)", "(RUNPATH)")


def is_dynamic(path):
    with open(path, "rb") as file:
        head = file.read(18)
    return head[:4] == b"\x7fELF" and head[16] in (2, 3)  # programs and shared libraries


def binaries(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and
                  "CMakeFiles" not in path.parts and is_dynamic(path))


def search_path(binary):
    """The elements of all its search paths."""
    text = subprocess.run(["readelf", "-dW", binary], capture_output=True, text=True, check=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout
    found = [line[line.index("[") + 1:line.rindex("]")] for line in text.splitlines() if any(t in line for t in TAGS)]
    return [element for path in found for element in path.split(":")]


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
    return prefix


def test_what_is_built_looks_beside_itself():
    found = binaries(BUILD)
    assert any(path.name == "scant" for path in found) and any(path.name.startswith("libscant.so") for path in found)
    for path in found:
        for element in search_path(path):  # programs of reproductions lie in folders of their own
            assert element.startswith("$ORIGIN"), path
            assert os.path.normpath(element.replace("$ORIGIN", str(path.parent))) in (str(path.parent), str(BUILD)), path
    assert search_path(BUILD / "scant")


def test_what_is_installed_looks_beside_itself(prefix):
    found = binaries(prefix)
    assert len(found) == 2
    for path in found:
        for element in search_path(path):
            assert element.startswith("$ORIGIN/../lib"), path
    version = subprocess.run([prefix / "bin" / "scant", "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.startswith("scant ")


def test_a_library_of_the_current_folder_is_not_loaded(tmp_path):
    """With a libjansson.so.4 that is none the loader would give up."""
    (tmp_path / "libjansson.so.4").write_bytes(b"none")
    for folder in ({}, {"LD_LIBRARY_PATH": str(BUILD)}):
        done = subprocess.run([BUILD / "scant", "--version"], cwd=tmp_path, capture_output=True, text=True, check=False,
                              env={**os.environ, **folder})
        assert done.returncode == 0, done.stderr


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], capture_output=True, text=True, check=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


@pytest.mark.parametrize("place", ["built", "installed"])
def test_binaries_are_hardened(place, prefix):
    """A guard before return addresses, checked copies, tables of functions that are read-only, and code at any address."""
    folder = BUILD if place == "built" else prefix
    found = [p for p in binaries(folder) if p.name == "scant" or p.name.startswith("libscant.so")]
    assert len(found) == 2
    for path in found:
        dynamic, symbols = readelf("-d", path), readelf("-s", "--dyn-syms", path)
        assert "BIND_NOW" in dynamic or "Flags: NOW" in dynamic, path
        assert "GNU_RELRO" in readelf("-l", path), path
        assert "__stack_chk_fail" in symbols and "_chk@" in symbols.replace("__stack_chk_fail", ""), path
        assert "DYN" in readelf("-h", path), path
