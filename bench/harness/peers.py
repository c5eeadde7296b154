"""Who takes part in which workload. A peer is (name, function of threads -> result, numbers of threads)."""
import os

from . import measure

SCANT = os.path.join(measure.ROOT, "build", "scant")
STOPPED_BY_LIMIT = 4  # scant's exit code when the iterations run out, which is what is asked for here


def script(name):
    return os.path.join(measure.BENCH, "peers", name)


def peer(name, command, able):
    """A peer from a function of threads that makes its command."""
    return name, lambda threads: measure.run(command(threads), threads), able


def compiled(name, binary, source, flags, arguments, able):
    """A peer whose program is compiled at its first use, so that a missing library fails in its row."""
    def run(threads):
        path = measure.compile_program(binary, source, *flags)
        return measure.run([path, *arguments(threads)], threads)
    return name, run, able


def scant_fit(folder, data, iterations, *options):
    """scant from the workload's start; the result has seconds, iterations, check and peak_kb."""
    def run(threads):
        if not os.path.exists(SCANT):
            raise measure.Failed("build/scant is not there: make build")
        result = measure.run(
            [SCANT, "fit", os.path.join(folder, data), "--init", os.path.join(folder, "start.json"),
             "--max-iter", str(iterations), "--tol", "0", "--restarts", "1", "--threads", str(threads),
             "--json", *options], threads, for_peer=False, good=(0, STOPPED_BY_LIMIT))
        try:
            return {"seconds": result["seconds"], "iterations": result["iterations"],
                    "check": result["loglik"] / result["rows"], "peak_kb": result["peak_kb"]}
        except (KeyError, TypeError, ZeroDivisionError) as error:
            raise measure.Failed(f"no {error} in its JSON") from error
    return "scant", run, (1, 2)


def gaussian(folder, covariance, components, iterations):
    k, count = str(components), str(iterations)
    form = "VVV" if covariance == "full" else "VVI"
    found = [
        scant_fit(folder, "x.npy", iterations, "--family", "gaussian", "--covariance", covariance, "-k", k),
        peer("scikit-learn", lambda t: [measure.PYTHON, script("gaussian_sklearn.py"), folder, covariance,
                                        k, count], (1, 2)),
        compiled(f"Armadillo gmm_{covariance}", "armadillo", "peers/gaussian_armadillo.cpp",
                 ["-larmadillo"], lambda t: [folder, covariance, k, count], (1, 2)),
        peer(f"mclust {form}", lambda t: ["Rscript", script("gaussian_mclust.R"), folder, form, k, count],
             (1,)),
    ]
    if covariance == "diag":
        found.append(compiled("VLFeat", "vlfeat", "peers/gaussian_vlfeat.c", ["-lvl", "-lm"],
                              lambda t: [folder, k, count, str(t)], (1, 2)))
    return found


def multinomial(folder, components, iterations, smooth):
    k, count = str(components), str(iterations)
    return [
        scant_fit(folder, "x.mtx", iterations, "--family", "multinomial", "--smooth", str(smooth), "-k", k),
        peer("SciPy CSR", lambda t: [measure.PYTHON, script("multinomial_scipy.py"), folder, k, count,
                                     str(smooth)], (1, 2)),
    ]


def csv(folder):
    def scant(threads):
        library = os.path.join(measure.ROOT, "build")
        if not os.path.exists(os.path.join(library, "libscant.so")):
            raise measure.Failed("build/libscant.so is not there: make build")
        path = measure.compile_program("read_csv", "read_csv.c", "-I", os.path.join(measure.ROOT, "include"),
                                       "-L", library, "-lscant", f"-Wl,-rpath,{library}")
        return measure.run([path, folder, str(threads)], threads, for_peer=False)

    return [
        ("scant", scant, (1, 2)),
        peer("pandas read_csv", lambda t: [measure.PYTHON, script("csv_pandas.py"), folder], (1,)),
        peer("data.table fread", lambda t: ["Rscript", script("csv_fread.R"), folder, str(t)], (1, 2)),
    ]


def limits(threads):
    """Multiply-adds and exponentials a second: {"flops", "exps"}."""
    path = measure.compile_program("limits", "limits.c", "-ffast-math", "-mprefer-vector-width=512", "-lm")
    return measure.run([path, str(threads)], threads)
