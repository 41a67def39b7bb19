"""The results as tables: every method over its seeds, which are the best, and the untrained skills."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from autotelic._cores import usable_cores
from autotelic._words import figure
from autotelic.evaluation.budget import FIRST_LOOK, affordable
from autotelic.evaluation.catalogue import METRICS
from autotelic.evaluation.evaluate import evaluate, trained_epochs
from autotelic.evaluation.results import Evaluation, EvaluationSetting, load_evaluation
from autotelic.evaluation.statistics import FEWEST_RUNS, paired_difference
from autotelic.report.markup import Html, escaped, joined, table, tag

if TYPE_CHECKING:
    from autotelic.runs.run import Runs

MISSING = "n/a"
PRIMARY = {
    "success": "Success at goals that can be reached",
    "trajectory_accuracy": "Accuracy from trajectories",
}
"""The metrics that name the best methods, the first that was measured, and what readers know them as."""


class Measured(NamedTuple):
    """A metric of a method over its seeds, and each seed's value."""

    estimate: float
    low: float | None
    high: float | None
    seeds: Mapping[int, float]


Table = dict[tuple[str | None, str], Measured]
"""What was measured by method, None for the untrained skills, and metric."""


def evaluation_of(runs: "Runs") -> Evaluation:
    """The evaluation in the run's folder if it is of the latest checkpoint, otherwise a new one."""
    if (runs.folder / "evaluation.json").is_file():
        found = load_evaluation(runs.folder)
        if found.setting.epochs == trained_epochs(runs):
            return found
    size = affordable(runs, FIRST_LOOK, usable_cores())
    return evaluate(runs, size.per_goal, steps=size.steps, processes=usable_cores())


def keep_evaluation(runs: "Runs") -> None:
    """Write the evaluation that a page is made of into the run's folder, if that can be written to."""
    if os.access(runs.folder, os.W_OK):
        evaluation_of(runs).save(runs.folder)


def by_method(evaluation: Evaluation) -> Table:
    """The summary of an evaluation; the untrained skills are the same for all methods."""
    groups = evaluation.table.groupby(["method", "trained", "metric"])
    seeds = {key: dict(zip(rows["seed"], rows["value"], strict=True)) for key, rows in groups}
    return {
        (row.method if row.trained else None, row.metric): Measured(
            row.estimate, row.low, row.high, seeds[row.method, row.trained, row.metric]
        )
        for row in reversed(evaluation.summary())
    }


def primary(found: Table) -> str | None:
    """The metric that names the best methods: success where goals are places."""
    measured = {metric for _, metric in found}
    return next((metric for metric in PRIMARY if metric in measured), None)


def best_methods(methods: Sequence[str], found: Table, metric: str) -> list[str]:
    """The methods that may be the best by a metric: that of the best estimate first, then those whose
    difference from it these seeds cannot tell.

    Worse is a method only where the mean of its differences from the first, seed by seed, is: the
    whole 95 % interval (Student's) lies on that side of 0. One seed tells nothing.
    """
    sign = {"high": 1.0, "low": -1.0}.get(METRICS[metric].better)
    known = [method for method in methods if (method, metric) in found]
    if sign is None or not known:
        return []
    first = max(known, key=lambda method: sign * found[method, metric].estimate)
    top = found[first, metric].seeds

    def worse(method: str) -> bool:
        own = found[method, metric].seeds
        shared = sorted(own.keys() & top.keys())
        if len(shared) < 2:
            return False
        pairs = ([sign * seeds[seed] for seed in shared] for seeds in (own, top))
        return paired_difference(*pairs).high < 0

    return [first, *(method for method in known if method != first and not worse(method))]


def shown_method(runs: "Runs", found: Table) -> str:
    """The method that the page shows first: that of the best estimate, or the first of all."""
    methods = list(dict.fromkeys(method for method, _ in runs.sound_members))
    metric = primary(found)
    best = best_methods(methods, found, metric) if metric else []
    return (best or methods)[0]


def results(methods: Sequence[str], setting: EvaluationSetting, found: Table) -> Html:
    """The short table, and all metrics folded away beneath it."""
    measured = [name for name in METRICS if any(metric == name for _, metric in found)]
    headline = [name for name in measured if METRICS[name].headline]
    seeds = max((len(row.seeds) for row in found.values()), default=1)
    return joined(
        [
            _headline(methods, headline, found),
            tag("p", _explanation(setting, seeds), class_="caption"),
            tag("details", tag("summary", "All metrics"), _everything(methods, measured, found)),
        ]
    )


def _explanation(setting: EvaluationSetting, seeds: int) -> str:
    numbers = f"Numbers are interquartile means over {seeds} seeds"
    if seeds >= FEWEST_RUNS:
        numbers += " with their 95 % bootstrap intervals."
    elif seeds > 1:
        numbers += f"; dots are the seeds, too few for an interval, which needs {FEWEST_RUNS}."
    else:
        numbers = "There is one seed; train more before comparing."
    if seeds > 1:
        numbers += (
            " Bold is the best of a column, with every method whose difference from it, seed by seed, "
            "is not told from 0 (95 % interval)."
        )
    return (
        f"{numbers} From {setting.per_goal} fresh trajectories of up to {setting.steps} steps of each "
        f"skill after {setting.epochs} epochs, all skills alike whatever the selector prefers."
    )


class Reach(NamedTuple):
    """Where a column's estimates and intervals lie."""

    low: float
    high: float


def _headline(methods: Sequence[str], metrics: Sequence[str], found: Table) -> Html:
    keys: list[str | None] = [*methods, None]
    columns = {name: [found[key, name] for key in keys if (key, name) in found] for name in metrics}
    reaches = {
        name: Reach(
            min(min(_ends(row)) for row in rows),
            max(max(_ends(row)) for row in rows),
        )
        for name, rows in columns.items()
    }
    several = any(len(row.seeds) > 1 for row in found.values())
    best = {name: best_methods(methods, found, name) if several else [] for name in metrics}
    head = [
        tag("th", METRICS[name].label, scope="col", title=METRICS[name].meaning) for name in metrics
    ]
    body = []
    for index, key in enumerate(keys):
        label = (
            escaped("untrained skills (null)")
            if key is None
            else joined([_swatch(index), escaped(key)])
        )
        cells = []
        for name in metrics:
            row = found.get((key, name))
            drawn = [] if row is None else [_whisker(row, reaches[name])]
            marked = {"class_": "best"} if row is not None and key in best[name] else {}
            cells.append(tag("td", _text(row), *drawn, **marked))
        null = {"class_": "null"} if key is None else {}
        body.append(tag("tr", tag("th", label, scope="row"), *cells, **null))
    made = tag(
        "table",
        tag("caption", "How different the skills are, and how evenly they are practised"),
        tag("thead", tag("tr", tag("th", "method", scope="col"), *head)),
        tag("tbody", *body),
        class_="headline",
    )
    return tag("div", made, class_="scroll", tabindex="0")


def _swatch(method: int) -> Html:
    return tag("span", class_="swatch", style=f"background: var(--method-{method})")


def _ends(row: Measured) -> Sequence[float]:
    """The interval, or the seeds where there is none."""
    return list(row.seeds.values()) if row.low is None or row.high is None else [row.low, row.high]


def _text(row: Measured | None) -> Html:
    """An estimate, and its interval if there is one."""
    if row is None:
        return escaped(MISSING)
    if row.low is None or row.high is None:
        return escaped(figure(row.estimate))
    return joined([figure(row.estimate), tag("small", f"{figure(row.low)} to {figure(row.high)}")])


def _whisker(row: Measured, reach: Reach) -> Html:
    """An estimate and its interval, or the seeds, as a small picture on the scale of its column."""
    width = reach.high - reach.low or 1.0
    at, *ends = (4 + 72 * (value - reach.low) / width for value in (row.estimate, *_ends(row)))
    drawn = ['<line class="rail" x1="4" x2="76" y1="4.5" y2="4.5"/>']
    if row.low is None:
        drawn += [f'<circle class="seed" cx="{end:.1f}" cy="4.5" r="2.5"/>' for end in ends]
        drawn += [f'<line class="reach" x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="9"/>']
    else:
        left, right = ends
        drawn += [f'<line class="reach" x1="{left:.1f}" x2="{right:.1f}" y1="4.5" y2="4.5"/>']
        drawn += [f'<circle cx="{at:.1f}" cy="4.5" r="3"/>']
    return Html(
        f'<svg class="whisker" width="80" height="9" aria-hidden="true">{"".join(drawn)}</svg>'
    )


def _everything(methods: Sequence[str], measured: Sequence[str], found: Table) -> Html:
    arrows = {"high": " ↑", "low": " ↓", "": ""}
    rows = [
        [
            joined([METRICS[name].label + arrows[METRICS[name].better]]),
            *(_text(found.get((key, name))) for key in [*methods, None]),
            tag("small", METRICS[name].meaning),
        ]
        for name in measured
    ]
    caption = "Every metric; arrows say which direction is better"
    return table(caption, ["metric", *methods, "untrained", "meaning"], rows, class_="metrics")
