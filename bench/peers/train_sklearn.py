"""scikit-learn's StackingClassifier of the members that `scant train` has. Arguments: FOLDER THREADS. Prints seconds and accuracy.

A stack of scikit-learn's sees labeled rows alone, so members that learn from unlabeled rows get these when they are made."""
import json
import os
import sys
import time
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

EM_STEPS, CLUSTERINGS, LLOYD_STEPS, TREES = 30, 24, 8, 60
warnings.simplefilter("ignore")  # EM and k-means end after as many steps as scant's


class ByEM(ClassifierMixin, BaseEstimator):
    """One Gaussian a class by EM over all rows, from the labels' means."""

    def __init__(self, rows=None):
        self.rows = rows

    def fit(self, x, y):
        self.classes_ = np.unique(y)
        means = [x[y == k].mean(axis=0) for k in self.classes_]
        self.mixture_ = GaussianMixture(len(means), means_init=means, max_iter=EM_STEPS, reg_covar=0.1).fit(self.rows)
        return self

    def predict_proba(self, x):
        return self.mixture_.predict_proba(x)


class ByClusters(ClassifierMixin, BaseEstimator):
    """Logistic regression on memberships in clusterings of random columns."""

    def __init__(self, rows=None):
        self.rows = rows

    def _features(self, x):
        return np.hstack([np.exp(-squares) / np.exp(-squares).sum(axis=1, keepdims=True)
                          for columns, means in self.parts_ for squares in [means.transform(x[:, columns]) ** 2 / 2]]
                         ) / np.sqrt(CLUSTERINGS)

    def fit(self, x, y):
        random, self.classes_, d = np.random.default_rng(0), np.unique(y), x.shape[1]
        self.parts_ = []
        for _ in range(CLUSTERINGS):
            columns = random.choice(d, max(2, int(0.7 * d)), replace=False)
            count = int(np.exp(random.uniform(np.log(len(self.classes_)), np.log(8 * len(self.classes_)))))
            means = KMeans(count, n_init=1, max_iter=LLOYD_STEPS, random_state=0).fit(self.rows[:, columns])
            self.parts_.append((columns, means))
        self.model_ = LogisticRegression(C=30, max_iter=1000).fit(self._features(x), y)
        return self

    def predict_proba(self, x):
        return self.model_.predict_proba(self._features(x))


folder, threads = sys.argv[1], int(sys.argv[2])
table, test = (np.load(os.path.join(folder, name)) for name in ("x.npy", "test.npy"))
begin = time.perf_counter()
scale = StandardScaler().fit(table[:, :-1])
rows, known = scale.transform(table[:, :-1]), table[:, -1] >= 0
model = StackingClassifier([
    ("logistic", LogisticRegression(C=0.1, max_iter=1000)),
    ("gaussian", QuadraticDiscriminantAnalysis(reg_param=0.5)),
    ("gaussian-em", ByEM(rows)),
    ("clusters", ByClusters(rows)),
    ("trees", ExtraTreesClassifier(TREES, random_state=0, n_jobs=threads)),
], cv=5, stack_method="predict_proba", n_jobs=1).fit(rows[known], table[known, -1])
seconds = time.perf_counter() - begin
print(json.dumps({"seconds": seconds, "check": float((model.predict(scale.transform(test[:, :-1])) == test[:, -1]).mean())}))
