"""Films of skills, as far as a machine can draw."""

import base64
import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import PIL.Image
import pytest
from gymnasium.spaces import Box

import autotelic as at
from autotelic.learner.setting import Setting
from autotelic.report import films as module
from autotelic.report.films import EVERY, HEIGHT, WIDTH, Camera, films, strip, ways_to_draw
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
    kind, data = strip(frames).split(",")
    assert kind == "data:image/jpeg;base64"
    sheet = np.asarray(PIL.Image.open(io.BytesIO(base64.b64decode(data))))
    assert sheet.shape == (HEIGHT, 3 * WIDTH, 3)
    middles = sheet[HEIGHT // 2, WIDTH // 2 :: WIDTH, 0]
    np.testing.assert_allclose(middles.astype(int), [0, 100, 200], atol=3)


def test_without_a_screen_ways_to_draw_are_tried_in_turn():
    assert ways_to_draw({}, "linux") == [{"MUJOCO_GL": "egl"}, {"MUJOCO_GL": "osmesa"}]
    assert ways_to_draw({"DISPLAY": ":0"}, "linux") == [{}]
    assert ways_to_draw({"MUJOCO_GL": "glfw"}, "linux") == [{}]
    assert ways_to_draw({}, "darwin") == [{}]


def test_compiled_environments_have_no_films(runs: Runs):
    assert films(runs, runs.members[0]) == ""


def test_why_there_are_none_is_said_and_escaped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(module, "HostEnvironment", SimpleNamespace)
    monkeypatch.setattr(module, "ways_to_draw", lambda *_: [{}])
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
def test_a_mujoco_task_is_filmed(tmp_path: Path):
    setting = Setting(
        environment="InvertedPendulum-v5",
        num_goals=2,
        steps_per_epoch=20,
        hidden_units=8,
        batch_size=8,
        first_update=8,
    )
    runs = train(setting, {"A": at.Uniform()}, [0], 1, tmp_path / "run")
    page = films(runs, ("A", 0))
    if "no films" in page:
        pytest.skip(page)
    assert page.count('class="film"') == 2
    assert "skill 1" in page
