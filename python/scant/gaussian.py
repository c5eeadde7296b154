"""GaussianMixture: scikit-learn's, and labels, soft labels, weights and missing cells as well."""
import numpy as np

from . import _fit, _labels
from ._compat import DensityMixin
from ._estimator import Mixture
from ._model import Model

NO_CLASSES = np.array([])
INITS = {"kmeans": "kmeans", "k-means++": "kmeans", "random": "random", "labels": "labels"}


def precisions_of(covariances, kind):
    """Inverses, laid out as the covariances are."""
    return np.linalg.inv(covariances) if kind in ("full", "tied") else 1 / covariances


def cholesky_of(precisions, kind):
    """The upper triangle U with U U' = precision, as scikit-learn has it; its square root where it is a number."""
    if kind not in ("full", "tied"):
        return np.sqrt(precisions)
    flipped = np.linalg.cholesky(precisions[..., ::-1, ::-1])
    return np.ascontiguousarray(flipped[..., ::-1, ::-1])


class GaussianMixture(DensityMixin, Mixture):
    """A mixture of Gaussians.

    Without y it is scikit-learn's, with the same words and the same answers. With y, labels of some or all of the rows
    or an (n, K) matrix of class probabilities, every class has `n_components` of its own and `predict` names classes.

    Parameters
    ----------
    n_components : components; with y, of each class
    covariance_type : full, tied, diag or spherical; also tied-diag and tied-spherical
    tol : stop when the log-likelihood of a row rises by less than this on average
    reg_covar : floor of the variances, as a share of each column's variance in the data. scikit-learn adds it to them;
        a floor leaves the maximum where it is
    max_iter, n_init : iterations of a start at most, and starts
    init_params : kmeans, random, or labels (k-means within classes); k-means++ is taken for kmeans
    weights_init, means_init, precisions_init : parameters to start from, in place of what init_params finds
    random_state : seed, or a generator to draw one from; None is 1, so that fits repeat
    warm_start : start from the model of the last fit
    verbose : above 0: a line of progress on standard error
    unlabeled_weight : factor on the weights of rows without a label
    accelerate : none or squarem: extrapolations between EM steps
    time_limit : seconds after which to stop (0: none); the best model so far is kept
    threads : 0 is OMP_NUM_THREADS, else all cores; the answer does not depend on it
    missing_label : label that means unknown, with None, NaN and NA; auto: -1 among non-negative integers; none: no
        other
    callback : called with a scant.Event at every iteration; a true result ends the fit

    Attributes
    ----------
    weights_, means_, covariances_, precisions_, precisions_cholesky_, converged_, n_iter_, lower_bound_ : as in
        scikit-learn
    classes_ : with y, the classes; `coupling_` is P(component, class)
    model_ : the scant.Model
    """

    OPTIONS = {"fit": {"covariance_type": "covariance", "tol": "tol", "reg_covar": "min_variance",
                       "max_iter": "max_iter", "n_init": "starts", "random_state": "seed",
                       "unlabeled_weight": "unlabeled_weight", "accelerate": "accelerate",
                       "time_limit": "time_limit", "threads": "threads"}}

    def __init__(self, n_components=1, *, covariance_type="full", tol=1e-3, reg_covar=1e-6, max_iter=100, n_init=1,
                 init_params="kmeans", weights_init=None, means_init=None, precisions_init=None, random_state=None,
                 warm_start=False, verbose=0, unlabeled_weight=1.0, accelerate="none", time_limit=0.0, threads=0,
                 missing_label="auto", callback=None):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.unlabeled_weight = unlabeled_weight
        self.accelerate = accelerate
        self.time_limit = time_limit
        self.threads = threads
        self.missing_label = missing_label
        self.callback = callback

    def _settings(self, kind="fit"):
        if self.init_params not in INITS:
            raise ValueError(f"init_params: {self.init_params!r} is not one of {', '.join(INITS)}")
        floor = max(self.reg_covar, 1e-10) if self.reg_covar >= 0 else self.reg_covar  # no less is told apart from 0
        return {**super()._settings(kind), "min_variance": floor, "family": "gaussian", "init": INITS[self.init_params]}

    def fit(self, X, y=None, sample_weight=None):
        """Fits the mixture to X and to what y says of the rows' classes."""
        rows, attributes = self._training_rows(X, y, sample_weight)
        settings, how = self._settings(), self._how()
        settings["components"] = f"{self.n_components}/class" if "classes_" in attributes else self.n_components
        if how["start"] is None:
            how["start"] = self._start(rows, settings, _labels.names_of(attributes.get("classes_", NO_CLASSES)))
        _fit.fit(rows, settings, lambda model: self._keep(model, attributes), **how)
        self._warn()
        return self

    def _start(self, rows, settings, classes):
        """A model with the parameters given; others are as a start of the library's own has them."""
        if all(given is None for given in (self.weights_init, self.means_init, self.precisions_init)):
            return None
        d, K = rows.shape[1], max(len(classes), 1)
        M, kind = self.n_components * K, self.covariance_type
        document = self._document(rows.names(), classes)
        if any(given is None for given in (self.weights_init, self.means_init, self.precisions_init)):
            found = []
            _fit.fit(rows, {**settings, "max_iter": 0, "starts": 1}, found.append)
            document = found[0].to_dict()
        parameters = document["factors"][0]["parameters"]
        if self.weights_init is not None:
            weights = _shaped(self.weights_init, "weights_init", (M,))
            document["coupling"] = (np.kron(np.eye(K), np.ones((self.n_components, 1))) * weights[:, None]).tolist()
        if self.means_init is not None:
            parameters["means"] = _shaped(self.means_init, "means_init", (M, d)).tolist()
        if self.precisions_init is not None:
            shape = {"full": (M, d, d), "diag": (M, d), "spherical": (M,), "tied": (d, d), "tied-diag": (d,)}
            precisions = _shaped(self.precisions_init, "precisions_init", shape.get(kind, (1,)))
            parameters["covariances"] = precisions_of(precisions, kind).tolist()
        return Model.from_dict(document)

    def _document(self, names, classes):
        """A model file without its numbers."""
        return {"format": "scant-model", "schema": 3, "method": "em", "settings": {}, "classes": classes,
                "columns": [{"name": name} for name in names], "components": self.n_components * max(len(classes), 1),
                "factors": [{"family": "gaussian", "columns": names, "covariance": self.covariance_type,
                             "parameters": {}}]}

    def _describe(self, model):
        super()._describe(model)
        (_, columns, parameters, _), = model.factors()
        order = np.argsort(columns)  # a start may have had them in another
        self.means_ = parameters["means"][:, order]
        self.covariances_ = _reordered(parameters["covariances"], self.covariance_type, order)
        self._fitted_type = self.covariance_type  # the parameter may change before the next fit

    @property
    def precisions_(self):
        """Inverses of the covariances, worked out when asked for."""
        return precisions_of(self.covariances_, self._fitted_type)

    @property
    def precisions_cholesky_(self):
        """Their Cholesky factors, as scikit-learn has them."""
        return cholesky_of(self.precisions_, self._fitted_type)

    @classmethod
    def load(cls, path, **params):
        """An estimator with the model of a file, a mixture of Gaussians alone, whoever wrote it."""
        document = Model.load(path).to_dict()
        if [factor["family"] for factor in document["factors"]] != ["gaussian"]:
            raise ValueError(f"{path}: not a mixture of Gaussians alone; MixtureClassifier or Model will take it")
        own = {"n_components": document["components"] // max(len(document["classes"]), 1),
               "covariance_type": document["factors"][0]["covariance"]}
        return super().load(path, **{**own, **params})

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fits, and predicts the same rows."""
        return self.fit(X, y, sample_weight).predict(X)

    def score(self, X, y=None):
        """The mean log density of a row."""
        del y
        return self.score_samples(X).mean()


def _reordered(covariances, kind, order):
    """Covariances of columns that stand in another order."""
    if kind in ("full", "tied"):
        return covariances[..., order, :][..., order]
    return covariances[..., order] if kind in ("diag", "tied-diag") else covariances


def _shaped(value, name, shape):
    value = np.asarray(value, dtype=np.float64)
    if value.shape != shape:
        raise ValueError(f"The parameter '{name}' should have the shape of {shape}, but got {value.shape}")
    return value
