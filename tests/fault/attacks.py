#!/usr/bin/python3
"""usage: tests/fault/attacks.py ATTACK [--count N] [--seed N] [--program PATH]

Attacks on the program, each of which ends with a line of what was done and found, and with 1 where anything was:

    kills      fits with a checkpoint and streams with a saved state, killed (SIGKILL) at random moments: every file that is
               there afterwards is whole, and --resume goes on from it
    writers    many programs that write one file at once, and readers of it: it is always one of theirs, whole
    mutations  files of every format with bytes changed, cut and doubled: an exit code of the documented ones, never a signal
    names      columns, classes and files called what shells, terminals, gnuplot, HTML and CSV take for something else
    rows       a stream of --count rows, whose memory must not grow
    busy       two threads compared with one while two other processes keep the processors busy
"""
import argparse
import fcntl
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODES = (0, 1, 2, 3, 4, 5)
PATIENCE = 60


class Attack:
    def __init__(self, program, folder, seed):
        self.program, self.folder, self.dice, self.faults = program, folder, random.Random(seed), []

    def run(self, *arguments, **more):
        """The program with no input and no terminal; the exit code, below 0: a signal."""
        done = subprocess.run([self.program, *map(str, arguments)], stdin=more.pop("stdin", subprocess.DEVNULL), check=False,
                              capture_output=True, timeout=PATIENCE, **more)
        if done.returncode not in CODES:
            self.faults.append(f"exit {done.returncode}: {arguments}: {done.stderr[-300:]!r}")
        return done

    def start(self, *arguments):
        return subprocess.Popen([self.program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def table(self, name, rows, classes=("a", "b")):
        path = self.folder / name
        dice = random.Random(rows)
        with open(path, "w", encoding="utf-8") as out:
            out.write("x,z,y\n")
            for i in range(rows):
                k = i % len(classes)
                out.write(f"{dice.gauss(3 * k, 1):.4f},{dice.gauss(k, 2):.4f},{classes[k] if i % 3 else ''}\n")
        return path

    def whole(self, path):
        """Is the file absent, or a whole document?"""
        try:
            json.loads(path.read_text())
        except FileNotFoundError:
            return False
        except ValueError as error:
            self.faults.append(f"{path.name} is not whole: {error}")
        return True

    def leftovers(self):
        """Files that a program began and never named are hidden ones."""
        return [path.name for path in self.folder.iterdir() if path.name.startswith(".")]


def stamp(path):
    """Changes whenever the file is another one."""
    try:
        about = path.stat()
    except FileNotFoundError:
        return None
    return about.st_ino, about.st_mtime_ns


def kills(attack, count):
    data, survived, written = attack.table("d.csv", 4000), 0, 0
    model, checkpoint, saved = (attack.folder / name for name in ("m.json", "c.json", "s.json"))
    attack.run("fit", data, "--label", "y", "--keep", "-o", attack.folder / "given.json")
    for turn in range(count):
        if turn % 2:
            command = ["fit", data, "--label", "y", "--keep", "-k", "6/class", "--starts", 20, "--tol", 0, "--max-iter", 60,
                       "--checkpoint", checkpoint, "-o", model, *(["--resume"] if checkpoint.exists() else [])]
        else:
            command = ["stream", attack.folder / "given.json", data, "--label", "y", "--save", saved, "--save-every", 0.01,
                       *(["--resume", saved] if saved.exists() else [])]
        kept = checkpoint if turn % 2 else saved
        before, process = stamp(kept), attack.start(*command)
        if attack.dice.random() < 0.8:  # some are killed before they wrote anything
            patience = time.monotonic() + 5
            while stamp(kept) == before and process.poll() is None and time.monotonic() < patience:
                time.sleep(0.001)
        time.sleep(attack.dice.choice((0, 0.001, 0.01, 0.1)) * attack.dice.random())
        written += stamp(kept) != before
        process.kill()
        process.wait()
        survived += sum([attack.whole(path) for path in (model, checkpoint, saved)])
        if process.returncode not in (0, 4, -signal.SIGKILL):
            attack.faults.append(f"exit {process.returncode}: {command}")
    left = attack.leftovers()  # between its name and its place a file is whole, and hidden
    for name in left:
        attack.whole(attack.folder / name)
    return (f"{count} kill -9s, {written} right after a write, {survived} files looked at and whole, {len(left)} whole copies "
            "left under hidden names")


def writers(attack, count):
    tables = [attack.table(f"d{k}.csv", 300 + 50 * k) for k in range(6)]
    target, looked = attack.folder / "m.json", 0
    for turn in range(0, count, len(tables)):
        running = [attack.start("fit", t, "--label", "y", "--keep", "-q", "--seed", turn + 1, "-o", target) for t in tables]
        while any(process.poll() is None for process in running):
            looked += attack.whole(target)
            time.sleep(0.002)
        attack.faults += [f"a writer ended with {p.returncode}" for p in running if p.returncode not in (0, 4)]
    if attack.leftovers():
        attack.faults.append(f"left behind: {attack.leftovers()[:3]}")
    return f"{count} racing writers, the file looked at {looked} times"


def mutated(dice, content):
    content = bytearray(content)
    for _ in range(dice.choice((1, 1, 2, 5, 20))):
        at = dice.randrange(len(content)) if content else 0
        how = dice.randrange(5)
        if how == 0 and content:
            content[at] = dice.randrange(256)
        elif how == 1:
            del content[at:at + dice.choice((1, 1, 8, 200))]
        elif how == 2:
            content[at:at] = content[at:at + dice.choice((1, 8, 300))]
        elif how == 3:
            content[at:at] = dice.choice((b"0", b"-", b"e99", b",", b"\n", b'"', b"\0", b"99999999999", b"nan", b"\xff\xfe"))
        elif content:
            content[at] ^= 1 << dice.randrange(8)
    return bytes(content)


def mutations(attack, count):
    seeds, folder = [], ROOT / "fuzz" / "corpus"
    endings = {"csv": "csv", "types": "csv", "npy": "npy", "svmlight": "svm", "mtx": "mtx", "tns": "tns", "hdf5": "h5",
               "votes": "csv", "model": "json", "stream": "json", "checkpoint": "json", "savepoint": "json"}
    for kind, ending in endings.items():
        seeds += [(kind, ending, path.read_bytes()) for path in sorted((folder / kind).iterdir())]
    data = attack.table("d.csv", 40)
    for turn in range(count):
        kind, ending, content = attack.dice.choice(seeds)
        path = attack.folder / f"mutated-{turn % 8}.{ending}"
        path.write_bytes(mutated(attack.dice, content))
        calls = {"tns": [["factor", path, "--rank", 2, "--max-iter", 3]], "votes": [["audit", path]],
                 "model": [["show", path], ["predict", path, data]], "stream": [["stream", data, data, "--resume", path]],
                 "checkpoint": [["fit", data, "--checkpoint", path, "--resume", "-k", 2, "--max-iter", 3]],
                 "savepoint": [["show", path]]}
        for call in calls.get(kind, [["check", path], ["fit", path, "-k", 2, "--max-iter", 3]]):
            try:
                attack.run(*call)
            except subprocess.TimeoutExpired:
                attack.faults.append(f"no end: {call}")
    return f"{count} mutated files of {len(seeds)} seeds"


HOSTILE = ["O''Brien", "'; rm -rf .; '", "$(touch pwned)", "`touch pwned`", "a|b", "a:b;c", "-o", "--help", "../up", "\x1b[31m",
           "\u202egnp", "<script>alert(1)</script>", "&amp;", '"', '""', "a,b", "=1+1", "%s%n", "{}", "\\", "NaN", "none", "0",
           "1e999", "x" * 5000, "\t", " ", "\u00e9", "\U0001f980", "a\nb", "p_a", "label", "()", "*", "?"]


def names(attack, count):
    quoted = lambda name: '"' + name.replace('"', '""') + '"'
    for turn in range(count):
        column, label, file = (attack.dice.choice(HOSTILE) for _ in range(3))
        file = file.replace("/", "_").replace("\n", "_")[:100] + f"{turn}.csv"
        data = attack.folder / file
        with open(data, "w", encoding="utf-8", newline="") as out:
            out.write(f"{quoted(column)},z,y\n")
            for i in range(30):
                out.write(f"{i % 7 + 3 * (i % 2)},{i * i % 11},{quoted(label) if i % 2 else 'other'}\n")
        model = attack.folder / "m.json"
        before = set(os.listdir(attack.folder))
        for call in (["check", data], ["fit", data, "--label", "y", "-q", "-o", model],
                     ["report", model, data, "--label", "y", "-o", attack.folder / "r.html"] if turn % 8 == 0 else None):
            done = attack.run(*call, cwd=attack.folder) if call else None
            if done and b"\x1b" in done.stderr:
                attack.faults.append(f"an escape on stderr: {call}")
        more = set(os.listdir(attack.folder)) - before - {"m.json", "r.html"}
        if more:
            attack.faults.append(f"made {more} of {column!r}, {label!r}, {file!r}")
        data.unlink()
    return f"{count} hostile names"


def rows(attack, count):
    """Memory is looked at after a tenth of the rows and at the end."""
    data, model = attack.table("d.csv", 300), attack.folder / "m.json"
    attack.run("fit", data, "--label", "y", "--keep", "-o", model)
    lines = data.read_bytes().splitlines(keepends=True)
    block, per_block = b"".join(lines[1:]), len(lines) - 1
    process = subprocess.Popen([attack.program, "stream", str(model), "--label", "y", "--window", "60", "--iterations", "1", "-q"],
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)

    def resident():
        """Once all that was sent has been read."""
        process.stdin.flush()
        left = b"left"
        while any(left) and process.poll() is None:
            left = fcntl.ioctl(process.stdin.fileno(), termios.FIONREAD, bytes(4))
            time.sleep(0.01)
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    process.stdin.write(lines[0])
    begun, early, sent = time.monotonic(), 0, 0
    while sent < count:
        process.stdin.write(block)
        sent += per_block
        if not early and sent >= count / 10:
            early = resident()
    late = resident()
    process.stdin.close()
    if process.wait() != 0:
        attack.faults.append(f"exit {process.returncode}")
    if late > 1.05 * early + 512:
        attack.faults.append(f"memory grew from {early} to {late} kB")
    seconds = time.monotonic() - begun
    return f"{sent} streamed rows in {seconds:.0f} s ({sent / seconds:.0f} a second), {early} kB after a tenth, {late} kB at the end"


def busy(attack, count):
    """Medians of `count` fits in turns; no more than 1.3 is asked for."""
    data = attack.table("d.csv", 20000)
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    took = {1: [], 2: []}
    try:
        for turn in range(2 * count):
            threads = 1 + turn % 2
            begun = time.monotonic()
            attack.run("fit", data, "--ignore", "y", "-k", 8, "--tol", 0, "--max-iter", 60, "--starts", 1, "--threads", threads)
            took[threads].append(time.monotonic() - begun)
    finally:
        for other in others:
            other.kill()
            other.wait()
    one, two = (statistics.median(took[threads]) for threads in (1, 2))
    if two > 1.3 * one:
        attack.faults.append(f"two threads take {two / one:.2f} times as long as one")
    return f"with two busy processes: one thread {one:.2f} s, two {two:.2f} s, {two / one:.2f} times (medians of {count})"


ATTACKS = {"kills": (kills, 200), "writers": (writers, 60), "mutations": (mutations, 3000), "names": (names, 400),
           "rows": (rows, 10 ** 7), "busy": (busy, 9)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("attack", choices=ATTACKS)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=os.environ.get("SCANT", str(ROOT / "build" / "scant")))
    options = parser.parse_args()
    function, usual = ATTACKS[options.attack]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="attack-"))
    attack = Attack(options.program, folder, options.seed)
    said = function(attack, options.count or usual)
    print(f"{options.attack}: {said}; {len(attack.faults) or 'nothing'} found")
    for fault in attack.faults[:20]:
        print("  ", fault)
    shutil.rmtree(folder, ignore_errors=True)
    return 1 if attack.faults else 0


if __name__ == "__main__":
    sys.exit(main())
