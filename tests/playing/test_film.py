"""Films of skills: what they show, where they are written, and what is refused."""

import io
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import PIL.Image
import pytest
from lamp import Lamp
from made_skills import ACTION, OBSERVATION, content, written

from autotelic.environments import drawing
from autotelic.environments.drawing import make_drawn
from autotelic.environments.gymnasium import GymnasiumEnvironment
from autotelic.playing import film as module
from autotelic.playing import stages, window
from autotelic.playing.film import Shooting, check_out, film, fitted, shoot, side_by_side, write
from autotelic.skills import Skills


@pytest.fixture
def skills() -> Skills:
    return Skills(*content())


def staged(skills: Skills, **options: Any) -> Any:
    return stages.GymnasiumStage(Lamp, options, skills, width=16)


def brightness(picture: np.ndarray) -> int:
    """Of the lower right corner, where no label is."""
    return int(picture[-1, -1, 0])


def test_a_film_shows_every_few_steps_of_each_skill(skills: Skills):
    stage = staged(skills)
    frames = shoot(stage, skills, Shooting((0, 3), steps=6, every=2, width=40, seed=5))
    assert len(frames) == 4  # steps 0, 2, 4 and 6
    cells = [[frame[30, 20, 0], frame[30, 64, 0]] for frame in frames]
    np.testing.assert_array_equal(cells, np.repeat([[0], [40], [80], [120]], 2, axis=1))
    lamp = stage._environment
    assert lamp.seeds == [5, 5] and len(lamp.actions) == 12
    np.testing.assert_array_equal(lamp.actions[1], skills.act(np.ones(OBSERVATION), 0))
    np.testing.assert_array_equal(lamp.actions[7], skills.act(np.ones(OBSERVATION), 3))
    assert stage.frames_per_second == 10


def test_a_skill_whose_episode_is_over_stays_as_it_was(skills: Skills):
    frames = shoot(staged(skills, ends_after=3), skills, Shooting((0,), steps=9, width=40))
    assert len(frames) == 4 and frames[3][30, 20, 0] == 60


def test_sampled_skills_act_with_noise(skills: Skills):
    stage = staged(skills)
    for sampled in (False, True, True):
        shoot(stage, skills, Shooting((0,), steps=3, width=8, sampled=sampled))
    first, second, third = np.array(stage._environment.actions).reshape(3, 3, ACTION)
    assert not np.allclose(first, second)
    np.testing.assert_array_equal(second, third)


def test_pictures_keep_their_proportions_and_say_which_skill():
    picture = fitted(np.full((30, 60, 3), 100, np.uint8), 120, "skill 3")
    assert picture.shape == (60, 120, 3)
    assert (picture[:12, :40] == 255).any() and (picture[:12, :40] < 50).any()
    assert (picture[20:] == 100).all()


def test_pictures_lie_in_rows_that_fill_a_page():
    pictures = [np.full((5, 7, 3), 10 * i, np.uint8) for i in range(8)]
    sheet = side_by_side(pictures)
    assert sheet.shape == (2 * 9 + 4, 4 * 11 + 4, 3)
    assert [int(sheet[6, 6 + 11 * i, 0]) for i in range(4)] == [0, 10, 20, 30]
    assert [int(sheet[15, 6 + 11 * i, 0]) for i in range(4)] == [40, 50, 60, 70]
    assert side_by_side(pictures[:1]).shape == (14, 16, 3)  # 13 and 15, made even


def test_a_gif_is_written_and_holds_the_frames(tmp_path: Path):
    frames = [np.full((20, 30, 3), value, np.uint8) for value in (0, 100, 200)]
    write(tmp_path / "film.gif", frames, frames_per_second=5)
    with PIL.Image.open(tmp_path / "film.gif") as found:
        assert found.n_frames == 3 and found.size == (30, 20)  # type: ignore[attr-defined]
        assert found.info["duration"] == 200 and found.info["loop"] == 0
        for number, value in enumerate((0, 100, 200)):
            found.seek(number)
            assert abs(int(np.asarray(found.convert("RGB"))[10, 15, 0]) - value) < 5


def test_a_small_agent_keeps_its_colour_in_a_gif(tmp_path: Path):
    shades = np.add.outer(np.arange(90), np.arange(160)) % 256  # a ground of many greys
    frame = np.repeat(shades[:, :, None], 3, axis=2).astype(np.uint8)
    frame[40:46, 60:80] = orange = (204, 138, 74)
    write(tmp_path / "film.gif", [frame, frame[::-1], frame[:, ::-1]], frames_per_second=5)
    with PIL.Image.open(tmp_path / "film.gif") as found:
        shown = np.asarray(found.convert("RGB"))[43, 70]
    assert np.abs(shown.astype(int) - orange).max() <= 16


@pytest.mark.filterwarnings("ignore")  # of imageio, which leaves pipes to be collected
def test_an_mp4_is_written_where_its_package_is(tmp_path: Path):
    pytest.importorskip("imageio_ffmpeg")
    import imageio

    frames = [np.full((32, 48, 3), value, np.uint8) for value in (0, 100, 200)]
    check_out(tmp_path / "film.mp4")
    write(tmp_path / "film.mp4", frames, frames_per_second=5)
    found = imageio.mimread(tmp_path / "film.mp4", format="FFMPEG")  # type: ignore[call-overload]
    assert [
        abs(int(frame[16, 24, 0]) - value) < 12
        for frame, value in zip(found, (0, 100, 200), strict=True)
    ]


def test_an_mp4_without_its_package_says_what_to_install(tmp_path: Path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'autotelic\[video\]'; a \.gif"):
        check_out(tmp_path / "film.mp4")
    check_out(tmp_path / "film.gif")


def test_places_where_no_film_can_be_are_refused(tmp_path: Path):
    with pytest.raises(ValueError, match=r"must end in \.gif or \.mp4"):
        check_out(tmp_path / "film.png")
    with pytest.raises(ValueError, match="is not there"):
        check_out(tmp_path / "none" / "film.gif")


@pytest.mark.thorough
def test_a_gymnasium_environment_is_filmed_by_another_process(tmp_path: Path, monkeypatch):
    here = str(Path(__file__).parent)  # where the other process finds the environment
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]))
    path, out = written(tmp_path), tmp_path / "film.gif"
    film(GymnasiumEnvironment(Lamp), path, out, Shooting((0, 1), steps=2, width=40))
    with PIL.Image.open(out) as found:
        assert found.n_frames == 3  # type: ignore[attr-defined]


def test_the_other_process_is_told_the_name_and_not_where_a_link_leads(tmp_path: Path, monkeypatch):
    orders = []

    def hear(words: Any, input: bytes, **options: Any) -> Any:
        orders.append(pickle.loads(input))
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(drawing.subprocess, "run", hear)
    (tmp_path / "film.gif").symlink_to(tmp_path / "precious")
    film(GymnasiumEnvironment(Lamp), written(tmp_path), tmp_path / "film.gif", Shooting((0,)))
    assert [order[2] for order in orders] == [tmp_path / "film.gif"]


def test_ways_to_draw_are_tried_and_their_failures_named(tmp_path: Path, monkeypatch):
    ways = []

    def fail(words: Any, env: Any, **options: Any) -> Any:
        ways.append(env.get("MUJOCO_GL"))
        return SimpleNamespace(returncode=1, stderr=f"no {env['MUJOCO_GL']} here".encode())

    monkeypatch.setattr(drawing.subprocess, "run", fail)
    monkeypatch.setattr(
        drawing, "ways_to_draw", lambda *_: [{"MUJOCO_GL": "egl"}, {"MUJOCO_GL": "osmesa"}]
    )
    with pytest.raises(ValueError, match=r"egl: no egl here; osmesa: no osmesa here.*libegl1"):
        film(GymnasiumEnvironment(Lamp), written(tmp_path), tmp_path / "x.gif", Shooting((0,)))
    assert ways == ["egl", "osmesa"]

    def slow(*_: Any, **__: Any) -> Any:
        raise subprocess.TimeoutExpired("python", 1)

    monkeypatch.setattr(drawing.subprocess, "run", slow)
    with pytest.raises(ValueError, match="took more than"):
        film(GymnasiumEnvironment(Lamp), written(tmp_path), tmp_path / "x.gif", Shooting((0,)))


def test_the_reason_is_told_from_what_drivers_say_afterwards(tmp_path: Path, monkeypatch):
    words = f"Traceback\n{module.REASON}GLError: too wide\nException ignored in: <function>\n)\n"
    monkeypatch.setattr(
        drawing.subprocess,
        "run",
        lambda *_, **__: SimpleNamespace(returncode=1, stderr=words.encode()),
    )
    with pytest.raises(ValueError, match=r"GLError: too wide[;)]"):
        film(GymnasiumEnvironment(Lamp), written(tmp_path), tmp_path / "film.gif", Shooting((0,)))


def test_a_process_that_cannot_draw_says_why(monkeypatch, capsys):
    def broken(*_: Any):
        raise RuntimeError("no\n  context")

    monkeypatch.setattr(module, "finish", broken)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(pickle.dumps((1,)))))
    with pytest.raises(RuntimeError):
        module.main()
    assert capsys.readouterr().err == f"{module.REASON}RuntimeError: no context\n"


def test_another_environment_is_refused_with_both_shapes(skills: Skills, tmp_path: Path):
    for name, sizes in (
        ("CartPole-v1", r"\[4\] and discrete actions \[2\]"),
        ("navigation2d", r"\[2\]"),
    ):
        environment = stages.make_environment(name)
        with pytest.raises(ValueError, match=rf"{sizes}.*, and the skills of Walk-v0 \[3\]"):
            stages.check_sizes(environment, skills)
        with pytest.raises(ValueError, match="name another environment"):
            film(environment, written(tmp_path), tmp_path / "film.gif", Shooting((0,)))


def test_a_jax_environment_that_cannot_draw_is_refused(skills: Skills):
    with pytest.raises(ValueError, match=r"give it render\(observation\)"):
        stages.JaxStage(SimpleNamespace(step=lambda *_: None), skills)


@pytest.mark.parametrize("name", ["os:Walk-v0", "Walk-v0", "<function make>"])
def test_a_file_does_not_say_what_to_import(name: str):
    environment = {"name": name, "options": {}, "episode_length": None}
    made, arrays = content(environment=environment)
    with pytest.raises(ValueError, match="must not say what to import; name it yourself"):
        stages.environment_of(Skills(made, arrays))


def test_a_window_shows_one_skill_after_the_other(skills: Skills, capsys):
    window.show(GymnasiumEnvironment(Lamp), skills, Shooting((1, 4), steps=2))
    assert capsys.readouterr().out == "skill 1\nskill 4\n"


def test_a_display_that_does_not_answer_is_refused(monkeypatch):
    glfw = SimpleNamespace(init=lambda: warnings.warn("no display :9", stacklevel=1))
    monkeypatch.setitem(sys.modules, "glfw", glfw)
    with pytest.raises(ValueError, match=r"display that DISPLAY=:9 names; write a film: --out"):
        window.check_display({"DISPLAY": ":9"}, "linux")
    with pytest.raises(ValueError, match="there is no display for a window; write a film"):
        window.check_display({}, "linux")
    window.check_display({}, "darwin")
    glfw.init = lambda: True
    window.check_display({"DISPLAY": ":9"}, "linux")


def test_a_figure_without_a_window_is_refused(monkeypatch, skills: Skills):
    monkeypatch.setattr(window, "stage_of", lambda *_: object.__new__(stages.JaxStage))
    plot = SimpleNamespace(figure=object, get_backend=lambda: "Agg")
    monkeypatch.setattr(window, "import_module", lambda _: plot)
    with pytest.raises(ValueError, match=r"no way to open a window.*python3-tk"):
        window.show(GymnasiumEnvironment(Lamp), skills, Shooting((1,)))


def test_the_camera_of_a_window_follows_the_agent():
    tasks = {name: gymnasium.make(name).unwrapped for name in ("HalfCheetah-v5", "Hopper-v5")}
    for task in tasks.values():
        stages.follow(task)
    cheetah, hopper = (task.mujoco_renderer.default_cam_config for task in tasks.values())
    assert cheetah == {"type": 1, "trackbodyid": 1, "distance": 4.0}
    assert (hopper["type"], hopper["trackbodyid"]) == (1, 2)  # as Gymnasium has it
    stages.follow(gymnasium.make("CartPole-v1").unwrapped)  # has no such camera


def test_whether_there_is_a_display():
    assert not window.has_display({}, "linux")
    assert window.has_display({"DISPLAY": ":0"}, "linux")
    assert window.has_display({"WAYLAND_DISPLAY": "w"}, "linux")
    assert window.has_display({}, "darwin")


def test_a_camera_follows_the_agent_unless_another_is_named():
    given: list[Any] = []

    def make(**options: Any) -> Any:
        given.append(options)
        if "camera_name" in options and options["camera_name"] != "eye":
            raise TypeError("no cameras")
        return Lamp()

    make_drawn(make, {}, 8, 6)
    make_drawn(make, {"camera_name": "eye"}, 8, 6)
    sized = {"width": 8, "height": 6, "render_mode": "rgb_array"}
    assert given == [
        {"camera_name": "track", **sized},
        {"render_mode": "rgb_array"},
        {"camera_name": "eye", **sized},
    ]
