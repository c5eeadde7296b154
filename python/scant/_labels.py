"""What is known of rows' classes: labels, or a probability for each class.

Unlabelled are None, NaN, pandas.NA and NaT, and the texts that mean unknown in a file; -1 too, but only among
non-negative integers. Labels that are -1 and 1 and nothing else are refused, since -1 may be a class there.
"""
import numbers
import sys
import warnings

import numpy as np

try:
    from sklearn.exceptions import DataConversionWarning
except ImportError:

    class DataConversionWarning(UserWarning):
        """The data were taken in another shape than they came in."""


ONLY_ONES = ("the labels are only -1 and 1, so -1 may be a class or mean unknown; say which: missing_label='none' "
             "(a class) or missing_label=-1 (unknown)")


UNKNOWN = {"", "?", "na", "nan"}  # in letters of either case, blanks around them aside


def _says_nothing(cell):
    return isinstance(cell, str) and cell.strip(" \t").lower() in UNKNOWN


def is_missing(y):
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind in "UT":
        values, which = np.unique(y, return_inverse=True)
        return np.array([_says_nothing(value) for value in values], dtype=bool)[which]
    if y.dtype.kind != "O":
        return np.zeros(len(y), dtype=bool)
    pandas = sys.modules.get("pandas")
    if pandas:
        return np.array([pandas.isna(cell) is True or _says_nothing(cell) for cell in y], dtype=bool)
    return np.array([cell is None or cell != cell or _says_nothing(cell) for cell in y], dtype=bool)


def _check_numbers(values):
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{values}")
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    if values.dtype.kind == "f" and (values != np.floor(values)).any():
        raise ValueError(f"Unknown label type: continuous labels such as {values[values != np.floor(values)][0]!r}; "
                         "classes are whole numbers or names")


def _sorted_unique(values):
    """The distinct labels in order. Objects that are all of one kind become an array of that kind."""
    if values.dtype.kind == "O":
        if all(isinstance(v, (bool, np.bool_)) for v in values) or all(
                isinstance(v, numbers.Real) and not isinstance(v, (bool, np.bool_)) for v in values) or all(
                isinstance(v, str) for v in values):
            values = np.array(values.tolist())
        else:
            raise ValueError("Unknown label type: labels of several types "
                             f"({', '.join(sorted({type(v).__name__ for v in values}))}) make no classes")
    _check_numbers(values)
    return np.unique(values, return_inverse=True)


def _minus_one_is_unknown(classes, missing_label):
    if missing_label != "auto" or classes.dtype.kind not in "if" or -1 not in classes:
        return False
    if set(classes.tolist()) == {-1, 1}:
        raise ValueError(ONLY_ONES)
    return bool((classes >= -1).all())


def encode(y, missing_label="auto"):
    """Labels to (codes, classes): codes count from 0 and are -1 where nothing is known."""
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"labels must be one a row, not an array of shape {y.shape}")
    missing = is_missing(y)
    if missing_label not in ("auto", "none"):
        missing[~missing] = [cell == missing_label for cell in y[~missing].tolist()]
    codes = np.full(len(y), -1, dtype=np.int64)
    classes, codes[~missing] = _sorted_unique(y[~missing])
    if _minus_one_is_unknown(classes, missing_label):
        codes[codes >= 0] -= 1  # the first class was -1, and no class is what it is now
        classes = classes[1:]
    if not len(classes):
        raise ValueError("no row has a label, so there are no classes; for a plain mixture leave y out")
    return codes, classes


def _unknown(classes, missing_label):
    """The value that means unknown among these classes, unless it is one of them; None: there is none."""
    if missing_label == "auto":
        return -1 if classes.dtype.kind in "if" else None
    return None if missing_label == "none" else missing_label


def are_names(values):
    """Texts and nothing else."""
    return values.dtype.kind in "UT" or values.dtype.kind == "O" and all(isinstance(value, str) for value in values)


def is_known(y, classes, missing_label="auto"):
    """Which labels say something; they may be others than the classes."""
    unknown, known = _unknown(classes, missing_label), ~is_missing(y)
    if unknown not in classes.tolist():
        known[known] = [cell != unknown for cell in y[known].tolist()]
    return known


def encode_as(y, classes, missing_label="auto"):
    """Codes of labels among the given classes, -1 where nothing is known; another label is an error."""
    y = np.asarray(y)
    missing = is_missing(y)
    codes = np.full(len(y), -1, dtype=np.int64)
    found, which = _sorted_unique(y[~missing])
    known = {label: k for k, label in enumerate(classes.tolist())}
    unknown = _unknown(classes, missing_label)
    for label in found.tolist():
        if label not in known and label != unknown:
            raise ValueError(f"{label!r} is not one of the {len(classes)} classes")
    codes[~missing] = np.array([known.get(label, -1) for label in found.tolist()], dtype=np.int64)[which]
    return codes


def names_of(classes):
    """Class names as model files have them: whole numbers without a point, names as they are."""
    return [str(int(c)) if isinstance(c, float) else str(c) for c in classes.tolist()]


def from_names(names):
    """Classes of a model file: numbers where all of them are whole numbers, truth values where they are such."""
    if set(names) <= {"False", "True"}:
        return np.array([name == "True" for name in names])
    try:
        numbers_ = [int(name) for name in names]
    except ValueError:
        return np.array(names)
    return np.array(numbers_) if [str(n) for n in numbers_] == list(names) else np.array(names)


def column(y):
    """Labels as an array. (n, 1) is taken for (n,), as scikit-learn does; soft labels have two columns or more, and a
    frame of them keeps its names."""
    if hasattr(y, "columns") and len(y.columns) > 1:
        return y
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                      "(n_samples, ), for example using ravel().", DataConversionWarning, stacklevel=4)
        return y.ravel()
    return y


def probabilities(table, classes=None):
    """A matrix of class probabilities to (array, classes): a frame's columns name the classes, else they are counted."""
    columns = getattr(table, "columns", None)
    p = np.ascontiguousarray(table, dtype=np.float64)
    if p.ndim != 2:
        raise ValueError(f"class probabilities must be a matrix of rows by classes, not of shape {p.shape}")
    if columns is None:
        found = np.arange(p.shape[1]) if classes is None else classes
        if len(found) != p.shape[1]:
            raise ValueError(f"there are {p.shape[1]} columns of probabilities and {len(found)} classes")
        return p, found
    return p, np.array(list(columns))
