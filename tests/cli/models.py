"""Parameters of a Gaussian model file as arrays, whatever the covariance."""
import json

import numpy as np


def load(path):
    with open(path) as file:
        return json.load(file)


def gaussian(model):
    """Weights (M), means (M, D) and covariances (M, D, D), tied ones repeated."""
    factor = next(f for f in model["factors"] if f["family"] == "gaussian")
    weights = np.array(model["coupling"], float).reshape(model["components"], -1).sum(axis=1)
    parameters = factor["parameters"]
    means = np.array(parameters["means"], float)
    name = next(k for k in parameters if "varianc" in k)
    return weights, means, expand(np.array(parameters[name], float), factor["covariance"], *means.shape)


def expand(value, covariance, M, D):
    eye = np.eye(D)
    if covariance == "full":
        return value.reshape(M, D, D)
    if covariance == "tied":
        return np.repeat(value.reshape(1, D, D), M, axis=0)
    if covariance == "diag":
        return np.stack([np.diag(v) for v in value.reshape(M, D)])
    if covariance == "tied-diag":
        return np.repeat(np.diag(value.reshape(-1)[:D])[None], M, axis=0)
    if covariance == "spherical":
        return value.reshape(M, -1)[:, :1, None] * eye
    return np.repeat((value.reshape(-1)[0] * eye)[None], M, axis=0)
