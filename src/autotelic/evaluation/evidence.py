"""What metrics are made from: one learner's trajectories, distances on a shared scale, and choices.

Each part is computed when a metric first asks for it, and kept for the next.
"""

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _streams
from autotelic._types import Array
from autotelic.evaluation import distances, diversity, metrics, selection
from autotelic.evaluation.classifier import held_out_judgements
from autotelic.evaluation.metrics import Judgements
from autotelic.evaluation.trajectories import Trajectories
from autotelic.runs.history import LearnerHistory

if TYPE_CHECKING:  # load JAX, which figures of an evaluation do without
    from autotelic.evaluation.zero_shot import Closely
    from autotelic.learner.setting import Setting


DIRECTIONS = 100
"""Of the sliced Wasserstein distance."""
CELLS = 20
"""Of the grid over an environment's bounds, in each direction."""
LARGEST_KERNEL = 500
"""Trajectories whose Vendi score is found: eigenvalues of 2000 take seconds for each learner."""
OWN_STATES = 100
"""States of each goal that distinct skills are counted by."""
VENDI_ORDERS = {"0.1": 0.1, "1": 1.0, "inf": float("inf")}
"""Orders of the Vendi score by their names in metrics."""


class TaskEvidence(NamedTuple):
    """One learner's fresh episodes of a task: what each was paid, [episodes]."""

    returns: np.ndarray


class SkillEvidence:
    """One learner's fresh trajectories, without a scale shared with others.

    Args:
        setting: of the run.
        trajectories: of one member.
        judged: its own discriminator's judgements of them.
        bounds: the lowest and highest position, where the environment has bounds.
        seed: of the split into fitted and held-out trajectories.
        covered: positions [trajectories, steps + 1, 2] of the protocol of `coverage`.
        reached: what came of the protocol of `zero_shot`.
        successes: of the trajectories [goals, trajectories], where goals have success.
    """

    def __init__(
        self,
        setting: "Setting",
        trajectories: Trajectories,
        judged: Judgements,
        bounds: tuple[float, float] | None = None,
        seed: int = 0,
        covered: np.ndarray | None = None,
        reached: "Closely | None" = None,
        successes: np.ndarray | None = None,
    ):
        self.setting = setting
        self.trajectories = trajectories
        self.judged = judged
        self.bounds = bounds
        self.seed = seed
        self.covered = covered
        self.reached = reached
        self.successes = successes
        self.observations: np.ndarray = trajectories.observations[0]
        self.lengths: np.ndarray = trajectories.lengths[0]

    @cached_property
    def held_out(self) -> Judgements:
        """A classifier's that training never saw, of the trajectories it was not fitted to."""
        return held_out_judgements(self.observations, self.lengths, self.seed)

    @cached_property
    def held_out_whole(self) -> Judgements:
        """The same of whole trajectories."""
        return metrics.per_trajectory(self.held_out)

    @cached_property
    def refitted(self) -> Judgements:
        """A discriminator's that was fitted anew, see `refit`."""
        from autotelic.evaluation.refit import refitted_judgements  # JAX, which no other part needs

        return refitted_judgements(
            self.setting.objective,
            self.setting.hidden_units,
            self.observations,
            self.lengths,
            self.seed,
        )

    @cached_property
    def success(self) -> float | None:
        """Mean over the goals that can be reached, each of the same weight; None if goals have none."""
        if self.successes is None:
            return None
        from autotelic.evaluation.success import mean_success  # JAX, which figures do without

        return mean_success(self.setting.objective, self.successes)

    @cached_property
    def features(self) -> Array:
        """Mean observations of trajectories, standardised: [goals, trajectories, observation]."""
        return metrics.standardised(metrics.mean_observations(self.observations, self.lengths))

    @cached_property
    def grid(self) -> diversity.Coverage | None:
        """Cells of the bounded box that skills enter; None where there are no bounds."""
        if self.trajectories.positions is None or self.bounds is None:
            return None
        return diversity.grid_coverage(self.trajectories.positions[0], *self.bounds, CELLS)

    @cached_property
    def ground(self) -> diversity.Coverage | None:
        """Cells of 1 m of open ground that skills enter; None where there are bounds, or no positions."""
        if self.trajectories.positions is None or self.bounds is not None:
            return None
        return diversity.cells_visited(self.trajectories.positions[0], 1.0)

    @cached_property
    def distinct_skills(self) -> float:
        """`diversity.distinct_skills` of states standardised by themselves."""
        generator = _streams.generator("distinct skills", self.seed)
        count = max(OWN_STATES, self.lengths.shape[1])
        states = metrics.standardised(
            distances.sample_states(self.observations, self.lengths, count, generator)
        )
        directions = distances.random_directions(states.shape[-1], DIRECTIONS, generator)
        return diversity.distinct_skills(states, directions)


class Scales(NamedTuple):
    """Of the Gaussian kernels: the median distance of two trajectories' features, and of two states."""

    features: float
    states: float


class DistanceEvidence:
    """How far apart one learner's trajectories lie, on a scale that all learners share.

    Args:
        features: [goals, trajectories, observation], standardised over all that is compared.
        states: [goals, trajectories, steps, observation], likewise.
        scales: of kernels.
        generator: draws directions and halves.
    """

    def __init__(
        self, features: Array, states: Array, scales: Scales, generator: np.random.Generator
    ):
        self.features = features
        self.states = states
        self.scales = scales
        self.generator = generator

    @cached_property
    def separations(self) -> dict[str, distances.Separation]:
        """Between skills' states, by the name of the distance."""
        directions = distances.random_directions(self.states.shape[-1], DIRECTIONS, self.generator)
        measured: dict[str, tuple[Callable[[Array], Array], distances.Null]] = {
            "energy_distance": (distances.energy_distances, "inverse"),
            "squared_mmd": (partial(distances.squared_mmd, scale=self.scales.states), "zero"),
            "wasserstein": (partial(distances.sliced_wasserstein, directions=directions), "halves"),
        }
        return {
            name: distances.separation(self.states, distance, self.generator, null)
            for name, (distance, null) in measured.items()
        }

    @cached_property
    def vendi_of_trajectories(self) -> dict[str, float]:
        """By order."""
        part = self.features[:, : max(1, LARGEST_KERNEL // len(self.features))]
        return _vendi(diversity.trajectory_kernel(part, self.scales.features))

    @cached_property
    def vendi_of_skills(self) -> dict[str, float]:
        """By order. Two skills as far apart as the median two states count as rather different."""
        squared = self.separations["wasserstein"].distances ** 2
        return _vendi(diversity.gaussian_kernel(squared, self.scales.states))


def _vendi(kernel: Array) -> dict[str, float]:
    scores = np.atleast_1d(diversity.vendi_score(kernel, list(VENDI_ORDERS.values())))
    return {order: float(score) for order, score in zip(VENDI_ORDERS, scores, strict=True)}


class ChoiceEvidence:
    """What a learner's selector did with its choices, over the whole run."""

    def __init__(self, history: LearnerHistory):
        self.history = history
        self.num_goals: int = history.prior.shape[1]

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """How often each goal was chosen."""
        return selection.selection_counts(self.history.goals, self.num_goals)

    @property
    def signal_correlation(self) -> float | None:
        """Rank correlation of the selector's value with the gain until the next visit; None if one of
        them does not vary.
        """
        own = self.history
        visits = selection.successive_visits(own.goals, own.signal, own.certainty)
        varied = len(visits.goal) and np.ptp(visits.signal) > 0 and np.ptp(visits.improvement) > 0
        if not varied or len(np.unique(visits.goal)) < 2:
            return None
        # The interval over visits is not asked for here: seeds give one.
        return selection.predictiveness([visits], np.random.default_rng(0), resamples=1).correlation
