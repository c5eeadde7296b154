"""Mixtures that rows are drawn from: neighbouring components lie 2.5 standard deviations apart, or more."""
import json

# `classes` has each component's; `starts` 0 is the library's choice.
TRUTHS = {
    "two": {
        "title": "Two normals, 3.2 apart, deviations 1 and 1.25; the library's own number of starts",
        "family": "gaussian", "covariance": "diag", "columns": 1, "classes": "ab", "weights": [0.6, 0.4],
        "parameters": {"means": [[0], [3.2]], "covariances": [[1], [1.5625]]}, "starts": 0,
    },
    "three": {
        "title": "Three normals, three classes",
        "family": "gaussian", "covariance": "diag", "columns": 1, "classes": "abc", "weights": [0.3, 0.45, 0.25],
        "parameters": {"means": [[0], [3], [7]], "covariances": [[1], [1.44], [2.25]]}, "starts": 4,
    },
    "plane": {
        "title": "Two normals in the plane, full covariances",
        "family": "gaussian", "covariance": "full", "columns": 2, "classes": "ab", "weights": [0.55, 0.45],
        "parameters": {"means": [[0, 0], [2.6, 1.5]],
                       "covariances": [[[1, 0.4], [0.4, 0.8]], [[0.9, -0.3], [-0.3, 1.2]]]}, "starts": 4,
    },
    "tied": {
        "title": "Two normals in space, one covariance for both",
        "family": "gaussian", "covariance": "tied", "columns": 3, "classes": "ab", "weights": [0.4, 0.6],
        "parameters": {"means": [[0, 0, 0], [2, 1, 1.5]],
                       "covariances": [[1, 0.2, 0], [0.2, 1, -0.3], [0, -0.3, 0.8]]}, "starts": 4,
    },
    "pairs": {
        "title": "Four spherical normals in the plane, two a class",
        "family": "gaussian", "covariance": "spherical", "columns": 2, "classes": "abab",
        "weights": [0.3, 0.25, 0.25, 0.2],
        "parameters": {"means": [[0, 0], [4, 0], [4, 4], [0, 4]], "covariances": [1, 1.44, 1, 1.44]}, "starts": 4,
    },
    "poisson": {
        "title": "Two Poisson laws, means 4 and 14",
        "family": "poisson", "columns": 1, "classes": "ab", "weights": [0.5, 0.5],
        "parameters": {"means": [[4], [14]]}, "starts": 4,
    },
    "gamma": {
        "title": "Two gamma laws, means 5 and 10, deviations 1 and 2",
        "family": "gamma", "columns": 1, "classes": "ab", "weights": [0.6, 0.4],
        "parameters": {"shapes": [[25], [25]], "scales": [[0.2], [0.4]]}, "starts": 4,
    },
    "bernoulli": {
        "title": "Six binary columns, probabilities 0.2 and 0.75",
        "family": "bernoulli", "columns": 6, "classes": "ab", "weights": [0.5, 0.5],
        "parameters": {"probabilities": [[0.2] * 6, [0.75] * 6]}, "starts": 4,
    },
    "lines": {
        "title": "Two regressions, 3.9 apart or more within three deviations of the input, deviations 1 and 1.5",
        "family": "regression", "target": "x2", "columns": 2, "classes": "ab", "weights": [0.5, 0.5],
        "parameters": {"coefficients": [[0, 1], [4.5, 0.8]], "variances": [1, 2.25]}, "starts": 4,
    },
}


def write(path, truth, plain):
    """A model file; `plain`: without classes."""
    names = sorted(set(truth["classes"]))
    coupling = [[w] if plain else [w if c == name else 0 for name in names]
                for w, c in zip(truth["weights"], truth["classes"])]
    columns = [f"x{c + 1}" for c in range(truth["columns"])]
    settings = {key: truth[key] for key in ("covariance", "target") if key in truth}
    with open(path, "w", encoding="ascii") as file:
        json.dump({"format": "scant-model", "schema": 3, "method": "em", "settings": settings,
                   "columns": [{"name": c} for c in columns], "classes": [] if plain else names,
                   "components": len(coupling), "coupling": coupling,
                   "factors": [{"family": truth["family"], "columns": columns, **settings,
                                "parameters": truth["parameters"]}]}, file)
