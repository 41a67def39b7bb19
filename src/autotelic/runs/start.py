"""Policies that learners begin with, where they are given: kept in the run's folder, so that it needs no
other file.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from autotelic._documents import DamagedFile
from autotelic.learner.learner import Learner, LearnerFunctions
from autotelic.learner.normalizer import Normalizer
from autotelic.runs.arrays import read_arrays, write_arrays
from autotelic.runs.export import network_arrays
from autotelic.runs.skills import SkillArrays

START_FILE = "start.npz"
STATISTICS = ("observation_mean", "observation_deviation")

Policy = Mapping[str, np.ndarray]
"""A policy's arrays as `autotelic.Skills.policy_of` gives them, with statistics of observations if any."""


class Start(NamedTuple):
    """Who begins with which policy.

    members: (method, seed); arrays: by the names of `Policy`, with a leading axis of these members.
    """

    members: tuple[tuple[str, int], ...]
    arrays: Mapping[str, np.ndarray]

    def describe(self) -> dict[str, Any]:
        """What run.json says of it."""
        return {"members": list(self.members), "checksum": self.checksum()}

    def checksum(self) -> str:
        """Of names, shapes and numbers."""
        digest = hashlib.sha256()
        for name in sorted(self.arrays):
            array = np.ascontiguousarray(self.arrays[name])
            digest.update(f"{name} {array.shape} {array.dtype}\n".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()


def make_start(
    policies: Mapping[tuple[str, int], Policy],
    members: Sequence[tuple[str, int]],
    functions: LearnerFunctions,
) -> Start:
    """What some members of a population begin with; refuses policies that are not the learners'."""
    for member in policies:
        if member not in members:
            raise ValueError(
                f"policies are given for {member}, which is no learner of the run; it has {list(members)}"
            )
    expected = _shapes(functions)
    for member, policy in policies.items():
        found = {name: np.shape(array) for name, array in policy.items()}
        for name in [*expected, *found]:
            if found.get(name) != expected.get(name):
                raise ValueError(
                    f"the policy given for {member} does not fit the run: {name} has the shape "
                    f"{list(found.get(name, ()))}, and {list(expected.get(name, ()))} is expected; train "
                    "with the agent, hidden_units, environment and normalize_observations of its skills"
                )
    chosen = tuple(member for member in members if member in policies)
    arrays = {
        name: np.stack([np.asarray(policies[member][name], np.float32) for member in chosen])
        for name in expected
    }
    return Start(chosen, arrays)


def _shapes(functions: LearnerFunctions) -> dict[str, tuple[int, ...]]:
    """Of the arrays of one learner's policy, and of its statistics if they are fixed."""
    learner = jax.eval_shape(
        lambda key: functions.init(key, (), np.zeros(functions.observation_size, np.float32)),
        jax.random.key(0),
    )
    policy = functions.setting.agent.policy(learner.agent)
    found = {name: tuple(leaf.shape) for name, leaf in network_arrays("policy", policy).items()}
    if functions.setting.normalize_observations == "none":
        return found
    return {**found, **{name: (functions.observation_size,) for name in STATISTICS}}


def write_start(folder: Path, start: Start) -> None:
    """Keep it in the run's folder."""
    write_arrays(folder / START_FILE, dict(start.arrays))


def read_start(folder: Path, description: Mapping[str, Any] | None) -> Start | None:
    """What the learners of a run began with, by what run.json says of it; None if nothing was given."""
    if description is None:
        return None
    start = Start(tuple(description["members"]), read_arrays(folder / START_FILE))
    if start.checksum() != description["checksum"]:
        raise DamagedFile(
            folder / START_FILE, "it is not what the run began with (its checksum differs)"
        )
    return start


def begun(
    functions: LearnerFunctions, start: Start, members: Sequence[tuple[str, int]], learner: Learner
) -> Learner:
    """Learners with a leading axis of these members, with the policies that they begin with; all else, such
    as critics, stays fresh.
    """
    agent = functions.setting.agent
    policy, normalizer = _begun(start, members, agent.policy(learner.agent), learner.normalizer)
    return learner._replace(agent=agent.with_policy(learner.agent, policy), normalizer=normalizer)


def begun_skills(
    start: Start, members: Sequence[tuple[str, int]], skills: SkillArrays
) -> SkillArrays:
    """The same of skills with a leading axis of these members."""
    policy, normalizer = _begun(start, members, skills.policy, skills.normalizer)
    return skills._replace(policy=policy, normalizer=normalizer)


def _begun(
    start: Start, members: Sequence[tuple[str, int]], policy: Any, normalizer: Any
) -> tuple[Any, Any]:
    pairs = [(row, start.members.index(m)) for row, m in enumerate(members) if m in start.members]
    if not pairs:
        return policy, normalizer
    rows, own = (np.array(numbers) for numbers in zip(*pairs, strict=True))

    def put(leaf: Any, given: Any) -> jax.Array:
        return jnp.asarray(leaf).at[rows].set(given)

    names = network_arrays("policy", policy)
    changed = [put(leaf, start.arrays[name][own]) for name, leaf in names.items()]
    policy = eqx.tree_at(lambda net: list(network_arrays("policy", net).values()), policy, changed)
    if STATISTICS[0] in start.arrays and normalizer:
        mean, deviation = (start.arrays[name][own] for name in STATISTICS)
        number, means, squares = Normalizer(*normalizer)
        normalizer = Normalizer(put(number, 1.0), put(means, mean), put(squares, deviation**2))
    return policy, normalizer
