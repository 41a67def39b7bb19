"""All that crews know, into a checkpoint and back."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

import jax
import numpy as np

from autotelic import _documents as documents
from autotelic._documents import DamagedFile
from autotelic.learner.learner import Learner
from autotelic.runs.atomic import Written
from autotelic.runs.history import GROWING
from autotelic.runs.replay_log import ReplayRows
from autotelic.runs.skills import fill, named_arrays
from autotelic.runs.store import Checkpoint, CheckpointStore
from autotelic.training.crew import Crew

THE_CHECKPOINT = Path("the checkpoint")


def save(
    store: CheckpointStore,
    crews: Sequence[Crew],
    steps_per_epoch: int,
    grown: Mapping[GROWING, Written],
) -> None:
    """Save everything; all crews stand at the same epoch."""
    epoch = crews[0].epoch
    if epoch in store.epochs or epoch == 0:
        return
    parts = [_arrays(crew) for crew in crews]
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    rings = tuple(np.asarray(crew.learners.state.replay) for crew in crews)
    replay = ReplayRows(rings, epoch * steps_per_epoch)
    store.save(epoch, arrays, _states(crews), replay, grown)


class Meta(TypedDict):
    """What a checkpoint says beside its arrays, for every member."""

    curricula: list[dict[str, Any]]
    environments: list[Any] | None


def restore(checkpoint: Checkpoint, crews: Sequence[Crew]) -> str:
    """Continue from a checkpoint; returns what a person should know, "" for nothing."""
    meta: Meta = documents.checked(THE_CHECKPOINT, checkpoint.meta, Meta, "meta")
    learners, first = sum(len(crew.members) for crew in crews), 0
    if len(meta["curricula"]) != learners:
        raise DamagedFile(
            THE_CHECKPOINT, f"it has {len(meta['curricula'])} of {learners} curricula"
        )
    for crew in crews:
        members = slice(first, first + len(crew.members))
        _restore_learners(checkpoint, crew, members)
        _restore_environments(checkpoint, crew, members)
        first = members.stop
    pool = crews[0].learners.pool
    if pool is None or checkpoint.meta["environments"] is not None:
        return ""
    return (
        f"{pool.why_no_state}: resuming begins a new episode, so this run continues soundly but not "
        "bit for bit"
    )


def check_savable(crews: Sequence[Crew]) -> None:
    """Refuse selectors and environments that no checkpoint could hold, before they are trained."""
    for crew in crews:
        for member, curriculum in zip(crew.members, crew.curricula, strict=True):
            try:
                curriculum.state_dict()
            except (TypeError, ValueError) as error:
                raise ValueError(f"method {member.method} cannot be saved: {error}") from error
        try:
            json.dumps(crew.learners.environment_states())
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"the environment cannot be saved: its state_dict() must return JSON values, that is "
                f"numbers, words, lists and dicts of them ({error})"
            ) from error


def _arrays(crew: Crew) -> dict[str, np.ndarray]:
    """Everything but the replay by name, with a leading axis of the crew's members."""
    state = crew.learners.without_replay
    return {**named_arrays(state), **(crew.probes.arrays() if crew.probes else {})}


def _states(crews: Sequence[Crew]) -> dict[str, Any]:
    """What curricula and environments know, as JSON values."""
    states = [crew.learners.environment_states() for crew in crews]
    known = None if None in states else [state for part in states for state in part]  # type: ignore[union-attr]
    curricula = [curriculum.state_dict() for crew in crews for curriculum in crew.curricula]
    return {"curricula": curricula, "environments": known}


def _restore_learners(checkpoint: Checkpoint, crew: Crew, members: slice) -> None:
    arrays = {name: array[members] for name, array in checkpoint.arrays.items()}
    assert checkpoint.replay is not None
    ring = checkpoint.replay.rings[0][members]
    capacity = crew.learners.program.functions.capacity
    ring = np.pad(ring, ((0, 0), (0, capacity - ring.shape[1]), (0, 0)))  # a prolonged run
    template = crew.learners.without_replay
    restored: Learner = fill(template, arrays, THE_CHECKPOINT)
    restored = restored._replace(replay=ring)
    if crew.learners.program.mesh is None:
        restored = jax.tree.map(jax.numpy.array, restored)
    crew.learners.state = restored
    if crew.probes:
        crew.probes.restore(arrays)
    states = checkpoint.meta["curricula"][members]
    for curriculum, state in zip(crew.curricula, states, strict=True):
        curriculum.load_state_dict(state)
    crew.epoch = checkpoint.epoch


def _restore_environments(checkpoint: Checkpoint, crew: Crew, members: slice) -> None:
    states = checkpoint.meta["environments"]
    if crew.learners.pool is None:
        return
    if states is not None:
        count = crew.learners.environments
        crew.learners.restore_environments(states[members.start * count : members.stop * count])
    else:
        # The pool's first episodes are those of the run's start, which were lived already.
        crew.learners.begin_new_episodes(checkpoint.epoch)
