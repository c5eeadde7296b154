"""MixtureClassifier: every family and coupling of scant's, with labels for some of the rows."""
import numpy as np

from . import _fit, _labels
from ._compat import ClassifierMixin
from ._estimator import Mixture, Supervised
from ._library import option_table
from ._parameters import OF_FRAMES, SHARED, parameters_from
from ._rows import Rows, Table, weights_of
from .stream import Stream


FOLDS = 5  # of the comparison with the labeled rows alone


@parameters_from("fit", "stream", without=("target", "budget_ms", "refit", "transitions"), shared=(*OF_FRAMES, *SHARED),
                 keep=(False, "use unlabeled rows even where the labeled ones alone do better on held-out labels"))
class MixtureClassifier(Supervised, ClassifierMixin, Mixture):
    """A classifier by a mixture in which components belong to classes, or are shared by them.

    y holds labels; rows whose label is None, NaN, NA (or -1 among non-negative integers) help as the unlabelled rows
    they are. y may also be an (n, K) matrix of class probabilities. `context` in `fit` and `predict` has such
    probabilities in addition to the labels. Options that name files on the command line take arrays as well.
    """

    def _settings_for(self, classes):
        """The options of the fit; shares go by the classes' names."""
        names, settings = _labels.names_of(classes), self._settings()
        if np.ndim(settings["prior"]) == 1:
            settings["prior"] = dict(zip(names, map(float, settings["prior"])))
        if isinstance(settings["family"], dict):
            settings["family"] = [f"{family}:{column}" for family, columns in settings["family"].items()
                                  for column in ([columns] if isinstance(columns, str) else columns)]
        return settings

    def _reading(self):
        usual = option_table("fit")
        said = any(getattr(self, name) != usual[name].default() for name in ("family", "covariance"))
        return {"numbers_stay": said or (self.warm_start and "model_" in vars(self))}

    def fit(self, X, y, sample_weight=None, context=None):
        """Fits the mixture to X and to what y and context say of the rows' classes."""
        return self._fit(X, y, sample_weight, context)

    def _fit(self, X, y, sample_weight, context, classes=None):
        if y is None and context is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None; a mixture "
                             "without labels is GaussianMixture's")
        rows, attributes = self._training_rows(X, y, sample_weight, context, classes)
        _fit.fit_safe(rows, self._settings_for(attributes["classes_"]), self.keep, FOLDS,
                      lambda model: self._keep(model, attributes), **self._how())
        self._warn()
        self._doubt()
        return self

    def _keep(self, model, attributes):
        vars(self).pop("_stream", None)  # it followed the model before
        super()._keep(model, attributes)

    # --- questions ---

    def predict_proba(self, X, context=None, prior=None):
        """The probability of each class for every row. `context` has what else is known of the rows, a probability a
        class; `prior` is the classes' shares among these rows where they differ from the training rows'.
        """
        rows = self._new_rows(X, context=context)
        return self._probabilities(rows, prior=self.model_.shares(prior), use_labels=context is not None,
                                   replace=self.context_mode == "prior")

    def predict(self, X, context=None, prior=None):
        """The likeliest class of each row."""
        return self._name(self.predict_proba(X, context, prior))

    # --- before trusting it ---

    def cross_validate(self, X, y, sample_weight=None, context=None, folds=5, supervised=False):
        """Held-out accuracy, log-loss and log-likelihood, as `scant cv`: unlabelled rows stay in training."""
        return self._ask(_fit.cross_validate, X, y, sample_weight, context, folds=folds, supervised=supervised)

    def compare(self, X, y, sample_weight=None, context=None, folds=5):
        """Whether unlabelled rows help: held-out accuracies with them and without, and the error of the difference."""
        return self._ask(_fit.compare, X, y, sample_weight, context, folds=folds)

    def _ask(self, question, X, y, sample_weight, context, **more):
        rows, attributes = self._training_rows(X, y, sample_weight, context)
        return question(rows, self._settings_for(attributes["classes_"]), **more, **self._how())

    # --- rows that come one after the other ---

    def partial_fit(self, X, y=None, classes=None, sample_weight=None):
        """The first rows are fitted; each one after them takes the place of the oldest in the `window` and the model
        follows (`scant stream`). `classes`: all that will come, where the first rows lack some.
        """
        if "model_" not in vars(self):
            return self._fit(X, y, sample_weight, None, None if classes is None else np.asarray(classes))
        if "_stream" not in vars(self):
            self._stream = Stream(self.model_, **self._stream_settings())
        rows = self._new_rows(X, y, None, sample_weight)  # checked as a whole before the first is learned
        known = {"codes": np.full(rows.shape[0], -1), "classes": self.classes_, **self._evidence(y, None, self.classes_)}
        weight = weights_of(sample_weight, rows.shape[0])
        known["sample_weight"] = np.ones(rows.shape[0]) if weight is None else weight
        for i in np.flatnonzero(known["sample_weight"]):  # a row of weight 0 is none
            one = Table(rows.table.values[i:i + 1], rows.table.names, rows.table.levels)
            self._stream.learn(Rows(one, **{name: value if name in ("classes", "context_classes") else value[i:i + 1]
                                            for name, value in known.items()}))
        self.model_ = self._stream.model
        self._describe(self.model_)
        return self

    def _stream_settings(self):
        return {**self._settings("stream"), "context_mode": self.context_mode, "threads": self.threads}
