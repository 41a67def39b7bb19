"""Diversity Progress (Eqs. 3-6) as a signal."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate, progress
from autotelic._types import Array
from autotelic.selectors.base import VisitOutcome
from autotelic.selectors.memory import forgotten, nothing_yet, replaced
from autotelic.selectors.signals.base import Signal

REFERENCES = ("within_epoch", "previous_visit", "probe")


class ProgressState(NamedTuple):
    """What earlier visits leave behind.

    Attributes:
        last: for "previous_visit", the mean errors [goals] of each goal's last visit; else empty.
        scale: for "running", see `autotelic.progress.running_scale`, [2]; else empty.
    """

    last: tuple[Array, ...]
    scale: Array


@dataclass(frozen=True)
class Progress(Signal):
    """Diversity Progress (Eqs. 3-6): how much did the visit improve the discriminability of the
    goals?

    Args:
        offset: tau, how many steps earlier the comparison lies; by default a quarter of the steps
            that a goal is held.
        smoothing: eta, the length of the two windows in steps; by default the same quarter.
        normalization: of the learning progress, see `autotelic.progress.normalize`.
        absolute: the mean of |L_g|, so that forgetting counts too.
        attribution: "mean_over_goals" (the paper) or "own_goal" (the pursued goal's progress
            alone).
        reference: what the visit is compared with. "within_epoch" (the paper): its own earlier
            window, which also sees the time within the episode. "previous_visit": mean errors over
            the visit against those of the goal's last visit; 0 at the first visit; sees forgetting.
            "probe": certainty on states kept of every goal, scored before and after the visit; sees
            all goals and no time within the episode. Offset and smoothing matter to "within_epoch"
            alone.
        window: "truncate" (the paper's formula, cut to what a visit has) or "half_open"
            (`smoothing` samples).
    """

    offset: int | None = None
    smoothing: int | None = None
    normalization: str = "relative"
    absolute: bool = False
    attribution: str = "mean_over_goals"
    reference: str = "within_epoch"
    window: str = "truncate"

    def __post_init__(self) -> None:
        for name in ("offset", "smoothing"):
            if getattr(self, name) is not None:
                _validate.integer(name, getattr(self, name), minimum=0)
        progress.check_normalization(self.normalization)
        _validate.boolean("absolute", self.absolute)
        _validate.choice("attribution", self.attribution, progress.ATTRIBUTIONS)
        _validate.choice("reference", self.reference, REFERENCES)
        _validate.choice("window", self.window, progress.WINDOWS)

    @property
    def evidence(self) -> frozenset[str]:
        """Probe certainties, when they are the reference."""
        return frozenset({"probe"} if self.reference == "probe" else ())

    @property
    def needs_posteriors(self) -> bool:
        """Yes: it is about how they change."""
        return True

    def windows(self, steps: int) -> tuple[int, int]:
        """Offset and smoothing in a visit of so many steps.

        >>> Progress().windows(1000), Progress(offset=90).windows(100)
        ((250, 250), (90, 25))
        """
        quarter = max(1, steps // 4)
        offset = quarter if self.offset is None else self.offset
        return offset, quarter if self.smoothing is None else self.smoothing

    def check(self, steps: int) -> None:
        """Refuse windows longer than a visit."""
        if self.reference == "within_epoch":
            progress.check_windows(steps, *self.windows(steps), self.window)

    def caution(self, steps: int, episode_length: int) -> str:
        """Whether windows within a visit see the time within an episode."""
        if self.reference != "within_epoch":
            return ""
        return progress.sees_time(*self.windows(steps), episode_length)

    def init(self, num_goals: int) -> ProgressState:
        """No visits."""
        return ProgressState(
            nothing_yet(num_goals) if self.reference == "previous_visit" else (),
            np.zeros(2 if self.normalization == "running" else 0),
        )

    def forget(self, state: ProgressState, goals: npt.NDArray[np.bool_]) -> ProgressState:
        """Without the last visits of these goals; the scale belongs to all goals and stays."""
        if self.reference != "previous_visit":
            return state
        return state._replace(last=forgotten(state.last, goals))

    def update(self, state: ProgressState, outcome: VisitOutcome) -> tuple[ProgressState, float]:
        """Earlier and recent errors by the chosen reference, then Eq. 6."""
        if self.reference == "probe":
            assert outcome.probe_before is not None and outcome.probe_after is not None
            # A goal without probe states, before or after, has shown no progress.
            known = ~np.isnan(outcome.probe_before + outcome.probe_after)
            earlier = np.where(known, 1.0 - outcome.probe_before, 1.0)
            recent = np.where(known, 1.0 - outcome.probe_after, 1.0)
        else:
            errors = progress.prediction_errors(outcome.posteriors, outcome.goal)
            if self.reference == "within_epoch":
                windows = self.windows(len(errors))
                earlier, recent = progress.window_means(errors, *windows, self.window)
            else:
                recent = errors.mean(axis=0)
                last = state.last[outcome.goal]
                earlier = last if last.size else recent
                state = state._replace(last=replaced(state.last, outcome.goal, recent))
        if self.normalization == "running":
            gained = progress.learning_progress(earlier, recent)
            state = state._replace(scale=progress.running_scale(state.scale, gained))
        return state, progress.diversity_progress(
            earlier,
            recent,
            outcome.goal,
            normalization=self.normalization,
            absolute=self.absolute,
            attribution=self.attribution,
            scale=state.scale,
        )
