"""VoteAudit: how good predictors are, from their answers alone."""
import ctypes

import numpy as np

from . import _abi, _fit, _labels, _votes
from ._estimator import Estimator
from ._library import Handle, call, library, option_text, text
from ._model import array_of, fields
from ._parameters import parameters_from

VALUE, STDERR, INTERVAL = 0, 1, slice(2, 4)  # of a scant_estimate, four numbers


class Audit(Handle):
    """The library's audit."""

    FREE = "scant_audit_free"


def _estimate(estimate):
    return list(fields(estimate).values())


def _told(struct):
    """A verdict with its numbers."""
    return {**fields(struct), "verdict": text(library.scant_verdict_name(struct.verdict))}


@parameters_from(
    "audit", shared=("missing_label", "verbose", "callback"),
    long=(False, "a row a vote: item, worker, label; else a row an item and a column a predictor"),
    item=(None, "with long: column of items (item, task)"),
    worker=(None, "with long: column of predictors (worker, annotator)"),
    answer=(None, "with long: column of answers (label, answer)"))
class VoteAudit(Estimator):
    """Estimates how often each predictor errs, and in favour of which classes, without labels (`scant audit`).

    Votes are a table of items by predictors, an array or a frame, in which None, NaN and NA are answers that were not
    given; with long=True a frame with a row a vote, or its three columns as sequences. A frame with columns item, worker
    and label (or called as `scant audit --long` looks for them) is taken for a long one anyway. `prior` may be a dict or an array.
    What the answers cannot tell is a scant.UnidentifiedError; what speaks against the answer is in `warnings_`, and is a
    scant.DoubtWarning of the fit.

    Attributes
    ----------
    classes_, predictors_, items_ : what the votes name; items in the order in which the votes first speak of them
    error_, error_stderr_, error_interval_ : P(answer is not the class) of each predictor; NaN: not known
    confusion_, confusion_stderr_, confusion_interval_ : P(answer a | class k) at [predictor, k, a]
    wrong_, wrong_interval_, answers_ : share of wrong ones among the answers given, and how many were given
    prior_, prior_stderr_, prior_interval_, prior_estimated_ : shares of the classes
    independence_, symmetry_ : verdicts on what the answer rests on, with their numbers
    loglik_, n_parameters_, n_iter_, converged_, stop_, warnings_ : of the fit
    model_ : symmetric, confusion, loglinear or rules, as it was used
    """

    FITTED = "error_"

    # --- votes in ---

    def _cells(self, votes, truth):
        if self.long or _votes.looks_long(votes):
            return _votes.long(votes, truth, item=self.item, worker=self.worker, answer=self.answer)
        return _votes.wide(votes, truth)

    def _classes(self, cells):
        """Those that answers, truth and a prior by name speak of."""
        words = cells.words()
        if isinstance(self.prior, dict):
            words = np.concatenate([words.astype(object), np.array(list(self.prior), dtype=object)])
        return _labels.encode(words, self.missing_label)[1]

    def _known(self, votes, truth, sample_weight=None):
        """Votes about the classes and of the predictors that were audited."""
        self._check_fitted()
        cells = self._cells(votes, truth)
        if not cells.named and len(cells.predictors) != len(self.predictors_):
            raise ValueError(f"votes of {len(cells.predictors)} predictors; {len(self.predictors_)} were audited")
        if not cells.named:
            cells = cells._replace(predictors=self.predictors_)
        return _votes.coded(cells, self.classes_, self.missing_label, sample_weight)

    # --- a fit ---

    def fit(self, votes, truth=None, sample_weight=None):
        """Audits the predictors. `truth` has the classes of items where they are known, one an item (with long=True
        {item: class}), or names a frame's column; it is evidence. Items of `sample_weight` 2 are two items.
        """
        cells = self._cells(votes, truth)
        classes = self._classes(cells)
        said = _votes.coded(cells, classes, self.missing_label, sample_weight)
        self._forget()
        self.classes_, self.predictors_, self.items_ = classes, cells.predictors, cells.came_in(cells.items)
        self._numbered = cells.items
        self._seen, self._audit = [said], None
        self._run(self._settings("audit"), self._how())
        self._warn()
        self._doubt()
        return self

    def _settings(self, kind):
        prior = self.prior
        return {**super()._settings(kind), "prior": list(map(float, prior)) if np.ndim(prior) == 1 else prior}

    def _run(self, settings, how):
        """Audits the first votes that were seen, then those that came later."""
        def keep(audit):
            self._audit = audit
            for later in self._seen[1:]:
                call("scant_audit_update", audit, _votes.Votes(later, self.classes_))
            self._describe(audit)

        with _fit.Task("audit", settings, **how) as task:
            task.run("scant_audit_votes", Audit, keep, _votes.Votes(self._seen[0], self.classes_))

    def _describe(self, audit):
        summary, l = library.scant_audit_summarise(audit).contents, len(self.classes_)
        judged = [library.scant_audit_predictor_at(audit, c).contents for c in range(len(self.predictors_))]
        error = np.array([_estimate(p.error) for p in judged])
        confusion = np.stack([array_of(p.confusion, (l, l, 4)) for p in judged])
        prior = array_of(summary.prior, (l, 4))
        for name, found in (("error", error), ("confusion", confusion), ("prior", prior)):
            setattr(self, f"{name}_", found[..., VALUE])
            setattr(self, f"{name}_stderr_", found[..., STDERR])
            setattr(self, f"{name}_interval_", found[..., INTERVAL])
        wrong = np.array([_estimate(p.wrong) for p in judged])
        self.wrong_, self.wrong_interval_ = wrong[:, VALUE], wrong[:, INTERVAL]
        self.answers_ = np.array([p.answers for p in judged])
        self.prior_estimated_ = summary.prior_estimated
        self.independence_ = self._dependence(summary.dependence)
        self.symmetry_ = _told(summary.symmetry)
        self.loglik_, self.n_parameters_, self.n_iter_ = summary.loglik, summary.parameters, summary.iterations
        self.stop_ = text(library.scant_stop_name(summary.stop))
        self.converged_ = self.stop_ == "converged"
        self.model_ = text(summary.model)
        self.warnings_ = [text(said) for said in summary.warning[:summary.nwarnings]]

    def _dependence(self, struct):
        found = _told(struct)
        pair = [self.predictors_[found.pop(name)] for name in ("first", "second")]
        return {**found, "worst": pair if found["pairs"] else None}

    # --- copies: the library's audit is made again from the votes where it is needed ---

    def __getstate__(self):
        return {name: value for name, value in super().__getstate__().items() if name != "_audit"}

    def _handle(self):
        self._check_fitted()
        if vars(self).get("_audit") is None:
            settings = self._settings("audit")
            if not self.converged_:
                settings.update(max_iter=self.n_iter_, time_limit=0.0)  # as far as it had come
            self._run(settings, {})
        return self._audit

    # --- using the answer ---

    def predict_proba(self, votes, truth=None, return_items=False):
        """P(class | all answers) of each item, in the order in which the votes first speak of it. Items may be new;
        predictors that were not audited do not count. With return_items the items come behind the probabilities."""
        said = self._known(votes, truth)
        p = np.empty((said.nitems, len(self.classes_)))
        call("scant_audit_combine", p.ctypes.data, self._handle(), _votes.Votes(said, self.classes_))
        cells = self._cells(votes, truth)
        p = cells.came_in(p)
        return (p, cells.came_in(cells.items)) if return_items else p

    def predict(self, votes, truth=None, return_items=False):
        """The likeliest class of each item by all predictors together; with return_items, and the items."""
        p, items = self.predict_proba(votes, truth, return_items=True)
        best = self.classes_[p.argmax(axis=1)]
        return (best, items) if return_items else best

    def fit_predict(self, votes, truth=None):
        """Audits, and tells the items' classes."""
        return self.fit(votes, truth).predict(votes, truth)

    def partial_fit(self, votes, truth=None, sample_weight=None):
        """The first votes are audited; later ones, about further items, move the error rates on without a new fit.
        Standard errors and intervals are NaN from then on, until `fit` has seen all votes."""
        if "error_" not in vars(self):
            return self.fit(votes, truth, sample_weight)
        said, audit = self._known(votes, truth, sample_weight), self._handle()
        call("scant_audit_update", audit, _votes.Votes(said, self.classes_))
        self._seen.append(said)
        self._describe(audit)
        return self

    def ask(self, count, cost=None):
        """The answers not yet given, about the items of the fit, that tell most of their items' classes for their cost,
        best first: a list of dicts with item, predictor, bits, cost and worth. `cost` has {predictor: cost}, 1 if not
        said.
        """
        audit, cost = self._handle(), dict(cost or {})
        unknown = set(cost) - set(self.predictors_)
        if unknown:
            raise ValueError(f"cost: no predictor is called {min(unknown)!r}")
        prices = np.array([cost.get(name, 1) for name in self.predictors_], dtype=np.float64)
        found, n = (_abi.scant_ask * count)(), ctypes.c_size_t(count)
        call("scant_audit_ask", found, ctypes.byref(n), audit, _votes.Votes(self._seen[0], self.classes_),
             prices.ctypes.data)
        return [{"item": self._numbered[one.item], "predictor": self.predictors_[one.predictor], "bits": one.gain,
                 "cost": one.cost, "worth": one.worth} for one in found[:n.value]]
