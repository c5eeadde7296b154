"""This build compared with another one: processor time of whole runs of the program, in turns, so that a busy machine falls on both.

Both run the same commands on the same files, from the same start; where an option was renamed, each by its own name. Each program
loads the library of its own build, which is checked. A pair is a run of each, the first of them by turns; what is shown of the
ratios, this build's time over the other's, is their median and quartiles.
"""
import collections
import os
import re
import statistics
import subprocess

from . import measure, report, workloads

REPEATS = 11
MOST = 1.08  # a ratio that still counts as no slower
STOPPED_BY_LIMIT = 4  # scant's exit code when the iterations run out, which is what is asked for here
ITERATIONS = 20
INFORM_ITERATIONS = 100  # standard errors want a maximum
MISSING = 0.02  # of the cells
ONE_START = "one start"  # in arguments: stands for an option and its value

# folder, program, the library it loads, and what a fit's option for the number of starts is called
Build = collections.namedtuple("Build", "folder program library starts")


def asked(program, *arguments, **environment):
    """What a program prints. Libraries are its own build's first, wherever that was moved to."""
    folder = os.path.dirname(program)
    if not os.path.exists(program):
        raise measure.Failed(f"{program} is not there")
    done = subprocess.run([program, *arguments], env={**os.environ, "LD_LIBRARY_PATH": folder, **environment},
                          capture_output=True, text=True, check=False)
    return done.stdout


def build_at(folder):
    """A build folder whose program can be compared."""
    folder = os.path.abspath(folder)
    program = os.path.join(folder, "scant")
    found = re.search(r"libscant\.so\S* => (\S+)", asked(program, LD_TRACE_LOADED_OBJECTS="1"))
    library = os.path.realpath(found[1]) if found else "none"
    if os.path.dirname(library) != os.path.realpath(folder):
        raise measure.Failed(f"{program} loads {library}, not the library of its own build")
    names = set(re.findall(r"--(starts|restarts)\b", asked(program, "fit", "--help")))
    return Build(folder, program, library, "--starts" if "starts" in names else "--restarts")


def spelled(build, arguments):
    """The arguments as this build's program has them."""
    return [word for argument in arguments for word in ((build.starts, "1") if argument == ONE_START else (argument,))]


def seconds_of(build, arguments, threads):
    """Processor time, of the user and of the system, of a run. Threads that wait sleep: turning round is no work."""
    program = build.program
    environment = {**measure.environment(threads, False), "OMP_WAIT_POLICY": "passive", "LD_LIBRARY_PATH": build.folder}
    process = subprocess.Popen([program, *spelled(build, arguments), "--threads", str(threads), "-q"], env=environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, STOPPED_BY_LIMIT):
        raise measure.Failed(f"{program}: exit {process.returncode}: "
                             + measure.last_line(errors.decode(errors="replace")))
    return usage.ru_utime + usage.ru_stime


def fit(folder, data, start, iterations, *more):
    return ["fit", os.path.join(folder, data), "--init", os.path.join(start, "start.json"), "--max-iter", str(iterations),
            "--tol", "0", ONE_START, *more]


def gaussian(options, name, rows, covariance, columns=16, iterations=ITERATIONS, more=()):
    """(name, arguments), without and with missing cells."""
    rows = rows // 20 if options.quick else rows
    folder = workloads.gaussian(options.data, name, rows, columns, columns, covariance)
    holes = workloads.with_missing(folder, MISSING)
    shape = ("--family", "gaussian", "--covariance", covariance, "-k", str(columns), *more)
    return [(name, fit(folder, "x.npy", folder, iterations, *shape)),
            (f"{name}, missing cells", fit(holes, "x.npy", folder, iterations, *shape))]


def multinomial(options):
    rows, columns, nonzeros = (2000, 5000, 200000) if options.quick else (20000, 30000, 2100000)
    folder = workloads.multinomial(options.data, "multinomial", rows, columns, 20, nonzeros)
    return [("multinomial", fit(folder, "x.mtx", folder, 3 * ITERATIONS, "--family", "multinomial", "--smooth", "1", "-k",
                                "20"))]


def audit(options):
    folder = workloads.votes(options.data, "votes", 5000 if options.quick else 100000, 10, 4)
    return [(name, ["audit", workloads.votes_table(folder, share), "--model", "confusion", "--max-iter", "50", "--tol", "0"])
            for name, share in (("audit", 0), ("audit, missing votes", 0.3))]


WORKLOADS = {
    "full": lambda options: gaussian(options, "full", 200000, "full"),
    "diag": lambda options: gaussian(options, "diag", 1000000, "diag"),
    "multinomial": multinomial,
    "audit": audit,
    "inform": lambda options: gaussian(options, "inform", 200000, "diag", 8, INFORM_ITERATIONS, ("--stderr",)),
}


def pairs(mine, other, arguments, threads, repeats, measured=seconds_of):
    """[(seconds of this build, seconds of the other)]"""
    found = []
    for repeat in range(repeats):
        order = (mine, other) if repeat % 2 == 0 else (other, mine)
        seconds = {build: measured(build, arguments, threads) for build in order}
        found.append((seconds[mine], seconds[other]))
    return found


def row(name, threads, found):
    """A line of the table, and whether the build is no slower."""
    ratios = sorted(a / b for a, b in found)
    middle = statistics.median(ratios)
    low, high = (statistics.quantiles(ratios, n=4)[k] for k in (0, 2)) if len(ratios) > 1 else (middle, middle)
    good = middle <= MOST
    return [name, str(threads), *(f"{statistics.median(times):.3f}" for times in zip(*found)),
            f"{middle:.3f} ({low:.3f}..{high:.3f})", "yes" if good else "NO"], good


def run(options, say):
    """Prints the table; 1 where a workload got slower."""
    folder = measure.build_with(options.kernels, options.against) if options.kernels else options.against
    mine, other = build_at(measure.BUILD), build_at(folder)
    say(f"  {mine.library} compared with {other.library}")
    rows, slower = [], 0
    for workload in options.only or WORKLOADS:
        for name, arguments in WORKLOADS[workload](options):
            for threads in (1, 2):
                try:
                    line, good = row(name, threads, pairs(mine, other, arguments, threads, options.repeats))
                except measure.Failed as failure:
                    line, good = [name, str(threads), "-", "-", f"failed: {failure}", "NO"], False
                rows.append(line)
                slower |= not good
                say("  " + ", ".join(line))
    print(f"Processor time with {mine.library} compared with {other.library}, {options.repeats} pairs of runs in turns\n")
    print(report.table(["workload", "threads", "this: median s", "other: median s", "ratio: median (quartiles)",
                        f"at most {MOST}"], rows))
    return slower
