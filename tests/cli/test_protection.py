"""What a command must leave alone: its own input, files that are read-only, the terminal; and what it says where it cannot
write."""
import os
import pty
import signal
import stat
import subprocess
import time

import pytest

from conftest import PROGRAM, start_program, write_csv

ESCAPE = "\x1b]0owned\x07\x1b[31m"


@pytest.fixture
def data(tmp_path):
    rows = [[i % 7 + 4 * (i % 2), i * i % 11, "ab"[i % 2]] for i in range(60)]
    return write_csv(tmp_path / "d.csv", ["x", "z", "y"], rows)


@pytest.fixture
def model(scant, data, tmp_path):
    scant("fit", data, "--label", "y", "-q", "-o", tmp_path / "m.json")
    return tmp_path / "m.json"


# --- the input ---

OVERWRITES = {
    "fit": ["fit", "DATA", "--label", "y", "-o", "DATA"],
    "a checkpoint": ["fit", "DATA", "--label", "y", "--checkpoint", "DATA"],
    "a link to it": ["fit", "DATA", "--label", "y", "-o", "LINK"],
    "another spelling": ["fit", "DATA", "--label", "y", "-o", "SPELLED"],
    "model and checkpoint": ["fit", "DATA", "--label", "y", "-o", "MODEL", "--checkpoint", "MODEL"],
    "train": ["train", "DATA", "--label", "y", "-o", "DATA"],
    "select": ["select", "DATA", "-k", "1:2", "-o", "DATA"],
    "predict": ["predict", "MODEL", "DATA", "-o", "DATA"],
    "predict onto the model": ["predict", "MODEL", "DATA", "-o", "MODEL"],
    "contexts": ["fit", "DATA", "--label", "y", "--context", "CONTEXT", "-o", "CONTEXT"],
    "stream": ["stream", "MODEL", "DATA", "--save", "DATA"],
    "report": ["report", "MODEL", "DATA", "-o", "DATA"],
    "convert": ["convert", "DATA", "DATA"],
    "a tensor": ["convert", "TENSOR", "TENSOR"],
    "factors": ["factor", "TENSOR", "--rank", "2", "--checkpoint", "TENSOR"],
    "blind": ["blind", "DATA", "--prior", "0.5", "-o", "DATA"],
    "med": ["med", "DATA", "--label", "y", "-o", "DATA"],
}


@pytest.mark.parametrize("name", OVERWRITES)
def test_the_input_is_not_overwritten(scant, tmp_path, data, model, name):
    os.symlink(data, tmp_path / "link.csv")
    context, tensor = tmp_path / "c.csv", tmp_path / "t.tns"
    context.write_text("p_a,p_b\n" + "0.5,0.5\n" * 60)
    tensor.write_text("1 1 1\n2 2 3\n")
    names = {"DATA": data, "LINK": tmp_path / "link.csv", "MODEL": model, "CONTEXT": context, "TENSOR": tensor,
             "SPELLED": f"{tmp_path}/./{data.name}"}
    before = {path: open(path, "rb").read() for path in names.values()}
    said = scant(*[names.get(word, word) for word in OVERWRITES[name]], ok=2).err
    assert "would overwrite" in said
    assert before == {path: open(path, "rb").read() for path in names.values()}


def test_a_stream_is_saved_where_its_model_was(scant, data, model):
    scant("stream", model, data, "--save", model, "-q")
    scant("stream", model, data, "--resume", model, "-q")


def test_read_only_files_stay(scant, tmp_path, data):
    kept = tmp_path / "kept.json"
    kept.write_text("mine")
    kept.chmod(0o444)
    assert "read-only" in scant("fit", data, "--ignore", "y", "-o", kept, ok=1).err
    assert kept.read_text() == "mine" and stat.S_IMODE(kept.stat().st_mode) == 0o444


# --- the terminal ---

@pytest.fixture
def hostile(tmp_path):
    rows = [[i % 7 + 4 * (i % 2), i * i % 11, f"{ESCAPE}{'ab'[i % 2]}"] for i in range(60)]
    return write_csv(tmp_path / "hostile.csv", ["x", f"z{ESCAPE}", "y"], rows)


def on_terminal(*arguments):
    """What reaches a terminal that is both streams."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # its other end is closed
                break
            if not part:
                break
            shown += part
        process.wait()
    os.close(ours)
    return process.returncode, shown


def has_escape(shown):
    """But for what progress draws of its own: back to the line's beginning, and clear it."""
    return b"\x1b" in shown.replace(b"\r\x1b[K", b"") or b"\x07" in shown or b"\xc2\x9b" in shown


def test_cells_do_not_steer_the_terminal(scant, tmp_path, hostile):
    model = tmp_path / "h.json"
    code, shown = on_terminal("fit", hostile, "--label", "y", "-v", "-o", model)
    assert code == 0 and b"loglik" in shown and not has_escape(shown)
    for call in (["show", model], ["predict", model, hostile], ["evaluate", model, hostile, "--label", "y"],
                 ["check", hostile], ["check", hostile, "--label", "y"], ["cv", hostile, "--label", "y"]):
        code, shown = on_terminal(*call)
        assert code in (0, 4) and len(shown) > 100 and not has_escape(shown), call
    faults = tmp_path / "faults.csv"
    faults.write_text(f"a,b\n1,2\n3,{ESCAPE}\n\u009b31m,2\n")
    code, shown = on_terminal("fit", faults, "--types", "none")
    assert code == 3 and b"faults.csv:3:2" in shown and not has_escape(shown)


def test_elsewhere_answers_are_what_they_are(scant, tmp_path, hostile):
    model = tmp_path / "h.json"
    scant("fit", hostile, "--label", "y", "-q", "-o", model)
    assert ESCAPE in scant("predict", model, hostile).out.splitlines()[1]
    assert "\x1b" not in scant("show", model).out
    assert "\x1b" not in scant("fit", hostile, "--label", "x,", "--seed", "1", ok=3).err


def test_long_answers_reach_the_terminal_whole(tmp_path, data, model):
    code, shown = on_terminal("predict", model, data)
    piped = subprocess.run([PROGRAM, "predict", model, data], capture_output=True, check=True).stdout
    assert code == 0 and shown.replace(b"\r\n", b"\n") == piped


# --- the disk ---

def limited(blocks, *arguments, **more):
    return subprocess.run(["bash", "-c", f'ulimit -f {blocks}; exec "$0" "$@"', PROGRAM, *map(str, arguments)], text=True,
                          capture_output=True, check=False, **more)


def test_a_file_past_its_limit(tmp_path, model):
    done = limited(64, "simulate", model, "-n", "100000", "-o", tmp_path / "s.csv")
    assert done.returncode == 1 and "s.csv" in done.stderr and "File too large" in done.stderr
    assert not (tmp_path / "s.csv").exists()
    with open(tmp_path / "out.csv", "w", encoding="utf-8") as out:
        done = subprocess.run(["bash", "-c", f'ulimit -f 64; exec "{PROGRAM}" simulate "{model}" -n 100000'], stdout=out,
                              stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and "File too large" in done.stderr


SPY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int fsync(int file)
{
    char name[64], path[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t n = readlink(name, path, sizeof path - 1);
    FILE *log = fopen(getenv("SPY"), "a");
    fprintf(log, "%.*s\n", (int)n, path);
    fclose(log);
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}
"""


@pytest.mark.skipif("asan" in PROGRAM, reason="the sanitizer wants to be loaded first")
def test_the_folder_is_synced_after_the_rename(tmp_path, data):
    (tmp_path / "spy.c").write_text(SPY)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "spy.so", tmp_path / "spy.c", "-ldl"], check=True)
    folder = tmp_path / "out"
    folder.mkdir()
    environment = {**os.environ, "LD_PRELOAD": str(tmp_path / "spy.so"), "SPY": str(tmp_path / "log")}
    subprocess.run([PROGRAM, "fit", data, "--ignore", "y", "-q", "-o", folder / "m.json"], check=True, env=environment,
                   capture_output=True)
    synced = (tmp_path / "log").read_text().splitlines()
    assert synced[-1] == str(folder) and len(synced) == 2


# --- the patience of whoever stops it ---

@pytest.mark.parametrize("command", [
    ["fit", "-k", "40", "--max-iter", "100000", "--tol", "0", "--starts", "50"],
    ["select", "-k", "1:40", "--by", "cv"],
    ["cv", "-k", "20", "--folds", "20", "--tol", "0", "--max-iter", "10000"],
    ["train", "--label", "y"],
])
@pytest.mark.parametrize("after", [0.05, 0.4])
def test_sigterm_is_heard_within_a_second(tmp_path, command, after):
    rows = tmp_path / "long.csv"
    rows.write_text("a,b,c,y\n" + "".join(f"{i % 101},{i * i % 97},{i * 31 % 89},{'pq'[i % 2] if i % 3 else ''}\n"
                                          for i in range(20000)))
    name, *options = command
    ignore = [] if "--label" in options else ["--ignore", "y"]
    process = start_program(name, rows, *options, *ignore, *(["-o", tmp_path / "m.json"] if name != "cv" else []))
    time.sleep(after)
    begun = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode in (4, 0, -signal.SIGTERM)
    assert time.monotonic() - begun < 1 + 4 * (os.getloadavg()[0] / os.cpu_count()) ** 0.5
