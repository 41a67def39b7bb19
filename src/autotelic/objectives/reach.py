"""Goals that are places: reach a point of chosen entries of the observation (Kaelbling 1993; UVFA, HER).

Nothing is learned here. The policy sees where the goal is, so that what it learns of one goal serves its
neighbours, and replayed transitions can be given goals that were reached after them (Andrychowicz et al.
2017, Hindsight Experience Replay).
"""

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _validate
from autotelic._options import option
from autotelic.objectives.base import Context, GoalSpace, Objective
from autotelic.objectives.classifier import check_features, checked_features
from autotelic.objectives.goal_sets import (
    bounds_of_places,
    check_within,
    checked_bounds,
    checked_places,
    chosen_places,
    widened,
)
from autotelic.selectors.places import squared_distances

GOALS = ("auto", "grid", "desired", "met")
REWARDS = ("sparse", "dense")
RELABELS = ("none", "future", "final")
AFTERWARDS = ("explore", "stay")
RADIUS_SHARE = 0.05
"""The radius as a share of the longest side of the bounds, where the environment names none."""
EXCHANGE = 0.1
"""The chance that a visit exchanges a goal, where goals are states met: DISCERN's, of visits of 100 steps."""


class ReachParams(NamedTuple):
    """Where the goals are, [goals, dimensions]: no gradient moves them."""

    places: jax.Array


@dataclass(frozen=True)
class Reach(Objective):
    """Come within `radius` of a goal g, a point in `features` f(s) of the observation.

    Reward of a step to s', sparse: 1 where |f(s') - g| <= radius, otherwise 0; dense: 1 / (1 + |f(s') - g| /
    radius), which is 1 at the goal and 1/2 at the radius. It is never negative: an episode that terminates
    pays nothing from there on, and where every step costs something, ending the episode is a way out.
    Posteriors: log q(m | s') = log softmax_m -|f(s') - g_m|^2 / (2 radius^2), which goal is being
    reached. Competence of a step is 1 within the radius and 0 elsewhere; success of a visit is the share
    of its episodes in which the goal was reached at any time. What is None is taken from the environment.

    goals: a `grid` over the bounds, the environment's own `desired` ones, states `met` so far, of which
      some are exchanged while the run trains (DISCERN's buffer), or `auto`: desired ones, if there are.
    features: entries of the observation that goals are values of.
    radius: how near a goal is reached.
    reward_form: `sparse` or `dense`.
    relabel: hindsight: a replayed transition gets as its goal a state of the `future` of its episode, or
      its `final` one, or keeps its own (`none`).
    relabel_share: the share of a batch that is relabelled.
    afterwards: once the goal is reached, until the episode ends: `explore` by random actions, so that what
      lies beyond it is met (Ecoffet et al. 2021; Pitis et al. 2020), or `stay` with the policy.
    places: the goals themselves, in place of `goals`: a point for each.
    bounds: (low, high) of each feature, by which the policy sees goals in [-1, 1].
    reachable: which goals can be reached at all; measures of success leave the others out.
    """

    gives_competence = True
    gives_success = True
    has_places = True
    judges_raw = True
    learns = False
    needs_end = True

    goals: str = option(
        "auto", "Which goals: a grid, the environment's own, or states met so far.", choices=GOALS
    )
    features: tuple[int, ...] | None = option(
        None,
        "The entries of the observation that goals are values of.",
        unset="the environment's own",
        metavar="INDEX ...",
    )
    radius: float | None = option(
        None, "How near a goal is reached.", unset="the environment's own"
    )
    reward_form: str = option(
        "sparse", "1 at the goal and 0 elsewhere, or more the nearer it is.", choices=REWARDS
    )
    relabel: str = option(
        "future",
        "Hindsight: give replayed transitions a later state of their episode as goal.",
        choices=RELABELS,
    )
    relabel_share: float = option(0.8, "The share of a batch that gets such a goal.")
    afterwards: str = option(
        "explore", "Once a goal is reached: random actions, or the policy's.", choices=AFTERWARDS
    )
    places: tuple[tuple[float, ...], ...] | None = None
    bounds: tuple[tuple[float, float], ...] | None = None
    reachable: tuple[bool, ...] | None = None

    def __post_init__(self) -> None:
        _validate.choice("goals", self.goals, GOALS)
        _validate.choice("reward_form", self.reward_form, REWARDS)
        _validate.choice("relabel", self.relabel, RELABELS)
        _validate.choice("afterwards", self.afterwards, AFTERWARDS)
        _validate.number("relabel_share", self.relabel_share, minimum=0.0, maximum=1.0)
        if self.radius is not None:
            _validate.number("radius", self.radius, above=0.0)
        for name, value in (
            ("features", checked_features(self.features)),
            ("places", None if self.places is None else checked_places(self.places)),
            ("bounds", None if self.bounds is None else checked_bounds(self.bounds)),
            ("reachable", None if self.reachable is None else tuple(map(bool, self.reachable))),
        ):
            object.__setattr__(self, name, value)
        if self.places is not None and self.bounds is not None:
            check_within(self.places, self.bounds)

    @property
    def hindsight(self) -> str:  # type: ignore[override]
        """`relabel`, unless none of a batch is."""
        return self.relabel if self.relabel_share > 0 else "none"

    @property
    def hindsight_share(self) -> float:  # type: ignore[override]
        """`relabel_share`."""
        return self.relabel_share

    @property
    def explores(self) -> bool:  # type: ignore[override]
        """Whether actions are random once the goal is reached."""
        return self.afterwards == "explore"

    @property
    def moving_goals(self) -> bool:  # type: ignore[override]
        """Whether goals are states met so far."""
        return self.goals == "met"

    @property
    def needs_skill(self) -> bool:  # type: ignore[override]
        """If a goal is elsewhere by now than when it was pursued."""
        return self.moving_goals

    def fitted(self, space: GoalSpace, num_goals: int) -> "Reach":
        """The objective with features, bounds, radius and goals as the environment has them."""
        features = self.features or space.entries
        if not features:
            raise ValueError(
                f"{space.name} does not say what a goal is a value of (it has no achieved_goal, "
                "position or goal_entries); name entries of its observation: "
                "Reach(features=(0, 1)), in the shell --features 0 1"
            )
        check_features(features, space.observation_size)
        self._check_dimensions(features)
        bounds = self.bounds or (space.bounds if features == space.entries else None)
        places = self.places or chosen_places(self.goals, space, features, bounds, num_goals)
        if bounds is None:
            bounds = bounds_of_places(places)
        elif self.places is None and self.bounds is None:
            bounds = widened(bounds, places)  # a state met may lie beyond what is desired
        # Of places in float32, as learners know them.
        exact = tuple(tuple(float(np.float32(x)) for x in place) for place in places)
        longest = max(high - low for low, high in bounds)
        radius = self.radius or (space.radius if features == space.entries else None)
        known = None
        if space.reachable is not None and features == space.entries:
            known = space.reachable(np.array(exact))
        own = self.reachable if known is None or self.reachable else tuple(map(bool, known))
        return dataclasses.replace(
            self,
            features=features,
            bounds=bounds,
            places=exact,
            radius=radius or RADIUS_SHARE * longest,
            reachable=own,
        )

    def check(self, observation_size: int, num_goals: int) -> None:
        """Refuse goals that are not known yet, not as many, or not in the observation."""
        if self.places is None or self.bounds is None or self.radius is None or not self.features:
            raise ValueError(
                "Reach does not know its goals yet: give places, features, bounds and radius, or let "
                "an environment say them (Setting and train do)"
            )
        check_features(self.features, observation_size)
        if len(self.places) != num_goals:
            raise ValueError(
                f"there are {len(self.places)} places, and num_goals is {num_goals}; they must be as "
                "many"
            )
        self._check_dimensions(self.features)
        if self.reachable is not None and len(self.reachable) != num_goals:
            raise ValueError(
                f"reachable says it of {len(self.reachable)} goals, and num_goals is {num_goals}"
            )

    def _check_dimensions(self, features: tuple[int, ...]) -> None:
        """Refuse places and bounds, where they are given, of another dimension than goals have."""
        given = {"places": self.places and self.places[0], "bounds": self.bounds}
        for name, dimensions in given.items():
            if dimensions is not None and len(dimensions) != len(features):
                raise ValueError(
                    f"{name} have {len(dimensions)} dimensions, and goals are values of the "
                    f"{len(features)} features {list(features)}; they must be as many"
                )

    def skill_size(self, num_goals: int) -> int:
        """Coordinates of a goal."""
        del num_goals
        assert self.features is not None
        return len(self.features)

    def embed(self, goal: jax.Array, num_goals: int) -> jax.Array:
        """Where goals are, each coordinate in about [-1, 1]: integers [...] -> [..., dimensions]."""
        del num_goals
        return self._seen(jnp.take(jnp.asarray(self.places, jnp.float32), goal, axis=0))

    def goal_skills(self, params: ReachParams, num_goals: int) -> jax.Array:
        """The same of all goals, where they are now: [num_goals, dimensions]."""
        del num_goals
        return self._seen(params.places)

    def fulfilled(self, observation: jax.Array) -> jax.Array:
        """Where a state is, as the policy sees goals: [..., observation] -> [..., dimensions]."""
        return self._seen(self.achieved(observation))

    def achieved(self, observation: Any) -> Any:
        """f(s): [..., observation] -> [..., dimensions]."""
        return observation[..., np.asarray(self.features)]

    def goal_places(self, params: ReachParams) -> Any:
        """g of all goals, [goals, dimensions]."""
        return params.places

    def exchanged(
        self, params: ReachParams, achieved: np.ndarray, goal: int, generator: np.random.Generator
    ) -> tuple[ReachParams, np.ndarray]:
        """With a chance of EXCHANGE another goal is exchanged for a place of the visit (DISCERN's buffer)."""
        places = np.array(params.places)
        replaced = np.zeros(len(places), bool)
        others = np.delete(np.arange(len(places)), goal)
        chance, slot, step = (
            generator.random(),
            generator.random(),
            generator.integers(len(achieved)),
        )
        if len(others) and chance < EXCHANGE:
            chosen = others[int(slot * len(others))]
            places[chosen] = achieved[step]
            replaced[chosen] = True
        return params._replace(places=places), replaced

    def init(
        self, key: jax.Array, observation_size: int, num_goals: int, hidden_units: int
    ) -> ReachParams:
        """The goals' places: there is nothing to learn."""
        del key, observation_size, num_goals, hidden_units
        return ReachParams(jnp.asarray(self.places, jnp.float32))

    def loss(self, params: ReachParams, context: Context, goal: jax.Array) -> jax.Array:
        """0, []."""
        del params, context, goal
        return jnp.zeros(())

    def reward(
        self, params: ReachParams, context: Context, goal: jax.Array, log_prior: jax.Array
    ) -> jax.Array:
        """By the place that the skill is, whichever goal it belongs to: [batch], in [0, 1]."""
        del log_prior
        if self.reward_form == "sparse":
            return self.competence(params, context, goal)
        return 1.0 / (1.0 + self._radii_away(context))

    def competence(self, params: ReachParams, context: Context, goal: jax.Array) -> jax.Array:
        """1.0 within the radius, otherwise 0.0: [...]."""
        del params, goal
        return (self._radii_away(context) <= 1.0).astype(jnp.float32)

    def log_posteriors(self, params: ReachParams, context: Context) -> jax.Array:
        """log softmax_m -|f(s') - g_m|^2 / (2 radius^2): [..., num_goals]."""
        here = self.achieved(context.next_observation)
        squared = jnp.sum((here[..., None, :] - params.places) ** 2, axis=-1)
        assert self.radius is not None
        return jax.nn.log_softmax(-squared / (2.0 * self.radius**2))

    def reached(self, achieved: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Which goals came within the radius of any place: [n, dimensions] and [goals, dimensions] ->
        bool [goals].
        """
        assert self.radius is not None
        squares = squared_distances(places, np.asarray(achieved, np.float64))
        return squares.min(axis=1) <= self.radius**2

    def success(self, reached: np.ndarray, ended: np.ndarray) -> float:
        """The share of episodes in which the goal was reached: [environments, steps] each."""
        return share_of_episodes(reached, ended)

    def _radii_away(self, context: Context) -> jax.Array:
        """|f(s') - g| / radius, [...]."""
        low, high = self._ends()
        place = low + (context.skill + 1.0) * (high - low) / 2.0
        apart = self.achieved(context.next_observation) - place
        assert self.radius is not None
        return jnp.sqrt(jnp.sum(apart**2, axis=-1)) / self.radius

    def _seen(self, place: jax.Array) -> jax.Array:
        low, high = self._ends()
        return 2.0 * (place - low) / (high - low) - 1.0

    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        low, high = np.array(self.bounds, np.float32).T
        return low, high


def share_of_episodes(reached: np.ndarray, ended: np.ndarray) -> float:
    """Of episodes, the share with any step that reached: [environments, steps] each; steps after the last
    end are an episode under way, and count as one.

    >>> share_of_episodes(np.array([[0, 1, 0, 0, 0]]), np.array([[0, 0, 1, 0, 1]]))
    0.5
    """
    found = []
    for own, ends in zip(np.asarray(reached) > 0, np.asarray(ended) > 0, strict=True):
        cuts = np.flatnonzero(ends[:-1]) + 1
        found += [bool(part.any()) for part in np.split(own, cuts)]
    return float(np.mean(found))
