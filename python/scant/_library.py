"""The shared library: finding it, calling it, its errors and its tables of options.

ctypes gives up the interpreter's lock for the time of a call, so other Python threads run while scant fits.
"""
import ctypes
import functools
import numbers
import os
import pathlib
import typing

import numpy as np

from . import _abi

HERE = pathlib.Path(__file__).resolve().parent


class Error(Exception):
    """What scant refuses or cannot do; the message names the value, row and column."""


class ArgumentError(Error, ValueError):
    """Settings that make no sense, or exclude each other."""


class InputError(Error, ValueError):
    """Bad data."""


class UnidentifiedError(Error, ValueError):
    """These data cannot answer the question."""


class FileError(Error, OSError):
    """A file could not be opened, read or written."""


ERRORS = {
    _abi.SCANT_ERR_ARGUMENT: ArgumentError,
    _abi.SCANT_ERR_INPUT: InputError,
    _abi.SCANT_ERR_MEMORY: MemoryError,
    _abi.SCANT_ERR_UNIDENTIFIED: UnidentifiedError,
    _abi.SCANT_ERR_IO: FileError,
    _abi.SCANT_ERR_INTERRUPTED: KeyboardInterrupt,
}


def _places():
    """Where the library may be: as told, within the wheel, in the build folder of a checkout, where the system looks."""
    if "SCANT_LIBRARY" in os.environ:
        return [os.environ["SCANT_LIBRARY"]]
    beside = [HERE / "libscant.so", HERE.parent.parent / "build" / "libscant.so"]
    return [str(path) for path in beside if path.exists()] + ["libscant.so.0"]


def _load():
    library = ctypes.CDLL(_places()[0])
    for name, (result, parameters) in _abi.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, parameters
    return library


library = _load()


def text(value):
    """A text of the library's as Python's; None stays None."""
    return None if value is None else value.decode()


def encoded(value):
    """A text for the library, whose texts end at a zero byte: one within would cut it without a word."""
    if "\0" in str(value):
        raise ArgumentError(f"{str(value)!r} has a zero byte")
    return str(value).encode()


def encoded_path(path):
    """The same of a file's name."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ArgumentError(f"{name!r} has a zero byte")
    return name


def texts(values):
    """An array of texts for the library, which lives as long as the result does."""
    return None if values is None else (ctypes.c_char_p * len(values))(*map(encoded, values))


def version():
    return text(library.scant_version())


def check(status):
    """Raises what the status means; the error's `option` is the one that it is about, or None."""
    if status != _abi.SCANT_OK:
        error = ERRORS.get(status, Error)(text(library.scant_message()))
        error.option = text(library.scant_message_option()).replace("-", "_") or None
        raise error


def call(name, *arguments):
    """Calls a function that returns a status, and raises what the status means."""
    check(getattr(library, name)(*arguments))


class Handle:
    """An object of the library's, freed with its Python one. It is itself an argument of calls, and so lives through
    them."""

    FREE = None  # name of the function that frees it

    def __init__(self, pointer):
        self.pointer = pointer

    @property
    def _as_parameter_(self):
        return self.pointer

    @classmethod
    def made_by(cls, name, *arguments):
        """From a function whose first parameter is where to put the object."""
        out = ctypes.c_void_p()
        call(name, ctypes.byref(out), *arguments)
        return cls(out)

    def __del__(self):
        pointer, self.pointer = getattr(self, "pointer", None), None
        if pointer:
            getattr(library, self.FREE)(pointer)


# --- threads ---

_forked = []


def safe_threads(asked):
    """As many as asked for; one in a forked process, where threads of BLAS and of other libraries are gone.
    The answers do not depend on it."""
    return 1 if _forked else asked


os.register_at_fork(after_in_child=lambda: _forked.append(True))


# --- options ---


class Option(typing.NamedTuple):
    """A row of one of the library's tables of options."""

    name: str  # as a parameter of Python's: max_iter
    type: int
    preset: typing.Optional[str]
    choices: typing.Optional[str]
    help: str
    row: object  # what the library takes

    def default(self):
        """The preset as a value of Python's."""
        if self.type == _abi.SCANT_OPTION_FLAG:
            return self.preset == "true"
        if self.preset is None:
            return None
        kinds = {_abi.SCANT_OPTION_COUNT: int, _abi.SCANT_OPTION_SEED: int, _abi.SCANT_OPTION_REAL: float}
        return kinds.get(self.type, str)(self.preset) if self.preset != self.choices else self.preset


@functools.lru_cache(maxsize=None)
def option_table(kind):
    """The options of "fit" or "stream", by name."""
    count = ctypes.c_size_t()
    rows = getattr(library, f"scant_{kind}_option_table")(ctypes.byref(count))
    options = [Option(text(row.name).replace("-", "_"), row.type, text(row.preset), text(row.choices),
                      text(row.help), ctypes.pointer(row)) for row in rows[:count.value]]
    return {option.name: option for option in options}


def _name(key):
    """A class as models name it: 1.0 is called 1, a truth value True or False."""
    return str(int(key) if isinstance(key, (float, np.floating)) and key.is_integer() else key)


def option_text(value):
    """A value as it would be typed on the command line."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, dict):
        return ",".join(f"{_name(key)}={option_text(number)}" for key, number in value.items())
    if isinstance(value, (list, tuple, range)):
        return ",".join(map(option_text, value))
    return str(value)


def preset(kind, **members):
    """A struct of options that has no `Options`, with its presets and these members."""
    struct = getattr(_abi, f"scant_{kind}_options")()
    getattr(library, f"scant_{kind}_options_preset")(ctypes.byref(struct), ctypes.sizeof(struct))
    for name, value in members.items():
        setattr(struct, name, value)
    return struct


# Options of a fit that may be matrices: the part of the struct, and where the numbers of rows and columns go.
TABLES = {"sharing": ("model", ("sharing_components", "sharing_classes")),
          "label_noise": ("evidence", ("label_noise_classes",))}


class Options:
    """An options struct filled by name from its table, which checks every value; None leaves the default."""

    def __init__(self, kind, values):
        self.table = option_table(kind)
        self.struct = getattr(_abi, f"scant_{kind}_options")()
        self.run = getattr(self.struct, "run", self.struct)  # what says how the work goes
        self.kept = []  # the struct borrows its texts
        getattr(library, f"scant_{kind}_options_preset")(ctypes.byref(self.struct), ctypes.sizeof(self.struct))
        for name, value in values.items():
            if name not in self.table:
                raise ArgumentError(f"there is no option {name!r}")
            if name in TABLES and np.ndim(value) == 2 and hasattr(self.struct, TABLES[name][0]):
                self._set_table(name, value)
            elif value is not None:
                self.kept.append(encoded(option_text(value)))
                call("scant_option_set", ctypes.byref(self.struct), self.table[name].row, self.kept[-1])
        if "threads" in self.table:
            self.run.threads = safe_threads(self.run.threads)

    def _set_table(self, name, value):
        """A matrix in place of a file; its columns are the classes, in their order."""
        part, sizes = TABLES[name]
        matrix = np.ascontiguousarray(value, dtype=np.float64)
        if len(sizes) == 1 and matrix.shape[0] != matrix.shape[1]:
            raise ArgumentError(f"{name}: a table of {matrix.shape[0]} x {matrix.shape[1]} is not square")
        self.kept.append(matrix)  # which the struct borrows
        setattr(getattr(self.struct, part), f"{name}_table", matrix.ctypes.data)
        for size, count in zip(sizes, matrix.shape):
            setattr(getattr(self.struct, part), size, count)

    def __del__(self):
        table = getattr(self, "table", None)
        if table:  # of an object that came into being
            first = next(iter(table.values())).row
            library.scant_options_clear(ctypes.byref(self.struct), first, len(table))
