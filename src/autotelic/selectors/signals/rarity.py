"""Rarity: how seldom was the learner where a goal is, if the goal is within reach?"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._documents import Count
from autotelic._types import Array
from autotelic.selectors import places
from autotelic.selectors.base import VisitOutcome
from autotelic.selectors.signals.base import Signal

WITHIN = ("distance", "value", "value_quantile")
"""What may say that a goal is within reach."""
CUTOFFS = {"distance": 0.5, "value_quantile": 0.3}
"""From where on, if nothing is said. Values have no default: they depend on rewards and discount."""
TINY = 1e-300  # for the logarithm of no visit in vain
CAPACITY = 1000  # places kept; with 200 goals a density then takes about a millisecond


def within_reach(closeness: Array, threshold: float) -> npt.NDArray[np.bool_]:
    """The goals that are at least so close, or the closest if none is; [goals] -> [goals].

    >>> import numpy as np
    >>> within_reach(np.array([-2.0, -1.0, 0.0]), -1.0), within_reach(np.array([-2.0, -3.0]), 0.0)
    (array([False,  True,  True]), array([ True, False]))
    """
    close = closeness >= threshold
    return close if close.any() else closeness == closeness.max()


class RarityState(NamedTuple):
    """A sample of the places reached; how near any of all came to each goal, [goals]; how many visits to
    it came not near, [goals]; and how many visits there were.
    """

    reached: places.Reservoir
    nearest: Array
    missed: Array
    visits: Count


@dataclass(frozen=True)
class Rarity(Signal):
    """-log density of the places reached, at each goal within reach; -infinity at the others.

    A goal within reach counts as reached at least once: its density is not below that of one of the
    places reached that lies far from all others, which is the least that MEGA can find. A visit to a goal
    that does not come near it counts as if it had stayed there: a goal that is tried in vain is not rare for
    want of trying. Otherwise one that was touched once, and is never reached again, would stay the rarest
    for ever.

    Args:
        within: what says that a goal is within reach. "distance": some place reached lies no further
            from it than `cutoff` times the spacing of goals. "value": the critic's value of it is at
            least `cutoff`. "value_quantile": its value is not among the lowest share `cutoff` of all.
        cutoff: by default 0.5 of distances and 0.3 of quantiles; of values it must be given. If no goal is
            within reach, the closest one is.
        bandwidth: of the density's kernel, in standard deviations of the places reached, axis by axis.
    """

    within: str = "distance"
    cutoff: float | None = None
    bandwidth: float = 0.1

    def __post_init__(self) -> None:
        _validate.choice("within", self.within, WITHIN)
        if self.cutoff is None and self.within == "value":
            raise ValueError(
                "within is 'value', and cutoff None; say from which value on a goal is within reach, "
                "or choose within='value_quantile'"
            )
        if self.cutoff is not None:
            lowest = -np.inf if self.within == "value" else 0.0
            highest = 1.0 if self.within == "value_quantile" else np.inf
            _validate.number("cutoff", self.cutoff, minimum=lowest, maximum=highest)
        _validate.number("bandwidth", self.bandwidth, above=0.0)

    @property
    def evidence(self) -> frozenset[str]:
        """Places, and values if they decide what is within reach."""
        return frozenset({"achieved"} | (set() if self.within == "distance" else {"values"}))

    def init(self, num_goals: int) -> RarityState:
        """No place reached."""
        nowhere = np.full(num_goals, np.inf)
        return RarityState(places.nothing_reached(), nowhere, np.zeros(num_goals), 0)

    def forget(self, state: RarityState, goals: npt.NDArray[np.bool_]) -> RarityState:
        """How near these goals were, and the visits to them in vain; the places reached stay."""
        return state._replace(
            nearest=np.where(goals, np.inf, state.nearest),
            missed=np.where(goals, 0.0, state.missed),
        )

    def update(self, state: RarityState, outcome: VisitOutcome) -> tuple[RarityState, Array]:
        """The rarity of all goals, [goals]."""
        assert outcome.achieved is not None and outcome.places is not None
        reached = places.sampled(state.reached, outcome.achieved, CAPACITY)
        distances = _nearest(outcome.places, outcome.achieved)
        nearest = np.minimum(state.nearest, distances)
        unknown = np.isinf(state.nearest)  # new goals: what was reached earlier counts for them too
        if unknown.any():
            earlier = _nearest(outcome.places[unknown], reached.places)
            nearest[unknown] = np.minimum(nearest[unknown], earlier)
        density = places.log_density(outcome.places, reached.places, self.bandwidth)
        # Of a goal a little off the places reached it would say less and less, without limit.
        once = places.log_density_of_one(reached.places, self.bandwidth)
        density = np.maximum(density, once)
        missed, visits = state.missed.copy(), state.visits + 1
        missed[outcome.goal] += not outcome.void and distances[outcome.goal] > self._near(outcome)
        # The share of all places that visits in vain would be, had they stayed at their goals.
        in_vain = missed / visits * len(reached.places)
        density = np.logaddexp(density, once + np.log(np.maximum(in_vain, TINY)))
        close = self._within_reach(nearest, outcome)
        return RarityState(reached, nearest, missed, visits), np.where(close, -density, -np.inf)

    def _near(self, outcome: VisitOutcome) -> float:
        """How far from a goal a place may lie that counts as near it."""
        assert outcome.places is not None
        cutoff = self.cutoff if self.within == "distance" else None
        return (CUTOFFS["distance"] if cutoff is None else cutoff) * places.spacing(outcome.places)

    def _within_reach(self, nearest: Array, outcome: VisitOutcome) -> npt.NDArray[np.bool_]:
        if self.within == "distance":
            return within_reach(-nearest, -self._near(outcome))
        cutoff = CUTOFFS.get(self.within) if self.cutoff is None else self.cutoff
        assert outcome.values_after is not None and cutoff is not None
        if self.within == "value_quantile":
            cutoff = float(np.quantile(outcome.values_after, cutoff))
        return within_reach(outcome.values_after, cutoff)


def _nearest(goals: Array, reached: Array) -> Array:
    """The distance of each goal to the nearest place reached, [goals]."""
    return np.sqrt(places.squared_distances(goals, reached).min(axis=1))
