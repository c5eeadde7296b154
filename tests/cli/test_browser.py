"""Reports in headless Chromium: no complaint, no request, links and folds that work, pictures that are drawn."""
import pathlib

import pytest

import browser
from conftest import EXAMPLES, PROGRAM, run

pytestmark = [
    pytest.mark.skipif(not browser.PROGRAM, reason="there is no chromium"),
    pytest.mark.skipif(pathlib.Path(PROGRAM).parent.name != "build",
                       reason="the pages are the same under a sanitizer; Chromium looks at the release's"),
]
WIDTHS = (1400, 400)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    here = tmp_path_factory.mktemp("pages")
    nine = EXAMPLES / "crabs_nine.csv"
    run("fit", nine, "--features", "variate1,variate2", "--label", "label", "-k", "2/class", "--starts", 20,
        "--stderr", "-o", here / "fit.json")
    run("factor", EXAMPLES / "purchases.tns", "--rank", 2, "-o", here / "factors", "--names",
        ",".join(str(EXAMPLES / f"purchases_{mode}.txt") for mode in ("people", "goods", "days")))
    (here / "audit.json").write_text(run("audit", EXAMPLES / "judges.csv", "--id", "answer", "--prior",
                                         "good=0.6,bad=0.4", "--json").out)
    (here / "plan.json").write_text(run("plan", here / "fit.json", nine, "--label", "label", "--budget", 50,
                                        "--replicates", 4, "--repeats", 0, "--json").out)
    subjects = {"fit": ["fit.json", nine, "--label", "label", "--truth", "sex"], "audit": ["audit.json"],
                "factor": ["factors"], "plan": ["plan.json"]}
    pictures = {name: run("report", here / what[0], *what[1:], "-o", here / f"{name}.html", "--json").json()["pictures"]
                for name, what in subjects.items()}
    return here, pictures


@pytest.fixture(scope="module")
def chromium():
    page = browser.Browser()
    yield page
    page.close()


@pytest.mark.parametrize("name", ["fit", "audit", "factor", "plan"])
def test_page(chromium, pages, name):
    here, pictures = pages
    chromium.requests.clear()
    chromium.complaints.clear()
    for width in WIDTHS:
        chromium.resize(width)
        chromium.open(here / f"{name}.html")
        check_pictures(chromium, pictures[name], width)
        assert chromium.ask("document.documentElement.scrollWidth <= window.innerWidth")
        click_links(chromium)
        click_folds(chromium)
    check_colours(chromium)
    assert chromium.pdf().startswith(b"%PDF")
    elsewhere = [url for url in chromium.requests if not url.startswith(("data:", (here / f"{name}.html").as_uri()))]
    assert elsewhere == [] and chromium.complaints == []


def check_pictures(page, pictures, width):
    """Every picture has its place on the page, and what is drawn in it fills most of it."""
    assert page.ask("document.querySelectorAll('figure svg').length") == len(pictures)
    for kind in pictures:
        svg = f"document.querySelector('#picture-{kind} svg')"
        box = page.ask(f"(() => {{ const r = {svg}.getBoundingClientRect(); return [r.left, r.width, r.height]; }})()")
        assert box[0] >= 0 and box[1] > 250 and box[2] > 60 and box[0] + box[1] <= width
        drawn = page.ask(f"(() => {{ const b = {svg}.querySelector('g').getBBox(), v = {svg}.viewBox.baseVal; "
                         "return [b.width / v.width, b.height / v.height]; })()")
        assert min(drawn) > 0.6
        assert page.ask(f"[...{svg}.querySelectorAll('path, polygon, use, image')].filter("
                        "e => { const r = e.getBoundingClientRect(); return r.width + r.height > 1; }).length") > 5
        assert page.ask(f"document.querySelector('#picture-{kind} figcaption').textContent.length") > 30


def click_links(page):
    """Each entry of the contents leads to its section."""
    for i in range(page.ask("document.querySelectorAll('nav a').length")):
        link = f"document.querySelectorAll('nav a')[{i}]"
        page.click(link)
        assert page.ask(f"location.hash === {link}.hash")
        assert page.ask("(() => { const r = document.querySelector(location.hash).getBoundingClientRect(); "
                        "return r.bottom > 0 && r.top < window.innerHeight; })()")


def click_folds(page):
    for i in range(page.ask("document.querySelectorAll('details').length")):
        fold = f"document.querySelectorAll('details')[{i}]"
        was = page.ask(f"{fold}.open")
        page.click(f"{fold}.querySelector('summary')")
        assert page.ask(f"{fold}.open") != was
        assert was or page.ask(f"{fold}.querySelector('table').getBoundingClientRect().height") > 10


def check_colours(page):
    """Ink and paper change places in the dark, in pictures too."""
    def light(colour):
        return page.ask(f"{colour}.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0)")

    for scheme in ("light", "dark"):
        page.prefer(scheme)
        paper = light("getComputedStyle(document.body).backgroundColor")
        ink = light("getComputedStyle(document.querySelector('figure svg text')).fill")
        assert abs(paper - ink) > 400 and (paper > ink) == (scheme == "light")
    page.prefer("light")
