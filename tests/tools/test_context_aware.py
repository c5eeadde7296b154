"""The program behind repro/context-aware: threads do not change what it writes, and contexts do what they should."""
import importlib.machinery
import importlib.util
import os
import subprocess

import numpy as np
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
S, US, FIRST_CA, FIRST_WCA, LAST_CA = 0, 1, 2, 3, 32  # fits, as study.c orders them
D, RATE = 0, 1

pytestmark = pytest.mark.skipif(not os.path.exists(os.path.join(ROOT, "build", "libscant.so")),
                                reason="no library in build/")


@pytest.fixture(scope="module")
def run():
    pytest.importorskip("matplotlib")
    path = os.path.join(ROOT, "repro", "context-aware", "run")
    loader = importlib.machinery.SourceFileLoader("context_aware_run", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("context_aware_run", loader))
    loader.exec_module(module)
    return module


def test_context_lies_between_labels_and_nothing(run, tmp_path):
    (_, study), found = run.build_one("study"), []
    for threads in (1, 2):
        out = str(tmp_path / f"{threads}.npy")
        subprocess.run([study, "two", "6", "3", str(threads), "forward", "usual", out], env=ENVIRONMENT, check=True)
        found.append(np.load(out))
    one, two = found
    assert one.shape == (1, 6, 35, 8)
    np.testing.assert_array_equal(one, two)
    fits = one[0]
    np.testing.assert_allclose(fits[:, FIRST_WCA, D], fits[:, US, D], rtol=1e-5)  # uniform context says nothing
    np.testing.assert_allclose(fits[:, LAST_CA, D], fits[:, S, D], atol=0.02)  # NE 0.99 says nearly all
    assert (fits[:, LAST_CA, RATE] > 0.95).all()
