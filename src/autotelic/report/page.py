"""The page as a whole: its parts put together, and written where nothing is lost."""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autotelic._documents import open_to_read
from autotelic._version import __version__
from autotelic.evaluation.statistics import FEWEST_RUNS
from autotelic.figures.style import method_colours, skill_colours
from autotelic.report.films import films
from autotelic.report.goals import goals
from autotelic.report.ground import ground
from autotelic.report.histories import dynamics, learning_curves, trained_history
from autotelic.report.markup import Html, embedded, escaped
from autotelic.report.results import (
    by_method,
    evaluation_of,
    keep_evaluation,
    results,
    shown_method,
)
from autotelic.report.skills import sample, skills_data
from autotelic.report.summary import alarms, environment_name, reproduce, settings, summary
from autotelic.runs import atomic

if TYPE_CHECKING:
    from autotelic.runs.run import Runs

NAME = "report.html"
MARKER = "autotelic report"
"""What the page calls its generator; a file without it is somebody else's."""
SCRIPTS = ("basics.js", "curves.js", "dynamics.js", "skills.js", "main.js")


def report_page(runs: "Runs", *, render: bool = True) -> str:
    """The page for a run, finished or with a checkpoint.

    Args:
        runs: the run.
        render: whether to film the skills where the environment can be rendered.
    """
    history = trained_history(runs)
    evaluation = evaluation_of(runs)
    found = by_method(evaluation)
    best = shown_method(runs, found)
    member = runs.example(best)
    sampled = sample(runs)
    data = {
        "methods": runs.methods,
        "seeds": runs.seeds,
        "num_goals": runs.setting.num_goals,
        "fewest": FEWEST_RUNS,
        "curves": learning_curves(runs, history),
        "dynamics": dynamics(runs, history),
        "skills": skills_data(runs, sampled, best),
    }
    named = ", ".join(runs.methods) if len(runs.methods) <= 4 else f"{len(runs.methods)} methods"
    title = f"{environment_name(runs)}: {named}"
    script = Html('"use strict";\n(() => {\n' + "".join(map(source, SCRIPTS)) + "})();\n")
    return filled(
        source("page.html"),
        {
            "generator": f"{MARKER} {__version__}",
            "title": title,
            "style": Html(source("style.css") + colours(runs.methods, runs.setting.num_goals)),
            "summary": summary(runs, found),
            "alarms": alarms(evaluation.alarms),
            "results": results(runs.methods, evaluation.setting, found),
            "goals": goals(runs),
            "ground": ground(runs, sampled.trained),
            "videos": films(runs, member) if render else Html(),
            "settings": settings(runs.description),
            "reproduce": reproduce(runs),
            "footer": f"Made by autotelic {__version__} from {runs.folder}. Everything is in this file.",
            "data": embedded(data),
            "script": script,
            "script_hash": source_hash(script),
        },
    )


def write(runs: "Runs", path: str | Path | None = None, *, render: bool = True) -> Path:
    """Write the page, by default into the run's folder; replaces nothing but an earlier report.

    An evaluation that is made for it is kept in the run's folder, so that the next page is there at once.

    Args:
        runs: the run.
        path: of the HTML file.
        render: see `report_page`.
    """
    path = runs.folder / NAME if path is None else Path(path)
    check_free(path)
    trained_history(runs)  # refuses a run that there is nothing to say of
    keep_evaluation(runs)
    page = report_page(runs, render=render)
    atomic.write_bytes(path, page.encode())
    return path


def check_free(path: Path) -> None:
    """Refuse a path where no report can be written without losing something."""
    if path.is_dir() or not path.parent.is_dir():
        raise ValueError(
            f"{path} cannot be written: give the name of a file in a folder that exists"
        )
    if not path.exists():
        return
    with open(open_to_read(path), "rb") as file:
        start = file.read(2000)
    if f'content="{MARKER}'.encode() not in start:
        raise ValueError(
            f"{path} exists and is not a report of autotelic, so it is left alone; name another "
            "file with --out"
        )


def filled(template: str, parts: Mapping[str, Any]) -> str:
    """The template with each {{name}} replaced once; text is escaped, and what it holds stays text.

    >>> filled("<p>{{words}}</p>", {"words": "a < {{words}}"})
    '<p>a &lt; {{words}}</p>'
    """
    return re.sub(r"\{\{(\w+)\}\}", lambda found: escaped(parts[found[1]]), template)


def source_hash(script: str) -> str:
    """By which a browser recognises the only script that the page may run."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def colours(methods: Sequence[str], skills: int) -> str:
    """The colours of methods and skills as CSS; those for a dark page are lighter."""
    lines = []
    for name, found in (
        ("method", method_colours(methods)),
        ("skill", skill_colours(skills)),
    ):
        lines += [
            f"  --{name}-{index}: light-dark({colour}, {lightened(colour)});"
            for index, colour in enumerate(found)
        ]
    return ":root {\n" + "\n".join(lines) + "\n}\n"


def lightened(colour: str) -> str:
    """A colour that can be seen on black: a third of the way to white; black becomes a light grey.

    >>> lightened("#000000"), lightened("#D55E00")
    ('#d9d9d9', '#e39455')
    """
    channels = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    share = 0.85 if max(channels) < 0x30 else 1 / 3
    return "#" + "".join(f"{round(own + share * (255 - own)):02x}" for own in channels)


@cache
def source(name: str) -> str:
    """A file that pages are made from."""
    return (files("autotelic.report") / "page" / name).read_text(encoding="utf-8")
