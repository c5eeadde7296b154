"""MEDClassifier and MEDRegressor: large margins with priors, by maximum entropy discrimination."""
import ctypes

import numpy as np

from . import _fit, _labels
from ._compat import ClassifierMixin, RegressorMixin
from ._estimator import Modeled, Supervised
from ._library import call, library, option_table, safe_threads, text
from ._model import Model, array_of, fields
from ._parameters import parameters_from, seed_of
from ._rows import Rows, Table, table_of

TARGET = "target"  # name of the column that y becomes, unless X has one of that name
OF_CLASSES = ("positive", "margin_prior", "multiclass", "generative", "prior_rows", "margin_percentile", "kappa_rule")


class Discrimination(Modeled):
    """What a fit found, as attributes, and the discriminants of rows."""

    def _more_tags(self):
        return {**super()._more_tags(), "pairwise": self.kernel == "precomputed"}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _run(self, rows, attributes, **settings):
        with _fit.Task("med", {**self._settings("med"), **settings}, **self._how()) as task:
            task.run("scant_med", Model, lambda model: self._keep(model, attributes), rows)
        self._warn()
        self._doubt()
        return self

    def _keep(self, model, attributes):
        found = library.scant_model_med(model)
        if not found or text(found.contents.task) != self.TASK:
            raise ValueError(f"not a model of {type(self).__name__}; Model will take it")
        super()._keep(model, attributes)

    def _describe(self, model):
        found = fields(library.scant_model_med(model).contents)
        count, inputs = found["discriminants"], found["inputs"]
        self.objective_, self.gap_ = found["objective"], found["gap"]
        self.c_, self.weight_variance_, self.gamma_ = found["c"], found["weight_variance"], found["gamma"]
        self.bias_ = array_of(found["bias"], (count,))
        self.weights_ = array_of(found["weight"], (count, inputs)) if found["weight"] else None
        self.switches_ = array_of(found["probability"], (count, inputs)) if found["probability"] else None
        self.inputs_ = [text(name) for name in found["input"][:inputs]]
        self.kernel_ = text(found["kernel"])  # or the family of the densities
        self.n_support_, self.solver_ = found["support"], text(found["solver"])
        self.held_out_ = {name: found[f"held_out_{name}"] for name in ("accuracy", "log_loss", "mse")}
        self.n_iter_ = max(model.summary["iterations"], 1)
        self.stop_ = model.summary["stop"]
        self.converged_ = self.stop_ == "converged"
        self.warnings_ = model.warnings

    def _decide(self, rows):
        decision = np.empty((rows.shape[0], len(self.bias_)))
        call("scant_med_decide", self.model_, rows, safe_threads(self.threads), decision.ctypes.data)
        return decision


@parameters_from("med", without=("task", "target", "eps"), shared=("missing_label", "verbose", "callback"))
class MEDClassifier(Supervised, ClassifierMixin, Discrimination):
    """A classifier of large margins by maximum entropy discrimination (`scant med`): a prior over weights, bias, margins and
    switches of columns is changed as little as the labels allow.

    y holds labels; rows without one are left out, unless `transduce` learns from them. Without `c` the scale of the margins,
    the variance of the weights and the kernel's width are chosen by cross-validation. What speaks against the answer is in
    `warnings_`, and is a scant.DoubtWarning of the fit.

    Attributes
    ----------
    classes_ : the classes
    objective_, gap_ : J, and the primal minus J, which bounds how far J is from its maximum
    c_, weight_variance_, gamma_ : as they were used; NaN: not at all
    weights_, bias_ : of the discriminants, of standardized inputs, (discriminants, inputs); weights are None of a kernel
    switches_ : posterior probabilities that inputs are used, where `select` is below 1
    inputs_ : names of the inputs
    n_support_ : rows with a multiplier above 0
    held_out_ : accuracy and log_loss of rows that were held out; NaN: none were
    solver_, n_iter_, converged_, stop_, warnings_, model_ : how the fit ended; the scant.Model, which `save` writes
    """

    TASK = "classify"

    def fit(self, X, y, sample_weight=None):
        """Learns from the rows."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        rows, attributes = self._training_rows(X, y, sample_weight)
        return self._run(rows, attributes)

    def decision_function(self, X):
        """Of two classes, the discriminant, above 0 for the second; of more, a score a class, the largest for the one that is
        predicted."""
        rows = self._new_rows(X)
        decision, K = self._decide(rows), len(self.classes_)
        if K == 2:
            positive = text(library.scant_model_med(self.model_).contents.positive)
            return decision[:, 0] * (1 if positive == self.model_.classes[1] else -1)
        if text(library.scant_model_med(self.model_).contents.multiclass) != "codes":
            return decision
        return np.log(np.maximum(self._probabilities(rows), np.finfo(float).tiny))  # in place of code words

    # --- of densities (`generative`): what they say besides ---

    @property
    def score_samples(self):
        """score_samples(X): the log density of each row; missing cells are integrated out. Only of a model with densities."""
        if vars(self).get("kernel_") in (None, *option_table("med")["kernel"].choices.split("|")):
            raise AttributeError("the model has no densities: generative makes them")
        return self._densities

    def _densities(self, X):
        rows = self._new_rows(X)
        density = np.empty(rows.shape[0])
        call("scant_med_density", self.model_, rows, density.ctypes.data)
        return density

    def fill(self, X):
        """The rows with missing cells filled in by their means given the others."""
        rows = self._new_rows(X)
        cells = np.empty(rows.shape)
        call("scant_med_fill", self.model_, rows, cells.ctypes.data)
        return cells

    def sample(self, n_samples=1, random_state=None):
        """Rows drawn from the model, and their classes."""
        self._check_fitted()
        cells, classes = np.empty((n_samples, self.n_features_in_)), np.empty(n_samples, dtype=np.int32)
        call("scant_med_sample", self.model_, n_samples, seed_of(random_state), cells.ctypes.data, classes.ctypes.data)
        return cells, self.classes_[classes]


@parameters_from("med", without=("task", "target", *OF_CLASSES), shared=("verbose", "callback"))
class MEDRegressor(RegressorMixin, Discrimination):
    """A regression through a tube around the targets by maximum entropy discrimination (`scant med --target`).

    Columns and target are taken in units of their standard deviations unless `no_standardize`. Rows whose y is NaN are left
    out, unless `transduce` learns from them. Without `c` it is chosen by cross-validation, with the variance of the weights and
    the kernel's width.

    Attributes
    ----------
    objective_, gap_ : J, and the primal minus J, which bounds how far J is from its maximum
    c_, weight_variance_, gamma_ : as they were used; NaN: not at all
    weights_, bias_ : of the discriminant, of standardized inputs and target, (1, inputs); weights are None of a kernel
    switches_ : posterior probabilities that inputs are used, where `select` is below 1
    inputs_ : names of the inputs
    n_support_ : rows with a multiplier that is not 0
    held_out_ : mse of rows that were held out; NaN: none were
    solver_, n_iter_, converged_, stop_, warnings_, model_ : how the fit ended; the scant.Model, which `save` writes
    """

    TASK = "regress"

    def _more_tags(self):
        return {**super()._more_tags(), "requires_y": True, "X_types": ["2darray"]}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags, tags.target_tags.required, tags.input_tags.sparse = None, True, False
        return tags

    def fit(self, X, y, sample_weight=None):
        """Learns from the rows."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        table = _dense(table_of(X))
        y = _numbers(y, table.values.shape[0])
        width, names = table.values.shape[1], table.names or [f"x{c + 1}" for c in range(table.values.shape[1])]
        target = next(name for name in (TARGET + "_" * more for more in range(width + 1)) if name not in names)
        attributes = {"n_features_in_": width}
        if table.names and all(isinstance(name, str) for name in X.columns):
            attributes["feature_names_in_"] = np.array(table.names, dtype=object)
        return self._run(_with_target(table, names, target, y, sample_weight), attributes, task="regress", target=target)

    def _new_rows(self, X, y=None, context=None, sample_weight=None):
        self._check_fitted()
        *names, target = self.model_.expected
        table = _dense(table_of(X, names if "feature_names_in_" in vars(self) else None, self.model_.levels))
        if table.values.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {table.values.shape[1]} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input.")
        y = np.full(len(table.values), np.nan) if y is None else _numbers(y, len(table.values))
        return _with_target(table, names, target, y, sample_weight)

    @property
    def predict_proba(self):
        """None: hasattr says so."""
        raise AttributeError("a regression has no classes")

    def predict(self, X):
        """The expected target of each row."""
        rows = self._new_rows(X)
        return self.model_.predict_target(rows, threads=self.threads)

    def evaluate(self, X, y, sample_weight=None):
        """Mean squared error and what else `scant evaluate` measures."""
        rows = self._new_rows(X, y, sample_weight=sample_weight)
        return self.model_.evaluate(rows, threads=self.threads)

    def score(self, X, y, sample_weight=None):
        """The share of the target's variance that is predicted (R squared)."""
        y = _numbers(y, len(y))
        left, spread = (np.average((y - of) ** 2, weights=sample_weight)
                        for of in (self.predict(X), np.average(y, weights=sample_weight)))
        return float(1 - left / spread) if spread > 0 else float(left == 0)

    @classmethod
    def of_model(cls, model, **params):
        self = super().of_model(model, **params)
        self.n_features_in_ -= 1  # the target is none
        if "feature_names_in_" in vars(self):
            self.feature_names_in_ = self.feature_names_in_[:-1]
        return self


def _dense(table):
    if table.sparse:
        raise TypeError("A sparse matrix was passed, but dense data is required. Use X.toarray() to convert to a dense array.")
    return table


def _numbers(y, n):
    y = np.asarray(y)
    if y.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{y}")
    y = np.ascontiguousarray(y, dtype=np.float64)
    if y.ndim == 2 and y.shape[1] == 1:
        y = _labels.column(y)
    if y.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    if len(y) != n:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[n, len(y)]}")
    if np.isinf(y).any():
        raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    if np.isnan(y).all():
        raise ValueError("Input y contains NaN in every row.")
    return y


def _with_target(table, names, target, y, sample_weight):
    """Rows whose last column is the target."""
    values = np.ascontiguousarray(np.column_stack([table.values, y]))
    return Rows(Table(values, [*names, target], table.levels), sample_weight=sample_weight)
