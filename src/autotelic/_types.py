"""Types that many files name."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class AutotelicWarning(UserWarning):
    """Something that the library itself has to say; the shell shows these, not what pandas or matplotlib
    warn their callers of.
    """
