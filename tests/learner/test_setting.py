import json
import re
from typing import Any

import gymnasium
import numpy as np
import pytest

import autotelic as at
from autotelic.agents import GmmSac, Sac
from autotelic.environments.gymnasium import GymnasiumEnvironment
from autotelic.environments.navigation2d import Navigation2D
from autotelic.learner.setting import Setting, describe, from_description
from autotelic.objectives import Diayn


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("num_goals", 0, ValueError),
        ("num_goals", 2.0, TypeError),
        ("steps_per_epoch", 1, ValueError),
        ("steps_per_goal", 1, ValueError),
        ("steps_per_goal", 2.0, TypeError),
        ("hidden_units", 0, ValueError),
        ("batch_size", 0, ValueError),
        ("batch_size", True, TypeError),
        ("learning_rate", 0.0, ValueError),
        ("learning_rate", float("nan"), ValueError),
        ("learning_rate", "3e-4", TypeError),
        ("replay_capacity", 0, ValueError),
        ("first_update", 0, ValueError),
        ("frozen", 1, TypeError),
        ("agent", GmmSac, TypeError),
        ("objective", "diayn", TypeError),
    ],
)
def test_a_bad_value_is_refused_by_name(name: str, value: Any, kind: type[Exception]):
    with pytest.raises(kind, match=name):
        Setting(**{name: value})


@pytest.mark.parametrize(
    ("steps_per_goal", "steps", "visits"),
    [(None, 1000, 1), (1000, 1000, 1), (200, 200, 5), ("auto", 100, 10)],
)
def test_an_epoch_is_divided_into_visits(steps_per_goal: Any, steps: int, visits: int):
    setting = Setting(steps_per_goal=steps_per_goal)
    assert (setting.steps_per_visit, setting.visits_per_epoch) == (steps, visits)


@pytest.mark.parametrize(
    ("steps_per_goal", "near"), [(300, "250 and 500"), (3, "2 and 4"), (2000, ": 1000")]
)
def test_goals_that_do_not_fill_an_epoch_are_refused_with_the_nearest_that_do(
    steps_per_goal: int, near: str
):
    message = f"steps_per_goal {steps_per_goal} must divide steps_per_epoch 1000, .*{near}$"
    with pytest.raises(ValueError, match=message):
        Setting(steps_per_epoch=1000, steps_per_goal=steps_per_goal)


def test_the_replay_is_sized_from_the_run():
    setting = Setting(steps_per_epoch=1000)
    assert setting.capacity(epochs=30) == 30_000
    assert setting.capacity(epochs=1000) == 1_000_000
    assert setting.capacity(epochs=5000) == 1_000_000
    assert Setting(replay_capacity=500).capacity(epochs=30) == 500


def test_a_batch_larger_than_the_replay_is_refused_with_the_numbers():
    short = Setting(batch_size=128, steps_per_epoch=20)
    with pytest.raises(ValueError, match=r"batch_size 128 .* 100 rows .*5 epochs x 20 steps = 100"):
        short.capacity(epochs=5)
    assert short.capacity(epochs=7) == 140
    with pytest.raises(ValueError, match=r"batch_size 128 .*replay_capacity is 127"):
        Setting(batch_size=128, replay_capacity=127).capacity(epochs=100)
    assert Setting(batch_size=128, replay_capacity=127, frozen=True).capacity(epochs=100) == 127


SETTINGS = {
    "defaults": Setting(),
    "a name with options": Setting("HalfCheetah-v5", {"xml_file": "half_cheetah.xml"}),
    "a navigation object": Setting(Navigation2D(noise=0.1, resets=False)),
    "a Gymnasium object": Setting(GymnasiumEnvironment("Pendulum-v1", {"g": 9.0}, "serial")),
    "other parts": Setting(
        agent=Sac(tune_entropy=True), objective=Diayn("obs", "current", features=(1,))
    ),
    "several goals an epoch": Setting(steps_per_goal=200),
    "numbers of NumPy": Setting(
        num_goals=np.int64(3),
        learning_rate=np.float32(0.5),
        environment_options={"noise": np.float64(0.25)},
    ),
}


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_a_setting_comes_back_from_its_json(setting: Setting):
    description = json.loads(json.dumps(describe(setting)))
    again = from_description(description)
    assert describe(again) == description
    assert (again.agent, again.objective) == (setting.agent, setting.objective)
    sizes = [(e.observation_size, e.action_size) for e in map(_made, (setting, again))]
    assert sizes[0] == sizes[1]


def _made(setting: Setting):
    return setting.make_environment()


def test_a_navigation_object_comes_back_equal():
    environment = Navigation2D(action_range=0.1, episode_length=7)
    assert from_description(describe(Setting(environment))).make_environment() == environment


class OwnEnvironment:
    observation_size, action_size, episode_length = 2, 2, None

    def reset(self, key): ...

    def step(self, state, action, key): ...


class OwnAgent(GmmSac):
    pass


def _make_pendulum() -> gymnasium.Env:
    return gymnasium.make("Pendulum-v1")


@pytest.mark.parametrize(
    ("environment", "text"),
    [
        (_make_pendulum, "<function _make_pendulum>"),
        (OwnEnvironment(), "OwnEnvironment()"),
    ],
)
def test_what_has_no_name_is_described_alike_in_every_process(environment: Any, text: str):
    """A memory address would make a run look like another one when it is resumed."""
    description = describe(Setting(environment))
    assert description["environment"] == text
    with pytest.raises(ValueError, match=r"load\(folder, setting=\.\.\.\), in the shell: --envir"):
        from_description(description).make_environment()


def test_parts_that_are_not_ours_are_not_rebuilt_from_a_file():
    description = describe(Setting(agent=OwnAgent()))
    with pytest.raises(ValueError, match=r"OwnAgent.*load\(folder, setting=\.\.\.\)"):
        from_description(description)
    description = describe(Setting()) | {"objective": {"name": "os.system", "command": "true"}}
    with pytest.raises(ValueError, match=r"objective 'os.system' is not one of autotelic's"):
        from_description(description)


def test_an_unknown_setting_in_a_file_is_named():
    with pytest.raises(ValueError, match=r"'hiden_units'.*Did you mean 'hidden_units'"):
        from_description(describe(Setting()) | {"hiden_units": 3})


@pytest.mark.parametrize("name", ["agent", "objective"])
def test_what_a_refusal_recommends_can_be_had(name: str):
    with pytest.raises(TypeError, match=f"{name} must be an") as refused:
        at.Setting(**{name: "sac"})
    found = re.search(r"such as autotelic\.(\w+)\.(\w+)\(\)", str(refused.value))
    assert found is not None
    recommended = getattr(getattr(at, found[1]), found[2])()
    assert getattr(at.Setting(**{name: recommended}), name) == recommended
