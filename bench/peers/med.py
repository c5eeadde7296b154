"""One fit of a machine of large margins, and its accuracy on rows that it did not see. Arguments: PEER FOLDER KERNEL C TOL THREADS.

PEER is scant, libsvm or liblinear (scikit-learn wraps both); the rows are x.npy and test.npy with the class in the last column, or
train.svmlight.gz and test.svmlight.gz. Prints processor time of the fit, reading left out (a quarter of an hour at most), accuracy and what the stopping rule says."""
import gzip
import json
import os
import sys
import time
import warnings

import numpy as np

name, folder, kernel, c, tol, threads = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6])
GAMMA = 0.05  # of rbf
warnings.simplefilter("ignore")


def read(which):
    path = os.path.join(folder, f"{which}.npy")
    if os.path.exists(path):
        rows = np.load(path)
        return np.ascontiguousarray(rows[:, :-1]), rows[:, -1].astype(int)
    from sklearn.datasets import load_svmlight_file
    with gzip.open(os.path.join(folder, f"{which}.svmlight.gz"), "rb") as file:
        x, y = load_svmlight_file(file, n_features=COLUMNS.get(folder))
    COLUMNS[folder] = x.shape[1]
    return x, (y > 0).astype(int)


COLUMNS = {}
x, y = read("x" if os.path.exists(os.path.join(folder, "x.npy")) else "train")
if name == "scant":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
    import scant
    model = scant.MEDClassifier(kernel=kernel, gamma=GAMMA if kernel == "rbf" else 0, c=c, tol=tol, folds=0, no_standardize=True, threads=threads, time_limit=900,
                                cache_mb=200)
elif name == "libsvm":
    from sklearn.svm import SVC
    model = SVC(kernel=kernel, gamma=GAMMA, C=c, tol=tol, cache_size=200)
else:
    from sklearn.svm import LinearSVC
    model = LinearSVC(loss="hinge", C=c, tol=tol, max_iter=100000)
begin = time.process_time()
model.fit(x, y)
seconds = time.process_time() - begin
test, truth = read("test")
found = {"seconds": seconds, "check": float((model.predict(test) == truth).mean())}
if name == "scant":
    found.update(gap=model.gap_ / max(1, abs(model.objective_)), solver=model.solver_, support=model.n_support_)
print(json.dumps(found))
