"""Programs in C over libscant, and what they ran on."""
import os
import subprocess
import sys

from report import ROOT

WARNINGS = ("-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror "
            "-fno-math-errno").split()
# Programs are parallel over fits; BLAS would bring threads of its own.
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}


def build(name, sources):
    """Compiles a program over the built library into the folder build/<name>; returns folder and path."""
    library = os.path.join(ROOT, "build")
    if not os.path.exists(os.path.join(library, "libscant.so")):
        sys.exit("build the library first: cmake --preset release && ninja -C build")
    folder = os.path.join(library, name)
    os.makedirs(folder, exist_ok=True)
    out = os.path.join(folder, os.path.basename(sources[0]).removesuffix(".c"))
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-std=gnu17", *WARNINGS, "-fopenmp", f"-I{ROOT}/include",
                    f"-I{ROOT}/repro/common", "-o", out, *sources, f"-L{library}",
                    f"-Wl,-rpath,$ORIGIN/{os.path.relpath(library, folder)}", "-lscant", "-lm"], check=True)
    return folder, out


def machine():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        model = next((l.split(":", 1)[1].strip() for l in info if l.startswith("model name")), "unknown")
    return f"{model}, {len(os.sched_getaffinity(0))} cores"
