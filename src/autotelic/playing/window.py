"""Skills in a live window, one after the other."""

import os
import sys
import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from autotelic.environments import HostEnvironment, JaxEnvironment
from autotelic.playing.film import Shooting, moments
from autotelic.playing.stages import JaxStage, stage_of
from autotelic.skills import Skills

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
"""Variables of which one is set where a window can be opened."""
REMEDY = "write a film: --out skills.gif"


def has_display(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Whether a window can be opened."""
    return platform != "linux" or any(environment.get(name) for name in DISPLAYS)


def check_display(
    environment: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> None:
    """Refuse to open a window where none can be; libraries would end the program there, without a word."""
    if not has_display(environment, platform):
        raise ValueError(f"there is no display for a window; {REMEDY}")
    if platform != "linux":
        return
    with warnings.catch_warnings():  # it says there what it could not do
        warnings.simplefilter("ignore")
        opened = import_module("glfw").init()
    if not opened:
        named = " ".join(
            f"{name}={environment[name]}" for name in DISPLAYS if environment.get(name)
        )
        raise ValueError(f"no window can be opened on the display that {named} names; {REMEDY}")


def show(environment: JaxEnvironment | HostEnvironment, skills: Skills, shooting: Shooting) -> None:
    """Act out each skill before the user's eyes: Gymnasium opens its own window, JAX a figure."""
    stage = stage_of(environment, skills, None)
    plot: Any = import_module("matplotlib.pyplot") if isinstance(stage, JaxStage) else None
    if plot and plot.figure() and plot.get_backend().lower() == "agg":  # what it falls back to
        raise ValueError(
            "matplotlib knows no way to open a window; install one (Debian: apt install python3-tk), or "
            f"{REMEDY}"
        )
    try:
        for goal in shooting.goals:
            print(f"skill {goal}", flush=True)
            for _ in moments(stage, skills, goal, shooting):
                if isinstance(stage, JaxStage):
                    plot.clf()
                    plot.imshow(stage.picture())
                    plot.title(f"skill {goal}")
                    plot.axis("off")
                    plot.pause(1 / stage.frames_per_second)
    finally:
        stage.close()
