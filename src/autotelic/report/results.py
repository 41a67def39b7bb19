"""The results as tables: every method with intervals over its seeds, and the untrained skills."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from autotelic._cores import usable_cores
from autotelic.evaluation.budget import FIRST_LOOK, affordable
from autotelic.evaluation.catalogue import METRICS
from autotelic.evaluation.evaluate import evaluate, trained_epochs
from autotelic.evaluation.results import Estimate, Evaluation, EvaluationSetting, load_evaluation
from autotelic.evaluation.statistics import caution
from autotelic.report.markup import Html, escaped, joined, table, tag

if TYPE_CHECKING:
    from autotelic.runs.run import Runs

MISSING = "n/a"
PRIMARY = {
    "success": "Success at goals that can be reached",
    "trajectory_accuracy": "Accuracy from trajectories",
}
"""The metrics that name the best method, the first that was measured, and what readers know them as."""

Table = dict[tuple[str | None, str], Estimate]
"""Estimates by method, None for the untrained skills, and metric."""


def evaluation_of(runs: "Runs") -> Evaluation:
    """The evaluation in the run's folder if it is of the latest checkpoint, otherwise a new one."""
    if (runs.folder / "evaluation.json").is_file():
        found = load_evaluation(runs.folder)
        if found.setting.epochs == trained_epochs(runs):
            return found
    size = affordable(runs, FIRST_LOOK, usable_cores())
    return evaluate(runs, size.per_goal, steps=size.steps, processes=usable_cores())


def by_method(evaluation: Evaluation) -> Table:
    """The summary of an evaluation; the untrained skills are the same for all methods."""
    rows = evaluation.summary()
    return {(row.method if row.trained else None, row.metric): row for row in reversed(rows)}


def primary(found: Table) -> str | None:
    """The metric that names the best method: success where goals are places."""
    measured = {metric for _, metric in found}
    return next((metric for metric in PRIMARY if metric in measured), None)


def best_method(methods: Sequence[str], found: Table) -> str:
    """The method that is best by that metric; the first of them if none was measured."""
    metric = primary(found)
    known = [method for method in methods if (method, metric) in found]
    return max(known, key=lambda m: found[m, metric or ""].estimate, default=methods[0])


def results(methods: Sequence[str], setting: EvaluationSetting, found: Table) -> Html:
    """The short table, and all metrics folded away beneath it."""
    measured = [name for name in METRICS if any(metric == name for _, metric in found)]
    headline = [name for name in measured if METRICS[name].headline]
    seeds = max((row.seeds for row in found.values()), default=1)
    return joined(
        [
            _headline(methods, headline, found),
            tag("p", _explanation(setting, seeds), class_="caption"),
            tag("details", tag("summary", "All metrics"), _everything(methods, measured, found)),
        ]
    )


def _explanation(setting: EvaluationSetting, seeds: int) -> str:
    intervals = (
        f"Numbers are interquartile means over {seeds} seeds with 95 % bootstrap intervals"
        f"{caution(seeds)}; bold: its interval overlaps with that of the best of its column."
        if seeds > 1
        else "There is one seed, so there are no intervals; train more seeds before comparing."
    )
    return (
        f"{intervals} From {setting.per_goal} fresh trajectories of up to {setting.steps} steps of each "
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
            min(row.estimate if row.low is None else row.low for row in rows),
            max(row.estimate if row.high is None else row.high for row in rows),
        )
        for name, rows in columns.items()
    }
    best = {name: _best([r for r in rows if r.trained], name) for name, rows in columns.items()}
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


def _best(rows: Sequence[Estimate], name: str) -> set[str]:
    """The methods whose intervals overlap with the best one's; none without intervals or direction."""
    better = METRICS[name].better
    if not better or any(row.low is None or row.high is None for row in rows) or len(rows) < 2:
        return set()
    bounds: list[Any] = [(row.method, row.estimate, row.low, row.high) for row in rows]
    if better == "high":
        top = max(bounds, key=lambda row: row[1])
        return {method for method, _, _, high in bounds if high >= top[2]}
    top = min(bounds, key=lambda row: row[1])
    return {method for method, _, low, _ in bounds if low <= top[3]}


def _text(row: Estimate | None) -> Html:
    """An estimate, and its interval if there is one."""
    if row is None:
        return escaped(MISSING)
    if row.low is None or row.high is None:
        return escaped(figure(row.estimate))
    return joined([figure(row.estimate), tag("small", f"{figure(row.low)} to {figure(row.high)}")])


def _whisker(row: Estimate, reach: Reach) -> Html:
    """An estimate and its interval as a small picture, on the scale of its column."""
    width = reach.high - reach.low or 1.0
    ends = (row.estimate if end is None else end for end in (row.low, row.high))
    at, left, right = (4 + 72 * (value - reach.low) / width for value in (row.estimate, *ends))
    return Html(
        '<svg class="whisker" width="80" height="9" aria-hidden="true">'
        '<line class="rail" x1="4" x2="76" y1="4.5" y2="4.5"/>'
        f'<line class="reach" x1="{left:.1f}" x2="{right:.1f}" y1="4.5" y2="4.5"/>'
        f'<circle cx="{at:.1f}" cy="4.5" r="3"/></svg>'
    )


def figure(value: float) -> str:
    """A number for people.

    >>> figure(0.98765), figure(12.345), figure(1234.5)
    ('0.988', '12.3', '1234')
    """
    return (
        f"{value:.3f}"
        if abs(value) < 10
        else f"{value:.1f}"
        if abs(value) < 1000
        else f"{value:.0f}"
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
