"""A film of skills: every skill acts out a trajectory, and their pictures lie side by side.

Pictures of Gymnasium's environments are made in a process of their own, see `environments.drawing`.
"""

import math
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from autotelic._modules import modules_here
from autotelic.environments import HostEnvironment, JaxEnvironment
from autotelic.environments.drawing import TO_DRAW, Failure, draw_elsewhere
from autotelic.playing.stages import Stage, check_sizes, stage_of
from autotelic.runs import atomic
from autotelic.skills import Skills

KINDS = (".gif", ".mp4")
COLOURS = 64
"""Of a GIF: more make it larger, and hardly better."""
PATIENCE = 900
"""Seconds after which a process that draws is given up."""
REASON = "no film: "
"""Begins the line in which a process that draws says why it could not."""
LONGEST_REASON = 1000
"""Characters of it."""
GAP = 4
"""Pixels between skills, and to the edge."""


@dataclass(frozen=True)
class Shooting:
    """How a film is made.

    goals: the skills to show; steps: of each trajectory; every: a picture of every so many steps;
    width: pixels of a skill's picture; seed: of the episode, the same for all; sampled: actions are drawn
    as in training.
    """

    goals: tuple[int, ...]
    steps: int = 100
    every: int = 1
    width: int = 240
    seed: int = 0
    sampled: bool = False


def moments(stage: Stage, skills: Skills, goal: int, shooting: Shooting) -> Iterator[int]:
    """One skill acts; says how many steps it made, from 0 on, until the end."""
    rng = np.random.default_rng(shooting.seed) if shooting.sampled else None
    seen = stage.reset(shooting.seed)
    yield 0
    for step in range(1, shooting.steps + 1):
        seen, over = stage.step(skills.act(seen, goal, rng))
        yield step
        if over:
            break


def shoot(stage: Stage, skills: Skills, shooting: Shooting) -> list[np.ndarray]:
    """The frames of the film, uint8 [height, width, 3]; a skill that is over stays as it was."""
    films = [
        [
            fitted(stage.picture(), shooting.width, f"skill {goal}")
            for step in moments(stage, skills, goal, shooting)
            if step % shooting.every == 0
        ]
        for goal in shooting.goals
    ]
    length = max(len(film) for film in films)
    return [
        side_by_side([film[min(time, len(film) - 1)] for film in films]) for time in range(length)
    ]


def fitted(picture: np.ndarray, width: int, label: str) -> np.ndarray:
    """A picture at that width, with a label in its corner."""
    image, draw = import_module("PIL.Image"), import_module("PIL.ImageDraw")
    drawn = image.fromarray(np.ascontiguousarray(picture)).convert("RGB")
    height = max(1, round(width * drawn.height / drawn.width))
    drawn = drawn.resize((width, height))
    pen = draw.Draw(drawn)
    pen.rectangle((0, 0, 8 + 6 * len(label), 14), fill="white")
    pen.text((4, 2), label, fill="black")
    return np.asarray(drawn)


def side_by_side(pictures: Sequence[np.ndarray]) -> np.ndarray:
    """Pictures of one size as one, of an even width and height: encoders ask for that."""
    height, width, _ = pictures[0].shape
    columns = columns_for(len(pictures))
    rows = math.ceil(len(pictures) / columns)
    high, wide = rows * (height + GAP) + GAP, columns * (width + GAP) + GAP
    sheet = np.full((high + high % 2, wide + wide % 2, 3), 255, np.uint8)
    for number, picture in enumerate(pictures):
        row, column = divmod(number, columns)
        top, left = GAP + row * (height + GAP), GAP + column * (width + GAP)
        sheet[top : top + height, left : left + width] = picture
    return sheet


def columns_for(number: int) -> int:
    """Columns for so many pictures, at least as many as rows: the fewest that leave the least empty.

    >>> [columns_for(number) for number in (1, 3, 8, 9, 20)]
    [1, 3, 4, 3, 5]
    """
    fewest = math.ceil(math.sqrt(number))
    return min(range(fewest, 2 * fewest + 1), key=lambda columns: (-number % columns, columns))


def check_out(out: Path) -> None:
    """Refuse a file that no film can be written to, before anything is drawn."""
    if out.suffix.lower() not in KINDS:
        raise ValueError(f"out must end in {' or '.join(KINDS)}, got {str(out)!r}")
    if not out.parent.is_dir():
        raise ValueError(f"the folder of {out} is not there; make it first")
    if out.suffix.lower() == ".mp4":
        try:
            import_module("imageio_ffmpeg")
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "a film as .mp4 needs the package 'imageio-ffmpeg': pip install 'autotelic[video]'; a .gif "
                "needs no more than is there",
                name="imageio_ffmpeg",
            ) from error


def write(out: Path, frames: Sequence[np.ndarray], frames_per_second: float) -> None:
    """Write the film: .gif, or .mp4."""
    with (
        tempfile.TemporaryDirectory() as place
    ):  # encoders write to a name, and follow a link there
        drawn = Path(place) / out.name
        _write(drawn, frames, frames_per_second)
        atomic.write_bytes(out, drawn.read_bytes())


def _write(out: Path, frames: Sequence[np.ndarray], frames_per_second: float) -> None:
    if out.suffix.lower() == ".mp4":
        import_module("imageio").mimwrite(
            out, frames, format="FFMPEG", fps=frames_per_second, macro_block_size=2, quality=7
        )
        return
    image: Any = import_module("PIL.Image")
    # One palette for all frames, without dithering: what stands still then costs nothing. An octree, as
    # other palettes are of the colours that are there most, and the agent is small before its ground.
    sample = np.concatenate([frames[0], frames[len(frames) // 2], frames[-1]])
    palette = image.fromarray(sample).quantize(COLOURS, method=image.Quantize.FASTOCTREE)
    pictures = [image.fromarray(frame).quantize(palette=palette, dither=0) for frame in frames]
    duration = max(20, round(1000 / frames_per_second))
    pictures[0].save(
        out, save_all=True, append_images=pictures[1:], duration=duration, loop=0, optimize=True
    )


def film(
    environment: JaxEnvironment | HostEnvironment, skills_file: Path, out: Path, shooting: Shooting
) -> None:
    """Make the film of a skill file's skills."""
    check_out(out)
    check_sizes(environment, Skills.load(skills_file))
    if isinstance(environment, HostEnvironment):
        in_another_process(environment, skills_file, out, shooting)
    else:
        finish(environment, skills_file, out, shooting)


def finish(environment: Any, skills_file: Path, out: Path, shooting: Shooting) -> None:
    """The same here and now."""
    skills = Skills.load(skills_file)
    stage = stage_of(environment, skills, shooting.width)
    try:
        frames = shoot(stage, skills, shooting)
    finally:
        stage.close()
    write(out, frames, stage.frames_per_second / shooting.every)


def in_another_process(environment: Any, skills_file: Path, out: Path, shooting: Shooting) -> None:
    """The same by each way to draw until one works."""
    try:  # our own objects, for a process of our own
        order = pickle.dumps((environment, skills_file.resolve(), out.absolute(), shooting))
    except (AttributeError, TypeError, pickle.PicklingError) as error:
        raise ValueError(f"another process cannot be handed the environment: {error}") from error
    try:
        failures = draw_elsewhere(
            ["-m", "autotelic.playing.film"], order, PATIENCE, lambda code: code == 0
        )
    except subprocess.TimeoutExpired as error:
        raise ValueError(
            f"drawing took more than {PATIENCE} seconds; choose fewer steps"
        ) from error
    if failures:
        reasons = "; ".join(map(_reason, failures))
        raise ValueError(f"the environment could not be drawn ({reasons}); {TO_DRAW}")


def _reason(failure: Failure) -> str:
    """Why a way failed. What to do is said once, and not for every way."""
    name, lines, code = failure
    # Drivers that are closed afterwards may complain at length, and not say why.
    said = [line.removeprefix(REASON) for line in lines if line.startswith(REASON)] or lines
    reason = said[-1].removesuffix(f"; MUJOCO_GL is {name!r}: {TO_DRAW}") if said else ""
    return f"{name}: {reason or f'exit code {code}'}"


def main() -> None:
    """Make the film that the standard input orders."""
    with modules_here():
        order = pickle.load(sys.stdin.buffer)
    try:
        finish(*order)
    except Exception as error:
        words = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"{REASON}{words[:LONGEST_REASON]}", file=sys.stderr, flush=True)
        raise


if __name__ == "__main__":
    main()
