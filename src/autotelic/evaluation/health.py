"""Alarms: is a learner collapsing, starving a goal, or choosing by noise? Each says what to try.

Pure functions of a learner's history, cheap enough for every epoch. An alarm holds at the last visit
to a goal; `Alarm.epoch` is the epoch since which it has held without a break, so it is new if that
is the last. An epoch has one visit unless goals are held for less.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic.evaluation.selection import signal_to_noise, trailing_mean
from autotelic.runs.history import History, LearnerHistory
from autotelic.selectors import effective_number_of_skills

# When an alarm sounds. A round is as many visits as there are goals.
EFFECTIVE_SHARE = 0.2
"""Collapse: an effective number of skills under this share of |G|, or under 2 (|G|/2 if that is less)."""
COLLAPSE_VISITS = 10
"""Over how many visits its mean is taken."""
STARVED_ROUNDS = 10
"""Starved: a goal that was not pursued for so many rounds. Uniform draws miss one of 20 goals for 10 rounds
about once in 1400 rounds."""
CHANCE_MARGIN = 0.05
"""At chance: (certainty - 1/|G|) / (1 - 1/|G|) under this."""
CHANCE_ROUNDS = 2
"""Over how many rounds its mean is taken, and how long a learner has to start."""
LEAST_SIGNAL = 0.1
"""Noise: `selection.signal_to_noise` under this."""
NOISE_ROUNDS = 5
"""Over how many rounds it is taken, and how long a learner has to start."""


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


def collapsed(history: LearnerHistory) -> Finding:
    """The effective number of skills, exp(entropy of p(g)), is under its limit.

    Of the prior p(g), not of the selection probabilities, which fall to 1 in every first round.
    """
    num_goals = history.prior.shape[1]
    number = trailing_mean(
        np.atleast_1d(effective_number_of_skills(history.prior)), COLLAPSE_VISITS
    )
    # With few goals the share would be less than one of them.
    limit = max(EFFECTIVE_SHARE * num_goals, min(2.0, num_goals / 2))
    return Finding(
        number < limit,
        f"only {number[-1]:.1f} of {num_goals} skills are in effect practised: raise the selector's "
        "temperature or exploration, or lower its learning rate.",
    )


def starved(history: LearnerHistory) -> Finding:
    """Some goals have not been pursued for many visits."""
    num_goals = history.prior.shape[1]
    times = np.arange(len(history.goals))
    pursued = np.where(history.goals[:, None] == np.arange(num_goals), times[:, None], -1)
    waiting = times[:, None] - np.maximum.accumulate(pursued, axis=0)
    patience = STARVED_ROUNDS * num_goals
    goals = np.flatnonzero(waiting[-1] >= patience)
    named = ", ".join(str(goal) for goal in goals[:5]) + (", ..." if len(goals) > 5 else "")
    return Finding(
        (waiting >= patience).any(axis=1),
        f"{len(goals)} of {num_goals} goals ({named}) have not been practised in {patience} choices "
        "or more: raise the selector's temperature or exploration.",
    )


def at_chance(history: LearnerHistory) -> Finding | None:
    """The discriminator is no surer of the goal pursued than a guess."""
    num_goals = history.prior.shape[1]
    # Where goals are places, on the way to one others are nearer.
    if num_goals == 1 or history.success is not None:
        return None
    window = CHANCE_ROUNDS * num_goals
    certainty = trailing_mean(history.certainty, window)
    limit = 1.0 / num_goals + CHANCE_MARGIN * (1.0 - 1.0 / num_goals)
    return Finding(
        (certainty < limit) & (np.arange(len(certainty)) >= window - 1),
        f"q(g|s) of the goal pursued is {certainty[-1]:.3f} on average, where a guess has "
        f"{1 / num_goals:.3f}: train longer, take fewer goals, or check that actions move the "
        "observations.",
    )


def choosing_by_noise(history: LearnerHistory) -> Finding | None:
    """The signal's differences between goals do not exceed its noise.

    Asked only of selectors that make use of their signal: where p(g) has ever left the uniform
    distribution. And only where a goal's value moves by its own visits: a signal that judges every goal
    anew after every visit moves because the learner does.
    """
    num_goals = history.prior.shape[1]
    window = NOISE_ROUNDS * num_goals
    if num_goals == 1 or np.allclose(history.prior, 1.0 / num_goals, atol=1e-9):
        return None
    if _judges_all_goals(history):
        return None
    ratio = signal_to_noise(history.goals, history.signal, window)
    return Finding(
        (ratio < LEAST_SIGNAL) & (np.arange(len(ratio)) >= window - 1),
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


CHECKS: Mapping[str, Callable[[LearnerHistory], Finding | None]] = {
    "collapse": collapsed,
    "starved goals": starved,
    "discriminator at chance": at_chance,
    "choosing by noise": choosing_by_noise,
}


def alarms(history: LearnerHistory) -> list[Alarm]:
    """All alarms of a learner that hold at its last visit; of one that diverged nothing more is said."""
    if len(history.goals) == 0 or np.isnan(history.certainty[-1]):
        return []
    found = {name: check(history) for name, check in CHECKS.items()}
    return [
        Alarm(name, history.member, _since(history, finding.unwell), finding.message)
        for name, finding in found.items()
        if finding is not None and finding.unwell[-1]
    ]


def history_alarms(history: History) -> list[Alarm]:
    """All alarms that hold at the end of a run's history, learner by learner."""
    return [alarm for own in history.learners() for alarm in alarms(own)]


COLUMNS = {
    "goals": "goal",
    "certainty": "certainty",
    "prior": "prior",
    "signal": "signal",
    "success": "success",
}
"""Fields of a learner's history that alarms are made from, and where a row has them."""


def extended(history: LearnerHistory | None, rows: Sequence[Mapping[str, Any]]) -> LearnerHistory:
    """A learner's history with further rows, as an `Observer` is given them while training."""
    first = rows[0]
    new: Any = {
        field: np.array([row[name] for row in rows])
        for field, name in COLUMNS.items()
        if name in first
    }
    if history is not None:
        joined = {field: [getattr(history, field), values] for field, values in new.items()}
        return history._replace(**{name: np.concatenate(parts) for name, parts in joined.items()})
    visits = 1 + max(row.get("visit", 0) for row in rows)
    return LearnerHistory((first["method"], first["seed"]), **new, visits_per_epoch=visits)


def _since(history: LearnerHistory, unwell: npt.NDArray[np.bool_]) -> int:
    """The epoch since which it is so without a break; it is so at the end."""
    well = np.flatnonzero(~unwell)
    return (int(well[-1]) + 1) // history.visits_per_epoch if len(well) else 0
