"""What a selector did with its choices, and whether what it goes by is worth going by.

A learner's history has one entry for each visit to a goal, which lasts an epoch unless goals are held
for less: `goals` [visits] it pursued, `signal` [visits, goals] the selector's values after the visit
(NaN where never tried), `certainty` [visits] the mean q(g|s) of the goal it pursued.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from autotelic import _validate
from autotelic._types import Array
from autotelic.evaluation.metrics import Judgements, valid_steps
from autotelic.evaluation.statistics import RESAMPLES, check_bootstrap
from autotelic.selectors import effective_number_of_skills


def selection_counts(goals: npt.ArrayLike, num_goals: int) -> npt.NDArray[np.int64]:
    """How often each goal was pursued, [goals], in visits to goals [visits]."""
    goals = np.asarray(goals, dtype=np.int64)
    _validate.integer("num_goals", num_goals, minimum=1)
    if goals.ndim != 1 or len(goals) == 0 or goals.min() < 0 or goals.max() >= num_goals:
        raise ValueError(f"goals must be [visits] of at least one visit, from 0 to {num_goals - 1}")
    return np.bincount(goals, minlength=num_goals)


def effective_number_of_selections(counts: npt.ArrayLike) -> float:
    """exp(entropy) of selection counts [goals]: how many goals were in effect practised.

    Range [1, |G|], at most the visits counted. Null: draws that are uniform over |G| goals have
    about |G| exp(-(|G| - 1) / (2 W)) over W visits, less than |G| by chance alone.
    """
    counts = np.asarray(counts)
    return float(effective_number_of_skills(counts / counts.sum()))


def selection_gini(counts: npt.ArrayLike) -> float:
    """sum_{g,h} |c_g - c_h| / (2 |G| sum c), the inequality of selection counts [goals].

    Range [0, (|G| - 1) / |G|]: 0 if all goals were practised alike, the largest if only one was.
    Null: about sqrt(|G| / (pi W)) for W uniform draws, when W is several times |G|.

    >>> selection_gini([4, 0, 0, 0])
    0.75
    """
    counts = np.asarray(counts, dtype=np.float64)
    if counts.ndim != 1 or not (counts >= 0).all() or counts.sum() == 0:
        raise ValueError("counts must be [goals], not negative, with at least one above 0")
    differences = np.abs(counts[:, None] - counts).sum()
    return float(differences / (2.0 * len(counts) * counts.sum()))


def calibration_error(judgements: Judgements, bins: int = 15) -> float:
    """sum_b w_b |accuracy_b - confidence_b|: is q right as often as it is sure?

    The expected calibration error. Steps are binned by the probability of the most probable goal,
    [0, 1] in equal parts; w_b is the bin's share of steps, each goal counting the same. Range
    [0, 1]; 0 for a calibrated classifier, a little more by chance where bins hold few steps.
    """
    _validate.integer("bins", bins, minimum=1)
    valid = valid_steps(judgements)
    best = judgements.log_probabilities.argmax(axis=-1)
    confidence = np.exp(
        judgements.log_probabilities.max(axis=-1, where=valid[..., None], initial=-np.inf)
    )
    right = best == np.arange(len(best))[:, None, None]
    weight = valid / (len(best) * valid.sum(axis=(1, 2), keepdims=True))
    index = np.minimum((confidence * bins).astype(np.intp), bins - 1)
    gap = np.where(valid, weight * (right - confidence), 0.0)
    return float(np.abs(np.bincount(index.ravel(), weights=gap.ravel(), minlength=bins)).sum())


class Visits(NamedTuple):
    """Pairs of successive visits to a goal, [pairs] each.

    goal: the goal; signal: the selector's value of it after the first visit; improvement: the
      certainty in the second visit less that in the first.
    """

    goal: npt.NDArray[np.int64]
    signal: Array
    improvement: Array


def successive_visits(
    goals: npt.ArrayLike, signal: npt.ArrayLike, certainty: npt.ArrayLike
) -> Visits:
    """Each visit to a goal with the next one to it, of one learner's history; see `Visits`."""
    goals, signal, certainty = _history(goals, signal, certainty)
    order = np.argsort(goals, kind="stable")  # by goal, and by time within each
    pairs = goals[order[:-1]] == goals[order[1:]]
    first, second = order[:-1][pairs], order[1:][pairs]
    values = signal[first, goals[first]]
    known = np.isfinite(values)
    first, second = first[known], second[known]
    return Visits(goals[first], values[known], certainty[second] - certainty[first])


class Predictiveness(NamedTuple):
    """Does the signal tell where practice pays?

    correlation: Spearman's, of signal and improvement; low, high: its bootstrap interval; p_value:
      how often shuffled pairs are correlated as strongly; pairs: how many there were.
    """

    correlation: float
    low: float
    high: float
    p_value: float
    pairs: int


def predictiveness(
    visits: Sequence[Visits],
    generator: np.random.Generator,
    *,
    resamples: int = RESAMPLES // 10,
    confidence: float = 0.95,
) -> Predictiveness:
    """Spearman correlation of the signal after a visit with the improvement until the next visit.

    Range [-1, 1]. Visits to one goal depend on each other, so the bootstrap resamples whole
    goals. A correlation is not yet proof that choosing by the signal helps: a signal that measures
    the rise within an epoch is correlated with that same rise, seen again at the next visit. The null
    is 0 for signals that do not hold the mean certainty of the visit, which the improvement is counted
    from: the rise within an epoch, progress on probe states. For one that does, such as competence or
    its change since the previous visit, it is below 0 (regression to the mean). Visits whose signal
    is not known yet, a first round's for selectors that need two, have no part in it.

    Args:
        visits: of each learner, see `successive_visits`; goals of different learners are different.
        generator: resamples and shuffles.
        resamples: of the bootstrap, and shuffles.
        confidence: of the interval.
    """
    check_bootstrap(resamples, confidence)
    signal = np.concatenate([part.signal for part in visits]) if visits else np.empty(0)
    improvement = np.concatenate([part.improvement for part in visits]) if visits else np.empty(0)
    groups: list[npt.NDArray[np.intp]] = []
    start = 0
    for part in visits:
        groups += [start + np.flatnonzero(part.goal == goal) for goal in np.unique(part.goal)]
        start += len(part.goal)
    if len(groups) < 2 or np.ptp(signal) == 0 or np.ptp(improvement) == 0:
        raise ValueError(
            f"a correlation needs visits to at least 2 goals with values that differ, got "
            f"{len(signal)} pairs of visits to {len(groups)} goals; train more epochs"
        )
    correlation = _correlations(scipy.stats.rankdata(signal), scipy.stats.rankdata(improvement))
    replicates = []
    for chosen in generator.integers(len(groups), size=(resamples, len(groups))):
        rows = np.concatenate([groups[index] for index in chosen])
        replicates.append(
            _correlations(
                scipy.stats.rankdata(signal[rows]), scipy.stats.rankdata(improvement[rows])
            )
        )
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(replicates, [tail, 1.0 - tail])
    shuffled = generator.permuted(
        np.tile(scipy.stats.rankdata(improvement), (resamples, 1)), axis=1
    )
    stronger = (
        np.abs(_correlations(scipy.stats.rankdata(signal), shuffled)) >= np.abs(correlation) - 1e-12
    )
    p_value = (1.0 + stronger.sum()) / (1.0 + resamples)
    return Predictiveness(float(correlation), float(low), float(high), float(p_value), len(signal))


def signal_to_noise(goals: npt.ArrayLike, signal: npt.ArrayLike, window: int) -> Array:
    """max(0, V / N - 1): do the signal's differences between goals exceed its noise? [visits]

    V is the variance of the values over goals after a visit, N half the mean squared change of a
    goal's value from one visit to the next: if values were noise about the same mean, both would
    be the variance of that noise. Each is the mean over the last `window` visits; NaN as long as
    there is nothing to take it of. Range [0, inf); null 0, give or take sqrt(2 / |G|).

    Args:
        goals: [visits].
        signal: [visits, goals], at least 2 goals.
        window: visits to look back.
    """
    goals, signal, _ = _history(goals, signal, np.zeros(len(np.asarray(goals))))
    _validate.integer("window", window, minimum=1)
    if signal.shape[1] < 2:
        raise ValueError("signal must have at least 2 goals to differ, got 1")
    times = np.arange(len(goals))
    before = np.vstack([np.full((1, signal.shape[1]), np.nan), signal[:-1]])
    change = signal[times, goals] - before[times, goals]
    variance = signal.var(axis=1, ddof=1)  # NaN until all goals have been tried
    noise = trailing_mean(change**2 / 2.0, window)
    spread = trailing_mean(variance, window)
    ratio = np.divide(spread, noise, out=np.full(len(goals), np.nan), where=noise > 0)
    return np.maximum(ratio - 1.0, 0.0)


def trailing_mean(values: Array, window: int) -> Array:
    """The mean over the last `window` entries that are not NaN; NaN where there are none."""
    known = np.isfinite(values)
    sums = np.cumsum(np.where(known, values, 0.0))
    numbers = np.cumsum(known)
    sums[window:] -= sums[:-window].copy()
    numbers[window:] -= numbers[:-window].copy()
    return np.divide(sums, numbers, out=np.full(len(values), np.nan), where=numbers > 0)


def _correlations(first: Array, second: Array) -> Array:
    """Pearson's correlation of [n] with [n] or each row of [..., n]; 0 if one does not vary."""
    first = first - first.mean()
    second = second - second.mean(axis=-1, keepdims=True)
    scale = np.sqrt((first**2).sum() * (second**2).sum(axis=-1))
    return np.divide(second @ first, scale, out=np.zeros_like(scale), where=scale > 0)


def _history(
    goals: npt.ArrayLike, signal: npt.ArrayLike, certainty: npt.ArrayLike
) -> tuple[npt.NDArray[np.int64], Array, Array]:
    goals = np.asarray(goals, dtype=np.int64)
    signal = np.asarray(signal, dtype=np.float64)
    certainty = np.asarray(certainty, dtype=np.float64)
    if signal.ndim != 2 or goals.shape != signal.shape[:1] or certainty.shape != goals.shape:
        raise ValueError(
            "a history needs goals [visits], signal [visits, goals] and certainty [visits], got "
            f"{list(goals.shape)}, {list(signal.shape)} and {list(certainty.shape)}"
        )
    if len(goals) == 0 or goals.min() < 0 or goals.max() >= signal.shape[1]:
        raise ValueError(f"goals must be of at least one visit, from 0 to {signal.shape[1] - 1}")
    return goals, signal, certainty
