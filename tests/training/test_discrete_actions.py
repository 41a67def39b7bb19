"""Discrete actions from the setting to the evaluation: the agent that fits is taken, one that does not is
refused.
"""

import json
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from own_things import Timid
from tiny_runs import (
    EPOCHS,
    METHODS,
    Stop,
    StopAfter,
    assert_same_run,
    replay_rows,
    run,
    tiny,
    tiny_gymnasium,
)

import autotelic as at
from autotelic.agents import Agent, AutoSac, DiscreteSac, GmmSac, Sac
from autotelic.environments import EnvironmentStep
from autotelic.learner.setting import Setting
from autotelic.runs.run import load

pytestmark = pytest.mark.usefixtures("same_crews")

NAMES = ("CartPole-v1", "Acrobot-v1")


def discrete(environment: Any, **changes: Any) -> Setting:
    """A tiny setting that leaves the agent open; of Gymnasium's, episodes of 15 steps at most."""
    options = {"max_episode_steps": 15} if isinstance(environment, str) else {}
    return tiny_gymnasium(
        environment, **{"agent": Setting().agent, "environment_options": options, **changes}
    )


@pytest.fixture(scope="module", params=NAMES)
def trained(request: Any, tmp_path_factory: pytest.TempPathFactory, same_crews: None) -> Path:
    """The folder of a run in one of the environments, never interrupted."""
    folder = tmp_path_factory.mktemp("discrete") / request.param
    return run(folder, setting=discrete(request.param), epochs=2).folder


def test_the_agent_for_the_actions_is_taken_and_written_down(trained: Path):
    described = json.loads((trained / "run.json").read_text())
    assert described["setting"]["agent"]["name"] == "discrete-sac"
    assert described["sizes"]["discrete_actions"] is True
    agent = DiscreteSac(tune_entropy=True)
    assert load(trained).setting.agent == agent
    setting = discrete(trained.name)
    for given in (setting, discrete(trained.name, agent=agent)):
        assert load(trained, setting=given).setting.agent == agent
    with pytest.raises(ValueError, match=r"agent was .*discount': 0\.99.*, now .*discount': 0\.5"):
        load(trained, setting=discrete(trained.name, agent=AutoSac(discount=0.5)))


def test_replay_holds_one_hot_actions_and_learning_goes_on(trained: Path):
    runs = load(trained)
    actions = replay_rows(runs)["action"]
    assert actions.shape[-1] == {"CartPole-v1": 2, "Acrobot-v1": 3}[trained.name]
    np.testing.assert_array_equal(actions[:, :40].sum(axis=-1), 1.0)
    assert set(np.unique(actions)) == {0.0, 1.0}
    assert (actions[:, :40].sum(axis=1) > 0).all()  # each is taken
    assert np.isfinite(runs.history.filter(like="loss_")).all(axis=None)


def test_skills_are_sampled_and_evaluated(trained: Path):
    runs = load(trained)
    sampled = at.sample_trajectories(runs, per_goal=2, steps=10)
    best = at.sample_trajectories(runs, per_goal=2, steps=10, deterministic=True)
    assert sampled.observations.shape == best.observations.shape == (2, 3, 2, 11, *_width(runs))
    assert not np.array_equal(sampled.observations, best.observations, equal_nan=True)
    found = at.evaluate(runs, per_goal=4, steps=10).table
    accuracy = found.query("metric == 'held_out_accuracy'")["value"]
    assert len(accuracy) == 4 and accuracy.between(0.0, 1.0).all()


def _width(runs: at.Runs) -> tuple[int]:
    return (runs.description["sizes"]["observation_size"],)


@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_resumed_to_the_bit(name: str, tmp_path: Path):
    setting = discrete(name)
    run(tmp_path / "whole", setting=setting)
    with pytest.raises(Stop):
        run(tmp_path / "parts", setting=setting, observers=[StopAfter(2)])
    run(tmp_path / "parts", setting=setting, resume=True)
    assert_same_run(tmp_path / "parts", tmp_path / "whole")


WRONG = [
    (
        "CartPole-v1",
        Sac(tune_entropy=True),
        "discrete",
        "continuous",
        "DiscreteSac",
        "discrete-sac",
    ),
    ("CartPole-v1", GmmSac(), "discrete", "continuous", "DiscreteSac", "discrete-sac"),
    ("Pendulum-v1", DiscreteSac(), "continuous", "discrete", "Sac", "sac"),
]


@pytest.mark.parametrize(("environment", "agent", "has", "takes", "choice", "word"), WRONG)
def test_an_agent_of_the_wrong_kind_is_refused_before_work_starts(
    environment: str, agent: Agent, has: str, takes: str, choice: str, word: str, tmp_path: Path
):
    said = (
        rf"^{environment} has {has} actions, and the agent {type(agent).__name__} takes {takes} ones; "
        rf"leave the agent out, or choose {choice} \(--agent {word}\)$"
    )
    with pytest.raises(ValueError, match=said):
        run(tmp_path / "run", setting=tiny_gymnasium(environment, agent=agent))
    assert not (tmp_path / "run").exists()


def test_an_option_of_the_other_agent_is_refused(tmp_path: Path):
    setting = discrete("CartPole-v1", agent=AutoSac(target_entropy=-3.0))
    with pytest.raises(ValueError, match=r"target_entropy -3\.0 is an option of Sac"):
        run(tmp_path / "run", setting=setting)


def test_continuous_actions_are_learned_by_sac(tmp_path: Path):
    runs = run(tmp_path, setting=tiny(agent=AutoSac(discount=0.9)), epochs=1)
    assert (
        runs.setting.agent == load(tmp_path).setting.agent == Sac(tune_entropy=True, discount=0.9)
    )
    assert runs.description["sizes"]["discrete_actions"] is False


class Steps:
    """A JAX environment of one's own: a point on a line, one of three steps at a time."""

    observation_size, action_size, episode_length = 2, 3, 15
    discrete_actions = True

    def reset(self, key: Any) -> Any:
        return jnp.zeros(2), jnp.zeros(2)

    def step(self, state: Any, action: Any, key: Any) -> Any:
        state = state + jnp.stack([jnp.argmax(action) - 1.0, 1 / self.episode_length])
        over = state[1] > 0.99
        after = jnp.where(over, 0.0, state)
        return after, EnvironmentStep(state, jnp.zeros((), bool), over, after)


def test_a_jax_environment_of_ones_own_may_have_discrete_actions(tmp_path: Path):
    setting = discrete(Steps())
    runs = run(tmp_path, setting=setting, epochs=2)
    assert runs.setting.agent == DiscreteSac(tune_entropy=True)
    rows = replay_rows(runs)
    moved = rows["next_observation"][..., 0] - rows["observation"][..., 0]
    np.testing.assert_array_equal(moved[:, :40], rows["action"].argmax(axis=-1)[:, :40] - 1.0)
    assert load(tmp_path, setting=setting).setting.agent == DiscreteSac(tune_entropy=True)
    at.sample_trajectories(runs, per_goal=1)


def test_other_settings_go_with_discrete_actions(tmp_path: Path):
    others = {"normalize_observations": "fixed", "environments": 2, "updates_per_step": 2.0}
    runs = run(tmp_path, setting=discrete("CartPole-v1", **others), epochs=1)
    assert np.isfinite(runs.history.filter(like="loss_")).all(axis=None)


def test_goals_are_selected_by_what_the_agent_holds_them_to_be_worth(tmp_path: Path):
    methods = {**METHODS, "regret": at.ValueRegret()}
    runs = run(tmp_path, setting=discrete("CartPole-v1"), methods=methods)
    scores = runs.history.query("method == 'regret'").filter(like="signal").to_numpy()
    assert len(scores) == EPOCHS and np.isfinite(scores).all()
    np.testing.assert_allclose(scores.sum(axis=1), 0.0, atol=1e-6)  # z-scores
    uneven = runs.history.query("method == 'regret' and epoch > 0").effective_selection
    assert (uneven < 2.9).all()
    with pytest.raises(ValueError, match=r"'regret' needs values, .*Timid.*--agent sac"):
        run(tmp_path / "other", setting=tiny(agent=Timid()), methods=methods)
