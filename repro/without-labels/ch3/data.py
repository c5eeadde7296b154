"""The sets of chapter 3 that are here, as sparse rows with labels 1 and 0, and the splits of both."""
import gzip
import os

import numpy
import scipy.sparse

from common import report


def mnist(positive, negative):
    folder, = report.need_data("mnist")
    images, digits = [], []
    for part in ("train", "t10k"):
        with gzip.open(os.path.join(folder, f"{part}-images-idx3-ubyte.gz")) as file:
            images.append(numpy.frombuffer(file.read(), numpy.uint8)[16:].reshape(-1, 784))
        with gzip.open(os.path.join(folder, f"{part}-labels-idx1-ubyte.gz")) as file:
            digits.append(numpy.frombuffer(file.read(), numpy.uint8)[8:])
    images, digits = numpy.vstack(images), numpy.concatenate(digits)
    chosen = numpy.isin(digits, (positive, negative))
    return scipy.sparse.csr_matrix(images[chosen].astype(float)), (digits[chosen] == positive).astype(int)


def svmlight(path):
    labels, starts, columns, values = [], [0], [], []
    with gzip.open(path, "rt") as file:
        for line in file:
            label, *cells = line.split()
            labels.append(int(label))
            for cell in cells:
                column, value = cell.split(":")
                columns.append(int(column) - 1)
                values.append(float(value))
            starts.append(len(columns))
    return scipy.sparse.csr_matrix((values, columns, starts)), numpy.array(labels)


def widen(matrix, columns):
    return scipy.sparse.csr_matrix((matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], columns))


class News:
    """20 newsgroups, both parts together: counts of words, and the group of each post."""

    def __init__(self):
        folder, = report.need_data("news20_bydate")
        parts = [svmlight(os.path.join(folder, f"{part}.svmlight.gz")) for part in ("train", "test")]
        width = max(matrix.shape[1] for matrix, _ in parts)
        self.counts = scipy.sparse.vstack([widen(matrix, width) for matrix, _ in parts]).tocsr()
        with open(os.path.join(folder, "class_names.csv"), encoding="utf-8") as file:
            names = [line.strip().split(",")[1] for line in file.readlines()[1:]]
        self.group = numpy.array([names[k] for k in numpy.concatenate([labels for _, labels in parts])])

    def rows_of(self, *patterns):
        """Which posts are of groups that begin so."""
        return numpy.array([any(name.startswith(p) for p in patterns) for name in self.group])

    def against(self, positive, negative):
        """Counts and labels of two sets of groups."""
        one, other = self.rows_of(*positive), self.rows_of(*negative)
        return self.counts[one | other], one[one | other].astype(int)


def tfidf(counts, words, sublinear=False):
    """The most frequent words, counts (or 1 + their logarithms) times log(n / documents with the word), rows of length one."""
    kept = counts[:, numpy.argsort(-numpy.asarray(counts.sum(0)).ravel(), kind="stable")[:words]].tocsr()
    documents = numpy.asarray((kept > 0).sum(0)).ravel()
    if sublinear:
        kept.data = 1 + numpy.log(kept.data)
    x = kept @ scipy.sparse.diags(numpy.log(counts.shape[0] / numpy.maximum(documents, 1)))
    length = numpy.sqrt(numpy.asarray(x.multiply(x).sum(1)).ravel())
    return (scipy.sparse.diags(1 / numpy.where(length > 0, length, 1)) @ x).tocsr()


def split(n, seed, share=0.7):
    order = numpy.random.default_rng(seed).permutation(n)
    return order[:int(share * n)], order[int(share * n):]


def write(path, x, y):
    """svmlight; the last column is in the first row in any case, so that all parts are as wide."""
    with open(path, "w", encoding="utf-8") as out:
        for i in range(x.shape[0]):
            cells = {int(c): v for c, v in zip(x.indices[x.indptr[i]:x.indptr[i + 1]],
                                               x.data[x.indptr[i]:x.indptr[i + 1]])}
            if i == 0:
                cells.setdefault(x.shape[1] - 1, 0.0)
            out.write(f"{y[i]} " + " ".join(f"{c + 1}:{cells[c]:.9g}" for c in sorted(cells)) + "\n")
