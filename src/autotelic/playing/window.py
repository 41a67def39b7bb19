"""Skills in a live window, one after the other."""

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from autotelic.environments import HostEnvironment, JaxEnvironment
from autotelic.playing.film import Shooting, moments
from autotelic.playing.stages import JaxStage, stage_of
from autotelic.skills import Skills


def has_display(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Whether a window can be opened."""
    return platform != "linux" or any(
        environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def show(environment: JaxEnvironment | HostEnvironment, skills: Skills, shooting: Shooting) -> None:
    """Act out each skill before the user's eyes: Gymnasium opens its own window, JAX a figure."""
    stage = stage_of(environment, skills, None)
    plot: Any = import_module("matplotlib.pyplot") if isinstance(stage, JaxStage) else None
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
