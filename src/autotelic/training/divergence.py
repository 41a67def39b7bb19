"""Which of a learner's numbers were NaN or infinite first, and when."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from autotelic.learner.learner import StepRecord
from autotelic.learner.plan import Member
from autotelic.runs.diverged import Diverged


class Fault(NamedTuple):
    """What was NaN or infinite, and at which step of the visit."""

    what: str
    step: int


def first_fault(
    index: int,
    record: StepRecord,
    parameters: Mapping[str, np.ndarray],
    nan_actions: int | None = None,
) -> Fault | None:
    """The first fault of one learner in a visit, or None.

    Args:
        index: the learner's among those of the record.
        record: arrays [learners, steps, ...].
        parameters: of the networks after the visit, [learners, ...] each.
        nan_actions: the first step at which its actions were NaN or infinite, as a host environment saw.
    """
    posterior = record.posterior[index]
    named = {"the posteriors": posterior}
    named.update({f"the {name} loss": loss[index] for name, loss in record.losses.items()})
    steps = len(posterior)
    found = [
        Fault(name, int(bad.argmax()))
        for name, values in named.items()
        if (bad := ~np.isfinite(values.reshape(steps, -1)).all(axis=1)).any()
    ]
    if nan_actions is not None:  # a step acts before it judges and learns
        found.insert(0, Fault("the actions", nan_actions))
    if found:
        return min(found, key=lambda fault: fault.step)
    for name, values in parameters.items():
        if not np.isfinite(values[index]).all():
            return Fault(f"the parameters {name}", steps - 1)
    return None


def diverged(member: Member, what: str, epoch: int, step: int, goal: int) -> Diverged:
    """The entry of a learner in the list of those who diverged; step: within the epoch."""
    sentence = (
        f"{what} of {member} became NaN or infinite in epoch {epoch}, step {step}; a lower "
        "learning_rate or a check of the environment's observations may help"
    )
    return Diverged(member.number, member.method, member.seed, epoch, step, goal, sentence)
