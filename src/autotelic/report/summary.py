"""What was run, in words: a sentence, alarms, settings, and the command that runs it again."""

import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from autotelic import paper
from autotelic._spelling import is_own
from autotelic._words import count, figure
from autotelic.evaluation.evaluate import trained_epochs
from autotelic.evaluation.health import Alarm
from autotelic.flags.own_parts import method_word, own_words
from autotelic.flags.setting import TrainFlags, base_setting, flag_words, flags_of
from autotelic.learner.own_parts import spelling
from autotelic.learner.setting import Setting, own_parts
from autotelic.observers.health import grouped, whose
from autotelic.presets import method_options
from autotelic.report.markup import Html, joined, raised, table, tag
from autotelic.report.results import PRIMARY, Table, best_methods, primary
from autotelic.runs.diverged import left_out
from autotelic.selectors import GoalSelector
from autotelic.selectors.spelling import from_description, label, parse_method

if TYPE_CHECKING:
    from autotelic.runs.run import Runs

AGENTS = {
    "discrete-sac": "a soft actor-critic with twin Q functions of discrete actions",
    "gmm-sac": "a soft actor-critic with a Gaussian mixture policy",
    "sac": "a soft actor-critic with twin Q functions",
}


def sentence(runs: "Runs") -> str:
    """What was run."""
    setting, done = runs.setting, trained_epochs(runs)
    agent = runs.description["setting"]["agent"]
    words = AGENTS.get(agent["name"] or "", f"the agent {agent.get('repr', agent['name'])}")
    objective = runs.description["setting"]["objective"]
    practised = "goal" if objective["name"] == "reach" else "skill"
    reward = (
        "rewarded for being recognised (log q(g|s) - log p(g))"
        if objective["name"] == "diayn"
        else f"rewarded by the objective {objective.get('repr', objective['name'])}"
    )
    of_them = "" if done == runs.epochs else f" of {runs.epochs:,} planned"
    text = (
        f"In {environment_name(runs)}, {count(len(runs.members), 'learner')} "
        f"({count(len(runs.methods), 'method')} with {count(len(runs.seeds), 'seed')} each) practised "
        f"{count(setting.num_goals, practised)} for {count(done, 'epoch')}{of_them} of "
        f"{count(setting.steps_per_epoch, 'step')}: {words}, {setting.hidden_units} units in each "
        f"hidden layer, {reward}."
    )
    return text + " Nothing was trained: the run is a frozen control." * setting.frozen


def environment_name(runs: "Runs") -> str:
    """The environment as readers know it."""
    name = str(runs.description["setting"]["environment"])
    return {"navigation2d": "2D navigation", "maze2d": "2D maze"}.get(name.lower(), name)


def summary(runs: "Runs", found: Table) -> Html:
    """The sentence and the numbers to remember."""
    done, steps = trained_epochs(runs), runs.setting.steps_per_epoch
    tiles = [
        (
            "Learners",
            len(runs.members),
            f"{count(len(runs.methods), 'method')}, {count(len(runs.seeds), 'seed')} each",
        ),
        ("Epochs", f"{done:,}", f"of {runs.epochs:,}; {count(done * steps, 'step')} a learner"),
    ]
    metric = primary(found)
    best = best_methods(runs.methods, found, metric) if metric is not None else []
    if metric is not None and best:
        null = found.get((None, metric))
        notes = [
            said_best(best, [m for m in runs.methods if (m, metric) in found], len(runs.seeds))
        ]
        if metric == "trajectory_accuracy":
            notes.append(f"chance {figure(1 / runs.setting.num_goals)}")
        if null is not None:
            notes.append(f"untrained {figure(null.estimate)}")
        tiles.append((PRIMARY[metric], _range(found, best, metric), "; ".join(notes)))
    chosen = [method for method in best if (method, "effective_skills") in found]
    if chosen:
        whose_number = "Effective skills" + (", same method" + "s" * (len(best) > 1))
        value = _range(found, chosen, "effective_skills")
        tiles.append((whose_number, value, f"of {runs.setting.num_goals}"))
    return joined(
        [
            tag("p", sentence(runs), class_="lead"),
            diverged(runs),
            tag(
                "dl",
                *(
                    tag("div", tag("dt", name), tag("dd", value, tag("small", note)))
                    for name, value, note in tiles
                ),
                class_="tiles",
            ),
        ]
    )


def said_best(best: Sequence[str], methods: Sequence[str], seeds: int) -> str:
    """Which methods are the best, in words.

    >>> said_best(["dp"], ["dp", "vic"], 5)
    'best: dp'
    >>> said_best(["dp", "vic"], ["dp", "vic", "auto"], 5)
    'best, not told apart by 5 seeds: dp, vic'
    >>> said_best(["dp", "vic"], ["dp", "vic"], 1)
    'no best method: 1 seed does not tell dp, vic apart'
    """
    if len(methods) == 1:
        return best[0]
    if len(best) == 1:
        return f"best: {best[0]}"
    if len(best) < len(methods):
        return f"best, not told apart by {count(seeds, 'seed')}: {', '.join(best)}"
    does = "does" if seeds == 1 else "do"
    return f"no best method: {count(seeds, 'seed')} {does} not tell {', '.join(best)} apart"


def _range(found: Table, methods: Sequence[str], metric: str) -> str:
    """The lowest and the highest estimate of methods, as they are shown."""
    values = sorted(found[method, metric].estimate for method in methods)
    return " to ".join(dict.fromkeys([figure(values[0]), figure(values[-1])]))


def diverged(runs: "Runs") -> Html:
    """Who is missing on the page, and why."""
    if not runs.diverged:
        return Html()
    return tag(
        "ul",
        *(tag("li", tag("p", raised(one.sentence), "."), class_="alarm") for one in runs.diverged),
        tag("li", tag("p", left_out(runs.diverged, len(runs.members)), ".")),
        class_="alarms",
    )


def alarms(found: Sequence[Alarm]) -> Html:
    """What is wrong with which learners, and what to try; the same for several seeds once."""
    if not found:
        text = "None: no collapse, no starved goals, no discriminator at chance at the last epoch."
        return tag("p", text, class_="well")
    items = []
    for (name, _), own in grouped(found).items():
        text = own[0].message
        if len(own) > 1:
            text = f"for seed {own[0].member[1]}, {text}"
        items.append(
            tag(
                "li",
                tag("p", tag("strong", name), ": ", whose(own)),
                tag("p", raised(text)),
                class_="alarm",
            )
        )
    return tag("ul", *items, class_="alarms")


def settings(description: Mapping[str, Any]) -> Html:
    """All settings, the methods' too, and the versions of what ran them."""
    rows = [*_flattened(description["setting"])]
    methods = [
        (name, value.get("name") or value.get("repr", ""), _spelled(value.get("settings", {})))
        for name, value in description["methods"].items()
    ]
    versions = [
        (f"{name}, from epoch {entry['from_epoch']}" if entry["from_epoch"] else name, value)
        for entry in description["versions"]
        for name, value in entry.items()
        if name != "from_epoch"
    ]
    if "machine" in description:
        versions.append(("machine", description["machine"]))
    return joined(
        [
            table("Methods", ["method", "selector", "options"], methods, class_="words"),
            tag(
                "details",
                tag("summary", "All settings"),
                table("Shared by all learners", ["setting", "value"], rows, class_="words"),
            ),
            tag(
                "details",
                tag("summary", "Versions"),
                table("The run was made with", ["package", "version"], versions, class_="words"),
            ),
        ]
    )


def _flattened(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    rows = []
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            rows += _flattened(value, f"{prefix}{name}.")
        else:
            rows.append((prefix + name, "default" if value is None else str(value)))
    return rows


def _spelled(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in options.items()) or "none"


def reproduce(runs: "Runs") -> Html:
    """The commands that train the same learners and build this page."""
    words, own = train_words(runs), own_words(runs.setting)
    if words is None or own is None:
        text = (
            "The environment, the agent or the objective was handed over as a Python object that no "
            "shell command can name: call autotelic.train with the settings above."
        )
        return tag("p", text)
    commands = [words]
    commands += [["autotelic", name, str(runs.folder), *own] for name in ("evaluate", "report")]
    spellings = shell_methods(runs)
    notes = [tag("pre", tag("code", "\n".join(shlex.join(command) for command in commands)))]
    if list(spellings) != list(spellings.values()):
        pairs = ", ".join(f"{name} is {word}" for name, word in spellings.items() if name != word)
        notes.append(tag("p", f"In the shell methods are called by their options: {pairs}."))
    return joined(notes)


def shell_methods(runs: "Runs", preset: str = "none") -> dict[str, str]:
    """Each method's spelling in the shell; a selector of the user's own keeps its name, as does one
    whose name is a spelling already.
    """
    options = method_options(preset, runs.description["setting"]["environment"])

    def spelled(name: str, value: Any) -> str:
        if not value.get("name"):
            return method_word(name)
        selector = from_description(value)
        return name if _spells(name, selector, options) else label(selector, options)

    return {name: spelled(name, value) for name, value in runs.description["methods"].items()}


def _spells(name: str, selector: GoalSelector, options: Mapping[str, Mapping[str, Any]]) -> bool:
    try:
        return not is_own(name) and parse_method(name, options)[1] == selector
    except ValueError:
        return False


def flag_spellings(setting: Setting, environment: str, preset: str = "none") -> list[list[str]]:
    """The flags of a setting, with its objective and without: one that is named brings its own defaults."""
    objective = flags_of(setting)["objective"]
    named = ["--objective", objective.objective]
    flags = TrainFlags(environment, preset=preset, objective=objective)
    unnamed, words = (
        flag_words(setting, base_setting(flags, None, given)) for given in ([], named)
    )
    found = [words if "--objective" in words else [*named, *words]]
    found += [unnamed] * ("--objective" not in unnamed)
    return [["--preset", preset, *words] if preset != "none" else words for words in found]


def train_words(runs: "Runs") -> list[str] | None:
    """`autotelic train` with every flag that differs from its default; None if it cannot be spelled."""
    own = own_parts(runs.setting)
    if own_words(runs.setting) is None:
        return None
    described = runs.description["setting"]
    environment = described["environment"]
    if "environment" in own:
        environment = str(spelling(own["environment"]))
    options = described["environment_options"]
    setting = dataclasses.replace(runs.setting, environment_options=options)
    presets = ["none", *(["paper"] if environment in paper.SETTINGS and not own else [])]
    spellings = [
        [*shell_methods(runs, preset).values(), *words]
        for preset in presets
        for words in flag_spellings(setting, environment, preset)
    ]
    if runs.seeds == list(range(len(runs.seeds))):
        seeds = str(len(runs.seeds))
    else:
        seeds = ",".join(map(str, runs.seeds)) + "," * (len(runs.seeds) == 1)
    every = runs.description.get("evaluate_every")
    return [
        *("autotelic", "train", environment, "--seeds", seeds, "--epochs", str(runs.epochs)),
        *(("--evaluate-every", str(every)) if every else ()),
        *("--methods", *min(spellings, key=len)),
        *("--out", str(runs.folder)),
    ]
