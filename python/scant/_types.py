"""What each column of a table is: the guess of `scant check`, in Python."""
import ctypes
import os
import tempfile

from ._library import Handle, call, encoded_path, library, preset, text, texts


class _Types(Handle):
    """The library's guess."""

    FREE = "scant_types_free"


def _guess(path, decimal, missing_values, separator):
    missing = [str(value) for value in missing_values]
    held = texts(missing)
    options = preset("read", decimal=(decimal or "\0").encode(), separator=(separator or "\0").encode(),
                     nmissing_values=len(missing))
    if missing:
        options.missing_values = ctypes.cast(held, type(options.missing_values))
    pointer = ctypes.c_void_p()
    call("scant_types_guess", ctypes.byref(pointer), encoded_path(path), ctypes.byref(options))
    return _Types(pointer)


def _described(types, c):
    found = library.scant_types_at(types, c).contents
    return {"name": text(found.name), "kind": text(library.scant_kind_name(found.kind)), "sure": found.sure,
            "reason": text(found.reason), "option": text(found.as_option), "count": found.count, "missing": found.missing,
            "distinct": found.distinct, "min": found.least, "max": found.most,
            "examples": [text(one) for one in found.example if one is not None]}


def guess_types(data, decimal=None, missing_values=(), separator=None):
    """What each column of a file or a frame is, how sure that is and why (docs/types.md): a list of dicts with name, kind,
    sure, reason, option (for `--types`), count, missing, distinct, min, max and examples."""
    if hasattr(data, "columns") and hasattr(data, "iloc"):
        with tempfile.TemporaryDirectory(prefix="scant-") as folder:
            path = os.path.join(folder, "frame.csv")
            data.to_csv(path, index=False)
            types = _guess(path, decimal, missing_values, separator)
    else:
        types = _guess(data, decimal, missing_values, separator)
    return [_described(types, c) for c in range(library.scant_types_count(types))]
