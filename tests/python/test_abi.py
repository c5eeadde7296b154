"""The bindings are the headers': generated anew they are the same, and a C compiler sees the same layouts."""
import ctypes
import os
import re
import subprocess
import sys

from conftest import ROOT
from scant import _abi
from scant._library import library

STRUCTS = {name: cls for name, cls in vars(_abi).items()
           if isinstance(cls, type) and issubclass(cls, ctypes.Structure) and cls is not ctypes.Structure}


def test_generated_file_is_current():
    done = subprocess.run([sys.executable, ROOT / "tools" / "make_bindings", "--check"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_changed_header_is_noticed(tmp_path):
    """The generator sees a member that a header gains, and the check fails."""
    for part in ("include/scant", "python/scant", "tools"):
        (tmp_path / part).mkdir(parents=True)
    for path in (ROOT / "include" / "scant").glob("*.h"):
        (tmp_path / "include" / "scant" / path.name).write_text(path.read_text())
    (tmp_path / "python/scant/_abi.py").write_text((ROOT / "python/scant/_abi.py").read_text())
    tool = tmp_path / "tools" / "make_bindings"
    tool.write_text((ROOT / "tools" / "make_bindings").read_text())
    check = [sys.executable, str(tool), "--check"]
    assert subprocess.run(check, check=False).returncode == 0
    header = tmp_path / "include/scant/fit.h"
    header.write_text(header.read_text().replace("size_t max_iter;", "size_t max_iter, min_iter;"))
    assert subprocess.run(check, check=False, capture_output=True).returncode == 1


def test_layouts_are_the_compilers(tmp_path):
    lines = ["#include <scant/scant.h>", "#include <stdio.h>", "int main(void)", "{"]
    for name, cls in STRUCTS.items():
        lines.append(f'    printf("{name} %zu\\n", sizeof({name}));')
        for member, *_ in cls._fields_:
            lines.append(f'    printf("{name}.{member} %zu %zu\\n", offsetof({name}, {member}), '
                         f"sizeof((({name} *)0)->{member}));")
    (tmp_path / "layout.c").write_text("\n".join([*lines, "    return 0;", "}"]))
    subprocess.run([os.environ.get("CC", "cc"), f"-I{ROOT}/include", tmp_path / "layout.c", "-o", tmp_path / "layout"],
                   check=True)
    said = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True).stdout
    ours = []
    for name, cls in STRUCTS.items():
        ours.append(f"{name} {ctypes.sizeof(cls)}")
        ours += [f"{name}.{member} {getattr(cls, member).offset} {getattr(cls, member).size}"
                 for member, *_ in cls._fields_]
    assert said.split("\n")[:-1] == ours


def test_every_declared_thing_is_bound():
    text = "".join(path.read_text() for path in (ROOT / "include" / "scant").glob("*.h"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    assert len(re.findall(r"^SCANT_API ", text, flags=re.M)) == len(_abi.FUNCTIONS)
    assert len(re.findall(r"typedef struct \w+ \{", text)) == len(STRUCTS)
    for name, (_, parameters) in _abi.FUNCTIONS.items():
        declared = re.search(rf"\b{name}\(([^)]*)\)", text)[1].strip()
        assert len(parameters) == (0 if declared == "void" else declared.count(",") + 1), name
        assert getattr(library, name).argtypes == parameters
