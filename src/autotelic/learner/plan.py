"""What a run is going to do: settings, methods and seeds, checked as a whole before any work starts."""

import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from importlib.metadata import version
from typing import Any, NamedTuple

from autotelic import _printable, _validate
from autotelic._version import NUMBERS, __version__
from autotelic.agents import AGENTS, AutoSac
from autotelic.environments import (
    desired_goals_of,
    goal_bounds_of,
    goal_entries_of,
    goal_radius_of,
    has_desired_goals,
    has_discrete_actions,
    pays_reward,
    reachable_of,
)
from autotelic.learner import setting as settings
from autotelic.learner.own_parts import spelling
from autotelic.learner.setting import Setting, plain
from autotelic.objectives import GoalSpace
from autotelic.selectors import GoalSelector, describe

FORMAT = 2
LARGEST_SEED = 2**32 - 1
UNREADABLE_LABELS = (
    *("", "na", "nan", "-nan", "none", "null", "n/a", "<na>", "#na", "#n/a", "#n/a n/a"),
    *("1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan", "true", "false"),
)
"""Names that pandas would read back from the history as a missing value or a truth value."""

EVIDENCE_GIVEN = {"probe", "probe_after"}
"""The optional evidence that training can always give a selector."""


class Member(NamedTuple):
    """One learner of the population."""

    number: int
    method: str
    selector: GoalSelector
    seed: int

    def __str__(self) -> str:
        return f"member {self.number} ({self.method}, seed {self.seed})"


class EnvironmentSizes(NamedTuple):
    """What a learner's networks and replay depend on, so that skills load without the environment."""

    observation_size: int
    action_size: int
    episode_length: int | None
    discrete_actions: bool = False


@dataclass(frozen=True)
class Plan:
    """A run in full: every method with every seed, under one setting."""

    setting: Setting
    methods: Mapping[str, GoalSelector]
    seeds: tuple[int, ...]
    epochs: int

    def __post_init__(self) -> None:
        _validate.integer("epochs", self.epochs, minimum=1)
        if not self.methods:
            raise ValueError("methods must name at least one goal selector, got none")
        if not self.seeds:
            raise ValueError("seeds must hold at least one seed, got none")
        for seed in self.seeds:
            _validate.integer("seeds", seed, minimum=0, maximum=LARGEST_SEED)
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError(f"seeds must differ, got {list(self.seeds)}")
        for label, selector in self.methods.items():
            self._check_method(label, selector)
        self._check_steps()
        self.setting.capacity(self.epochs)
        agent, objective = self.setting.agent, self.setting.objective
        if objective.vector_reward and not agent.takes_vector_rewards:
            raise ValueError(
                f"the objective {type(objective).__name__} rewards by vectors, which the agent "
                f"{type(agent).__name__} does not take; choose the agent Sac (--agent sac)"
            )

    def _check_steps(self) -> None:
        steps = self.epochs * self.setting.steps_per_epoch
        if steps > _validate.LARGEST:
            raise ValueError(
                f"the run has {self.epochs} epochs x {self.setting.steps_per_epoch} steps = {steps}, and a "
                f"learner counts to {_validate.LARGEST}; lower epochs or steps_per_epoch"
            )

    def _check_method(self, label: str, selector: GoalSelector) -> None:
        if not isinstance(selector, GoalSelector):
            hint = f"; make one: {selector.__name__}()" if isinstance(selector, type) else ""
            raise TypeError(f"method {label!r} must be a GoalSelector, got {selector!r}{hint}")
        if not _is_readable(label):
            raise ValueError(
                f"a method needs a name that a table can hold and give back as a text of one line, "
                f"got {label!r}"
            )
        agent = self.setting.agent
        missing = selector.evidence - evidence_given(self.setting)
        if missing:
            if missing <= {"values", "value_spread"}:
                remedy = "choose an agent that gives values (--agent sac, or discrete-sac)"
            elif missing <= {"success", "achieved", "replaced", "reached"}:
                remedy = (
                    "choose an objective whose goals are places (--objective reach), or a selector "
                    "that judges by the posteriors alone"
                )
            else:
                remedy = "use a setting of the selector that judges by the posteriors alone"
            raise ValueError(
                f"method {label!r} needs {' and '.join(sorted(missing))}, which the objective "
                f"{type(self.setting.objective).__name__} with the agent {type(agent).__name__} cannot "
                f"give; {remedy}"
            )
        try:
            selector.check(self.setting.num_goals, self.setting.steps_per_visit)
        except (ValueError, TypeError) as error:
            raise type(error)(f"method {label!r}: {error}") from error

    @property
    def members(self) -> list[Member]:
        """The population: all seeds of the first method, then of the next."""
        pairs = [
            (label, selector, seed)
            for label, selector in self.methods.items()
            for seed in self.seeds
        ]
        return [Member(number, *pair) for number, pair in enumerate(pairs)]


def evidence_given(setting: Setting) -> set[str]:
    """The optional evidence that training can give a selector under a setting."""
    agent, objective = setting.agent, setting.objective
    return EVIDENCE_GIVEN.union(
        ["values"] * agent.gives_values,
        ["value_spread"] * agent.gives_value_spread,
        ["success"] * objective.gives_success,
        ["achieved", "replaced", "reached"] * objective.has_places,
    )


def make_plan(
    setting: Setting,
    methods: Mapping[str, GoalSelector],
    seeds: Iterable[int],
    epochs: int,
) -> Plan:
    """A checked plan; `seeds` may be any iterable of integers."""
    if not isinstance(setting, Setting):
        raise TypeError(
            f"setting must be a Setting, such as autotelic.paper.NAVIGATION_2D, got {setting!r}"
        )
    if isinstance(seeds, int):
        raise TypeError(
            f"seeds must be a list of seeds, got {seeds}; for that many use range({seeds})"
        )
    if not isinstance(methods, Mapping):
        raise TypeError(
            f"methods must be a dict from names to goal selectors, such as "
            f'{{"DIAYN": autotelic.Uniform()}}, got {methods!r}'
        )
    methods = dict(methods)
    return Plan(with_duration(setting, methods), methods, tuple(seeds), epochs)


def with_duration(setting: Setting, methods: Mapping[str, GoalSelector]) -> Setting:
    """The setting with "auto" replaced by the steps that it stands for with these selectors.

    Windows of progress that were given in steps ask for goals that are held as long.
    """
    if setting.steps_per_goal != "auto":
        return setting
    longer = _need_longer(setting, methods)
    return replace(
        setting, steps_per_goal=setting.steps_per_epoch if longer else setting.steps_per_visit
    )


def with_agent(setting: Setting, sizes: EnvironmentSizes) -> Setting:
    """The setting with `AutoSac` replaced by the agent it stands for in an environment of these sizes.

    An agent for another kind of actions is refused.
    """
    kind = "discrete" if sizes.discrete_actions else "continuous"
    if isinstance(setting.agent, AutoSac):
        return replace(setting, agent=setting.agent.of_kind(kind))
    agent = setting.agent
    if agent.actions != kind:
        name = settings.describe(setting)["environment"]
        own = AutoSac().of_kind(kind)
        word = next(word for word, choice in AGENTS.items() if type(own) is choice)
        raise ValueError(
            f"{name} has {kind} actions, and the agent {type(agent).__name__} takes {agent.actions} "
            f"ones; leave the agent out, or choose {type(own).__name__} (--agent {word})"
        )
    return setting


def check_paid(setting: Setting, environment: Any) -> None:
    """Refuse an environment that pays nothing, where its reward is asked for."""
    if setting.objective.needs_reward and not pays_reward(environment):
        name = settings.describe(setting)["environment"]
        raise ValueError(
            f"{name} pays no reward, and the objective {type(setting.objective).__name__} is to be paid by "
            "it; choose a task, such as autotelic/Navigation2DGoal-v0 or a Gymnasium id with a reward, or "
            "another objective; a JAX environment of your own says pays_reward = True"
        )


def with_goals(setting: Setting, environment: Any, met: Any = None) -> Setting:
    """The setting with an objective whose goals are places fitted to the environment.

    met: so many observations that random actions lead to, [count, observation].
    """
    if not setting.objective.has_places:
        return setting
    space = GoalSpace(
        settings.describe(setting)["environment"],
        environment.observation_size,
        goal_entries_of(environment),
        goal_bounds_of(environment),
        goal_radius_of(environment),
        partial(desired_goals_of, environment) if has_desired_goals(environment) else None,
        partial(reachable_of, environment),
        met,
    )
    return replace(setting, objective=setting.objective.fitted(space, setting.num_goals))


def cautions(plan: Plan, asked: Setting, sizes: EnvironmentSizes) -> list[str]:
    """What a user should know before the work starts, a sentence each.

    asked: the setting as it was given, before `with_duration`.
    """
    found = []
    steps = plan.setting.steps_per_visit
    if steps != asked.steps_per_visit:
        named = " and ".join(_need_longer(asked, plan.methods))
        found.append(
            f"all methods hold a goal for {steps} steps, and not {asked.steps_per_visit}: the windows "
            f"of {named} need more; say steps_per_goal (--steps-per-goal) to decide it"
        )
    if sizes.episode_length is not None:
        for label, selector in plan.methods.items():
            caution = selector.caution(steps, sizes.episode_length)
            found += [f"{label}: {caution}"] * bool(caution)
    return found


def _need_longer(setting: Setting, methods: Mapping[str, GoalSelector]) -> list[str]:
    """The selectors that cannot work with the usual duration of a goal."""
    found = []
    for label, selector in methods.items():
        try:
            if isinstance(selector, GoalSelector):  # anything else is refused by the plan
                selector.check(setting.num_goals, setting.steps_per_visit)
        except ValueError:
            found.append(label)
    return found


def sizes_of(environment: Any) -> EnvironmentSizes:
    """The sizes of an environment."""
    return EnvironmentSizes(
        environment.observation_size,
        environment.action_size,
        environment.episode_length,
        has_discrete_actions(environment),
    )


def describe_plan(plan: Plan, sizes: EnvironmentSizes, crew: int) -> dict[str, Any]:
    """The plan as JSON for run.json; `crew` is kept because it decides the numbers."""
    description = {
        "setting": settings.describe(plan.setting),
        "own_parts": {p: spelling(own) for p, own in settings.own_parts(plan.setting).items()},
        "sizes": sizes._asdict(),
        "methods": {label: describe(selector) for label, selector in plan.methods.items()},
        "seeds": list(plan.seeds),
        "epochs": plan.epochs,
        "crew": crew,
        "versions": [{"from_epoch": 0, **versions()}],
        "machine": f"{platform.system()} {platform.machine()}",
    }
    described = plain(description)
    _printable.check(described)
    return described


def versions() -> dict[str, Any]:
    """What decides a run's numbers beside its settings."""
    return {
        "autotelic": __version__,
        "numbers": NUMBERS,
        "python": platform.python_version(),
        **{name: version(name) for name in ("jax", "jaxlib", "equinox", "numpy", "gymnasium")},
    }


def check_numbers(saved: Mapping[str, Any]) -> None:
    """Refuse to continue a run whose settings and seeds would give other numbers by now."""
    begun = saved["versions"][-1]
    if begun.get("numbers", 1) != NUMBERS:
        raise ValueError(
            f"the run on disk was trained by autotelic {begun.get('autotelic')} (numbers "
            f"{begun.get('numbers', 1)}), and this is {__version__} (numbers {NUMBERS}), in which the "
            "same settings and seeds give other numbers; continue it with that version, or begin "
            "again in another folder"
        )


def changed_versions(saved: Mapping[str, Any]) -> str:
    """How the versions of the run on disk differ from those here, as `jax 0.10.1, now 0.10.2`."""
    last, now = saved["versions"][-1], versions()
    return "; ".join(
        f"{name} {last.get(name)}, now {value}"
        for name, value in now.items()
        if last.get(name) != value
    )


def check_same(saved: Mapping[str, Any], wanted: Mapping[str, Any], done: int = 0) -> None:
    """Refuse to continue a run under settings other than its own (a longer run is the same run).

    Both are what `describe_plan` gave. What lies ahead may change: a run of `done` epochs can be frozen
    after them.
    """
    differences = _differences(saved, wanted, done)
    if list(saved["methods"]) != list(wanted["methods"]):
        differences.append(f"methods were {list(saved['methods'])}, now {list(wanted['methods'])}")
    differences += [
        f"method {label} was {_short(saved['methods'][label])}, now {_short(description)}"
        for label, description in wanted["methods"].items()
        if label in saved["methods"] and saved["methods"][label] != description
    ]
    if saved["seeds"] != wanted["seeds"]:
        differences.append(f"seeds were {saved['seeds']}, now {wanted['seeds']}")
    if wanted["epochs"] < saved["epochs"]:
        differences.append(f"epochs were {saved['epochs']}, now only {wanted['epochs']}")
    if differences:
        raise ValueError(
            "the run on disk has other settings: "
            + "; ".join(differences)
            + ". Resume it with its own settings, or choose another folder"
        )


def _is_ahead(done: int, *epochs: int | None) -> bool:
    """Whether a run of `done` epochs has not come to any of these yet."""
    return done > 0 and all(epoch is None or epoch >= done for epoch in epochs)


def check_setting(saved: Mapping[str, Any], setting: Setting) -> Setting:
    """The given setting, completed as training completed it; refuses one that is not the saved run's.

    An environment without a name is made, because two of one description may differ in their sizes.
    """
    if not isinstance(setting, Setting):
        raise TypeError(
            f"setting must be the Setting that the run was trained with, got {setting!r}"
        )
    if setting.steps_per_goal == "auto":
        # The whole epoch if the run's selectors asked for it, see `with_duration`.
        steps = saved["setting"].get("steps_per_goal")
        usual = setting.steps_per_visit
        setting = replace(
            setting, steps_per_goal=steps if steps in (usual, setting.steps_per_epoch) else usual
        )
    if isinstance(setting.agent, AutoSac):
        setting = with_agent(setting, EnvironmentSizes(**saved["sizes"]))
    setting = _with_saved_goals(setting, saved["setting"]["objective"])
    wanted = {"setting": settings.describe(setting), "sizes": saved["sizes"]}
    if "environment" in settings.own_parts(setting):
        wanted["sizes"] = plain(sizes_of(setting.make_environment())._asdict())
    differences = _differences(saved, wanted)
    if differences:
        raise ValueError(
            "the run on disk has other settings: "
            + "; ".join(differences)
            + ". Open it with the setting it was trained with"
        )
    return setting


def _with_saved_goals(setting: Setting, saved: Mapping[str, Any]) -> Setting:
    """The setting with goals that were left open to the environment as in the run."""
    own = setting.objective
    if not own.has_places or "name" not in saved or saved["name"] is None:
        return setting
    declared: Any = own
    names = [f.name for f in fields(declared) if getattr(own, f.name) is None and f.name in saved]
    return replace(setting, objective=replace(declared, **{name: saved[name] for name in names}))


def _differences(saved: Mapping[str, Any], wanted: Mapping[str, Any], done: int = 0) -> list[str]:
    """What differs in the settings or the environment's sizes, and does not lie ahead of `done` epochs."""
    return [
        "{} was {}, now {}".format(name, *_apart(saved[part].get(name), value))
        for part in ("setting", "sizes")
        for name, value in wanted[part].items()
        if saved[part].get(name) != value
        and not (name == "freeze_after" and _is_ahead(done, saved[part].get(name), value))
    ]


def _is_readable(label: Any) -> bool:
    """Whether a label comes back from the history as the same text."""
    if not isinstance(label, str) or label.strip().lower() in UNREADABLE_LABELS:
        return False
    try:
        float(label)
    except ValueError:
        return _printable.is_name(label)
    return False


def _apart(one: Any, other: Any) -> tuple[str, str]:
    """Two values as short texts that show where they differ."""
    texts = str(one), str(other)
    pairs = enumerate(zip(*texts, strict=False))
    begin = next((at for at, (a, b) in pairs if a != b), 0) - 40
    if begin <= 0 or max(map(len, texts)) <= 120:
        return _short(one), _short(other)
    return _short("..." + texts[0][begin:]), _short("..." + texts[1][begin:])


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 120 else text[:117] + "..."
