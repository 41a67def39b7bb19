"""What is believed of each goal's success rate: a Beta distribution."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors.base import Results, VisitOutcome
from autotelic.selectors.signals.base import Signal
from autotelic.selectors.signals.competence import competence

CELLS = 256  # of the distance to one half; finer towards success rates of 0 and 1, where beliefs are sharp
BLOCK = 4096  # goals whose cells are in memory together


class Belief(NamedTuple):
    """The two parameters of a Beta distribution: successes and failures, each one at first; [goals]."""

    successes: Array
    failures: Array


def chances_of_nearest(belief: Belief) -> Array:
    """How likely a number drawn from a goal's belief is nearer to one half than those of all others, [goals].

    P(g) = integral of the density of |x_g - 1/2| times the product of the others' chances to lie further off;
    within each cell, hazards are taken to be in proportion.

    >>> import numpy as np
    >>> belief = Belief(np.array([1.0, 1.0, 40.0]), np.array([1.0, 1.0, 2.0]))
    >>> chances_of_nearest(belief).round(2)  # the third is mastered
    array([0.49, 0.49, 0.01])
    """
    # Most of many goals share what is believed of them with others.
    pairs, index, times = np.unique(
        belief.successes + 1j * belief.failures, return_inverse=True, return_counts=True
    )
    blocks = [_hazards(pairs[start : start + BLOCK]) for start in range(0, len(pairs), BLOCK)]
    survival = sum(times[BLOCK * at : BLOCK * (at + 1)] @ block for at, block in enumerate(blocks))
    remaining = np.exp(-np.append(0.0, np.cumsum(survival)))
    ended = (remaining[:-1] - remaining[1:]) / np.maximum(survival, 1e-300)
    chances = np.concatenate([block @ ended for block in blocks])[index]
    return chances / chances.sum()


def _hazards(pairs: npt.NDArray[np.complex128]) -> npt.NDArray[np.float32]:
    """-log of the chance not to lie in a cell, if not in one nearer to one half, [n] -> [n, CELLS]; successes
    and failures are the real and the imaginary part.
    """
    edges = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 2 * CELLS + 1))
    middles = (edges[1:] + edges[:-1]) / 2.0
    a, b = pairs.real[:, None], pairs.imag[:, None]
    logs = (a - 1.0) * np.log(middles) + (b - 1.0) * np.log1p(-middles) + np.log(np.diff(edges))
    masses = np.exp(logs - logs.max(axis=1, keepdims=True))
    masses = masses[:, CELLS:] + masses[:, CELLS - 1 :: -1]  # from one half outwards
    beyond = np.cumsum(masses[:, ::-1], axis=1)[:, ::-1]
    beyond = np.maximum(np.append(beyond, np.zeros((len(beyond), 1)), axis=1), 1e-300)
    return np.log(beyond[:, :-1] / beyond[:, 1:]).astype(np.float32)


@dataclass(frozen=True)
class BetaPosterior(Signal):
    """The mean of what is believed of a goal's success rate: a / (a + b), with a <- kept a + (1 - kept) + s
    and b <- kept b + (1 - kept) + n - s after s successes in n episodes; a = b = 1 at first.
    """

    kept: float = 0.5

    def __post_init__(self) -> None:
        _validate.number("kept", self.kept, above=0.0, maximum=1.0)

    def untried(self, num_goals: int) -> float:
        """1/2."""
        del num_goals
        return 0.5

    def init(self, num_goals: int) -> Belief:
        """Any rate is as likely."""
        return Belief(*np.ones((2, num_goals)))

    def forget(self, state: Belief, goals: npt.NDArray[np.bool_]) -> Belief:
        """Any rate of these."""
        return Belief(*(np.where(goals, 1.0, values) for values in state))

    def update(self, state: Belief, outcome: VisitOutcome) -> tuple[Belief, float]:
        """The mean after the visit."""
        by_success = outcome.success is not None
        c = competence(outcome, "success" if by_success else "certainty")
        count = np.array([outcome.count if by_success else 1])
        state, means = self._counted(state, np.array([outcome.goal]), np.array([c]), count)
        return state, float(means[0])

    def learn(self, state: Belief, results: Results) -> tuple[Belief, Array]:
        """The means of these goals."""
        values, goals = np.full(results.num_goals, np.nan), results.goals
        counts = np.maximum(results.episodes, 1)
        state, values[goals] = self._counted(state, goals, results.success, counts)
        return state, values

    def _counted(
        self, state: Belief, goals: npt.NDArray[np.int64], rates: Array, counts: Array
    ) -> tuple[Belief, Array]:
        a, b = (values.copy() for values in state)
        a[goals] = self.kept * a[goals] + (1.0 - self.kept) + rates * counts
        b[goals] = self.kept * b[goals] + (1.0 - self.kept) + (1.0 - rates) * counts
        return Belief(a, b), a[goals] / (a[goals] + b[goals])
