"""crowd-kit's DawidSkene. Arguments: FOLDER ITERATIONS. It may stop before."""
import json
import sys
import time

import numpy
import pandas
from crowdkit.aggregation import DawidSkene

folder, iterations = sys.argv[1], int(sys.argv[2])
votes = numpy.load(folder + "/votes.npy")
item, worker = numpy.indices(votes.shape)
frame = pandas.DataFrame({"task": item.ravel(), "worker": worker.ravel(), "label": votes.ravel()})
begin = time.perf_counter()
model = DawidSkene(n_iter=iterations, tol=0).fit(frame)
print(json.dumps({"seconds": time.perf_counter() - begin, "iterations": len(model.loss_history_),
                  "check": float(len(model.loss_history_))}))
