"""EM for a mixture of multinomials in SciPy's compressed rows. Arguments: FOLDER K ITERATIONS SMOOTH.

Written as one would by hand: two sparse products an iteration. The check leaves out the multinomial
coefficients; `check_with_coefficients` has them."""
import json
import sys
import time

import numpy
import scipy.sparse
import scipy.special

folder, k, iterations, smooth = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
x = scipy.sparse.load_npz(folder + "/x.npz").tocsr()
p = numpy.load(folder + "/start.npy")
w = numpy.full(k, 1.0 / k)


def posterior(p, w):
    log_joint = x @ numpy.log(p).T + numpy.log(w)
    top = log_joint.max(axis=1, keepdims=True)
    r = numpy.exp(log_joint - top)
    total = r.sum(axis=1, keepdims=True)
    r /= total
    return r, float((top + numpy.log(total)).mean())


begin = time.perf_counter()
transposed = x.T.tocsr()
for _ in range(iterations):
    r, _ = posterior(p, w)
    w = r.mean(axis=0)
    p = (transposed @ r).T + smooth
    p /= p.sum(axis=1, keepdims=True)
seconds = time.perf_counter() - begin
check = posterior(p, w)[1]
totals = numpy.asarray(x.sum(axis=1)).ravel()
coefficients = (scipy.special.gammaln(totals + 1).sum() - scipy.special.gammaln(x.data + 1).sum()) / x.shape[0]
print(json.dumps({"seconds": seconds, "iterations": iterations, "check": check,
                  "check_with_coefficients": check + float(coefficients)}))
