"""What is known of rows in addition to their columns, turned into class probabilities (`scant context`).

Tables are pandas frames: p(class | context) has a row a context and a column a class, p(context | class) the other way
round.
"""
import numpy as np

from ._library import encoded, library, option_text
from ._rows import Rows, RowsHandle, Table, coded


def _rows(frame):
    """A frame of probabilities, its index naming the rows."""
    p = np.ascontiguousarray(frame, dtype=np.float64)
    return Rows(Table(p, [f"p_{name}" for name in frame.columns], ids=[str(name) for name in frame.index]))


def _frame(rows, index):
    from pandas import DataFrame
    return DataFrame(rows.values(), index=index, columns=[name[len("p_"):] for name in rows.names()])


def latent(prior, given):
    """p_i(class) = sum over contexts of p_i(context) p(class | context); `prior` has a row a row, a column a context."""
    return _frame(RowsHandle.made_by("scant_context_latent", _rows(prior), _rows(given)), prior.index)


def observed(contexts, given):
    """p_i(class) = p(class | context_i); a missing context gives a row of NaN."""
    from pandas import Series
    contexts = Series(contexts)
    codes, levels = coded(contexts)
    said = Rows(Table(codes[:, np.newaxis], ["context"], {0: levels}))
    return _frame(RowsHandle.made_by("scant_context_observed", said, _rows(given)), contexts.index)


def invert(likelihood, prior=None):
    """p(class | context) from p(context | class) and the classes' shares, a dict; None: all alike."""
    said = None if prior is None else encoded(option_text(prior))
    return _frame(RowsHandle.made_by("scant_context_invert", _rows(likelihood), said),
                  [str(name) for name in likelihood.columns])


def negentropy(p):
    """How much each row's probabilities tell, from 0 (nothing) to 1 (all)."""
    p = np.ascontiguousarray(p, dtype=np.float64)
    return np.array([library.scant_negentropy(row.ctypes.data, len(row)) for row in p])
