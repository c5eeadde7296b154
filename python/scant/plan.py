"""LabelPlan: what labels are worth, how many to buy, and which."""
import ctypes
import itertools
import os
import warnings

import numpy as np

from . import _abi, _fit
from ._compat import NotFittedError
from ._estimator import DoubtWarning, Estimator, Mixture
from ._library import ArgumentError, Handle, call, library, text
from ._model import Model, array_of, fields
from ._parameters import parameters_from
from .classifier import MixtureClassifier
from .stack import Classifier

QUESTIONS = {"budget": _abi.SCANT_PLAN_BUDGET, "target_error": _abi.SCANT_PLAN_TARGET, "trade": _abi.SCANT_PLAN_TRADE}
METHODS = {_abi.SCANT_PLAN_BY_MODEL: "model", _abi.SCANT_PLAN_BY_CURVE: "curve"}
CURVE = ("asymptote", "factor", "power", "measured", "measured_error", "by_model", "by_curve")


class Plan(Handle):
    """The library's plan."""

    FREE = "scant_plan_free"


def _point(struct):
    """A place of the plane that plans move in; `labels_interval` is of answers to a target, else None."""
    found = fields(struct)
    low, high = found.pop("labels_low"), found.pop("labels_high")
    return {**found, "labels_interval": None if np.isnan(low) else (low, high)}


@parameters_from(
    "plan", shared=("verbose", "callback"),
    pilot=(None, "a MixtureClassifier or Classifier, one that is not fitted yet is fitted to X and y; a scant.Model or the path "
           "of one, fitted to these rows; None: a MixtureClassifier as it comes"),
    budget=(None, "the least error that further labels and rows of this cost can buy"),
    target_error=(None, "the least cost that brings the error down to this"),
    trade=(None, "the least of cost + this times error"))
class LabelPlan(Estimator):
    """Says from a pilot how the error falls with further labels and rows, and answers one question (`scant plan`).

    The pilot is a classifier with the rows it was fitted to, some of them labelled. Say one of budget, target_error and
    trade, or none to ask later by `answer`. `cost` may be a dict. What is at hand costs nothing. A pilot that is too
    small to plan from is a scant.DoubtWarning, and `why_` tells the reason; so are rows that are not those of the pilot's
    fit, and `rows` that no plan can buy. Half a plan is none: a callback that ends the
    work raises KeyboardInterrupt.

    Attributes
    ----------
    labels_, rows_, cost_, error_, error_interval_ : the answer: labels and rows in all, their cost, and the error forecast
        with its 95 % interval
    labels_interval_ : of a target: labels at the ends of the interval, infinity where none are enough; else None
    next_rows_, chosen_error_, random_error_ : rows to label next, best first, counted from 0; the error forecast with
        them, and with as many by chance
    now_ : a dict of the same numbers for the pilot as it is
    gain_ : information that each row's label is expected to bring, in nats; NaN where it has one
    limit_, limit_stderr_ : the error if parameters were known
    excess_, drawn_excess_, unlabeled_worth_, method_, curve_, too_small_, why_ : as docs/plan.md has them; of a Classifier the
        curve is all there is, and what is of parameters is NaN
    pilot_ : the fitted classifier
    """

    FITTED = "now_"

    def fit(self, X, y, sample_weight=None):
        """Looks ahead from the rows of the pilot and their labels, exact or absent; then answers what was asked."""
        question = {name: getattr(self, name) for name in QUESTIONS if getattr(self, name) is not None}
        pilot = self._fitted_pilot(X, y, sample_weight)
        rows = pilot._new_rows(X, y, sample_weight=sample_weight)
        self._forget()
        self.pilot_, self._plan = pilot, None
        with _fit.Task("plan", self._settings("plan"), **self._how()) as task:
            task.run("scant_plan_new", Plan, self._describe, pilot.model_, rows)
        if question:
            self._answered(self.answer(**question))
        for words in self._warnings:
            warnings.warn(words, DoubtWarning, stacklevel=2)
        return self

    def _fitted_pilot(self, X, y, sample_weight):
        pilot = MixtureClassifier() if self.pilot is None else self.pilot
        if isinstance(pilot, (str, os.PathLike)):
            pilot = Model.load(pilot)
        if isinstance(pilot, Model):
            return (Classifier if pilot.headline else MixtureClassifier).of_model(pilot)
        if not isinstance(pilot, (Mixture, Classifier)):
            raise ArgumentError(f"pilot: {pilot!r} is neither a scant classifier nor a scant.Model or the path of one")
        if pilot.__sklearn_is_fitted__():
            return pilot
        settings = pilot.get_params()
        if settings.get("unlabeled_weight") == "auto":  # a plan is of the likelihood of all rows
            settings.update(unlabeled_weight=1, keep=True)
        return type(pilot)(**settings).fit(X, y, sample_weight=sample_weight)

    def _describe(self, plan):
        self._plan, told = plan, fields(library.scant_plan_told(plan).contents)
        self._counts = told["rows"], told["labeled"]
        self.now_ = self.forecast(told["labeled"], told["rows"])
        self.gain_ = array_of(library.scant_plan_gains(plan), told["rows"])
        self.limit_, self.limit_stderr_ = told["limit"], told["limit_error"]
        self.excess_, self.drawn_excess_ = told["excess"], told["drawn_excess"]
        self.unlabeled_worth_ = told["unlabeled_worth"]
        self.n_parameters_ = told["parameters"]
        self.method_ = METHODS[told["method"]]
        self.curve_ = {name: told[name] for name in CURVE} if told["curve"] else None
        self.too_small_, self.why_ = told["too_small"], text(told["why"])
        index = itertools.count()
        self._warnings = [text(words) for words in iter(lambda: library.scant_plan_warning(plan, next(index)), None)]

    def _answered(self, point):
        self.labels_, self.rows_, self.cost_ = point["labels"], point["rows"], point["cost"]
        self.error_, self.error_interval_ = point["error"], (point["low"], point["high"])
        self.labels_interval_ = point["labels_interval"]
        rows, labeled = self._counts
        self.next_rows_, self.chosen_error_, self.random_error_ = self.choose(min(self.labels_, rows) - labeled)

    # --- further questions ---

    def _asked(self):
        if vars(self).get("_plan") is None:
            raise NotFittedError("the plan is not made yet, or it is a copy, which has its answers but takes no further "
                                 "questions: fit it")
        return self._plan

    def __getstate__(self):
        return {name: value for name, value in super().__getstate__().items() if name != "_plan"}

    def forecast(self, labels, rows=None):
        """The error with so many labels and rows in all, as a dict with cost, error, low and high; None: rows at hand."""
        point = _abi.scant_plan_point()
        plan = self._asked()
        library.scant_plan_forecast(ctypes.byref(point), plan, labels, self._counts[0] if rows is None else rows)
        return _point(point)

    def answer(self, budget=None, target_error=None, trade=None):
        """One of the three questions, answered with a dict of labels, rows, cost, error, low, high, labels_interval."""
        asked = {name: value for name, value in (("budget", budget), ("target_error", target_error), ("trade", trade))
                 if value is not None}
        if len(asked) != 1:
            raise ArgumentError("one of budget, target_error and trade is needed: what is to be planned")
        (name, amount), point = asked.popitem(), _abi.scant_plan_point()
        call("scant_plan_answer", ctypes.byref(point), self._asked(), QUESTIONS[name], amount)
        return _point(point)

    def choose(self, count):
        """The rows to label next: (their numbers, best first; the error forecast with them; with as many by chance)."""
        index, chosen, plan = np.empty(count, dtype=np.uintp), _abi.scant_plan_choice(), self._asked()
        if count == 0:
            return index.astype(np.intp), float("nan"), float("nan")
        call("scant_plan_choose", ctypes.byref(chosen), plan, count, index.ctypes.data)
        return index[:chosen.count].astype(np.intp), chosen.chosen, chosen.random
