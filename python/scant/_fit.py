"""Fitting, selecting and cross-validating: the library's calls with Python's callbacks and interrupts."""
import ctypes

from . import _abi
from ._library import Options, check, encoded, library, text
from ._model import Model, fields
from ._progress import Watch


class Task(Watch):
    """A call of the library with the options of its kind, watched: `struct` is what the call takes."""

    def __init__(self, kind, settings, callback=None, verbose=False):
        super().__init__(callback, verbose)
        self.options = Options(kind, settings)
        self.options.run.progress = self.function

    @property
    def struct(self):
        """Made anew for each call: kept, a reference to the struct would keep the task in a cycle."""
        return ctypes.byref(self.options.struct)

    def run(self, name, made, keep, *arguments):
        """What the function makes of the arguments goes to `keep` as a `made`, also where the work was interrupted: that
        is raised when the task is left."""
        out = ctypes.c_void_p()
        status = getattr(library, name)(ctypes.byref(out), *arguments, self.struct)
        if out:
            keep(made(out))
        check(status)


class Fit(Task):
    """A task with the options of a fit, from a start."""

    def __init__(self, settings, start=None, **how):
        super().__init__("fit", settings, **how)
        self.start = start  # which the struct borrows
        self.options.run.start = start.pointer if start else None


def fit(rows, settings, keep, **how):
    """A model of the rows goes to `keep`."""
    with Fit(settings, **how) as task:
        task.run("scant_fit", Model, keep, rows)


def fit_safe(rows, settings, keep_unlabeled, folds, keep, **how):
    """The same, where the weight of unlabeled rows is held against held-out labels."""
    with Fit(settings, **how) as task:
        out = ctypes.c_void_p()
        status = library.scant_fit_safe(ctypes.byref(out), None, None, rows, task.struct, keep_unlabeled, folds)
        if out:
            keep(Model(out))
        check(status)


def _candidate(c):
    """A candidate of a selection as a dict of what was tried and how it went."""
    numbers = fields(c.summary) if not c.failed else {}
    return {"components": text(c.components), "covariance": text(c.covariance), "failed": c.failed,
            "why": text(c.why), "healthy": c.healthy, "score": c.score, "cv_loglik": c.cv_loglik,
            "cv_error": c.cv_error, **{name: numbers.get(name, float("nan")) for name in
                                       ("loglik", "bic", "icl", "aic", "parameters", "iterations")}}


def select(rows, settings, components, covariances, by, folds, keep, **how):
    """The best model and what was tried go to keep(model, candidates, index of the best)."""
    with Fit(settings, **how) as task:
        out, best = ctypes.c_void_p(), _abi.scant_selection()
        status = library.scant_select(ctypes.byref(best), ctypes.byref(out), rows, task.struct, encoded(components),
                                      encoded(covariances), encoded(by), folds)
        if out:
            keep(Model(out), [_candidate(c) for c in best.candidate[:best.ncandidates]], best.best)
        library.scant_selection_clear(ctypes.byref(best))
        check(status)


def _fold(fold):
    found = fields(fold.evaluation)
    del found["confusion"]
    return {**found, "stop": text(library.scant_stop_name(fold.stop)), "train_rows": fold.train_rows,
            "test_rows": fold.test_rows}


def cross_validate(rows, settings, folds, supervised=False, **how):
    """Held-out accuracy, log-loss and log-likelihood; `supervised` leaves rows without a label out."""
    run = library.scant_cv_fit_supervised if supervised else library.scant_cv_fit
    with Fit(settings, **how) as task:
        out = _abi.scant_cv()
        check(run(ctypes.byref(out), rows, task.struct, folds))
    return _validated(out)


def cross_validate_model(model, rows, folds, supervised=False, time_limit=0, threads=0, **how):
    """The same of what is trained as the model was."""
    with Watch(**how):
        out = _abi.scant_cv()
        check(library.scant_cv_model(ctypes.byref(out), model.pointer, rows, folds, supervised, time_limit, threads))
    return _validated(out)


def _validated(out):
    found = {"mean_loglik": out.mean_loglik, "accuracy": out.accuracy, "log_loss": out.log_loss, "mse": out.mse,
             "folds": [_fold(fold) for fold in out.fold[:out.nfolds]]}
    library.scant_cv_clear(ctypes.byref(out))
    return found


def compare_rows(rows, settings, folds, **how):
    """A chain compared with independent rows, on the same held-out sequences."""
    with Fit(settings, **how) as task:
        out = _abi.scant_comparison()
        check(library.scant_fit_compare(ctypes.byref(out), rows, task.struct, _abi.SCANT_RIVAL_ROWS, folds))
    return {"folds": out.nfolds, "why": text(out.why), "labeled": out.labeled, "accuracy": out.accuracy[0],
            "rows_accuracy": out.accuracy[1], "log_loss": out.log_loss[0], "rows_log_loss": out.log_loss[1],
            "loglik": out.loglik[0], "rows_loglik": out.loglik[1], "difference": out.difference, "error": out.error}


def compare(rows, settings, folds, **how):
    """The fit compared with one of the labelled rows alone, on the same held-out labels."""
    with Fit(settings, **how) as task:
        out = _abi.scant_comparison()
        check(library.scant_fit_compare(ctypes.byref(out), rows, task.struct, _abi.SCANT_RIVAL_SUPERVISED, folds))
    return {"folds": out.nfolds, "why": text(out.why), "labeled": out.labeled, "accuracy": out.accuracy[0],
            "supervised_accuracy": out.accuracy[1], "log_loss": out.log_loss[0],
            "supervised_log_loss": out.log_loss[1], "difference": out.difference, "error": out.error,
            "unlabeled_hurt": out.worse}
