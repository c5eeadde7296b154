"""Watching long work: callbacks, a line on standard error, Ctrl-C."""
import ctypes
import math
import signal
import sys
import threading
import time
import typing

from . import _abi
from ._library import library, text


class Event(typing.NamedTuple):
    """How far the work is: `done` of `total` units, this `start` of `starts`, its `iteration` and objective per row."""

    what: str
    done: int
    total: int
    start: int
    starts: int
    iteration: int
    objective: float


class Bar:
    """A line that is written over a few times a second, and only once the work has lasted one."""

    WIDTH, EVERY, PATIENCE = 20, 0.2, 1.0

    def __init__(self, stream=None):
        self.stream = stream or sys.stderr
        self.began = time.monotonic()
        self.shown = 0.0

    def __call__(self, event):
        now = time.monotonic()
        if now - self.began < self.PATIENCE or now - self.shown < self.EVERY:
            return
        self.shown = now
        filled = self.WIDTH * event.done // max(event.total, 1)
        objective = "" if math.isnan(event.objective) else f", {event.objective:.6g} a row"
        print(f"\r{event.what} |{'#' * filled}{'.' * (self.WIDTH - filled)}| start {event.start + 1}/{event.starts}, "
              f"iteration {event.iteration}{objective}, {now - self.began:.0f} s", end="", file=self.stream, flush=True)

    def close(self):
        if self.shown:
            print(file=self.stream, flush=True)


class Watch:
    """Hands the library's events to a callback, and puts off what would break the work in the middle.

    Python runs signal handlers when its own code does, which is at every event. For the time of the work Ctrl-C asks the
    library to end with the best model so far; when that is safe, on leaving, it goes to whoever would have had it.
    What the callback raises waits in the same way. It is this thread's work that ends: that of others goes on.
    """

    def __init__(self, callback=None, verbose=False):
        self.callback, self.bar, self.error = callback, Bar() if verbose else None, None
        self.interrupt, self.previous = None, None
        self.flag, self.heeded = ctypes.c_int(0), None
        self.function = _abi.scant_progress(self._event)

    def _event(self, event, payload):
        del payload
        try:
            event = event.contents
            told = Event(text(event.what), event.done, event.total, event.start, event.starts, event.iteration,
                         event.objective)
            if self.bar:
                self.bar(told)
            return bool(self.interrupt or self.error or self.callback and self.callback(told))
        except BaseException as error:  # pylint: disable=broad-except
            self.error = error
            return 1

    def _put_off(self, *said):
        self.interrupt = said
        self.flag.value = 1

    def __enter__(self):
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self.heeded = library.scant_interrupt_heed(ctypes.byref(self.flag))
            self.previous = signal.signal(signal.SIGINT, self._put_off)
        return self

    def __exit__(self, *_):
        if self.previous:
            library.scant_interrupt_heed(self.heeded)
            signal.signal(signal.SIGINT, self.previous)
        if self.bar:
            self.bar.close()
        if self.interrupt:
            self.previous(*self.interrupt)
        if self.error:
            raise self.error
