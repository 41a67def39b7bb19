"""The one place that knows how the library spells things: meanings become command lines and calls, and what
comes of them gets the names it has in the goldens. If an option, a function, a column or an array is called
otherwise one day, this file changes and the goldens do not.
"""

import json
import re
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import autotelic as at
from autotelic.commands.train import methods_of, read
from autotelic.evaluation.evaluate import evaluate
from autotelic.flags.setting import seeds_of, setting_of
from autotelic.observers.base import Observer
from autotelic.runs.history import vector
from autotelic.runs.run import Runs
from autotelic.runs.skills import named_arrays
from autotelic.runs.store import CheckpointStore
from autotelic.selectors.base import EVIDENCE
from autotelic.selectors.spelling import parse_method
from autotelic.training.train import describe_run, prepare, train
from tools.goldens.cases import TINY, Meaning, kinds_of

FLAGS = {("places", "which"): "goals"}
"""Options of goals that are typed otherwise than goldens name them."""
RENAMED = {"setting.objective.goals": "goals.which"}
OF_GOALS = (
    *("skills", "dimension", "jitter", "codebook"),  # directions
    *("radius", "relabel", "relabel_share", "afterwards", "places", "bounds", "reachable"),
)
"""Options of goals that are among those of objectives."""
WHO = ("method", "member", "seed")
LEFT_OUT = ("versions", "machine", "own_parts")
"""What run.json says of where it was made."""

warnings.simplefilter("ignore")  # of windows that are tiny


Make = Callable[[], dict[str, Any]]
"""Makes the goldens of a case."""


@contextmanager
def makers(kind: str, of: Any) -> Iterator[list[Make]]:
    """What makes a unit's cases, in their order."""
    if kind == "run":
        with tempfile.TemporaryDirectory() as folder:
            yield _of_run(of, Path(folder))
    elif kind == "selector":
        yield [partial(selected, of, alone=True), partial(selected, of, alone=False)]
    else:
        yield [partial(resolved, of)]


def _of_run(meaning: Meaning, folder: Path) -> list[Make]:
    file = folder / "exported.skills"
    runs = trained(meaning, folder / "run")
    parts: dict[str, Make] = {
        "run": lambda: numbers_of(runs),
        "skill file": lambda: exported(runs, file),
        "evaluated": lambda: evaluated(runs),
        "interrupted": lambda: numbers_of(interrupted(meaning, folder / "broken")),
        "resumed": lambda: numbers_of(_train(["--resume"], folder / "broken")),
        "prolonged": lambda: numbers_of(prolonged(meaning, folder / "long")),
        "begun with a skill of": lambda: numbers_of(begun_with(file, folder / "begun")),
    }
    return [parts[kind] for kind in kinds_of(meaning)]


# --- words


def words_of(meaning: Meaning) -> list[str]:
    """What is typed after `autotelic train`."""
    environment, options = _parts(meaning.environment)
    words = [environment]
    if options:
        words += ["--environment-options", *(f"{name}={value}" for name, value in options.items())]
    for part in ("objective", "agent"):
        name, options = _parts(getattr(meaning, part))
        words += [f"--{part}", name] if name else []
        words += _flags(options)
    kind, options = _parts(meaning.goals)
    words += _flags({FLAGS.get((kind, name), name): value for name, value in options.items()})
    words += ["--methods", *meaning.methods] if meaning.methods else []
    return [*words, *_flags(meaning.said)]


def _parts(part: str) -> tuple[str, dict[str, str]]:
    name, _, options = part.partition(":")
    pairs = (option.partition("=") for option in options.split(",") if option)
    return name, {name: value for name, _, value in pairs}


def _flags(options: dict[str, str]) -> list[str]:
    words = []
    for name, value in options.items():
        flag = name.replace("_", "-")
        given = {"true": [f"--{flag}"], "false": [f"--no-{flag}"]}
        words += given.get(value, [f"--{flag}", *value.split()])
    return words


def resolved(meaning: Meaning) -> dict[str, Any]:
    """What a command line stands for, once it is known all that its environment says: by dotted names."""
    flags, base, _ = read([*words_of(meaning), "--out", "nowhere"])
    setting, methods = setting_of(flags, base), methods_of(flags, None)
    plan = prepare(
        *(setting, methods, seeds_of(flags.seeds), flags.epochs, Path("nowhere")),
        *(flags.checkpoint_every, flags.evaluate_every),
    )
    said = {**describe_run(plan, flags.evaluate_every), "checkpoint_every": flags.checkpoint_every}
    chosen = dict(enumerate(said.pop("methods").values()))
    said |= {"labels": list(methods), "methods": chosen}
    return _named(_flat({name: value for name, value in said.items() if name not in LEFT_OUT}))


def _named(said: dict[str, Any]) -> dict[str, Any]:
    """The names of goldens: options of goals stand by themselves."""
    reach = said["setting.objective.name"] == "reach"
    found = {}
    for name, value in said.items():
        head, _, option = name.rpartition(".")
        if head == "setting.objective" and (option in OF_GOALS or (reach and option == "features")):
            name = f"goals.{option}"
        found[RENAMED.get(name, name).removeprefix("setting.")] = value
    return found


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    """The leaves of nested dicts by dotted names."""
    if not isinstance(value, dict) or not value:
        return {name: value}
    inner = (_flat(item, f"{name}.{key}" if name else str(key)) for key, item in value.items())
    return {key: item for part in inner for key, item in part.items()}


# --- runs


class _Stop(Exception):
    """Ends a run as a failure would."""


class _StopAfter(Observer):
    def __init__(self, epoch: int):
        self.epoch = epoch

    def epoch_done(self, epoch: int, rows: Any) -> None:
        if epoch == self.epoch:
            raise _Stop


def _train(words: list[str], folder: Path, **more: Any) -> Runs:
    flags, base, saved = read([*words, "--out", str(folder)])
    return train(
        *(setting_of(flags, base), methods_of(flags, saved), seeds_of(flags.seeds), flags.epochs),
        flags.out,
        resume=flags.resume,
        checkpoint_every=flags.checkpoint_every,
        evaluate_every=flags.evaluate_every,
        **more,
    )


def trained(meaning: Meaning, folder: Path) -> Runs:
    """A tiny run."""
    return _train(words_of(_tiny(meaning)), folder)


def interrupted(meaning: Meaning, folder: Path) -> Runs:
    """The run as it stands when it broke off in the epoch after its checkpoint."""
    words = words_of(_tiny(meaning))
    try:
        _train([*words, "--checkpoint-every", "2"], folder, observers=[_StopAfter(2)])
    except _Stop:
        return at.load(folder)
    raise AssertionError("the run was not interrupted")


def prolonged(meaning: Meaning, folder: Path) -> Runs:
    """The run, planned for less at first."""
    short = _tiny(meaning)
    _train(words_of(replace(short, said={**short.said, "epochs": "2"})), folder)
    return _train(["--resume", "--epochs", TINY["epochs"]], folder)


def begun_with(skills: Path, folder: Path) -> Runs:
    """A run whose learner begins with the policy of a skill."""
    task = Meaning("autotelic/Navigation2DGoal-v0", "task", agent="sac", said={"num_goals": "1"})
    file = at.Skills.load(skills)
    policy = {("uniform", 0): file.policy_of(0)}
    return _train(words_of(replace(_tiny(task), methods=("uniform",))), folder, policies=policy)


def _tiny(meaning: Meaning) -> Meaning:
    methods = meaning.methods or ("round-robin",)
    return replace(meaning, methods=methods, said={**TINY, **meaning.said})


def numbers_of(runs: Runs) -> dict[str, Any]:
    """History, skills and replay of a run."""
    found = {f"history {name}": values for name, values in _columns(runs.history).items()}
    if runs.learning_curve is not None:
        curve = _columns(runs.learning_curve)
        found |= {f"learning curve {name}": values for name, values in curve.items()}
    for name, array in named_arrays(runs.skills).items():
        found[f"skills {_plain(name)}"] = array
    checkpoint = CheckpointStore(runs.folder).load_latest()
    assert checkpoint is not None and checkpoint.replay is not None
    rows: Any = np.concatenate(checkpoint.replay.rings)
    for name, values in runs.functions().layout.unpack(rows).items():
        found[f"replay {name}"] = np.asarray(values)
    return found


def _columns(frame: Any) -> dict[str, Any]:
    """The columns of a table but for who the learner is; those of a vector together."""
    vectors = sorted(name[:-2] for name in frame.columns if name.endswith("_0"))
    single = (name for name in frame.columns if re.sub(r"_\d+$", "", name) not in vectors)
    return {
        **{name: frame[name].to_numpy() for name in single if name not in WHO},
        **{name: vector(frame, name) for name in vectors},
    }


def _plain(name: str) -> str:
    """`.policy.inputs[0]` as `policy.inputs.0`."""
    return re.sub(r"\[(\w+)\]", r".\1", name).strip(".")


def exported(runs: Runs, path: Path) -> dict[str, Any]:
    """What NumPy makes of the first learner's skill file."""
    method, seed = runs.members[0]
    skills = at.Skills.load(runs.export(method, seed, path))
    rng = np.random.default_rng(0)
    here, there = rng.uniform(-1, 1, (2, len(skills), 4, skills.observation_size))
    goals = np.arange(len(skills))[:, None]
    found = {
        "goals": skills.goals,
        "action": skills.act(here, goals),
        "action sampled": skills.act(here, goals, np.random.default_rng(1)),
    }
    if skills.judged_by:
        other = {"state": {}, "start": {"start": there}, "step": {"next_observation": there}}
        found["posterior"] = skills.posterior(here, **other[skills.judged_by])
    return found


def evaluated(runs: Runs) -> dict[str, Any]:
    """Every metric of all learners, and of what they began with."""
    table: Any = evaluate(runs, per_goal=4, seed=0).table
    found = {}
    for trained, when in ((True, "trained"), (False, "untrained")):
        own = table[table["trained"] == trained]
        for metric in own["metric"].unique():
            found[f"{when} {metric}"] = own[own["metric"] == metric]["value"].to_numpy()
    return found


# --- selectors


def selected(word: str, *, alone: bool) -> dict[str, Any]:
    """What a selector chooses and knows in a fixed stream of visits, half of which follow a reload.

    alone: it is told no more than it needs.
    """
    _, selector = parse_method(word)
    goals, visits, steps = 5, 60, 20
    rng = np.random.default_rng(0)
    places = rng.normal(size=(goals, 2))
    curriculum = at.Curriculum(selector, goals, seed=0)
    found: dict[str, list[Any]] = defaultdict(list)
    for visit in range(visits):
        if visit == visits // 2:
            saved = json.loads(json.dumps(curriculum.state_dict()))
            curriculum = at.Curriculum(selector, goals, seed=1)
            curriculum.load_state_dict(saved)
        with np.errstate(all="ignore"):
            found["p(g)"].append(curriculum.prior)
            found["selection"].append(curriculum.selection_probabilities)
            found["values"].append(curriculum.values)
        goal = curriculum.select()
        found["goals"].append(goal)
        sharpness = 0.2 + visit / visits * (1 + goal)
        logits = rng.normal(size=(steps, goals)) + sharpness * (np.arange(goals) == goal)
        posteriors = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        evidence = {
            "probe_before": rng.random(goals),
            "probe_after": rng.random(goals),
            "success": float(rng.random() < (goal + 1) / 6),
            "values_before": rng.normal(scale=5, size=goals),
            "values_after": rng.normal(scale=5, size=goals),
            "competence": float(rng.random()),
            "achieved": rng.normal(size=(steps, 2)) * (visit + 1) / visits,
            "places": places,
            "value_spread": rng.exponential(size=goals),
            "replaced": rng.random(goals) < 0.05,
            "reached": rng.random(goals) < 0.3,
            "count": 1,
        }
        needed = {name for kind in selector.evidence for name in EVIDENCE[kind]}
        given = {name: evidence[name] for name in evidence if not alone or name in needed}
        curriculum.update(posteriors, **given)
    state = curriculum.state_dict()["selector"]["state"]
    return {
        **{name: np.array(values) for name, values in found.items()},
        **{f"state {name}": value for name, value in _leaves(state)},
    }


def _leaves(state: Any, name: str = "") -> Iterable[tuple[str, Any]]:
    """The arrays, numbers and words of a saved state, by their places in it."""
    if isinstance(state, list):
        for at_, item in enumerate(state):
            yield from _leaves(item, f"{name}.{at_}" if name else str(at_))
    elif isinstance(state, dict) and "data" in state:
        yield name, np.array(state["data"], state["dtype"]).reshape(state["shape"])
    else:
        yield name, state["float"] if isinstance(state, dict) else state
