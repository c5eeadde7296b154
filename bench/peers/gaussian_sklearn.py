"""scikit-learn's GaussianMixture from a given start. Arguments: FOLDER COVARIANCE K ITERATIONS.

fit() makes one M-step for a start that is then replaced, and one E-step at the end, beside the
iterations; both are in the time. The start is random, not k-means, so that no clustering is timed."""
import json
import sys
import time
import warnings

import numpy
from sklearn.mixture import GaussianMixture

folder, covariance, k, iterations = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
x = numpy.load(folder + "/x.npy")
d = x.shape[1]
start = numpy.loadtxt(folder + "/start.txt")
weights, means, spread = start[:k], start[k:k + k * d].reshape(k, d), start[k + k * d:]
precisions = (numpy.linalg.inv(spread.reshape(k, d, d)) if covariance == "full"
              else 1.0 / spread.reshape(k, d))
model = GaussianMixture(k, covariance_type=covariance, tol=0.0, reg_covar=0.0, max_iter=iterations,
                        init_params="random", weights_init=weights, means_init=means,
                        precisions_init=precisions, random_state=1)
warnings.simplefilter("ignore")  # it did not converge, as asked
begin = time.perf_counter()
model.fit(x)
seconds = time.perf_counter() - begin
print(json.dumps({"seconds": seconds, "iterations": int(model.n_iter_), "check": float(model.score(x))}))
