"""Answers of predictors about items: tables with a column a predictor, or with a row a vote."""
import ctypes
import typing

import numpy as np

from . import _labels
from ._library import Handle, call, texts
from ._rows import weights_of

# Columns of a long table where they are not named, as `scant audit --long` looks for them.
ROLES = {"item": ("item", "task", "question", "example", "item_id", "task_id", "question_id", "document"),
         "worker": ("worker", "annotator", "performer", "predictor", "worker_id", "annotator_id", "rater", "judge"),
         "answer": ("label", "answer", "vote", "response", "rating", "annotation", "judgment", "class")}


class Cells(typing.NamedTuple):
    """What came in: which predictor said what about which item, and what is known of the truth."""

    items: np.ndarray  # their names, or their numbers from 0
    predictors: list  # names
    named: bool  # by the table, so that columns are found by them
    item: np.ndarray
    predictor: np.ndarray
    answer: np.ndarray  # as it came in; some mean that there is none
    truth: typing.Optional[np.ndarray]  # one an item
    order: typing.Optional[np.ndarray] = None  # numbers of the items as they came in; None: as they are

    def came_in(self, values):
        """One value an item, in the order in which the items came in."""
        return values if self.order is None else values[self.order]

    def words(self):
        """All that name classes, in one array."""
        if self.truth is None:
            return self.answer
        if self.truth.dtype == self.answer.dtype:
            return np.concatenate([self.answer, self.truth])
        return np.concatenate([self.answer.astype(object), self.truth.astype(object)])


class Coded(typing.NamedTuple):
    """The same by numbers, as the library takes them: arrays of one length, and one truth and weight an item."""

    nitems: int
    predictors: list
    item: np.ndarray
    predictor: np.ndarray
    answer: np.ndarray
    truth: typing.Optional[np.ndarray]
    weight: typing.Optional[np.ndarray]


def _is_frame(votes):
    return hasattr(votes, "columns") and hasattr(votes, "iloc")


def wide(votes, truth=None):
    """A row an item, a column a predictor; `truth` is one an item, or a frame's column of it."""
    named = _is_frame(votes)
    items = np.asarray(votes.index) if named else None
    if named and isinstance(truth, str):
        votes, truth = votes.drop(columns=truth), votes[truth]
    predictors = [str(name) for name in votes.columns] if named else None
    cells = np.asarray(votes)
    if cells.ndim != 2:
        raise ValueError(f"votes must be a table of items by predictors, not of shape {cells.shape}; long=True takes a row "
                         "a vote")
    n, k = cells.shape
    truth = None if truth is None else np.asarray(truth)
    if truth is not None and truth.shape != (n,):
        raise ValueError(f"there are {len(truth)} true classes for {n} items")
    return Cells(np.arange(n) if items is None else items, predictors or [f"p{c + 1}" for c in range(k)], named,
                 np.repeat(np.arange(n), k), np.tile(np.arange(k), n), cells.ravel(), truth)


def _columns(votes, given):
    """The three columns of a long table: of a frame by name, else in that order."""
    if not _is_frame(votes):
        votes = [np.asarray(column) for column in votes]
        if len(votes) != 3 or len({len(column) for column in votes}) != 1:
            raise ValueError("long votes are a frame, or three sequences of one length: items, workers and answers")
        return votes
    found = []
    for role, usual in ROLES.items():
        name = _role_column(votes, [given[role]] if given[role] else usual)
        if name is None:
            raise ValueError(f"a long table has no column {given[role] or usual[0]!r}; name it by {role}")
        found.append(votes[name].to_numpy())
    return found


def _role_column(votes, names):
    """The first of the names that is a column's, in capitals or not; None: none is."""
    small = {str(column).lower(): column for column in reversed(list(votes.columns))}
    return next((small[str(name).lower()] for name in names if str(name).lower() in small), None)


def looks_long(votes):
    """Is it a frame whose columns are called as those of a long table are?"""
    return _is_frame(votes) and all(_role_column(votes, names) is not None for names in ROLES.values())


def _named(column):
    """Distinct names in the order of their texts, as the command line has them, and the number of each cell's."""
    words, which = np.unique(np.array([str(cell) for cell in column]), return_inverse=True)
    first = np.empty(len(words), dtype=np.intp)
    first[which[::-1]] = np.arange(len(which))[::-1]
    return column[first], words.tolist(), which


def long(votes, truth=None, **given):
    """A row a vote. `truth` is {item: class}, a series by item, or a frame's column of it."""
    item, worker, answer = _columns(votes, given)
    if isinstance(truth, str):
        cells = votes[truth].to_numpy(dtype=object)
        given = ~_labels.is_missing(cells)
        truth = dict(zip(item[given], cells[given]))
    items, _, item_number = _named(item)
    order = np.argsort(np.unique(item_number, return_index=True)[1])  # as the votes first speak of them
    _, predictors, worker_number = _named(worker)
    if truth is not None:
        of_item = dict(truth)
        truth = np.array([of_item.get(one) for one in items], dtype=object)
    return Cells(items, predictors, True, item_number, worker_number, answer, truth, order)


def coded(cells, classes, missing_label, sample_weight=None):
    """Cells by the numbers of the classes; answers that are none are left out."""
    answer = _labels.encode_as(cells.answer, classes, missing_label)
    truth = None if cells.truth is None else _labels.encode_as(cells.truth, classes, missing_label).astype(np.int32)
    given = answer >= 0
    weight = weights_of(sample_weight, len(cells.items))
    if weight is not None and cells.order is not None:
        weight = weight[np.argsort(cells.order)]
    return Coded(len(cells.items), cells.predictors, cells.item[given].astype(np.uintp),
                 cells.predictor[given].astype(np.uintp), answer[given].astype(np.uintp), truth, weight)


class Votes(Handle):
    """The library's votes."""

    FREE = "scant_votes_free"

    def __init__(self, said, classes):
        super().__init__(ctypes.c_void_p())
        call("scant_votes_new", ctypes.byref(self.pointer), said.nitems, len(said.predictors), len(classes),
             len(said.item), said.item.ctypes.data, said.predictor.ctypes.data, said.answer.ctypes.data,
             texts(said.predictors), texts(_labels.names_of(classes)))
        if said.truth is not None:
            call("scant_votes_set_truth", self, said.truth.ctypes.data)
        if said.weight is not None:
            call("scant_votes_set_weights", self, said.weight.ctypes.data)
