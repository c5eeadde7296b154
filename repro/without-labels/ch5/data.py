"""Tensors of chapter 5's kinds, from the shared data or drawn with fixed seeds, kept as files in a scratch folder."""
import csv
import gzip
import os
import subprocess

import numpy

import report

SEED = 5


def scratch():
    folder = os.path.join(report.ROOT, "build", "repro", "ch5")
    os.makedirs(folder, exist_ok=True)
    return folder


def once(name, make):
    """The path of a file that make(path) writes the first time."""
    path = os.path.join(scratch(), name)
    if not os.path.exists(path):
        make(path)
    return path


def processor_clock():
    """A library that makes a program's clock that of its processor time."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "processor_clock.c")
    return once("processor_clock.so",
                lambda path: subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", path, source], check=True))


def uniform(sizes):
    """Every cell from U(0, 1): nothing to find, as the thesis has it."""
    name = f"uniform-{'x'.join(map(str, sizes))}.npy"
    return once(name, lambda path: numpy.save(path, numpy.random.default_rng(SEED).random(sizes)))


def noisy(sizes, rank, variance):
    """Factors from U(0, 1) and normal noise, cut off at 0; the squared noise over the squares comes with it."""
    name = f"noisy-{'x'.join(map(str, sizes))}-{rank}-{variance}"

    def make(path):
        random = numpy.random.default_rng(SEED)
        truth = [random.random((n, rank)) for n in sizes]
        clean = numpy.einsum("iq,jq,kq->ijk", *truth, optimize=True)
        x = numpy.maximum(0, clean + numpy.sqrt(variance) * random.normal(size=sizes))
        numpy.savetxt(path[:-4] + ".floor", [((x - clean) ** 2).sum() / (x ** 2).sum()])
        numpy.save(path, x)

    path = once(name + ".npy", make)
    return path, float(numpy.loadtxt(path[:-4] + ".floor"))


def faces():
    """ORL: 400 pictures of 32 x 32, in place of CMU's 640 of 128 x 120."""
    source, = report.need_data("orl_faces/orl_32x32.csv.gz")

    def make(path):
        with gzip.open(source, "rt") as file:
            rows = list(csv.reader(file))
        keep = [k for k, name in enumerate(rows[0]) if name != "subject"]
        pixels = numpy.array([[float(row[k]) for k in keep] for row in rows[1:]])
        numpy.save(path, pixels.reshape(-1, 32, 32).transpose(2, 1, 0).copy())
    return once("orl-32x32x400.npy", make)


def sparse(sizes, nonzeros):
    """Counts in cells of a few hundred overlapping blocks, as events have them; sizes and entries are VAST's."""
    def make(path):
        random = numpy.random.default_rng(SEED)
        blocks = 300
        share = random.dirichlet(numpy.ones(blocks))
        cells = []
        for block in range(blocks):
            n = int(nonzeros * 1.3 * share[block]) + 1
            cells.append(numpy.stack([random.choice(size, max(2, size // 20), replace=False)[
                (random.beta(0.7, 2, n) * max(2, size // 20)).astype(int)] for size in sizes]))
        cells = numpy.concatenate(cells, axis=1)
        key, count = numpy.unique(numpy.ravel_multi_index(cells, sizes), return_counts=True)
        index = numpy.unravel_index(key, sizes)
        corner = [numpy.append(i, n - 1) for i, n in zip(index, sizes)]
        numpy.savetxt(path, numpy.column_stack([*(i + 1 for i in corner), numpy.append(count, 1)]), fmt="%d")
    return once(f"events-{'x'.join(map(str, sizes))}.tns", make)


def amino():
    return report.need_data("amino_acid_fluorescence/amino_5x201x61_f64.npy")[0]


def enron():
    return report.need_data("enron_tensor/enron_156x156x44.tns", "enron_tensor/enron_modes.csv",
                            "enron_tensor/enron_months.csv")


def pictures(size=64):
    """Three drawings, dark to bright from 0 to 255, in place of the thesis's photographs."""
    y, x = numpy.mgrid[0:size, 0:size] / (size - 1)
    disc = (numpy.hypot(x - 0.5, y - 0.45) < 0.35) * (0.6 + 0.4 * y)
    stripes = 0.5 + 0.5 * numpy.sin(18 * (x + 0.6 * y)) * (y > 0.15)
    house = 0.9 * ((abs(x - 0.5) < 0.3) & (y > 0.5)) + 0.6 * ((y <= 0.5) & (y > 0.15) & (abs(x - 0.5) < y - 0.12))
    random = numpy.random.default_rng(SEED)
    return [200 * picture + 50 * random.random((size, size)) for picture in (disc, stripes, house)]
