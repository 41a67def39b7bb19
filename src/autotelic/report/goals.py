"""Goals that are places: success at each over time, and where practice went, as a part of the page."""

from typing import TYPE_CHECKING

from autotelic.figures.goal_map import RECENT, goal_map, map_of
from autotelic.report.markup import Html, joined, tag
from autotelic.report.pictures import picture

if TYPE_CHECKING:
    from autotelic.runs.run import Runs


def goals(runs: "Runs") -> Html:
    """The map of a learner of each method; nothing where goals are no places."""
    objective = runs.setting.objective
    if not (objective.has_places and objective.gives_success):
        return Html()
    found = map_of(runs)
    seeds = sorted({seed for _, seed in found.members})
    of_seeds = f"Seed {seeds[0]}" if len(seeds) == 1 else "The first seed that did not diverge"
    how = (
        "measured on fresh trajectories"
        if found.measured
        else f"the mean of its last {RECENT} visits in practice; empty where it was not visited yet"
    )
    crosses = "" if found.reachable.all() else " Crosses are goals that cannot be reached."
    caption = (
        f"{of_seeds} of each method. Success of a goal is {how}. On the right, how often each goal was "
        f"practised in the whole run.{crosses}"
    )
    methods = ", ".join(dict.fromkeys(method for method, _ in found.members))
    return joined(
        [
            tag("h3", "Goals on the map"),
            picture(goal_map(found), f"success and practice of every goal, of {methods}"),
            tag("p", caption, class_="caption"),
        ]
    )
