"""What the estimators share: rows in, a model kept, questions to it."""
import warnings

import numpy as np

from . import _frames, _labels
from ._compat import BaseEstimator, ConvergenceWarning, NotFittedError
from ._model import Model, class_array, table_for
from ._parameters import seed_of
from ._rows import Rows, table_of, weights_of


class DoubtWarning(UserWarning):
    """The answer rests on little, or on something that the data speak against."""


class Estimator(BaseEstimator):
    """Parameters that are options of the library's, and attributes that a fit leaves."""

    OPTIONS = {}  # {kind of the library's table: {parameter: option}}
    FITTED = None  # an attribute that is there after a fit

    def _check_fitted(self):
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate "
                                 "arguments before using this estimator.")

    def __sklearn_is_fitted__(self):
        return self.FITTED in vars(self)

    def _settings(self, kind):
        """The library's options as the parameters have them."""
        values = {option: getattr(self, name) for name, option in self.OPTIONS[kind].items()}
        if "seed" in values:
            values["seed"] = seed_of(self.random_state)
        return values

    def _how(self):
        return {"callback": self.callback, "verbose": self.verbose > 0}

    def _forget(self):
        """Takes away what an earlier fit left."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)

    def _warn(self):
        """Tells that the fit was cut short."""
        if not self.converged_:
            warnings.warn(f"the fit stopped before it had converged ({self.stop_}); try a larger max_iter or tol",
                          ConvergenceWarning, stacklevel=3)

    def _doubt(self):
        """What is told in words goes to Python's warnings."""
        for said in self.warnings_:
            warnings.warn(said, DoubtWarning, stacklevel=3)


class Supervised:
    """A classifier that needs a y: what scikit-learn may expect, and comparisons with labels."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _more_tags(self):
        return {**super()._more_tags(), "requires_y": True}

    def score(self, X, y, sample_weight=None):
        """The share of rows whose class is predicted as y has it; rows without a label are left out."""
        return self._accuracy(X, y, sample_weight)

    def evaluate(self, X, y, sample_weight=None):
        """Accuracy, balanced accuracy, log-loss, Brier score, calibration error and confusion, as `scant evaluate`.

        `guess` is what always naming one class would do: where it is `better`, the model does not suit the rows.
        """
        return self.model_.evaluate(self._new_rows(X, y, sample_weight=sample_weight), threads=self.threads)


class Modeled(Estimator):
    """A fitted model in `model_`, and what it says of rows. Where it has classes (`classes_`), `predict` names them;
    otherwise it numbers components.
    """

    FITTED = "model_"

    # --- tags: what scikit-learn may expect ---

    def _more_tags(self):
        return {"allow_nan": True, "X_types": ["2darray", "sparse"]}

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.classifier_tags = tags.classifier_tags or ClassifierTags()  # with y, all of them classify
        return tags

    # --- rows in ---

    def _evidence(self, y, context, classes=None):
        """What Rows takes in addition to the cells: labels and class probabilities, under classes that are found or given."""
        y = None if y is None else _labels.column(y)
        if y is not None and y.ndim == 2:
            if context is not None:
                raise ValueError("class probabilities are in y and in context; give them once")
            context, y = y, None
        found = {}
        if y is not None and classes is None:
            found["codes"], classes = _labels.encode(y, self.missing_label)
        elif y is not None:
            found["codes"] = _labels.encode_as(y, classes, self.missing_label)
        if context is not None:
            p, columns = _labels.probabilities(context, classes)
            classes = columns if classes is None else classes
            found.update(context=p, context_classes=columns)
        return {**found, "classes": classes} if found else {}

    def _training_rows(self, X, y, sample_weight, context=None, classes=None):
        """Rows to fit, and the attributes that they give the estimator."""
        evidence = self._evidence(y, context, classes)
        missing = _frames.missing_list(getattr(self, "missing_value", None))
        if hasattr(self, "types") and _frames.is_frame(X) and _frames.needs_guess(X, self.types, missing):
            rows = self._guessed_rows(X, evidence, sample_weight, missing)
            attributes = {"n_features_in_": X.shape[1]}
            names = [str(name) for name in X.columns]
        else:
            table = table_of(X)
            rows = Rows(table, sample_weight=sample_weight, **evidence)
            attributes, names = {"n_features_in_": rows.shape[1]}, table.names
        if names and all(isinstance(name, str) for name in X.columns):
            attributes["feature_names_in_"] = np.array(names, dtype=object)
        if evidence:
            attributes["classes_"] = evidence["classes"]
        return rows, attributes

    def _guessed_rows(self, X, evidence, sample_weight, missing):
        """Rows of a frame whose columns are what the library takes them for."""
        if len(X) == 0 or X.shape[1] == 0:
            table_of(X)  # which has the words for it
        rows = _frames.FrameRows(X, evidence, sample_weight, self.types, missing, **self._reading())
        for words in rows.said:
            warnings.warn(words, DoubtWarning, stacklevel=4)
        return rows

    def _reading(self):
        """How else frames are read."""
        return {}

    def _new_rows(self, X, y=None, context=None, sample_weight=None):
        """Rows to ask the model about; a frame's columns are found by name."""
        self._check_fitted()
        evidence = self._evidence(y, context, getattr(self, "classes_", None))
        named = "feature_names_in_" in vars(self)
        expected = self.model_.expected
        if named and not _frames.is_frame(X) and list(self.feature_names_in_) != expected:
            X = self._named(X)
        if named and _frames.is_frame(X) and not _frames.reads_plainly(self.model_, X):
            absent = [name for name in _frames.sources(self.model_) if name not in map(str, X.columns)]
            if absent:
                raise ValueError(f"column {absent[0]} is not among the frame's ({', '.join(map(str, X.columns))})")
            rows = _frames.FrameRows(X, evidence, sample_weight, model=self.model_)
            for words in rows.said:
                warnings.warn(words, stacklevel=3)
            return rows
        table = table_of(X, expected if named else None, self.model_.levels)
        count = len(expected) if named and _frames.is_frame(X) else self.n_features_in_
        if table.values.shape[1] != count:
            raise ValueError(f"X has {table.values.shape[1]} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input.")
        return Rows(table_for(self.model_, table), sample_weight=sample_weight, **evidence)

    def _named(self, X):
        """An array as the frame that the model was fitted to, whose columns became others."""
        from pandas import DataFrame  # which the frame of the fit was of
        names = list(self.feature_names_in_)
        if X.ndim != 2 or X.shape[1] != len(names):
            raise ValueError(f"X has {X.shape[-1]} features, but {type(self).__name__} is expecting {len(names)} features as "
                             "input.")
        return DataFrame(np.asarray(X), columns=names)

    # --- a fit ---

    def _keep(self, model, attributes):
        """Makes the model the estimator's."""
        self._forget()
        vars(self).update(attributes)
        self.model_ = model
        self._describe(model)

    def _describe(self, model):
        """The attributes that describe the model."""
        raise NotImplementedError

    # --- what the model says ---

    def _accuracy(self, X, y, sample_weight):
        """The share of rows with a label whose class is predicted as y has it."""
        predicted, y = self.predict(X), np.asarray(_labels.column(y))
        known = _labels.is_known(y, self.classes_, self.missing_label)
        if len(y) != len(predicted):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[len(predicted), len(y)]}")
        weight = weights_of(sample_weight, len(y))
        if not (known if weight is None else known & (weight > 0)).any():
            raise ValueError("no row has a label to compare with")
        if _labels.are_names(predicted) != _labels.are_names(y[known]):
            raise ValueError(f"{y[known][0]!r} is not one of the {len(self.classes_)} classes, such as {predicted[0]!r}: "
                             "names and numbers are never the same")
        return float(np.average(predicted[known] == y[known], weights=None if weight is None else weight[known]))

    def _probabilities(self, rows, **options):
        return self.model_.predict(rows, "classes" if hasattr(self, "classes_") else "components",
                                   threads=self.threads, **options)

    def predict_proba(self, X):
        """The probability of each class (of each component where there are no classes) for every row."""
        return self._probabilities(self._new_rows(X))

    def predict(self, X):
        """The likeliest class of each row, or the number of its component where there are no classes."""
        return self._name(self.predict_proba(X))

    def _name(self, probabilities):
        best = probabilities.argmax(axis=1)
        return self.classes_[best] if hasattr(self, "classes_") else best

    # --- files ---

    def save(self, path):
        """Writes the model file that `scant predict` and the other commands take."""
        self._check_fitted()
        self.model_.save(path)

    @classmethod
    def load(cls, path, **params):
        """An estimator with the model of a file, whoever wrote it."""
        return cls.of_model(Model.load(path), **params)

    @classmethod
    def of_model(cls, model, **params):
        """An estimator with this model."""
        self, names = cls(**params), _frames.sources(model)
        attributes = {"n_features_in_": len(names)}
        if names != [f"x{c + 1}" for c in range(len(names))]:
            attributes["feature_names_in_"] = np.array(names, dtype=object)
        if model.classes:
            attributes["classes_"] = class_array(model)
        self._keep(model, attributes)
        return self


class Mixture(Modeled):
    """A mixture in `model_`: components, densities, standard errors."""

    def _settings(self, kind="fit"):
        return super()._settings(kind)

    def _how(self):
        return {**super()._how(), "start": self.model_ if self.warm_start and "model_" in vars(self) else None}

    def _describe(self, model):
        """The attributes that scikit-learn's mixtures have, and some more."""
        summary = model.summary
        self.n_iter_ = max(summary["iterations"], 1)
        self.converged_ = summary["stop"] == "converged"
        self.stop_ = summary["stop"]
        self.lower_bound_ = summary["objective"] / summary["weight"]
        self.coupling_ = model.coupling
        self.weights_ = model.component_weights
        self.unlabeled_ = model.unlabeled
        self.n_parameters_ = summary["parameters"]
        self.warnings_ = model.warnings

    # --- components and densities ---

    def responsibilities(self, X):
        """The probability of each component for every row."""
        return self.model_.predict(self._new_rows(X), "components", threads=self.threads)

    def support(self, X):
        """The share of each row's mass that is on components which saw labels: below 1 the classes are a guess."""
        return self.model_.predict(self._new_rows(X), "support", threads=self.threads)

    def score_samples(self, X):
        """The log density of each row."""
        return self.model_.predict(self._new_rows(X), "loglik", threads=self.threads)

    def sample(self, n_samples=1, random_state=None):
        """Rows drawn from the model, and their classes, or components where there are no classes."""
        self._check_fitted()
        if n_samples < 1:
            raise ValueError(f"Invalid value for 'n_samples': {n_samples} . The sampling requires at least one sample.")
        X, components, classes = self.model_.sample(n_samples, seed_of(random_state))
        return X, self.classes_[classes] if hasattr(self, "classes_") else components

    def _loglik(self, X):
        loglik = self.score_samples(X)
        return loglik.sum(), len(loglik)

    def bic(self, X):
        """The Bayesian information criterion of these rows; smaller is better."""
        loglik, n = self._loglik(X)
        return -2 * loglik + self.n_parameters_ * np.log(n)

    def aic(self, X):
        """Akaike's information criterion of these rows; smaller is better."""
        return -2 * self._loglik(X)[0] + 2 * self.n_parameters_

    # --- how sure it is ---

    def information(self, X, y=None, sample_weight=None, context=None):
        """Standard errors, missing information and EM's rate, from the rows of the fit. They go into `model_` as well.

        Returns a dict with `missing`, `rate`, `digit`, `by` (what standard errors are made of), `coupling` and `factors`, standard errors as the arrays of
        `model_.factors()` are laid out.
        """
        found = self.model_.inform(self._new_rows(X, y, context, sample_weight), self.threads)
        return {**found, "coupling": self.model_.coupling_errors, "factors": [f[3] for f in self.model_.factors()]}
