"""A model that follows rows as they come."""
import ctypes

from ._library import Handle, Options, call, encoded_path, library, safe_threads
from ._model import Model, read_back, written


class LentModel(Model):
    """A stream's model, as it is now; the stream owns it."""

    FREE = None

    def __init__(self, pointer, stream):
        super().__init__(pointer)
        self.stream = stream  # which must live as long

    def __del__(self):
        self.pointer = None


class Stream(Handle):
    """Begins as a model; every row learned takes the place of the oldest in its window.

    Options are those of `scant stream`: window, prior_rows, iterations, budget_ms, tol, context_mode, refit, threads.
    """

    FREE = "scant_stream_free"

    def __init__(self, model, **options):
        super().__init__(ctypes.c_void_p())
        settings = Options("stream", options)
        call("scant_stream_new", ctypes.byref(self.pointer), model, ctypes.byref(settings.struct))

    def learn(self, rows):
        """Learns the first of the rows."""
        call("scant_stream_learn", self, rows)

    @property
    def model(self):
        return LentModel(library.scant_stream_model(self), self)

    @property
    def learned(self):
        return library.scant_stream_learned(self)

    def save(self, path):
        """A model file that holds the window as well."""
        call("scant_stream_write", self, encoded_path(path))

    @classmethod
    def load(cls, path, threads=0):
        stream = cls.__new__(cls)
        Handle.__init__(stream, ctypes.c_void_p())
        call("scant_stream_read", ctypes.byref(stream.pointer), encoded_path(path), safe_threads(threads))
        return stream

    def __reduce__(self):
        return read_back, (Stream.load, written(self.save))
