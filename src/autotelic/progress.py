"""Equations 3-6 of the paper as small pure functions: from posteriors to Diversity Progress.

The chain for one visit, in which one goal is pursued:

    posteriors       [steps, goals]
      prediction_errors  (Eq. 5)     [steps, goals]
      window_means       (Eq. 4)     earlier and recent, [goals] each
      learning_progress  (Eq. 3)     [goals]
      normalize          (App. C.4)  [goals]
      diversity_progress (Eq. 6)     one number; holds the last three steps

Three things the paper does not say, which a user should know:

* **Un-normalised DP is the pursued goal's own progress.** Rows of posteriors sum to one, so the
  errors of Eq. 5 sum to 2 (1 - q(k|s)) for the pursued goal k, and Eq. 6 as printed equals (2/|G|)
  (recent mean q(k) - earlier mean q(k)), at most 2/|G|. Only the normalisation, one sentence in the
  paper's Appendix C.4, lets the other goals count and gives the softmax temperatures of Table 1 an
  effect.
* **Three of the paper's five settings ask for one sample more than a visit has**: 750 + 250 and
  900 + 100 need 1001 of 1000 errors. The window policies below are the two readings that fit.
* **Progress within a visit is confounded with the time within an episode.** Even a frozen agent's
  error falls as it leaves the common start states. The references `previous_visit` and `probe` are
  free of that.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array

WINDOWS = ("truncate", "half_open")
ATTRIBUTIONS = ("mean_over_goals", "own_goal")
# Means of equal errors over windows of different length differ in their last bits: that is no
# progress, though a norm would make it one.
ROUNDING = 1e-12

READINGS = ("relative", "relative_old", "total", "l1", "l2", "max", "std", "running")
"""Normalisations that are readings of Appendix C.4, see `normalize`."""


def prediction_errors(posteriors: npt.ArrayLike, goal: int) -> Array:
    """Eq. 5: 1 - q(g|s) for the pursued goal, q(g|s) for the others; [steps, goals] -> same."""
    errors = np.array(posteriors, dtype=np.float64)
    errors[:, goal] = 1.0 - errors[:, goal]
    return errors


def check_windows(steps: int, offset: int, smoothing: int, window: str) -> None:
    """Refuse windows that do not fit into a visit of `steps` errors; show the sum."""
    _validate.integer("offset", offset, minimum=0)
    _validate.integer("smoothing", smoothing, minimum=0)
    _validate.choice("window", window, WINDOWS)
    if offset + smoothing > steps:
        raise ValueError(
            f"offset {offset} + smoothing {smoothing} = {offset + smoothing} exceeds "
            f"the {steps} steps that a goal is held; lower one of them"
        )
    if offset == steps:
        raise ValueError(
            f"offset {offset} reaches back over all {steps} steps that a goal is held "
            f"and leaves nothing to compare with; use at most {steps - 1}"
        )
    if window == "half_open" and smoothing == 0:
        raise ValueError(
            'window="half_open" averages `smoothing` samples; use a smoothing of at least 1, got 0'
        )


def sees_time(offset: int, smoothing: int, episode_length: int) -> str:
    """Why progress between two windows would also measure the time within an episode; "" if it does not.

    Errors fall as an episode leaves the common start states, also those of a learner that stands still.
    Only windows a whole number of episodes apart lie at the same times within them.

    >>> sees_time(500, 250, episode_length=100)
    ''
    """
    if offset % episode_length == 0 and offset > 0:
        return ""
    if offset + smoothing < episode_length:
        what = (
            f"its windows, {offset} steps apart, lie within one episode of {episode_length} steps"
        )
    else:
        what = f"offset {offset} is no multiple of an episode's {episode_length} steps"
    return (
        f"{what}, so its progress also measures the time within the episode, of a learner that stands "
        'still too; an offset that is a multiple, or reference="previous_visit" or "probe", does not'
    )


def window_means(
    errors: Array, offset: int, smoothing: int, window: str = "truncate"
) -> tuple[Array, Array]:
    """Eq. 4 at t+1-offset and t+1: earlier and recent mean errors; [steps, goals] -> 2 x [goals].

    `truncate` is the paper's formula, smoothing + 1 samples a window, less the samples that a
    visit does not have (the earlier window is one short when offset + smoothing equals the steps).
    `half_open` takes `smoothing` samples a window, as a slice would, and then always fits.
    """
    steps = len(errors)
    check_windows(steps, offset, smoothing, window)
    length = smoothing + 1 if window == "truncate" else smoothing
    end = steps - offset
    earlier = errors[max(0, end - length) : end].mean(axis=0)
    recent = errors[max(0, steps - length) :].mean(axis=0)
    return earlier, recent


def learning_progress(earlier: Array, recent: Array) -> Array:
    """Eq. 3: the decrease in mean error, positive when a goal got better; [goals] -> [goals]."""
    return earlier - recent


def _divide(progress: Array, scale: Array | float) -> Array:
    """progress / scale, and 0 where there is nothing to scale by."""
    scale = np.broadcast_to(scale, progress.shape)
    return np.divide(progress, scale, out=np.zeros_like(progress), where=scale > 0)


def _relative(progress: Array, earlier: Array, recent: Array) -> Array:
    return progress / (earlier + recent + 1.0 / len(progress))


def _relative_old(progress: Array, earlier: Array, recent: Array) -> Array:
    return progress / (earlier + 1.0 / len(progress))


def _std(progress: Array, earlier: Array, recent: Array) -> Array:
    deviation = float(progress.std())
    return _divide(progress, deviation if deviation > ROUNDING else 0.0)


def _l2(progress: Array, earlier: Array, recent: Array) -> Array:
    return _divide(progress, float(np.linalg.norm(progress)))


def _l1(progress: Array, earlier: Array, recent: Array) -> Array:
    return _divide(progress, float(np.abs(progress).sum()))


def _max(progress: Array, earlier: Array, recent: Array) -> Array:
    return _divide(progress, float(np.abs(progress).max()))


def _total(progress: Array, earlier: Array, recent: Array) -> Array:
    return progress * (len(progress) / 2.0)


def _none(progress: Array, earlier: Array, recent: Array) -> Array:
    return progress


def _minmax(progress: Array, earlier: Array, recent: Array) -> Array:
    return _divide(progress - progress.min(), float(np.ptp(progress)))


NORMALIZATIONS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "relative": _relative,
    "relative_old": _relative_old,
    "std": _std,
    "l2": _l2,
    "l1": _l1,
    "max": _max,
    "total": _total,
    "none": _none,
    "minmax": _minmax,
}


def check_normalization(normalization: str) -> None:
    """Refuse an unknown normalisation, and the z-score with its reason."""
    if normalization == "zscore":
        raise ValueError(
            'normalization="zscore" cannot work: the mean of z-scores over goals is 0 whatever '
            "was learned, so Eq. 6 would always be 0; "
            f"choose from {', '.join((*NORMALIZATIONS, 'running'))}"
        )
    _validate.choice("normalization", normalization, (*NORMALIZATIONS, "running"))


def running_scale(scale: Array, progress: Array) -> Array:
    """The running mean of mean |L| and its weight after one more visit; [2] -> [2].

    An exponential mean with rate 1/|G|, so it remembers about one round of goals. The weight is
    1 - (1 - 1/|G|)^visits, and dividing by it removes the bias towards the zero start.
    """
    rate = 1.0 / len(progress)
    return (1.0 - rate) * scale + rate * np.array([np.abs(progress).mean(), 1.0])


def normalize(
    progress: Array,
    earlier: Array,
    recent: Array,
    normalization: str,
    scale: Array | None = None,
) -> Array:
    """Appendix C.4: "we normalised the mean LP before computing the mean progress over goals";
    [goals] -> [goals].

    The paper does not say how. With L = progress, all readings map L = 0 to 0 and never divide by
    zero:

    * `relative`: L / (earlier + recent + 1/|G|), in (-1, 1); the floor 1/|G| keeps mastered goals
      quiet.
    * `relative_old`: L / (earlier + 1/|G|), in [-|G|, 1).
    * `l2`, `l1`, `max`: L over its norm; keeps the direction and loses the size of progress.
    * `std`: L over its standard deviation over goals, without centring; loses the size of progress
      too. With two goals the errors of Eq. 5 are equal, and it is 0.
    * `running`: L over a running mean of mean |L|, see `running_scale`. It keeps the size of
      progress relative to recent visits. `scale` is the running mean, this visit included.
    * `total`: L |G| / 2, which makes Eq. 6 the pursued goal's own progress, in [-1, 1].
    * `none`: Eq. 6 as printed, within +-2/|G|.
    * `minmax`: (L - min L) / (max L - min L). The pursued goal's L is the extreme one, so this
      *inverts* the preference; kept to compare readings, not to train with.
    """
    check_normalization(normalization)
    if np.abs(progress).max() < ROUNDING:
        return np.zeros_like(progress)
    if normalization == "running":
        if scale is None:
            raise ValueError('normalization="running" needs scale, see running_scale')
        return progress * (scale[1] / scale[0])
    return NORMALIZATIONS[normalization](progress, earlier, recent)


def diversity_progress(
    earlier: Array,
    recent: Array,
    goal: int,
    *,
    normalization: str = "relative",
    absolute: bool = False,
    attribution: str = "mean_over_goals",
    scale: Array | None = None,
) -> float:
    """Eq. 6: the mean over goals of the normalised learning progress, credited to the pursued goal.

    Printed without the parentheses that the sum needs: (1/|G|) sum_g [earlier_g - recent_g].
    `absolute` takes the mean of |L_g| instead, so that forgetting counts as well (the paper's
    future work); `attribution="own_goal"` takes the pursued goal's entry alone.

    Args:
        earlier: mean errors before, [goals].
        recent: mean errors now, [goals].
        goal: the pursued goal.
        normalization: a key of `NORMALIZATIONS`, or "running", see `normalize`.
        absolute: take |L_g|.
        attribution: "mean_over_goals" (the paper) or "own_goal".
        scale: of "running", see `running_scale`.

    >>> earlier, recent = np.array([0.6, 0.4, 0.2]), np.array([0.4, 0.2, 0.2])
    >>> round(diversity_progress(earlier, recent, goal=0, normalization="none"), 4)
    0.1333
    """
    _validate.choice("attribution", attribution, ATTRIBUTIONS)
    _validate.integer("goal", goal, minimum=0)
    if goal >= len(earlier):
        raise ValueError(f"goal {goal} is not among the {len(earlier)} goals of the errors")
    progress = normalize(learning_progress(earlier, recent), earlier, recent, normalization, scale)
    if absolute:
        progress = np.abs(progress)
    return float(progress[goal] if attribution == "own_goal" else progress.mean())
