"""Which entries of an observation are a position: found by stepping an environment once."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box

from autotelic.environments import make_environment, position_entries_of


class Walker(gymnasium.Env):
    """Observes [0, height, x, y or its square]; says x and y of a step, not of a reset."""

    def __init__(self, squared: bool = False, still: bool = False, ends: bool = False):
        self.observation_space = Box(-np.inf, np.inf, (4,), np.float32)
        self.action_space = Box(-1.0, 1.0, (2,), np.float32)
        self.squared, self.still, self.ends = squared, still, ends
        self.place = np.zeros(2)

    def reset(self, *, seed: int | None = None, options: Any = None):
        super().reset(seed=seed)
        self.place = np.zeros(2)
        return self._observation(), {}

    def step(self, action: np.ndarray) -> Any:
        self.place = self.place + (not self.still) * action
        said = {"x_position": self.place[0], "y_position": self.place[1]}
        return self._observation(), 0.0, self.ends, False, said

    def _observation(self) -> np.ndarray:
        x, y = self.place
        return np.array([0.0, 3.0, x, y**2 if self.squared else y], np.float32)


@pytest.mark.parametrize(
    ("options", "entries"),
    [
        ({}, (2, 3)),
        ({"squared": True}, ()),  # y cannot be set where it is not told
        ({"still": True}, ()),  # entry 0 is always 0 as well
        ({"ends": True}, ()),  # one step shows nothing that changes
    ],
)
def test_the_entries_that_follow_the_position_are_found(options: Any, entries: tuple[int, ...]):
    assert position_entries_of(make_environment(Walker, **options)) == entries


@pytest.mark.parametrize(
    ("name", "entries"), [("Ant-v5", (0, 1)), ("HalfCheetah-v5", (0,)), ("Pendulum-v1", ())]
)
def test_tasks_of_gymnasium_have_them_where_they_are_asked_for(name: str, entries: Any):
    assert position_entries_of(make_environment(name)) == ()
    if entries:
        shown = make_environment(name, exclude_current_positions_from_observation=False)
        assert position_entries_of(shown) == entries


def test_compiled_environments_declare_them():
    assert position_entries_of(make_environment("navigation2d")) == (0, 1)
    assert position_entries_of(make_environment("autotelic/Navigation2D-v0")) == (0, 1)
    assert position_entries_of(object()) == ()
