"""The same epoch in host environments: Gymnasium ids, one compiled call per step."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from tiny_runs import (
    EPISODE,
    EPOCHS,
    STEPS,
    SaveableCorridor,
    replay_rows,
    run,
    tiny_gymnasium,
)

from autotelic.runs.run import load

pytestmark = pytest.mark.usefixtures("same_crews")


def test_navigation_through_gymnasium_gives_the_history_of_the_jax_path(
    finished: Path, tmp_path: Path
):
    setting = tiny_gymnasium(
        "autotelic/Navigation2D-v0", environment_options={"max_episode_steps": EPISODE}
    )
    history = run(tmp_path, setting=setting).history.query("epoch < 3")
    expected = load(finished).history.query("epoch < 3")
    assert history.goal.tolist() == expected.goal.tolist()
    numbers = expected.select_dtypes("number").columns
    np.testing.assert_allclose(history[numbers], expected[numbers], rtol=1e-2, atol=1e-4)


def test_a_learner_acts_on_the_reset_observation_and_only_a_true_end_is_terminated(
    tmp_path: Path,
):
    """See `Corridor`: in every ten steps number 3 terminates, and number 9 is a time-out."""
    rows = replay_rows(run(tmp_path, setting=tiny_gymnasium(SaveableCorridor)))
    capacity = rows["goal"].shape[1]
    for step in range(EPOCHS * STEPS - capacity + 1, EPOCHS * STEPS):
        now, before = step % capacity, (step - 1) % capacity
        np.testing.assert_array_equal(rows["terminated"][:, now], float(step % 10 == 3))
        begun = step % 10 in (4, 0)
        time = rows["observation"][:, now, 1]
        if begun:
            np.testing.assert_array_equal(time, 0.0)
            end = {4: 0.4, 0: 0.6}[step % 10]
            np.testing.assert_allclose(rows["next_observation"][:, before, 1], end)
        else:
            np.testing.assert_array_equal(
                rows["observation"][:, now], rows["next_observation"][:, before]
            )


def test_actions_reach_an_environment_within_its_asymmetric_bounds(tmp_path: Path):
    """Replay holds a in [-1, 1]; a Corridor moves by -0.1 at -1, by 0.3 at 1."""
    rows = replay_rows(run(tmp_path, setting=tiny_gymnasium(SaveableCorridor)))
    moved = rows["next_observation"][..., 0] - rows["observation"][..., 0]
    action = rows["action"][..., 0]
    assert np.abs(action).max() > 0.5
    np.testing.assert_allclose(moved, 0.1 + 0.2 * action, atol=1e-5)


class Lopsided(gymnasium.Wrapper):
    """Hopper whose joints turn further one way than the other."""

    def __init__(self, environment: gymnasium.Env):
        super().__init__(environment)
        self.action_space = gymnasium.spaces.Box(
            np.array([-0.2, -1.0, 0.0], np.float32), np.array([1.0, 0.5, 0.1], np.float32)
        )


def make_lopsided() -> gymnasium.Env:
    return Lopsided(gymnasium.make("Hopper-v5"))


NEVER_FALL = ("Pendulum-v1", "MountainCarContinuous-v0", "Reacher-v5")


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    [
        *NEVER_FALL,
        pytest.param("Hopper-v5", marks=pytest.mark.thorough),
        pytest.param("InvertedPendulum-v5", marks=pytest.mark.thorough),
        make_lopsided,
    ],
)
def test_other_gymnasium_environments_are_learned_in(environment: Any, tmp_path: Path):
    runs = run(tmp_path, setting=tiny_gymnasium(environment), epochs=2)
    history = runs.history
    assert len(history) == 2 * len(runs.members)
    assert np.isfinite(history.filter(like="loss_")).all(axis=None)
    rows = replay_rows(runs)
    assert (np.abs(rows["action"]) <= 1.0).all()
    assert np.isfinite(rows["next_observation"]).all()
    # Nobody is at rest, and what can fall has fallen.
    assert (rows["next_observation"] != rows["observation"]).any(axis=-1)[:, : 2 * STEPS].all()
    assert rows["terminated"].any() == (environment not in NEVER_FALL)
