"""What reproductions share: the command, tables "paper | ours | spread", and figures as SVG."""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCANT = os.environ.get("SCANT", os.path.join(ROOT, "build", "scant"))
DATA = os.environ.get("SCANT_SHARED_DATA", os.path.join(ROOT, "..", "shared", "data"))
STOPPED_BY_LIMIT = 4  # an answer is there all the same
UNIDENTIFIED = 5


def beside(script, name):
    """Path of a file in the folder of a script."""
    return os.path.join(os.path.dirname(os.path.abspath(script)), name)


def need_data(*names):
    """Paths of data sets; ends the program, and says so, where they are not."""
    paths = [os.path.join(DATA, name) for name in names]
    for path in paths:
        if not os.path.exists(path):
            sys.exit(f"skipped: no {path} (SCANT_SHARED_DATA names the folder)")
    return paths


def scant(*arguments, also=(), **environment):
    """The JSON that a command prints; its complaint ends the program, unless its exit code is one of `also`: {} then."""
    done = subprocess.run([SCANT, *map(str, arguments), "--json"], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})
    if done.returncode not in (0, STOPPED_BY_LIMIT, *also):
        sys.exit(f"scant {' '.join(map(str, arguments))}\n{done.stderr}")
    return json.loads(done.stdout or "{}")


def table(header, rows):
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def spread(values, digits=1):
    """Mean and the 5th to 95th percentile."""
    import numpy
    low, high = numpy.percentile(values, [5, 95])
    return f"{numpy.mean(values):.{digits}f}", f"{low:.{digits}f}..{high:.{digits}f}"


def plot(rows=1, columns=1, width=4.0, height=3.2):
    """A figure and its axes; same input, same bytes."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "scant", "font.size": 9})
    import matplotlib.pyplot
    return matplotlib.pyplot.subplots(rows, columns, figsize=(width * columns, height * rows), squeeze=False)


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


class Report:
    """Text that goes to the screen and, at the end, to a file."""

    def __init__(self, path):
        self.path, self.parts = path, []

    def say(self, text=""):
        self.parts.append(text)
        print(text, flush=True)

    def close(self):
        with open(self.path, "w", encoding="utf-8") as out:
            out.write("\n".join(self.parts).rstrip() + "\n")
