"""scikit-learn on tasks with few labels. Arguments: METHOD SUBFOLDER... Prints seconds and accuracy of each task.

Settings are the defaults but for logistic regression's iterations, which must be enough to converge."""
import json
import sys
import time
import warnings

import pandas
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

METHODS = {
    "logistic": lambda: LogisticRegression(max_iter=1000),
    "self-training": lambda: SelfTrainingClassifier(LogisticRegression(max_iter=1000)),
    "spreading-knn": lambda: LabelSpreading(kernel="knn"),
    "spreading-rbf": LabelSpreading,
}


def read(path):
    table = pandas.read_csv(path, dtype={"y": str})
    return table.drop(columns="y").to_numpy(), table["y"]


method, folders = sys.argv[1], sys.argv[2:]
warnings.simplefilter("ignore")  # rows that no label reaches, iterations that end: the accuracy shows them
seconds, accuracy = [], []
for folder in folders:
    x, y = read(folder + ("/labelled.csv" if method == "logistic" else "/train.csv"))
    test_x, test_y = read(folder + "/test.csv")
    classes = sorted(test_y.unique())
    number = {name: k for k, name in enumerate(classes)}
    target = y.map(number).fillna(-1).astype(int).to_numpy()
    model = METHODS[method]()
    begin = time.perf_counter()
    model.fit(x, target)
    seconds.append(time.perf_counter() - begin)
    accuracy.append(float((model.predict(test_x) == test_y.map(number)).mean()))
print(json.dumps({"seconds": seconds, "accuracy": accuracy}))
