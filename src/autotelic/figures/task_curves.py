"""Learning a task: each arm's return against steps of the environment."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from autotelic.figures.learning_curves import Curve, learning_curves

if TYPE_CHECKING:
    import pandas


def task_curves(tables: "Mapping[str, pandas.DataFrame]") -> Figure:
    """A panel for each task, a line for each arm and a band around it.

    Args:
        tables: by the words above a panel, tables like those of `autotelic.downstream.returns_over_steps`:
            columns arm, seed, steps and return. A learner with gaps, as one that diverged has, is left out.
    """
    panels = {title: _curves(table) for title, table in tables.items()}
    figure = learning_curves(panels, along="Steps of the environment")
    for axes in figure.axes:
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.margins(x=0.05)  # "400k" below the last point is wider than the point
    return figure


def _curves(table: Any) -> dict[str, Curve]:
    found = {}
    for arm, rows in table.groupby("arm", sort=False):
        wide = rows.pivot(index="seed", columns="steps", values="return").dropna()
        found[str(arm)] = Curve(wide.columns.to_numpy(), wide.to_numpy())
    return found
