"""The numbers of a history that figures draw, from a run or from its table."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from autotelic import _validate
from autotelic.runs.history import (
    effective_numbers,
    vector,
    visits_per_epoch,
    warm_up_visits,
)

if TYPE_CHECKING:
    import pandas

    from autotelic.runs.run import Runs


class MemberHistory(NamedTuple):
    """One learner's selections, in the order of time.

    goals: [visits] the goal pursued; selection: [visits, goals] the distribution it was drawn from;
    signal: [visits, goals] the selector's values after the visit, NaN where never tried;
    visits_per_epoch: how many of these visits make an epoch; warm_up: how many came before the selector
    was asked.
    """

    goals: np.ndarray
    selection: np.ndarray
    signal: np.ndarray
    visits_per_epoch: int
    warm_up: int = 0


def history_of(source: "Runs | pandas.DataFrame") -> "pandas.DataFrame":
    """The history of a run, or the table itself; refuses an empty one."""
    frame: Any = getattr(source, "history", source)
    if "effective_skills" not in getattr(frame, "columns", ()):
        raise TypeError(
            "a run (autotelic.load) or its history table (pandas.read_csv of history.csv) is "
            f"needed, got {type(source).__name__}"
        )
    if len(frame) == 0:
        raise ValueError("the history has no epoch yet; train the run further")
    return frame


def effective_skills_curves(source: "Runs | pandas.DataFrame") -> dict[str, np.ndarray]:
    """For each method `history.effective_numbers`, [seeds, visits], in the order of the run."""
    frame = history_of(source)
    frame = frame.assign(effective_skills=effective_numbers(frame))
    times = ["epoch", "visit"] if "visit" in frame.columns else ["epoch"]
    return {
        str(method): rows.pivot(index="seed", columns=times, values="effective_skills").to_numpy()
        for method, rows in frame.groupby("method", sort=False)
    }


def times_of(visits: int, visits_per_epoch: int) -> np.ndarray:
    """When each visit began, [visits], in epochs; the run's first epoch begins at 1.

    >>> times_of(4, visits_per_epoch=2)
    array([1. , 1.5, 2. , 2.5])
    """
    return 1.0 + np.arange(visits) / visits_per_epoch


def member_history(source: "Runs | pandas.DataFrame", method: str, seed: int) -> MemberHistory:
    """The selections of one method's learner with one seed; if it diverged, until then."""
    frame = history_of(source)
    _validate.choice("method", method, frame["method"].unique())
    rows: Any = frame[(frame["method"] == method) & (frame["seed"] == seed)]
    if len(rows) == 0:
        seeds = sorted(int(value) for value in frame["seed"].unique())
        raise ValueError(f"no history of {method!r} with seed {seed}; there are seeds {seeds}")
    rows = rows[rows["effective_skills"].notna()]
    return MemberHistory(
        rows["goal"].to_numpy(),
        vector(rows, "selection"),
        vector(rows, "signal"),
        visits_per_epoch(frame),
        min(warm_up_visits(frame), len(rows)),
    )
