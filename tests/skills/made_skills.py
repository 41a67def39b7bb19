"""Runs that nobody trained, with weights of noise; and a skill file without any run."""

from pathlib import Path
from typing import Any

import jax
import numpy as np

import autotelic as at
from autotelic.learner.plan import describe_plan, make_plan, sizes_of, with_agent
from autotelic.learner.setting import Setting
from autotelic.objectives.codebook import CodebookObjective
from autotelic.runs.run import Runs
from autotelic.runs.skills import initial_skills
from autotelic.skills.file import encode
from autotelic.skills.networks import network_shapes

GOALS, HIDDEN = 5, 6
OBSERVATION, ACTION = 3, 2


def noisy_run(folder: Path, **changes: Any) -> Runs:
    """A run of one learner, ("A", 7), that knows nothing: every weight is noise."""
    values: dict[str, Any] = {"num_goals": GOALS, "hidden_units": HIDDEN, "batch_size": 2}
    setting = Setting(**{**values, **changes})
    sizes = sizes_of(setting.make_environment())
    plan = make_plan(with_agent(setting, sizes), {"A": at.Uniform()}, [7], 1)
    runs = Runs(folder, describe_plan(plan, sizes, 1), plan.setting)
    functions = runs.functions()
    rng = np.random.default_rng(0)
    shapes = jax.eval_shape(lambda: initial_skills(functions, [7]))
    skills = jax.tree.map(lambda x: rng.normal(0, 0.5, x.shape).astype(np.float32), shapes)
    if skills.normalizer:
        number, mean, squares = skills.normalizer
        squares = 10 * np.abs(squares)
        squares[:, 0] = 0.0  # an entry that never varied
        skills = skills._replace(
            normalizer=type(skills.normalizer)(0 * number + 9.0, mean, squares)
        )
    if isinstance(setting.objective, CodebookObjective):
        vectors = setting.objective.vectors(GOALS)[None]
        if setting.objective.__class__.__name__ == "Visr":
            vectors = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
        skills = skills._replace(discriminator=skills.discriminator._replace(codebook=vectors))
    runs.__dict__["skills"] = skills
    return runs


def content(**changes: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and arrays of a small skill file; changes are made to the header."""
    rng = np.random.default_rng(0)
    shapes = {
        "goals": (GOALS, GOALS),
        **network_shapes("policy", [OBSERVATION + GOALS], HIDDEN, 2 * ACTION),
        **network_shapes("judge", [OBSERVATION], HIDDEN, GOALS),
    }
    arrays = {name: rng.standard_normal(shape, np.float32) for name, shape in shapes.items()}
    header = {
        "library": "0.2",
        "environment": {"name": "Walk-v0", "options": {}, "episode_length": 10},
        "observation": {"size": OBSERVATION, "normalization": "none"},
        "action": {"kind": "box", "low": [-2.0, 0.0], "high": [2.0, 1.0], "dtype": "float32"},
        "goals": {"number": GOALS, "size": GOALS, "continuous": False},
        "hidden_units": HIDDEN,
        "agent": {"name": "sac", "policy_activation": "relu"},
        "objective": {"name": "diayn", "features": None},
        "measured": None,
    }
    return {**header, **changes}, arrays


def written(folder: Path, **changes: Any) -> Path:
    """Such a file."""
    path = folder / "skills.npz"
    path.write_bytes(encode(*content(**changes)))
    return path
