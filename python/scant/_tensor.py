"""Tensors of the library over NumPy arrays and coordinates, and tables of factors in files."""
import ctypes
import os

import numpy as np

from ._library import Handle, call, encoded_path, preset
from ._rows import Rows, RowsHandle, Table


def _entries(X):
    """(coordinates, modes by entries; values; sizes or None) of what has such, else None."""
    if hasattr(X, "tocoo"):
        X = X.tocoo()
        return np.stack([X.row, X.col]), X.data, X.shape
    if hasattr(X, "coords") and hasattr(X, "data") and hasattr(X, "shape"):
        return X.coords, X.data, X.shape
    if isinstance(X, tuple):
        if len(X) not in (2, 3):
            raise ValueError("a sparse tensor is (coordinates, values) or (coordinates, values, shape)")
        return (*X, None)[:3]
    return None


class Tensor(Handle):
    """A tensor: an array of order 2 or more with NaN for missing cells, or entries by their coordinates."""

    FREE = "scant_tensor_free"

    def __init__(self, X):
        super().__init__(ctypes.c_void_p())
        found = _entries(X)
        if found is None:
            self._dense(X)
        else:
            self._sparse(*found)

    def _dense(self, X):
        X = np.asarray(X)
        if X.dtype.kind == "c":
            raise ValueError(f"Complex data not supported\n{X}")
        X = np.ascontiguousarray(X, dtype=np.float64)
        if X.ndim < 2:
            raise ValueError(f"Expected 2D array or a tensor of higher order, got {X.ndim}D array instead:\narray={X}.\n"
                             "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or "
                             "array.reshape(1, -1) if it contains a single sample.")
        if 0 in X.shape:
            raise ValueError(f"Found array with 0 sample(s) or 0 feature(s) (shape={X.shape}) while a minimum of 1 is "
                             "required.")
        self.shape, sizes = X.shape, np.array(X.shape, dtype=np.uintp)
        call("scant_tensor_new", ctypes.byref(self.pointer), X.ndim, sizes.ctypes.data, X.ctypes.data)

    def _sparse(self, coordinates, values, shape):
        coordinates, values = np.asarray(coordinates), np.asarray(values)
        if values.dtype.kind == "c":
            raise ValueError(f"Complex data not supported\n{values}")
        values = np.ascontiguousarray(values, dtype=np.float64)
        if coordinates.ndim != 2 or values.shape != coordinates.shape[1:]:
            raise ValueError(f"coordinates of a sparse tensor are modes by entries, as numpy.nonzero has them: shape "
                             f"{coordinates.shape} does not go with {values.size} values")
        if coordinates.size and coordinates.min() < 0:
            raise ValueError("coordinates count from 0; there is one below")
        if (coordinates != np.floor(coordinates)).any():
            raise ValueError("coordinates are whole numbers; there is one with a fraction")
        shape = coordinates.max(axis=1) + 1 if shape is None else shape
        if len(shape) != len(coordinates):
            raise ValueError(f"a shape of {len(shape)} sizes for coordinates of {len(coordinates)} modes")
        self.shape, sizes = tuple(int(size) for size in shape), np.array(shape, dtype=np.uintp)
        index = np.ascontiguousarray(coordinates.T, dtype=np.uint32)
        call("scant_tensor_new_sparse", ctypes.byref(self.pointer), len(sizes), sizes.ctypes.data, len(values),
             index.ctypes.data, values.ctypes.data)


def lend(factors):
    """Factors as the library borrows them, None where there is none; they live as long as the result does."""
    kept = [None if factor is None else np.ascontiguousarray(factor, dtype=np.float64) for factor in factors]
    pointers = (ctypes.c_void_p * len(kept))(*[None if one is None else one.ctypes.data for one in kept])
    pointers.kept = kept
    return pointers


def write_factors(folder, weights, factors):
    """The folder that `scant factor -o` writes: weights.csv, mode-1.csv, mode-2.csv, ..."""
    os.makedirs(folder, exist_ok=True)
    tables = {"weights": (weights[:, np.newaxis], ["weight"])}
    for m, factor in enumerate(factors):
        tables[f"mode-{m + 1}"] = factor, [f"component_{q + 1}" for q in range(factor.shape[1])]
    for name, (values, columns) in tables.items():
        rows = Rows(Table(np.ascontiguousarray(values), columns))
        call("scant_rows_write", rows, encoded_path(os.path.join(folder, f"{name}.csv")))


def read_factors(folder):
    """(weights, factors) of such a folder."""
    def table(name):
        how = preset("read", id=b"name", id_optional=True)
        return RowsHandle.made_by("scant_rows_read", encoded_path(os.path.join(folder, name)), ctypes.byref(how)).values()

    weights, factors = table("weights.csv")[:, 0], []
    while os.path.exists(os.path.join(folder, f"mode-{len(factors) + 1}.csv")):
        factors.append(table(f"mode-{len(factors) + 1}.csv"))
    return weights, factors
