"""scikit-learn where it is there, and as much of its base classes as the estimators need where it is not."""
import inspect

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, DensityMixin, RegressorMixin, TransformerMixin
    from sklearn.exceptions import ConvergenceWarning, NotFittedError
except ImportError:

    class BaseEstimator:
        """Parameters by the names of __init__."""

        @classmethod
        def _get_param_names(cls):
            return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

        def get_params(self, deep=True):
            del deep
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params):
            for name, value in params.items():
                if name not in self._get_param_names():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self}.")
                setattr(self, name, value)
            return self

        def __repr__(self):
            defaults = inspect.signature(type(self).__init__).parameters
            said = [f"{name}={value!r}" for name, value in self.get_params().items()
                    if value is not defaults[name].default]
            return f"{type(self).__name__}({', '.join(said)})"

    class ClassifierMixin:
        """Nothing: scant's classifier has a score of its own."""

    class DensityMixin:
        """Likewise."""

    class RegressorMixin:
        """Likewise."""

    class TransformerMixin:
        """Likewise."""

    class ConvergenceWarning(UserWarning):
        """The fit ended before it had converged."""

    class NotFittedError(ValueError, AttributeError):
        """The estimator was asked before it was fitted."""
