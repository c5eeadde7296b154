"""MixtureSelector: how many components, and of what shape."""
from . import _fit
from ._compat import DensityMixin
from ._estimator import Mixture
from ._library import option_text
from ._parameters import parameters_from


@parameters_from(
    "fit", without=("components", "covariance", "target", "checkpoint", "checkpoint_every", "resume", "sharing",
                    "label_noise", "transitions"),
    components=(None, "a range 1:10, with classes 1:4/class, or a list 1,2,4; None: 1:5, or 1:3/class"),
    covariances=("all", "shapes of Gaussian components to try: all, or a list"),
    by=("bic", "bic, icl, aic or cv"), folds=(5, "of by='cv'"))
class MixtureSelector(DensityMixin, Mixture):
    """Fits one mixture for each number of components and covariance and keeps the best (`scant select`).

    With y every class has components of its own and `predict` names classes. `candidates_` lists what was tried,
    `best_index_` and `best_params_` say what won, and the estimator then is that model's.
    """

    def fit(self, X, y=None, sample_weight=None):
        """Fits every candidate, and keeps the best."""
        rows, attributes = self._training_rows(X, y, sample_weight)
        components = self.components or ("1:3/class" if "classes_" in attributes else "1:5")
        covariances = self.covariances if isinstance(self.covariances, str) else ",".join(self.covariances)

        def keep(model, candidates, best):
            won = {name: candidates[best][name] for name in ("components", "covariance")}
            self._keep(model, {**attributes, "candidates_": candidates, "best_index_": best, "best_params_": won})

        how = {**self._how(), "start": None}  # candidates have shapes of their own
        _fit.select(rows, self._settings(), option_text(components), covariances, self.by, self.folds, keep, **how)
        self._warn()
        return self

    def score(self, X, y=None):
        """The mean log density of a row."""
        del y
        return self.score_samples(X).mean()
