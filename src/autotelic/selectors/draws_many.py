"""Many goals at once: from p(g) and a number k to goals.

Of k visits each goal is due k p(g). Where none is to come twice, it is due one at most: what that takes from
the likeliest, the others get in proportion. If p(g) holds fewer than k goals, some come twice all the same.
"""

import numpy as np
import numpy.typing as npt

from autotelic._types import Array

Goals = npt.NDArray[np.int64]
TIE = 1e-9
"""Sums of the same probabilities in another order differ in their last digits, and still tie."""


def due(p: Array, k: int, repeats: bool = False) -> Array:
    """How many of k visits each goal is due, [goals]; they sum to k.

    >>> due(np.array([0.7, 0.2, 0.1]), 2).round(3), due(np.array([0.75, 0.25, 0.0]), 4)
    (array([1.   , 0.667, 0.333]), array([3., 1., 0.]))
    """
    if repeats or k > np.count_nonzero(p):
        return k * p
    full = np.zeros(len(p), dtype=np.bool_)
    while True:
        rest = p[~full].sum()
        shares = np.where(full, 1.0, p * (k - full.sum()) / rest if rest > 0 else 0.0)
        if shares.max() <= 1.0 + TIE:
            return np.minimum(shares, 1.0) if k > 1 else shares
        full |= shares >= 1.0


def independent(p: Array, k: int, generator: np.random.Generator, repeats: bool = False) -> Goals:
    """k goals, [k], in random order: each comes as often as it is due in the mean, and less than one time
    more or less than that (systematic sampling of the goals in random order).
    """
    shares, sure = due(p, k, repeats), np.empty(0, dtype=np.int64)
    if shares.max() > 1.0 - TIE:
        whole = np.floor(shares + TIE)
        sure = np.repeat(np.arange(len(p)), whole.astype(np.int64))
        shares = np.maximum(shares - whole, 0.0)
    if not (left := k - len(sure)):
        return generator.permutation(sure)
    order = generator.permutation(len(p))
    cumulated = np.cumsum(shares[order])
    points = (generator.random() + np.arange(left)) * (cumulated[-1] / left)
    # A goal of probability 0 is never found; rounding must not lead beyond the last that has some.
    last = int(np.searchsorted(cumulated, cumulated[-1]))
    found = np.minimum(np.searchsorted(cumulated, points, side="right"), last)
    return generator.permutation(np.append(sure, order[found]))


def most_owed(
    owed: Array, shares: Array, k: int, generator: np.random.Generator, repeats: bool = False
) -> Goals:
    """The k goals that are owed the most, [k], in random order; where two are owed as much the likelier, and
    of several such any. If one comes twice, it is owed one less the second time.

    Args:
        owed: with the coming visits, [goals]; -infinity for goals that must not come.
        shares: of the coming visits, [goals].
        k: how many.
        generator: breaks ties.
        repeats: whether a goal may come twice although k goals or more have a share.
    """
    counts = np.zeros(len(owed), dtype=np.int64)
    if repeats or k > np.count_nonzero(shares):
        counts = _above(owed, k)
    left = k - int(counts.sum())
    counts[_largest(owed - counts, shares, left, generator)] += 1
    return generator.permutation(np.repeat(np.arange(len(owed)), counts))


def _above(owed: Array, k: int) -> Goals:
    """How often each goal has to come until none is owed more than a level, [goals]: the lowest level that
    takes no more than k visits.
    """
    some = owed[np.isfinite(owed)]
    low, high = float(some.min()) - k, float(some.max())
    for _ in range(60):
        level = (low + high) / 2
        enough = np.ceil(np.maximum(some - level - TIE, 0.0)).sum() <= k
        low, high = (low, level) if enough else (level, high)
    return np.ceil(np.maximum(owed - high - TIE, 0.0)).astype(np.int64)


def _largest(owed: Array, shares: Array, k: int, generator: np.random.Generator) -> Goals:
    """The k goals with the largest values, by the first, then by the second, then by chance."""
    candidates, chosen = np.flatnonzero(np.isfinite(owed)), []
    for values in (owed, shares):
        if not k:
            break
        some = values[candidates]
        at_least = np.partition(some, -k)[-k] if k < len(some) else some.min()
        above = some > at_least + TIE
        chosen.append(candidates[above])
        k -= int(above.sum())
        candidates = candidates[~above & (some >= at_least - TIE)]
    if k:
        chosen.append(generator.choice(candidates, k, replace=False))
    return np.concatenate(chosen) if chosen else np.empty(0, dtype=np.int64)
