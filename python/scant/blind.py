"""BlindClassifier: a linear classifier from unlabelled rows and the proportions of two classes."""
import numpy as np

from . import _fit
from ._compat import ClassifierMixin
from ._estimator import Mixture
from ._library import InputError
from ._model import Model, class_array
from ._parameters import parameters_from


def _complete(rows):
    """The rows, if no cell is missing: a score needs every column."""
    values = rows.table.values.data if rows.table.sparse else rows.table.values
    if np.isnan(values).any():
        raise ValueError("Input X contains NaN: a score needs every column.")
    return rows


@parameters_from("blind", shared=("missing_label", "verbose", "callback"))
class BlindClassifier(ClassifierMixin, Mixture):
    """A linear classifier that is trained without labels (`scant blind`).

    It minimises an estimate of its expected loss that takes nothing but rows and the proportions of two classes, which
    must differ. `prior` is needed: the second class's share, or {class: share}, which also names the classes. A y that is
    given names them as well, and is not looked at otherwise. What speaks against the answer is in `warnings_`, and is a
    scant.DoubtWarning of the fit.

    Attributes
    ----------
    classes_ : the two classes; the second is answered where the score is above 0
    coef_, intercept_ : of the score, (1, columns) and (1,)
    error_estimate_, risk_estimate_ : shares of wrong answers and expected loss, estimated without labels from rows that
        were held out; NaN where a check speaks against them, which is in `warnings_`
    error_interval_ : its 95 % interval; NaN: no rows could be held out, and both are too low
    likeliest_share_ : of the second class, as the held-out scores fit best: far from `prior`, one of them is wrong
    share_ : of training rows that are answered with the second class
    distance_ : largest gap between the scores' distribution and two normals
    objective_ : what was minimised: the risk and the penalties
    n_iter_, converged_, stop_, warnings_, model_ : of the best start; the scant.Model, which `save` writes
    """

    def _more_tags(self):
        return {**super()._more_tags(), "allow_nan": False, "binary_only": True, "poor_score": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags

    def _training_rows(self, X, *known):
        rows, attributes = super()._training_rows(X, *known)
        count = len(attributes.get("classes_", ()))
        if count > 2:
            raise InputError(f"Only binary classification is supported. y has {count} classes.")
        return _complete(rows), attributes

    def _new_rows(self, X, *known, **named):
        return _complete(super()._new_rows(X, *known, **named))

    def fit(self, X, y=None, sample_weight=None):
        """Trains on the rows; labels, if there are any, name the classes."""
        rows, attributes = self._training_rows(X, y, sample_weight)
        with _fit.Task("blind", self._settings("blind"), callback=self.callback, verbose=self.verbose > 0) as task:
            task.run("scant_blind", Model, lambda model: self._keep(model, attributes), rows)
        self._warn()
        self._doubt()
        return self

    def _keep(self, model, attributes):
        if model.score is None:
            raise ValueError("not a linear classifier of scant blind; MixtureClassifier or Model will take it")
        super()._keep(model, {"classes_": class_array(model), **attributes})

    def _describe(self, model):
        summary, score = model.summary, model.score
        self.n_iter_ = max(summary["iterations"], 1)
        self.stop_ = summary["stop"]
        self.converged_ = self.stop_ == "converged"
        self.objective_ = -summary["objective"]
        self.coef_ = score["weight"][np.newaxis]
        self.intercept_ = np.array([score["offset"]])
        self.error_estimate_, self.risk_estimate_ = score["error"], score["risk"]
        self.error_interval_ = (score["error_low"], score["error_high"])
        self.likeliest_share_ = score["likeliest"]
        self.share_, self.distance_ = score["share"], score["distance"]
        self.warnings_ = model.warnings

    def decision_function(self, X):
        """The score of each row; above 0 it is the second class's."""
        values = self._new_rows(X).table.values
        return np.asarray(values @ self.coef_[0]).ravel() + self.intercept_[0]

    def score(self, X, y, sample_weight=None):
        """The share of rows whose class is predicted as y has it; rows without a label are left out."""
        return self._accuracy(X, y, sample_weight)
