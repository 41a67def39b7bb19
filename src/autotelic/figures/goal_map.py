"""Goals where they are: how well each is reached over time, and where practice went."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from autotelic._spaced import spaced
from autotelic.figures.style import PAGE, shown, small_ticks, style
from autotelic.runs.history import SUCCESS_OF_GOAL, History, vector

if TYPE_CHECKING:
    from autotelic.runs.run import Runs

TIMES = 4
"""Panels of success, at equal parts of the run."""
RECENT = 5
"""Visits to a goal whose mean its success in practice is."""
SUCCESS_COLOURS, PRACTICE_COLOURS = "YlGnBu", "YlOrBr"
"""Darker is more, of both."""
WALL, OUTLINE = 0.75, "0.45"
"""Greys, so that the palest cross and dot stand out from the paper and the walls."""


class GoalMap(NamedTuple):
    """What the figure shows of learners.

    members: (method, seed); epochs: [times] done; success: [members, times, goals], NaN of goals not tried
    yet; visits: [members, goals]; places: [members, goals, dimensions]; reachable: [goals]; walls: bool
    [x, y] of cells over `bounds`, or None; measured: on fresh trajectories, rather than in practice.
    """

    members: Sequence[tuple[str, int]]
    epochs: np.ndarray
    success: np.ndarray
    visits: np.ndarray
    places: np.ndarray
    reachable: np.ndarray
    walls: np.ndarray | None
    bounds: tuple[float, float] | None
    measured: bool


def goal_map(source: "Runs | GoalMap", members: Sequence[tuple[str, int]] | None = None) -> Figure:
    """A row for each learner: its success at every goal at some times, and how often it practised each.

    Goals of two dimensions or more are points on a map of the first two, with the walls of a maze; those
    of one are bars along it. Goals that cannot be reached are crosses.

    Args:
        source: a run whose goals have places, or what `map_of` found in it.
        members: (method, seed) of the learners; by default one of each method.
    """
    found = source if isinstance(source, GoalMap) else map_of(source, members)
    rows, times = len(found.members), len(found.epochs)
    flat = found.places.shape[-1] > 1
    with style():
        width = PAGE / (times + 1)
        size = (PAGE, rows * (width + 0.1 if flat else 1.1) + 0.75)
        figure = Figure(figsize=size, layout="constrained")
        grid: Any = figure.subplots(rows, times + 1, squeeze=False, sharex=True, sharey=flat)
        most = max(1, int(found.visits.max()))
        for row, (member, panels) in enumerate(zip(found.members, grid, strict=True)):
            for time, axes in enumerate(panels[:-1]):
                _draw(axes, found, row, found.success[row, time], SUCCESS_COLOURS, 1.0)
                if row == 0:
                    axes.set_title(f"epoch {found.epochs[time]}", loc="left")
            _draw(panels[-1], found, row, found.visits[row], PRACTICE_COLOURS, most)
            if row == 0:
                panels[-1].set_title("practice", loc="left")
            label = member[0] if _once(found.members, member[0]) else f"{member[0]}, {member[1]}"
            panels[0].set_ylabel(shown(label, 1.2), fontsize=7)
        _explain(figure, grid, found, most, flat)
    return figure


def map_of(runs: "Runs", members: Sequence[tuple[str, int]] | None = None) -> GoalMap:
    """Success, practice and places of some learners of a run; refuses a run whose goals have none."""
    objective = runs.setting.objective
    if not (objective.has_places and objective.gives_success):
        raise ValueError(
            f"the goals of {type(objective).__name__} are no places that can be reached; a map is drawn "
            "of runs with the objective reach (autotelic train ... --objective reach)"
        )
    from autotelic.environments import bounds_of, walls_of
    from autotelic.evaluation.success import counted_goals

    if members is None:
        methods = dict.fromkeys(method for method, _ in runs.sound_members)
        members = [runs.example(method) for method in methods]
    history = History(runs)
    own = [_rows_of(history.table, member) for member in members]
    num_goals, done = runs.setting.num_goals, int(history.table["epoch"].max()) + 1
    # Of goals that move, only those there are in the end.
    count = 1 if objective.moving_goals else min(TIMES, done)
    curve = runs.learning_curve
    measured = False
    if curve is not None and f"{SUCCESS_OF_GOAL}_0" in curve.columns:
        measured = True
        known = np.unique(curve["epoch"][curve["epoch"] <= done])
        known = known[known > 0] if len(known) > 1 else known
        wanted = np.linspace(0, done, count + 1)[1:]
        epochs = np.unique(known[np.abs(known[:, None] - wanted).argmin(axis=0)])
        curves = [_rows_of(curve, member).set_index("epoch").loc[epochs] for member in members]
        success = np.array([vector(table, SUCCESS_OF_GOAL) for table in curves])
    else:
        epochs = spaced(done + 1, count + 1)[1:]
        success = np.array([[in_practice(t, num_goals, e) for e in epochs] for t in own])
    visits = np.array([np.bincount(table["goal"], minlength=num_goals) for table in own])
    places = objective.goal_places(runs.skills.discriminator)
    environment = runs.environment
    return GoalMap(
        members,
        epochs,
        success,
        visits,
        np.asarray(places)[[runs.members.index(member) for member in members]],
        counted_goals(objective, num_goals),
        walls_of(environment),
        bounds_of(environment),
        measured,
    )


def _rows_of(table: Any, member: tuple[str, int]) -> Any:
    """A learner's rows of a table."""
    return table[(table["method"] == member[0]) & (table["seed"] == member[1])]


def in_practice(table: Any, num_goals: int, epochs: int) -> np.ndarray:
    """Mean success of each goal's last visits in the first epochs of a learner's history, [goals]; NaN of
    goals not visited.
    """
    found = np.full(num_goals, np.nan)
    past = table[table["epoch"] < epochs]
    for goal, visits in past.groupby("goal")["success"]:
        found[goal] = visits.to_numpy()[-RECENT:].mean()
    return found


def _once(members: Sequence[tuple[str, int]], method: str) -> bool:
    return sum(name == method for name, _ in members) == 1


def _draw(
    axes: Axes, found: GoalMap, row: int, values: np.ndarray, colours: str, most: float
) -> None:
    """One panel: values [goals] where the goals of a learner are."""
    places = found.places[row]
    if places.shape[1] == 1:
        order = np.argsort(places[:, 0])
        x = places[order, 0]
        gap = np.diff(x).min() if len(x) > 1 else 1.0
        bars = np.nan_to_num(values[order])
        colour = ["#0072B2" if can else "0.6" for can in found.reachable[order]]
        axes.bar(x, bars, width=0.8 * gap, color=colour)
        axes.set_ylim(0, most * 1.02)
        axes.spines[["top", "right"]].set_visible(False)
        small_ticks(axes)
        return
    if found.walls is not None and found.bounds is not None:
        low, high = found.bounds
        axes.imshow(
            np.where(found.walls.T, WALL, np.nan),
            origin="lower",
            extent=(low, high, low, high),
            cmap="gray",
            vmin=0.0,
            vmax=1.0,
        )
    look: dict[str, Any] = {"cmap": colours, "vmin": 0.0, "vmax": most, "zorder": 3}
    for can, marker, size in ((True, "o", 13.0), (False, "x", 9.0)):
        chosen = found.reachable == can
        tried = chosen & np.isfinite(values)
        point: dict[str, Any] = {"s": size, "marker": marker, "linewidths": 0.4 if can else 1.0}
        if not can:  # a line has no edge
            point["path_effects"] = [patheffects.withStroke(linewidth=1.8, foreground=OUTLINE)]
        edges = {"edgecolors": OUTLINE} if can else {}
        axes.scatter(*places[tried, :2].T, c=values[tried], **point, **edges, **look)
        rest = places[chosen & ~np.isfinite(values), :2].T
        face = {"facecolors": "none", "edgecolors": "0.6"} if can else {"color": "0.8"}
        axes.scatter(*rest, **point, **face, zorder=2)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])


def _explain(figure: Figure, grid: Any, found: GoalMap, most: int, flat: bool) -> None:
    """What colours and marks mean."""
    how = "fresh trajectories" if found.measured else f"its last {RECENT} visits"
    crosses = "" if found.reachable.all() else "; crosses cannot be reached"
    if not flat:
        for axes in grid[-1]:
            axes.set_xlabel("goal")
        figure.supylabel(f"success ({how}); right: visits", fontsize=7)
        return
    for axes, colours, top, label in (
        (grid[:, :-1], SUCCESS_COLOURS, 1.0, f"success of a goal ({how}){crosses}"),
        (grid[:, -1], PRACTICE_COLOURS, most, "visits"),
    ):
        scale = ScalarMappable(Normalize(0.0, top), colours)
        bar = figure.colorbar(
            scale, ax=axes.ravel().tolist(), location="bottom", aspect=40 if top == 1.0 else 12
        )
        bar.set_label(label, fontsize=7)
        bar.ax.tick_params(labelsize=6.5, width=0.6, length=2.0)
        bar.locator = MaxNLocator(5 if top == 1.0 else 3, integer=top != 1.0)
        bar.update_ticks()
