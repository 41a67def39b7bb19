"""The picture of docs/goals.md: `python -m tools.draw_mazes docs/images/mazes.png`."""

import sys
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from autotelic.environments.maze2d import Maze2D
from autotelic.environments.maze_layouts import LAYOUTS
from autotelic.figures.style import PAGE, style


def draw(goals: int = 50) -> Figure:
    """Every layout with its walls, its start and as many goals."""
    with style():
        figure = Figure(figsize=(PAGE, 2.75), layout="constrained")
        panels = figure.subplots(1, len(LAYOUTS))
        shown: Any = None
        for axes, layout in zip(panels, LAYOUTS, strict=True):
            maze = Maze2D(layout)
            places = maze.desired_goals(goals)
            can = maze.reachable(places)
            away = maze.steps_away[tuple(maze.cell_of(places).T)]
            walls = np.where(maze.walls.T, 0.55, np.nan)
            axes.imshow(
                walls, origin="lower", extent=(-1, 1, -1, 1), cmap="gray", vmin=0.0, vmax=1.0
            )
            shown = axes.scatter(*places[can].T, c=away[can], s=22, cmap="viridis", vmin=0, vmax=38)
            axes.scatter(*places[~can].T, marker="x", s=14, color="#D55E00", linewidths=1.0)
            axes.text(*maze.centre_of(maze.start), "S", ha="center", va="center", weight="bold")
            axes.set_title(layout, loc="left")
            axes.set(xticks=[], yticks=[])
        bar = figure.colorbar(shown, ax=panels.tolist(), shrink=0.8)
        bar.set_label("cells from the start", fontsize=7)
        bar.ax.tick_params(labelsize=6.5)
    return figure


if __name__ == "__main__":
    draw().savefig(sys.argv[1], dpi=150)
