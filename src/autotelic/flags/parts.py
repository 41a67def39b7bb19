"""The flags of agents and objectives: which one, and the options that each of them declares."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields, make_dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

from tyro.conf import DisallowNone, arg

from autotelic import _validate
from autotelic._spelling import is_own
from autotelic.agents import AGENTS
from autotelic.flags.own_parts import PATH
from autotelic.learner.own_parts import spelling
from autotelic.learner.setting import Setting
from autotelic.objectives import OBJECTIVES


def _name_of(part: Any, choices: Mapping[str, type]) -> str | None:
    """The shell's name of an agent or objective of ours; None for one of the user's own."""
    return next((name for name, kind in choices.items() if type(part) is kind), None)


def _flags_of_parts(part: str, choices: Mapping[str, Any], default: Any, what: str) -> Any:
    """A group of flags: which agent or objective, and the options that each of them declares."""
    first = f"{what}, or your own, such as my_module.My{part.capitalize()}; the flags below are of ours."
    shown = f"{{{','.join(choices)}}}|{PATH}"
    members: list[Any] = [
        (part, Annotated[str, arg(metavar=shown, help=first)], _name_of(default, choices))
    ]
    kinds = [type(default), *(kind for kind in choices.values() if kind is not type(default))]
    for name in dict.fromkeys(own.name for kind in kinds for own in flag_fields(kind)):
        owners = {word: k for word, k in choices.items() if name in {f.name for f in fields(k)}}
        kind = next(kind for kind in kinds if kind in owners.values())
        declared = next(own for own in fields(kind) if own.name == name)
        of = "" if len(owners) == len(choices) else f" ({', '.join(owners)})"
        value = getattr(default, name, declared.default)
        members.append(_flag(declared, get_type_hints(kind)[name], value, of))
    return make_dataclass(f"{part.capitalize()}Flags", members, frozen=True)


def flag_fields(kind: Any) -> list[Field[Any]]:
    """The options of an agent or objective that the shell has flags for; others are Python's alone."""
    return [own for own in fields(kind) if own.metadata]


def _flag(declared: Field[Any], hint: Any, value: Any, of: str) -> tuple[str, Any, Any]:
    """A field of a group of flags: its name, what tyro is told of it, and its default."""
    about = declared.metadata
    words = about["words"].removesuffix(".") + of + "."
    optional = type(None) in get_args(hint)
    inner = (
        next((one for one in get_args(hint) if one is not type(None)), hint) if optional else hint
    )
    unset = f"(default: {about['unset']})" if optional else None
    metavar = about["metavar"] or {int: "N", float: "X"}.get(inner)
    if about["choices"]:
        inner = Literal[about["choices"]]
    if get_origin(inner) is tuple:  # none given is None
        return declared.name, _told(inner, words, metavar, unset), value or ()
    if optional:
        inner = DisallowNone[inner | None]
    return declared.name, _told(inner, words, metavar, unset), value


def _told(hint: Any, words: str, metavar: str | None, unset: str | None) -> Any:
    return Annotated[hint, arg(help=words, metavar=metavar, help_behavior_hint=unset)]


if TYPE_CHECKING:

    class AgentFlags:
        """How a goal is learned."""

        agent: str

        def __init__(self, **values: Any) -> None: ...

    class ObjectiveFlags:
        """How the certainty of a goal is judged and rewarded."""

        objective: str

        def __init__(self, **values: Any) -> None: ...

else:
    AgentFlags = _flags_of_parts(
        "agent",
        AGENTS,
        Setting().agent,
        "A modern soft actor-critic (twin Q) for continuous actions (sac), for discrete ones "
        "(discrete-sac) or for whichever the environment has (auto), the paper's (gmm-sac, a mixture "
        "policy, one Q)",
    )
    AgentFlags.__doc__ = "How a goal is learned."
    ObjectiveFlags = _flags_of_parts(
        "objective", OBJECTIVES, Setting().objective, "What is rewarded (`autotelic objectives`)"
    )
    ObjectiveFlags.__doc__ = "How the certainty of a goal is judged and rewarded."


def check_part_flags(words: Sequence[str], agent: AgentFlags, objective: ObjectiveFlags) -> None:
    """Refuse a flag of another agent or objective than the one that is used."""
    spelled = {word.partition("=")[0].replace("_", "-").replace("--no-", "--") for word in words}
    for part, kind, name, choices in (
        ("agent", AgentFlags, agent.agent, AGENTS),
        ("objective", ObjectiveFlags, objective.objective, OBJECTIVES),
    ):
        known = {flag_name(one) for one in _fields(kind)} - {f"--{part}"}
        if is_own(name):
            for flag in sorted(spelled & known):
                raise ValueError(
                    f"{flag} is no option of {name}; its own follow a colon: --{part} "
                    f"{name.partition(':')[0]}:name=value"
                )
            continue
        _validate.choice(part, name, choices)
        own = {flag_name(one) for one in flag_fields(choices[name])}
        for flag in sorted(spelled & known - own):
            other = next(
                name
                for name, kind in choices.items()
                if flag in {flag_name(one) for one in flag_fields(kind)}
            )
            raise ValueError(
                f"{flag} is no option of the {part} {name}; its own are {', '.join(sorted(own))} "
                f"(--{part} {other} has it)"
            )


def _fields(kind: Any) -> tuple[Field[Any], ...]:
    return fields(kind)


def flag_name(declared: Field[Any]) -> str:
    """An option as it is typed."""
    return "--" + declared.name.replace("_", "-")


def part_flags(kind: Any, part: str, own: Any, choices: Mapping[str, type]) -> Any:
    """The flags that spell an agent or objective."""
    name = _name_of(own, choices)
    if name is None:
        return kind(**{part: spelling(own) or ""})
    values = common(kind, own)
    values = {
        key: () if value is None and _is_tuple(kind, key) else value
        for key, value in values.items()
    }
    return kind(**{**values, part: name})


def _is_tuple(kind: Any, name: str) -> bool:
    """Whether a flag takes any number of values, none of which stands for None."""
    return get_origin(get_type_hints(kind)[name]) is tuple


def part_of(
    flags: Any, part: str, choices: Mapping[str, Any], make_own: Callable[[str], Any], base: Any
) -> Any:
    """The agent or objective that the flags spell; `base` has what no flag can say, if it is of its kind."""
    word = getattr(flags, part)
    if is_own(word):
        return make_own(word)
    kind = choices[word]
    values = {own.name: getattr(flags, own.name) for own in flag_fields(kind)}
    values = {name: None if value == () else value for name, value in values.items()}
    return replace(base, **values) if type(base) is kind else kind(**values)


def common(flags: type, source: Any, **given: Any) -> dict[str, Any]:
    """The fields that a group of flags has in common with a setting."""
    shared = {f.name: getattr(source, f.name) for f in fields(flags) if hasattr(source, f.name)}
    return {**shared, **given}
