"""crowd-kit's DawidSkene. Arguments: FOLDER ITERATIONS. Time is that of the iterations, as one more of them takes longer than a
single one: the majority vote before them and the frame's preparation are left out."""
import json
import math
import sys
import time

import numpy
import pandas
from crowdkit.aggregation import DawidSkene


def seconds(votes, iterations):
    begin = time.perf_counter()
    model = DawidSkene(n_iter=iterations, tol=-math.inf).fit(votes)  # never stops before
    return time.perf_counter() - begin, len(model.loss_history_)


folder, wanted = sys.argv[1], int(sys.argv[2])
answers = numpy.load(folder + "/votes.npy")
item, worker = numpy.indices(answers.shape)
frame = pandas.DataFrame({"task": item.ravel(), "worker": worker.ravel(), "label": answers.ravel()})
whole, done = seconds(frame, wanted + 1)
print(json.dumps({"seconds": whole - seconds(frame, 1)[0], "iterations": done - 1, "check": float(done - 1)}))
