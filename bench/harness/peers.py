"""Who takes part in which workload. A peer is (name, function of threads -> result, numbers of threads)."""
import glob
import os
import statistics
import subprocess
import time

from . import measure

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


def program_of_scant():
    path = os.path.join(measure.BUILD, "scant")
    if not os.path.exists(path):
        raise measure.Failed(f"{path} is not there: make build")
    return path


def scant(threads, command, *arguments):
    """The JSON of a command of scant's."""
    return measure.run([program_of_scant(), command, *arguments, "--threads", str(threads), "--json"], threads,
                       for_peer=False, good=(0, STOPPED_BY_LIMIT))


def without_baseline():
    """Fits with few labels show the supervised fit beside; where it can be left out it is not to be timed."""
    text = subprocess.run([program_of_scant(), "fit", "--help"], capture_output=True, text=True, check=False).stdout
    return ["--no-baseline"] if "--no-baseline" in text else []


def scant_fit(folder, data, iterations, *options, name="scant", start="start.json"):
    """scant from the workload's start; the result has seconds, iterations, check and peak_kb."""
    def run(threads):
        result = scant(threads, "fit", os.path.join(folder, data), "--init", os.path.join(folder, start),
                       "--max-iter", str(iterations), "--tol", "0", "--starts", "1", *options)
        try:
            return {"seconds": result["seconds"], "iterations": result["iterations"],
                    "check": result["loglik"] / result["rows"], "peak_kb": result["peak_kb"]}
        except (KeyError, TypeError, ZeroDivisionError) as error:
            raise measure.Failed(f"no {error} in its JSON") from error
    return name, run, (1, 2)


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


def python(folder, components, iterations):
    """The library's own call and the Python package's."""
    def c_call(threads):
        return measure.run([with_library("fit_gaussian"), folder, str(components), str(iterations), str(threads)], threads,
                           for_peer=False)

    def package(threads):
        return measure.run([measure.PYTHON, script("gaussian_scant.py"), folder, str(components), str(iterations),
                            str(threads)], threads, for_peer=False)

    return [("C", c_call, (1, 2)), ("Python", package, (1, 2))]


def multinomial(folder, components, iterations, smooth):
    k, count = str(components), str(iterations)
    return [
        scant_fit(folder, "x.mtx", iterations, "--family", "multinomial", "--smooth", str(smooth), "-k", k),
        peer("SciPy CSR", lambda t: [measure.PYTHON, script("multinomial_scipy.py"), folder, k, count,
                                     str(smooth)], (1, 2)),
    ]


def semi(folder, covariance, columns, components, classes, iterations):
    """scant alone: rows without labels, and the same rows with some."""
    label = f"x{columns + 1}"
    shape = ("--family", "gaussian", "--covariance", covariance)
    return [
        scant_fit(folder, "x.npy", iterations, *shape, "-k", str(components), "--ignore", label, name="no labels"),
        scant_fit(folder, "x.npy", iterations, *shape, "-k", f"{components // classes}/class", "--label", label,
                  *without_baseline(), name="some labels", start="labelled.json"),
    ]


def train(folder, columns, classes, with_peer):
    """A stack from few labels, a plain fit of the same rows, and scikit-learn's stack of the same members; the check is the
    accuracy on rows whose classes nobody was told."""
    x, label, model = os.path.join(folder, "x.npy"), f"x{columns + 1}", os.path.join(measure.WORK, "stack.json")

    def ours(name, command, *options):
        def run(threads):
            result = scant(threads, command, x, "--label", label, *options, "-o", model)
            tested = scant(threads, "evaluate", model, os.path.join(folder, "test.npy"), "--label", label)
            return {"seconds": result["seconds"], "check": tested["accuracy"], "peak_kb": result["peak_kb"]}
        return name, run, (1, 2)

    theirs = peer("scikit-learn StackingClassifier", lambda t: [measure.PYTHON, script("train_sklearn.py"), folder, str(t)], (1,))
    return [ours("scant", "train"),
            ours("scant fit", "fit", "--starts", "1", "-k", f"{classes}", *without_baseline()),
            *([theirs] if with_peer else [])]


def med(folder, kernel, c, tol, rival=None):
    """A machine of large margins, and LIBSVM or LIBLINEAR with C = c; the check is the accuracy on rows that were not seen."""
    def machine(label, name, aim):
        return peer(label, lambda threads: [measure.PYTHON, script("med.py"), name, folder, kernel, str(c), str(aim), str(threads)], (1,))

    rivals = {"libsvm": "LIBSVM (scikit-learn SVC)", "liblinear": "LIBLINEAR -s 3 (scikit-learn LinearSVC)"}
    theirs = [machine(rivals[rival], rival, 1e-3)] if rival else []
    return [machine("scant", "scant", tol), *theirs]


def few_labels(batches):
    """Everyone on the same tasks (labels a class, folder), one batch of them a repetition; `seconds` is the mean of a
    fit, `check` the list of (labels a class, accuracy) so far."""
    def in_turn(name, solve, tasks=None):
        rest, found = iter(batches), []

        def run(threads):
            labels, folders = zip(*next(rest)[:tasks])
            seconds, accuracies = solve(folders, threads)
            found.extend(zip(labels, accuracies))
            return {"seconds": statistics.mean(seconds), "check": found}
        return name, run, (1,)

    def ours(name, data, *command):
        return in_turn(name, lambda folders, threads: zip(
            *(scant_task(folder, data, threads, *command) for folder in folders)))

    def theirs(name, *command, tasks=None):
        def solve(folders, threads):
            result = measure.run([*command, *folders], threads)
            return result["seconds"], result["accuracy"]
        return in_turn(name, solve, tasks)

    mclust = ("Rscript", script("few_labels_mclust.R"))
    sklearn = (measure.PYTHON, script("few_labels_sklearn.py"))
    return [
        ours("scant fit", "train.csv", "fit", *without_baseline()),
        ours("scant select", "train.csv", "select", "-k", "1/class"),
        ours("scant fit, labelled rows alone", "labelled.csv", "fit"),
        ours("scant select, labelled rows alone", "labelled.csv", "select", "-k", "1/class"),
        theirs("MclustSSC, scant's 6 covariances", *mclust, "EII,VII,EEI,VVI,EEE,VVV"),
        # seconds a fit: it must do with the first draw of every batch
        theirs("MclustSSC, its 14 covariances, fewer draws", *mclust, "all", tasks=few_labels_of_a_draw(batches)),
        theirs("logistic regression, labelled rows alone", *sklearn, "logistic"),
        theirs("SelfTrainingClassifier of it", *sklearn, "self-training"),
        theirs("LabelSpreading, kernel knn", *sklearn, "spreading-knn"),
        theirs("LabelSpreading, kernel rbf", *sklearn, "spreading-rbf"),
    ]


def few_labels_of_a_draw(batches):
    """Tasks that belong to one draw."""
    return len({labels for labels, _ in batches[0]})


def scant_task(folder, data, threads, command, *options):
    """Seconds of a fit, and its accuracy on the test rows. select does not say its time: the process is timed."""
    model = os.path.join(measure.WORK, "few_labels.json")
    begin = time.perf_counter()
    result = scant(threads, command, os.path.join(folder, data), "--label", "y", "-q", "-o", model, *options)
    seconds = result.get("seconds", time.perf_counter() - begin)
    score = scant(threads, "evaluate", model, os.path.join(folder, "test.csv"), "--label", "y", "-q")
    return seconds, score["accuracy"]


def with_library(name):
    """The path of a program of this folder that uses scant's library."""
    library = measure.BUILD
    if not os.path.exists(os.path.join(library, "libscant.so")):
        raise measure.Failed("build/libscant.so is not there: make build")
    return measure.compile_program(name, name + ".c", "-I", os.path.join(measure.ROOT, "include"),
                                   "-L", library, "-lscant", f"-Wl,-rpath,{library}")


def inform(folder, covariance, components, iterations):
    """An iteration of a fit, and the standard errors of the same fit."""
    last = {}

    def iterate(threads):
        last[threads] = measure.run([with_library("inform"), folder, covariance, str(components), str(iterations),
                                     str(threads)], threads, for_peer=False)
        return {"seconds": last[threads]["iteration"]}

    def errors(threads):
        if threads not in last:
            raise measure.Failed("no fit")
        return last[threads]

    return [("an EM iteration", iterate, (1, 2)), ("standard errors", errors, (1, 2))]


def blind(folder, share, step, iterations):
    """Exact gradients to the end, and so many iterations of finite differences (algorithm 1) from the same start. The check is
    the objective that was reached."""
    def one(name, *options):
        def run(threads):
            result = scant(threads, "blind", os.path.join(folder, "x.npy"), "--prior", str(share), "--starts", "1", *options)
            return {"seconds": result["seconds"], "check": result["objective"]}
        return name, run, (1,)

    return [one("exact, to the end"),
            one(f"algorithm 1, {iterations} iterations", "--algorithm", "descent", "--step", str(step), "--tol", "0", "--max-iter",
                str(iterations))]


def csv(folder):
    def read(threads):
        return measure.run([with_library("read_csv"), folder, str(threads)], threads, for_peer=False)

    return [
        ("scant", read, (1, 2)),
        peer("pandas read_csv", lambda t: [measure.PYTHON, script("csv_pandas.py"), folder], (1,)),
        peer("data.table fread", lambda t: ["Rscript", script("csv_fread.R"), folder, str(t)], (1, 2)),
    ]


def audit(folder, iterations, smooth):
    """crowd-kit is no Debian package: CROWDKIT_PYTHON names an interpreter that has it."""
    def ours(threads, *whole):
        library = measure.BUILD
        program_of_scant()
        path = measure.compile_program("audit", "audit.c", "-I", os.path.join(measure.ROOT, "include"),
                                       "-L", library, "-lscant", f"-Wl,-rpath,{library}")
        return measure.run([path, folder, str(iterations), str(threads), *whole], threads, for_peer=False)

    crowdkit = os.environ.get("CROWDKIT_PYTHON", measure.PYTHON)
    return [
        ("scant, iterations alone", ours, (1, 2)),
        ("scant, whole audit", lambda t: ours(t, "whole"), (1, 2)),
        peer("NumPy, one-hot", lambda t: [measure.PYTHON, script("audit_numpy.py"), folder, str(iterations), str(smooth)],
             (1,)),
        peer("crowd-kit", lambda t: [crowdkit, script("audit_crowdkit.py"), folder, str(iterations)], (1,)),
    ]


def audit_file(folder):
    """From the file to the answer, all of the program's time."""
    def run(threads):
        begin = time.perf_counter()
        result = scant(threads, "audit", os.path.join(folder, "votes.csv"), "--long", "-q")
        return {"seconds": time.perf_counter() - begin, "check": result["loglik"] / result["items"]}
    return [("scant, file to answer", run, (1, 2))]


def limits(threads):
    """Multiply-adds and exponentials a second, and bytes read from memory: {"flops", "exps", "bytes"}."""
    path = measure.compile_program("limits", "limits.c", "-ffast-math", "-mprefer-vector-width=512", "-lm")
    return measure.run([path, str(threads)], threads)


# --- tensors ---

def products(sizes, rank, iterations, threads):
    """What an iteration's products with a dense tensor take: {"seconds", "least", "most", "flop", "bytes"}."""
    program_of_scant()
    objects = os.path.join(measure.BUILD, "CMakeFiles", "scant_objects.dir", "src")
    parts = [*sorted(glob.glob(os.path.join(objects, "base", "*.o"))), *(os.path.join(objects, name + ".c.o") for name in
             ("tensor/dense", "tensor/kruskal", "math/product", "math/kernels")),
             os.path.join(measure.BUILD, "libscant_kernels.a")]
    path = measure.compile_program("products", "products.c", *("-I" + os.path.join(measure.ROOT, name)
                                                               for name in ("include", "src")), *parts, "-lm")
    return measure.run([path, *map(str, (threads, iterations, rank, *sizes))], threads, for_peer=False)


def scant_factor(path, rank, iterations, *options, name="scant"):
    def run(threads):
        result = scant(threads, "factor", path, "--rank", str(rank), "--max-iter", str(iterations), "--tol", "0",
                       *options)
        return {"seconds": result["trace"][-1]["seconds"], "iterations": result["iterations"],
                "check": result["rssr"], "peak_kb": result["peak_kb"], "entries": result["entries"],
                "trace": [(step["seconds"], step["rssr"]) for step in result["trace"]]}
    return name, run, (1, 2)


def program(variable, what):
    """A program that is not in Debian, by the environment."""
    path = os.environ.get(variable)
    if not path or not os.path.exists(path):
        raise measure.Failed(f"no {what}: {variable} names its program")
    return path


def tensorly_python():
    """A Python that has TensorLy: Debian's own, or one with it from PyPI under build/bench."""
    mine = os.path.join(measure.WORK, "tensorly", "bin", "python")
    for python in (measure.PYTHON, mine):
        if os.path.exists(python) and subprocess.run([python, "-c", "import tensorly"], capture_output=True,
                                                     check=False).returncode == 0:
            return python
    subprocess.run([measure.PYTHON, "-m", "venv", "--system-site-packages", os.path.join(measure.WORK, "tensorly")],
                   capture_output=True, check=False)
    done = subprocess.run([mine, "-m", "pip", "install", "-q", "tensorly"], capture_output=True, check=False)
    if done.returncode != 0:
        raise measure.Failed("TensorLy could not be installed from PyPI")
    return mine


def dense_factor(folder, sizes, rank, iterations):
    start = ("--start", os.path.join(folder, "start"))
    x, r, count = os.path.join(folder, "x.npy"), str(rank), str(iterations)
    return [
        scant_factor(x, rank, iterations, *start, "--solver", "bpp"),
        scant_factor(x, rank, iterations, *start, "--solver", "hals", name="scant hals"),
        peer("TensorLy HALS", lambda t: [tensorly_python(), script("factor_tensorly.py"), folder, r, count], (1, 2)),
        peer("PLANC ANLS-BPP, dimension tree",
             lambda t: [measure.PYTHON, script("factor_planc.py"), program("SCANT_BENCH_PLANC", "PLANC"), folder,
                        " ".join(map(str, sizes)), r, count], (1, 2)),
    ]


def sparse_factor(folder, rank, iterations):
    path, r, count = os.path.join(folder, "x.tns"), str(rank), str(iterations)

    def splatt(name, variable, *more):
        return peer(name, lambda t: [measure.PYTHON, script("factor_splatt.py"), program(variable, "SPLATT"), path, r,
                                     count, str(t), *more], (1, 2))
    return [
        scant_factor(path, rank, iterations, "--solver", "bpp"),
        scant_factor(path, rank, iterations, "--solver", "hals", name="scant hals"),
        splatt("SPLATT AO-ADMM, nonnegative", "SCANT_BENCH_SPLATT_ADMM", "--con", "nonneg"),
        splatt("SPLATT ALS, no constraint", "SCANT_BENCH_SPLATT"),
    ]
