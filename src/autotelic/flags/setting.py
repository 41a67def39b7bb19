"""The flags of `autotelic train`: the fields of the settings, in the shell's spelling."""

import dataclasses
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Annotated, Any, Literal

import tyro
from tyro.conf import DisallowNone, FlagCreatePairsOff, Positional, arg

from autotelic import _names, _validate
from autotelic._names import IMPORT_PATH
from autotelic._spelling import value_of
from autotelic.agents import AGENTS
from autotelic.flags.own_parts import agent_of, environment_of, objective_of
from autotelic.flags.parts import AgentFlags, ObjectiveFlags, common, part_flags, part_of
from autotelic.flags.words import MOST_SEEDS, refuse_empty
from autotelic.learner.setting import Setting
from autotelic.objectives import OBJECTIVES, Reach
from autotelic.presets import PRESETS, reaching
from autotelic.runs.run import Runs
from autotelic.selectors.spelling import NAMES

DEFAULT_METHODS = ("uniform", "round-robin", "auto")
"""Independent draws, even practice, and the selector to take where goals differ; none needs settings."""
EXAMPLES = """\
examples:
  autotelic train navigation2d --methods diayn vic dp:temperature=0.3 \\
      --seeds 5 --epochs 60 --out runs/nav
  autotelic train HalfCheetah-v5 --preset paper-fig3 --methods diayn dp --out runs/cheetah
  autotelic train Ant-v5 --methods round-robin remaining-error --out runs/ant \\
      --environment-options include_cfrc_ext_in_observation=false
  autotelic train Ant-v5 --preset metra-cpu --methods round-robin curious \\
      --seeds 3 --epochs 50 --out runs/metra
  autotelic train navigation2d --objective dads --methods diayn --out runs/dads
  autotelic train maze2d --objective reach --methods round-robin learnability --epochs 300 \\
      --out runs/maze
  autotelic train my_module.MyEnvironment --agent my_module.MyAgent \\
      --objective my_module.MyObjective:scale=2 --out runs/own
  autotelic train HalfCheetah-v5 --seeds 10 --out runs/large --dry-run   # what would it take?
  autotelic train --resume --out runs/nav                # continue after Ctrl-C
  autotelic train --resume --out runs/nav --epochs 120   # and go on to 120 epochs
"""
METHODS = (
    f"methods: {', '.join(NAMES)}. Options follow a colon: dp:temperature=0.3,normalization=l2; all "
    "have draw=low_variance, by which goals come as often as their probabilities add up to. A name "
    "with a dot, such as my_module.MySelector, imports a selector of your own, as it does an agent, an "
    "objective or an environment; a module is found in the current folder too."
)


@dataclass(frozen=True)
class SettingFlags:
    """What all learners share."""

    num_goals: Annotated[int, arg(metavar="N")] = 20
    """How many goals (skills) there are."""
    steps_per_epoch: Annotated[int, arg(metavar="N")] = 1000
    """Steps of an epoch, which --epochs and --checkpoint-every count."""
    steps_per_goal: Annotated[
        DisallowNone[int | Literal["auto"] | None],
        arg(metavar="N", help_behavior_hint="(default: 100, or the nearest below that divides it)"),
    ] = "auto"
    """Steps for which a goal is pursued before the next is selected; a divisor of the epoch's."""
    hidden_units: Annotated[
        int,
        arg(
            metavar="N",
            help_behavior_hint="(default: 32 in navigation2d, 300 elsewhere; less for reach)",
        ),
    ] = 300
    """Units in each of a network's two hidden layers."""
    batch_size: Annotated[int, arg(metavar="N")] = 128
    """Transitions in a batch."""
    updates_per_step: Annotated[str, arg(metavar="N|1/N", help_behavior_hint="(default: 1)")] = "1"
    """Batches learned from at every step of the environment; 1/32 is one every 32 steps."""
    environments: Annotated[int, arg(metavar="N")] = 1
    """Instances that a learner acts in together, towards one goal; steps are those of all."""
    normalize_observations: Literal["none", "fixed", "running"] = "none"
    """Centre and scale observations: by random actions before the run, or by all seen so far."""
    learning_rate: Annotated[float, arg(metavar="X")] = 1e-3
    """Of Adam, for all networks."""
    replay_capacity: Annotated[
        DisallowNone[int | None],
        arg(metavar="N", help_behavior_hint="(default: the steps of the run, at most a million)"),
    ] = None
    """Transitions that a learner remembers."""
    first_update: Annotated[
        DisallowNone[int | None], arg(metavar="N", help_behavior_hint="(default: one episode)")
    ] = None
    """Steps that are collected before learning begins."""
    replay: Literal["uniform", "goal_balanced"] = "uniform"
    """How batches are drawn: all rows alike, or all goals alike."""
    judged: Literal["before_update", "after_update"] = "before_update"
    """Whether selectors see q before a step's update (the paper) or after it."""
    reset_on_goal_switch: FlagCreatePairsOff[bool] = False
    """Begin a new episode with every goal."""
    warm_up: bool = True
    """Let goals come in rounds, and selectors wait, until learning begins."""
    frozen: FlagCreatePairsOff[bool] = False
    """Train nothing but record everything: a control."""
    freeze_after: Annotated[
        DisallowNone[int | None], arg(metavar="N", help_behavior_hint="(default: never)")
    ] = None
    """Learn for so many epochs, then nothing any more: a control with trained skills."""
    environment_options: Annotated[
        tuple[str, ...], arg(metavar="NAME=VALUE ...", help_behavior_hint="(default: none)")
    ] = ()
    """Options of the environment, such as noise=0.01 random_start=true of navigation2d."""


@dataclass(frozen=True)
class TrainFlags:
    """Train goal selectors: every method with every seed, together, into one folder.

    Press Ctrl-C to stop: a checkpoint is written, and --resume continues from it.
    """

    environment: Annotated[Positional[str], arg(metavar="[ENVIRONMENT]", help_behavior_hint="")] = (
        ""
    )
    """navigation2d, maze2d, a Gymnasium id such as HalfCheetah-v5, one compiled in JAX, such as brax::ant or
    playground::CheetahRun, or your own, such as my_module:MyEnv-v0 or my_module.MyEnvironment; with --resume
    it may be left out."""
    environment_by_flag: Annotated[
        str, arg(name="environment", metavar="ENVIRONMENT", help_behavior_hint="")
    ] = ""
    """The same as a flag, which the other commands have for environments of your own."""
    out: Annotated[str, arg(metavar="FOLDER", help_behavior_hint="(required)")] = ""
    """Where the run is kept; a run that is there is never overwritten."""
    methods: Annotated[
        tuple[str, ...],
        arg(
            metavar="METHOD ...",
            help_behavior_hint=f"(default: {' '.join(DEFAULT_METHODS)})",
        ),
    ] = ()
    """Goal selectors to compare; see below."""
    seeds: Annotated[str, arg(metavar="N")] = "5"
    """How many seeds each method has: 5 is 0 to 4; or the seeds themselves: 3,4,7 (one: 3,)."""
    epochs: Annotated[int, arg(metavar="N")] = 100
    """How many epochs each learner practises."""
    preset: Annotated[str, arg(metavar=f"{{none,{','.join(PRESETS)}}}")] = "none"
    """Defaults other than those below: the paper's Table 1 for the environment, of methods too (paper: its
    Figure 1; paper-fig2, paper-fig3), METRA's or CSF's."""
    resume: Annotated[FlagCreatePairsOff[bool], arg(help_behavior_hint="")] = False
    """Continue the run in the folder, with its own settings; more --epochs prolong it."""
    dry_run: Annotated[FlagCreatePairsOff[bool], arg(help_behavior_hint="")] = False
    """Start nothing and write nothing: say what the run would take in memory, disk and time."""
    checkpoint_every: Annotated[
        DisallowNone[int | None],
        arg(
            metavar="N", help_behavior_hint="(default: so that they take less than 2 % of the time)"
        ),
    ] = None
    """Epochs between checkpoints."""
    evaluate_every: Annotated[
        DisallowNone[int | None], arg(metavar="N", help_behavior_hint="(default: never)")
    ] = None
    """Epochs between measurements of all skills, from the untrained ones on: a learning curve."""
    tensorboard: Annotated[FlagCreatePairsOff[bool], arg(help_behavior_hint="")] = False
    """Write TensorBoard files too, into FOLDER/tensorboard."""
    wandb: Annotated[str, arg(metavar="PROJECT", help_behavior_hint="(default: no)")] = ""
    """Log to this project of Weights & Biases too."""
    setting: SettingFlags = field(default_factory=SettingFlags)
    agent: AgentFlags = field(default_factory=AgentFlags)
    objective: ObjectiveFlags = field(default_factory=ObjectiveFlags)


def parse(words: Sequence[str], default: TrainFlags) -> TrainFlags:
    """The words as flags; what they leave out is as in `default`."""
    refuse_empty(words)
    config = (tyro.conf.OmitArgPrefixes,)
    try:
        flags = tyro.cli(
            TrainFlags, prog="autotelic train", args=words, default=default, config=config
        )
    except SystemExit as exit:
        if exit.code == 0:  # after --help
            print(EXAMPLES, textwrap.fill(METHODS, 80, subsequent_indent="  "), sep="\n")
        raise
    return _with_environment(flags)


def _with_environment(flags: TrainFlags) -> TrainFlags:
    """The flags with the environment in one place, however it was given."""
    given = {flags.environment, flags.environment_by_flag} - {""}
    if len(given) > 1:
        raise ValueError(
            f"the environment is given twice: {flags.environment!r} and --environment "
            f"{flags.environment_by_flag!r}; leave one out"
        )
    return dataclasses.replace(flags, environment="".join(given), environment_by_flag="")


def flags_of(setting: Setting) -> dict[str, Any]:
    """The groups of flags that spell a setting; a part of the user's own is spelled by its name alone."""
    options = tuple(f"{name}={value}" for name, value in setting.environment_options.items())
    rate = fraction_text(setting.updates_per_step)
    given = {"environment_options": options, "updates_per_step": rate}
    return {
        "setting": SettingFlags(**common(SettingFlags, setting, **given)),
        "agent": part_flags(AgentFlags, "agent", setting.agent, AGENTS),
        "objective": part_flags(ObjectiveFlags, "objective", setting.objective, OBJECTIVES),
    }


def flag_words(setting: Setting, base: Setting) -> list[str]:
    """The flags that turn one setting into another."""
    words: list[str] = []
    ours, theirs = flags_of(setting), flags_of(base)
    for group in ours:
        for name in (f.name for f in fields(ours[group])):
            value, default = getattr(ours[group], name), getattr(theirs[group], name)
            if value == default:
                continue
            no = "no-" if value is False else ""
            words.append(f"--{no}{name.replace('_', '-')}")
            if isinstance(value, tuple):
                words += map(str, value)
            elif not isinstance(value, bool):
                words.append(str(value))
    return words


def base_setting(flags: TrainFlags, saved: Runs | None, words: Sequence[str] = ()) -> Setting:
    """The setting to start from: the continued run's, a preset's or the library's defaults.

    words: that were typed; an objective that is named in them brings its own defaults.
    """
    _validate.choice("preset", flags.preset, ["none", *PRESETS])
    if saved is not None and flags.preset == "none":
        return saved.setting
    environment = flags.environment or (saved.setting.environment if saved else "")
    if not environment:
        remedy = (
            f" ({flags.out} holds no run to continue)"
            if flags.resume
            else "; it goes before the flags: autotelic train navigation2d --out ..."
        )
        raise ValueError(
            "the environment is missing: navigation2d, maze2d, or a Gymnasium id such as HalfCheetah-v5"
            + remedy
        )
    named = any(word.partition("=")[0] == "--objective" for word in words)
    kind = OBJECTIVES.get(flags.objective.objective) if named else None
    if flags.preset != "none":
        setting = PRESETS[flags.preset](environment)
    elif kind is Reach or (kind is None and not named and environment.lower() == "maze2d"):
        setting = reaching(environment)
        if IMPORT_PATH.fullmatch(environment):  # what options it takes, its author alone knows
            setting = dataclasses.replace(setting, environment_options={})
    elif environment.lower() == "navigation2d":
        setting = Setting(environment=environment, hidden_units=32)
    else:
        setting = Setting(environment=environment)
    if kind is None or type(setting.objective) is kind:
        return setting
    return dataclasses.replace(setting, objective=kind())


def setting_of(flags: TrainFlags, base: Setting) -> Setting:
    """The setting that the flags spell; `base` gives what no flag can."""
    values = {f.name: getattr(flags.setting, f.name) for f in fields(SettingFlags)}
    options = options_of(flags.setting.environment_options)
    values["updates_per_step"] = rate_of(flags.setting.updates_per_step)
    environment = environment_of(flags.environment, options) or base.environment
    if environment in _names.imports_of(str(base.environment), base.environment_options):
        environment = base.environment  # a name may stand for what the run's environment is made of
    return dataclasses.replace(
        base,
        **{**values, "environment": environment, "environment_options": options},
        agent=part_of(flags.agent, "agent", AGENTS, agent_of, base.agent),
        objective=part_of(flags.objective, "objective", OBJECTIVES, objective_of, base.objective),
    )


def options_of(words: Sequence[str]) -> dict[str, Any]:
    """`noise=0.01 random_start=true` as a dict.

    >>> options_of(["noise=0.01", "random_start=true"])
    {'noise': 0.01, 'random_start': True}
    """
    options: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not (name and equals and text):
            raise ValueError(f"--environment-options reads NAME=VALUE ..., got {word!r}")
        options[name] = value_of(text)
    return options


def rate_of(text: str) -> float:
    """Updates for each step, as `2`, `1/32` or `0.25`.

    >>> rate_of("1/32"), rate_of("2")
    (0.03125, 2.0)
    """
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        raise ValueError(
            f"--updates-per-step must be a number such as 1, 2 or 1/32, got {text!r}"
        ) from None


def fraction_text(rate: float) -> str:
    """A rate as it is typed.

    >>> fraction_text(0.03125), fraction_text(2.0)
    ('1/32', '2')
    """
    return f"1/{round(1 / rate)}" if rate < 1 else f"{rate:g}"


def seeds_of(text: str) -> list[int]:
    """`5` is that many seeds, from 0; with a comma they are the seeds themselves.

    >>> seeds_of("3"), seeds_of("3,4,7"), seeds_of("3,")
    ([0, 1, 2], [3, 4, 7], [3])
    """
    words = [word.strip() for word in text.removesuffix(",").split(",")]
    if not all(word.isdecimal() for word in words):
        raise ValueError(
            f"--seeds must be a number of seeds, such as 5, or seeds, such as 3,4,7; got {text!r}"
        )
    seeds = [int(word) for word in words]
    if "," in text:
        return seeds
    if seeds[0] > MOST_SEEDS:
        raise ValueError(
            f"--seeds {text} asks for that many seeds; the one seed {text} is --seeds {text},"
        )
    return list(range(seeds[0]))
