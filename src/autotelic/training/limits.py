"""Whether this machine could hold a run at all: what could not be is refused before a folder is made.

Only what is certain counts: the arrays of all learners, and the files of a finished run. So what fits is
never refused, and a run that is not refused may still turn out too large (`autotelic train --dry-run`).
"""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax

from autotelic import _machine
from autotelic._machine import size
from autotelic._words import count
from autotelic.learner.learner import LearnerFunctions
from autotelic.learner.plan import Plan
from autotelic.training.crew import are_probed
from autotelic.training.footprint import Footprint, disk_of, footprint_of
from autotelic.training.program import Program

FLOAT = 4
"""Bytes."""
HIDDEN_LAYERS = 2
REMEDIES = {
    "replay": "lower replay_capacity",
    "networks": "lower hidden_units or num_goals",
    "batches": "lower batch_size or hidden_units",
    "visits": "lower steps_per_goal or num_goals",
    "environments and probes": "lower environments or num_goals",
    "checkpoints": "lower hidden_units or num_goals",
    "history": "lower epochs or num_goals, or hold goals for longer (steps_per_goal)",
    "skills": "lower hidden_units or num_goals",
}
"""What takes less, by what takes most."""


def weighed(plan: Plan, environment: Any, functions: LearnerFunctions, folder: Path) -> Footprint:
    """The size of one learner; refuses a run that is larger than this machine's memory or disk."""
    one = _footprint(plan, environment, functions)
    members = len(plan.members)
    if jax.default_backend() == "cpu":  # an accelerator has a memory of its own
        _check_memory(one, functions, members)
    _check_disk(one, functions, members, plan.epochs, folder)
    return one


def _footprint(plan: Plan, environment: Any, functions: LearnerFunctions) -> Footprint:
    setting = functions.setting
    if setting.normalize_observations == "fixed":  # by random walks, which a size does not need
        setting = replace(setting, normalize_observations="running")
    program = Program(replace(functions, setting=setting), environment, crew_size=1)
    return footprint_of(functions, program.shapes(), are_probed(plan.members))


def _check_memory(one: Footprint, functions: LearnerFunctions, members: int) -> None:
    setting = functions.setting
    parts = {
        "replay": members * one.replay,
        "networks": members * (one.networks + one.optimizers),
        "environments and probes": members * (one.rest + one.probes),
        # Of one learner that acts or learns, of those that do so at the same time.
        "batches": setting.batch_size * HIDDEN_LAYERS * setting.hidden_units * FLOAT,
        "visits": setting.steps_per_visit * setting.num_goals * FLOAT,
    }
    most = max(parts, key=lambda part: parts[part])
    _machine.check_memory(
        sum(parts.values()),
        f"the run ({count(members, 'learner')}; {size(parts[most])} for {most})",
        _remedy(most, members),
    )


def _check_disk(
    one: Footprint, functions: LearnerFunctions, members: int, epochs: int, folder: Path
) -> None:
    disk = disk_of(one, functions, members, epochs)
    existing = next(
        path for path in (folder.absolute(), *folder.absolute().parents) if path.exists()
    )
    there = shutil.disk_usage(existing)
    if disk.total <= there.total:
        return
    parts = disk._asdict()
    most = max(parts, key=lambda part: parts[part])
    raise ValueError(
        f"the run ({count(members, 'learner')}; {size(parts[most])} for {most}) needs about "
        f"{size(disk.total)} of disk at its end, and that of {existing} has {size(there.total)} "
        f"({size(there.free)} of it free); {_remedy(most, members)}"
    )


def _remedy(most: str, members: int) -> str:
    return REMEDIES[most] + (", or train fewer seeds or methods" if members > 1 else "")
