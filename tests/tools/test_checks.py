"""The checks must fail on what they forbid: each fixture here is broken on purpose, or just legal."""
import os
import shutil
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(ROOT, "tools")


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


# --- layers ---

LEGAL = {
    "include/scant/status.h": "",
    "src/base/base.h": "#include <scant/status.h>\n",
    "src/base/parallel.c": '#include "base/base.h"\n#include <omp.h>\n',
    "src/data/rows.h": '#include "base/base.h"\n',
    "src/family/family.h": '#include "data/rows.h"\n',
    "src/family/normal.c": '#include "family.h"\n#include <math.h>\n',
    "src/registry.h": '#include "family/family.h"\n',
    "src/registry.c": '#include "registry.h"\n',
    "src/api/fit.c": '#include "registry.h"\n',
    "cli/cli.h": "#include <scant/status.h>\n",
    "cli/main.c": '#include "cli.h"\n#include <stdio.h>\n#include <sys/stat.h>\n#include <jansson.h>\n',
}


def layers(root, **files):
    write(root, {**LEGAL, **{name.replace("__", "/"): text for name, text in files.items()}})
    return run("/usr/bin/python3", os.path.join(TOOLS, "check_layers"), str(root))


def test_legal_tree_passes(tmp_path):
    done = layers(tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name, text, why", [
    ("src/base/bad.c", '#include "data/rows.h"\n', "to its right"),
    ("src/base/bad.c", '#include "../data/rows.h"\n', "to its right"),
    ("src/base/bad.c", "#include <data/rows.h>\n", "to its right"),
    ("src/io/bad.c", '#include "family/family.h"\n', "side by side"),
    ("src/family/bad.c", '#include "registry.h"\n', "to its right"),
    ("src/nowhere/bad.c", "", "not on the map"),
    ("src/math/bad.c", "#include <omp.h>\n", "only src/base/parallel.c"),
    ("src/math/bad.c", "#  include /* why */ <omp.h>\n", "only src/base/parallel.c"),
    ("src/math/bad.c", "#include HEADER\n", "written out"),
    ("src/math/bad.c", '#include "absent.h"\n', "not in src"),
    ("cli/bad.c", '#include "base/base.h"\n', "may use only"),
    ("cli/bad.c", '#include "../src/base/base.h"\n', "may use only"),
    ("cli/bad.c", "#include <omp.h>\n", "may not use"),
])
def test_forbidden_include_fails(tmp_path, name, text, why):
    done = layers(tmp_path, **{name: text})
    assert done.returncode == 1
    assert name + ":1:" in done.stdout and why in done.stdout


def test_forbidden_call_fails(tmp_path):
    done = layers(tmp_path, **{"src/math/bad.c": "double f(void)\n{\n    return strtod(text, NULL);\n}\n"})
    assert done.returncode == 1
    assert "src/math/bad.c:3: only src/base/number.c calls strtod" in done.stdout


def test_includes_in_comments_do_not_count(tmp_path):
    text = '/*\n#include "data/rows.h"\n*/\n// see\n'
    assert layers(tmp_path, **{"src/base/good.c": text}).returncode == 0


def test_empty_tree_fails(tmp_path):
    assert run("/usr/bin/python3", os.path.join(TOOLS, "check_layers"), str(tmp_path)).returncode == 1


# --- exports ---

HEADER = """
#define SCANT_API __attribute__((visibility("default")))
/* SCANT_API int scant_in_comment(void); */
typedef int (*scant_callback)(int);
SCANT_API int scant_one(int (*callback)(int), void *payload);
SCANT_API const char *
scant_two(void) __attribute__((cold));
SCANT_API __attribute__((malloc)) void *scant_three(void);
SCANT_API void (*scant_four(int))(void);
SCANT_API extern const double scant_five[2];
"""
SOURCE = """
#include "x.h"
int scant_one(int (*callback)(int), void *payload) { (void)payload; return callback(1); }
const char *scant_two(void) { return ""; }
void *scant_three(void) { return 0; }
void (*scant_four(int a))(void) { (void)a; return 0; }
const double scant_five[2] = {1, 2};
int scant_i_hidden(void);
int scant_i_hidden(void) { return 0; }
"""


def exports(root, header=HEADER, source=SOURCE):
    write(root, {"h/x.h": header, "x.c": source})
    library = str(root / "libx.so")
    compiler = os.environ.get("CC", "cc")
    built = run(compiler, "-shared", "-fPIC", "-fvisibility=hidden", "-I", str(root / "h"), "-o", library,
                str(root / "x.c"))
    assert built.returncode == 0, built.stderr
    return run("/usr/bin/python3", os.path.join(TOOLS, "check_exports"), library, str(root / "h"))


def test_equal_exports_pass(tmp_path):
    done = exports(tmp_path)
    assert done.returncode == 0, done.stdout


def test_declared_but_absent_fails(tmp_path):
    done = exports(tmp_path, header=HEADER + "SCANT_API int scant_absent(void);\n")
    assert done.returncode == 1 and "scant_absent is declared" in done.stdout


def test_exported_but_undeclared_fails(tmp_path):
    leak = "SCANT_API int scant_leak(void);\nint scant_leak(void) { return 0; }\n"
    done = exports(tmp_path, source=SOURCE + leak)
    assert done.returncode == 1 and "scant_leak is exported" in done.stdout


# --- format ---

def test_format_knows_good_from_bad(tmp_path):
    if not shutil.which("clang-format"):
        pytest.skip("no clang-format")
    shutil.copy(os.path.join(ROOT, ".clang-format"), tmp_path)
    write(tmp_path, {"good.c": "int one(void)\n{\n    return 1;\n}\n", "bad.c": "int  one(void) {return 1;}\n"})
    check = os.path.join(TOOLS, "check_format")
    assert run(check, str(tmp_path / "good.c")).returncode == 0
    assert run(check, str(tmp_path / "bad.c")).returncode != 0


# --- packages ---

def test_install_packages_finds_what_is_missing(tmp_path):
    if not shutil.which("dpkg-query"):
        pytest.skip("not Debian")
    packages = tmp_path / "packages.txt"
    packages.write_text("# note\nbuild dpkg\nbuild no-such-package-a|dpkg\nbuild no-such-package-b\n"
                        "test no-such-package-c\n")
    environment = {**os.environ, "SCANT_PACKAGES": str(packages), "SCANT_INSTALL_DRY_RUN": "1"}
    done = run(os.path.join(TOOLS, "install_packages"), "build", env=environment)
    assert done.returncode == 0
    assert done.stdout.split() == ["missing:", "no-such-package-b"]


def test_install_packages_says_what_and_why_before_sudo(tmp_path):
    """In one line, ahead of any question for a password; no terminal is needed."""
    packages, fakes = tmp_path / "packages.txt", tmp_path / "bin"
    packages.write_text("build no-such-package-a\ntest no-such-package-b\n")
    fakes.mkdir()
    for name, script in {"id": "echo 1000", "sudo": 'echo "sudo $*" >&2; exec "$@"', "apt-get": 'echo "apt-get $*" >&2',
                         "apt-cache": "exit 0", "dpkg-query": "exit 1"}.items():
        (fakes / name).write_text(f"#!/bin/sh\n{script}\n")
        (fakes / name).chmod(0o755)
    environment = {**os.environ, "SCANT_PACKAGES": str(packages), "PATH": f"{fakes}:{os.environ['PATH']}"}
    done = subprocess.run([os.path.join(TOOLS, "install_packages"), "build", "test"], env=environment, text=True, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    assert done.returncode == 0, done.stdout
    first, second, *rest = done.stdout.splitlines()
    assert first == ("install_packages: with sudo, apt-get will install what is missing to build scant and to run its tests: "
                     "no-such-package-a no-such-package-b")
    assert second.startswith("sudo apt-get update") and "no-such-package-a no-such-package-b" in rest[-1]
