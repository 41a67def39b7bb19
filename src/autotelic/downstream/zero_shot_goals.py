"""Zero-shot goals: skills are led to places by phi; beside them a random skill, and untrained skills."""

from typing import TYPE_CHECKING, Any

from autotelic.evaluation.zero_shot import PLACES, zero_shot
from autotelic.runs.run import Runs

if TYPE_CHECKING:
    import pandas

ZERO_SHOT, RANDOM, UNTRAINED = "zero-shot", "random skill", "untrained"


def zero_shot_goals(
    runs: Runs, places: int = PLACES, seed: int = 0, *, steps: int | None = None
) -> "pandas.DataFrame":
    """How well skills reach places without learning anything more, a row for each learner, radius and arm.

    The protocol is that of `autotelic.evaluation.zero_shot`. All arms go from the same starts to the same
    places: `zero-shot` is led there by phi, `random skill` holds one goal drawn for each place, `untrained`
    are the same learners before their first step, led by their phi.

    Returns:
        Columns arm, method, seed, radius, hit, end, stay.
    """
    import pandas

    arms = {
        ZERO_SHOT: zero_shot(runs, places, seed, steps=steps),
        RANDOM: zero_shot(runs, places, seed, steps=steps, at_random=True),
        UNTRAINED: zero_shot(runs, places, seed, steps=steps, untrained=True),
    }
    tables = [table.assign(arm=arm) for arm, table in arms.items()]
    together: Any = pandas.concat(tables, ignore_index=True)
    return together[["arm", *(name for name in together.columns if name != "arm")]]
