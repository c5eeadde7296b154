"""What is installed serves others: programs find it by pkg-config and by CMake, and the Debian package comes and goes."""
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["SCANT_BUILD"])
CC = os.environ.get("CC", "cc")
DATA = ROOT / "examples" / "data"
# What each example is given, and a line that it must print.
EXAMPLES = {
    "fit_and_predict": ([DATA / "crabs.csv", "sp", "FL", "RW", "CL", "CW", "BD"], "200 rows, 200 labelled"),
    "user_family": ([], "land: direction 3.04, concentration 8.2, share 0.33"),
    "own_data": ([], "means of component 1: 3.0"),
    "progress": ([DATA / "faithful.csv"], "stopped: interrupted"),
}


def run(*command, **more):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("installed")
    run("cmake", "--install", BUILD, "--prefix", prefix)
    return prefix


def library(prefix):
    """The folder of the library: lib, or one below it."""
    return next(prefix.glob("lib/**/libscant.so")).parent


def test_every_example_is_run_here():
    assert {path.stem for path in (ROOT / "examples" / "c").glob("*.c")} == set(EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES)
def test_by_pkg_config(prefix, tmp_path, example):
    environment = {**os.environ, "PKG_CONFIG_PATH": str(library(prefix) / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "scant", env=environment).split()
    run(CC, "-std=c17", "-Wall", "-Wextra", "-Werror", ROOT / "examples" / "c" / f"{example}.c", "-o", tmp_path / example,
        *flags, f"-Wl,-rpath,{library(prefix)}", "-lm")
    arguments, line = EXAMPLES[example]
    assert line in run(tmp_path / example, *arguments)


def test_by_cmake(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(theirs LANGUAGES C)\nfind_package(scant 0.1 REQUIRED)\n"
        f"add_executable(theirs {ROOT}/examples/c/fit_and_predict.c)\ntarget_link_libraries(theirs scant::scant)\n")
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={CC}")
    run("cmake", "--build", tmp_path / "build")
    arguments, line = EXAMPLES["fit_and_predict"]
    assert line in run(tmp_path / "build" / "theirs", *arguments)


def test_headers_serve_cxx(prefix, tmp_path):
    compiler = shutil.which("c++") or shutil.which("g++")
    if not compiler:
        pytest.skip("no C++ compiler")
    (tmp_path / "a.cc").write_text("#include <scant/scant.h>\nint main() { return *scant_version() == 0; }\n")
    run(compiler, "-Wall", "-Wextra", "-Werror", tmp_path / "a.cc", f"-I{prefix}/include", f"-L{library(prefix)}",
        "-lscant", f"-Wl,-rpath,{library(prefix)}", "-o", tmp_path / "a")
    run(tmp_path / "a")


def test_the_program_is_whole(prefix):
    assert run(prefix / "bin" / "scant", "--version").startswith("scant ")
    assert (prefix / "share/man/man1/scant-fit.1").read_text().startswith(".TH")
    assert "complete" in (prefix / "share/bash-completion/completions/scant").read_text()
    assert {path.name for path in (prefix / "share/scant/schemas").iterdir()} == {
        path.name for path in (ROOT / "schemas").glob("*.json")}


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    if not shutil.which("dpkg-shlibdeps"):
        pytest.skip("no dpkg-shlibdeps: not a Debian system with dpkg-dev")
    folder = tmp_path_factory.mktemp("deb")
    run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder)
    return next(folder.glob("*.deb"))


def test_package_says_what_it_needs(package):
    needs = run("dpkg-deb", "--field", package, "Depends")
    assert "libjansson4" in needs and "libgomp1" in needs
    listing = run("dpkg-deb", "--contents", package)
    assert "./usr/bin/scant" in listing and "scant-fit.1" in listing and "scant.pc" in listing


def test_package_comes_and_goes(package):
    if os.geteuid() != 0:
        pytest.skip("installing a package needs root")
    if subprocess.run(["dpkg", "--status", "scant"], capture_output=True, check=False).returncode == 0:
        pytest.skip("scant is installed here already, and stays as it is")
    run("dpkg", "--install", package)
    try:
        assert "-1130.26" in run("/usr/bin/scant", "fit", DATA / "faithful.csv", "-k", "2", "-q")
    finally:
        run("dpkg", "--remove", "scant")
    assert not pathlib.Path("/usr/bin/scant").exists()
