"""Building and running peers: one process a measurement, its own clock, its own threads."""
import glob
import json
import math
import os
import shutil
import statistics
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCH = os.path.join(ROOT, "bench")
WORK = os.path.join(ROOT, "build", "bench")
BUILD = os.path.join(ROOT, "build")  # whose program and library are measured
SHARED = os.environ.get("SCANT_SHARED_DATA", os.path.join(ROOT, "..", "shared", "data"))
PYTHON = "/usr/bin/python3"
SLOW = 30.0  # seconds; a peer slower than this is repeated less often
SLOW_REPEATS = 3


class Failed(Exception):
    """A peer that could not be built or run; the text goes into the table."""


def cpu_has(flag):
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        return any(line.startswith("flags") and flag in line.split() for line in info)


def blas_core():
    """The kernels OpenBLAS should use: Debian's does not know newer CPUs and falls back to slow ones."""
    if cpu_has("avx512f"):
        return "SKYLAKEX"
    return "HASWELL" if cpu_has("avx2") else None


def environment(threads, for_peer):
    """The environment of a measurement. Only peers are helped to the right BLAS kernels."""
    result = {key: value for key, value in os.environ.items()
              if not key.startswith(("OMP_", "OPENBLAS_", "MKL_", "GOTO_"))}
    result.update(OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads), PYTHONDONTWRITEBYTECODE="1")
    core = blas_core()
    if for_peer and core:
        result["OPENBLAS_CORETYPE"] = core
    return result


def source_of(build):
    """The tree that a build folder was made from."""
    try:
        with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
            return next(line.split("=", 1)[1].strip() for line in cache if line.startswith("CMAKE_HOME_DIRECTORY:"))
    except (OSError, StopIteration) as error:
        raise Failed(f"{build} is no build folder of CMake's") from error


def limit_of(tree, kernels):
    """The definition that keeps a tree's build to these kernels; older trees could leave out AVX-512 and nothing else."""
    with open(os.path.join(tree, "CMakeLists.txt"), encoding="utf-8") as lists:
        old = "SCANT_AVX512" in lists.read()
    if old and kernels == "sse2":
        raise Failed(f"{tree} has no build that is limited to sse2")
    return f"-DSCANT_AVX512={'OFF' if kernels == 'avx2' else 'ON'}" if old else f"-DSCANT_KERNELS={kernels}"


def build_with(kernels, like=None):
    """The folder of a build that chooses no better kernels than these, of this tree or of the one that the build folder `like`
    was made from; made or brought up to date."""
    tree = source_of(like) if like else ROOT
    folder = os.path.join(WORK, f"kernels-{kernels}" + (f"-{os.path.realpath(tree).strip('/').replace('/', '-')}" if like else ""))
    for command in (["cmake", "-S", tree, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSCANT_TESTS=OFF",
                     limit_of(tree, kernels)], ["cmake", "--build", folder, "--target", "scant_program"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"no build with kernels {kernels}: {last_line(done.stdout + done.stderr)}")
    return folder


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1][:120] if lines else "no message"


def run(command, threads, for_peer=True, good=(0,), limit=1800):
    """Runs a command that prints one JSON object; returns it with `peak_kb` of the process added."""
    os.makedirs(WORK, exist_ok=True)
    out_path, err_path, peak_path = (os.path.join(WORK, name) for name in ("out.txt", "err.txt", "peak.txt"))
    if not shutil.which(command[0]):
        raise Failed(f"no {os.path.basename(command[0])}")
    # GNU time stands between: a process started from here would inherit the peak of this one.
    with open(out_path, "wb") as out, open(err_path, "wb") as err:
        code = subprocess.run(["/usr/bin/time", "-q", "-f", "%M", "-o", peak_path, "timeout", str(limit),
                               *command], stdout=out, stderr=err, env=environment(threads, for_peer),
                              check=False).returncode
    with open(out_path, encoding="utf-8", errors="replace") as out:
        text = out.read()
    if code not in good:
        with open(err_path, encoding="utf-8", errors="replace") as err:
            raise Failed(f"exit {code}: {last_line(err.read())}")
    try:
        result = json.loads(text[text.index("{"):])
    except ValueError as error:
        raise Failed(f"not JSON: {last_line(text)}") from error
    with open(peak_path, encoding="ascii") as peak:
        result["peak_kb"] = int(peak.read().split()[-1])
    return result


def compile_program(name, source, *flags):
    """The path of a compiled helper; built again when its source, one of scant's headers or an object is newer."""
    path = os.path.join(WORK, "bin", name)
    source = os.path.join(BENCH, source)
    headers = glob.glob(os.path.join(ROOT, "include", "scant", "*.h"))
    objects = [flag for flag in flags if flag.endswith(".o")]
    newest = max(map(os.path.getmtime, [source, os.path.join(BENCH, "peers", "npy.h"), *headers, *objects]))
    if not os.path.exists(path) or os.path.getmtime(path) < newest:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        compiler = "g++" if source.endswith(".cpp") else "gcc"
        done = subprocess.run([compiler, "-O3", "-march=native", "-fopenmp", source, "-o", path, *flags],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if "error:" in line or "undefined reference" in line]
            raise Failed("does not compile: " + (errors[0][-120:] if errors else last_line(done.stderr)))
    return path


class Series:
    """Repeated measurements of one peer with one number of threads."""

    def __init__(self):
        self.seconds = []
        self.check = None
        self.traces = []  # of runs that tell how far they were at what time: pairs (seconds, residual)
        self.note = ""
        self.failure = None

    def wants_more(self, repeats):
        if self.failure:
            return False
        slow = self.seconds and self.seconds[0] > SLOW
        return len(self.seconds) < (min(repeats, SLOW_REPEATS) if slow else repeats)

    def add(self, result, iterations):
        seconds = result["seconds"]
        done = result.get("iterations", iterations)
        if iterations and done != iterations:
            self.note = f"stopped after {done}, time scaled"
            seconds *= iterations / max(done, 1)
        self.seconds.append(seconds)
        self.check = result.get("check", self.check)
        if "trace" in result:
            self.traces.append(result["trace"])

    def times_to(self, residual):
        """Seconds to a residual in every run; infinite where one does not get there."""
        return [next((seconds for seconds, reached in trace if reached <= residual), math.inf) for trace in self.traces]

    def median(self):
        return statistics.median(self.seconds) if self.seconds else None


def interleave(peers, repeats, threads, iterations=None, say=lambda text: None):
    """{(peer name, threads): Series}: one repetition of every peer, then the next, so that a slow minute
    of the machine falls on all of them. A peer is (name, function of threads, numbers of threads)."""
    series = {(name, t): Series() for name, _, able in peers for t in threads if t in able}
    for repeat in range(repeats):
        for name, measure, _ in peers:
            for t in threads:
                one = series.get((name, t))
                if one is None or not one.wants_more(repeats):
                    continue
                try:
                    one.add(measure(t), iterations)
                    say(f"  {name}, threads {t}, run {repeat + 1}: {one.seconds[-1]:.3f} s")
                except Failed as failure:
                    one.failure = str(failure)
                    say(f"  {name}, threads {t}: {failure}")
    return series
