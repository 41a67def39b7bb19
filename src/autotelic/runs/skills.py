"""What was learned, as arrays with names, and back: networks to a file, a file to networks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from autotelic.learner.learner import Learner, LearnerFunctions
from autotelic.runs.arrays import write_arrays
from autotelic.runs.store import SKILLS_FILE


class SkillArrays(NamedTuple):
    """What was learned, without replay: parameters with a leading axis of members.

    normalizer: of the observations that both see; () where they see them as they are.
    """

    policy: Any
    discriminator: Any
    normalizer: Any = ()


def arrays_of(functions: LearnerFunctions, learner: Learner) -> SkillArrays:
    """What a learner, or a population of them, can do."""
    policy = functions.setting.agent.policy(learner.agent)
    return SkillArrays(policy, learner.discriminator, learner.normalizer)


def initial_skills(functions: LearnerFunctions, seeds: Sequence[int]) -> SkillArrays:
    """The skills of learners with these seeds before their first step."""
    keys = jax.vmap(jax.random.key)(np.array(seeds, np.uint32))
    return jax.jit(jax.vmap(lambda key: _initial_skills(functions, key)))(keys)


def _initial_skills(functions: LearnerFunctions, seed_key: jax.Array) -> SkillArrays:
    """One learner's skills before its first step, from its seed's key."""
    learner_key, _ = jax.random.split(seed_key)
    learner = functions.init(learner_key, (), np.zeros(functions.observation_size, np.float32))
    return arrays_of(functions, learner)


def named_arrays(tree: Any) -> dict[str, np.ndarray]:
    """The arrays of a pytree by their paths in it."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves}


def fill(template: Any, arrays: dict[str, np.ndarray], source: Path) -> Any:
    """A pytree like the template with the named arrays in it; refuses other names, shapes or types."""
    leaves, structure = jax.tree_util.tree_flatten_with_path(template)
    filled = []
    for path, leaf in leaves:
        name = jax.tree_util.keystr(path)
        found = arrays.get(name)
        if found is None or found.shape != leaf.shape or found.dtype != leaf.dtype:
            what = "is missing" if found is None else f"is {found.dtype}{list(found.shape)}"
            raise ValueError(
                f"{source} does not fit its settings: {name} {what}, expected "
                f"{leaf.dtype}{list(leaf.shape)}"
            )
        filled.append(found)
    return jax.tree.unflatten(structure, filled)


def skill_arrays(
    functions: LearnerFunctions, arrays: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Of a checkpoint's arrays those that make the skills, named as in a skills file."""
    shapes = jax.eval_shape(
        lambda key: functions.init(key, (), np.zeros(functions.observation_size, np.float32)),
        jax.random.key(0),
    )
    learner = jax.tree_util.tree_map_with_path(
        lambda path, leaf: arrays.get(jax.tree_util.keystr(path), leaf), shapes
    )
    return named_arrays(arrays_of(functions, learner))


def save_skills(folder: Path, skills: SkillArrays) -> None:
    """Write the skills alone: small, and all that evaluation needs."""
    write_arrays(folder / SKILLS_FILE, named_arrays(skills))
