"""Folds for few labels: what is held out has labels, what has none stays in training."""
import numpy as np

from . import _labels
from ._parameters import seed_of


class SemiSupervisedKFold:
    """Stratified folds of the labelled rows; rows without a label are in every training set and in no test set.

    `groups` in `split` keeps rows of a group together, unlabelled ones too: where a group is held out, all of it is.
    """

    def __init__(self, n_splits=5, *, shuffle=True, random_state=None, missing_label="auto"):
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.missing_label = missing_label

    def get_n_splits(self, X=None, y=None, groups=None):
        del X, y, groups
        return self.n_splits

    def split(self, X, y, groups=None):
        """Yields (training rows, test rows)."""
        del X
        codes, classes = _labels.encode(_labels.column(y), self.missing_label)
        units = np.arange(len(codes)) if groups is None else np.unique(groups, return_inverse=True)[1]
        if len(units) != len(codes):
            raise ValueError(f"there are {len(units)} groups for {len(codes)} rows")
        fold_of = self._deal(codes, len(classes), units)
        for fold in range(self.n_splits):
            held = fold_of[units] == fold
            yield np.flatnonzero(~held), np.flatnonzero(held & (codes >= 0))

    def _deal(self, codes, nclasses, units):
        """A fold for each unit with labelled rows, dealt out class by class; -1 for the others."""
        labelled = codes >= 0
        count = len(np.unique(units[labelled]))
        if not 2 <= self.n_splits <= count:
            raise ValueError(f"n_splits={self.n_splits} folds, but {count} labelled rows or groups; at least 2 folds, and "
                             "no more than there are to hold out")
        random = np.random.default_rng(seed_of(self.random_state))
        fold_of, turn = np.full(units.max() + 1, -1), 0
        for k in range(nclasses):
            of_class = np.unique(units[codes == k])
            for unit in random.permutation(of_class) if self.shuffle else of_class:
                if fold_of[unit] < 0:  # a group goes by the first of its classes
                    fold_of[unit] = turn % self.n_splits
                    turn += 1
        return fold_of
