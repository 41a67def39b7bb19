"""How soon runs reach a threshold, when some never do: a run that fails is censored, never dropped."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.evaluation.statistics import (
    RESAMPLES,
    Interval,
    check_bootstrap,
    check_curve,
    percentile_interval,
)


class Times(NamedTuple):
    """When each run reached a threshold.

    epochs: [runs] the first epoch at the threshold or over it; for a run that did not get there, the
      last at which it was looked for.
    reached: [runs] whether it got there; if not, the time is censored.
    """

    epochs: Array
    reached: npt.NDArray[np.bool_]


class SurvivalCurve(NamedTuple):
    """The share of runs still under the threshold: `share[i]` from `epochs[i]` on, 1 before."""

    epochs: Array
    share: Array


def epochs_to_threshold(epochs: npt.ArrayLike, values: npt.ArrayLike, threshold: float) -> Times:
    """The first epoch at which each learning curve is at the threshold or over it.

    Args:
        epochs: [n] when the curves were measured, increasing.
        values: [runs, n].
        threshold: to be reached.
    """
    epochs, values = check_curve(epochs, values)
    _validate.number("threshold", threshold)
    if values.ndim != 2:
        raise ValueError(f"values must have the shape [runs, n], got {list(values.shape)}")
    over = np.asarray(values >= threshold)
    reached = np.asarray(over.any(axis=1))
    return Times(np.where(reached, epochs[over.argmax(axis=1)], epochs[-1]), reached)


def kaplan_meier(times: Times) -> SurvivalCurve:
    """S(t) = product over event times t_i <= t of (1 - d_i / n_i): Kaplan & Meier (1958).

    At t_i, d_i of the n_i runs still watched reach the threshold; a run censored at t_i was watched
    then. Range [0, 1], never increasing; 1 throughout if no run gets there.
    """
    times = _check(times)
    events = np.unique(times.epochs[times.reached])
    return SurvivalCurve(events, _survival(times, events, np.ones((1, len(times.epochs))))[0])


def restricted_mean(times: Times, limit: float | None = None) -> float:
    """The area under the Kaplan-Meier curve from 0 to `limit`: the mean of min(time, limit).

    Range [0, limit]; `limit` if no run gets there.

    Args:
        times: of the runs.
        limit: at most the last epoch at which any run was watched, which is the default.

    >>> restricted_mean(Times(np.array([10.0, 20.0]), np.array([True, False])))
    15.0
    """
    times = _check(times)
    return float(_restricted_means(times, _limit(times, limit), np.ones((1, len(times.epochs))))[0])


def restricted_mean_interval(
    times: Times,
    generator: np.random.Generator,
    *,
    limit: float | None = None,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Interval:
    """`restricted_mean` with its interval over at least 2 runs; see `statistics` on intervals."""
    times = _check(times)
    runs = len(times.epochs)
    if runs < 2:
        raise ValueError(f"an interval needs at least 2 runs, got {runs}; train more seeds")
    check_bootstrap(resamples, confidence)
    limit = _limit(times, limit)
    weights = generator.multinomial(runs, np.full(runs, 1.0 / runs), size=resamples)
    replicates = _restricted_means(times, limit, weights.astype(np.float64))
    return percentile_interval(restricted_mean(times, limit), replicates, [(runs, 1)], confidence)


def _check(times: Times) -> Times:
    epochs = np.asarray(times.epochs, dtype=np.float64)
    reached = np.asarray(times.reached)
    if epochs.ndim != 1 or epochs.shape != reached.shape or len(epochs) == 0:
        raise ValueError(
            "times must hold epochs and reached of the shape [runs], got "
            f"{list(epochs.shape)} and {list(reached.shape)}"
        )
    if reached.dtype != np.bool_ or not np.isfinite(epochs).all() or epochs.min() < 0:
        raise ValueError("times must hold epochs from 0 on, and in reached True or False")
    return Times(epochs, reached)


def _limit(times: Times, limit: float | None) -> float:
    last = float(times.epochs.max())
    if limit is None:
        return last
    _validate.number("limit", limit, above=0.0)
    if limit > last and not times.reached.all():
        raise ValueError(
            f"limit must be at most {last:g}, the last epoch at which a run was watched, got "
            f"{limit:g}: what a run that did not get there does later is not known"
        )
    return float(limit)


def _survival(times: Times, events: Array, weights: Array) -> Array:
    """S at the event times with each run counted so often; [n, runs] -> [n, events]."""
    happening = (times.epochs[:, None] == events) & times.reached[:, None]
    watched = weights @ (times.epochs[:, None] >= events)
    # A resample may have nobody left to watch; its curve then stays where it is.
    share = np.divide(weights @ happening, watched, out=np.zeros_like(watched), where=watched > 0)
    return np.cumprod(1.0 - share, axis=1, dtype=np.float64)


def _restricted_means(times: Times, limit: float, weights: Array) -> Array:
    """The areas under the curves up to the limit; [n, runs] -> [n]."""
    events = np.unique(times.epochs[times.reached])
    events = events[events < limit]
    share = np.concatenate([np.ones((len(weights), 1)), _survival(times, events, weights)], axis=1)
    return share @ np.diff(np.concatenate([[0.0], events, [limit]]))
