"""TensorLy's nonnegative HALS from a given start: FOLDER RANK ITERATIONS. Wants tensorly from PyPI."""
import json
import os
import sys
import time

import numpy
import tensorly
from tensorly.cp_tensor import CPTensor, cp_to_tensor
from tensorly.decomposition import non_negative_parafac_hals

folder, rank, iterations = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
x = numpy.load(os.path.join(folder, "x.npy"))
with numpy.load(os.path.join(folder, "start.npz")) as file:
    start = [file[name] for name in file.files]
begun = time.perf_counter()
found = non_negative_parafac_hals(x, rank, n_iter_max=iterations, init=CPTensor((numpy.ones(rank), start)), tol=0)
seconds = time.perf_counter() - begun
error = ((x - cp_to_tensor(found)) ** 2).sum() / (x ** 2).sum()
print(json.dumps({"seconds": seconds, "check": error, "version": tensorly.__version__}))
