"""Curriculum: a selector, its state and a random generator in one object, for any training loop."""

from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from autotelic import _streams, _validate
from autotelic._documents import Within, fit
from autotelic._types import Array
from autotelic.selectors.base import (
    GoalSelector,
    VisitOutcome,
    check_columns,
    check_evidence,
    check_is_selector,
    numbers,
)
from autotelic.selectors.state import state_from_json, state_to_json


class Curriculum:
    """Decides which goal to practise next; `select`, practise for a visit, `update`, repeat.

    Args:
        selector: how goals are chosen, e.g. `DiversityProgress()`.
        num_goals: the number of goals, |G|.
        seed: of the random draws: the same seed gives the same goals for the same posteriors. The
            stream is the curriculum's own: an environment or agent with the same seed shares no draw.

    >>> from autotelic import Curriculum, RoundRobin
    >>> curriculum = Curriculum(RoundRobin(), num_goals=3, seed=0)
    >>> goals = []
    >>> for visit in range(3):
    ...     goals.append(curriculum.select())
    ...     curriculum.update([[0.2, 0.3, 0.5]] * 10)
    >>> sorted(goals)
    [0, 1, 2]
    """

    def __init__(self, selector: GoalSelector, num_goals: int, seed: int = 0):
        check_is_selector(selector)
        _validate.integer("num_goals", num_goals, minimum=1)
        _validate.seed("seed", seed)
        self._selector = selector
        self._num_goals = int(num_goals)
        self._state = selector.init(self._num_goals)
        self._generator = _streams.generator("goals", seed)
        self._goal: int | None = None

    @property
    def selector(self) -> GoalSelector:
        """The selector: a frozen setting."""
        return self._selector

    @property
    def state(self) -> Any:
        """The selector's state: a value that nothing changes in place."""
        return self._state

    @property
    def num_goals(self) -> int:
        """The number of goals, |G|."""
        return self._num_goals

    @property
    def goal(self) -> int | None:
        """The goal being practised: selected and not yet updated."""
        return self._goal

    @property
    def prior(self) -> Array:
        """p(g) for the reward log q(g|s) - log p(g), [goals]; positive everywhere."""
        return self._selector.prior(self._state)

    @property
    def selection_probabilities(self) -> Array:
        """The distribution that the next goal is drawn from, [goals].

        With low-variance draws it is what share of practice each goal gets, and the past decides with
        it (see `GoalSelector.selection_probabilities`).
        """
        return self._selector.selection_probabilities(self._state)

    @property
    def values(self) -> Array:
        """The signal behind p(g), e.g. DP, [goals]; NaN where a goal was never tried."""
        return self._selector.values(self._state)

    def select(self) -> int:
        """Draw the goal to practise next. Called again before `update`, it draws again: the first
        goal is dropped.
        """
        self._goal = self._selector.select(self._state, self._generator)
        return self._goal

    def update(
        self,
        posteriors: npt.ArrayLike,
        *,
        probe_before: npt.ArrayLike | None = None,
        probe_after: npt.ArrayLike | None = None,
        success: float | None = None,
        values_before: npt.ArrayLike | None = None,
        values_after: npt.ArrayLike | None = None,
        competence: float | None = None,
        achieved: npt.ArrayLike | None = None,
        places: npt.ArrayLike | None = None,
        value_spread: npt.ArrayLike | None = None,
        replaced: npt.ArrayLike | None = None,
        reached: npt.ArrayLike | None = None,
        count: int = 1,
    ) -> None:
        """Learn from a visit of practising the selected goal. A refusal leaves everything as it
        was.

        Args:
            posteriors: q(g|s_t) at every step of the visit, [steps, num_goals], rows summing to 1.
            probe_before: mean certainty q(g|s) on states kept of each goal before the visit,
                [num_goals], for selectors with `reference="probe"`; NaN for a goal of which none
                are kept.
            probe_after: the same states scored after the visit.
            success: the goal's success rate in [0, 1], for selectors with `competence="success"`.
            values_before: V(s, g) of every goal from the visit's first state, [num_goals], as the agent
                values it before the visit, for selectors with `ValueRegret`.
            values_after: the same as valued after the visit.
            competence: how well the goal was pursued, in [0, 1], where something better than the mean
                certainty q(g|s) is known; selectors by competence then take it.
            achieved: places in goal space reached during the visit, in order of time, [n, dim], for
                selectors of goals with places; `AutoSelector` takes them where they are given.
            places: where every goal is now, [num_goals, dim]; given with `achieved`.
            value_spread: the spread over an ensemble of critics of every goal's value from a start
                state, [num_goals], for `ValueDisagreement`.
            replaced: which goals were exchanged for others since the visit began, bool [num_goals]:
                they are as untried from now on. None if none were.
            reached: which goals were reached at any time of the visit, whichever was pursued, bool
                [num_goals]; `AutoSelector` takes it where it is given, and so do selectors by success
                with `reached=True`.
            count: the number of episodes that `success` is the mean of, each a success or a failure;
                1 where success is graded.
        """
        if self._goal is None:
            raise ValueError(
                "update needs a goal to credit: call select() first, once for each update"
            )
        posteriors = numbers("posteriors", posteriors)
        check_columns(posteriors.shape, self._num_goals)
        outcome = VisitOutcome(
            self._goal,
            posteriors,
            None if probe_before is None else numbers("probe_before", probe_before),
            None if probe_after is None else numbers("probe_after", probe_after),
            success,
            None if values_before is None else numbers("values_before", values_before),
            None if values_after is None else numbers("values_after", values_after),
            competence,
            None if achieved is None else numbers("achieved", achieved),
            None if places is None else numbers("places", places),
            None if value_spread is None else numbers("value_spread", value_spread),
            None if replaced is None else np.asarray(replaced),
            None if reached is None else np.asarray(reached),
            count,
        )
        check_evidence(self._selector, outcome)
        self._state = self._selector.update(self._state, outcome)
        self._goal = None

    def state_dict(self) -> dict[str, Any]:
        """Everything that evolves, JSON-able: the selector's state, the generator's and the goal
        being practised.
        """
        return {
            "selector": state_to_json(self._selector, self._state),
            "generator": self._generator.bit_generator.state,
            "goal": self._goal,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from `state_dict` with exactly the same goals and probabilities.

        Refuses the state of another selector, version, setting or number of goals; a refusal
        changes nothing.
        """
        goal: Any = Annotated[int, Within(0, self._num_goals - 1)]
        kinds = {"selector": dict[str, Any], "generator": dict[str, Any], "goal": goal | None}
        try:
            saved = fit(state_dict, kinds)
        except ValueError as error:
            raise ValueError(f"not a curriculum's state_dict: {error}") from None
        state = state_from_json(self._selector, saved["selector"], self._num_goals)
        generator = np.random.default_rng()
        try:
            generator.bit_generator.state = saved["generator"]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"the saved random generator cannot be read: {error}") from error
        self._state, self._generator, self._goal = state, generator, saved["goal"]
