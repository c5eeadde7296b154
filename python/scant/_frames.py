"""Frames read as files are: the library guesses what each column is, as on the command line (docs/types.md).

A frame is written to a table of text and read again, so that every cell means what it would mean in a file. Where all
columns are plain numbers that would change nothing, and the cells are handed over as they are.
"""
import contextlib
import ctypes
import os
import re
import sys
import tempfile
import threading

import numpy as np

from . import _abi, _labels
from ._library import ERRORS, call, library, preset, text, texts
from ._rows import Rows, has_numbers

FEW = 10  # different whole numbers that may be codes
DAYS = 10**7, 10**8  # whole numbers between them may be days, yyyymmdd
_log = threading.Lock()  # the library has one


def is_frame(X):
    return hasattr(X, "columns") and hasattr(X, "iloc")


# --- what needs no guess ---


def _may_name_rows(name):
    name = str(name).lower()
    return name.endswith(("id", "key", "index", "row", "row number", "identifier")) or name.startswith("unnamed")


def _is_plain(name, series):
    """Is it a number or a count for certain, of which the guess would say nothing else?"""
    if series.dtype.kind not in "iuf" and not (has_numbers(series) and series.dtype != object and series.dtype.kind != "b"):
        return False
    x = series.to_numpy(dtype=np.float64, na_value=np.nan)
    x = x[np.isfinite(x)]
    whole = x == np.floor(x)
    if not whole.all():
        return len(np.unique(x[:1000])) > 2 or len(np.unique(x)) > 2
    stepped = len(x) > 1 and (np.diff(x) == 1).all()
    days = len(x) > 0 and ((x >= DAYS[0]) & (x < DAYS[1])).all()
    return not (stepped or days or _may_name_rows(name)) and len(np.unique(x)) > FEW


def needs_guess(frame, types, missing):
    """Would the guess of a column be anything but a number?"""
    if types == "none" or types == ["none"]:
        return False
    if types is not None or missing:
        return True
    names = [str(name) for name in frame.columns]
    return len(set(names)) < len(names) or not all(_is_plain(name, frame.iloc[:, c]) for c, name in enumerate(names))


# --- reading ---


@contextlib.contextmanager
def _listening():
    """What the library warns of meanwhile."""
    said = []
    sink = _abi.scant_log_sink(lambda level, words, payload: said.append(text(words)))
    with _log:
        library.scant_log_set(_abi.SCANT_LOG_WARNING, sink, None)
        try:
            yield said
        finally:
            library.scant_log_set(_abi.SCANT_LOG_WARNING, _abi.scant_log_sink(), None)


def _options(frame, types, missing_values, numbers_stay, keep_text, schema):
    """What to read by, and the texts that it borrows."""
    struct = preset("read", guess=schema is None, numbers_stay=numbers_stay, keep_text=keep_text)
    kept = []
    if schema is not None:
        struct.schema = ctypes.cast(schema, ctypes.c_void_p)
    for name, values in (("types", types), ("missing_values", missing_values)):
        if values:
            held = texts(values)
            kept.append(held)
            setattr(struct, name, ctypes.cast(held, type(getattr(struct, name))))
            setattr(struct, f"n{name}", len(values))
    return struct, kept


def missing_list(value):
    """Each cell that is missing, as it may be written."""
    values = [] if value is None else [value] if np.isscalar(value) else value
    return list(dict.fromkeys(words for one in values for words in (
        (str(one),) if isinstance(one, str) else (f"{one:.17g}", repr(float(one))))))


def types_list(types):
    """COL=KIND for each, of a dict or a list."""
    if types is None or types == "none":
        return [] if types is None else ["none"]
    if isinstance(types, dict):
        return [f"{name}={kind}" for name, kind in types.items()]
    return [types] if isinstance(types, str) else list(types)


def _own_kinds(frame):
    """What the frame itself says: columns of pandas' categories are categories."""
    pandas = sys.modules["pandas"]
    return [f"{name}=category" for name, dtype in zip(map(str, frame.columns), frame.dtypes)
            if isinstance(dtype, pandas.CategoricalDtype)]


def _in_python(words):
    """Options as parameters."""
    return re.sub(r"--types '?(.+?)=(\w+)'? or", r"types={'\1': '\2'} or", words).replace(
        "; --features COL takes texts alone", "")


class FrameRows(Rows):
    """Rows of a frame as the library reads them. `said` is what it warned of. With a `model`, as that model's rows were read."""

    def __init__(self, frame, evidence, sample_weight=None, types=None, missing_values=(), numbers_stay=False, keep_text=False,
                 model=None):
        pointer = ctypes.c_void_p()
        super(Rows, self).__init__(pointer)
        schema = None if model is None else library.scant_model_schema(model)
        options, kept = _options(frame, _own_kinds(frame) + types_list(types) if model is None else None, missing_values,
                                 numbers_stay, keep_text, schema)
        with tempfile.TemporaryDirectory(prefix="scant-") as folder:
            path = os.path.join(folder, "frame.csv")
            frame.to_csv(path, index=False)
            with _listening() as said:
                status = library.scant_rows_read(ctypes.byref(pointer), os.fsencode(path), ctypes.byref(options))
            if status != _abi.SCANT_OK:
                raise ERRORS.get(status)(text(library.scant_message()).replace(path, "the frame")) from None
        del kept
        self.said = [_in_python(words.replace(f"{path}: ", "")) for words in said]
        self.shape = len(frame), library.scant_rows_columns(pointer)
        self._know(sample_weight=sample_weight, **evidence)


def sources(model):
    """The columns of a frame or file that a model's rows were made of."""
    schema = library.scant_model_schema(model).contents
    return [text(one).rsplit("=", 1)[0] for one in schema.types[:schema.ntypes]] if schema.ntypes else model.expected


def reads_plainly(model, frame):
    """Are the model's columns those of the frame, numbers where it had numbers and names where it had names?"""
    schema = library.scant_model_schema(model).contents
    kinds = [text(one).rsplit("=", 1)[1] for one in schema.types[:schema.ntypes]] if schema.ntypes else []
    if any(kind not in ("number", "count", "category") for kind in kinds) or schema.nterms or schema.nmissing_values:
        return False
    names, levels = [str(name) for name in frame.columns], model.levels
    return all(name in names and has_numbers(frame.iloc[:, names.index(name)]) != (c in levels)
               for c, name in enumerate(model.expected))
