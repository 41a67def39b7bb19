"""Films of skills, as far as a machine can draw."""

import base64
import io
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import jax.numpy as jnp
import numpy as np
import PIL.Image
import pytest
from gymnasium.spaces import Box

import autotelic as at
from autotelic.environments import EnvironmentStep, drawing
from autotelic.learner.setting import Setting
from autotelic.report import films as module
from autotelic.report.films import EVERY, HEIGHT, WIDTH, Camera, films, strip
from autotelic.runs.run import Runs
from autotelic.training.train import train


class Counter(gymnasium.Env):
    """Shows how many steps it made as the brightness of a picture."""

    observation_space = action_space = Box(-1.0, 1.0, (1,), np.float32)

    def __init__(self) -> None:
        self.steps = 0

    def reset(self, **_: Any):
        return np.zeros(1, np.float32), {}

    def step(self, action: Any):
        self.steps += 1
        return np.zeros(1, np.float32), 0.0, False, False, {}

    def render(self) -> Any:
        return np.full((6, 8, 3), self.steps, np.uint8)


@dataclass(frozen=True)
class Clock:
    """A JAX environment that observes the time, and shows it as the brightness of a picture."""

    observation_size, action_size, episode_length = 1, 1, 12
    broken: bool = False

    def reset(self, key: Any) -> Any:
        return jnp.zeros(1), jnp.zeros(1)

    def step(self, state: Any, action: Any, key: Any) -> Any:
        later = state + 1.0
        over = later[0] >= self.episode_length
        after = jnp.where(over, 0.0, later)
        return after, EnvironmentStep(later, jnp.zeros((), bool), over, after)

    def render(self, observation: Any) -> Any:
        if self.broken:
            raise RuntimeError("no <ink>")
        return np.full((6, 8, 3), 20 * observation[0], np.uint8)


def shown(address: str) -> np.ndarray:
    """The pixels [height, width] of a strip, in grey."""
    kind, data = address.split(",")
    assert kind == "data:image/jpeg;base64"
    return np.asarray(PIL.Image.open(io.BytesIO(base64.b64decode(data))))[..., 0].astype(int)


def tiny(environment: Any, folder: Path) -> Runs:
    setting = Setting(
        environment=environment,
        num_goals=2,
        steps_per_epoch=20,
        hidden_units=8,
        batch_size=8,
        first_update=8,
    )
    return train(setting, {"A": at.Uniform()}, [0], 1, folder)


def test_a_camera_films_every_few_steps_of_the_first_episode():
    camera = Camera(Counter())
    camera.reset(seed=0)
    for _ in range(2 * EVERY + 1):
        camera.step(np.zeros(1))
    camera.reset()
    for _ in range(EVERY):
        camera.step(np.zeros(1))
    assert [int(frame[0, 0, 0]) for frame in camera.frames] == [0, EVERY, 2 * EVERY]


def test_frames_lie_side_by_side():
    frames = [np.full((6, 8, 3), value, np.uint8) for value in (0, 100, 200)]
    sheet = shown(strip(frames))
    assert sheet.shape == (HEIGHT, 3 * WIDTH)
    np.testing.assert_allclose(sheet[HEIGHT // 2, WIDTH // 2 :: WIDTH], [0, 100, 200], atol=3)


def test_a_frame_keeps_its_proportions():
    sheet = shown(strip([np.full((8, 8, 3), 200, np.uint8)]))
    white = np.flatnonzero(sheet[HEIGHT // 2] > 100)
    np.testing.assert_allclose([white[0], white[-1]], [20, 139], atol=2)  # 120 of 160, the middle


def test_compiled_environments_whose_paths_are_drawn_have_no_films(runs: Runs):
    assert films(runs, runs.members[0]) == ""


@pytest.mark.thorough
def test_a_jax_environment_that_renders_is_filmed(tmp_path: Path):
    page = films(tiny(Clock(), tmp_path / "run"), ("A", 0))
    strips = re.findall(r"--frames: 3; .*?url\((.*?)\)", page)  # of an episode of 12 steps
    assert len(strips) == page.count('class="film"') == 2
    for sheet in map(shown, strips):
        brightness = sheet[HEIGHT // 2, WIDTH // 2 :: WIDTH]
        np.testing.assert_allclose(brightness, [0, 20 * EVERY, 40 * EVERY], atol=3)


def test_a_jax_environment_that_fails_to_render_says_why(tmp_path: Path):
    page = films(tiny(Clock(broken=True), tmp_path / "run"), ("A", 0))
    assert "could not be rendered here (RuntimeError: no &lt;ink&gt;)" in page


@pytest.mark.thorough
def test_why_there_are_none_is_said_and_escaped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(module, "HostEnvironment", SimpleNamespace)
    monkeypatch.setattr(drawing, "ways_to_draw", lambda *_: [{}])
    setting = SimpleNamespace(num_goals=2)
    fake: Any = SimpleNamespace(
        setting=setting, environment=SimpleNamespace(), folder=tmp_path / "<b>", given=None
    )
    page = films(fake, ("A", 0))
    assert page.startswith('<p class="note">There are no films: the environment could not be')
    assert "holds no run" in page and "&lt;b&gt;" in page and "<b>" not in page
    setting.num_goals = 31
    assert "those of 30 skills at most" in films(fake, ("A", 0))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="draws without a screen")
@pytest.mark.thorough
def test_a_mujoco_task_is_filmed(tmp_path: Path):
    page = films(tiny("InvertedPendulum-v5", tmp_path / "run"), ("A", 0))
    if "no films" in page:
        pytest.skip(page)
    assert page.count('class="film"') == 2
    assert "skill 1" in page
