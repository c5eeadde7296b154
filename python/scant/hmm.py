"""HMM: chains of hidden states with hmmlearn's calls, and labels, weights and missing cells as well."""
import types

import numpy as np

from . import _fit
from ._compat import NotFittedError
from ._estimator import Modeled
from ._model import Model
from ._parameters import seed_of
from ._rows import Rows, table_of

DECODERS = {"viterbi": "viterbi", "map": "posterior", "filter": "filter"}
LETTERS = {"s": "startprob_", "t": "transmat_", "m": "means_", "c": "covars_", "e": "emissionprob_", "l": "lambdas_"}
FAMILIES = ("gaussian", "categorical", "poisson")


class HMM(Modeled):
    """A hidden Markov model.

    Calls and attributes are hmmlearn's: X is all sequences one after the other, `lengths` says how many rows each has (None:
    one sequence). With y, labels of some or all of the rows, every class has `n_components` states of its own and `predict`
    names classes. Cells of X may be NaN.

    Parameters
    ----------
    n_components : states; with y, of each class
    family : gaussian, categorical (numbers of symbols from 0; also hmmlearn's CategoricalHMM) or poisson
    covariance_type : of a gaussian: diag, full, spherical, tied; also tied-diag and tied-spherical
    min_covar : floor of the variances, as a share of each column's variance in the data
    transitions : any, left-to-right, or the path of a table of 0 and 1
    algorithm : of decode and predict: viterbi (the likeliest path), map (each step given its sequence) or filter (each step
        given those up to it)
    n_iter, tol : iterations of a start at most; stop when the log-likelihood of a row rises by less than tol on average
    init_params : what a fit does not take from the attributes that were set: letters of s (startprob_), t (transmat_),
        m (means_), c (covars_), e (emissionprob_), l (lambdas_)
    n_init : starts (0: chosen by the size of the problem); 1 where attributes were set
    n_symbols : of a categorical family: how many there are (None: as many as occur)
    unlabeled_weight : factor on the weight of sequences without a label; auto: chosen on held-out labels
    smooth : of symbols and counts: the pseudo-count of each
    keep : use unlabeled sequences even where the labeled ones alone do better on held-out labels
    random_state : seed, or a generator to draw one from; None is 1, so that fits repeat
    accelerate : none or squarem: extrapolations between EM steps
    time_limit : seconds after which to stop (0: none); the best model so far is kept
    threads : 0 is OMP_NUM_THREADS, else all cores; the answer does not depend on it
    missing_label : label that means unknown, with None, NaN and NA; auto: -1 among non-negative integers; none: no other
    verbose : above 0: a line of progress on standard error
    callback : called with a scant.Event at every iteration; a true result ends the fit

    Attributes
    ----------
    startprob_, transmat_ : where sequences begin, and from a state (rows) to the next
    means_, covars_ : of a gaussian; covars_ as matrices, a state each, whatever covariance_type
    emissionprob_ : of one categorical column: states x symbols
    lambdas_ : of a poisson
    monitor_ : converged, iter and history (log-likelihoods) of the fit
    classes_ : with y, the classes; `state_classes_` has each state's
    model_ : the scant.Model
    """

    OPTIONS = {"fit": {"covariance_type": "covariance", "tol": "tol", "min_covar": "min_variance", "n_iter": "max_iter",
                       "n_init": "starts", "random_state": "seed", "unlabeled_weight": "unlabeled_weight",
                       "accelerate": "accelerate", "time_limit": "time_limit", "threads": "threads",
                       "transitions": "transitions", "smooth": "smooth"}}

    def __init__(self, n_components=1, *, family="gaussian", covariance_type="diag", min_covar=1e-6, transitions="any",
                 algorithm="viterbi", n_iter=500, tol=1e-5, init_params="stmcel", n_init=0, n_symbols=None, smooth=1.0,
                 unlabeled_weight="auto", keep=False, random_state=None, accelerate="none", time_limit=0.0, threads=0, missing_label="auto", verbose=0,
                 callback=None):
        self.n_components = n_components
        self.family = family
        self.covariance_type = covariance_type
        self.min_covar = min_covar
        self.transitions = transitions
        self.algorithm = algorithm
        self.n_iter = n_iter
        self.tol = tol
        self.init_params = init_params
        self.n_init = n_init
        self.n_symbols = n_symbols
        self.smooth = smooth
        self.unlabeled_weight = unlabeled_weight
        self.keep = keep
        self.random_state = random_state
        self.accelerate = accelerate
        self.time_limit = time_limit
        self.threads = threads
        self.missing_label = missing_label
        self.verbose = verbose
        self.callback = callback

    def __setattr__(self, name, value):
        """Numbers of the model that are set by hand make another model, as soon as one is asked for."""
        if name in LETTERS.values():
            vars(self).setdefault("_given", {})[name] = value = np.asarray(value, dtype=np.float64)
        super().__setattr__(name, value)

    # --- rows in ---

    def _settings(self, kind="fit"):
        if self.family not in FAMILIES:
            raise ValueError(f"family: {self.family!r} is not one of {', '.join(FAMILIES)}")
        settings = {**super()._settings(kind), "family": self.family}
        if self.family != "gaussian":
            del settings["covariance"]
        return settings

    def _levels(self, X):
        """Symbols of an array of categories; a frame has its own."""
        if self.family != "categorical" or hasattr(X, "columns"):
            return None
        X = np.asarray(X, dtype=np.float64)
        with np.errstate(invalid="ignore"):
            if X.ndim != 2 or (X < 0).any() or (X != np.floor(X))[~np.isnan(X)].any():
                raise ValueError("Symbols should be nonnegative integers")
        given = vars(self).get("_given", {}).get("emissionprob_")
        least = max(self.n_symbols or 0, 0 if given is None else given.shape[1])
        most = [max(int(np.nanmax(column, initial=0)) + 1, least) for column in X.T]
        return {c: [str(k) for k in range(n)] for c, n in enumerate(most)}

    def _training_rows(self, X, y, sample_weight, lengths):
        table = table_of(X, levels=self._levels(X))
        evidence = self._evidence(y, None)
        rows = Rows(table, sample_weight=_by_row(sample_weight, lengths, len(table.values)), **evidence)
        rows.set_sequences(lengths)
        attributes = {"n_features_in_": rows.shape[1]}
        if table.names and hasattr(X, "columns"):
            attributes["feature_names_in_"] = np.array(table.names, dtype=object)
        if evidence:
            attributes["classes_"] = evidence["classes"]
        return rows, attributes

    def _steps(self, X, lengths, y=None):
        """Rows to ask the model about, which is made of attributes where these were set."""
        self._settle(X)
        rows = self._new_rows(X, y)
        rows.set_sequences(lengths)
        return rows

    # --- a fit ---

    def fit(self, X, lengths=None, y=None, sample_weight=None):
        """Fits the chain to the sequences in X and to what y says of their steps. Weights are of rows or of sequences."""
        given = {name: value for name, value in vars(self).get("_given", {}).items()}
        rows, attributes = self._training_rows(X, y, sample_weight, lengths)
        settings, how = self._settings(), {"callback": self.callback, "verbose": self.verbose > 0}
        classes = len(attributes.get("classes_", ()))
        settings["components"] = f"{self.n_components}/class" if classes else self.n_components
        kept = {name: given[name] for letter, name in LETTERS.items() if name in given and letter not in self.init_params}
        if kept:
            found = []
            _fit.fit(rows, {**settings, "max_iter": 0, "starts": 1, "unlabeled_weight": 1}, found.append)
            how["start"] = Model.from_dict(_with(found[0].to_dict(), kept, self.covariance_type))
        if classes and not kept:
            _fit.fit_safe(rows, settings, self.keep, 5, lambda model: self._keep(model, attributes), **how)
        else:
            settings["unlabeled_weight"] = 1 if settings["unlabeled_weight"] == "auto" else settings["unlabeled_weight"]
            _fit.fit(rows, settings, lambda model: self._keep(model, attributes), **how)
        self._warn()
        self._doubt()
        return self

    def _describe(self, model):
        summary, own = model.summary, vars(self)
        own.pop("_given", None)
        (_, columns, parameters, _), = model.factors()
        order = np.argsort(columns)
        own.update(startprob_=model.start_probabilities, transmat_=model.transitions)
        if self.family == "gaussian":
            own.update(means_=parameters["means"][:, order], covars_=_matrices(parameters["covariances"], len(own["startprob_"]),
                                                                             self.covariance_type, order))
        elif self.family == "poisson":
            own.update(lambdas_=parameters["means"][:, order])
        elif len(columns) == 1:
            own.update(emissionprob_=parameters["probabilities"])
        self.converged_, self.stop_, self.warnings_ = summary["stop"] == "converged", summary["stop"], model.warnings
        self.n_features = parameters["probabilities"].shape[1] if self.family == "categorical" else len(columns)
        self.monitor_ = types.SimpleNamespace(converged=self.converged_, iter=max(summary["iterations"], 1),
                                              history=list(model.trace * summary["weight"]))
        if "classes_" in own:
            self.state_classes_ = self.classes_[model.coupling.argmax(axis=1)]

    def _settle(self, X):
        """A model of the attributes that were set by hand, if there are any."""
        given = vars(self).get("_given")
        if not given:
            return self._check_fitted()
        kept = dict(given)
        if "model_" in vars(self):
            document = self.model_.to_dict()
        else:
            document = self._document(kept, np.asarray(X).shape[1] if X is not None else None)
        model = Model.from_dict(_with(document, kept, self.covariance_type))
        own = {name: vars(self)[name] for name in ("classes_", "feature_names_in_") if name in vars(self)}
        self._keep(model, {**own, "n_features_in_": len(model.columns)})
        return None

    def _document(self, given, width):
        """A model file of a chain that was never fitted."""
        wanted = {"gaussian": ("means_", "covars_"), "categorical": ("emissionprob_",), "poisson": ("lambdas_",)}[self.family]
        for name in ("startprob_", "transmat_", *wanted):
            if name not in given:
                raise NotFittedError(f"This HMM instance is not fitted yet, and {name} is not set")
        M, width = len(given["startprob_"]), 1 if self.family == "categorical" else given[wanted[0]].shape[1]
        columns = [{"name": f"x{c + 1}"} for c in range(width)]
        if self.family == "categorical":
            columns[0]["levels"] = [str(k) for k in range(given["emissionprob_"].shape[1])]
        factor = {"family": self.family, "columns": [column["name"] for column in columns], "parameters": {}}
        if self.family == "gaussian":
            factor["covariance"] = self.covariance_type
        return {"format": "scant-model", "schema": 5, "method": "em", "settings": {}, "classes": [], "columns": columns,
                "components": M, "coupling": [[1 / M]] * M, "chain": {}, "factors": [factor]}

    # --- what it says of sequences ---

    def _named(self, components):
        """States, or with y the classes of steps, from probabilities of states."""
        if "classes_" not in vars(self):
            return components.argmax(axis=1)
        shares = self.model_.coupling / self.model_.coupling.sum(axis=1, keepdims=True)
        return self.classes_[(components @ shares).argmax(axis=1)]

    def _decoder(self, algorithm):
        algorithm = algorithm or self.algorithm
        if algorithm not in DECODERS:
            raise ValueError(f"algorithm: {algorithm!r} is not one of {', '.join(DECODERS)}")
        return DECODERS[algorithm]

    def _ask(self, X, lengths, *wanted, y=None, **options):
        rows = self._steps(X, lengths, y)
        return self.model_.predict(rows, *wanted, threads=self.threads, use_labels=y is not None, **options)

    def decode(self, X, lengths=None, algorithm=None, y=None):
        """The log probability of the path, or with another algorithm than viterbi the sum over steps of that of the state
        named, and the states; with labels y of some steps, given those."""
        decoder = self._decoder(algorithm)
        components, loglik = self._ask(X, lengths, "components", "loglik", y=y, decode=decoder)
        total = loglik.sum() if decoder == "viterbi" else components.max(axis=1).sum()
        return float(total), components.argmax(axis=1)

    def predict(self, X, lengths=None, y=None):
        """The states of all steps, or after a fit with y their classes."""
        components = self._ask(X, lengths, "components", y=y, decode=self._decoder(None))
        return self._named(components)

    def predict_proba(self, X, lengths=None, y=None):
        """The probability of each state, or after a fit with y of each class, for every step given its sequence."""
        self._settle(X)
        return self._ask(X, lengths, "classes" if "classes_" in vars(self) else "components", y=y)

    def score_samples(self, X, lengths=None, y=None):
        """The log-likelihood of all sequences, and the probability of each state for every step."""
        components, loglik = self._ask(X, lengths, "components", "loglik", y=y)
        return float(loglik.sum()), components

    def score(self, X, lengths=None, y=None):
        """The log-likelihood of all sequences; with y, of their labels as well."""
        return float(self._ask(X, lengths, "loglik", y=y).sum())

    def responsibilities(self, X, lengths=None):
        """The probability of each state for every step given its sequence."""
        return self._ask(X, lengths, "components")

    def bic(self, X, lengths=None):
        """Smaller is better."""
        return -2 * self.score(X, lengths) + self.model_.summary["parameters"] * np.log(len(X))

    def aic(self, X, lengths=None):
        """Smaller is better."""
        return -2 * self.score(X, lengths) + 2 * self.model_.summary["parameters"]

    def sample(self, n_samples=1, random_state=None, currstate=None):
        """A sequence of n_samples steps that is drawn, and its states. `currstate`: the state it begins in."""
        self._settle(None)
        model = self.model_
        if currstate is not None:
            document = model.to_dict()
            document["chain"]["start"] = np.eye(model.components)[currstate].tolist()
            model = Model.from_dict(document)
        cells, states, _ = model.sample(n_samples, seed_of(self.random_state if random_state is None else random_state))
        return (cells.astype(np.intp) if self.family != "gaussian" else cells), states

    def get_stationary_distribution(self):
        """How much of a long sequence is in each state."""
        values, vectors = np.linalg.eig(self.transmat_.T)
        found = np.real(vectors[:, np.argmin(np.abs(values - 1))])
        return found / found.sum()

    def compare_rows(self, X, lengths=None, y=None, folds=5):
        """Held-out accuracy and log-likelihood of a step, compared with the mixture of independent rows. After a fit its weight
        of unlabeled steps is taken."""
        rows, attributes = self._training_rows(X, y, None, lengths)
        settings = self._settings()
        settings["components"] = f"{self.n_components}/class" if "classes_" in attributes else self.n_components
        if "model_" in vars(self):  # what the fit chose is not chosen anew in each fold
            for name in ("unlabeled_weight", "shrinkage"):
                settings[name] = float(self.model_.setting(name) or 0)
        return _fit.compare_rows(rows, settings, folds)


def _by_row(weight, lengths, n):
    """Weights of rows, from those of rows or of sequences."""
    if weight is None or lengths is None:
        return weight
    weight, lengths = np.asarray(weight, dtype=np.float64), np.asarray(lengths)
    return np.repeat(weight, lengths) if weight.shape == lengths.shape and len(lengths) != n else weight


def _matrices(covariances, M, kind, order):
    """Covariances as M matrices."""
    d = len(order)
    if kind in ("full", "tied"):
        covariances = covariances[..., order, :][..., order]
    elif kind in ("diag", "tied-diag"):
        covariances = covariances[..., order, None] * np.eye(d)
    else:
        covariances = np.reshape(covariances, (-1, 1, 1)) * np.eye(d)
    return np.broadcast_to(covariances, (M, d, d)).copy()


def _form(covars, kind, M, d):
    """What a model file has for covariances that are given as hmmlearn takes or gives them."""
    shapes = {"full": (M, d, d), "tied": (d, d), "diag": (M, d), "spherical": (M,), "tied-diag": (d,), "tied-spherical": (1,)}
    if kind not in shapes:
        raise ValueError(f"covariance_type: {kind!r} is not one of {', '.join(shapes)}")
    if covars.shape == (M, d, d) and kind != "full":
        diagonals = np.diagonal(covars, axis1=1, axis2=2)
        covars = {"tied": covars[0], "diag": diagonals, "spherical": diagonals[:, 0], "tied-diag": diagonals[0],
                  "tied-spherical": diagonals[0, :1]}[kind]
    if covars.shape != shapes[kind]:
        raise ValueError(f"covars_ should have the shape {shapes[kind]} for {kind}, not {covars.shape}")
    return covars


def _with(document, given, kind):
    """The model file with numbers that were set by hand in place of its own."""
    M, parameters = document["components"], document["factors"][0]["parameters"]
    chain = document.setdefault("chain", {})
    for name, where in (("startprob_", "start"), ("transmat_", "transitions")):
        if name in given:
            value, shape = given[name], (M,) if name == "startprob_" else (M, M)
            if value.shape != shape:
                raise ValueError(f"{name} should have the shape {shape}, not {value.shape}")
            if (value < 0).any() or not np.allclose(value.sum(axis=-1), 1):
                raise ValueError(f"{name} must sum to 1")
            chain[where] = (value / value.sum(axis=-1, keepdims=True)).tolist()
    for name, where in (("means_", "means"), ("lambdas_", "means"), ("emissionprob_", "probabilities")):
        if name in given:
            if given[name].shape[0] != M:
                raise ValueError(f"{name} should have {M} rows, not {given[name].shape[0]}")
            parameters[where] = given[name].tolist()
    if "covars_" in given:
        parameters["covariances"] = _form(given["covars_"], kind, M, len(document["columns"])).tolist()
    for word in ("training", "information", "baseline", "warnings"):
        document.pop(word, None)
    return document
