"""A fit that is over leaves nothing behind: neither its task nor what its callback holds."""
import gc
import weakref

import numpy as np

from scant import MixtureClassifier
from scant._fit import Fit


class Held:
    def __call__(self, event):
        return None


def test_a_task_goes_when_it_is_done():
    held = Held()
    task = Fit({}, callback=held)
    assert task.struct is not None
    gone = weakref.ref(held)
    del task, held
    gc.collect()
    assert gone() is None


def test_fits_leave_nothing():
    X, y = np.arange(40.0).reshape(20, 2) % 7, np.repeat([0, 1], 10)
    MixtureClassifier(components="1/class").fit(X, y)
    gc.collect()
    before = sum(isinstance(o, Fit) for o in gc.get_objects())
    for _ in range(5):
        MixtureClassifier(components="1/class").fit(X, y)
    gc.collect()
    assert sum(isinstance(o, Fit) for o in gc.get_objects()) == before
