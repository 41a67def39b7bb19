"""Environments of Brax and MuJoCo Playground by id: against modules of the same shape, and the real ones."""

import sys
from types import ModuleType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import METHODS, Notes, assert_same_run, run, tiny

from autotelic.cli import main
from autotelic.environments import make_environment

LENGTH = 7


class State(NamedTuple):
    obs: Any
    reward: Any
    done: Any
    info: Any


class Walk:
    """A point that starts anywhere in [0, 1], moves by its action and ends beyond 2."""

    action_size = 1

    def __init__(self, speed: float = 1.0, as_dict: bool = False, picture: bool = False):
        self.speed, self.as_dict, self.picture = speed, as_dict, picture

    def _seen(self, place: Any) -> Any:
        vector = jnp.stack([place, 10 * place])
        if self.picture:
            return {"pixels": jnp.zeros((4, 4, 3))}
        return {"state": vector, "privileged_state": vector} if self.as_dict else vector

    def reset(self, key: Any) -> State:
        place = jax.random.uniform(key, ())
        return State(self._seen(place), 0.0, 0.0, {"place": place, "rng": key})

    def step(self, state: State, action: Any) -> State:
        place = state.info["place"] + self.speed * action[0]
        info = {**state.info, "place": place}
        # As integers and booleans, which a package may return where it began with floats.
        return State(self._seen(place), jnp.int32(place * 4), place > 2.0, info)


class Config(dict):
    episode_length = LENGTH


@pytest.fixture
def suites(monkeypatch):
    """Both packages, of one environment each and another that is never made."""
    brax, envs = ModuleType("brax"), ModuleType("brax.envs")
    envs._envs = {"walk": Walk, "walker2d": Walk}
    envs.get_environment = lambda name, **options: envs._envs[name](**options)
    playground, registry = ModuleType("mujoco_playground"), ModuleType("registry")
    playground.registry = registry  # an attribute, not a module that can be imported
    registry.ALL_ENVS = ("CheetahRun", "WalkerWalk")
    # Walks in JAX, or by kernels of Warp; the other environment has no choice.
    config = {"CheetahRun": {"impl": "warp"}, "WalkerWalk": {}}

    def load(name: str, config_overrides: dict[str, Any]) -> Walk:
        chosen = {**config[name], **config_overrides}
        assert set(chosen) - {"speed", "picture"} == set(config[name])
        assert chosen.pop("impl", "jax") == "jax"
        return Walk(as_dict=True, **chosen)

    registry.load = load
    registry.get_default_config = lambda name: Config(config[name])
    for module in (brax, envs, playground):
        monkeypatch.setitem(sys.modules, module.__name__, module)


def test_an_id_makes_an_environment_with_its_sizes(suites):
    walk = make_environment("brax::walk")
    assert (walk.observation_size, walk.action_size, walk.episode_length) == (2, 1, 1000)
    assert walk.pays_reward
    for name in ("CheetahRun", "WalkerWalk"):
        walker = make_environment(f"playground::{name}")
        assert (walker.observation_size, walker.episode_length) == (2, LENGTH)
    assert make_environment("brax::walk", episode_length=3).episode_length == 3


def walked(environment: Any, actions: list[float]) -> tuple[Any, list[Any]]:
    """The first observation, and the steps that follow."""
    state, first = environment.reset(jax.random.key(0))
    step = jax.jit(environment.step)
    steps = []
    for number, action in enumerate(actions):
        state, found = step(state, jnp.array([action]), jax.random.key(number + 1))
        steps.append(jax.tree.map(np.asarray, found))
    return np.asarray(first), steps


def test_an_episode_that_ends_itself_is_terminated_and_the_next_starts_elsewhere(suites):
    first, steps = walked(make_environment("brax::walk", speed=2.0), [0.1, 1.0, 0.0])
    place = first[0] + 0.2
    np.testing.assert_allclose(steps[0].next_observation, [place, 10 * place], rtol=1e-5)
    np.testing.assert_array_equal(steps[0].observation, steps[0].next_observation)
    assert steps[0].reward == int(place * 4)
    assert not steps[0].terminated and not steps[0].truncated
    np.testing.assert_allclose(steps[1].next_observation[0], place + 2.0, rtol=1e-5)
    assert steps[1].terminated and not steps[1].truncated
    assert 0 <= steps[1].observation[0] <= 1 and steps[1].observation[0] != first[0]
    np.testing.assert_array_equal(steps[2].next_observation, steps[1].observation)


def test_the_time_limit_truncates_and_counts_anew(suites):
    _, steps = walked(make_environment("playground::CheetahRun"), [0.0] * 15)
    ends = [number for number, step in enumerate(steps, 1) if step.truncated]
    assert ends == [LENGTH, 2 * LENGTH]
    assert not any(step.terminated for step in steps)


def test_what_is_missing_or_unknown_is_said_with_the_remedy(suites, monkeypatch, tmp_path, capsys):
    with pytest.raises(ValueError, match=r"unknown environment 'brax::wlak'; nearest: brax::walk"):
        make_environment("brax::wlak")
    with pytest.raises(ValueError, match=r"nearest: playground::CheetahRun$"):
        make_environment("playground::cheetahrun")
    with pytest.raises(ValueError, match=r"unknown suite of environments 'brux'.*'brax'"):
        make_environment("brux::walk")
    with pytest.raises(ValueError, match=r"brax::walk cannot be made with .*spede"):
        make_environment("brax::walk", spede=2.0)
    with pytest.raises(ValueError, match="brax::walk observes pixels, and no 'state'"):
        make_environment("brax::walk", picture=True)
    with pytest.raises(ValueError, match="impl must be 'jax', got 'warp'; leave it out"):
        make_environment("playground::CheetahRun", impl="warp")
    with pytest.raises(ValueError, match="episode_length must be at least 1, got 0"):
        make_environment("brax::walk", episode_length=0)
    for name in ("brax.envs", "mujoco_playground"):
        monkeypatch.setitem(sys.modules, name, None)
    for id in ("brax::ant", "playground::CheetahRun"):
        assert main(["train", id, "--out", str(tmp_path / "run")]) == 2
        assert f"pip install 'autotelic[{id.partition('::')[0]}]'" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.thorough
def test_learners_train_in_one_and_go_on_bit_for_bit(suites, tmp_path):
    setting = tiny(environment="brax::walk", environment_options={"episode_length": LENGTH})
    methods = {"DIAYN": METHODS["DIAYN"]}
    notes = Notes()
    one = {"setting": setting, "methods": methods, "observers": [notes]}
    run(tmp_path / "whole", epochs=2, **one)
    assert sum("brax::walk is physics compiled for acc" in said for said in notes.messages) == 1
    run(tmp_path / "begun", epochs=1, **one)
    run(tmp_path / "begun", epochs=2, resume=True, **one)
    assert_same_run(tmp_path / "begun", tmp_path / "whole")


@pytest.mark.filterwarnings("default")  # of the package itself
def test_brax_itself():
    pytest.importorskip("brax")
    ant = make_environment("brax::ant", backend="spring")
    assert (ant.observation_size, ant.action_size, ant.episode_length) == (27, 8, 1000)
    _, steps = walked(make_environment("brax::fast", episode_length=2), [1.0, 1.0, 1.0])
    assert [bool(step.truncated) for step in steps] == [False, True, False]
    assert steps[1].next_observation[0] > 0 and steps[1].observation[0] == 0


@pytest.mark.filterwarnings("default")  # of the package itself
def test_playground_itself(tmp_path):
    pytest.importorskip("mujoco_playground")
    cheetah = make_environment("playground::CheetahRun")
    assert (cheetah.observation_size, cheetah.action_size) == (17, 6)
    assert cheetah.episode_length == 1000
    setting = tiny(environment="playground::CartpoleBalance")
    run(tmp_path / "run", epochs=2, setting=setting, methods={"DIAYN": METHODS["DIAYN"]})
