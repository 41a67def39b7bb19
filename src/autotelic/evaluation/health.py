"""Alarms: is a learner collapsing, starving a goal, or choosing by noise? Each says what to try.

Pure functions of a learner's history, cheap enough for every epoch. An alarm holds at the last visit
to a goal; `Alarm.epoch` is the epoch since which it has held without a break, so it is new if that
is the last. An epoch has one visit unless goals are held for less.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic.evaluation.selection import signal_to_noise, trailing_mean
from autotelic.runs.history import History, LearnerHistory
from autotelic.selectors import effective_number_of_skills


@dataclass(frozen=True)
class HealthLimits:
    """When an alarm sounds. A round is as many visits as there are goals.

    Args:
        effective_share: collapse: effective number of skills under this share of |G|, or under 2
            (|G|/2 if that is less).
        collapse_visits: over how many visits its mean is taken.
        starved_rounds: starved: a goal not pursued for so many rounds. Uniform draws miss one of 20
            goals for 10 rounds about once in 1400 rounds.
        chance_margin: at chance: (certainty - 1/|G|) / (1 - 1/|G|) under this.
        chance_rounds: over how many rounds its mean is taken, and how long a learner has to start.
        signal_to_noise: noise: `selection.signal_to_noise` under this.
        noise_rounds: over how many rounds it is taken, and how long a learner has to start.
    """

    effective_share: float = 0.2
    collapse_visits: int = 10
    starved_rounds: int = 10
    chance_margin: float = 0.05
    chance_rounds: int = 2
    signal_to_noise: float = 0.1
    noise_rounds: int = 5

    def __post_init__(self) -> None:
        for name in ("effective_share", "chance_margin"):
            _validate.number(name, getattr(self, name), minimum=0.0, maximum=1.0)
        _validate.number("signal_to_noise", self.signal_to_noise, minimum=0.0)
        for name in ("collapse_visits", "starved_rounds", "chance_rounds", "noise_rounds"):
            _validate.integer(name, getattr(self, name), minimum=1)


class Finding(NamedTuple):
    """unwell: [visits] at which visits something is wrong; message: what is at the last, and what to try."""

    unwell: npt.NDArray[np.bool_]
    message: str


class Alarm(NamedTuple):
    """Something is wrong with a learner since an epoch; the message ends with what to try."""

    name: str
    member: tuple[str, int]
    epoch: int
    message: str


def collapsed(history: LearnerHistory, limits: HealthLimits) -> Finding:
    """The effective number of skills, exp(entropy of p(g)), is under its limit.

    Of the prior p(g), not of the selection probabilities, which fall to 1 in every first round.
    """
    num_goals = history.prior.shape[1]
    number = trailing_mean(
        np.atleast_1d(effective_number_of_skills(history.prior)), limits.collapse_visits
    )
    # With few goals the share would be less than one of them.
    limit = max(limits.effective_share * num_goals, min(2.0, num_goals / 2))
    return Finding(
        number < limit,
        f"only {number[-1]:.1f} of {num_goals} skills are in effect practised: raise the selector's "
        "temperature or exploration, or lower its learning rate.",
    )


def starved(history: LearnerHistory, limits: HealthLimits) -> Finding:
    """Some goals have not been pursued for many visits."""
    num_goals = history.prior.shape[1]
    times = np.arange(len(history.goals))
    pursued = np.where(history.goals[:, None] == np.arange(num_goals), times[:, None], -1)
    waiting = times[:, None] - np.maximum.accumulate(pursued, axis=0)
    patience = limits.starved_rounds * num_goals
    goals = np.flatnonzero(waiting[-1] >= patience)
    named = ", ".join(str(goal) for goal in goals[:5]) + (", ..." if len(goals) > 5 else "")
    return Finding(
        (waiting >= patience).any(axis=1),
        f"{len(goals)} of {num_goals} goals ({named}) have not been practised in {patience} choices "
        "or more: raise the selector's temperature or exploration.",
    )


def at_chance(history: LearnerHistory, limits: HealthLimits) -> Finding | None:
    """The discriminator is no surer of the goal pursued than a guess."""
    num_goals = history.prior.shape[1]
    # Where goals are places, on the way to one others are nearer.
    if num_goals == 1 or history.success is not None:
        return None
    window = limits.chance_rounds * num_goals
    certainty = trailing_mean(history.certainty, window)
    limit = 1.0 / num_goals + limits.chance_margin * (1.0 - 1.0 / num_goals)
    return Finding(
        (certainty < limit) & (np.arange(len(certainty)) >= window - 1),
        f"q(g|s) of the goal pursued is {certainty[-1]:.3f} on average, where a guess has "
        f"{1 / num_goals:.3f}: train longer, take fewer goals, or check that actions move the "
        "observations.",
    )


def choosing_by_noise(history: LearnerHistory, limits: HealthLimits) -> Finding | None:
    """The signal's differences between goals do not exceed its noise.

    Asked only of selectors that make use of their signal: where p(g) has ever left the uniform
    distribution. And only where a goal's value moves by its own visits: a signal that judges every goal
    anew after every visit moves because the learner does.
    """
    num_goals = history.prior.shape[1]
    window = limits.noise_rounds * num_goals
    if num_goals == 1 or np.allclose(history.prior, 1.0 / num_goals, atol=1e-9):
        return None
    if _judges_all_goals(history):
        return None
    ratio = signal_to_noise(history.goals, history.signal, window)
    return Finding(
        (ratio < limits.signal_to_noise) & (np.arange(len(ratio)) >= window - 1),
        f"the goals' values differ no more than one goal's does from visit to visit (signal to "
        f"noise {ratio[-1]:.2f}): average over longer windows (smoothing) or over visits, or compare "
        'with RoundRobin; reference="probe" measures progress with less noise.',
    )


def _judges_all_goals(history: LearnerHistory) -> bool:
    """Whether a goal's value has ever changed in a visit to another goal."""
    before, after = history.signal[:-1], history.signal[1:]
    others = history.goals[1:, None] != np.arange(history.signal.shape[1])
    known = np.isfinite(before) & np.isfinite(after)
    return bool((others & known & (before != after)).any())


CHECKS: Mapping[str, Callable[[LearnerHistory, HealthLimits], Finding | None]] = {
    "collapse": collapsed,
    "starved goals": starved,
    "discriminator at chance": at_chance,
    "choosing by noise": choosing_by_noise,
}


def alarms(history: LearnerHistory, limits: HealthLimits | None = None) -> list[Alarm]:
    """All alarms of a learner that hold at its last visit; of one that diverged nothing more is said."""
    limits = HealthLimits() if limits is None else limits
    if len(history.goals) == 0 or np.isnan(history.certainty[-1]):
        return []
    found = {name: check(history, limits) for name, check in CHECKS.items()}
    return [
        Alarm(name, history.member, _since(history, finding.unwell), finding.message)
        for name, finding in found.items()
        if finding is not None and finding.unwell[-1]
    ]


def history_alarms(history: History) -> list[Alarm]:
    """All alarms that hold at the end of a run's history, learner by learner."""
    return [alarm for own in history.learners() for alarm in alarms(own)]


def stacked(rows: Sequence[Mapping[str, Any]]) -> LearnerHistory:
    """One learner's rows, visit by visit, as an `Observer` is given them while training."""
    return LearnerHistory(
        (rows[0]["method"], rows[0]["seed"]),
        np.array([row["goal"] for row in rows]),
        np.array([row["certainty"] for row in rows]),
        np.stack([row["prior"] for row in rows]),
        np.stack([row["signal"] for row in rows]),
        1 + max(row.get("visit", 0) for row in rows),
        success=np.array([row["success"] for row in rows]) if "success" in rows[0] else None,
    )


def _since(history: LearnerHistory, unwell: npt.NDArray[np.bool_]) -> int:
    """The epoch since which it is so without a break; it is so at the end."""
    well = np.flatnonzero(~unwell)
    return (int(well[-1]) + 1) // history.visits_per_epoch if len(well) else 0
