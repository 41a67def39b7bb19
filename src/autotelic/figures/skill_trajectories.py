"""Figure 4's form: where skills go in the plane, before and after training."""

from collections.abc import Sequence

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from autotelic import _validate
from autotelic.evaluation.trajectories import Trajectories
from autotelic.figures.style import PAGE, skill_colours, style


def skill_trajectories(
    before: Trajectories,
    after: Trajectories,
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
        for axes, places, title in zip(figure.subplots(1, 2), panels, titles, strict=True):
            for paths, colour in zip(places, colours, strict=True):
                _draw_skill(axes, paths, colour)
            axes.set_title(title, loc="left")
            _frame(axes, np.concatenate([panel.reshape(-1, 2) for panel in panels]))
        handles = [
            axes.plot([], [], color=colour, linewidth=2.5, label=str(skill))[0]
            for skill, colour in zip(chosen, colours, strict=True)
        ]
        figure.legend(
            handles=handles,
            loc="outside right center",
            title="Skill",
            frameon=False,
            ncols=2 if len(chosen) > 10 else 1,
            handlelength=1.2,
            columnspacing=1.0,
        )
    return figure


def _positions(trajectories: Trajectories, member: tuple[str, int]) -> np.ndarray:
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
