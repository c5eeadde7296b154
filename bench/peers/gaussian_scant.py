"""scant's GaussianMixture from Python, all of fit() in the time. Arguments: FOLDER K ITERATIONS THREADS."""
import json
import os
import sys
import time
import warnings

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
from scant import GaussianMixture

folder, k, iterations, threads = sys.argv[1], *map(int, sys.argv[2:])
x = numpy.load(folder + "/x.npy")
model = GaussianMixture(k, tol=0.0, max_iter=iterations, init_params="random", threads=threads)
warnings.simplefilter("ignore")  # it did not converge, as asked
begin = time.perf_counter()
model.fit(x)
seconds = time.perf_counter() - begin
print(json.dumps({"seconds": seconds, "iterations": model.n_iter_, "check": model.lower_bound_}))
