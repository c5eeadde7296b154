"""The workloads: deterministic data and one start for all, made once and kept under build/bench.

A Gaussian workload is a folder with x.npy (rows by columns), start.json (a model file for scant) and
start.txt (the same numbers for everyone else: weights, means, covariances or variances). A partly labelled
one has the class as a further column and a second start, labelled.json, in which components belong to
classes. A multinomial one has x.mtx and x.npz instead. Sizes are the argument of the makers, so that --quick
is the same code.
"""
import json
import os

import numpy
import scipy.io
import scipy.sparse

SEED = 20240501
SCHEMA = 1  # of starts: the first one, which all versions read
LAYOUT = 2  # of a workload's files: another one makes them anew
CHUNK = 1 << 18  # rows drawn at a time
MOST_TESTED = 20000


def model_file(path, columns, family, coupling, parameters, classes=0, **settings):
    """Writes a start in the layout of scant's model files. coupling: components by classes, or by one."""
    names = [f"x{c + 1}" for c in range(columns)]
    factor = {"family": family, "columns": names, **settings, "parameters": parameters}
    model = {
        "format": "scant-model", "schema": SCHEMA, "method": "em", "settings": {},
        "columns": [{"name": name} for name in names], "classes": [str(k) for k in range(classes)],
        "components": len(coupling), "coupling": numpy.asarray(coupling).tolist(), "factors": [factor],
    }
    with open(path, "w", encoding="ascii") as out:
        json.dump(model, out)


def text_file(path, *arrays):
    """The arrays one after the other, one number a line, every digit kept."""
    with open(path, "w", encoding="ascii") as out:
        for array in arrays:
            for value in numpy.asarray(array, dtype=float).ravel():
                out.write(f"{value:.17g}\n")


def once(folder, make):
    """Runs make() the first time; a folder without the mark, or with that of another layout, is made again."""
    mark = os.path.join(folder, f"done-{LAYOUT}")
    if not os.path.exists(mark):
        os.makedirs(folder, exist_ok=True)
        make()
        with open(mark, "w", encoding="ascii"):
            pass
    return folder


def draw_mixture(x, random, centre, shape):
    """Fills x with rows of a Gaussian mixture; returns their components."""
    member = numpy.empty(len(x), dtype=int)
    for first in range(0, len(x), CHUNK):
        block = x[first:first + CHUNK]
        mine = member[first:first + CHUNK] = random.integers(0, len(centre), len(block))
        noise = random.normal(size=block.shape)
        for k in range(len(centre)):
            block[mine == k] = centre[k] + noise[mine == k] @ shape[k].T
    return member


def gaussian(root, name, rows, columns, components, covariance, classes=0, labelled=0.0):
    """Rows of a Gaussian mixture whose components overlap.

    Start: the true means, each moved by a normal step, every covariance that of all
    rows, equal weights: far from the solution, yet no component dies on the way, which peers treat
    each in their own manner.

    With classes, components belong to them in turn, and x has one more column: the class of a share `labelled`
    of the rows, -1 for the others."""
    folder = os.path.join(root, f"{name}-{rows}x{columns}-{components}-{covariance}")

    def make():
        random = numpy.random.default_rng(SEED)
        centre = random.normal(0, 0.6, (components, columns))
        shape = random.normal(0, 0.5 / numpy.sqrt(columns), (components, columns, columns))
        shape += numpy.eye(columns)
        path = os.path.join(folder, "x.npy")
        table = numpy.lib.format.open_memmap(path, mode="w+", dtype="<f8",
                                             shape=(rows, columns + (1 if classes else 0)))
        x = table[:, :columns]
        member = draw_mixture(x, random, centre, shape)
        means = centre + random.normal(0, 0.5, centre.shape)
        overall = numpy.cov(x[:1000000].T).reshape(columns, columns)
        weights = numpy.full((components, 1), 1.0 / components)
        one = overall if covariance == "full" else numpy.diag(overall)
        spread = numpy.repeat(one[None], components, axis=0)
        named = {"means": means.tolist(), "covariances": spread.tolist()}
        model_file(os.path.join(folder, "start.json"), columns, "gaussian", weights, named,
                   covariance=covariance)
        text_file(os.path.join(folder, "start.txt"), weights, means, spread)
        if classes:
            own = numpy.arange(components) % classes
            known = random.random(rows) < labelled
            table[:, columns] = numpy.where(known, own[member], -1)
            model_file(os.path.join(folder, "labelled.json"), columns, "gaussian",
                       weights * (own[:, None] == numpy.arange(classes)), named, classes, covariance=covariance)
        table.flush()

    return once(folder, make)


def few(root, rows, columns, classes, labels):
    """Rows of `classes` overlapping Gaussian classes; x.npy has one more column, the class of the first `labels` rows of each
    and -1 for the others; test.npy has the first rows with all their classes."""
    folder = os.path.join(root, f"few-{rows}x{columns}-{classes}-{labels}")

    def make():
        random = numpy.random.default_rng(SEED + 5)
        centre = random.normal(0, 0.7, (classes, columns))
        shape = random.normal(0, 1 / numpy.sqrt(columns), (classes, columns, columns))
        table = numpy.empty((rows, columns + 1))
        member = draw_mixture(table[:, :columns], random, centre, shape)
        table[:, columns] = member
        numpy.save(os.path.join(folder, "test.npy"), table[:MOST_TESTED])
        known = numpy.concatenate([numpy.flatnonzero(member == k)[:labels] for k in range(classes)])
        table[:, columns] = -1
        table[known, columns] = member[known]
        numpy.save(os.path.join(folder, "x.npy"), table)

    return once(folder, make)


def margins(root, rows, columns):
    """Two classes with a curved boundary and noise; x.npy and test.npy with the class in the last column."""
    folder = os.path.join(root, f"margins-{rows}x{columns}")

    def make():
        random = numpy.random.default_rng(SEED + 6)
        for name, count in (("x", rows), ("test", min(rows, MOST_TESTED))):
            x = random.normal(size=(count, columns))
            f = numpy.sin(1.5 * x[:, 0]) + 0.5 * x[:, 1] * x[:, 2] + x[:, 3] + 0.5 * random.normal(size=count)
            numpy.save(os.path.join(folder, f"{name}.npy"), numpy.column_stack([x, f > 0]))

    return once(folder, make)


def with_missing(folder, share):
    """A folder beside with the same rows, a share of whose cells is missing; a row keeps its first."""
    beside = f"{folder}-missing"

    def make():
        random = numpy.random.default_rng(SEED + 2)
        x = numpy.load(os.path.join(folder, "x.npy"), mmap_mode="r")
        path = os.path.join(beside, "x.npy")
        table = numpy.lib.format.open_memmap(path, mode="w+", dtype="<f8", shape=x.shape)
        for first in range(0, len(x), CHUNK):
            block = x[first:first + CHUNK]
            holes = random.random(block.shape) < share
            holes[:, 0] = False
            table[first:first + CHUNK] = numpy.where(holes, numpy.nan, block)
        table.flush()

    return once(beside, make)


def multinomial(root, name, rows, columns, components, nonzeros):
    """Documents over words of Zipf-like frequency; each topic prefers its own words.

    Start: the overall word frequencies with a share of a topic's own in each component, so that no
    component dies on the way."""
    folder = os.path.join(root, f"{name}-{rows}x{columns}-{components}-{nonzeros}")

    def make():
        random = numpy.random.default_rng(SEED)
        zipf = 1.0 / numpy.arange(1, columns + 1) ** 1.05
        topics = zipf * random.gamma(0.5, 2.0, (components, columns))
        topics /= topics.sum(axis=1, keepdims=True)
        lengths = random.lognormal(0, 0.6, rows)
        # tokens a document so that about `nonzeros` distinct (document, word) pairs come out; words
        # repeat within a document, and the factor is found by a small search below
        def draw(tokens):
            inner = numpy.random.default_rng(SEED + 1)
            count = numpy.maximum(5, (lengths / lengths.mean() * tokens).astype(int))
            topic = inner.integers(0, components, rows)
            words = [inner.choice(columns, size=count[topic == k].sum(), p=topics[k])
                     for k in range(components)]
            documents = [numpy.repeat(numpy.flatnonzero(topic == k), count[topic == k])
                         for k in range(components)]
            ones = numpy.ones(sum(map(len, words)))
            pairs = (numpy.concatenate(documents), numpy.concatenate(words))
            return scipy.sparse.coo_matrix((ones, pairs), shape=(rows, columns)).tocsr()

        tokens = 1.5 * nonzeros / rows
        for _ in range(6):
            x = draw(tokens)
            if abs(x.nnz / nonzeros - 1) < 0.01:
                break
            tokens *= nonzeros / x.nnz
        x.sort_indices()
        scipy.sparse.save_npz(os.path.join(folder, "x.npz"), x, compressed=False)
        scipy.io.mmwrite(os.path.join(folder, "x.mtx"), x, field="integer", symmetry="general")
        overall = numpy.asarray(x.sum(axis=0)).ravel() + 1.0
        start = 0.8 * overall / overall.sum() + 0.2 * topics
        weights = numpy.full((components, 1), 1.0 / components)
        model_file(os.path.join(folder, "start.json"), columns, "multinomial", weights,
                   {"probabilities": start.tolist()})
        numpy.save(os.path.join(folder, "start.npy"), start)

    return once(folder, make)


def two_classes(root, name, rows, columns, share):
    """Normal rows of two classes a line tells apart, with a few strong directions that have nothing to do with it."""
    folder = os.path.join(root, f"{name}-{rows}x{columns}")

    def make():
        random = numpy.random.default_rng(SEED)
        sign = numpy.where(random.random(rows) < share, 1, -1)
        apart = random.normal(size=columns)
        x = random.normal(size=(rows, columns)) + sign[:, None] * apart * 3 / numpy.linalg.norm(apart)
        x += random.normal(size=(rows, 4)) @ random.normal(0, 0.1, (4, columns))
        numpy.save(os.path.join(folder, "x.npy"), x)

    return once(folder, make)


def csv(root, name, rows, columns):
    """Numbers with five decimals, one header line."""
    folder = os.path.join(root, f"{name}-{rows}x{columns}")

    def make():
        random = numpy.random.default_rng(SEED)
        line = ",".join(["%.5f"] * columns) + "\n"
        with open(os.path.join(folder, "x.csv"), "w", encoding="ascii") as out:
            out.write(",".join(f"x{c + 1}" for c in range(columns)) + "\n")
            for first in range(0, rows, 10000):
                block = random.normal(0, 2.0, (min(10000, rows - first), columns))
                out.write((line * len(block)) % tuple(block.ravel()))

    return once(folder, make)


def votes(root, name, items, workers, classes):
    """Answers of workers with tables of confusion of their own: votes.npy (items by workers) and votes.txt."""
    folder = os.path.join(root, f"{name}-{items}x{workers}x{classes}")

    def make():
        random = numpy.random.default_rng(SEED)
        truth = random.integers(classes, size=items)
        table = 0.65 * numpy.eye(classes) + 0.35 * random.dirichlet(numpy.ones(classes), (workers, classes))
        answers = numpy.empty((items, workers), dtype=numpy.int64)
        for w in range(workers):
            answers[:, w] = (random.random(items)[:, None] > numpy.cumsum(table[w][truth], 1)[:, :-1]).sum(1)
        numpy.save(os.path.join(folder, "votes.npy"), answers)
        with open(os.path.join(folder, "votes.txt"), "w", encoding="ascii") as out:
            out.write(f"{items} {workers} {classes}\n")
            for row in answers:
                out.write(" ".join(map(str, row)) + "\n")
    return once(folder, make)


def votes_table(folder, share):
    """The path of votes.npy as a CSV file of a row an item, a share of the answers left out."""
    beside = os.path.join(folder, f"table-{share}")

    def make():
        random = numpy.random.default_rng(SEED + 3)
        answers = numpy.load(os.path.join(folder, "votes.npy"))
        text = numpy.where(random.random(answers.shape) < share, "", numpy.char.add("c", answers.astype(str)))
        with open(os.path.join(beside, "votes.csv"), "w", encoding="ascii") as out:
            out.write(",".join(f"w{w}" for w in range(answers.shape[1])) + "\n")
            out.writelines(",".join(row) + "\n" for row in text)

    return os.path.join(once(beside, make), "votes.csv")


def long_votes(root, name, items, answers, workers, classes):
    """A long table votes.csv: every item is answered by some of many workers."""
    folder = os.path.join(root, f"{name}-{items}x{answers}-{workers}x{classes}")

    def make():
        random = numpy.random.default_rng(SEED)
        right = random.uniform(0.6, 0.95, workers)
        with open(os.path.join(folder, "votes.csv"), "w", encoding="ascii") as out:
            out.write("item,worker,label\n")
            for first in range(0, items, CHUNK):
                n = min(CHUNK, items - first)
                truth = random.integers(classes, size=n)
                start = random.integers(workers, size=n)
                for a in range(answers):
                    worker = (start + a * 37) % workers
                    wrong = (truth + random.integers(1, classes, size=n)) % classes
                    answer = numpy.where(random.random(n) < right[worker], truth, wrong)
                    out.writelines(f"q{first + i},w{w},c{x}\n" for i, (w, x) in enumerate(zip(worker.tolist(), answer.tolist())))

    return once(folder, make)


def write_factors(folder, modes):
    """A start for scant: a table a mode, and weights of one."""
    os.makedirs(folder, exist_ok=True)
    rank = modes[0].shape[1]
    header = ",".join(f"component_{q + 1}" for q in range(rank))
    for number, mode in enumerate(modes, 1):
        numpy.savetxt(os.path.join(folder, f"mode-{number}.csv"), mode, fmt="%.17g", delimiter=",", header=header,
                      comments="")
    numpy.savetxt(os.path.join(folder, "weights.csv"), numpy.ones(rank), header="weight", comments="")


def dense_tensor(root, sizes, rank):
    """x.npy: a tensor of that rank and a tenth of noise; x.bin and x.info: the same for PLANC; start: a random start."""
    folder = os.path.join(root, f"tensor-{'x'.join(map(str, sizes))}-{rank}")

    def make():
        random = numpy.random.default_rng(SEED)
        truth = [random.random((n, rank)) for n in sizes]
        x = numpy.einsum("iq,jq,kq->ijk", *truth, optimize=True)
        x += 0.1 * numpy.abs(random.normal(size=sizes))
        numpy.save(os.path.join(folder, "x.npy"), x)
        numpy.asfortranarray(x).ravel(order="F").tofile(os.path.join(folder, "x.bin"))
        with open(os.path.join(folder, "x.info"), "w", encoding="ascii") as out:
            out.write(f"{len(sizes)}\n{' '.join(map(str, sizes))}\n")
        start = [random.random((n, rank)) for n in sizes]
        write_factors(os.path.join(folder, "start"), start)
        numpy.savez(os.path.join(folder, "start.npz"), *start)

    return once(folder, make)


def lines_of(columns, widths):
    """Lines of whole numbers, with zeros in front: a hundred million of them are made by arithmetic on arrays alone."""
    rows = numpy.full((len(columns[0]), sum(widths) + len(widths)), ord(" "), dtype=numpy.uint8)
    at = 0
    for column, width in zip(columns, widths):
        rest = column.astype(numpy.uint32)
        for digit in range(at + width - 1, at - 1, -1):
            rest, rows[:, digit] = rest // 10, rest % 10 + ord("0")
        at += width + 1
    rows[:, -1] = ord("\n")
    return rows.tobytes()


def sparse_tensor(root, sizes, nonzeros):
    """x.tns: counts from 1 to 5 in cells drawn evenly, those drawn again left out, sorted; the last corner tells the sizes."""
    folder = os.path.join(root, f"tns-{'x'.join(map(str, sizes))}-{nonzeros}")

    def make():
        random = numpy.random.default_rng(SEED)
        cells = numpy.unique(random.integers(0, numpy.prod(sizes, dtype=numpy.int64), nonzeros))
        cells[-1] = numpy.prod(sizes, dtype=numpy.int64) - 1
        widths = [*(len(str(size)) for size in sizes), 1]
        with open(os.path.join(folder, "x.tns"), "wb") as out:
            for first in range(0, len(cells), CHUNK):
                block = cells[first:first + CHUNK]
                index = numpy.unravel_index(block, sizes)
                out.write(lines_of([*(i + 1 for i in index), random.integers(1, 6, len(block))], widths))

    return once(folder, make)
