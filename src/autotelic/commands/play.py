"""`autotelic play`: watch skills, in a film or in a window."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import DisallowNone, Positional, arg

from autotelic import _machine, _validate
from autotelic.commands.export import chosen_learner
from autotelic.commands.reading import read_flags
from autotelic.downstream.own_environment import options_for
from autotelic.environments import make_environment
from autotelic.flags.own_parts import OwnFlags, environment_of, open_run
from autotelic.playing import film, stages, window
from autotelic.playing.film import Shooting
from autotelic.skills import Skills


@dataclass(frozen=True)
class PlayFlags:
    """Watch skills: a film of one, a film of all side by side, or a live window."""

    source: Annotated[Positional[str], arg(metavar="RUN|FILE")]
    """A run, or a file that `autotelic export` wrote."""
    goal: Annotated[
        DisallowNone[int | None], arg(metavar="N", help_behavior_hint="(default: all of them)")
    ] = None
    """The skill to watch."""
    out: Annotated[str, arg(metavar="FILE", help_behavior_hint="(default: a live window)")] = ""
    """Where the film is written: .gif, or .mp4 with 'autotelic[video]'."""
    steps: Annotated[int, arg(metavar="N")] = 100
    """How long each skill acts."""
    every: Annotated[int, arg(metavar="N")] = 1
    """A picture of every so many steps; the film's time stays the environment's."""
    width: Annotated[int, arg(metavar="PIXELS")] = 240
    """Of each skill's picture."""
    sampled: Annotated[bool, arg(help_behavior_hint="")] = False
    """Draw actions as in training, and do not take the most probable ones."""
    episode: Annotated[int, arg(metavar="N")] = 0
    """The seed of the episode, which is the same for all skills."""
    method: Annotated[
        str, arg(metavar="NAME", help_behavior_hint="(default: the run's, if it has one)")
    ] = ""
    """Of a run: the learner's method."""
    seed: Annotated[
        DisallowNone[int | None],
        arg(metavar="N", help_behavior_hint="(default: the method's first that did not diverge)"),
    ] = None
    """Of a run: the learner's seed."""
    own: OwnFlags = field(default_factory=OwnFlags)


def main(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(PlayFlags, "play", words)
    for name in ("steps", "every", "width"):
        _validate.integer(f"--{name}", getattr(flags, name), minimum=1)
    _validate.seed("--episode", flags.episode)
    out = Path(flags.out) if flags.out else None
    if out is not None:
        film.check_out(out)
    else:
        window.check_display()
    with tempfile.TemporaryDirectory() as place:
        path, environment = _opened(flags, ["autotelic", "play", *words], Path(place))
        skills = Skills.load(path)
        shooting = _shooting(flags, len(skills))
        if out is None:
            window.show(environment, skills, shooting)
            return
        film.film(environment, path, out, shooting)
    print(
        f"{out} shows {len(shooting.goals)} of {len(skills)} skills ({out.stat().st_size / 1e6:.1f} MB)"
    )


def _opened(flags: PlayFlags, command: Sequence[str], place: Path) -> tuple[Path, Any]:
    """The skill file, of a run made for the purpose, and the environment to watch it in."""
    source = Path(flags.source)
    if source.is_dir():
        runs = open_run(flags.source, flags.own, command)
        learner = chosen_learner(runs, flags.method, flags.seed)
        return runs.export(*learner, place / "skills.npz"), runs.environment
    if not source.exists():
        raise ValueError(f"{source} is not there; name a run, or a file of `autotelic export`")
    skills = Skills.load(source)
    if flags.own.environment:
        options = options_for(flags.own.environment, skills, stages.REMEDY)
        found = environment_of(flags.own.environment, options)
        return source, make_environment(found, **(options if isinstance(found, str) else {}))
    return source, stages.environment_of(skills)


def _shooting(flags: PlayFlags, num_goals: int) -> Shooting:
    goals = tuple(range(num_goals)) if flags.goal is None else (flags.goal,)
    if not 0 <= goals[0] < num_goals:
        raise ValueError(f"--goal must be from 0 to {num_goals - 1}, got {flags.goal}")
    if flags.out:
        pictures = len(goals) * (flags.steps // flags.every + 1)
        _machine.check_memory(
            pictures * 3 * flags.width**2,
            f"a film of {pictures} pictures that are {flags.width} pixels wide",
            "lower --steps or --width, or raise --every",
        )
    return Shooting(goals, flags.steps, flags.every, flags.width, flags.episode, flags.sampled)
