"""The risk of a margin classifier from its scores alone."""
import ctypes
import typing
import warnings

import numpy as np

from . import _abi
from ._estimator import DoubtWarning
from ._library import ArgumentError, call, encoded, library, option_text, safe_threads, text
from ._parameters import seed_of
from ._rows import Rows, Table

LOSSES = [text(library.scant_loss_name(loss)) for loss in range(_abi.SCANT_LOSSES)]


class MarginRisk(typing.NamedTuple):
    """An expected loss, estimated without labels: its value, standard error and interval; and what it rests on."""

    loss: str
    value: float
    stderr: float
    low: float
    high: float
    mean: tuple  # of the scores of each class
    sd: tuple
    loglik: float  # of the scores, per unit weight
    share: float  # of rows with a score above 0
    distance: float  # largest gap between the scores' distribution and the fitted one
    normal: bool  # the gap is no more than chance, or too small to matter
    reversed: bool  # the scores are likelier with the classes exchanged


def _warnings(audit):
    said = (ctypes.c_char_p * _abi.SCANT_MARGIN_WARNINGS)()
    return [text(said[i]) for i in range(library.scant_margin_audit_warnings(said, ctypes.byref(audit)))]


def margin_risk(scores, prior, loss="zero-one", *, sample_weight=None, ci=0.95, random_state=None, threads=0):
    """Estimates the expected loss of a classifier from unlabelled scores, as `scant audit --scores` does.

    The classifier answers the second class where its score is above 0. `prior` is the second class's share, or {class:
    share} with the first class first; `loss` is log, hinge, exp or zero-one; `ci` is the level of the interval. Scores
    that are NaN are left out. What speaks against the estimate is a scant.DoubtWarning.
    """
    if loss not in LOSSES:
        raise ArgumentError(f"loss: {loss!r} is not one of {', '.join(LOSSES)}")
    scores = np.ascontiguousarray(scores, dtype=np.float64).reshape(-1, 1)
    rows, found, shares = Rows(Table(scores), sample_weight=sample_weight), _abi.scant_margin_audit(), (ctypes.c_double * 2)()
    call("scant_prior_read_pair", shares, encoded(option_text(prior)))
    call("scant_margin_audit_scores", ctypes.byref(found), rows, 0, shares[1], ci, seed_of(random_state),
         safe_threads(threads))
    for said in _warnings(found):
        warnings.warn(said, DoubtWarning, stacklevel=2)
    risk = found.risk[LOSSES.index(loss)]
    return MarginRisk(loss, risk.value, risk.error, risk.low, risk.high, tuple(found.mean), tuple(found.sd), found.loglik,
                      found.share, found.distance, found.normal, found.reversed)
