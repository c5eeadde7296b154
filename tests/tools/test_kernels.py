"""The kernels compile for 64-bit ARM, whose vectors they use by the same words; nothing is run."""
import glob
import os
import shutil
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CROSS = "aarch64-linux-gnu-gcc"
FLAGS = ("-O3", "-std=gnu17", "-fPIC", "-fopenmp-simd", "-fno-math-errno", "-Wall", "-Wextra", "-Wconversion", "-Werror",
         "-Wmissing-prototypes", "-DSCANT_I_TARGET=neon")
KERNELS = sorted(glob.glob(os.path.join(ROOT, "src", "*", "kernels", "*.c")))


def compile_for_arm(source, target, *more):
    if not shutil.which(CROSS):
        pytest.skip(f"no {CROSS}")
    return subprocess.run([CROSS, *FLAGS, *more, "-I", os.path.join(ROOT, "include"), "-I", os.path.join(ROOT, "src"), "-c",
                           source, "-o", target], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("source", KERNELS, ids=lambda path: os.path.relpath(path, ROOT))
def test_kernels_compile(source, tmp_path):
    done = compile_for_arm(source, str(tmp_path / "kernel.o"))
    assert done.returncode == 0, done.stderr


def test_the_choice_compiles(tmp_path):
    done = compile_for_arm(os.path.join(ROOT, "src", "math", "kernels.c"), str(tmp_path / "kernels.o"))
    assert done.returncode == 0, done.stderr


def test_products_are_of_vectors(tmp_path):
    """Multiply-adds of two doubles, not of one."""
    target = str(tmp_path / "product.s")
    done = compile_for_arm(os.path.join(ROOT, "src", "math", "kernels", "product.c"), target, "-S")
    assert done.returncode == 0, done.stderr
    with open(target, encoding="utf-8") as assembly:
        text = assembly.read()
    assert text.count(".2d") > 100
