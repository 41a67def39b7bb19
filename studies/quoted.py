"""Numbers that the page of results quotes: what each is of, and how it is read from the committed files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from autotelic.evaluation.statistics import Interval, normalised_area, paired_difference
from studies.downstream import rank_correlation
from studies.markdown import cell, difference, interval_of
from studies.predicted import agreement
from studies.tables import FILES, Table, read

LARGE = ("covered_cells", "covered_cells_untrained")
"""Measures of which one digit after the point is enough."""


class Quoted(NamedTuple):
    """A number as text, and over how many seeds it is; 0 where that does not apply."""

    text: str
    seeds: int


@dataclass(frozen=True, kw_only=True)
class Source:
    """Of one study; a number of a study that is not computed cannot be read: FileNotFoundError."""

    study: str

    def read(self, results: Path) -> Quoted:
        """The number."""
        raise NotImplementedError

    def table(self, results: Path, name: str) -> Table:
        """One of the study's tables."""
        return read(results / self.study / FILES[name])


@dataclass(frozen=True, kw_only=True)
class Difference(Source):
    """An arm less a baseline: the mean over pairs of equal seeds with Student's 95 % interval."""

    arm: str
    baseline: str
    metric: str
    condition: str = ""

    def read(self, results: Path) -> Quoted:
        """From the comparisons."""
        rows = self.table(results, "comparisons")
        key = (self.condition, self.arm, self.baseline, self.metric)
        rows = rows.set_index(["condition", "arm", "baseline", "metric"]).sort_index()
        interval = interval_of(rows, key, "difference")
        if interval is None:
            raise ValueError(f"{self.study} does not compare {key}")
        form = "{:+.1f}" if self.metric in LARGE else "{:+.3f}"
        return Quoted(difference(interval, form), int(rows.loc[key, "seeds"]))


@dataclass(frozen=True, kw_only=True)
class Change(Source):
    """What one change gives, before and after each a condition and an arm, in pairs of equal seeds."""

    before: tuple[str, str]
    after: tuple[str, str]
    metric: str

    def read(self, results: Path) -> Quoted:
        """From the learners."""
        before, after = (self._scores(results, *arm) for arm in (self.before, self.after))
        if list(before.index) != list(after.index):
            raise ValueError(f"{self.study}: {self.before} and {self.after} have other seeds")
        found = paired_difference(after.to_numpy(), before.to_numpy())
        return Quoted(difference(found), len(before))

    def _scores(self, results: Path, condition: str, arm: str) -> Table:
        return one_arm(self.table(results, "seeds"), condition, arm)[self.metric]


@dataclass(frozen=True, kw_only=True)
class Level(Source):
    """An arm's own measure with its interval: the interquartile mean over seeds."""

    arm: str
    metric: str
    condition: str = ""

    def read(self, results: Path) -> Quoted:
        """From the summary."""
        rows = self.table(results, "summary").set_index(["condition", "arm", "metric"]).sort_index()
        key = (self.condition, self.arm, self.metric)
        interval = interval_of(rows, key)
        if interval is None:
            raise ValueError(f"{self.study} has no {key}")
        form = "{:.1f}" if self.metric in LARGE else "{:.3f}"
        return Quoted(cell(interval, form), int(rows.loc[key, "seeds"]))


@dataclass(frozen=True, kw_only=True)
class Median(Source):
    """The median learner's epochs to a threshold; one that did not get there needs more than all."""

    arm: str
    metric: str
    condition: str = ""

    def read(self, results: Path) -> Quoted:
        """From the learners."""
        own = one_arm(self.table(results, "seeds"), self.condition, self.arm)[self.metric]
        last = int(self.table(results, "curves")["epoch"].max())
        middle = float(own.fillna(np.inf).median())
        return Quoted(f"{middle:g}" if np.isfinite(middle) else f"more than {last}", len(own))


@dataclass(frozen=True, kw_only=True)
class Count(Source):
    """Of many comparisons with one baseline: how many intervals lie above zero, how many below."""

    arms: Sequence[str]
    baseline: str
    metrics: Sequence[str]
    conditions: Sequence[str] = ("",)

    def read(self, results: Path) -> Quoted:
        """From the comparisons."""
        rows = self.table(results, "comparisons")
        rows = rows[
            rows["condition"].isin(self.conditions)
            & rows["arm"].isin(self.arms)
            & (rows["baseline"] == self.baseline)
            & rows["metric"].isin(self.metrics)
        ]
        expected = len(self.arms) * len(self.metrics) * len(self.conditions)
        if len(rows) != expected:
            raise ValueError(f"{self.study} has {len(rows)} of {expected} comparisons")
        above, below = (rows["difference_low"] > 0).sum(), (rows["difference_high"] < 0).sum()
        text = f"of {expected} intervals {above} above zero, {below} below"
        return Quoted(text, int(rows["seeds"].min()))


@dataclass(frozen=True, kw_only=True)
class Correlation(Source):
    """Spearman's over learners, of a measure of diversity and a return in a task."""

    metric: str
    column: str

    def read(self, results: Path) -> Quoted:
        """From the learners."""
        seeds = self.table(results, "seeds")
        found = rank_correlation(seeds, self.metric, self.column, within=False)
        return Quoted(difference(found, "{:+.2f}"), seeds["seed"].nunique())


@dataclass(frozen=True, kw_only=True)
class Ranking(Source):
    """The rank correlation of simulated and trained areas over selectors."""

    condition: str

    def read(self, results: Path) -> Quoted:
        """From the table of both."""
        return Quoted(f"{agreement(results, self.condition):.2f}", 0)


@dataclass(frozen=True, kw_only=True)
class Height(Source):
    """The mean height of an arm's curve less another's, in pairs of equal seeds."""

    arm: str
    baseline: str

    def read(self, results: Path) -> Quoted:
        """From a table of curves: arm, seed, steps, return."""
        curves = read(results / self.study / "curves.csv")
        heights = {
            key: normalised_area(own["steps"].to_numpy(), own["return"].to_numpy())
            for key, own in curves.groupby(["arm", "seed"])
        }
        seeds = sorted({seed for arm, seed in heights if arm == self.arm})
        pairs = np.array([[heights[self.arm, s], heights[self.baseline, s]] for s in seeds])
        found = Interval(*paired_difference(pairs[:, 0], pairs[:, 1]))
        return Quoted(difference(found, "{:+.2f}"), len(seeds))


def one_arm(seeds: Table, condition: str, arm: str) -> Table:
    """The rows of one arm's learners, by seed."""
    own = seeds[(seeds["condition"] == condition) & (seeds["arm"] == arm)].set_index("seed")
    if own.empty:
        raise ValueError(f"there is no arm {arm!r} in the condition {condition!r}")
    return own
