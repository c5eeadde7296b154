"""scant report and scant plot: what they show is what the other commands say, and no name does harm."""
import csv
import html.parser
import json
import os
import re
import shlex
import shutil
import subprocess

import numpy
import pytest

import svg
from conftest import EXAMPLES, PROGRAM, ROOT, run, write_csv

COLOURS = [(0x00, 0x72, 0xb2), (0xd5, 0x5e, 0x00), (0x00, 0x9e, 0x73)]
COVER = 150  # of 255, where the answer is certain
NINE = ["--features", "variate1,variate2", "--label", "label", "-k", "2/class", "--starts", 20]
EVIL = '"; system("touch pwned"); <script>alert(1)</script>'
EVIL_TOO = "it's `touch pwned` %s%n $(touch pwned) {} @x \\"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One of everything that a report can be about."""
    here = tmp_path_factory.mktemp("made")
    run("fit", EXAMPLES / "crabs_nine.csv", *NINE, "--stderr", "-o", here / "em1.json")
    run("fit", EXAMPLES / "crabs_nine.csv", *NINE, "--unlabeled", "em3", "-o", here / "em3.json")
    run("fit", EXAMPLES / "crabs.csv", "--label", "sex", "--features", "FL,RW,CL,CW,BD", "-o", here / "crabs.json")
    run("fit", EXAMPLES / "faithful.csv", "-k", 2, "-o", here / "faithful.json")
    run("blind", EXAMPLES / "faithful.csv", "--prior", "short=0.36,long=0.64", "-o", here / "blind.json")
    run("factor", EXAMPLES / "purchases.tns", "--rank", 2, "-o", here / "factors", "--names",
        ",".join(str(EXAMPLES / f"purchases_{mode}.txt") for mode in ("people", "goods", "days")))
    told = {"audit": ["audit", EXAMPLES / "judges.csv", "--id", "answer", "--prior", "good=0.6,bad=0.4"],
            "scores": ["audit", "--scores", EXAMPLES / "scores.csv", "--prior", 0.3],
            "plan": ["plan", here / "em1.json", EXAMPLES / "crabs_nine.csv", "--label", "label", "--budget", 50,
                     "--replicates", 4, "--repeats", 0]}
    for name, command in told.items():
        (here / f"{name}.json").write_text(run(*command, "--json").out)
    write_csv(here / "numbers.csv", ["a", "b"], numpy.random.default_rng(1).normal(2, 1, (40, 2)))
    (here / "numbers.json").write_text(run("audit", here / "numbers.csv", "--regression", "--prior-mean", 2,
                                           "--prior-sd", 1, "--json").out)
    return here


# What to report on: operands and options, sections and pictures to be there.
NINE_DATA = [EXAMPLES / "crabs_nine.csv", "--label", "label", "--truth", "sex"]
CASES = {
    "em1": ("em1.json", NINE_DATA, "fit warnings components answers certainty",
            "map composition errors calibration roc convergence weights"),
    "em3": ("em3.json", NINE_DATA, "fit warnings components answers certainty",
            "map composition errors calibration roc convergence"),
    "crabs": ("crabs.json", [EXAMPLES / "crabs.csv", "--label", "sex"], "fit components answers",
              "map profiles composition errors calibration roc"),
    "without data": ("crabs.json", [], "fit components", "profiles composition"),
    "faithful": ("faithful.json", [EXAMPLES / "faithful.csv"], "fit components certainty", "map convergence"),
    "blind": ("blind.json", [EXAMPLES / "faithful.csv"], "fit components", "density"),
    "audit": ("audit.json", [], "predictors confusion", "predictors"),
    "scores": ("scores.json", [], "predictors", "predictors"),
    "numbers": ("numbers.json", [], "warnings predictors", "predictors"),
    "plan": ("plan.json", [], "plan", "plan"),
    "factors": ("factors", [], "factors", "factors"),
}


class Page(html.parser.HTMLParser):
    """Tags in balance, names that are there once, and all text."""
    VOID = {"meta", "link", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.names, self.tags, self.links, self.text = [], [], [], [], ""
        self.feed(text)
        assert self.open == []
        assert len(self.names) == len(set(self.names))
        assert set(self.links) <= set(self.names)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            self.names += [value] if name == "id" else []
            if name in ("href", "xlink:href"):
                assert value.startswith(("#", "data:")), value
                self.links += [value[1:]] if value.startswith("#") else []
            assert name != "src" and not name.startswith("on")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("case", CASES)
def test_page(scant, made, tmp_path, case):
    subject, operands, sections, pictures = CASES[case]
    out = tmp_path / "report.html"
    told = scant("report", made / subject, *operands, "-o", out, "--json").json()
    assert told == {"output": str(out), "sections": sections.split(), "pictures": pictures.split()}
    text = out.read_text()
    page = Page(text)
    assert "script" not in page.tags and page.tags.count("svg") == len(told["pictures"])
    assert set(told["sections"]) <= set(page.links)
    addresses = set(re.findall(r"https?://[^\"' ]*", text))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    again = tmp_path / "again.html"
    scant("report", made / subject, *operands, "-o", again)
    assert again.read_bytes() == out.read_bytes()


@pytest.mark.parametrize("case", ["em1", "crabs", "blind", "audit", "plan", "factors"])
def test_every_picture_in_every_format(scant, made, tmp_path, case):
    subject, operands, _, pictures = CASES[case]
    for kind in pictures.split():
        for ending, begin in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
            out = tmp_path / f"{kind}.{ending}"
            told = scant("plot", kind, made / subject, *operands, "-o", out, "--json").json()
            assert told == {"output": str(out), "picture": kind}
            assert out.read_bytes().startswith(begin)
        assert len(list(svg.read(tmp_path / f"{kind}.svg").iter(svg.SVG + "path"))) > 3


# --- the map ---

def expected_pixels(probability):
    best = probability.argmax(axis=1)
    sure = (probability.max(axis=1) - 1 / probability.shape[1]) / (1 - 1 / probability.shape[1])
    return numpy.array(COLOURS)[best], COVER * sure


def check_ground(scant, tmp_path, model, data, columns, all_columns, options, seen, known):
    """The ground of a map has the colours of what `predict` says there, other columns missing."""
    picture = tmp_path / "map.svg"
    scant("plot", "map", model, data, *options, "-o", picture)
    root = svg.read(picture)
    places = seen(root)
    across, down = (svg.scale(places[:, a], known[:, a]) for a in (0, 1))
    pixels, x, y = svg.ground(root)
    some = numpy.ix_(range(3, len(y), 13), range(3, len(x), 13))
    grid = numpy.stack(numpy.meshgrid(x, y), axis=2)[some].reshape(-1, 2)
    grid = grid * [across[0], down[0]] + [across[1], down[1]]
    points = write_csv(tmp_path / "grid.csv", all_columns,
                       [[dict(zip(columns, row)).get(name) for name in all_columns] for row in grid])
    answers = tmp_path / "answers.csv"
    scant("predict", model, points, "-o", answers)
    table = list(csv.DictReader(answers.open()))
    probability = numpy.array([[float(row[name]) for name in row if name.startswith("p_")] for row in table])
    colour, cover = expected_pixels(probability)
    found = pixels[some].reshape(-1, 4)
    clear = cover > 8  # colours of what is all but transparent are lost in rounding
    assert clear.sum() > len(clear) / 3
    # Places are known to a hundredth of a unit of the picture, which is little but not nothing near a boundary.
    near = abs(found[:, 3] - cover) < 12
    assert near.mean() > 0.97
    assert (abs(found[:, :3] - colour).max(axis=1) <= 12)[clear].mean() > 0.97


@pytest.mark.parametrize("covariance", ["full", "diag", "spherical", "tied", "tied-diag", "tied-spherical"])
def test_ground_of_two_columns(scant, tmp_path, covariance):
    data, model = EXAMPLES / "crabs_nine.csv", tmp_path / "model.json"
    scant("fit", data, *NINE, "--covariance", covariance, "-o", model)
    table = list(csv.DictReader(data.open()))
    known = numpy.array([[float(row["variate1"]), float(row["variate2"])] for row in table if not row["label"]])
    rings = 4
    check_ground(scant, tmp_path, model, data, ["variate1", "variate2"], ["variate1", "variate2"],
                 ["--label", "label"], lambda root: svg.points(root, 5, 2 + rings)[:len(known)], known)


def test_ground_where_unlabelled_rows_are_a_class(scant, made, tmp_path):
    data = EXAMPLES / "crabs_nine.csv"
    table = list(csv.DictReader(data.open()))
    known = numpy.array([[float(row["variate1"]), float(row["variate2"])] for row in table if not row["label"]])
    check_ground(scant, tmp_path, made / "em3.json", data, ["variate1", "variate2"], ["variate1", "variate2"],
                 ["--label", "label"], lambda root: svg.points(root, 5, 6)[:len(known)], known)


def test_ground_of_chosen_axes_integrates_the_others_out(scant, made, tmp_path):
    """Predictions of rows whose other cells are missing are the marginal's."""
    data, names = EXAMPLES / "crabs.csv", ["FL", "RW", "CL", "CW", "BD"]
    table = list(csv.DictReader(data.open()))
    known = numpy.array([[float(row["CL"]), float(row["RW"])] for row in table])
    check_ground(scant, tmp_path, made / "crabs.json", data, ["CL", "RW"], names, ["--axes", "CL,RW"],
                 lambda root: svg.points(root, 5, 4)[:len(known)], known)


def test_principal_axes(scant, made, tmp_path):
    data, picture = EXAMPLES / "crabs.csv", tmp_path / "map.svg"
    table = list(csv.DictReader(data.open()))
    x = numpy.array([[float(row[name]) for name in ("FL", "RW", "CL", "CW", "BD")] for row in table])
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    axes = numpy.linalg.svd(z, full_matrices=False)[2][:2]
    scant("plot", "map", made / "crabs.json", data, "-o", picture)
    seen = svg.points(svg.read(picture), 5, 4)[:len(x)]
    for a in (0, 1):
        svg.scale(seen[:, a], z @ axes[a])


def test_confidence_is_that_of_the_paper(scant, made, tmp_path):
    """Blue females have no label: EM1 is sure of them all the same, EM3 is not (partial labels, figure 4)."""
    table = list(csv.DictReader((EXAMPLES / "crabs_nine.csv").open()))
    place = numpy.mean([[float(row["variate1"]), float(row["variate2"])] for row in table
                        if row["sp"] + row["sex"] == "BF"], axis=0)
    known = numpy.array([[float(row["variate1"]), float(row["variate2"])] for row in table if not row["label"]])
    cover = {}
    for method in ("em1", "em3"):
        picture = tmp_path / f"{method}.svg"
        scant("plot", "map", made / f"{method}.json", EXAMPLES / "crabs_nine.csv", "--label", "label", "-o", picture)
        root = svg.read(picture)
        seen = svg.points(root, 5, 6)[:len(known)]
        pixels, x, y = svg.ground(root)
        at = [(place[a] - offset) / slope for a, (slope, offset) in
              enumerate(svg.scale(seen[:, a], known[:, a]) for a in (0, 1))]
        cover[method] = pixels[abs(y - at[1]).argmin(), abs(x - at[0]).argmin(), 3]
    assert cover["em1"] > 0.9 * COVER and cover["em3"] < 0.2 * COVER


def test_nine_labels_are_the_canonical_variates():
    """The file that ships is what the paper's figures are drawn on."""
    names = ("FL", "RW", "CL", "CW", "BD")
    whole = list(csv.DictReader((EXAMPLES / "crabs.csv").open()))
    nine = list(csv.DictReader((EXAMPLES / "crabs_nine.csv").open()))
    group = numpy.array([row["sp"] + row["sex"] for row in whole])
    assert list(group) == [row["sp"] + row["sex"] for row in nine]
    x = numpy.array([[float(row[name]) for name in names] for row in whole])
    within = sum(numpy.cov(x[group == g].T) for g in set(group)) / 4
    means = numpy.array([x[group == g].mean(axis=0) for g in sorted(set(group))])
    root = numpy.linalg.inv(numpy.linalg.cholesky(within))
    directions = numpy.linalg.svd((means - means.mean(axis=0)) @ root.T)[2][:2] @ root
    for a, name in enumerate(("variate1", "variate2")):
        known = (x - x.mean(axis=0)) @ directions[a]
        found = numpy.array([float(row[name]) for row in nine])
        assert min(abs(found - known).max(), abs(found + known).max()) < 1e-3
    labelled = [row["sp"] + row["sex"] for row in nine if row["label"]]
    assert sorted(labelled) == ["BM"] * 3 + ["OF"] * 3 + ["OM"] * 3
    assert all(row["label"] in ("", row["sex"]) for row in nine)


# --- numbers on the page ---

def tables(text):
    """Every table as lists of cells."""
    return [[re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line) for line in re.findall(r"<tr>(.*?)</tr>", table)]
            for table in re.findall(r"<table>(.*?)</table>", text, re.S)]


def test_errors_are_those_of_evaluate(scant, made, tmp_path):
    data, out = EXAMPLES / "crabs.csv", tmp_path / "report.html"
    scant("report", made / "crabs.json", data, "--label", "sex", "-o", out)
    told = scant("evaluate", made / "crabs.json", data, "--label", "sex", "--json").json()
    table = next(t for t in tables(out.read_text()) if t[0][0] == "true class")
    assert [[float(cell) for cell in line[1:]] for line in table[1:]] == told["confusion"]
    assert f"Accuracy {told['accuracy']:.3f}" in out.read_text()


def test_calibration_of_rows_without_a_label(scant, made, tmp_path):
    data, out, answers = EXAMPLES / "crabs_nine.csv", tmp_path / "report.html", tmp_path / "answers.csv"
    scant("report", made / "em1.json", data, "--label", "label", "--truth", "sex", "-o", out)
    scant("predict", made / "em1.json", data, "-o", answers)
    said, right = [], []
    for row, answer in zip(csv.DictReader(data.open()), csv.DictReader(answers.open())):
        if not row["label"]:
            said.append(max(float(answer["p_F"]), float(answer["p_M"])))
            right.append(answer["label"] == row["sex"])
    said, right = numpy.array(said), numpy.array(right)
    bins = numpy.minimum(((said - 0.5) / 0.05).astype(int), 9)
    wanted = [[f"{said[bins == b].mean():.3f}", f"{(bins == b).sum()}", f"{right[bins == b].mean():.3f}"]
              for b in range(10) if (bins == b).any()]
    table = next(t for t in tables(out.read_text()) if t[0][0] == "probability said")
    assert [line[:3] for line in table[1:]] == wanted
    for line in table[1:]:  # Wilson's: the shares p at which (share - p)^2 = z^2 p (1 - p) / n
        n, share, z2 = float(line[1]), float(line[2]), 1.959963984540054 ** 2
        ends = sorted(numpy.roots([1 + z2 / n, -(2 * share + z2 / n), share * share]).real)
        assert numpy.allclose([float(end) for end in line[3].split(" to ")], ends, atol=2e-3)
    assert "Of the 191 rows whose label the fit did not see" in out.read_text()


def test_baseline_and_warnings(scant, made, tmp_path):
    out = tmp_path / "report.html"
    scant("report", made / "em3.json", "-o", out)
    page = Page(out.read_text())
    assert "labelled rows alone" in page.text and "held out" in page.text
    for warning in json.loads((made / "em3.json").read_text())["warnings"]:
        assert warning in page.text


def test_profiles_of_other_families(scant, tmp_path):
    random = numpy.random.default_rng(2)
    rows = [[int(random.poisson(3 + 4 * (i % 2))), "xyz"[int(random.integers(3))], int(random.poisson(2)),
             float(random.normal(i % 2)), None if i % 7 == 0 else float(random.normal()), float(random.normal())]
            for i in range(200)]
    names = ["visits", "colour", "calls", "a", "b", "c"]
    data = tmp_path / "rows.csv"
    with data.open("w", newline="") as file:
        csv.writer(file).writerows([names] + [["" if cell is None else cell for cell in row] for row in rows])
    model, out = tmp_path / "model.json", tmp_path / "report.html"
    scant("fit", data, "-k", 2, "--categorical", "colour", "--family", "poisson:visits,calls", "-o", model)
    told = scant("report", model, data, "-o", out, "--json").json()
    assert told["pictures"] == ["map", "profiles", "convergence"]
    page = Page(out.read_text())
    for name in ("visits", "calls", "colour=x", "colour=z", "missing cells"):
        assert name in page.text
    assert re.search(r"29 of 1200", page.text)


# --- harm ---

def check_harmless(scant, folder, model, operands, count):
    """The page and each of its pictures, made in a folder where harm would show; the page."""
    page = folder / "report.html"
    told = scant("report", model, *operands, "--title", EVIL, "-o", page, "--json", cwd=folder).json()
    assert len(told["pictures"]) >= count
    for kind in told["pictures"]:
        for ending in ("svg", "png", "pdf"):
            scant("plot", kind, model, *operands, "-o", folder / f"{kind}.{ending}", cwd=folder)
        svg.read(folder / f"{kind}.svg")  # it is XML
    text = page.read_text()
    parsed = Page(text)
    assert "script" not in parsed.tags and "<script" not in text
    assert not list(folder.glob("**/pwned*"))
    return parsed


def test_names_do_no_harm(scant, tmp_path):
    """Of columns and of classes; a label cell cannot hold `;`, a model file can."""
    random = numpy.random.default_rng(3)
    data, model = tmp_path / "rows.csv", tmp_path / "model.json"
    classes = (EVIL.replace(";", ","), EVIL_TOO)
    with data.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow([EVIL, EVIL_TOO, "c", "y"])
        for i in range(60):
            out.writerow([*(random.normal(3 * (i % 2), 1, 3)), classes[i % 2] if i < 40 else ""])
    scant("fit", data, "--label", "y", "--stderr", "--covariance", "diag", "--tol", 1e-9, "-o", model, cwd=tmp_path)
    page = check_harmless(scant, tmp_path, model, [data, "--label", "y"], 6)
    assert EVIL in page.text and all(name in page.text for name in classes)
    check_harmless(scant, tmp_path, model, [data, "--axes", f"{EVIL_TOO},c"], 4)
    document = json.loads(model.read_text())
    document["classes"] = [EVIL, "`touch pwned`"]
    model.write_text(json.dumps(document))
    assert EVIL in check_harmless(scant, tmp_path, model, [data], 4).text


def test_names_of_predictors_do_no_harm(scant, made, tmp_path):
    told = json.loads((made / "audit.json").read_text())
    told["predictors"][0]["name"], told["predictors"][1]["name"] = EVIL, EVIL_TOO + "\n\x07\u2028"
    told["warnings"] = [EVIL]
    (tmp_path / "audit.json").write_text(json.dumps(told))
    scant("report", tmp_path / "audit.json", "-o", tmp_path / "a.html", cwd=tmp_path)
    assert "<script" not in (tmp_path / "a.html").read_text() and not list(tmp_path.glob("pwned*"))
    Page((tmp_path / "a.html").read_text())


def test_bytes_that_are_no_text(scant, made, tmp_path):
    """In the names of a folder's entries, which are read as they are."""
    folder = tmp_path / "factors"
    shutil.copytree(made / "factors", folder)
    lines = (folder / "mode-2.csv").read_bytes().split(b"\n")
    lines[1] = b"\xff\xc3<b>\xed\xa0\x80\x1b[0m," + lines[1].split(b",", 1)[1]
    (folder / "mode-2.csv").write_bytes(b"\n".join(lines))
    scant("report", folder, "-o", tmp_path / "r.html")
    assert "<b>" not in (tmp_path / "r.html").read_bytes().decode("utf-8")
    Page((tmp_path / "r.html").read_text())
    scant("plot", "factors", folder, "-o", tmp_path / "f.svg")
    svg.read(tmp_path / "f.svg")


# --- what cannot be done ---

def without_gnuplot(*args):
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": "/nonexistent"})
    return done.returncode, done.stdout, done.stderr


def test_without_gnuplot(made, tmp_path):
    out = tmp_path / "report.html"
    code, told, err = without_gnuplot("report", made / "crabs.json", EXAMPLES / "crabs.csv", "--label", "sex", "-o",
                                      out, "--json")
    assert code == 0 and json.loads(told)["pictures"] == [] and "gnuplot-nox" in err
    page = Page(out.read_text())
    assert "gnuplot-nox" in page.text and "true class" in page.text
    code, _, err = without_gnuplot("plot", "map", made / "crabs.json", EXAMPLES / "crabs.csv", "-o", tmp_path / "m.svg")
    assert code == 1 and "gnuplot-nox" in err and not (tmp_path / "m.svg").exists()


@pytest.mark.parametrize("arguments, code, words", [
    (["plot", "mapp", "crabs.json", "-o", "x.svg"], 2, "did you mean 'map'"),
    (["plot", "map", "crabs.json", "-o", "x.gif"], 2, ".svg, .png or .pdf"),
    (["plot", "map", "crabs.json"], 2, "-o PICTURE"),
    (["plot", "map", "crabs.json", "-o", "x.svg"], 3, "principal axes want DATA"),
    (["plot", "map", "crabs.json", "--axes", "FL,XX", "-o", "x.svg"], 3, "--axes"),
    (["plot", "map", "crabs.json", "--axes", "FL", "-o", "x.svg"], 2, "two columns"),
    (["plot", "weights", "crabs.json", "-o", "x.svg"], 3, "--stderr"),
    (["plot", "plan", "crabs.json", "-o", "x.svg"], 3, "no plan"),
    (["plot", "errors", "crabs.json", EXAMPLES / "crabs.csv", "-o", "x.svg"], 3, "--label COL or --truth COL"),
    (["report", "audit.json", EXAMPLES / "crabs.csv"], 2, "DATA goes with a model"),
    (["report", "nothing.json"], 3, "nothing.json: No such file"),
    (["report", EXAMPLES / "crabs.csv"], 3, ":1:2:"),
    (["report", "other.json"], 3, "neither a model nor"),
    (["report", "."], 3, "weights.csv"),
    (["report", "crabs.json", "-o", "-", "--json"], 2, "both want standard output"),
    (["report", "-"], 2, "standard input"),
    (["report", "faithful.json", EXAMPLES / "crabs_nine.csv", "--label", "sex"], 2, "no classes"),
])
def test_refusals(scant, made, arguments, code, words):
    (made / "other.json").write_text('{"rows": 3}')
    result = scant(*arguments, ok=code, cwd=made)
    assert words in result.err
    assert not (made / "x.svg").exists() and not (made / "report.html").exists()


@pytest.mark.parametrize("name, keys", [("audit", "predictors prior classes independence"), ("scores", "classifiers"),
                                        ("numbers", "predictors"), ("plan", "frontier now plan choice limit")])
def test_damaged_documents(scant, made, tmp_path, name, keys):
    """What is missing or of another sort in a document is left out or refused, never a crash."""
    told = json.loads((made / f"{name}.json").read_text())
    for key in keys.split():
        for other in (None, "x", [{}, None]):
            (tmp_path / "told.json").write_text(json.dumps({**told, key: other}))
            scant("report", tmp_path / "told.json", "-o", tmp_path / "r.html", "-q", ok=(0, 3))


def test_examples_of_the_manual(tmp_path):
    """Every line of docs/report.md that is typed, and the sketch that it shows."""
    text = (ROOT / "docs" / "report.md").read_text()
    lines = "".join(re.findall(r"```sh\n(.*?)```", text, re.S)).splitlines()
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for line in lines:
        assert line.startswith("scant ")
        words = shlex.split(line)
        to = words[words.index(">") + 1] if ">" in words else None
        done = run(*(words[1:words.index(">")] if to else words[1:]), cwd=tmp_path)
        if to:
            (tmp_path / to).write_text(done.out)
    assert {"crabs.html", "audit.html", "purchases.html", "map.png", "doubt.svg"} <= {f.name for f in tmp_path.iterdir()}
    kinds = re.findall(r"^\| `(\w+)` \|", text.split("## Pictures")[1], re.M)
    listed = re.findall(r"^  (\w+) ", run("plot", "--help").out.split("Kinds:")[1].split("\n\n")[0], re.M)
    assert sorted(kinds) == sorted(listed)
    sketch = run("fit", EXAMPLES / "crabs_nine.csv", *NINE, "-v").err.split("\n\n", 1)[1]
    shown = re.search(r"```\n(objective.*?)```", text, re.S).group(1)
    assert [line.rstrip() for line in sketch.splitlines()] == shown.splitlines()


def test_sketches(scant, tmp_path):
    quiet = scant("fit", EXAMPLES / "crabs_nine.csv", *NINE, "--json")
    loud = scant("fit", EXAMPLES / "crabs_nine.csv", *NINE, "--json", "-v")
    assert "objective per row" not in quiet.err and "*" in loud.err.split("objective per row", 1)[1]
    bars = re.findall(r"^ +\d+ \|([#+. ]{40})\| ([\d.]+) rows", loud.err, re.M)
    assert len(bars) == 4 and abs(sum(float(rows) for _, rows in bars) - 200) < 0.5
    assert max(len(bar.rstrip()) for bar, _ in bars) == 40
    assert quiet.json()["loglik"] == loud.json()["loglik"]


@pytest.mark.parametrize("name", ["O''Brien", "''", "'", 'a"b', "`touch pwned`", "back\\slash", "\\", "50 %", "%d"])
def test_names_that_gnuplot_quotes(scant, tmp_path, name):
    """A label cell may be any of these, and each stands in the pictures as it is."""
    data, model = tmp_path / "rows.csv", tmp_path / "model.json"
    with data.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["x", "z", "y"])
        out.writerows([i % 7 + 4 * (i % 2), i * i % 11, (name, "other")[i % 2]] for i in range(60))
    scant("fit", data, "--label", "y", "-q", "-o", model)
    page = check_harmless(scant, tmp_path, model, [data, "--label", "y"], 4)
    assert f"labelled {name}" in page.text


def test_a_terminal_of_the_environment_is_none_of_ours(made, tmp_path):
    for terminal in ("qt", "x11", "no such terminal"):
        done = subprocess.run([PROGRAM, "report", made / "crabs.json", EXAMPLES / "crabs.csv", "--label", "sex", "-o",
                               tmp_path / "report.html", "--json"], env={**os.environ, "GNUTERM": terminal},
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0 and len(json.loads(done.stdout)["pictures"]) > 3, done.stderr


def test_a_picture_that_fails_costs_the_picture(made, tmp_path):
    """A gnuplot that draws every other time: the page is there, and says what is not."""
    gnuplot = shutil.which("gnuplot")
    if not gnuplot:
        pytest.skip("no gnuplot")
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "gnuplot").write_text(f"#!/bin/sh\nif [ -e {folder}/odd ]; then rm {folder}/odd; echo 'no <ink>' >&2; exit 1; fi\n"
                                    f"touch {folder}/odd; exec {gnuplot} \"$@\"\n")
    (folder / "gnuplot").chmod(0o755)
    done = subprocess.run([PROGRAM, "report", made / "crabs.json", EXAMPLES / "crabs.csv", "--label", "sex", "-o",
                           tmp_path / "report.html", "--json"], capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stderr
    drawn = json.loads(done.stdout)["pictures"]
    text = (tmp_path / "report.html").read_text()
    assert drawn and text.count("could not be drawn") == done.stderr.count("is left out: gnuplot could not draw: no <ink>") > 0
    assert "no &lt;ink&gt;" in text and "<ink>" not in text
