"""The attacks of tests/fault, a few of each; tools/nightly makes more."""
import subprocess
import sys

import pytest

from conftest import PROGRAM, ROOT


@pytest.mark.parametrize("attack, count", [("kills", 12), ("writers", 12), ("mutations", 40), ("names", 16), ("rows", 20000)])
def test_attack(attack, count):
    done = subprocess.run([sys.executable, ROOT / "tests" / "fault" / "attacks.py", attack, "--count", str(count), "--program",
                           PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "nothing found" in done.stdout, done.stdout + done.stderr
