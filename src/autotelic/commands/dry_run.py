"""What `autotelic train --dry-run` says: a run in numbers, beside what the machine has."""

from typing import NamedTuple

import jax

from autotelic._machine import size
from autotelic._words import count
from autotelic.learner import setting as settings
from autotelic.observers.display import duration
from autotelic.training.rehearsal import SECONDS, Rehearsal

LEFT_OUT = (
    f"The pace was measured for {SECONDS:.0f} s, with short memories. Left out are checkpoints (by default "
    "at most 2 % of the time), how the pace changes as memories fill, and whatever else this machine does."
)


class AtHand(NamedTuple):
    """Bytes that are free: of memory, None where the system does not say, and where the run would be."""

    memory: int | None
    disk: int


def told(rehearsal: Rehearsal, at_hand: AtHand) -> list[str]:
    """The lines to print."""
    warnings = [*rehearsal.cautions, *_too_much(rehearsal, at_hand)]
    return [
        _population(rehearsal),
        f"  crews       {_crews(rehearsal)}",
        f"  a learner   {_learner(rehearsal)}",
        f"  memory      {_memory(rehearsal, at_hand.memory)}",
        f"  disk        {_disk(rehearsal, at_hand.disk)}",
        f"  time        {_time(rehearsal)}",
        LEFT_OUT,
        *(f"warning: {warning}" for warning in warnings),
        "nothing was started, and nothing was written",
    ]


def _population(rehearsal: Rehearsal) -> str:
    plan = rehearsal.plan
    setting = plan.setting
    done = f", {rehearsal.done} of them done" if rehearsal.done else ""
    return (
        f"{settings.describe(setting)['environment']}: {len(plan.members)} learners "
        f"({count(len(plan.methods), 'method')} x {count(len(plan.seeds), 'seed')}), "
        f"{count(setting.num_goals, 'goal')}, {plan.epochs} epochs x {setting.steps_per_epoch:,} steps"
        f"{done}: {rehearsal.steps:,} steps in all"
    )


def _crews(rehearsal: Rehearsal) -> str:
    found = f"{count(rehearsal.crews, 'crew')} of {count(rehearsal.crew, 'learner')}"
    if rehearsal.devices > 1:
        return f"{found}, spread over {rehearsal.devices} devices"
    return f"{found}, {rehearsal.threads} at a time"


def _learner(rehearsal: Rehearsal) -> str:
    one = rehearsal.one
    return (
        f"{size(one.total)}: networks {size(one.networks)} ({one.parameters:,} numbers, targets among them), "
        f"optimizers {size(one.optimizers)}, replay {size(one.replay)} "
        f"({rehearsal.functions.capacity:,} rows), the rest {size(one.rest + one.probes)}"
    )


def _memory(rehearsal: Rehearsal, free: int | None) -> str:
    places = rehearsal.places
    learners = f"{count(places, 'learner')} {size(places * rehearsal.one.total)}"
    beside = rehearsal.memory - places * rehearsal.one.total - rehearsal.pace.process
    what = (
        "loading the checkpoint" if rehearsal.done and beside > rehearsal.writing else "checkpoints"
    )
    at_hand = "how much is free is not known" if free is None else f"{size(free)} are free"
    where = (
        "" if jax.default_backend() == "cpu" else " (learners on the accelerator, the rest here)"
    )
    return (
        f"about {size(rehearsal.memory)} at the peak{where}: {learners}, Python and programs "
        f"{size(rehearsal.pace.process)}, {what} {size(beside)}; {at_hand}"
    )


def _disk(rehearsal: Rehearsal, free: int) -> str:
    disk = rehearsal.disk
    return (
        f"about {size(disk.total)} at the end: checkpoints {size(disk.checkpoints)}, replay "
        f"{size(disk.replay)}, history {size(disk.history)}, skills {size(disk.skills)}; "
        f"{size(free)} are free"
    )


def _time(rehearsal: Rehearsal) -> str:
    pace = rehearsal.pace
    parts = [
        f"{duration(pace.start)} to start and compile",
        f"{duration(rehearsal.steps / pace.rate)} at {pace.rate:,.0f} steps/s",
    ]
    if rehearsal.evaluations:
        many = count(rehearsal.evaluations, "evaluation")
        parts.append(f"{duration(rehearsal.evaluating)} for {many}")
    return f"about {duration(rehearsal.seconds)}: {', '.join(parts)}"


def _too_much(rehearsal: Rehearsal, at_hand: AtHand) -> list[str]:
    """What does not fit, and what may help."""
    found = []
    if at_hand.memory is not None and rehearsal.memory > at_hand.memory:
        found.append(
            f"the run may need {size(rehearsal.memory)} of memory, and {size(at_hand.memory)} are free; "
            "fewer seeds or methods in one run, or a smaller --replay-capacity, take less"
        )
    if rehearsal.disk.total > at_hand.disk:
        found.append(
            f"the run may need {size(rehearsal.disk.total)} of disk, and {size(at_hand.disk)} are free; "
            "choose another --out, or a smaller --replay-capacity"
        )
    return found
