"""Small files that say they are large: refused in under a second and 200 MB. Memory follows what a file holds."""
import gzip
import json
import struct
import subprocess
import sys

import pytest

from conftest import PROGRAM

SECONDS, MEGABYTES = 1, 200
DEFLATED_BLANKS = gzip.compress(b" " * (1 << 26), 9, mtime=0) * 16  # a gigabyte in one


def model(components, columns, **more):
    named = [f"x{c}" for c in range(columns)]
    return {"format": "scant-model", "schema": 3, "settings": {}, "classes": [], "components": components,
            "coupling": [[1 / components]] * components, "columns": [{"name": name} for name in named],
            "factors": [{"family": "gaussian", "covariance": "full", "columns": named,
                         "parameters": {"means": [[0]], "covariances": []}}], **more}


def npy(shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"\0" * 64


CLASSES = [f"c{k}" for k in range(3000)]
BANNER = "%%MatrixMarket matrix coordinate real general\n"
# what the file is called, what it holds, the command's arguments around it, words of the message
LIES = {
    "an index of svmlight": ("d.svm", b"1 1:2 2147483646:1\n0 1:1\n", ["check", None], "2147483646 columns for 3 entries"),
    "the same for a fit": ("d.svm", b"1 1:2 2147483646:1\n0 1:1\n", ["fit", None, "-k", "1"], "2147483646 columns"),
    "rows of a matrix": ("d.mtx", (BANNER + "2000000000 2 1\n1 1 1\n").encode(), ["check", None], "2000000000 rows"),
    "columns of a matrix": ("d.mtx", (BANNER + "2 2000000000 1\n1 1 1\n").encode(), ["check", None], "2000000000 columns"),
    "entries of a matrix": ("d.mtx", (BANNER + "2 2 2000000000\n1 1 1\n").encode(), ["check", None], "1 entries"),
    "an array": ("d.mtx", b"%%MatrixMarket matrix array real general\n100000 100000\n1\n", ["check", None], "1 numbers"),
    "an index of a tensor": ("d.tns", b"1 1 1 2\n4294967295 4294967295 3 1\n", ["factor", None, "--rank", "5"],
                             "4294967295 indices"),
    "a shape": ("d.npy", npy("(1000000000, 100)"), ["check", None], "the header says"),
    "a shape of a tensor": ("d.npy", npy("(100000, 1000, 1000)"), ["factor", None, "--rank", "2"], "the header says"),
    "blanks": ("d.csv.gz", DEFLATED_BLANKS, ["check", None], "inflate to more than 200 times"),
    "blanks for a fit": ("d.csv.gz", DEFLATED_BLANKS, ["fit", None], "with gunzip"),
    "blanks for a model": ("m.json.gz", DEFLATED_BLANKS, ["show", None], "inflate to more than"),
    "blanks for a tensor": ("d.tns.gz", DEFLATED_BLANKS, ["factor", None, "--rank", "2"], "inflate to more than"),
    "700 covariances": ("m.json", json.dumps(model(700, 700)).encode(), ["show", None], "means: is not an array of 700"),
    "noise of 3000 classes": ("m.json", json.dumps(model(1, 1, classes=CLASSES, coupling=[[1 / 3000] * 3000],
                                                         label_noise=[[]])).encode(), ["show", None], "label_noise"),
    "a coupling of 3000 classes": ("m.json", json.dumps(model(3000, 1, classes=CLASSES, coupling=[[]] * 3000)).encode(),
                                   ["show", None], "coupling"),
}


# In a process of its own, which is small: what a child has before it becomes the program counts as its memory, too.
MEASURE = """
import json, os, subprocess, sys
with subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
    said = process.stderr.read()
    _, state, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(state)
print(json.dumps([process.returncode, said, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


def run_measured(arguments):
    """Exit code, standard error, seconds of a processor and the most memory, in MB."""
    done = subprocess.run([sys.executable, "-c", MEASURE, PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", LIES)
def test_lies_about_size(tmp_path, name):
    file, content, arguments, words = LIES[name]
    path = tmp_path / file
    path.write_bytes(content)
    assert len(content) < 5 << 20
    code, said, seconds, megabytes = run_measured([path if a is None else a for a in arguments])
    assert code == 3 and words in said and file in said, said
    assert seconds < SECONDS and megabytes < MEGABYTES


def test_a_window_of_a_stream(scant, tmp_path):
    """A saved stream says how long its window is, for which there is room from the beginning."""
    rows = tmp_path / "d.csv"
    rows.write_text("x\n" + "".join(f"{i * i % 17}\n" for i in range(60)))
    scant("fit", rows, "-k", 1, "-o", tmp_path / "m.json", "-q")
    scant("stream", tmp_path / "m.json", rows, "--save", tmp_path / "s.json", "-q")
    saved = json.loads((tmp_path / "s.json").read_text())
    saved["stream"]["window"] = 10 ** 8
    (tmp_path / "s.json").write_text(json.dumps(saved))
    code, said, seconds, megabytes = run_measured(["stream", tmp_path / "m.json", rows, "--resume", tmp_path / "s.json"])
    assert code == 3 and "a window of 100000000 rows" in said
    assert seconds < SECONDS and megabytes < MEGABYTES


def test_what_is_unpacked_is_read(scant, tmp_path):
    """The way out that the message names: the same text as a file of its own."""
    text = b"x,y\n" + b"0,0\n" * (5 << 20)
    packed, plain = tmp_path / "d.csv.gz", tmp_path / "d.csv"
    packed.write_bytes(gzip.compress(text, 9))
    plain.write_bytes(text)
    assert "with gunzip" in scant("convert", packed, tmp_path / "o.npy", ok=3).err
    scant("convert", plain, tmp_path / "o.npy")


def test_columns_of_a_model_are_no_lie(scant, tmp_path):
    """A row of a wide model may have few entries, and the last column among them."""
    wide = 300000
    rows = tmp_path / "d.svm"
    rows.write_text("".join(f"{i % 2} " + " ".join(f"{j}:1" for j in range(1 + i, wide + 1, 37)) + "\n" for i in range(8)) +
                    f"1 {wide}:1\n")
    scant("fit", rows, "--label", "label", "--family", "multinomial", "--smooth", 1, "-o", tmp_path / "m.json", "-q", "--keep",
          ok=(0, 4))
    one = tmp_path / "one.svm"
    one.write_text(f"0 3:1 {wide}:2\n")
    assert len(scant("predict", tmp_path / "m.json", one).out.splitlines()) == 2


def test_names_that_are_all_alike(scant, tmp_path):
    """A header of 200 kB cost minutes: each name looked for the first that was free."""
    path = tmp_path / "d.csv"
    path.write_text(",".join(["a"] * 100000) + "\n" + ",".join(["1"] * 100000) + "\n")
    code, said, seconds, megabytes = run_measured(["convert", path, tmp_path / "o.csv", "--types", "none"])
    assert code == 0 and said.count("warning") < 20 and "99999 columns in all" in said
    assert seconds < 2 and megabytes < MEGABYTES
    assert (tmp_path / "o.csv").read_text().startswith("a,a_2,a_3,a_4,")
