"""The measurements of one run, in order, with the machine's peak taken between them."""

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from autotelic import paper, presets
from autotelic._words import count
from autotelic.benchmark import engine, environments, peers
from autotelic.benchmark.engine import LoopRates, Size
from autotelic.benchmark.peers import Peer, PeerRates, PeerTask, PeerUnavailable
from autotelic.benchmark.results import Report, Result, What
from autotelic.benchmark.roofline import CopyRates, PeakMeter, copy_rates, update_flops
from autotelic.benchmark.waiting import ENVIRONMENTS, measure_wait
from autotelic.learner.plan import sizes_of
from autotelic.learner.setting import Setting
from autotelic.objectives import OBJECTIVES
from autotelic.training.workers import usable_workers

PLAIN_SAC = "plain twin-Q SAC: no goals, no discriminator"


@dataclass(frozen=True)
class Task:
    """An environment at the paper's setting, and what is measured in it.

    steps: of an epoch; peer_steps: of a peer in a repeat; environment_steps: of the environment by
    itself in a repeat; loops, updates: the populations whose whole loop, and whose updates alone, are
    measured; jobs: epochs in a repeat.
    """

    setting: Setting
    steps: int
    peer_steps: int
    environment_steps: int
    loops: tuple[int, ...] = (1, 5, 20)
    updates: tuple[int, ...] = (1, 5, 20)
    jobs: int = 10

    @property
    def name(self) -> str:
        """As tables call it."""
        return f"{self.setting.environment}, {self.setting.hidden_units} units"


HALF_CHEETAH = Task(paper.HALF_CHEETAH, steps=200, peer_steps=400, environment_steps=5000)
NAVIGATION = Task(paper.NAVIGATION_2D, steps=1000, peer_steps=1000, environment_steps=100_000)
ANT = Task(paper.ANT, steps=200, peer_steps=0, environment_steps=2000, loops=(5,), updates=())
TASKS = (HALF_CHEETAH, NAVIGATION, ANT)

METRA: Setting = replace(presets.metra_paper("Ant-v5"), hidden_units=256)
"""A loop that mostly acts: eight environments a learner, an update every 32 steps."""
METRA_LEARNERS = 4


def quick(task: Task) -> Task:
    """The same with short repeats, and the updates alone of one population."""
    return replace(
        task,
        updates=task.updates[1:2],
        steps=task.steps // 2,
        jobs=2,
        peer_steps=task.peer_steps // 4,
        environment_steps=task.environment_steps // 5,
    )


class Moment(NamedTuple):
    """A single learner's rates, what two threads copied just before, and when."""

    time: float
    loop: LoopRates
    copies: CopyRates


class Suite:
    """A run of the benchmark: measures one thing after the other into its report."""

    def __init__(self, repeats: int, say: Callable[[str], None], meter: PeakMeter | None = None):
        self.repeats = repeats
        self.say = say
        self.meter: PeakMeter = meter or PeakMeter()
        self.report: Report = Report(peaks=self.meter.rates)
        self._alone: dict[str, list[Moment]] = {}
        self.meter.measure()

    def measure_ours(self, task: Task) -> None:
        """Our rates in the task, and the environment's own."""
        flops, note = _counted(task)
        size = Size(task.steps, task.jobs, self.repeats)
        for members in task.loops:
            if members == 1:
                self.measure_alone(task)
                continue
            rates, share = engine.measure_loop(task.setting, members, size)
            self._keep(
                Result(
                    task.name,
                    "whole loop",
                    ours(members),
                    rates,
                    flops=flops,
                    environment_share=share or None,
                    note=note,
                )
            )
        for members in task.updates:
            rates = engine.measure_updates(task.setting, members, size)
            self._keep(
                Result(task.name, "update alone", ours(members), rates, flops=flops, note=note)
            )
        environment = task.setting.environment
        steps = task.environment_steps
        if environment == "navigation2d":
            rates = environments.navigation_rates(steps, self.repeats)
        else:
            rates = environments.gymnasium_rates(environment, steps, self.repeats)
        self._keep(Result(task.name, "environment alone", "one instance", rates))

    def measure_alone(self, task: Task) -> None:
        """A single learner's loop, and copies before it. Called again, the rates of all moments are one row:
        where the system puts two threads changes the speed of one learner for minutes.
        """
        if 1 not in task.loops:
            return
        copies = copy_rates()
        size = Size(task.steps, task.jobs, self.repeats)
        loop = engine.measure_loop(task.setting, 1, size)
        moments = self._alone.setdefault(task.name, [])
        moments.append(Moment(time.monotonic(), loop, copies))
        self.report.copies.append(copies)
        flops, note = _counted(task)
        result = Result(
            task.name,
            "whole loop",
            ours(1),
            [rate for moment in moments for rate in moment.loop.rates],
            flops=flops,
            environment_share=statistics.mean(m.loop.environment_share for m in moments) or None,
            note="\n".join([note, _told(moments)]),
        )
        self._keep(result)

    def measure_acting(self, quick: bool = False) -> None:
        """METRA's loop on Ant, and what the cores give on the bare environment."""
        name = f"{METRA.environment}, METRA's loop, {METRA.hidden_units} units"
        steps, cores = METRA.steps_per_visit, usable_workers()
        bare = environments.bare_rates(
            str(METRA.environment), METRA.environment_options, steps, self.repeats, cores
        )
        self._keep(Result(name, "environment alone", f"{cores} processes", bare))
        size = Size(steps, METRA_LEARNERS if quick else 2 * METRA_LEARNERS, self.repeats)
        rates, share = engine.measure_loop(METRA, METRA_LEARNERS, size)
        every = round(1 / METRA.updates_per_step)
        part = statistics.median(rates) / statistics.median(bare)
        note = (
            f"an update every {every} steps, {METRA.environments} environments a learner; the loop "
            f"makes {part:.0%} of the bare environments' steps"
        )
        whole = Result(
            name, "whole loop", ours(METRA_LEARNERS), rates, environment_share=share, note=note
        )
        self._keep(whole)

    def measure_objectives(self, quick: bool = False) -> None:
        """Updates a second of every objective, in Ant's sizes and METRA's."""
        name = f"{METRA.environment}, objectives, {METRA.hidden_units} units"
        size = Size(10 if quick else 50, 2, self.repeats)
        for word, kind in OBJECTIVES.items():
            if not kind.learns:  # it has nothing to update
                continue
            setting = replace(METRA, objective=kind(), updates_per_step=1, environments=1)
            setting = replace(setting, steps_per_goal=None, steps_per_epoch=size.steps)
            rates = engine.measure_updates(setting, usable_workers(), size)
            self._keep(Result(name, "update alone", f"{word}, {usable_workers()} learners", rates))

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
        self._keep(Result(task.name, what, name, rates, ours=False, note=note))

    def _keep(self, result: Result) -> None:
        rows = self.report.results
        names = [(row.task, row.what, row.name) for row in rows]
        name = (result.task, result.what, result.name)
        if name in names:
            rows[names.index(name)] = result
        else:
            rows.append(result)
        peak = self.meter.measure()
        self.say(
            f"{result.task}, {result.what}, {result.name}: {result.rate:,.0f} steps/s "
            f"(peak then {peak / 1e9:.0f} GFLOP/s)"
        )


def _counted(task: Task) -> tuple[int, str]:
    """The FLOPs of an update, and what is to be said of them."""
    sizes = sizes_of(task.setting.make_environment())
    flops = sum(update_flops(task.setting, sizes).values())
    least = sum(update_flops(task.setting, sizes, input_gradients=False).values())
    note = (
        f"one update counts {flops / 1e6:,.1f} MFLOP; {least / 1e6:,.1f} without the gradients of "
        "first layers' inputs, which nothing needs"
    )
    return flops, note


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


def ours(members: int) -> str:
    """How tables call a population of ours."""
    return f"autotelic, {count(members, 'learner')}"


def _median(measured: PeerRates) -> float:
    return Result("", "whole loop", "", measured.rates).rate


def _sum(measured: list[PeerRates]) -> PeerRates:
    """Processes side by side: their rates together, repeat by repeat."""
    together: Any = zip(*(part.rates for part in measured), strict=True)
    return PeerRates([sum(rates) for rates in together], measured[0].versions)
