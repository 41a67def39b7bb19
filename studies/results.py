"""What a study leaves for the repository: settings, tables, figures, and a page that shows them.

FOLDER/study.json        arms, seeds, epochs, versions, machine, seconds
FOLDER/seeds.csv         a row for each arm and seed: what every other number comes from
FOLDER/curves.csv.gz     accuracy over epochs
FOLDER/summary.csv       every metric of every arm, with intervals
FOLDER/comparisons.csv   every arm against the baselines
FOLDER/curves.*, comparison*.*, README.md
"""

import gzip
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from autotelic.benchmark.results import machine
from autotelic.evaluation.statistics import FEWEST_RUNS, Interval
from autotelic.figures.saving import save_bitmap
from autotelic.learner import setting as settings
from autotelic.runs import atomic
from autotelic.selectors import describe
from studies import figures
from studies.analysis import compare, summarise
from studies.markdown import as_table, cell, half_width, interval_of
from studies.study import Study, parts
from studies.tables import FILES, MEASURES, TIMES, Table, Tables, text_of

SHOWN = {
    "distinct_skills": "distinct skills",
    "effective_number": "effective number",
    "effective_number_lowest": "its lowest",
    "signal_late": "mean signal, second half",
    "epochs_to_90": "epochs to 0.9",
}
"""Columns of the page's table beside the primary measure."""


class Facts(NamedTuple):
    """How long a part's run took, and the versions that trained it."""

    seconds: float
    versions: Mapping[str, Any]


class Further(NamedTuple):
    """A study's own columns and pictures: its tables with them, and words for each of them.

    pictures: what stands below a picture, by its name; drawn where the runs still are.
    """

    tables: Tables
    words: Mapping[str, str]
    pictures: Mapping[str, tuple[str, Figure | None]] = MappingProxyType({})


def write(
    study: Study,
    further: Further,
    facts: Mapping[str, Facts],
    folder: Path,
    command: str,
) -> None:
    """Analyse the tables and write everything; called again, it writes the same.

    Args:
        study: that was run.
        further: what was measured, with columns of the study's own to be analysed too.
        facts: of its parts, by their folders.
        folder: to write to.
        command: that does all this.
    """
    tables, more = further.tables, further.words
    summary = summarise(tables.seeds, study.epochs, list(more))
    compared = compare(tables.seeds, study.baselines, list(more))
    folder.mkdir(parents=True, exist_ok=True)
    atomic.write_json(folder / "study.json", describe_study(study, facts))
    named = {"seeds": tables.seeds, "curves": tables.curves}
    for name, table in {**named, "summary": summary, "comparisons": compared}.items():
        content = text_of(table)
        packed = gzip.compress(content, mtime=0) if FILES[name].endswith(".gz") else content
        atomic.write_bytes(folder / FILES[name], packed)
    save_bitmap(figures.curves(study, tables), folder, "curves")
    for metric in study.measures:
        if MEASURES[metric].picture:
            compare_arms = figures.comparison(study, tables.seeds, summary, compared, metric)
            save_bitmap(compare_arms, folder, MEASURES[metric].picture)
    for name, (_, figure) in further.pictures.items():
        if figure is not None:
            save_bitmap(figure, folder, name)
    there = {n: w for n, (w, _) in further.pictures.items() if (folder / f"{n}.png").exists()}
    text = page(study, summary, compared, command, more, there)
    atomic.write_bytes(folder / "README.md", text.encode())


def describe_study(study: Study, facts: Mapping[str, Facts]) -> dict[str, Any]:
    """The study as JSON, with where and with what it was run."""
    found = parts(study)
    folders = {arm.label: part.folder for part in found for arm in part.arms}
    where = machine()
    return {
        "name": study.name,
        "question": study.question,
        "seeds": list(study.seeds),
        "epochs": study.epochs,
        "evaluate_every": study.evaluate_every,
        "baselines": list(study.baselines),
        "settings": {part.folder: settings.describe(part.setting) for part in found},
        "arms": [
            {
                "name": arm.name,
                "condition": arm.condition,
                "selector": settings.plain(describe(arm.selector)),
                "run": folders[arm.label],
            }
            for arm in study.arms
        ],
        "versions": {
            **facts[found[0].folder].versions,
            **{name: version(name) for name in ("mujoco", "scikit-learn", "scipy")},
        },
        "machine": {"processor": where["processor"], "cores": where["usable_cores"]},
        "seconds": round(sum(part.seconds for part in facts.values())),
        "parts": {folder: part._asdict() for folder, part in facts.items()},
    }


def page(
    study: Study,
    summary: Table,
    compared: Table,
    command: str,
    more: Mapping[str, str],
    pictures: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """README.md: the question, a table for each condition, and the pictures; further ones by their names."""
    names = ", ".join(str(seed) for seed in study.seeds)
    few = f" Those of areas and of P are too narrow with fewer than {FEWEST_RUNS} seeds."
    lines = [
        f"# {study.name}",
        "",
        study.question,
        "",
        f"`{command}`: {study.epochs} epochs, seeds {names}; settings, versions and machine in "
        "[study.json](study.json).",
        "",
        f"*Area*: the mean height of a curve measured on fresh rollouts from epoch 0 to {study.epochs}, "
        "its interquartile mean over seeds with a 95 % interval.",
        *_words_on_measures(study),
        "*Difference*: the mean over seeds of arm less baseline in pairs.",
        "*P*: the probability that a run of the arm beats one of the baseline, whatever their seeds.",
        "*Half-width*: of the difference's 95 % interval. A true difference of that size is found in "
        "half of such studies, one 1.4 times as large in about three of four.",
        "*Effective number*: exp(entropy) of p(g) after the first round.",
        "Intervals are not adjusted for the number of comparisons."
        + few * (len(study.seeds) < FEWEST_RUNS),
    ]
    for condition in study.conditions:
        lines += ["", f"## {condition}"] if condition else []
        for measure in study.measures:
            shown = {MEASURES[measure].curve: "in the end"}
            shown |= {**SHOWN, **more} if measure == study.measures[0] else {}
            lines += ["", MEASURES[measure].words, ""]
            lines.append(_table(study, condition, measure, summary, compared, shown))
    for name, words in pictures.items():
        lines += ["", f"![{words}]({name}.png)", "", words]
    lines += [
        "",
        "![Learning curves](curves.png)",
        "",
        _words_on_curves(study),
        "",
        *(line for name in study.measures for line in _shown_picture(name)),
        "[seeds.csv](seeds.csv) has a row for each arm and seed, [curves.csv.gz](curves.csv.gz) their "
        "accuracy over epochs, [summary.csv](summary.csv) every metric with its interval, "
        "[comparisons.csv](comparisons.csv) every arm against the baselines.",
        "",
    ]
    return "\n".join(lines)


def _table(
    study: Study,
    condition: str,
    measure: str,
    summary: Table,
    compared: Table,
    shown: Mapping[str, str],
) -> str:
    """One condition by one measure: a row for each arm, the baselines get three columns each."""
    arms = [arm.name for arm in study.arms if arm.condition == condition]
    own = summary[summary["condition"] == condition].set_index(["arm", "metric"])
    against = compared[(compared["condition"] == condition) & (compared["metric"] == measure)]
    against = against.set_index(["arm", "baseline"])
    baselines = [name for name in study.baselines if name in arms and len(arms) > 1]
    header = ["arm", "area"]
    for baseline in baselines:
        header += [f"difference to {baseline}", "half-width", f"P over {baseline}"]
    rows = []
    for arm in arms:
        cells = [arm, cell(interval_of(own, (arm, measure)))]
        for baseline in baselines:
            difference = interval_of(against, (arm, baseline), "difference")
            improvement = interval_of(against, (arm, baseline), "improvement")
            cells += [cell(difference), half_width(difference), cell(improvement)]
        for metric in shown:
            level = interval_of(own, (arm, metric))
            never = metric in TIMES and level is not None and level.estimate == study.epochs
            cells.append(f"> {study.epochs}" if never else _short(level))
        rows.append(cells)
    return as_table([*header, *shown.values()], rows)


def _words_on_measures(study: Study) -> list[str]:
    """What the measures are."""
    if "area" not in study.measures:
        return []
    return [
        "The two primary measures, from whole trajectories and from single states, judge skills by a "
        "classifier that training never saw."
    ]


def _words_on_curves(study: Study) -> str:
    """What stands below the learning curves."""
    kind = "Accuracy on fresh rollouts, held out and from one state unless a panel says otherwise"
    if study.measures[0] == "area_success":
        kind = "Success on fresh trajectories"
    return f"{kind}; the baselines and the best other arms, {figures.MOST_DRAWN} at most."


def _shown_picture(name: str) -> list[str]:
    """A measure's picture of all arms, if it has one."""
    measure = MEASURES[name]
    return [f"![All arms: {measure.title}]({measure.picture}.png)", ""] if measure.picture else []


def _short(level: Interval | None) -> str:
    """Three digits, or all that are before the point."""
    if level is None:
        return ""
    return f"{level.estimate:,.0f}" if level.estimate >= 1000 else f"{level.estimate:.3g}"
