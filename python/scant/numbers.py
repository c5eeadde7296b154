"""NumberAudit: mean squared errors of predictors of a number, without its values."""
import ctypes

import numpy as np

from . import _abi, _fit
from ._estimator import Estimator
from ._library import call, library, text
from ._model import fields
from ._parameters import parameters_from
from ._rows import Rows, Table, table_of


class Found(_abi.scant_regression):
    """What the library found, freed with it."""

    def __del__(self):
        library.scant_regression_clear(ctypes.byref(self))


def _estimates(found, name):
    """Values, standard errors and intervals."""
    told = np.array([list(fields(getattr(p, name)).values()) for p in found.predictor[:found.npredictors]])
    return told[:, 0], told[:, 1], told[:, 2:]


@parameters_from("regression", without=("truth",), shared=("verbose", "callback"),
                 noise_sd=(None, "regression: known standard deviation of the noise; None: estimated"))
class NumberAudit(Estimator):
    """Estimates the mean squared errors of predictors of a number that is normal with a known mean and standard deviation,
    from their predictions alone (`scant audit --regression`, `--channel`).

    X is a table of items by predictors, in which NaN is a prediction that was not given; `y` in `fit` has the numbers that are
    known, NaN elsewhere. What speaks against the answer is in `warnings_`, and is a scant.DoubtWarning of the fit.

    Attributes
    ----------
    mse_, mse_stderr_, mse_interval_ : mean squared error of each predictor
    theta_, theta_stderr_, theta_interval_ : its parameter; of a regression with its sign
    mirrored_mse_, sign_gap_ : regression: the error if theta had the other sign, and how much that lowers the log-likelihood
    noise_ : regression: standard deviation of each predictor's noise
    answers_, predictors_ : how many predictions each gave, and their names
    independence_ : verdict on whether errors of two predictors are independent, with its numbers
    loglik_, converged_, stop_, warnings_ : of the fit
    """

    FITTED = "mse_"

    def fit(self, X, y=None, sample_weight=None):
        """Audits the predictors. Items of `sample_weight` 2 are two items."""
        table, truth = table_of(X), None
        names = [str(name) for name in table.names or [f"x{c + 1}" for c in range(table.values.shape[1])]]
        values = table.values
        if y is not None:
            truth = "truth"
            while truth in names:
                truth += "_"
            values = np.ascontiguousarray(np.column_stack([values, np.asarray(y, dtype=np.float64)]))
        rows = Rows(Table(values, names + ([truth] if truth else [])), sample_weight=sample_weight)
        settings, found = {**self._settings("regression"), "truth": truth}, Found()
        with _fit.Task("regression", settings, **self._how()) as task:
            if self.noise_sd is not None:
                task.options.struct.noise = self.noise_sd
            call("scant_audit_regression", ctypes.byref(found), rows, task.struct)
        self._forget()
        self._describe(found, names)
        self._warn()
        self._doubt()
        return self

    def _describe(self, found, names):
        self.predictors_, self.n_features_in_ = names, len(names)
        for name, of in (("theta", "theta"), ("mse", "risk")):
            value, error, interval = _estimates(found, of)
            setattr(self, f"{name}_", value)
            setattr(self, f"{name}_stderr_", error)
            setattr(self, f"{name}_interval_", interval)
        of = found.predictor[:found.npredictors]
        self.answers_ = np.array([p.answers for p in of])
        self.mirrored_mse_, self.sign_gap_, self.noise_ = (
            np.array([getattr(p, name) for p in of]) for name in ("mirrored", "gap", "noise"))
        told = found.dependence
        pair = [names[told.first], names[told.second]] if told.pairs else None
        self.independence_ = {**{name: value for name, value in fields(told).items() if name not in ("first", "second")},
                              "verdict": text(library.scant_verdict_name(told.verdict)), "worst": pair}
        self.loglik_ = found.loglik
        self.stop_ = text(library.scant_stop_name(found.stop))
        self.converged_ = self.stop_ == "converged"
        self.warnings_ = [text(said) for said in found.warning[:found.nwarnings]]

    def predict(self, X, return_std=False):
        """The mean of each item's number given all predictions, and with return_std its standard deviation."""
        self._check_fitted()
        values = np.ascontiguousarray(table_of(X).values, dtype=np.float64)
        if values.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {values.shape[1]} features, but NumberAudit is expecting {self.n_features_in_} "
                             "features as input.")
        predictors = (_abi.scant_regression_predictor * len(self.theta_))()
        for c, (predictor, theta, noise) in enumerate(zip(predictors, self.theta_, self.noise_)):
            predictor.column, predictor.theta.value, predictor.noise = c, theta, noise
        model = _abi.scant_regression(npredictors=len(predictors), predictor=predictors)
        model.options.channel, model.options.mean, model.options.sd = self.channel, self.prior_mean or 0, self.prior_sd
        mean, sd = np.empty(len(values)), np.empty(len(values))
        call("scant_regression_combine", mean.ctypes.data, sd.ctypes.data, ctypes.byref(model), Rows(Table(values)))
        return (mean, sd) if return_std else mean
