"""scant: learning from scant labels.

Estimators follow scikit-learn's conventions and need NumPy only; where scikit-learn is installed they are its own kind.
"""
from . import context
from ._estimator import DoubtWarning
from ._library import ArgumentError, Error, FileError, InputError, UnidentifiedError, version
from ._model import Model
from ._progress import Event
from ._types import guess_types
from .audit import VoteAudit
from .blind import BlindClassifier
from .classifier import MixtureClassifier
from .factor import NonnegativeCP
from .gaussian import GaussianMixture
from .hmm import HMM
from .kfold import SemiSupervisedKFold
from .margin import MarginRisk, margin_risk
from .med import MEDClassifier, MEDRegressor
from .numbers import NumberAudit
from .plan import LabelPlan
from .selector import MixtureSelector
from .stack import Classifier
from .stream import Stream

__version__ = version()
for _error in (ArgumentError, DoubtWarning, Error, FileError, InputError, UnidentifiedError):
    _error.__module__ = __name__  # so that a traceback names what users import
__all__ = ["ArgumentError", "BlindClassifier", "Classifier", "DoubtWarning", "Error", "Event", "FileError",
           "GaussianMixture", "HMM", "InputError", "LabelPlan", "MEDClassifier", "MEDRegressor", "MarginRisk",
           "MixtureClassifier", "MixtureSelector", "Model", "NonnegativeCP", "NumberAudit", "SemiSupervisedKFold", "Stream",
           "UnidentifiedError", "VoteAudit", "context",
           "guess_types", "margin_risk"]
