"""A short looping film of every skill, where the environment can be rendered.

The frames of a film lie side by side in one picture, which the page moves behind a window: smaller
than a GIF, and readers can pause it. Gymnasium's films are made in a process of their own, see
`environments.drawing`. A JAX environment draws by its own `render`.
"""

import base64
import dataclasses
import io
import json
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import jax
import numpy as np

from autotelic._modules import modules_here
from autotelic.environments import HostEnvironment, render_of
from autotelic.environments.drawing import draw_elsewhere, make_drawn
from autotelic.environments.gymnasium import GymnasiumEnvironment
from autotelic.evaluation import roll_out, sample_trajectories
from autotelic.report.markup import Html, joined, tag
from autotelic.runs.run import load

if TYPE_CHECKING:
    from autotelic.runs.run import Runs

FRAMES, EVERY, SECONDS = 24, 5, 3
"""Frames of a film, environment steps between two of them, and how long the film runs."""
WIDTH, HEIGHT, QUALITY = 160, 120, 60
MOST_SKILLS = 30
PATIENCE = 300
"""Seconds after which a process that makes films is given up."""


def films(runs: "Runs", member: tuple[str, int]) -> Html:
    """The films of a learner's skills, or why there are none."""
    environment = runs.environment
    hosted = isinstance(environment, HostEnvironment)
    if not hosted and (render_of(environment) is None or hasattr(environment, "positions")):
        return Html()  # nothing to draw with, or paths that say it all
    if runs.setting.num_goals > MOST_SKILLS:
        return _none(f"a page holds those of {MOST_SKILLS} skills at most")
    made, reason = strips_of(runs, member) if hosted else rendered_strips(runs, member)
    if not made:
        return _none(f"the environment could not be rendered here ({reason})")
    figures = [
        tag(
            "figure",
            tag(
                "div",
                class_="film",
                role="img",
                aria_label=f"film of skill {goal}",
                style=f"--frames: {count}; --seconds: {SECONDS}s; background-image: url({address})",
            ),
            tag("figcaption", f"skill {goal}"),
        )
        for goal, (count, address) in enumerate(made)
    ]
    return joined(
        [
            tag("h3", f"Films: {member[0]}, seed {member[1]}"),
            tag("button", "Pause", type="button", id="films-play", aria_pressed="true"),
            tag("div", *figures, class_="videos playing", id="films"),
        ]
    )


def _none(reason: str) -> Html:
    return tag("p", f"There are no films: {reason}.", class_="note")


def strips_of(runs: "Runs", member: tuple[str, int]) -> tuple[list[tuple[int, str]], str]:
    """`strip` of each skill's film, made in another process; and why there are none."""
    try:  # a setting that this process was given; what a folder holds is never unpickled
        setting = b"" if runs.given is None else pickle.dumps(runs.given)
    except (AttributeError, TypeError, pickle.PicklingError) as error:
        return [], f"another process cannot be handed the setting: {error}"
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "strips.json"
        words = ["-m", "autotelic.report.films", str(runs.folder), *map(str, member), str(out)]
        try:
            # What is written is whole, whatever a driver does afterwards.
            failures = draw_elsewhere(words, setting, PATIENCE, lambda code: out.exists())
        except subprocess.TimeoutExpired:
            return [], f"it took more than {PATIENCE} seconds"
        if not failures:
            return json.loads(out.read_text()), ""
        first = failures[0]
        return [], first.said[-1] if first.said else f"exit code {first.code}"


def rendered_strips(runs: "Runs", member: tuple[str, int]) -> tuple[list[tuple[int, str]], str]:
    """The same in a JAX environment that has `render`."""
    render: Any = render_of(runs.environment)
    found = sample_trajectories(runs, per_goal=1, steps=FRAMES * EVERY, members=[member])
    made = []
    try:
        for (seen,), (length,) in zip(found.observations[0], found.lengths[0], strict=True):
            frames = [np.asarray(render(seen[time])) for time in range(0, length, EVERY)]
            made.append((len(frames), strip(frames)))
    except Exception as error:  # whatever the environment's own drawing raises
        return [], f"{type(error).__name__}: {error}"
    return made, ""


class Camera(gymnasium.Wrapper):
    """Keeps a frame of every few steps of the first episode."""

    def __init__(self, environment: gymnasium.Env):
        super().__init__(environment)
        self.frames: list[np.ndarray] = []
        self._steps, self._rolling = 0, True

    def reset(self, **arguments: Any) -> Any:
        """Begin an episode; a second one is not filmed."""
        self._rolling = self._rolling and not self._steps
        return super().reset(**arguments)

    def step(self, action: Any) -> Any:
        """One step, and perhaps a frame of what it begins with."""
        if self._rolling and self._steps % EVERY == 0:
            self.frames.append(np.asarray(self.env.render()))
        self._steps += 1
        return super().step(action)


def film_skills(runs: "Runs", member: tuple[str, int], seed: int = 0) -> list[list[np.ndarray]]:
    """Frames of one trajectory of each skill of a learner."""
    environment: Any = runs.environment
    cameras: list[Camera] = []

    def make() -> Camera:
        drawn = make_drawn(environment.make, environment.options, WIDTH, HEIGHT)
        cameras.append(Camera(drawn))
        return cameras[-1]

    # One after the other: a drawing context belongs to the thread that made it.
    filmed = GymnasiumEnvironment(make, backend="serial")
    row = runs.members.index(member)
    skills = jax.tree.map(lambda leaf: np.asarray(leaf)[row : row + 1], runs.skills)
    setting = dataclasses.replace(runs.setting, environment=filmed, environment_options={})
    roll_out(setting, skills, [member], 1, seed, steps=FRAMES * EVERY)
    return [camera.frames for camera in cameras if camera.frames]


def strip(frames: Sequence[np.ndarray]) -> str:
    """Frames side by side as the address of a JPEG picture that is part of the page."""
    image, fitted = import_module("PIL.Image"), import_module("PIL.ImageOps").pad
    sheet = image.new("RGB", (WIDTH * len(frames), HEIGHT))
    for index, frame in enumerate(frames):
        sheet.paste(fitted(image.fromarray(frame), (WIDTH, HEIGHT)), (WIDTH * index, 0))
    data = io.BytesIO()
    sheet.save(data, "JPEG", quality=QUALITY)
    return "data:image/jpeg;base64," + base64.b64encode(data.getvalue()).decode()


def main(folder: str, method: str, seed: str, out: str) -> None:
    """Film the skills of one learner; the file is written when all are there.

    The run's setting is read from the standard input where the process that asks was given one.
    """
    given = sys.stdin.buffer.read()
    try:
        with modules_here():
            setting = pickle.loads(given) if given else None
    except (AttributeError, ImportError) as error:
        sys.exit(f"films need parts of your own in a module, not in a script or notebook: {error}")
    frames = film_skills(load(folder, setting=setting), (method, int(seed)))
    Path(out).write_text(json.dumps([(len(film), strip(film)) for film in frames]))


if __name__ == "__main__":
    main(*sys.argv[1:])
