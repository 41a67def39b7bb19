# pyright: reportIncompatibleMethodOverride=false
"""A broken selector for each law of goals in flight, which `check_selector` must refuse."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

import autotelic as at
from autotelic.selectors import VisitOutcome
from autotelic.selectors.check_flight import check_flight


class State(NamedTuple):
    successes: Any
    failures: Any


@dataclass(frozen=True)
class Sound(at.GoalSelector):
    """Prefers goals that fail, with a floor; sound as it is."""

    floor: float = 0.1
    # What no saved state holds, and no law allows to matter.
    hidden: list[int] = field(default_factory=lambda: [0], init=False, compare=False)

    def init(self, num_goals: int) -> Any:
        return State(np.zeros(num_goals), np.zeros(num_goals))

    def update(self, state: Any, outcome: VisitOutcome) -> Any:
        successes, failures = state.successes.copy(), state.failures.copy()
        assert outcome.success is not None
        successes[outcome.goal] += outcome.count * outcome.success
        failures[outcome.goal] += outcome.count * (1.0 - outcome.success)
        return State(successes, failures)

    @property
    def evidence(self) -> frozenset[str]:
        return frozenset({"success"})

    def selection_probabilities(self, state: Any) -> Any:
        weights = (1.0 + state.failures) / (2.0 + state.failures + state.successes)
        return (1 - self.floor) * weights / weights.sum() + self.floor / len(weights)


def test_a_sound_one_passes():
    check_flight(Sound())
    check_flight(at.LowVariance(Sound()))


class DrawsTwice(Sound):
    def drawn(self, state: Any, k: int, *rest: Any) -> Any:
        generator = rest[2]
        return generator.choice(len(state[0]), k, p=self.selection_probabilities(state)), state


class DrawsRetired(Sound):
    def drawn(
        self, state: Any, k: int, under_way: Any, open_: Any, generator: Any, repeats: bool = False
    ) -> Any:
        return super().drawn(state, k, under_way, np.ones_like(open_), generator, repeats)


class ForgetsWhatIsInFlight(at.LowVariance):
    """Draws as if nothing had been drawn before."""

    def drawn(self, state: Any, *rest: Any) -> Any:
        return super().drawn(state, *rest)[0], state


class WaitsForItsRound(at.RemainingError):
    """Does not leave out of its first round what is in flight."""

    def ahead(self, state: Any, under_way: Any, open_: Any) -> Any:
        return super().ahead(state, np.zeros_like(under_way), open_)

    def drawn(self, state: Any, k: int, under_way: Any, open_: Any, *rest: Any) -> Any:
        return super().drawn(state, k, np.zeros_like(under_way), open_, *rest)


class CountsLostAsFailed(Sound):
    def dropped(self, state: Any, goals: Any) -> Any:
        return state._replace(failures=state.failures + np.bincount(goals, minlength=len(state[0])))


class MindsWhoLooks(Sound):
    def selection_probabilities(self, state: Any) -> Any:
        self.hidden[0] += 1
        return super().selection_probabilities(state)

    def learn(self, state: Any, results: Any) -> Any:
        state = super().learn(state, results)
        return state._replace(failures=state.failures + self.hidden[0])


class FloorOnCounts(Sound):
    """Adds to counts, so that its share depends on how many there are."""

    def selection_probabilities(self, state: Any) -> Any:
        weights = state.failures + self.floor / len(state.failures)
        return weights / weights.sum()


class SimulatorsFloor(at.FailureCounts):
    """What robot simulators call a floor."""

    @property
    def even_share(self) -> float:
        return self.ratio


class AsksTheWorld(Sound):
    def drawn(self, state: Any, k: int, *rest: Any) -> Any:
        return np.random.default_rng().permutation(np.flatnonzero(rest[1]))[:k], state


class KeepsSomethingBack(Sound):
    """Remembers how often it drew, which its state does not hold."""

    def drawn(self, state: Any, k: int, *rest: Any) -> Any:
        self.hidden[0] += 1
        return np.roll(np.flatnonzero(rest[1]), self.hidden[0])[:k], state


@pytest.mark.parametrize(
    ("selector", "law"),
    [
        (DrawsTwice(), "a batch of . goals has some twice, though p.g. holds"),
        (DrawsRetired(), "a goal that is retired was drawn"),
        (ForgetsWhatIsInFlight(Sound()), "does not count as visited"),
        (WaitsForItsRound(fresh=False, competence="success", draw="independent"), "first round"),
        (CountsLostAsFailed(), "results that are lost change p"),
        (
            MindsWhoLooks(),
            "depends on the order of results, or on how they are divided among calls",
        ),
        (FloorOnCounts(), r"its floor is 0.1 of p\(g\), so each of 7 goals has 0.01429 at least"),
        (SimulatorsFloor(), "its floor is 0.1"),
        (AsksTheWorld(), "two that were told the same choose other goals"),
        (KeepsSomethingBack(), "saved before step . and restored, it shows something else"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, at.GoalSelector) else "",
)
def test_each_law_is_held_against_one_that_breaks_it(selector: at.GoalSelector, law: str):
    with pytest.raises(ValueError, match=law):
        at.check_selector(selector, steps=5)


@pytest.mark.parametrize(
    "selector",
    [
        at.BidirectionalProgress(floor=0.1),
        at.Mopps(floor=0.1),
        at.Curious(epsilon=0.1, competence="success"),
        at.Learnability(epsilon=0.1, competence="success"),
        at.TeacherStudent(epsilon=0.1, competence="success"),
        at.TeacherStudent(variant="sampling", epsilon=0.1, competence="success"),
        at.RemainingError(epsilon=0.1, fresh=False, competence="success"),
        at.LowVariance(at.Mopps(floor=0.1)),
    ],
    ids=repr,
)
def test_a_floor_of_a_tenth_is_promised_and_kept(selector: at.GoalSelector):
    assert selector.even_share == 0.1
    check_flight(selector)
