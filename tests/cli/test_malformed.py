"""Files with faults: exit 3, and a message that names the file, the place and the text."""
import re
import shlex
import struct

import numpy as np
import pytest

# text, what the message must have after the file's name
CSV = {
    "not a number": ("a,b\n1,2\n3,x7\n", r":3:2\b.*x7"),
    "infinite": ("a,b\n1,2\n3,inf\n", r":3:2\b.*inf"),
    "minus infinity": ("a,b\n-Infinity,2\n", r":2:1\b.*-Infinity"),
    "too large": ("a,b\n1e999,2\n", r":2:1\b.*1e999"),
    "short row": ("a,b\n1,2\n3\n", r":3:"),
    "long row": ("a,b\n1,2\n3,4,5\n", r":3:"),
    "open quote": ('a,b\n"1,2\n3,4\n', r":2:1\b"),
    "quote inside": ('a,b\n1"1,2\n', r":2:1\b"),
    "empty file": ("", r""),
    "header alone": ("a,b\n", r""),
    "zero byte": ("a,b\n1,\x002\n", r":2:"),
    "half a number": ("a,b\n1,2e\n", r":2:2\b.*2e"),
    "two numbers": ("a,b\n1,2 3\n", r":2:2\b.*2 3"),
    "decimal comma": ("a;b\n1,5;2\n", r":2:1\b.*1,5"),
}


def refused(scant, path, *args, pattern, command="fit", more=()):
    result = scant(command, *more, path, *args, ok=3)
    assert result.out == ""
    assert re.search(re.escape(path.name) + pattern, result.err), result
    return result


@pytest.mark.parametrize("name", CSV)
def test_csv(scant, tmp_path, name):
    text, pattern = CSV[name]
    path = tmp_path / "bad.csv"
    path.write_text(text)
    refused(scant, path, "--types", "none", pattern=pattern)
    if text and "\0" not in text:
        assert "next: scant " in scant("check", path).out  # described all the same


def test_names_that_occur_twice_are_made_different(scant, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a,a,a_2,\n1.5,2,3,1\n2.5,7,1,1\n1,9,4,2\n")
    report = scant("check", path, "--json").json()
    assert [c["name"] for c in report["columns"]] == ["a", "a_2", "a_2_2", "unnamed_4"]
    assert "are both named 'a'; the second is called 'a_2'" in "\n".join(report["problems"])
    assert "column 4 has no name" in scant("fit", path, "--features", "a,a_2").err


def test_text_columns_name_the_way_out(scant, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("size,colour\n1,red\n2,blue\n")
    result = refused(scant, path, "--types", "none", pattern=r":2:2\b.*red")
    assert "--categorical" in result.err or "--ignore" in result.err


def test_suggestions_can_be_pasted(scant, tmp_path):
    """Names with blanks and quotes are quoted as a shell wants them, and the suggestion works."""
    path, model = tmp_path / "my rows.csv", tmp_path / "my model.json"
    path.write_text("size,it's a colour\n" + "1,red\n2,blue\n3,red\n5,blue\n" * 5)
    words = re.search(r"\((--categorical .*?)\) or", refused(scant, path, "--types", "none", pattern=":2:2.*red").err)[1]
    assert words == r"--categorical 'it'\''s a colour'"
    told = scant("fit", path, *shlex.split(words), "-o", model, ok=(0, 4)).err
    scant(*shlex.split(re.search("predict with: scant (.*)", told)[1]), "-o", tmp_path / "p.csv")
    result = scant("fit", path, "--ignore", "it's a colour", "--family", "categorical", "--types", "none", ok=2)
    assert "say --categorical size" in result.err
    path.write_text("same same,x\n" + "".join(f"1,{i * i}\n" for i in range(9)))
    assert "column 'same same' is constant and is left out" in scant("check", path).out


@pytest.mark.parametrize("option", ["--label", "--weight", "--id", "--group", "--features"])
def test_columns_that_are_absent(scant, tmp_path, option):
    path = tmp_path / "data.csv"
    path.write_text("alpha,beta\n1,2\n3,5\n4,4\n")
    result = scant("fit", path, option, "alhpa", ok=(2, 3))
    assert "alhpa" in result.err


@pytest.mark.parametrize("cell", ["-1", "x", "inf", "nan", ""])
def test_weights(scant, tmp_path, cell):
    path = tmp_path / "bad.csv"
    path.write_text(f"a,w\n1,1\n2,{cell}\n3,1\n")
    refused(scant, path, "--weight", "w", pattern=r":3:2\b")


LABELS = {
    "sum below one": "cat:0.7;dog:0.2",
    "sum above one": "cat:0.7;dog:0.7",
    "negative": "cat:1.2;dog:-0.2",
    "no number": "cat:x;dog:0.3",
    "empty alternative": "cat|",
    "unknown alternative": "cat|NA",
    "probability of unknown": "cat:0.7;?:0.3",
}


@pytest.mark.parametrize("name", LABELS)
def test_label_cells(scant, tmp_path, name):
    path = tmp_path / "bad.csv"
    path.write_text(f"a,y\n1,cat\n2,dog\n3,{LABELS[name]}\n4,cat\n")
    result = refused(scant, path, "--label", "y", pattern=r":4:2\b")
    assert LABELS[name] in result.err


def signed(tmp_path, labels):
    path = tmp_path / "signed.csv"
    path.write_text("a,y\n" + "".join(f"{i * i % 7},{y}\n" for i, y in enumerate(labels)))
    return path


def test_minus_one_beside_one_is_refused(scant, tmp_path):
    path = signed(tmp_path, [-1, 1] * 10)
    result = scant("fit", path, "--label", "y", ok=3)
    assert "--missing-label" in result.err
    fit = scant("fit", path, "--label", "y", "--missing-label", "none", "--json").json()
    assert fit["classes"] == ["-1", "1"] and fit["labeled"] == 20


def test_a_word_for_unknown_that_no_label_is(scant, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,y\n1,a\n2,b\n3,unknown\n4,a\n5,b\n")
    words = "y: no label is 'unkown' (--missing-label)"
    assert words in scant("check", path, "--label", "y", "--missing-label", "unkown").out
    for value in ("unknown", "none", "NA"):
        assert "no label is" not in scant("check", path, "--label", "y", "--missing-label", value).out


def test_minus_one_of_a_model_is_a_class_however_written(scant, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + "".join(f"{i % 7 + 5 * (i % 2)},{'-1.0' if i % 2 else '1.0'}\n" for i in range(40)))
    scant("fit", path, "--label", "y", "--missing-label", "none", "-q", "-o", tmp_path / "m.json")
    told = scant("evaluate", tmp_path / "m.json", path, "--label", "y", "--json").json()
    assert told["rows"] == 40 and [sum(row) for row in told["confusion"]] == [20, 20]


def test_minus_one_beside_counts_is_unknown(scant, tmp_path):
    path = signed(tmp_path, [-1, 0, 1, 2] * 8)
    fit = scant("fit", path, "--label", "y", "--json", ok=(0, 4)).json()
    assert fit["classes"] == ["0", "1", "2"] and fit["labeled"] == 24
    fit = scant("fit", path, "--label", "y", "--json", "--missing-label", "2", ok=(0, 4)).json()
    assert "2" not in fit["classes"]


SVMLIGHT = {
    "no colon": ("1 1:2 3\n", 1),
    "index zero or letters": ("1 1:2\n0 x:3\n", 2),
    "not a number": ("1 1:2\n0 2:y\n", 2),
    "index falls": ("1 1:2\n0 3:1 2:1\n", 2),
    "index twice": ("1 1:2\n0 2:1 2:1\n", 2),
    "negative index": ("1 1:2\n0 -2:1\n", 2),
    "infinite": ("1 1:inf\n", 1),
}


@pytest.mark.parametrize("name", SVMLIGHT)
def test_svmlight(scant, tmp_path, name):
    text, line = SVMLIGHT[name]
    path = tmp_path / "bad.svm"
    path.write_text(text)
    refused(scant, path, pattern=rf":{line}:\d+: ")


BANNER = "%%MatrixMarket matrix coordinate real general\n"
MATRIX = {
    "no banner": "2 2 1\n1 1 3\n",
    "complex": "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n",
    "row out of range": BANNER + "2 2 1\n3 1 1\n",
    "column zero": BANNER + "2 2 1\n1 0 1\n",
    "too few entries": BANNER + "2 2 2\n1 1 1\n",
    "too many entries": BANNER + "2 2 1\n1 1 1\n2 2 2\n",
    "not a number": BANNER + "2 2 1\n1 1 x\n",
    "no sizes": BANNER,
    "impossible sizes": BANNER + "99999999999999999999 2 1\n1 1 1\n",
    "entry twice": BANNER + "2 2 2\n1 1 1\n1 1 2\n",
}


@pytest.mark.parametrize("name", MATRIX)
def test_matrix_market(scant, tmp_path, name):
    path = tmp_path / "bad.mtx"
    path.write_text(MATRIX[name])
    refused(scant, path, pattern=r"")


def npy(header, body=b""):
    text = header.encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


def test_npy(scant, tmp_path):
    good = tmp_path / "good.npy"
    np.save(good, np.random.default_rng(0).normal(size=(30, 2)))
    scant("fit", good, "--json", ok=0)
    whole = good.read_bytes()
    shape = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }\n"
    faults = {
        "truncated": whole[:-5],
        "longer": whole + b"abc",
        "header cut": whole[:20],
        "magic": b"\x93NUMPX" + whole[6:],
        "version": whole[:6] + b"\x09\x00" + whole[8:],
        "objects": npy("{'descr': '|O', 'fortran_order': False, 'shape': (1, 1), }\n", b"\0" * 8),
        "huge": npy(shape % "(4611686018427387904, 4)"),
        "negative": npy(shape % "(-1, 4)"),
        "three ways": npy(shape % "(1, 1, 1)", b"\0" * 8),
        "no dictionary": npy("hello\n"),
        "infinite": npy(shape % "(1, 1)", struct.pack("<d", float("inf"))),
        "empty": b"",
    }
    for name, data in faults.items():
        path = tmp_path / "bad.npy"
        path.write_bytes(data)
        result = scant("fit", path, ok=3)
        assert "bad.npy" in result.err, name


def test_gzip_that_is_cut(scant, tmp_path):
    import gzip

    path = tmp_path / "bad.csv.gz"
    data = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i % 17) for i in range(2000)))
    path.write_bytes(data[:len(data) // 2])
    refused(scant, path, pattern="")


@pytest.fixture
def model(scant, tmp_path):
    data = tmp_path / "train.csv"
    rng = np.random.default_rng(2)
    data.write_text("a,b,y\n" + "".join(f"{x:.6f},{z:.6f},{'cat' if x > 0 else 'dog'}\n"
                                        for x, z in rng.normal(size=(40, 2))))
    path = tmp_path / "model.json"
    scant("fit", data, "--label", "y", "-o", path, "-q")
    return path


def test_unknown_class_in_evaluate(scant, tmp_path, model):
    path = tmp_path / "new.csv"
    path.write_text("a,b,y\n1,2,cat\n1,2,horse\n")
    result = scant("evaluate", model, path, "--label", "y", ok=3)
    assert re.search(r"new\.csv:3:3\b.*horse", result.err)


def test_classes_that_are_the_same_number(scant, tmp_path):
    """pandas writes 1.0 where labels are missing, and 1 where none are."""
    few, all_of_them = tmp_path / "few.csv", tmp_path / "all.csv"
    few.write_text("x,y\n" + "".join(f"{i % 7 + 5 * (i % 2)},{'' if i % 3 else f'{i % 2}.0'}\n" for i in range(60)))
    all_of_them.write_text("x,y\n" + "".join(f"{i % 7 + 5 * (i % 2)},{i % 2}\n" for i in range(60)) + "1,0|1\n2,0:0.5;1:0.5\n")
    scant("fit", few, "--label", "y", "-q", "-o", tmp_path / "m.json")
    told = scant("evaluate", tmp_path / "m.json", all_of_them, "--label", "y", "--json").json()
    assert told["classes"] == ["0.0", "1.0"] and [sum(row) for row in told["confusion"]] == [30, 30]
    all_of_them.write_text("x,y\n1,2\n")
    assert "'2' is not one of the 2 classes" in scant("evaluate", tmp_path / "m.json", all_of_them, "--label", "y", ok=3).err


def test_classes_that_are_one_number_twice(scant, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + "".join(f"{i % 7 + 5 * (i % 2)},{'1.0' if i % 2 else '1'}\n" for i in range(40)))
    scant("fit", path, "--label", "y", "-q", "-o", tmp_path / "m.json")
    assert scant("evaluate", tmp_path / "m.json", path, "--label", "y", "--json").json()["rows"] == 40
    path.write_text("x,y\n1,01\n")
    assert "'01' is not one of the 2 classes" in scant("evaluate", tmp_path / "m.json", path, "--label", "y", ok=3).err


def test_columns_of_the_model_that_are_absent(scant, tmp_path, model):
    path = tmp_path / "new.csv"
    path.write_text("b,c\n1,2\n")
    result = scant("predict", model, path, ok=3)
    assert "'a'" in result.err or " a" in result.err


def test_columns_in_any_order(scant, tmp_path, model):
    rows = [(0.1, 0.2), (-1, 2)]
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    two.write_text("more,b,a\n" + "".join(f"text,{b},{a}\n" for a, b in rows))
    assert scant("predict", model, one).out == scant("predict", model, two).out


def test_model_files(scant, tmp_path, model):
    text = model.read_text()
    faults = {
        "empty": "",
        "not json": "hello",
        "cut": text[:len(text) // 2],
        "list": "[]",
        "other format": text.replace("scant-model", "scant-table"),
        "later schema": re.sub(r'"schema":\s*\d+', '"schema": 999', text),
        "other method": text.replace('"method": "em"', '"method": "hmm"'),
        "method of another model": text.replace('"method": "em"', '"method": "blind"'),
        "no components": re.sub(r'"components":\s*2', '"components": 0', text, count=1),
        "too many components": re.sub(r'"components":\s*2', '"components": 3', text, count=1),
        "huge components": re.sub(r'"components":\s*2', '"components": 9007199254740992', text, count=1),
        "text for a number": re.sub(r'"components":\s*2', '"components": "2"', text, count=1),
        "unknown family": text.replace("gaussian", "gaussoid"),
        "no factors": re.sub(r'"factors"', '"fractors"', text),
        "nan": re.sub(r'("means":\s*\[\s*\[\s*)[-0-9.e+]+', r"\1NaN", text),
        "null": re.sub(r'("means":\s*\[\s*\[\s*)[-0-9.e+]+', r"\1null", text),
        "coupling": re.sub(r'("coupling":\s*\[\s*\[\s*)[-0-9.e+]+', r"\g<1>7.5", text),
        "rows below none": re.sub(r'("component_rows":\s*\[\s*)[-0-9.e+]+', r"\1-4.0", text),
        "variance": re.sub(r'("covariances":\s*\[\s*\[\s*\[\s*)[-0-9.e+]+', r"\1-4.0", text),
    }
    for name, broken in faults.items():
        assert broken != text, name
        path = tmp_path / "broken.json"
        path.write_text(broken)
        for command in ("show", "simulate"):
            more = ["-n", "3"] if command == "simulate" else []
            result = scant(command, path, *more, ok=3)
            assert "broken.json" in result.err and result.out == "", name
            assert ": :" not in result.err, name


def test_a_table_in_place_of_the_model(scant, tmp_path, model):
    """As happens where the two are swapped."""
    table = tmp_path / "t.csv"
    table.write_text("x,y\n1,2\n")
    words = "t.csv:1:1: not JSON, as models and checkpoints are: "
    assert words in scant("predict", table, model, ok=3).err
    (tmp_path / "d.csv").write_text("x\n1\n2\n3\n")
    assert words in scant("fit", tmp_path / "d.csv", "--checkpoint", table, "--resume", ok=3).err
