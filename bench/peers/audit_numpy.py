"""Dawid and Skene's EM with one-hot answers in NumPy. Arguments: FOLDER ITERATIONS SMOOTH.

Written as one would by hand: two dense products an iteration, and a start from the shares of votes as scant's."""
import json
import sys
import time

import numpy

folder, iterations, smooth = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
votes = numpy.load(folder + "/votes.npy")  # items by workers
items, workers = votes.shape
classes = int(votes.max()) + 1
begin = time.perf_counter()
onehot = numpy.eye(classes)[votes].reshape(items, workers * classes)
r = onehot.reshape(items, workers, classes).sum(1) + 1 / classes
r /= r.sum(1, keepdims=True)
for _ in range(iterations + 1):
    prior = r.mean(0)
    counts = (onehot.T @ r).reshape(workers, classes, classes) + smooth
    table = counts / counts.sum(1, keepdims=True)
    log_joint = onehot @ numpy.log(table).reshape(workers * classes, classes) + numpy.log(prior)
    top = log_joint.max(1, keepdims=True)
    r = numpy.exp(log_joint - top)
    total = r.sum(1, keepdims=True)
    r /= total
seconds = time.perf_counter() - begin
print(json.dumps({"seconds": seconds * iterations / (iterations + 1), "iterations": iterations,
                  "check": float((top + numpy.log(total)).mean())}))
