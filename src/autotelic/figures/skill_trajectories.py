"""Figure 4's form: where skills go in the plane, before and after training."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from autotelic import _validate
from autotelic.figures.style import PAGE, shown, skill_colours, small_ticks, style

if TYPE_CHECKING:  # sampling needs JAX, drawing does not
    from autotelic.evaluation.trajectories import Trajectories

LABEL_DISTANCE = 0.055
"""Between the numbers of two skills, as a share of a panel's width."""


def skill_trajectories(
    before: "Trajectories",
    after: "Trajectories",
    *,
    member: tuple[str, int] | None = None,
    skills: Sequence[int] | None = None,
    titles: tuple[str, str] = ("Untrained", "Trained"),
) -> Figure:
    """Trajectories of one learner's skills in the plane, one colour a skill.

    Trajectories that stay in the unit box are drawn in it; others on a scale that both panels share.

    Args:
        before: of the untrained skills (`sample_trajectories(..., untrained=True)`).
        after: of the trained skills.
        member: (method, seed) of the learner; by default the first in `after`.
        skills: which to draw; by default all.
        titles: above the two panels.
    """
    member = after.members[0] if member is None else member
    chosen = list(range(after.num_goals)) if skills is None else list(skills)
    if not chosen:
        raise ValueError("skills must name at least one skill, got none")
    for skill in chosen:
        _validate.integer("skills", skill, minimum=0)
        if skill >= after.num_goals:
            raise ValueError(
                f"skill {skill} is not among the {after.num_goals} skills, 0 to "
                f"{after.num_goals - 1}"
            )
    panels = [_positions(part, member)[chosen] for part in (before, after)]
    colours = skill_colours(len(chosen))
    with style():
        figure = Figure(figsize=(PAGE, 3.3), layout="constrained")
        both = figure.subplots(1, 2)
        for axes, places, title in zip(both, panels, titles, strict=True):
            for paths, colour in zip(places, colours, strict=True):
                _draw_skill(axes, paths, colour)
            axes.set_title(shown(title, 0.42 * PAGE), loc="left")
            small_ticks(axes)
            _frame(axes, np.concatenate([panel.reshape(-1, 2) for panel in panels]))
        _label_skills(both[1], panels[1], chosen)
    return figure


def _positions(trajectories: "Trajectories", member: tuple[str, int]) -> np.ndarray:
    """One member's positions [goals, per_goal, steps + 1, 2]; refuses where there are none."""
    positions = trajectories.positions
    places = None if positions is None else positions[trajectories.index(*member)]
    if places is None or not np.isfinite(places[..., 0, :]).all():
        raise ValueError(
            "these trajectories have no positions in the plane: the environment does not give "
            "x_position and y_position"
        )
    return places


def _draw_skill(axes: Axes, paths: np.ndarray, colour: str) -> None:
    """All trajectories of one skill [n, steps + 1, 2], with a dot at the end of each."""
    for path in paths:
        made = path[np.isfinite(path).all(axis=1)]
        axes.plot(*made.T, color=colour, linewidth=0.6, alpha=0.55, solid_joinstyle="round")
        axes.plot(*made[-1], marker="o", markersize=2.2, color=colour, markeredgewidth=0)


def _label_skills(axes: Axes, places: np.ndarray, skills: Sequence[int]) -> None:
    """Each skill's number at the mean end of its trajectories, pushed off those of other skills."""
    ends = np.array([[path[np.isfinite(path).all(axis=1)][-1] for path in p] for p in places])
    low, high = np.transpose([axes.get_xlim(), axes.get_ylim()])
    distance = LABEL_DISTANCE * (high[0] - low[0])
    low, high = low + distance / 2, high - distance / 2
    points = repel(ends.mean(axis=1).clip(low, high), distance).clip(low, high)
    for skill, (x, y) in zip(skills, points, strict=True):
        text = axes.text(x, y, str(skill), ha="center", va="center", fontsize=7)
        text.set_path_effects([patheffects.withStroke(linewidth=2.0, foreground="white")])


def repel(points: np.ndarray, distance: float) -> np.ndarray:
    """Points [n, 2] pushed apart in pairs until they are `distance` apart, or nearly so.

    >>> repel(np.array([[1.0, 5.0], [2.0, 5.0], [9.0, 5.0]]), distance=2.0).round(3)
    array([[0.5, 5. ],
           [2.5, 5. ],
           [9. , 5. ]])
    """
    # Points in one place go apart in fixed directions, each its own.
    angles = 2.4 * np.arange(len(points))
    points = points + 1e-9 * distance * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for _ in range(100):
        apart = points[:, None] - points
        length = np.linalg.norm(apart, axis=-1) + np.eye(len(points)) * 2 * distance
        push = np.maximum(0.0, distance - length) / (2 * length)
        if not push.any():
            break
        points = points + (push[..., None] * apart).sum(axis=1)
    return points


def _frame(axes: Axes, places: np.ndarray) -> None:
    """Equal scales: the unit box where everything lies in it, otherwise room for all."""
    low, high = np.nanmin(places, axis=0), np.nanmax(places, axis=0)
    if (low >= 0).all() and (high <= 1).all():
        low, high, margin = np.zeros(2), np.ones(2), 0.02
        axes.set(xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
    else:
        margin = 0.05 * float((high - low).max())
    axes.set(
        xlim=(low[0] - margin, high[0] + margin),
        ylim=(low[1] - margin, high[1] + margin),
        aspect="equal",
        xlabel="x",
        ylabel="y",
    )
