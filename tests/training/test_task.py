"""Runs that are paid by their environment: returns by hand, what replay holds, and policies to begin with."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import run, tiny

import autotelic as at
from autotelic.agents import Sac
from autotelic.environments import EnvironmentStep
from autotelic.learner.learner import learner_functions
from autotelic.learner.plan import sizes_of
from autotelic.objectives import Diayn, Task
from autotelic.runs.store import CheckpointStore
from autotelic.training.crew import _mean_return

LENGTH = 15


@dataclass(frozen=True)
class Wages:
    """Pays 1, 2, 3 ... in an episode of LENGTH steps, whatever is done."""

    observation_size = 1
    action_size = 2
    episode_length = LENGTH
    pays_reward = True

    def reset(self, key: Any) -> Any:
        del key
        return jnp.zeros(()), jnp.zeros(1)

    def step(self, state: Any, action: Any, key: Any) -> Any:
        del action, key
        time = state + 1.0
        over = time >= LENGTH
        after = jnp.where(over, 0.0, time)
        never = jnp.zeros((), bool)
        return after, EnvironmentStep(time[None] / 9, never, over, after[None] / 9, time)


def paid(**changes: Any) -> at.Setting:
    values: dict[str, Any] = {
        "environment": Wages(),
        "environment_options": {},
        "num_goals": 1,
        "objective": Task(),
        "agent": Sac(),
    }
    return tiny(**{**values, **changes})


@pytest.mark.thorough
def test_returns_are_of_whole_episodes_across_epochs(tmp_path: Path):
    # 20 steps an epoch: the second and third episodes begin in one epoch and end in the next.
    whole = LENGTH * (LENGTH + 1) / 2
    runs = run(tmp_path, setting=paid(), methods={"A": at.RoundRobin()}, epochs=3, evaluate_every=3)
    assert runs.history["return"].tolist() == [whole] * 3
    assert runs.history["certainty"].tolist() == [1.0] * 3
    assert runs.learning_curve["return"].tolist() == [whole] * 2  # type: ignore[index]
    checkpoint = CheckpointStore(runs.folder).load_latest()
    assert checkpoint is not None and checkpoint.replay is not None
    layout = runs.functions().layout
    rows = layout.unpack(checkpoint.replay.rings[0][0])
    np.testing.assert_array_equal(rows["reward"][:20], [*range(1, 16), *range(1, 6)])


def test_an_epoch_without_an_end_has_no_return():
    assert _mean_return(np.array([np.nan, 3.0, np.nan, 6.0])) == 4.5
    assert np.isnan(_mean_return(np.full(4, np.nan)))


def test_payments_of_several_environments_are_kept_apart():
    setting = paid(environments=2, updates_per_step=0.5)
    functions = learner_functions(setting, sizes_of(Wages()), 1)
    learner = functions.init(jax.random.key(0), jnp.zeros(2), jnp.zeros((2, 1)))
    seen, never = jnp.zeros((2, 1)), jnp.zeros(2, bool)
    found = []
    for reward, over in (([1.0, 5.0], [0, 0]), ([2.0, 6.0], [0, 1]), ([3.0, 7.0], [1, 0])):
        step = EnvironmentStep(seen, never, jnp.array(over, bool), seen, jnp.array(reward))
        learner, rows = functions.move(
            learner, jnp.zeros((2, 2)), step, jnp.array(0), jnp.ones(1), jnp.zeros(1)
        )
        found.append(np.asarray(functions.layout.unpack(rows)["returned"]))
    np.testing.assert_array_equal(found, [[np.nan, np.nan], [np.nan, 11.0], [6.0, np.nan]])
    np.testing.assert_array_equal(learner.paid, [0.0, 7.0])


def test_rows_hold_a_reward_only_where_it_is_asked_for():
    sizes = sizes_of(Wages())
    named = [
        [name for name, _ in learner_functions(setting, sizes, 1).layout.fields]
        for setting in (paid(), paid(objective=Diayn(), num_goals=2))
    ]
    assert "reward" in named[0] and not {"reward", "returned"} & set(named[1])


def test_what_pays_nothing_is_refused_before_a_folder_is_made(tmp_path: Path):
    for environment in ("navigation2d", "autotelic/Navigation2D-v0"):
        with pytest.raises(ValueError, match=f"{environment} pays no reward"):
            run(tmp_path / "new", setting=paid(environment=environment), epochs=2)
    assert not (tmp_path / "new").exists()
