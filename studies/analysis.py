"""From a row for each learner to estimates with intervals, and to comparisons in pairs."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas

from autotelic.evaluation.statistics import (
    improvement_interval,
    interquartile_mean_interval,
    paired_difference,
)
from autotelic.evaluation.survival import Times, restricted_mean_interval
from studies.tables import DIGITS, MEASURES, METRICS, TIMES, Table

COMPARED = (
    *MEASURES,
    *("trajectory_accuracy", "held_out_accuracy", "success"),
    *("knn_f1", "mutual_information", "distinct_skills", "coverage"),
)


def summarise(seeds: Table, epochs: int, more: Sequence[str] = ()) -> Table:
    """Every metric of every arm with its 95 % interval over seeds.

    The interquartile mean; of times to a threshold the mean up to the study's end, learners that did
    not get there counting as long as they were watched. A metric that some learner of an arm does not
    have is left out. A learner without any number has diverged: `seeds` counts the others.

    Args:
        seeds: the table of learners, see `tables.collect`.
        epochs: when the study ended.
        more: further columns to summarise.

    Returns:
        condition, arm, metric, seeds, estimate, low, high.
    """
    rows = []
    for (condition, arm), own in _sound(seeds).groupby(["condition", "arm"], sort=False):
        if len(own) < 2:
            continue
        levels = [name for name in dict.fromkeys([*METRICS, *more]) if name not in TIMES]
        for metric in _present(own, levels):
            values = own[metric].to_numpy(dtype=np.float64)
            if np.isfinite(values).all():
                found = interquartile_mean_interval(values, _generator())
                rows.append((condition, arm, metric, len(values), *found))
        for metric in _present(own, list(TIMES)):
            if own.get(TIMES[metric][0], own[metric]).isna().all():
                continue  # nobody has that curve
            values = own[metric].to_numpy(dtype=np.float64)
            reached = np.isfinite(values)
            times = Times(np.where(reached, values, float(epochs)), reached)
            found = restricted_mean_interval(times, _generator(), limit=epochs)
            rows.append((condition, arm, metric, len(values), *found))
    return _table(rows, ["condition", "arm", "metric", "seeds", "estimate", "low", "high"])


def compare(seeds: Table, baselines: Iterable[str], more: Sequence[str] = ()) -> Table:
    """Every arm against the baselines of its condition, over the seeds that both have: a pair of which a
    learner diverged does not count.

    difference: the mean over seeds of the arm less the baseline, each pair with the same seed.
    improvement: how probable it is that a run of the arm beats one of the baseline, whatever their
      seeds; 1/2 if they do not differ. Both with 95 % intervals, not adjusted for the number of
      comparisons.

    Returns:
        condition, arm, baseline, metric, seeds, difference, difference_low, difference_high,
        improvement, improvement_low, improvement_high.
    """
    rows = []
    for condition, own in _sound(seeds).groupby("condition", sort=False):
        arms = {
            str(name): table.set_index("seed") for name, table in own.groupby("arm", sort=False)
        }
        for baseline in baselines:
            for arm in arms if baseline in arms else ():
                if arm == baseline:
                    continue
                for metric in _present(own, [*COMPARED, *more]):
                    pairs = pandas.concat(
                        [arms[arm][metric], arms[baseline][metric]], axis=1, join="inner"
                    ).to_numpy(dtype=np.float64)
                    if len(pairs) < 2 or not np.isfinite(pairs).all():
                        continue
                    difference = paired_difference(pairs[:, 0], pairs[:, 1])
                    improvement = improvement_interval(pairs[:, 0], pairs[:, 1], _generator())
                    key = (condition, arm, baseline, metric, len(pairs))
                    rows.append((*key, *difference, *improvement))
    columns = ["condition", "arm", "baseline", "metric", "seeds"]
    for name in ("difference", "improvement"):
        columns += [name, f"{name}_low", f"{name}_high"]
    return _table(rows, columns)


def _present(table: Table, metrics: Sequence[str]) -> list[str]:
    """Those of the metrics that were measured: older studies have fewer."""
    return [metric for metric in metrics if metric in table.columns]


def _sound(seeds: Table) -> Table:
    """The learners that did not diverge: those that have any number."""
    return seeds[seeds[_present(seeds, METRICS)].notna().any(axis=1)]


def _table(rows: list[Any], columns: list[str]) -> Table:
    return pandas.DataFrame(rows, columns=pandas.Index(columns)).round(DIGITS)


def _generator() -> np.random.Generator:
    """A fresh one for every interval, which must not depend on what else is in the table."""
    return np.random.default_rng(0)
