"""Learners beside their networks: whose environment failed, who rests, whose goals are exchanged.

The program and the environments are doubles: nothing is compiled.
"""

from types import SimpleNamespace
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.environments import EnvironmentFailure, EnvironmentStep
from autotelic.learner.learner import Learner
from autotelic.objectives import Diayn
from autotelic.training.learners import Learners

MEMBERS, SEEDS, SIZE = [4, 7], [11, 12], 3
"""Two learners, which are the fifth and the eighth of their population."""


class Pool:
    """Environments that observe their number, and fail when they are told to."""

    def __init__(self, count: int, fails: str):
        self.count, self.fails, self.closed = count, fails, False

    def _call(self, name: str) -> np.ndarray:
        if name == self.fails:
            raise EnvironmentFailure(self.count - 1, "the wheel came off")
        return np.repeat(np.arange(self.count)[:, None], SIZE, axis=1)

    def reset(self) -> np.ndarray:
        return self._call("reset")

    def begin_episodes(self) -> np.ndarray:
        return self._call("begin_episodes") + 10

    def step(self, actions: np.ndarray) -> EnvironmentStep:
        seen, never = self._call("step"), np.zeros(self.count, bool)
        return EnvironmentStep(seen, never, never, seen)

    def restore(self, states: list[Any]) -> None:
        self._call("restore")

    def state(self) -> None:
        self._call("state")

    def close(self) -> None:
        self.closed = True


class World:
    """A host environment; pools: those that were made of it."""

    observation_size, action_size, episode_length = SIZE, 2, None

    def __init__(self, fails: str = ""):
        self.fails, self.pools = fails, []

    def pool(self, num_members: int, seeds: Any) -> Pool:
        assert num_members == len(set(seeds))
        self.pools.append(Pool(num_members, self.fails))
        return self.pools[-1]


class Program:
    """One that holds learners as they are given."""

    mesh = None

    def __init__(self, world: World, environments: int = 1, objective: Any = None, **setting: Any):
        values = {"steps_per_visit": 5, "steps_per_epoch": 10, "reset_on_goal_switch": True}
        self.environment = world
        self.functions = SimpleNamespace(
            setting=SimpleNamespace(
                environments=environments, objective=objective or Diayn(), **{**values, **setting}
            ),
            forget_payment=lambda learner: learner,
        )

    def spread(self, tree: Any) -> Any:
        return tree

    def own(self, tree: Any) -> Any:
        return tree

    def enlist(self, learners: Learners) -> int:
        return 0

    def init_host(self, keys: Any, observation: Any, number: Any) -> Learner:
        places: Any = jnp.zeros((2, 3, 1))
        return Learner((), places, (), jnp.zeros(0), jnp.zeros(0), number, observation, observation)


def learners_of(world: World, **changes: Any) -> Learners:
    program: Any = Program(world, **changes)
    return Learners(program, MEMBERS, SEEDS)


@pytest.mark.parametrize("environments", [1, 2])
@pytest.mark.parametrize(
    ("name", "call", "time"),
    [
        ("restore", lambda learners: learners.restore_environments([]), None),
        ("state", lambda learners: learners.environment_states(), None),
        ("begin_episodes", lambda learners: learners.begin_visit(1), 5),
        ("step", lambda learners: learners.step_pool(np.zeros((2, 2)), 3), 3),
    ],
)
def test_a_failure_names_the_member_of_the_population_and_when(
    name: str, call: Any, time: int | None, environments: int
):
    learners = learners_of(World(fails=name), environments=environments)
    with pytest.raises(EnvironmentFailure) as raised:
        call(learners)
    assert (raised.value.member, raised.value.time) == (7, time)


def test_environments_that_cannot_begin_are_closed():
    world = World(fails="reset")
    with pytest.raises(EnvironmentFailure) as raised:
        learners_of(world)
    assert raised.value.member == 7
    assert [pool.closed for pool in world.pools] == [True]


def test_every_member_has_the_observations_of_its_own_environments():
    alone, several = (learners_of(World(), environments=count) for count in (1, 2))
    assert np.asarray(alone.state.observation)[:, 0].tolist() == [0, 1]
    observation = np.asarray(several.state.observation)
    assert observation.shape == (2, 2, SIZE) and observation[..., 0].tolist() == [[0, 1], [2, 3]]


def test_a_visit_starts_where_the_first_environment_of_each_member_does():
    for count, expected in ((1, [10, 11]), (2, [10, 12])):
        found = learners_of(World(), environments=count).starts(0)
        assert found.shape == (2, SIZE) and found[:, 0].tolist() == expected
    going_on = learners_of(World(), environments=2, reset_on_goal_switch=False)
    assert going_on.starts(0)[:, 0].tolist() == [0, 2]


class Moving(Diayn):
    """Goal g of three moves to the first place achieved, but for the member that achieved none below 1."""

    moving_goals = True

    def exchanged(
        self, params: Any, achieved: np.ndarray, goal: int, generator: np.random.Generator
    ) -> tuple[Any, np.ndarray]:
        DRAWN.append(generator.random())
        replaced = (np.arange(3) == goal) & (achieved[0] < 1)
        return np.where(replaced[:, None], achieved[0], params), replaced


DRAWN: list[float] = []
ACHIEVED = np.array([[[0.5]], [[0.25]]])


def test_goals_of_each_member_are_exchanged_by_what_it_achieved():
    learners = learners_of(World(), objective=Moving())
    DRAWN.clear()
    first, second = learners.exchange_goals(0, [2, 0], ACHIEVED)
    assert first is not None and first.tolist() == [False, False, True]
    assert second is not None and second.tolist() == [True, False, False]
    assert learners.state.discriminator[..., 0].tolist() == [[0, 0, 0.5], [0.25, 0, 0]]
    learners.exchange_goals(1, [2, 0], ACHIEVED)
    assert len(set(DRAWN)) == 4  # of every member and visit
    assert learners.exchange_goals(2, [2, 0], ACHIEVED + 1) == [None, None]


def test_goals_of_a_member_that_rests_stay():
    learners = learners_of(World(), objective=Moving())
    learners.resting.add(0)
    first, second = learners.exchange_goals(0, [2, 0], ACHIEVED)
    assert first is None and second is not None
    assert learners.state.discriminator[..., 0].tolist() == [[0, 0, 0], [0.25, 0, 0]]
