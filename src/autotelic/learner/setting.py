"""The settings of a run: frozen, validated when made, and written to disk as JSON."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_type_hints

import numpy as np

from autotelic import _names, _validate
from autotelic.agents import AGENTS, Agent, AutoSac
from autotelic.environments import HostEnvironment, JaxEnvironment, make_environment
from autotelic.environments.maze2d import Maze2D
from autotelic.environments.navigation2d import Navigation2D
from autotelic.learner.own_parts import text_of
from autotelic.objectives import OBJECTIVES, Diayn, Objective

LARGEST_REPLAY = 1_000_000
"""Rows a replay is limited to when it is sized from the run (the DIAYN code's pool)."""
MOST_GOALS = 10_000
"""Codebooks and the spacing of places compare every pair, and a row of history.csv has columns of each."""
MOST_UPDATES = 1000
REPLAYS = ("uniform", "goal_balanced")
JUDGED = ("before_update", "after_update")
NORMALIZATIONS = ("none", "fixed", "running")
CHOICES: dict[str, Mapping[str, type]] = {"agent": AGENTS, "objective": OBJECTIVES}
GYMNASIUM = "autotelic.environments.gymnasium"
"""Where our Gymnasium environments are; it loads only where one is made."""


@dataclass(frozen=True)
class Setting:
    """Everything that all learners of a run share; methods and seeds come on top.

    environment: a name (`navigation2d`, any Gymnasium id), a function that makes a Gymnasium
      environment, or a JAX environment object; `environment_options` go to a named one.
    num_goals: |G|.
    steps_per_epoch: what the length of a run, checkpoints and measurements are counted in.
    steps_per_goal: how long a goal is pursued before the selector is asked again, a divisor of
      `steps_per_epoch`; None for the whole epoch, as in the paper. "auto" is 100 steps, or the
      largest divisor from 10 to 100, or else the whole epoch (`usual_steps_per_goal`), as also if a
      selector's windows need more. Progress windows without a given length shrink with it.
    agent, objective: how a goal is learned, and how its certainty is judged. By default the agent is
      `Sac` with a tuned entropy scale, or `DiscreteSac` where actions are discrete.
    hidden_units, batch_size, learning_rate: shared by all networks.
    replay_capacity: rows of each learner's replay; by default as many as the run has steps, at
      most a million.
    first_update: how many steps are collected before learning begins; by default one episode, as
      in the DIAYN code (one epoch where the environment has no time limit).
    replay: how a batch is drawn: `uniform` over all rows, so that a goal weighs as often as it was
      practised (the paper), or `goal_balanced`, every goal met so far weighing the same.
    judged: the posteriors that a selector sees are q's `before_update` of the step (Algorithm 1's line
      order) or `after_update`.
    reset_on_goal_switch: begin a new episode with every visit; in the paper a goal starts where the
      last one ended.
    warm_up: until learning begins (`first_update`) goals come in rounds, and selectors are told
      nothing: there is no progress to see. In the paper the first round begins at once.
    updates_per_step: updates for each step of the environment: a whole number, or one over a whole
      number of steps (METRA: 1/32), which are then made before each update.
    environments: instances that a learner acts in together, all towards the same goal; steps are those
      of all of them, so more environments do not make a run longer.
    normalize_observations: agent and objective see observations as they are (`none`), or less their mean
      and over their deviation: `fixed`, of random actions before the run; or `running`, of all so far.
    frozen: train nothing but record everything: a control for what a selector sees without learning.
    freeze_after: learn for so many epochs, then nothing any more: the same control with trained skills.
    """

    environment: Any = "navigation2d"
    environment_options: Mapping[str, Any] = field(default_factory=dict)
    num_goals: int = 20
    steps_per_epoch: int = 1000
    steps_per_goal: int | Literal["auto"] | None = "auto"
    agent: Agent = field(default_factory=AutoSac)
    objective: Objective = field(default_factory=Diayn)
    hidden_units: int = 300
    batch_size: int = 128
    learning_rate: float = 1e-3
    replay_capacity: int | None = None
    first_update: int | None = None
    replay: Literal["uniform", "goal_balanced"] = "uniform"
    judged: Literal["before_update", "after_update"] = "before_update"
    reset_on_goal_switch: bool = False
    warm_up: bool = True
    updates_per_step: float = 1.0
    environments: int = 1
    normalize_observations: Literal["none", "fixed", "running"] = "none"
    frozen: bool = False
    freeze_after: int | None = None

    def __post_init__(self) -> None:
        _validate.integer("num_goals", self.num_goals, minimum=1, maximum=MOST_GOALS)
        _validate.integer("steps_per_epoch", self.steps_per_epoch, minimum=2)
        if self.steps_per_goal not in (None, "auto"):
            _check_divides(self.steps_per_goal, self.steps_per_epoch)
        _validate.integer("hidden_units", self.hidden_units, minimum=1)
        _validate.integer("batch_size", self.batch_size, minimum=1)
        _validate.number("learning_rate", self.learning_rate, above=0.0)
        _validate.choice("replay", self.replay, REPLAYS)
        _validate.choice("judged", self.judged, JUDGED)
        for name in ("reset_on_goal_switch", "warm_up", "frozen"):
            _validate.boolean(name, getattr(self, name))
        if self.freeze_after is not None:
            _validate.integer("freeze_after", self.freeze_after, minimum=1)
            if self.frozen:
                raise ValueError(
                    f"freeze_after is {self.freeze_after}, and frozen learners never learn; leave one out"
                )
        _validate.choice("normalize_observations", self.normalize_observations, NORMALIZATIONS)
        self._check_rate()
        for name, kind, example in (
            ("agent", Agent, "autotelic.agents.Sac()"),
            ("objective", Objective, "autotelic.objectives.Diayn()"),
        ):
            if not isinstance(getattr(self, name), kind):
                raise TypeError(
                    f"{name} must be an {kind.__name__}, such as {example}, got "
                    f"{getattr(self, name)!r}"
                )
        if self.replay_capacity is not None:
            _validate.integer("replay_capacity", self.replay_capacity, minimum=1)
        if self.first_update is not None:
            _validate.integer("first_update", self.first_update, minimum=1)

    def _check_rate(self) -> None:
        """Refuse environments and updates that do not fill a visit in whole numbers."""
        _validate.integer("environments", self.environments, minimum=1)
        _validate.number("updates_per_step", self.updates_per_step, above=0.0)
        if self.updates_per_step > MOST_UPDATES:
            raise ValueError(
                f"updates_per_step must be at most {MOST_UPDATES}, got {self.updates_per_step:g}: a step "
                "adds one transition, and so many batches would hold little else than those before it"
            )
        steps, rate = self.steps_per_visit, self.updates_per_step
        if steps % self.environments:
            raise ValueError(
                f"environments {self.environments} must divide the {steps} steps for which a goal is "
                "held; change it or steps_per_goal"
            )
        whole = rate if rate >= 1 else 1 / rate
        if abs(whole - round(whole)) > 1e-6 * whole:
            raise ValueError(
                f"updates_per_step must be a whole number, or one over a whole number of steps, got "
                f"{rate}; near it: " + (f"{round(rate)}" if rate > 1 else f"1/{round(1 / rate)}")
            )
        rows = self.rows_per_update
        fills = steps % rows == 0 and rows % self.environments == 0
        if not fills or abs(self.updates_at_once - rate * rows) > 1e-6 * rate * rows:
            raise ValueError(
                f"updates_per_step {rate:g} with environments {self.environments} is "
                f"{rate * rows:g} updates every {rows} steps, which must be whole and fill the {steps} "
                "steps for which a goal is held; change one of the three (steps_per_goal)"
            )

    @property
    def rows_per_update(self) -> int:
        """Steps that are made, in all environments, before the next updates."""
        return max(self.environments, round(1 / self.updates_per_step))

    @property
    def turns_per_update(self) -> int:
        """How often every environment steps before the next updates."""
        return self.rows_per_update // self.environments

    @property
    def updates_at_once(self) -> int:
        """Updates that are then made."""
        return round(self.updates_per_step * self.rows_per_update)

    @property
    def steps_per_visit(self) -> int:
        """How long a goal is pursued."""
        if self.steps_per_goal == "auto":
            return usual_steps_per_goal(self.steps_per_epoch)
        return self.steps_per_goal or self.steps_per_epoch

    @property
    def visits_per_epoch(self) -> int:
        """How many goals are pursued in an epoch, one after the other."""
        return self.steps_per_epoch // self.steps_per_visit

    def make_environment(self) -> JaxEnvironment | HostEnvironment:
        """The environment that the settings name; refuses the text of one that was an object."""
        if isinstance(self.environment, str) and _is_text(self.environment):
            if _names.is_id(name := self.environment[1:-1]):
                raise ValueError(_not_imported(name))
            raise ValueError(_not_rebuilt("environment", self.environment, "make_environment"))
        return make_environment(self.environment, **self.environment_options)

    def capacity(self, epochs: int) -> int:
        """Rows of each learner's replay in a run of so many epochs; refuses one below a batch."""
        steps = epochs * self.steps_per_epoch
        capacity = self.replay_capacity or min(steps, LARGEST_REPLAY)
        if capacity < self.batch_size and not self.frozen:
            source = (
                f"replay_capacity is {self.replay_capacity}"
                if self.replay_capacity
                else f"the run has {epochs} epochs x {self.steps_per_epoch} steps = {steps}"
            )
            raise ValueError(
                f"batch_size {self.batch_size} is larger than the replay's {capacity} rows "
                f"({source}); lower the batch size or raise the other"
            )
        if self.replay == "goal_balanced" and capacity < self.steps_per_visit:
            raise ValueError(
                f"a goal-balanced replay holds whole visits of {self.steps_per_visit} steps, and "
                f"replay_capacity is {capacity}; raise it"
            )
        return capacity


def usual_steps_per_goal(steps_per_epoch: int) -> int:
    """The largest divisor of an epoch's steps from 10 to 100; without one, the whole epoch.

    >>> [usual_steps_per_goal(steps) for steps in (1000, 250, 60, 1009)]
    [100, 50, 60, 1009]
    """
    fitting = [steps for steps in range(10, 101) if steps_per_epoch % steps == 0]
    return max(fitting, default=steps_per_epoch)


def _check_divides(steps_per_goal: Any, steps_per_epoch: int) -> None:
    """Refuse a goal's steps that do not fill an epoch; name the nearest that do, on either side."""
    _validate.integer("steps_per_goal", steps_per_goal, minimum=2)
    if steps_per_epoch % steps_per_goal == 0:
        return
    roots = range(1, math.isqrt(steps_per_epoch) + 1)
    small = [n for n in roots if steps_per_epoch % n == 0]
    fitting = sorted({*small, *(steps_per_epoch // n for n in small)} - {1})
    near = [n for n in fitting if n < steps_per_goal][-1:]
    near += [n for n in fitting if n > steps_per_goal][:1]
    raise ValueError(
        f"steps_per_goal {steps_per_goal} must divide steps_per_epoch {steps_per_epoch}, which is "
        f"{steps_per_epoch / steps_per_goal:.3g} times as long; the nearest that do: "
        + " and ".join(str(n) for n in near)
    )


DESCRIBED: Mapping[str, Any] = {
    **get_type_hints(Setting),
    "environment": str,
    **dict.fromkeys(("environment_options", "agent", "objective"), dict[str, Any]),
}
"""The kinds of what `describe` makes of a setting."""


def describe(setting: Setting) -> dict[str, Any]:
    """The settings as JSON values."""
    values = {f.name: getattr(setting, f.name) for f in dataclasses.fields(setting)}
    values["environment"], values["environment_options"] = _describe_environment(setting)
    values["agent"] = _describe_choice(setting.agent, AGENTS)
    values["objective"] = _describe_choice(setting.objective, OBJECTIVES)
    return plain(values)


def plain(value: Any) -> Any:
    """The value as it comes back from a JSON file; what JSON cannot hold becomes a text.

    The text has no memory address, so that another process finds the same.

    >>> plain({"features": (0, 1), "noise": np.float32(0.5), "make": object()})
    {'features': [0, 1], 'noise': 0.5, 'make': 'object()'}
    """
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return text_of(value)


def from_description(description: Mapping[str, Any], **own: Any) -> Setting:
    """The settings that `describe` described; `own` are parts that are given in place of the file's.

    Runs nothing that a file names: an agent or objective that is not ours is refused; an environment
    that has no name stays a text, which is refused when somebody tries to make it, and so is one whose
    name would import a module, unless the same name is given.
    """
    values = {**description, **own}
    imports, given = imports_of(description), own.get("environment")
    if imports and given is None:
        values["environment"] = f"<{imports[0]}>"
    elif imports and isinstance(given, str):
        if imports != [given]:
            raise ValueError(_not_imported(imports[0]))
        values["environment"] = description["environment"]
    for part, choices in CHOICES.items():
        if part not in own:
            values[part] = _from_choice(part, values[part], choices)
    valid = [f.name for f in dataclasses.fields(Setting)]
    for name in values:
        if name not in valid:
            raise ValueError(_validate.unknown("setting", name, valid))
    return Setting(**values)


def lost_parts(description: Mapping[str, Any]) -> dict[str, str]:
    """The parts of a described setting that a file cannot bring back, each with its text."""
    environment = description.get("environment", "")
    texts = {"environment": environment} if _is_text(environment) else {}
    for part in CHOICES:
        if "repr" in description.get(part, {}):
            texts[part] = description[part]["repr"]
    return texts


def imports_of(description: Mapping[str, Any]) -> list[str]:
    """The names by which the environment of a described setting would import a module."""
    name = description.get("environment")
    if not isinstance(name, str) or _is_text(name):
        return []
    return _names.imports_of(name, description.get("environment_options") or {})


def _not_imported(name: str) -> str:
    word = _names.typable(name) or "MODULE:ID"
    return (
        f"the environment {name!r} would be imported, and a file must not say what to import; name it: "
        f"autotelic.load(folder, environment={word!r}), in the shell: --environment {word}"
    )


def own_parts(setting: Setting) -> dict[str, Any]:
    """The parts of a setting that are the user's own."""
    return {part: getattr(setting, part) for part in lost_parts(describe(setting))}


def _describe_environment(setting: Setting) -> tuple[Any, dict[str, Any]]:
    environment, options = setting.environment, dict(setting.environment_options)
    if isinstance(environment, str):
        return environment, options
    for name, kind in (("navigation2d", Navigation2D), ("maze2d", Maze2D)):
        if type(environment) is kind:
            return name, dataclasses.asdict(environment)
    make = getattr(environment, "make", None)
    if isinstance(make, str) and type(environment).__module__ == GYMNASIUM:
        return make, {**environment.options, "backend": environment.backend}
    text = text_of(environment)
    return text if _is_text(text) else f"<{text}>", options


def _is_text(environment: str) -> bool:
    """Whether a file says what the environment was, rather than its name."""
    return "<" in environment or "(" in environment


def _describe_choice(value: Any, choices: Mapping[str, type]) -> dict[str, Any]:
    name = next((name for name, kind in choices.items() if type(value) is kind), None)
    if name is None:
        return {"name": None, "repr": text_of(value)}
    settings = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    return {"name": name, **settings}


def _from_choice(kind: str, description: Mapping[str, Any], choices: Mapping[str, type]) -> Any:
    values = dict(description)
    name = values.pop("name", None)
    if name not in choices:
        text = description.get("repr", name)
        example = f"My{kind.capitalize()}"
        raise ValueError(_not_rebuilt(kind, text, example, f" ({', '.join(choices)})"))
    return choices[name](**values)


def _not_rebuilt(part: str, text: Any, example: str, ours: str = "") -> str:
    return (
        f"the {part} {text!r} is not one of autotelic's{ours}, and a file cannot bring it back; open "
        "the run with the setting it was trained with: autotelic.load(folder, setting=...), in the "
        f"shell: --{part} my_module.{example}"
    )
