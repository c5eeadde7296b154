"""A fit that is over leaves nothing behind: neither its task nor what its callback holds."""
import gc
import signal
import threading
import time
import weakref

import numpy as np
import pytest

from scant import GaussianMixture, MixtureClassifier
from scant._fit import Fit
from scant._model import Model


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


def test_an_interrupt_ends_the_main_threads_fit_alone():
    """Ctrl-C is for what the main thread waits for: a fit of another thread goes on to its end."""
    X = np.random.default_rng(0).normal(size=(400, 2))
    others, begun = [], threading.Event()

    def work():
        model = GaussianMixture(n_components=4, max_iter=300, tol=0, n_init=1, callback=lambda event: begun.set() or time.sleep(0.002))
        others.append(model.fit(X))

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(30)
    caught = []
    before = signal.signal(signal.SIGINT, lambda *said: caught.append(said))
    try:
        def interrupt(event):
            if event.iteration == 3:
                signal.raise_signal(signal.SIGINT)

        mine = GaussianMixture(n_components=4, max_iter=300, tol=0, n_init=1, callback=interrupt).fit(X)
    finally:
        signal.signal(signal.SIGINT, before)
    thread.join()
    assert len(caught) == 1 and mine.n_iter_ < 50
    assert others[0].n_iter_ == 300


@pytest.mark.parametrize("use", [
    lambda: GaussianMixture(covariance_type="full\0x").fit(np.arange(8.0).reshape(4, 2)),
    lambda: MixtureClassifier(components="1/class\0").fit(np.arange(8.0).reshape(4, 2), [0, 0, 1, 1]),
    lambda: MixtureClassifier().fit(np.arange(16.0).reshape(8, 2), ["a", "a\0b"] * 4),
    lambda: Model.load("m\0.json"),
])
def test_a_zero_byte_cuts_nothing(use):
    with pytest.raises(ValueError, match="zero byte|null"):
        use()
