"""NonnegativeCP: nonnegative factors of tensors of any order; of order 2 it factors matrices."""
import ctypes

import numpy as np

from . import _abi, _fit, _tensor
from ._compat import TransformerMixin
from ._estimator import Estimator
from ._library import Handle, InputError, check, library, text
from ._model import array_of, fields
from ._parameters import parameters_from


class Factors(Handle):
    """The library's factors."""

    FREE = "scant_factors_free"


def _summary(struct):
    """How a factorization went, as a dict."""
    return {**fields(struct), "stop": text(library.scant_stop_name(struct.stop))}


@parameters_from(
    "factor", shared=("warm_start", "verbose", "callback"),
    allow_negative=(False, "set cells below 0 to 0"),
    fix=(None, "{mode: factor}: modes, counted from 0, to keep as they are; all weights are 1 then"))
class NonnegativeCP(TransformerMixin, Estimator):
    """Writes a tensor of nonnegative numbers as a sum of components, each a product of one column a mode (`scant factor`).

    X is an array of any order from 2 on with NaN for missing cells, a SciPy sparse matrix, or a sparse tensor as
    (coordinates, values) or (coordinates, values, shape), with coordinates as numpy.nonzero has them. `rank` is needed: a
    number, or a range "2:6" to compare; the factors are then those of the largest rank whose core consistency is at least
    60 and whose starts agree to 0.9, else of the last. `l1` and `l2` are a number, or one a mode.

    Attributes
    ----------
    factors_ : for each mode an array of its size by rank; columns have length 1
    weights_ : of the components, falling
    rank_, rssr_, loss_, kkt_ : of the fit; rssr is squared residuals over squared data
    core_consistency_, stability_, component_stability_ : NaN where they are not defined
    n_iter_, converged_, stop_, n_vanished_, n_missing_ : of the best start; components of weight 0; cells left out
    trace_ : rssr, loss, kkt and seconds of every iteration, as a record array
    starts_ : how each start ended, as a list of dicts
    sweep_ : with a range of ranks, what was found for each; `best_rank_` is None where none meets the rule
    shape_ : of the tensor
    """

    FITTED = "factors_"

    def _more_tags(self):
        return {"requires_positive_X": not self.allow_negative, "X_types": ["2darray", "sparse"],
                "allow_nan": self.missing == "observed"}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = not self.allow_negative
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "observed"
        return tags

    def fit(self, X, y=None):
        """Factors the tensor."""
        del y
        tensor = self._tensor(X)
        start = self._start(tensor.shape) if self.warm_start and "factors_" in vars(self) else None
        settings, sweep = self._settings("factor"), ":" in str(self.rank)

        def keep(factors):
            self._forget()
            self.shape_, self.n_features_in_ = tensor.shape, tensor.shape[1]
            self._describe(factors)

        with _fit.Task("factor", settings, **self._how()) as task:
            task.options.struct.start, task.options.struct.fixed = start, self._fixed(len(tensor.shape))
            try:
                if sweep:
                    self._sweep(task, tensor, keep)
                else:
                    task.run("scant_factor", Factors, keep, tensor)
            except InputError as error:
                if "negative" in str(error):  # in the words that scikit-learn has for it
                    raise InputError(f"Negative values in data: {error}") from None
                raise
        self._warn()
        return self

    def _tensor(self, X):
        tensor = _tensor.Tensor(X)
        if self.allow_negative:
            library.scant_tensor_clip(tensor)
        return tensor

    def _fixed(self, order):
        fixed = dict(self.fix or {})
        unknown = set(fixed) - set(range(order))
        if unknown:
            raise ValueError(f"fix: there is no mode {min(unknown)}; modes go from 0 to {order - 1}")
        return _tensor.lend([fixed.get(mode) for mode in range(order)]) if fixed else None

    def _start(self, shape):
        """The factors of the last fit, the weights with the first mode."""
        if tuple(len(factor) for factor in self.factors_) != tuple(shape):
            raise ValueError(f"warm_start: the last tensor was of shape {self.shape_}, this one is of {shape}")
        return _tensor.lend([self.factors_[0] * self.weights_, *self.factors_[1:]])

    def _sweep(self, task, tensor, keep):
        out, found = ctypes.c_void_p(), _abi.scant_factor_sweep_result()
        status = library.scant_factor_sweep(ctypes.byref(found), ctypes.byref(out), tensor, task.struct)
        if out:
            keep(Factors(out))
            self.sweep_ = [_summary(one) for one in found.summary[:found.count]]
            self.best_rank_ = self.sweep_[found.best]["rank"] if found.best < found.count else None
        library.scant_factor_sweep_clear(ctypes.byref(found))
        check(status)

    def _describe(self, factors):
        summary = _summary(library.scant_factors_summary(factors).contents)
        rank, order = summary["rank"], summary["order"]
        self.factors_ = [array_of(library.scant_factors_mode(factors, m), (library.scant_factors_size(factors, m), rank))
                         for m in range(order)]
        self.weights_ = array_of(library.scant_factors_weights(factors), rank)
        self.component_stability_ = array_of(library.scant_factors_stability(factors), rank)
        self.rank_, self.rssr_, self.loss_, self.kkt_ = rank, summary["rssr"], summary["loss"], summary["kkt"]
        self.core_consistency_, self.stability_ = summary["core_consistency"], summary["stability"]
        self.n_iter_, self.stop_ = summary["iterations"], summary["stop"]
        self.converged_ = self.stop_ == "converged"
        self.n_vanished_, self.n_missing_ = summary["vanished"], summary["missing"]
        steps = [name for name, _ in _abi.scant_factor_step._fields_]
        trace = array_of(library.scant_factors_trace(factors), (self.n_iter_, len(steps)))
        self.trace_ = np.rec.fromarrays(trace.T, names=steps)
        self.starts_ = [_summary(one) for one in library.scant_factors_starts(factors)[:summary["starts"]]]

    # --- new slices of the first mode ---

    def transform(self, X):
        """Slices of the first mode in terms of the components: the factor of that mode, weights included, that goes best
        with the other modes' as they are."""
        self._check_fitted()
        tensor = self._tensor(X)
        if tensor.shape[1:] != tuple(self.shape_[1:]):
            raise ValueError(f"X has {tensor.shape[1]} features, but {type(self).__name__} is expecting {self.shape_[1]} "
                             f"features as input." if len(self.shape_) == 2 == len(tensor.shape) else
                             f"slices of shape {tensor.shape[1:]}; the factors are of {tuple(self.shape_[1:])}")
        found = []
        settings = {**self._settings("factor"), "rank": self.rank_, "starts": 1, "checkpoint": None}
        with _fit.Task("factor", settings) as task:
            task.options.struct.fixed = _tensor.lend([None, *self.factors_[1:]])
            task.run("scant_factor", Factors, found.append, tensor)
        return array_of(library.scant_factors_mode(found[0], 0), (tensor.shape[0], self.rank_))

    def fit_transform(self, X, y=None):
        """Factors the tensor; the first mode's factor, weights included."""
        del y
        self.fit(X)
        return self.factors_[0] * self.weights_

    def inverse_transform(self, W=None):
        """The tensor that the components make, with W (slices by rank) in place of the first mode; None: all of it."""
        self._check_fitted()
        made = self.factors_[0] * self.weights_ if W is None else np.asarray(W, dtype=np.float64)
        for factor in self.factors_[1:-1]:
            made = made[..., np.newaxis, :] * factor
        return made @ self.factors_[-1].T

    # --- files ---

    def save(self, path):
        """Writes the folder of factors that `scant factor -o` writes and its --start and --fix take."""
        self._check_fitted()
        _tensor.write_factors(path, self.weights_, self.factors_)

    @classmethod
    def load(cls, path, **params):
        """An estimator with the factors of a folder, whoever wrote it."""
        weights, factors = _tensor.read_factors(path)
        self = cls(**{"rank": len(weights), **params})
        self.weights_, self.factors_, self.rank_ = weights, factors, len(weights)
        self.shape_ = tuple(len(factor) for factor in factors)
        self.n_features_in_ = self.shape_[1]
        return self
