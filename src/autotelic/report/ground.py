"""Traces on open ground, method beside method: METRA's picture as a part of the page."""

from typing import TYPE_CHECKING

from autotelic.environments import bounds_of
from autotelic.evaluation import Trajectories, coverage_trajectories
from autotelic.evaluation.coverage import STEPS, TRAJECTORIES
from autotelic.figures import ground_traces
from autotelic.report.markup import Html, joined, tag
from autotelic.report.pictures import picture

if TYPE_CHECKING:
    from autotelic.runs.run import Runs


def ground(runs: "Runs", sampled: Trajectories) -> Html:
    """The traces of a learner of each method; nothing where there are bounds or no positions.

    sampled: any trajectories of the run, which show whether there are positions.
    """
    if sampled.positions is None or bounds_of(runs.environment) is not None:
        return Html()
    methods = dict.fromkeys(method for method, _ in runs.sound_members)
    members = [runs.example(method) for method in methods]
    figure = ground_traces(coverage_trajectories(runs, members=members))
    seeds = sorted({seed for _, seed in members})
    of_seeds = f"seed {seeds[0]}" if len(seeds) == 1 else "the first seed that did not diverge"
    caption = (
        f"Where {TRAJECTORIES} trajectories of up to {STEPS} steps go, all skills in turn, without noise "
        f"on the actions; {of_seeds} of each method, on one scale. The metric “cells of 1 m” counts the "
        "cells that they enter."
    )
    return joined(
        [
            tag("h3", "Traces on the ground"),
            picture(figure, f"traces on the ground of {', '.join(methods)}"),
            tag("p", caption, class_="caption"),
        ]
    )
