"""The kernels compile for 64-bit ARM, whose vectors they use by the same words, and with each compiler for the same targets;
nothing is run."""
import glob
import os
import platform
import re
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


LOOK_AT = {"solve/kernels/batch.c": "batch_factor", "tensor/kernels/rows.c": "multiply_rows",
           "inform/kernels/slice.c": "shorten", "family/kernels/gaussian.c": "whiten", "latent/kernels/rows.c": "count_rows"}
REGISTERS = {"avx512": "%zmm", "avx2": "%ymm", "sse2": "%xmm"}
TOO_WIDE = {"avx512": (), "avx2": ("%zmm",), "sse2": ("%zmm", "%ymm")}


@pytest.mark.parametrize("compiler", ("gcc", "clang"))
def test_every_compiler_makes_every_target(compiler, tmp_path):
    """Kernels of all layers, in the vectors that the target is named for and no longer ones."""
    if platform.machine() != "x86_64":
        pytest.skip("targets of x86-64")
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    objects = {(source, target): f"CMakeFiles/scant_kernels_{target}.dir/src/{source}.o"
               for source in LOOK_AT for target in REGISTERS}
    for command in (["cmake", "-S", ROOT, "-B", str(tmp_path), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                     f"-DCMAKE_C_COMPILER={compiler}"], ["ninja", "-C", str(tmp_path), "-j2", *objects.values()]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    for (source, target), name in objects.items():
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(tmp_path / name)], capture_output=True, text=True,
                              check=True).stdout
        kernel = re.search(rf"<scant_i_{target}_{LOOK_AT[source]}>:\n(.*?)(?=\n\n|\Z)", text, re.S)
        assert kernel and REGISTERS[target] in kernel.group(1), (source, target)
        assert not [wide for wide in TOO_WIDE[target] if wide in text], (source, target)
