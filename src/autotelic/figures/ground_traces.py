"""METRA's form: where skills take a body on open ground, method beside method on one scale."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from autotelic.figures.skill_trajectories import LABEL_DISTANCE
from autotelic.figures.style import (
    PAGE,
    direction_colour,
    most_lines,
    shown,
    skill_colours,
    small_ticks,
    style,
)

if TYPE_CHECKING:  # sampling needs JAX, drawing does not
    from autotelic.evaluation.coverage import GroundTraces

MOST_COLUMNS = 4
LARGEST_PANEL = 3.2
"""Inches."""
WHEEL = 0.75
"""Inches at the right for the wheel of colours."""
MOST_LABELS = 24
"""Skills that are numbered; more numbers would hide the traces."""


def ground_traces(traces: "GroundTraces", *, titles: Sequence[str] | None = None) -> Figure:
    """Traces of x and y in metres, a panel for each learner; x over steps where there is no y.

    One colour a skill. Where skills are directions in two dimensions, the hue is the direction.

    Args:
        traces: of learners, such as one of each method (`coverage_trajectories`).
        titles: above the panels; by default the methods, with seeds where a method has several.
    """
    members = traces.members
    if titles is None:
        methods = [method for method, _ in members]
        titles = [m if methods.count(m) == 1 else f"{m}, seed {seed}" for m, seed in members]
    if len(titles) != len(members) or not members:
        raise ValueError(
            f"titles must name each of the {len(members)} learners, at least 1, got {len(titles)}"
        )
    if not np.isfinite(traces.positions[..., 1:, 0]).any():
        raise ValueError("these traces have no positions: the environment does not give x_position")
    directed = traces.skills.shape[-1] == 2
    colours = _colours(traces.skills)
    rows = -(-len(members) // MOST_COLUMNS)
    columns = -(-len(members) // rows)
    wheel = WHEEL if directed else 0.0
    width = min(LARGEST_PANEL, (PAGE - wheel) / columns)
    with style():
        shown_titles = [shown(title, width - 0.4) for title in titles]
        height = rows * (width + 0.13 * (most_lines(shown_titles) - 1))
        size = (columns * width + wheel, height)
        figure = Figure(figsize=size, layout="constrained")
        if directed:
            figure.get_layout_engine().set(rect=(0.01, 0, 0.99 - wheel / size[0], 1))  # type: ignore[union-attr]
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        draw = _draw_plane if np.isfinite(traces.positions[..., 1]).any() else _draw_line
        for axes, title, paths in zip(grid.flat, shown_titles, traces.positions, strict=False):
            axes.set_title(title, loc="left")
            draw(axes, traces, paths, colours)
            small_ticks(axes)
            axes.label_outer()
        for axes in grid.flat[len(members) :]:
            axes.set_visible(False)
            # The panel above it is now the lowest of its column.
            above = grid[rows - 2, list(grid[rows - 1]).index(axes)]
            above.tick_params(labelbottom=True)
            above.set_xlabel(grid[rows - 1, 0].get_xlabel())
        if directed:
            _add_wheel(figure)
        elif len(traces.skills) <= MOST_LABELS:
            for axes, paths in zip(grid.flat, traces.positions, strict=False):
                _number_skills(axes, traces, paths, LABEL_DISTANCE * LARGEST_PANEL / width)
    return figure


def _colours(skills: np.ndarray) -> list[str]:
    """Of each goal: by its direction where skills are vectors of a plane, otherwise by its number."""
    if skills.shape[-1] == 2:
        return [direction_colour(float(np.arctan2(y, x))) for x, y in skills]
    return skill_colours(len(skills))


def _draw_plane(
    axes: Axes, traces: "GroundTraces", paths: np.ndarray, colours: Sequence[str]
) -> None:
    """Paths [trajectories, steps + 1, 2] with equal scales, in a square around the start."""
    for goal, path in zip(traces.goals, paths, strict=True):
        made = path[np.isfinite(path).all(axis=1)]
        axes.plot(*made.T, color=colours[goal], linewidth=0.7, alpha=0.8, solid_joinstyle="round")
        axes.plot(*made[-1:].T, marker="o", markersize=2.2, color=colours[goal], markeredgewidth=0)
    start = np.nanmean(traces.positions[:, :, 0], axis=(0, 1))
    start = np.where(np.isfinite(start), start, 0.0)  # where a reset does not say it
    furthest = 1.12 * max(1e-3, float(np.nanmax(np.abs(traces.positions - start))))
    axes.plot(*start, marker="+", markersize=5, markeredgewidth=0.8, color="0.15")
    axes.set(
        xlim=(start[0] - furthest, start[0] + furthest),
        ylim=(start[1] - furthest, start[1] + furthest),
        aspect="equal",
        xlabel="x (m)",
        ylabel="y (m)",
    )
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))


def _draw_line(
    axes: Axes, traces: "GroundTraces", paths: np.ndarray, colours: Sequence[str]
) -> None:
    """x over steps."""
    for goal, path in zip(traces.goals, paths, strict=True):
        axes.plot(path[:, 0], color=colours[goal], linewidth=0.7, alpha=0.8)
    every = traces.positions[..., 0]
    margin = 0.04 * max(1e-3, float(np.nanmax(every) - np.nanmin(every)))
    axes.set(
        xlim=(0, paths.shape[1] - 1),
        ylim=(float(np.nanmin(every)) - margin, float(np.nanmax(every)) + margin),
        xlabel="step",
        ylabel="x (m)",
        box_aspect=1,
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))


def _number_skills(axes: Axes, traces: "GroundTraces", paths: np.ndarray, distance: float) -> None:
    """Each goal's number beyond the mean end of its trajectories; of goals that end together, one's.

    distance: between two numbers, as a share of the panel.
    """
    plane = np.isfinite(paths[..., 1]).any()
    low, high = np.transpose([axes.get_xlim(), axes.get_ylim()])
    made = [path[np.isfinite(path[:, 0])] for path in paths]
    starts = np.array([path[0] if plane else [0.0, path[0, 0]] for path in made])
    ends = np.array([path[-1] if plane else [high[0], path[-1, 0]] for path in made])
    goals = np.unique(traces.goals)
    start, places = (
        starts.mean(axis=0),
        np.array([ends[traces.goals == goal].mean(axis=0) for goal in goals]),
    )
    # In shares of the panel, whose axes may have different units.
    away = (places - start) / (high - low)
    away = away / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
    if not plane:
        away = np.array([[1.0, 0.0]])
    shares = (places - low) / (high - low) + 0.03 * away
    for index in apart(shares, distance if plane else 0.8 * distance):
        x, y = low + shares[index] * (high - low)
        text = axes.text(x, y, str(goals[index]), ha="center", va="center", fontsize=6.5)
        text.set_path_effects([patheffects.withStroke(linewidth=1.8, foreground="white")])


def apart(points: np.ndarray, distance: float) -> list[int]:
    """Which points [n, 2] to keep so that no two are nearer than `distance`: the first comes first.

    >>> apart(np.array([[0.0, 0.0], [0.5, 0.0], [1.0, 0.0]]), distance=0.8)
    [0, 2]
    """
    kept: list[int] = []
    for index, point in enumerate(points):
        if all(np.linalg.norm(point - points[other]) >= distance for other in kept):
            kept.append(index)
    return kept


def _add_wheel(figure: Figure) -> None:
    """Which colour is which direction of the skill."""
    width, height = figure.get_size_inches()
    size = 0.55 * WHEEL
    place: Any = (1 - 0.85 * WHEEL / width, 0.5 - size / height / 2, size / width, size / height)
    axes = figure.add_axes(place)
    angles = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    colours = [direction_colour(angle) for angle in angles]
    axes.scatter(np.cos(angles), np.sin(angles), c=colours, s=6, linewidths=0)
    axes.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
    axes.set_axis_off()
    axes.set_title("direction\nof the skill", fontsize=6.5, pad=2)
