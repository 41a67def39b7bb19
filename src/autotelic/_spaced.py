"""A few entries that stand for many."""

import numpy as np
import numpy.typing as npt


def spaced(length: int, count: int) -> npt.NDArray[np.intp]:
    """Indices of at most `count` of so many entries, evenly spaced from the first to the last.

    >>> spaced(10, 4), spaced(2, 4)
    (array([0, 3, 6, 9]), array([0, 1]))
    """
    return np.unique(np.linspace(0, length - 1, count).round().astype(np.intp))
