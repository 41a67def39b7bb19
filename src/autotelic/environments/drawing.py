"""Gymnasium environments as pictures: how one is made that draws, and by which of MuJoCo's ways.

Drawing without a screen has to be chosen before MuJoCo is loaded, and a driver that is broken may end the
process, so pictures are made in a process of their own.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium

from autotelic._modules import PYTHON
from autotelic.environments.making import TO_DRAW as TO_DRAW
from autotelic.environments.making import Make, make_one

OFF_SCREEN = ("egl", "osmesa")
"""MuJoCo's ways to draw without a screen."""


class Failure(NamedTuple):
    """Why a way to draw did not work.

    way: its name; said: the lines of the error output; code: the exit code.
    """

    way: str
    said: list[str]
    code: int


def draw_elsewhere(
    words: Sequence[str], order: bytes, seconds: float, done: Callable[[int], bool]
) -> list[Failure]:
    """Let another Python draw, by each way until one works: [] then, otherwise why none did.

    words: after `python`; order: its standard input; seconds: after which `subprocess.TimeoutExpired` is
    raised; done: whether an exit code means that all is drawn.
    """
    failures = []
    for way in ways_to_draw(os.environ, sys.platform):
        ended = subprocess.run(
            [*PYTHON, *words],
            input=order,
            env={**os.environ, **way},
            capture_output=True,
            timeout=seconds,
        )
        if done(ended.returncode):
            return []
        said = ended.stderr.decode(errors="replace").strip().splitlines()
        name = way.get("MUJOCO_GL", os.environ.get("MUJOCO_GL", "the screen"))
        failures.append(Failure(name, said, ended.returncode))
    return failures


def ways_to_draw(environment: Any, platform: str) -> Sequence[dict[str, str]]:
    """Changes to the environment variables to try, one after the other."""
    if environment.get("MUJOCO_GL") or platform != "linux":
        return [{}]
    screen = [dict[str, str]()] if environment.get("DISPLAY") else []  # it may be named, and gone
    return [*screen, *({"MUJOCO_GL": name} for name in OFF_SCREEN)]


def make_drawn(make: Make, options: Mapping[str, Any], width: int, height: int) -> gymnasium.Env:
    """An instance of an environment that gives pictures, of that size where one may choose it."""
    drawn = {"render_mode": "rgb_array", **options}
    # MuJoCo's tasks need not draw more than is shown, and have a camera that follows the agent.
    sized = {"width": width, "height": height, **drawn}
    camera = {} if {"camera_id", "camera_name"} & set(options) else {"camera_name": "track"}
    try:
        return make_one(make, {**camera, **sized})
    except (TypeError, ValueError):
        return make_one(make, drawn)
