"""How much memory and disk a run takes, from the shapes of its arrays: nothing of it is made."""

import os
import resource
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import jax

from autotelic.agents.adam import AdamState
from autotelic.learner.learner import Learner, LearnerFunctions
from autotelic.runs.history import history_columns
from autotelic.runs.skills import arrays_of
from autotelic.training.probes import STATES

KEPT = 2
"""Checkpoints that a run keeps."""
BYTES_PER_FIELD = 12
"""Of a number in history.csv, in the mean: probabilities are often round, measures are not."""


class Footprint(NamedTuple):
    """One learner in bytes.

    parameters: numbers in its networks, targets among them; networks: their bytes; optimizers: Adam's
    means; replay: all rows it can hold; rest: where it is in its environment, and the latest rows;
    skills: the part that skills.npz holds; probes: states kept for selectors, on the host.
    """

    parameters: int
    networks: int
    optimizers: int
    replay: int
    rest: int
    skills: int
    probes: int

    @property
    def saved(self) -> int:
        """What a checkpoint writes each time: all but the replay."""
        return self.networks + self.optimizers + self.rest + self.probes

    @property
    def total(self) -> int:
        """All that the learner has in memory."""
        return self.saved + self.replay


class Disk(NamedTuple):
    """A finished run's folder in bytes."""

    checkpoints: int
    replay: int
    history: int
    skills: int

    @property
    def total(self) -> int:
        """The whole folder."""
        return sum(self)


def bytes_of(tree: Any) -> int:
    """The bytes of arrays, or of shapes.

    >>> bytes_of([jax.ShapeDtypeStruct((3, 2), "float32"), jax.ShapeDtypeStruct((), "int32")])
    28
    """
    return sum(prod(leaf.shape) * leaf.dtype.itemsize for leaf in jax.tree.leaves(tree))


def footprint_of(functions: LearnerFunctions, shapes: Learner, probing: bool) -> Footprint:
    """Of a learner with these shapes; probing: whether states are kept of every goal."""
    networks = (shapes.agent, shapes.discriminator)
    adam = [
        node
        for node in jax.tree.leaves((*networks, shapes.discriminator_optimizer), is_leaf=_is_adam)
        if _is_adam(node)
    ]
    of_agent = [leaf for leaf in jax.tree.leaves(networks, is_leaf=_is_adam) if not _is_adam(leaf)]
    replay = bytes_of(shapes.replay)
    known = bytes_of(of_agent) + bytes_of(adam) + replay
    return Footprint(
        parameters=sum(prod(leaf.shape) for leaf in of_agent),
        networks=bytes_of(of_agent),
        optimizers=bytes_of(adam),
        replay=replay,
        rest=bytes_of(shapes) - known,
        skills=bytes_of(arrays_of(functions, shapes)),
        probes=_probes(functions) if probing else 0,
    )


def disk_of(one: Footprint, functions: LearnerFunctions, members: int, epochs: int) -> Disk:
    """What is on the disk after so many epochs."""
    setting = functions.setting
    rows = min(epochs * setting.steps_per_epoch, functions.capacity)
    one_goal, two_goals = (len(history_columns(n, functions.loss_names)) for n in (1, 2))
    columns = one_goal + (setting.num_goals - 1) * (two_goals - one_goal)
    lines = epochs * setting.visits_per_epoch
    return Disk(
        checkpoints=min(KEPT, epochs) * members * one.saved,
        replay=members * rows * row_bytes(one, functions),
        history=members * lines * columns * BYTES_PER_FIELD,
        skills=members * one.skills,
    )


def writing(one: Footprint, functions: LearnerFunctions, members: int, rows: int) -> int:
    """Bytes of memory that a checkpoint takes while it is written, `rows` after the one before.

    All but the replay is put together once; new rows are taken from each ring, and put together.
    """
    return members * (one.saved + 2 * min(rows, functions.capacity) * row_bytes(one, functions))


def row_bytes(one: Footprint, functions: LearnerFunctions) -> int:
    """Of a row of replay."""
    return one.replay // functions.capacity


def resident_memory() -> int:
    """Bytes of memory that this process has; where the system does not say, the most it ever had."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _is_adam(node: Any) -> bool:
    return isinstance(node, AdamState)


def _probes(functions: LearnerFunctions) -> int:
    """Bytes of the states kept of every goal, see `Probes`."""
    setting = functions.setting
    states = min(STATES, setting.steps_per_visit)
    parts = 2 + setting.objective.needs_start
    return setting.num_goals * (states * parts * functions.observation_size * 4 + 1)
