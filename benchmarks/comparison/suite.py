"""The measurements of `autotelic bench` and the peers', with the machine's peak taken between them."""

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from autotelic.benchmark import engine, results, suite
from autotelic.benchmark.engine import LoopRates, Size
from autotelic.benchmark.results import What
from autotelic.benchmark.suite import Suite, ours
from autotelic.learner.plan import sizes_of
from autotelic.training.workers import usable_workers
from benchmarks.comparison import peers
from benchmarks.comparison.peers import Peer, PeerRates, PeerTask, PeerUnavailable
from benchmarks.comparison.results import Report, Result
from benchmarks.comparison.roofline import CopyRates, PeakMeter, copy_rates, update_flops
from benchmarks.comparison.waiting import ENVIRONMENTS, measure_wait

PLAIN_SAC = "plain twin-Q SAC: no goals, no discriminator"


@dataclass(frozen=True)
class Task(suite.Task):
    """A task of the benchmark; peer_steps: of a peer in a repeat, 0 for none."""

    peer_steps: int = 0

    @cached_property
    def counted(self) -> tuple[int, str]:
        """The FLOPs of an update, and what is to be said of them."""
        sizes = sizes_of(self.setting.make_environment())
        flops = sum(update_flops(self.setting, sizes).values())
        least = sum(update_flops(self.setting, sizes, input_gradients=False).values())
        note = (
            f"one update counts {flops / 1e6:,.1f} MFLOP; {least / 1e6:,.1f} without the gradients of "
            "first layers' inputs, which nothing needs"
        )
        return flops, note


HALF_CHEETAH = Task(**vars(suite.HALF_CHEETAH), peer_steps=400)
NAVIGATION = Task(**vars(suite.NAVIGATION), peer_steps=1000)
ANT = Task(**vars(suite.ANT))
TASKS = (HALF_CHEETAH, NAVIGATION, ANT)


def quick(task: Task) -> Task:
    """The same with short repeats."""
    return Task(**{**vars(suite.quick(task)), "peer_steps": task.peer_steps // 4})


class Moment(NamedTuple):
    """A single learner's rates, what two threads copied just before, and when."""

    time: float
    loop: LoopRates
    copies: CopyRates


class Comparison(Suite):
    """A run of the benchmark with the peers: measures one thing after the other into its report."""

    def __init__(self, repeats: int, say: Callable[[str], None], meter: PeakMeter | None = None):
        super().__init__(repeats, say)
        self.meter: PeakMeter = meter or PeakMeter()
        self.report: Report = Report(peaks=self.meter.rates)
        self._counted: dict[str, tuple[int, str]] = {}
        self._alone: dict[str, list[Moment]] = {}
        self.meter.measure()

    def measure_all(self, tasks: Sequence[Task], quick: bool, cache: Path | None) -> None:
        """Everything; the peers if there is a folder to install them in."""
        for task in tasks:
            self.measure(task)
            if cache is not None and task.peer_steps:
                self.measure_peers(task, cache)
        for measure in (self.measure_acting, self.measure_objectives, self.measure_waiting):
            measure(quick)
            if not quick or measure == self.measure_objectives:
                for task in tasks:  # minutes after the first time
                    if 1 in task.loops:
                        self.measure_loop(task, 1)

    def measure(self, task: suite.Task) -> None:
        """See `Suite.measure`; updates of the paper's agent are counted in FLOPs."""
        assert isinstance(task, Task)
        self._counted[task.name] = task.counted
        super().measure(task)

    def measure_loop(self, task: suite.Task, members: int) -> None:
        """See `Suite.measure_loop`. Of a single learner, the rates of all moments are one row, with copies
        before each: where the system puts two threads changes its speed for minutes.
        """
        if members > 1:
            super().measure_loop(task, members)
            return
        copies = copy_rates()
        size = Size(task.steps, task.jobs, self.repeats)
        loop = engine.measure_loop(task.setting, 1, size)
        moments = self._alone.setdefault(task.name, [])
        moments.append(Moment(time.monotonic(), loop, copies))
        self.report.copies.append(copies)
        rates = [rate for moment in moments for rate in moment.loop.rates]
        share = statistics.mean(m.loop.environment_share for m in moments) or None
        self.keep(results.Result(task.name, "whole loop", ours(1), rates, share, _told(moments)))

    def measure_waiting(self, quick: bool = False) -> None:
        """How long a first epoch takes to come."""
        for environment in ENVIRONMENTS:
            wait = measure_wait(environment, 1 if quick else self.repeats)
            self.report.waits.append(wait)
            self.say(
                f"{environment}, a first epoch: {statistics.median(wait.first):.1f} s, again "
                f"{statistics.median(wait.again):.1f} s"
            )

    def measure_peers(self, task: Task, cache: Path) -> None:
        """The other libraries' rates in the task; one that fails is noted and passed over."""
        for peer, measure in (
            (peers.SB3, self._stable_baselines),
            (peers.SBX, self._sbx),
            (peers.QDAX, self._qdax),
        ):
            if peer.name in self.report.unavailable:
                continue
            self.say(f"{peer.name}: preparing {cache}")
            try:
                measure(task, peers.install(peer, cache))
            except (PeerUnavailable, OSError) as error:
                self.report.unavailable[peer.name] = str(error)
                self.say(str(error))

    def _stable_baselines(self, task: Task, python: Path) -> None:
        """With one thread and with all, of which the faster counts."""
        tried = {
            threads: self._run(peers.SB3, python, task, ["--threads", str(threads)])[0]
            for threads in sorted({1, usable_workers()})
        }
        best = max(tried, key=lambda threads: _median(tried[threads]))
        note = f"{PLAIN_SAC}; faster with {best} of {sorted(tried)} threads"
        self._add_peer(task, "whole loop", peers.SB3.name, tried[best].rates, note)

    def _sbx(self, task: Task, python: Path) -> None:
        """One process, and two side by side: free to use all cores or on a core each."""
        (one,) = self._run(peers.SBX, python, task, [])
        self._add_peer(task, "whole loop", peers.SBX.name, one.rates, PLAIN_SAC)
        ways = {"sharing the cores": [[], []]}
        cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        if len(cores) > 1:
            ways["on a core each"] = [["--core", str(core)] for core in cores[:2]]
        tried = {
            way: _sum(self._run(peers.SBX, python, task, *flags)) for way, flags in ways.items()
        }
        best = max(tried, key=lambda way: _median(tried[way]))
        note = f"{PLAIN_SAC}; faster {best}"
        self._add_peer(task, "whole loop", f"2 x {peers.SBX.name}", tried[best].rates, note)

    def _qdax(self, task: Task, python: Path) -> None:
        """Its loop where its kind of environment allows one, and its update."""
        goals = ["--goals", str(task.setting.num_goals)]
        tried: list[What] = ["update alone"]
        if task.setting.environment == "navigation2d":
            tried.insert(0, "whole loop")
        for what in tried:
            flags = [*goals, "--what", "loop" if what == "whole loop" else "update"]
            (one,) = self._run(peers.QDAX, python, task, flags)
            note = "twin-Q SAC with discriminator, compiled as one scan"
            self._add_peer(task, what, peers.QDAX.name, one.rates, note)

    def _run(self, peer: Peer, python: Path, task: Task, *variants: list[str]) -> list[PeerRates]:
        wanted = PeerTask(
            str(task.setting.environment),
            task.setting.hidden_units,
            task.setting.batch_size,
            task.peer_steps,
            self.repeats,
        )
        measured = peers.measure(peer, python, wanted, *variants)
        self.report.peer_versions[peer.name] = measured[0].versions
        return measured

    def _add_peer(self, task: Task, what: What, name: str, rates: list[float], note: str) -> None:
        self.keep(Result(task.name, what, name, rates, note=note, ours=False))

    def keep(self, result: results.Result) -> None:
        """See `Suite.keep`. A row of the same name is replaced; the peak is measured after each."""
        row = result if isinstance(result, Result) else self._counted_row(result)
        rows = self.report.results
        names = [(row.task, row.what, row.name) for row in rows]
        name = (row.task, row.what, row.name)
        if name in names:
            rows[names.index(name)] = row
        else:
            rows.append(row)
        peak = self.meter.measure()
        self.say(
            f"{row.task}, {row.what}, {row.name}: {row.rate:,.0f} steps/s "
            f"(peak then {peak / 1e9:.0f} GFLOP/s)"
        )

    def _counted_row(self, result: results.Result) -> Result:
        """One of our rows, with the FLOPs of an update where they are counted."""
        if result.what == "environment alone" or result.task not in self._counted:
            return Result(**vars(result))
        flops, note = self._counted[result.task]
        note = "\n".join(filter(None, [note, result.note]))
        return Result(**{**vars(result), "note": note}, flops=flops)


def _told(moments: Sequence[Moment]) -> str:
    """When a single learner was measured, and how near to each other two threads were then."""
    minutes = (moments[-1].time - moments[0].time) / 60
    each = ", ".join(
        f"{statistics.median(m.loop.rates):,.0f} ({m.copies.two / 1e9:.0f} and {m.copies.one / 1e9:.0f})"
        for m in moments
    )
    return (
        f"one learner, at {len(moments)} moments within {minutes:.0f} minutes, steps/s (and GB/s that two "
        f"threads and one copied just before): {each}"
    )


def _median(measured: PeerRates) -> float:
    return statistics.median(measured.rates)


def _sum(measured: list[PeerRates]) -> PeerRates:
    """Processes side by side: their rates together, repeat by repeat."""
    together: Any = zip(*(part.rates for part in measured), strict=True)
    return PeerRates([sum(rates) for rates in together], measured[0].versions)
