"""Rows of the library over NumPy arrays, SciPy's sparse matrices and pandas' frames.

A float64 array in row order is borrowed to the library, not copied.
"""
import ctypes
import numbers
import sys
import warnings

import numpy as np

from . import _labels
from ._library import Handle, call, library, text, texts


class Table:
    """Cells as the library takes them: `values` (an array, or compressed sparse rows), names and levels of columns."""

    def __init__(self, values, names=None, levels=None, ids=None):
        self.values, self.names, self.levels, self.ids = values, names, levels or {}, ids

    @property
    def sparse(self):
        return not isinstance(self.values, np.ndarray)


def _in_order(names):
    """Sorted as the library sorts levels: as numbers where all are numbers."""
    try:
        return sorted(names, key=lambda name: (float(name), name))
    except ValueError:
        return sorted(names)


def coded(series, levels=None):
    """Cells of a series of names as numbers of levels, NaN where one is missing; and the levels, found or as given."""
    cells = series.astype(object).to_numpy()
    cells = [None if gone else str(cell) for cell, gone in zip(cells, _labels.is_missing(cells))]
    names = {cell for cell in cells if cell is not None}
    levels = _in_order(names) if levels is None else levels
    number = {level: float(l) for l, level in enumerate(levels)}
    unknown = names - set(number)
    if unknown:
        count = sum(cell in unknown for cell in cells)
        warnings.warn(f"{count} of {len(cells)} rows have a level of {series.name!r} that the model has never seen, such as "
                      f"{min(unknown)!r}; they are treated as missing", stacklevel=2)
    return np.array([number.get(cell, np.nan) for cell in cells]), levels


def has_numbers(series):
    """Is the column one of numbers, of whatever type, or of objects that all are numbers?"""
    types = sys.modules["pandas"].api.types
    if series.dtype != object:
        return types.is_numeric_dtype(series.dtype) or types.is_bool_dtype(series.dtype)
    given = series[series.notna()]
    return len(given) > 0 and all(isinstance(cell, (numbers.Number, np.bool_)) for cell in given)


def _frame_column(series, levels):
    """A column of a frame as float64, and its levels where it is a category (`levels`: those it must have)."""
    if series.dtype.kind in "mM" or isinstance(series.dtype, sys.modules["pandas"].PeriodDtype):
        raise ValueError(f"column {series.name} has dates or times; turn them into numbers, or leave it out")
    if not has_numbers(series) or (levels is not None and series.dtype == object):
        return coded(series, levels)
    if levels is not None:
        raise ValueError(f"column {series.name} has numbers where the model has the levels {', '.join(levels)}")
    if series.dtype == object:
        series = series.where(series.notna(), np.nan).infer_objects()
    if sys.modules["pandas"].api.types.is_complex_dtype(series.dtype):
        raise ValueError(f"Complex data not supported: column {series.name}")
    return series.to_numpy(dtype=np.float64, na_value=np.nan), None


def _from_frame(X, expected, levels):
    names = [str(name) for name in X.columns]
    if expected is not None:
        absent = [name for name in expected if name not in names]
        if absent:
            raise ValueError(f"column {absent[0]} is not among the frame's ({', '.join(names)})")
        X = X.iloc[:, [names.index(name) for name in expected]]
        names = list(expected)
    columns = [_frame_column(X.iloc[:, c], (levels or {}).get(c)) for c in range(X.shape[1])]
    values = np.column_stack([cells for cells, _ in columns]) if columns else np.empty((len(X), 0))
    return Table(np.ascontiguousarray(values), names, {c: l for c, (_, l) in enumerate(columns) if l is not None})


def _from_sparse(X):
    X = X.tocsr()
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X}")
    if X.dtype != np.float64:
        X = X.astype(np.float64)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return Table(X)


def _from_array(X):
    if np.ma.isMaskedArray(X):
        X = X.astype(np.float64).filled(np.nan)
    X = np.asarray(X)
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X}")
    X = np.ascontiguousarray(X, dtype=np.float64) if X.ndim else X
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {'scalar' if X.ndim == 0 else f'{X.ndim}D'} array instead:\narray={X}.\n"
                         "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or "
                         "array.reshape(1, -1) if it contains a single sample.")
    return Table(X)


def table_of(X, expected=None, levels=None):
    """Anything with rows and columns. `expected`: names by which a frame's columns are found, in any order."""
    if hasattr(X, "tocsr"):
        table = _from_sparse(X)
    elif hasattr(X, "columns") and hasattr(X, "iloc"):
        table = _from_frame(X, expected, levels)
    else:
        table = _from_array(X)
        table.levels = dict(levels or {})
    _check(table.values if not table.sparse else table.values.data, table.values.shape)
    return table


def _check(cells, shape):
    for n, what in zip(shape, ("sample", "feature")):
        if n == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required.")
    with np.errstate(over="ignore", invalid="ignore"):
        total = cells.sum()  # one pass without a temporary; only what is odd is looked at again
    if not np.isfinite(total) and np.isinf(cells).any():
        raise ValueError("Input X contains infinity or a value too large for dtype('float64').")


def weights_of(sample_weight, n):
    """Weights as an array of n; a number is every row's."""
    if sample_weight is None:
        return None
    weight = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if len(weight) != n:
        raise ValueError(f"sample_weight.shape == {weight.shape}, expected {(n,)}!")
    if not weight.any():
        raise ValueError("all sample weights are zero")
    return weight


class RowsHandle(Handle):
    """Rows that the library made."""

    FREE = "scant_rows_free"

    def values(self):
        x = np.empty((library.scant_rows_count(self), library.scant_rows_columns(self)))
        library.scant_rows_values(self, x.ctypes.data)
        return x

    def names(self):
        return [text(library.scant_rows_column_name(self, c))
                for c in range(library.scant_rows_columns(self))]


class Rows(RowsHandle):
    """Rows over a table, with what is known of their classes.

    `codes` are numbers of classes, -1 for unknown; `context` holds a probability for each row and class of
    `context_classes`, or NaN.
    """

    def __init__(self, table, codes=None, classes=None, sample_weight=None, context=None, context_classes=None):
        pointer = ctypes.c_void_p()
        super().__init__(pointer)
        self.table = table  # borrowed: it must live as long
        n, d = self.shape = table.values.shape
        if table.sparse:
            X = table.values
            start, column = X.indptr.astype(np.uintp), X.indices.astype(np.int32)
            call("scant_rows_new_sparse", ctypes.byref(pointer), n, d, start.ctypes.data, column.ctypes.data,
                 X.data.ctypes.data)
        else:
            call("scant_rows_view", ctypes.byref(pointer), n, d, table.values.ctypes.data, texts(table.names))
        if table.ids is not None:
            call("scant_rows_set_ids", pointer, texts(table.ids))
        for c, levels in table.levels.items():
            call("scant_rows_set_levels", pointer, c, texts(levels), len(levels))
        self._know(codes, classes, sample_weight, context, context_classes)

    def _know(self, codes=None, classes=None, sample_weight=None, context=None, context_classes=None):
        if codes is not None:
            self._set_labels(codes, _labels.names_of(classes))
        if context is not None:
            self._set_context(context, _labels.names_of(context_classes), _labels.names_of(classes))
        weight = weights_of(sample_weight, self.shape[0])
        if weight is not None:
            call("scant_rows_set_weights", self, weight.ctypes.data)

    def set_sequences(self, lengths=None):
        """Rows are steps: of sequences of these lengths, one after the other; None: of one."""
        n = self.shape[0]
        lengths = np.array([n]) if lengths is None else np.asarray(lengths)
        if lengths.ndim != 1 or lengths.dtype.kind not in "iu" or (lengths < 1).any():
            raise ValueError("lengths are whole numbers above 0, one for each sequence")
        if lengths.sum() != n:
            raise ValueError(f"lengths array {lengths} doesn't sum to {n} samples")
        lengths = np.ascontiguousarray(lengths, dtype=np.uintp)
        call("scant_rows_set_sequences", self, lengths.ctypes.data, len(lengths))

    def _set_labels(self, codes, names):
        if len(codes) != self.shape[0]:
            raise ValueError("Found input variables with inconsistent numbers of samples: "
                             f"{[self.shape[0], len(codes)]}")
        held = texts([*names, ""])  # the last is what code -1 points to: nothing known
        addresses = np.frombuffer(held, dtype=np.uintp)
        cells = np.ascontiguousarray(addresses[codes])
        pointers = ctypes.cast(cells.ctypes.data, ctypes.POINTER(ctypes.c_char_p))
        call("scant_rows_set_labels", self, pointers, held, len(names), b"none")

    def _set_context(self, p, columns, names):
        beside = Rows(Table(p, [f"p_{name}" for name in columns]))
        call("scant_rows_set_context", self, beside, texts(names), len(names), False)
