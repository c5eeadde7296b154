"""scant: learning from scant labels.

Estimators follow scikit-learn's conventions and need NumPy only; where scikit-learn is installed they are its own kind.
"""
from . import context
from ._library import ArgumentError, Error, FileError, InputError, UnidentifiedError, version
from ._model import Model
from ._progress import Event
from .classifier import MixtureClassifier
from .gaussian import GaussianMixture
from .kfold import SemiSupervisedKFold
from .selector import MixtureSelector
from .stream import Stream

__version__ = version()
__all__ = ["ArgumentError", "Error", "Event", "FileError", "GaussianMixture", "InputError", "MixtureClassifier",
           "MixtureSelector", "Model", "SemiSupervisedKFold", "Stream", "UnidentifiedError", "context"]
