"""Estimates over runs with honest intervals: pure functions of scores and a random generator.

`scores` are [runs] or [runs, tasks], a run being one seed. The interval of a mean difference is
Student's. Others are percentile intervals of the stratified bootstrap (runs are resampled within each
task), as in Agarwal et al. (2021), with one change: percentiles are moved outwards so that the
interval of a mean would be as wide as Student's (Hesterberg, 2015). Plain percentiles of 5 runs hold
the truth in 84 to 89 of 100 cases, not 95; these in 92. They do not reach beyond the scores
themselves, so those of fewer than 5 runs stay too narrow.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from autotelic import _validate
from autotelic._types import Array

RESAMPLES = 10_000
"""Of a bootstrap: the percentiles that intervals of 5 runs take lie at 1 in 1000."""


FEWEST_RUNS = 5
"""Of fewer runs a bootstrapped interval, which never reaches beyond their scores, is too narrow: tables,
figures and pages show the runs themselves."""


class Interval(NamedTuple):
    """An estimate and its confidence interval."""

    estimate: float
    low: float
    high: float


def interquartile_mean(scores: npt.ArrayLike) -> float:
    """The mean of the middle half of all scores: floor(n/4) are cut off at each end.

    Range that of the scores. Of 5 runs it keeps 3; prefer 10 or more.

    >>> interquartile_mean([0.0, 1.0, 2.0, 6.0, 100.0])
    3.0
    """
    return float(_interquartile_means(_scores("scores", scores)))


def interquartile_mean_interval(
    scores: npt.ArrayLike,
    generator: np.random.Generator,
    *,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Interval:
    """`interquartile_mean` with its interval; scores [runs] or [runs, tasks], at least 2 runs."""
    scores = _scores("scores", scores, runs=2)
    check_bootstrap(resamples, confidence)
    replicates = _interquartile_means(_resampled(scores, resamples, generator))
    return percentile_interval(interquartile_mean(scores), replicates, [scores.shape], confidence)


def interquartile_mean_band(
    curves: npt.ArrayLike,
    generator: np.random.Generator,
    *,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> tuple[Array, Array, Array]:
    """`interquartile_mean_interval` at every point of curves [runs, points], by the same resamples.

    Returns:
        estimates, lower ends and upper ends, each [points]: the numbers that one interval for each
        point would have with a generator like this one, in a hundredth of the time.
    """
    curves = _scores("curves", curves, runs=2)
    check_bootstrap(resamples, confidence)
    runs = len(curves)
    rows = generator.integers(runs, size=(resamples, runs))
    # Of 5 runs only 126 resamples differ.
    rows, counts = np.unique(np.sort(rows, axis=1), axis=0, return_counts=True)
    points = np.ascontiguousarray(curves.T)
    replicates = np.repeat(_interquartile_means(points[:, rows][..., None]), counts, axis=1)
    low, high = np.quantile(replicates, _tails(confidence, runs, runs - 1), axis=1)
    return _interquartile_means(points[..., None]), low, high


def improvement(scores: npt.ArrayLike, baseline: npt.ArrayLike) -> float:
    """P(X > Y) + P(X = Y) / 2, the mean over tasks of the Mann-Whitney statistic over its maximum.

    How probable it is that a run of X beats a run of Y. Range [0, 1]; null 1/2.

    Args:
        scores: X, [runs] or [runs, tasks].
        baseline: Y, of the same tasks; its number of runs may differ.
    """
    scores, baseline = _two(scores, baseline)
    return float(_improvements(scores, baseline))


def improvement_interval(
    scores: npt.ArrayLike,
    baseline: npt.ArrayLike,
    generator: np.random.Generator,
    *,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Interval:
    """The probability of `improvement` with its interval, at least 2 runs of each.

    If every run of X beats every run of Y, resampling sees no doubt and the interval is a point;
    with 5 runs of each that happens once in 252 times between methods that do not differ.
    """
    scores, baseline = _two(scores, baseline, runs=2)
    check_bootstrap(resamples, confidence)
    replicates = _improvements(
        _resampled(scores, resamples, generator), _resampled(baseline, resamples, generator)
    )
    shapes = [scores.shape, baseline.shape]
    return percentile_interval(
        float(_improvements(scores, baseline)), replicates, shapes, confidence
    )


def mean_interval(scores: npt.ArrayLike, *, confidence: float = 0.95) -> Interval:
    """The mean over runs with Student's interval; scores [runs] or [runs, tasks], at least 2 runs.

    >>> [round(value, 3) for value in mean_interval([1.0, 2.0, 3.0])]
    [2.0, -0.484, 4.484]
    """
    _validate.number("confidence", confidence, above=0.0, maximum=1.0)
    return _student_interval(_scores("scores", scores, runs=2).mean(axis=1), confidence)


def paired_difference(
    scores: npt.ArrayLike,
    baseline: npt.ArrayLike,
    *,
    confidence: float = 0.95,
) -> Interval:
    """The mean over seeds (and tasks) of X - Y, each pair with the same seed, with Student's interval.

    Pairs that share their seed share what is due to it, so this sees differences that comparing two
    intervals does not. Null 0. The interval is exact for normal differences, however few; resampling
    would not be: 5 pairs of one sign, which chance gives once in 16 times, would exclude 0.

    Args:
        scores: X, [seeds] or [seeds, tasks], at least 2 seeds.
        baseline: Y, of the same shape and in the same order.
        confidence: of the interval.

    >>> found = paired_difference([1.0, 2.0, 3.0], [0.0, 2.0, 1.0])
    >>> [round(value, 3) for value in found]
    [1.0, -1.484, 3.484]
    """
    scores, baseline = _two(scores, baseline, runs=2)
    if scores.shape != baseline.shape:
        raise ValueError(
            f"scores and baseline must have the same seeds to be paired, got {len(scores)} and "
            f"{len(baseline)}; without pairs use improvement_interval"
        )
    _validate.number("confidence", confidence, above=0.0, maximum=1.0)
    return _student_interval((scores - baseline).mean(axis=1), confidence)


def _student_interval(values: Array, confidence: float) -> Interval:
    """Of the mean of values [n]."""
    count, middle = len(values), float(values.mean())
    error = float(values.std(ddof=1)) / np.sqrt(count)
    half = (
        float(scipy.special.stdtrit(count - 1, (1.0 + confidence) / 2.0) * error) if error else 0.0
    )
    return Interval(middle, middle - half, middle + half)


def normalised_area(
    epochs: npt.ArrayLike, values: npt.ArrayLike, limit: float | None = None
) -> float | Array:
    """The area under a learning curve up to `limit` over its width: the curve's mean height.

    By the trapezoid rule, from the first epoch on; a limit between two epochs cuts the line between
    them. Range that of the values; of two curves with the same end, the one that rises earlier has
    the larger area.

    Args:
        epochs: [n] when the curve was measured, increasing, at least 2.
        values: [n] or [..., n].
        limit: by default the last epoch.

    Returns:
        A float for one curve, an array [...] for several.

    >>> normalised_area([0, 10], [0.0, 1.0])
    0.5
    >>> normalised_area([0, 10], [0.0, 1.0], limit=4)
    0.2
    """
    epochs, values = check_curve(epochs, values)
    limit = float(epochs[-1]) if limit is None else limit
    _validate.number("limit", limit, above=float(epochs[0]))
    if len(epochs) < 2 or limit > epochs[-1]:
        raise ValueError(
            f"an area up to epoch {limit:g} needs a curve that reaches it with at least 2 points, "
            f"got {len(epochs)} up to epoch {epochs[-1]:g}"
        )
    after = int(np.searchsorted(epochs, limit))
    before = after - 1
    share = (limit - epochs[before]) / (epochs[after] - epochs[before])
    end = values[..., before] + share * (values[..., after] - values[..., before])
    epochs = np.append(epochs[:after], limit)
    values = np.concatenate([values[..., :after], end[..., None]], axis=-1)
    area = scipy.integrate.trapezoid(values, epochs, axis=-1) / (limit - epochs[0])
    return float(area) if values.ndim == 1 else area


def _scores(name: str, scores: npt.ArrayLike, runs: int = 1) -> Array:
    """The scores as an array [runs, tasks]; refuses other shapes, NaN, and too few runs."""
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim not in (1, 2) or array.size == 0:
        raise ValueError(
            f"{name} must have the shape [runs] or [runs, tasks], got {list(array.shape)}"
        )
    if not np.isfinite(array).all():
        raise ValueError(
            f"{name} hold NaN or infinity; a run that failed needs a score too, not a gap"
        )
    if len(array) < runs:
        raise ValueError(
            f"an interval needs at least {runs} runs, got {len(array)} in {name}; train more seeds"
        )
    return array.reshape(len(array), -1)


def _two(scores: npt.ArrayLike, baseline: npt.ArrayLike, runs: int = 1) -> tuple[Array, Array]:
    """Scores of two methods on the same tasks."""
    first, second = _scores("scores", scores, runs), _scores("baseline", baseline, runs)
    if first.shape[1] != second.shape[1]:
        raise ValueError(
            f"scores and baseline must be of the same tasks, got {first.shape[1]} and "
            f"{second.shape[1]}"
        )
    return first, second


def check_curve(epochs: npt.ArrayLike, values: npt.ArrayLike) -> tuple[Array, Array]:
    """A curve or several over the same epochs; refuses gaps and other orders."""
    epochs = np.asarray(epochs, dtype=np.float64)
    values = np.asarray(values, dtype=np.float64)
    if epochs.ndim != 1 or len(epochs) == 0 or values.shape[-1:] != epochs.shape:
        raise ValueError(
            "epochs must have the shape [n] and values [n] or [..., n], got "
            f"{list(epochs.shape)} and {list(values.shape)}"
        )
    if not (np.diff(epochs) > 0).all():
        raise ValueError("epochs must increase from one to the next")
    if not np.isfinite(values).all():
        raise ValueError("values hold NaN or infinity; leave out epochs without a measurement")
    return epochs, values


def check_bootstrap(resamples: int, confidence: float) -> None:
    """Refuse a bootstrap without resamples, or a confidence that is no probability."""
    _validate.integer("resamples", resamples, minimum=1)
    _validate.number("confidence", confidence, above=0.0, maximum=1.0)


def _resampled(scores: Array, resamples: int, generator: np.random.Generator) -> Array:
    """Runs drawn with replacement within each task; [runs, tasks] -> [resamples, runs, tasks]."""
    rows = generator.integers(len(scores), size=(resamples, *scores.shape))
    return scores[rows, np.arange(scores.shape[1])]


def _interquartile_means(scores: Array) -> npt.NDArray[np.float64]:
    """Over the last two axes; [..., runs, tasks] -> [...]."""
    flat = np.sort(scores.reshape(*scores.shape[:-2], -1), axis=-1)
    cut = flat.shape[-1] // 4
    return flat[..., cut : flat.shape[-1] - cut].mean(axis=-1)


def _improvements(scores: Array, baseline: Array) -> Array:
    """[..., runs, tasks] and [..., other runs, tasks] -> [...]."""
    difference = scores[..., :, None, :] - baseline[..., None, :, :]
    return ((np.sign(difference) + 1.0) / 2.0).mean(axis=(-3, -2, -1))


def percentile_interval(
    estimate: float, replicates: Array, shapes: list[tuple[int, ...]], confidence: float
) -> Interval:
    """Percentiles of the replicates, moved outwards for samples of these shapes [runs, tasks].

    The bootstrap's spread of a mean is too small by sqrt((n - 1) / n), and a normal percentile takes
    it for the true one where Student's t does not.
    """
    fewest = min(runs for runs, _ in shapes)
    freedom = sum((runs - 1) * tasks for runs, tasks in shapes)
    low, high = np.quantile(replicates, _tails(confidence, fewest, freedom))
    return Interval(estimate, float(low), float(high))


def _tails(confidence: float, fewest: int, freedom: int) -> list[float]:
    """The percentiles to take, as shares, see `percentile_interval`."""
    student = scipy.special.stdtrit(freedom, (1.0 + confidence) / 2.0) * np.sqrt(
        fewest / (fewest - 1.0)
    )
    return [float(scipy.special.ndtr(-student)), float(scipy.special.ndtr(student))]
