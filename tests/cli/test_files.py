"""Files that commands read and write: gzip, links, pipes, modes, folders."""
import gzip
import json
import os
import subprocess
import zlib

import numpy as np
import pytest

from conftest import PROGRAM, write_csv

FEATURES = "FL,RW,CL,CW,BD"


@pytest.fixture
def model(scant, crabs, tmp_path):
    path = tmp_path / "m.json"
    scant("fit", crabs, "--label", "sex", "--features", FEATURES, "-q", "-o", path)
    return path


def is_gzip(path):
    return path.read_bytes()[:2] == b"\x1f\x8b"


# --- gzip ---

@pytest.mark.parametrize("name", ["m.json.gz", "m.json.GZ"])
def test_compressed_model_is_read_back(scant, crabs, model, tmp_path, name):
    path = tmp_path / name
    scant("fit", crabs, "--label", "sex", "--features", FEATURES, "-q", "-o", path)
    assert is_gzip(path)
    assert gzip.decompress(path.read_bytes()) == model.read_bytes()
    assert scant("show", path).out == scant("show", model).out


def test_compressed_states_are_read_back(scant, crabs, model, tmp_path):
    state, checkpoint = tmp_path / "s.json.gz", tmp_path / "c.json.gz"
    scant("stream", model, crabs, "-q", "--save", state)
    scant("stream", model, crabs, "-q", "--resume", state)
    fit = ["fit", crabs, "--label", "sex", "--features", FEATURES, "-q", "--checkpoint", checkpoint,
           "--checkpoint-every", 0]
    scant(*fit, "-k", 4, "--max-iter", 2, "-o", tmp_path / "a.json", ok=4)
    assert is_gzip(state) and is_gzip(checkpoint)
    scant(*fit, "-k", 4, "--resume", "-o", tmp_path / "b.json")


def member(data, name):
    """One member of a gzip file, as long as its name makes it: nothing is compressed."""
    deflate = zlib.compressobj(0, zlib.DEFLATED, -15)
    body = deflate.compress(data) + deflate.flush()
    return (b"\x1f\x8b\x08\x08" + bytes(6) + name + b"\0" + body + zlib.crc32(data).to_bytes(4, "little")
            + len(data).to_bytes(4, "little"))


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_an_empty_member_is_not_the_end(scant, tmp_path, more):
    """bgzip ends its files with one, and files may be joined: here it ends where a block that is read at once does."""
    first, last = b"a,b\n" + b"1,2\n" * 1000, b"3,4\n" * 1000
    empty, block = member(b"", b"e"), 2 + (128 << 10)
    name = b"n" * (block + more - len(empty) - len(member(first, b"")))
    (tmp_path / "j.csv.gz").write_bytes(member(first, name) + empty + member(last, b"t"))
    assert scant("convert", tmp_path / "j.csv.gz", "-").out == (first + last).decode()


def test_waiting_for_a_model_can_be_interrupted(crabs):
    process = subprocess.Popen([PROGRAM, "show", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    process.send_signal(2)
    assert process.wait(5) == 4
    process.communicate()


# --- exit codes: what cannot be read is bad input, what cannot be written is not ---

@pytest.mark.parametrize("option", ["--sharing", "--label-noise", "--init", "--start"])
def test_absent_file_of_an_option_is_bad_input(scant, crabs, option):
    done = scant("fit", crabs, "--label", "sex", "--features", FEATURES, option, "nofile", "-q", ok=3)
    assert "nofile: " in done.err


def test_checkpoint_that_cannot_be_written_is_no_bad_input(scant, crabs):
    done = scant("fit", crabs, "--label", "sex", "--features", FEATURES, "-q", "-k", 4,
                 "--checkpoint", "/nofolder/c", "--checkpoint-every", 0, ok=1)
    assert "/nofolder/c: cannot create" in done.err


def test_tensor_that_cannot_be_written_is_no_bad_input(scant, tmp_path):
    path = tmp_path / "x.tns"
    path.write_text("1 1 2.5\n2 2 1\n")
    scant("convert", path, "/nofolder/o.tns", ok=1)
    scant("convert", "-", "/nofolder/o.tns", stdin=path.read_text(), ok=1)
    scant("convert", tmp_path / "absent.tns", tmp_path / "o.tns", ok=3)


# --- places of outputs ---

def outputs(crabs, model, folder):
    """Commands that write a file through the program, each with the name of its output last."""
    yield ["predict", model, crabs, "-o", folder / "p.csv"]
    yield ["report", model, "-o", folder / "r.html"]


def test_outputs_are_compressed_by_name(scant, crabs, model, tmp_path):
    for command in outputs(crabs, model, tmp_path):
        scant(*command, "-q")
        packed = command[-1].with_name(command[-1].name + ".gz")
        scant(*command[:-1], packed, "-q")
        assert gzip.decompress(packed.read_bytes()) == command[-1].read_bytes(), command


def test_links_and_modes_stay(scant, crabs, model, tmp_path):
    for command in outputs(crabs, model, tmp_path):
        real, link = tmp_path / "real", command[-1]
        real.write_text("old")
        real.chmod(0o600)
        link.symlink_to("real")
        scant(*command, "-q")
        assert link.is_symlink() and real.stat().st_mode & 0o777 == 0o600, command
        assert real.read_text() != "old"
        real.unlink()
        scant(*command, "-q")
        assert link.is_symlink() and real.exists(), command
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith((".", "real"))) == ["real"]


# By links of our own: a program that is wrong would put a file where /dev/stdout was.
def test_own_descriptors_are_written_to(scant, crabs, model, tmp_path):
    link, out = tmp_path / "link.csv", tmp_path / "out.csv"
    link.symlink_to("/proc/self/fd/1")
    wanted = scant("predict", model, crabs, "-q").out
    for name in ("/dev/fd/1", link):
        with open(out, "w") as file:
            file.write("before\n")
            file.flush()
            subprocess.run([PROGRAM, "predict", model, crabs, "-q", "-o", name], stdout=file, check=True)
        assert out.read_text() == "before\n" + wanted
    assert os.readlink(link) == "/proc/self/fd/1"


def test_failed_output_leaves_nothing(scant, crabs, model, tmp_path):
    done = scant("predict", model, crabs, "-o", tmp_path / "no" / "p.csv", ok=1)
    assert "p.csv: cannot create: No such file" in done.err
    done = scant("predict", model, crabs, "-o", "/dev/full", ok=1)
    assert "/dev/full: cannot write: No space left" in done.err
    assert [p.name for p in tmp_path.iterdir()] == ["m.json"]


@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_not_taken_for_files(scant, crabs, tmp_path, closed):
    command = ["convert", crabs, "--label", "sex", "--features", "FL,RW"]
    assert "warning" in scant(*command, tmp_path / "a.npy").err
    subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", PROGRAM, *command, tmp_path / "b.npy"], check=True)
    assert (tmp_path / "b.npy").read_bytes() == (tmp_path / "a.npy").read_bytes()


# --- inputs that give their bytes once ---

def through_pipe(path, *command):
    """The program run with /dev/stdin a pipe that the file comes through."""
    with open(path, "rb") as file, subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as cat:
        return subprocess.run([PROGRAM, *map(str, command)], stdin=cat.stdout, capture_output=True, text=True,
                              check=False)


@pytest.mark.parametrize("name", ["f.h5", "f.npy", "f.csv"])
def test_pipes_are_read_by_their_path(scant, faithful, tmp_path, name):
    path = tmp_path / name
    if "does not write HDF5" in scant("convert", faithful, path, ok=(0, 2)).err:
        pytest.skip("no HDF5")
    done = through_pipe(path, "convert", "/dev/stdin", "-")
    assert done.stdout == scant("convert", path, "-").out, done.stderr


@pytest.mark.parametrize("name, told", [("-", "standard input"), ("/dev/stdin", "/dev/stdin")])
def test_reports_refuse_what_they_would_read_twice(crabs, model, tmp_path, name, told):
    page = tmp_path / "r.html"
    done = through_pipe(model, "report", name, "-o", page)
    assert done.returncode == 2 and f"{told} is read twice" in done.stderr
    done = through_pipe(crabs, "report", model, name, "--label", "sex", "--truth", "sp", "-o", page)
    assert done.returncode == 2 and f"{told} is read twice with --truth" in done.stderr
    assert not page.exists()
    done = through_pipe(crabs, "report", model, name, "--label", "sex", "-o", page)
    assert done.returncode == 0 and page.exists()


def test_report_of_a_compressed_model(scant, crabs, model, tmp_path):
    packed = tmp_path / "m.json.gz"
    packed.write_bytes(gzip.compress(model.read_bytes()))
    plain = scant("report", model, crabs, "-o", "-").out
    assert scant("report", packed, crabs, "-o", "-").out == plain.replace("m.json", "m.json.gz")
    (tmp_path / "bad.json").write_text("{\n oops")
    assert "bad.json:2:" in scant("report", tmp_path / "bad.json", ok=3).err


def test_show_tells_all_of_the_file(scant, tmp_path):
    """The JSON has what a model file has: prior, doubt, baseline, form of covariances, target."""
    rng = np.random.default_rng(4)
    rows = [[*rng.normal(3 * (i % 2), 1, 2).round(3), "ab"[i % 2] if i < 20 else ""] for i in range(60)]
    data = write_csv(tmp_path / "d.csv", ["x", "z", "y"], rows)
    model = tmp_path / "m.json"

    def both(*options):
        scant("fit", data, "--label", "y", "--starts", 2, "-q", "-o", model, *options)
        return scant("show", model, "--json").json(), json.loads(model.read_text())

    shown, held = both("--covariance", "tied-diag", "--prior", "a=0.4,b=0.6")
    assert shown["prior"] == held["prior"] == [0.4, 0.6] and "unlabeled_smoothing" not in shown
    assert shown["factors"][0]["covariance"] == held["factors"][0]["covariance"] == "tied-diag"
    assert shown["baseline"] == {"rival": "supervised", **held["baseline"]}
    shown, held = both("--family", "regression", "--target", "z", "--unlabeled", "em3", "--unlabeled-smoothing", 0.1, "--no-baseline")
    assert shown["unlabeled_smoothing"] == held["unlabeled_smoothing"] == 0.1
    assert shown["factors"][0]["target"] == held["factors"][0]["target"] == "z" and "covariance" not in shown["factors"][0]
    assert "prior" not in shown and "baseline" not in shown
