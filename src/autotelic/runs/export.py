"""One learner's skills as a file of their own, which `autotelic.skills` reads with NumPy alone."""

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _validate
from autotelic._documents import read_bytes
from autotelic._version import __version__
from autotelic.environments import has_discrete_actions
from autotelic.learner import setting as settings
from autotelic.learner.normalizer import Normalizer, deviation
from autotelic.learner.own_parts import text_of
from autotelic.learner.setting import Setting, plain
from autotelic.networks import Mlp
from autotelic.objectives.codebook import CodebookObjective
from autotelic.runs import atomic
from autotelic.runs.evaluated import EVALUATION_FILE, TABLE_FILE, read_evaluated
from autotelic.runs.skills import SKILLS_FILE
from autotelic.skills.file import SkillFileError, decode, encode
from autotelic.skills.judges import JUDGES
from autotelic.skills.policies import AGENTS
from autotelic.skills.skills import Skills

if TYPE_CHECKING:
    from autotelic.runs.run import Runs

LENGTH_TOLERANCE = 1e-3
"""How far a direction's length may be from 1."""


def export_skills(runs: "Runs", method: str, seed: int, out: str | Path) -> Path:
    """Write the skills of one learner of a run, see `Runs.export`."""
    path = Path(out)
    _check_member(runs, method, seed)
    check_free(path)
    header, arrays = skill_content(runs, method, seed)
    _loaded(header, arrays)  # a file that could not be loaded must not be written either
    atomic.make_folder(path.parent)
    atomic.write_bytes(path, encode(header, arrays))
    return path


def skills_of(runs: "Runs", method: str, seed: int) -> Skills:
    """The skills of one learner of a run, as its file would hold them, without the file."""
    _check_member(runs, method, seed)
    return _loaded(*skill_content(runs, method, seed))


def _loaded(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Skills:
    return Skills({**header, "arrays": {}}, arrays)


def check_free(path: Path) -> None:
    """Refuse a place where something else is: only an earlier skill file is replaced."""
    if path.is_dir():
        raise ValueError(f"out must be a file, and {path} is a folder; name a file in it")
    if not path.exists():
        return
    try:
        decode(read_bytes(path))
    except SkillFileError as error:
        raise ValueError(
            f"{path} is there and is no skill file ({error}); choose another name"
        ) from error


def skill_content(
    runs: "Runs", method: str, seed: int
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the arrays of one learner's skills."""
    setting, sizes = runs.setting, runs.description["sizes"]
    described = settings.describe(setting)
    agent, objective = described["agent"], described["objective"]
    if agent["name"] not in AGENTS:
        raise ValueError(
            f"the agent {agent.get('repr', agent['name'])} cannot be exported: a skill file acts for "
            f"{', '.join(AGENTS)} alone"
        )
    row = runs.members.index((method, seed))
    own = jax.tree.map(lambda leaf: np.asarray(leaf)[row], runs.skills)
    goals = np.asarray(setting.objective.embed(jnp.arange(setting.num_goals), setting.num_goals))
    arrays = {"goals": goals, **network_arrays("policy", own.policy)}
    if objective["name"] in JUDGES:
        arrays |= judge_arrays(objective["name"], own.discriminator)
    else:  # the policy alone
        objective = {"name": None, "repr": text_of(setting.objective)}
    normalization = setting.normalize_observations
    if normalization != "none":
        statistics = Normalizer(*own.normalizer)
        arrays |= {
            "observation_mean": statistics.mean,
            "observation_deviation": deviation(statistics),
        }
    epochs = runs.epochs if (runs.folder / SKILLS_FILE).exists() else runs.epochs_done
    options = {k: v for k, v in described["environment_options"].items() if k != "backend"}
    header = {
        "library": __version__,
        "environment": {
            "name": described["environment"],
            "options": options,
            "episode_length": sizes["episode_length"],
        },
        "observation": {"size": sizes["observation_size"], "normalization": normalization},
        "action": action_description(runs.environment),
        "goals": {
            "number": setting.num_goals,
            "size": goals.shape[1],
            "continuous": is_continuous(setting),
        },
        "hidden_units": setting.hidden_units,
        "agent": agent,
        "objective": objective,
        "training": {
            "method": method,
            "selector": runs.description["methods"][method],
            "seed": seed,
            "epochs": epochs,
            "steps": epochs * setting.steps_per_epoch,
            "steps_per_goal": setting.steps_per_visit,
        },
        "measured": measurements(runs.folder, method, seed, epochs),
    }
    return plain(header), {k: np.asarray(v, np.float32) for k, v in arrays.items()}


def action_description(environment: Any) -> dict[str, Any]:
    """The actions of an environment as a header has them; those of a JAX environment lie in [-1, 1]."""
    described = getattr(environment, "described", None)
    if described is None:
        size = environment.action_size
        if has_discrete_actions(environment):
            return {"kind": "discrete", "number": size, "first": 0}
        return {"kind": "box", "low": [-1.0] * size, "high": [1.0] * size, "dtype": "float32"}
    if described.first_action is not None:
        first = int(described.first_action)
        return {"kind": "discrete", "number": described.action_size, "first": first}
    low, high = described.low, described.high
    dtype = "float64" if high.dtype == np.float64 else "float32"
    return {"kind": "box", "low": low.tolist(), "high": high.tolist(), "dtype": dtype}


def is_continuous(setting: Setting) -> bool:
    """Whether goals are samples of a sphere, so that every direction of it is a skill."""
    objective = setting.objective
    if not isinstance(objective, CodebookObjective):
        return False
    if objective.codebook is None:
        return objective.skills == "sphere"
    lengths = np.linalg.norm(objective.vectors(setting.num_goals), axis=1)
    return bool(np.all(np.abs(lengths - 1) < LENGTH_TOLERANCE))


def network_arrays(name: str, network: Mlp) -> dict[str, Any]:
    """A network's arrays by their names in a file, see `skills.networks`."""
    inputs = {f"{name}.inputs.{i}": weight for i, weight in enumerate(network.inputs)}
    parts = ("input_bias", "hidden", "hidden_bias", "output", "output_bias")
    return inputs | {f"{name}.{part}": getattr(network, part) for part in parts}


def judge_arrays(objective: str, params: Any) -> dict[str, Any]:
    """What recognises goals, of an objective's parameters; see `skills.judges`."""
    match objective:
        case "diayn" | "vic":
            return network_arrays("judge", params)
        case "rvic":
            return network_arrays("judge", params.relative)
        case "disdain":
            members = [
                jax.tree.map(lambda leaf, m=m: leaf[m], params) for m in range(len(params.hidden))
            ]
            each = [network_arrays(f"judge.{m}", member) for m, member in enumerate(members)]
            return {name: array for one in each for name, array in one.items()}
        case "visr":
            return network_arrays("phi", params.phi)
        case "lsd" | "metra" | "csf":
            return {**network_arrays("phi", params.phi), "log_beta": params.log_beta}
        case "cic":
            return {
                **network_arrays("state", params.state),
                **network_arrays("prediction", params.prediction),
                "goal_embeddings": params.skill(params.codebook),
            }
        case "dads":
            return {**network_arrays("mean", params.mean), "spread": params.spread}
    raise NotImplementedError(f"skill files do not know the objective {objective}")


def measurements(folder: Path, method: str, seed: int, epochs: int) -> dict[str, Any] | None:
    """What `autotelic evaluate` measured of a learner after these epochs; None if it did not."""
    if not all((folder / name).is_file() for name in (EVALUATION_FILE, TABLE_FILE)):
        return None
    content, data = read_evaluated(folder)
    how, lines = content["setting"], io.StringIO(data.decode(), newline="")
    values = {
        row["metric"]: float(row["value"])
        for row in csv.DictReader(lines)
        if (row["method"], row["seed"], row["trained"]) == (method, str(seed), "True")
    }
    finite = {name: value for name, value in values.items() if np.isfinite(value)}
    return {"how": how._asdict(), "values": finite} if finite and how.epochs == epochs else None


def _check_member(runs: "Runs", method: str, seed: int) -> None:
    _validate.choice("method", method, runs.methods)
    if seed not in runs.seeds:
        raise ValueError(f"seed {seed} is not in the run; it has {', '.join(map(str, runs.seeds))}")
    for one in runs.diverged:
        if (one.method, one.seed) == (method, seed):
            raise ValueError(f"{method}, seed {seed}, has no skills: {one.sentence}")
