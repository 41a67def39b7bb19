"""What a comparison found, as plain values: rates, what they are rates of, and the machine's limit."""

import statistics
from dataclasses import dataclass, field
from typing import Any

from autotelic.benchmark import results
from autotelic.benchmark.results import What
from benchmarks.comparison.roofline import CopyRates
from benchmarks.comparison.waiting import Wait


@dataclass(frozen=True)
class Result(results.Result):
    """One row: who did what how fast.

    flops: of one update, where the share of the peak makes sense.
    """

    ours: bool = True
    flops: int | None = None


@dataclass
class Report:
    """All that one run measured; rates of the machine's matrix products are in FLOP/s, copies in bytes a
    second, of every moment at which a single learner was measured.
    """

    results: list[Result] = field(default_factory=list)
    peaks: list[float] = field(default_factory=list)
    copies: list[CopyRates] = field(default_factory=list)
    unavailable: dict[str, str] = field(default_factory=dict)
    """Peers that could not be measured, and why."""
    peer_versions: dict[str, dict[str, str]] = field(default_factory=dict)
    waits: list[Wait] = field(default_factory=list)

    @property
    def peak(self) -> float:
        """The median of the machine's rates."""
        return statistics.median(self.peaks)

    @property
    def tasks(self) -> list[str]:
        """In the order of their first result."""
        return list(dict.fromkeys(result.task for result in self.results))

    def fraction(self, result: Result) -> float | None:
        """The share of the machine's peak that a result makes use of."""
        if result.flops is None:
            return None
        return fraction_of_peak(result.rate, result.flops, self.peak)

    def ratios(self, task: str, what: What) -> dict[str, dict[str, float]]:
        """How many times as fast each of our populations is as each peer, both doing `what`."""
        rows = [r for r in self.results if r.task == task and r.what == what]
        peers = [r for r in rows if not r.ours]
        if not peers:
            return {}
        return {
            ours.name: {peer.name: ours.rate / peer.rate for peer in peers}
            for ours in rows
            if ours.ours
        }


def fraction_of_peak(steps_per_second: float, flops: int, peak: float) -> float:
    """The share of the machine's peak (FLOP/s) that updates at this rate make use of.

    >>> fraction_of_peak(steps_per_second=250.0, flops=400_000_000, peak=200e9)
    0.5
    """
    return steps_per_second * flops / peak


def as_json(report: Report) -> dict[str, Any]:
    """The report as JSON values."""
    rows = [
        {
            **result.as_json(),
            "ours": result.ours,
            "flops_per_update": result.flops,
            "fraction_of_peak": report.fraction(result),
        }
        for result in report.results
    ]
    return {
        **results.as_json(report.results),
        "results": rows,
        "peer_versions": report.peer_versions,
        "peak_flops_per_second": {"median": report.peak, "all": report.peaks},
        "copied_bytes_per_second": [rates._asdict() for rates in report.copies],
        "ratios": {
            f"{task}, {what}": report.ratios(task, what)
            for task in report.tasks
            for what in ("whole loop", "update alone")
        },
        "seconds_to_first_epoch": [wait._asdict() for wait in report.waits],
        "unavailable": report.unavailable,
    }
