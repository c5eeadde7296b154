"""Classifier: the best classifier from few labels, a stack of different members."""
import warnings

from . import _fit
from ._compat import ClassifierMixin, ConvergenceWarning
from ._estimator import Modeled, Supervised
from ._model import Model
from ._parameters import OF_FRAMES, parameters_from


@parameters_from("train", shared=(*OF_FRAMES, "missing_label", "verbose", "callback"))
class Classifier(Supervised, ClassifierMixin, Modeled):
    """The best classifier from few labels (`scant train`): several methods, weighed by labels that were held out.

    y holds labels; rows whose label is None, NaN, NA or an empty text (or -1 among non-negative integers) help as the
    unlabeled rows they are. y may also be an (n, K) matrix of class probabilities. Columns of
    a frame are what `scant check` takes them for (numbers, categories, dates, texts; identifiers are left out; `types` says
    otherwise); those of an array are numbers. Cells may be missing. What speaks against the answer is in `warnings_`, and is a scant.DoubtWarning of the fit.

    Attributes
    ----------
    classes_ : the classes
    accuracy_, accuracy_interval_ : expected on rows like the unlabeled ones, and its 90 % interval; NaN where nothing could be
        held out
    log_loss_ : likewise
    baselines_ : accuracy of simpler answers: majority (class), labeled_only (the stack without members that use unlabeled
        rows), logistic (regression)
    members_ : (name, weight) of each method in the stack, the heaviest first
    gain_ : in accuracy, expected of one more label in each class
    held_out_, folds_ : labels that were held out once, and in how many parts
    next_rows_ : unlabeled rows that are most worth a label, counted from 0
    converged_, stop_, warnings_, model_ : whether and how training ended; the scant.Model, which `save` writes
    """

    def fit(self, X, y, sample_weight=None):
        """Trains on the rows, labeled and unlabeled."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        rows, attributes = self._training_rows(X, y, sample_weight)
        with _fit.Task("train", self._settings("train"), **self._how()) as task:
            task.run("scant_train", Model, lambda model: self._keep(model, attributes), rows)
        self._warn()
        self._doubt()
        return self

    def _reading(self):
        return {"keep_text": True}

    def _keep(self, model, attributes):
        if model.headline is None:
            raise ValueError("not a stack of scant train; MixtureClassifier or Model will take it")
        super()._keep(model, attributes)

    def _describe(self, model):
        headline = model.headline
        for name in ("accuracy", "log_loss", "gain", "held_out", "folds", "members", "baselines", "accuracy_interval",
                     "next_rows"):
            setattr(self, f"{name}_", headline[name])
        self.stop_ = model.summary["stop"]
        self.converged_ = self.stop_ == "converged"
        self.warnings_ = model.warnings

    def _warn(self):
        if not self.converged_:
            warnings.warn(f"training stopped early ({self.stop_}); members that were not done are left out",
                          ConvergenceWarning, stacklevel=3)

    def predict_proba(self, X, prior=None):
        """The probability of each class for every row. `prior` is the classes' shares among these rows where they differ
        from the training labels'."""
        return self._probabilities(self._new_rows(X), prior=self.model_.shares(prior))

    def predict(self, X, prior=None):
        """The likeliest class of each row."""
        return self._name(self.predict_proba(X, prior))

    # --- before trusting it ---

    def cross_validate(self, X, y, sample_weight=None, folds=5, supervised=False):
        """Held-out accuracy and log-loss of what is trained as this was, as `scant cv`: rows without a label stay in training,
        unless `supervised` leaves them out."""
        rows = self._new_rows(X, y, sample_weight=sample_weight)
        return _fit.cross_validate_model(self.model_, rows, folds, supervised, self.time_limit or 0, self.threads or 0,
                                         **self._how())
