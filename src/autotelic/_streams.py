"""Random streams: one for every purpose, all from one seed. NumPy alone.

`numpy.random.default_rng(seed)` is the very stream that a Gymnasium environment draws from after
`reset(seed=seed)`, so goals drawn from it would be a function of where episodes start. A stream here
is distinguished by its purpose, and by further numbers (a visit, an epoch), through the spawn key of a
`SeedSequence`: unlike words appended to its entropy, a zero there counts.
"""

import zlib

import numpy as np


def sequence(purpose: str, seed: int, *numbers: int) -> np.random.SeedSequence:
    """The source of one stream: purpose, seed and numbers decide it, and no two share a draw."""
    tag = zlib.crc32(purpose.encode())
    return np.random.SeedSequence(seed, spawn_key=(tag, *numbers))


def generator(purpose: str, seed: int, *numbers: int) -> np.random.Generator:
    """A generator of the stream.

    >>> generator("goals", 0).integers(1000) == generator("starts", 0).integers(1000)
    np.False_
    """
    return np.random.default_rng(sequence(purpose, seed, *numbers))


def integer(purpose: str, seed: int, *numbers: int) -> int:
    """One number of 32 bits: a seed for what takes seeds, such as a Gymnasium environment."""
    return int(sequence(purpose, seed, *numbers).generate_state(1)[0])
