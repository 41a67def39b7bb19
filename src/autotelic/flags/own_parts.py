"""Agents, objectives and environments of the user's own as words: `my_module.MyObjective:scale=2`."""

import inspect
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from tyro.conf import arg

from autotelic import _names, _spelling
from autotelic._names import IMPORT_PATH
from autotelic.agents import AGENTS, Agent
from autotelic.environments import HostEnvironment, JaxEnvironment
from autotelic.learner import setting as settings
from autotelic.learner.own_parts import spelling
from autotelic.learner.setting import Setting
from autotelic.objectives import OBJECTIVES, Objective
from autotelic.runs.run import Runs, load

PATH = "MODULE.NAME"
ENVIRONMENTS = ("navigation2d", "maze2d", "a Gymnasium id such as HalfCheetah-v5")


@dataclass(frozen=True)
class OwnFlags:
    """Parts of your own that the run was trained with: my_module.MyAgent, its options after a colon.

    Only for runs that have such parts: a file cannot bring them back, and must not say what to import.
    """

    environment: Annotated[str, arg(metavar=PATH, help_behavior_hint="")] = ""
    """An environment, a class or function that makes one, or an id such as my_module:MyEnv-v0, brax::ant."""
    agent: Annotated[str, arg(metavar=PATH, help_behavior_hint="")] = ""
    """An agent, or its class."""
    objective: Annotated[str, arg(metavar=PATH, help_behavior_hint="")] = ""
    """An objective, or its class."""


def open_run(folder: str, own: OwnFlags, command: Sequence[str]) -> Runs:
    """The run in a folder, with the parts of the user's own that the flags name.

    command: the words that were typed; a refusal adds to them what is missing.
    """
    runs = load(folder)
    described = runs.description["setting"]
    given = {part: word for part, word in vars(own).items() if word}
    lost = settings.lost_parts(described)
    imports = settings.imports_of(described)
    missing = {part: text for part, text in lost.items() if part not in given}
    if missing:
        raise ValueError(_refusal(runs, missing, command))
    if imports and not given.get("environment"):
        raise ValueError(_import_refusal(folder, imports[0], command))
    if not given:
        return runs
    made = {
        part: own_part(part, word, described.get("environment_options", {}))
        for part, word in given.items()
    }
    return load(folder, setting=settings.from_description(described, **made))


def _refusal(runs: Runs, missing: Mapping[str, str], command: Sequence[str]) -> str:
    """What cannot be had without the user's code, and the command to type.

    The command says what the file has only where that can be typed without harm, see `_names.typable`.
    """
    spelled = runs.description.get("own_parts", {})
    with_options = bool(runs.description["setting"].get("environment_options"))
    words = {
        part: _names.typable(
            str(spelled.get(part) or ""), called=part == "environment" and with_options
        )
        or PATH
        for part in missing
    }
    parts = ", ".join(
        # What to type says the rest, unless it is not known.
        f"the {part} {text if words[part] == PATH else text.partition('(')[0]}"
        for part, text in missing.items()
    )
    flags = [word for part in missing for word in (f"--{part}", words[part])]
    hint = f" ({PATH} is where you have it, or a class that makes it)" * (PATH in flags)
    return (
        f"{runs.folder} was trained with {parts}, which only your code can make; name "
        f"{'it' if len(missing) == 1 else 'them'} again: {shlex.join([*command, *flags])}{hint}"
    )


def _import_refusal(folder: str, name: str, command: Sequence[str]) -> str:
    """That the environment's name needs the user's word, and the command to type."""
    word = _names.typable(name) or "MODULE:ID"
    return (
        f"{folder} was trained in the environment {name!r}, which is imported, and a file must not say what "
        f"to import; if you trust it, name it: {shlex.join([*command, '--environment', word])}"
    )


def method_word(label: str) -> str:
    """A run's method as a word to copy into a command; `PATH` where the file has what may do harm there."""
    if label.startswith("-") or _spelling.is_own(label):
        return _names.typable(label) or PATH
    return label


def own_part(part: str, word: str, environment_options: Mapping[str, Any]) -> Any:
    """The part that a word names; an environment may be one that has a name."""
    if part == "environment":
        return environment_of(word, environment_options)
    if not _spelling.is_own(word):
        raise ValueError(
            f"--{part} is for {part}s of your own, such as my_module.My{part.capitalize()}; the run "
            f"itself knows autotelic's ({', '.join(settings.CHOICES[part])}); got {word!r}"
        )
    return agent_of(word) if part == "agent" else objective_of(word)


def agent_of(word: str) -> Agent:
    """The agent of the user's own that an import path names."""
    return _spelling.own("agent", word, Agent, AGENTS)


def objective_of(word: str) -> Objective:
    """The objective of the user's own that an import path names."""
    return _spelling.own("objective", word, Objective, OBJECTIVES)


def environment_of(word: str, options: Mapping[str, Any]) -> Any:
    """The environment that a word names: itself if it is a name, or what its import path leads to.

    That is an environment, its class, or a function that makes one; nothing else is called.
    options: of `--environment-options`, which go to a function that makes Gymnasium environments.
    """
    if not IMPORT_PATH.fullmatch(word):
        return word
    import gymnasium

    name, given = _spelling.split("environment", word)
    found = _spelling.imported("environment", name, ENVIRONMENTS)
    if isinstance(found, type) and issubclass(found, gymnasium.Env) and not given:
        return found
    if _is_environment(found):
        if given:
            raise ValueError(f"environment {word!r}: {name} is already made; options go to a class")
        return found
    if not (_is_class_of_environments(found) or inspect.isfunction(found)):
        raise TypeError(
            f"environment {word!r}: {name} must be an environment, a class of one, or a function that "
            f"makes one, got {found!r}"
        )
    if options and not given:
        return found
    # Whether it makes JAX environments, of which one is enough, is seen by making one.
    made = _spelling.make(found, given, name)
    if _is_environment(made):
        return made
    if isinstance(made, gymnasium.Env):
        made.close()
    if given:
        raise ValueError(
            f"environment {word!r}: options of a Gymnasium environment follow --environment-options"
        )
    return found


def _is_environment(value: Any) -> bool:
    """Whether it is one that can be trained in as it is, rather than what makes one."""
    return not isinstance(value, type) and isinstance(value, JaxEnvironment | HostEnvironment)


def _is_class_of_environments(value: Any) -> bool:
    """Whether it is a class with the methods of an environment, be it of JAX, the host or Gymnasium."""
    methods = ("reset", "step"), ("pool",)
    return isinstance(value, type) and any(
        all(callable(getattr(value, name, None)) for name in names) for names in methods
    )


def own_words(setting: Setting) -> list[str] | None:
    """The flags that name a setting's own parts, and an environment whose name is imported; None if the
    shell has no word for one of them.
    """
    words = {part: spelling(value) for part, value in settings.own_parts(setting).items()}
    for name in settings.imports_of(settings.describe(setting)):
        words["environment"] = name
    if None in words.values():
        return None
    return [word for part, own in words.items() for word in (f"--{part}", str(own))]
