"""The outer loop: selectors on the host between compiled epochs, checkpoints, and the way back in."""

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from autotelic import _validate
from autotelic.environments import EnvironmentFailure
from autotelic.selectors import GoalSelector
from autotelic.training import atomic
from autotelic.training.diverged import LearnersDiverged, left_out
from autotelic.training.interruption import Interruption
from autotelic.training.lock import RunLock
from autotelic.training.observer import Observer
from autotelic.training.plan import (
    Plan,
    cautions,
    changed_versions,
    check_numbers,
    check_same,
    describe_plan,
    make_plan,
    sizes_of,
    versions,
)
from autotelic.training.population import crew_size, crew_threads, usable_workers
from autotelic.training.runs import SKILLS_FILE, Runs, learner_functions, load
from autotelic.training.session import CrewSession, RunState, TrainingFailure
from autotelic.training.setting import Setting
from autotelic.training.store import CheckpointStore

SHORTEST_INTERVAL = 30.0
"""Seconds between checkpoints at the least."""

LONGEST_WAIT = 0.2
"""Seconds after which the loop looks whether Ctrl-C was pressed."""

SHARE_OF_TIME = 1 / 50
"""The largest share of a run that checkpoints may take, waiting for each other's epochs included."""


def train(
    setting: Setting,
    methods: Mapping[str, GoalSelector],
    seeds: Iterable[int],
    epochs: int,
    out: str | Path,
    *,
    resume: bool = False,
    checkpoint_every: int | None = None,
    evaluate_every: int | None = None,
    observers: Sequence[Observer] = (),
) -> Runs:
    """Train every method with every seed as one population, and keep everything in a folder.

    Args:
        setting: what all learners share, e.g. `autotelic.paper.NAVIGATION_2D`.
        methods: goal selectors by the name they are to have in figures.
        seeds: the same for every method, so that methods can be compared in pairs.
        epochs: of `setting.steps_per_epoch` steps each.
        out: the run's folder; one that holds a run is never overwritten.
        resume: continue the run in the folder, to exactly the end it would have had; more epochs
            than it was planned for prolong it. Without a run in the folder it starts one.
        checkpoint_every: epochs between checkpoints; by default they are spread so that they take
            less than 2 % of the time.
        evaluate_every: epochs between measurements of all skills on fresh trajectories, from the
            untrained ones on, into learning_curve.csv; they leave what is learned as it is. By
            default none, and a resumed run goes on with its own.
        observers: who is told what happens.

    Ctrl-C writes a checkpoint before it is raised again. A learner whose numbers become NaN or
    infinite is left out from there on while the others go on; `Runs.diverged` names it, and a warning
    at the end.
    """
    asked, plan = setting, make_plan(setting, methods, seeds, epochs)
    setting = plan.setting
    if checkpoint_every is not None:
        _validate.integer("checkpoint_every", checkpoint_every, minimum=1)
    if evaluate_every is not None:
        from autotelic.training import evaluating

        evaluating.check(setting, evaluate_every)
    environment = setting.make_environment()
    sizes = sizes_of(environment)
    learner_functions(setting, sizes, epochs)  # refuses what does not fit, before a folder is made
    folder = Path(out)
    with RunLock(folder):
        wanted = describe_plan(plan, sizes, _crew_size(plan))
        description = _enter(folder, {**wanted, "evaluate_every": evaluate_every}, resume)
        state = RunState(
            folder,
            plan,
            environment,
            description["crew"],
            observers,
            description.get("evaluate_every"),
        )
        try:
            try:
                state.open(cautions(plan, asked, sizes))
            except EnvironmentFailure as failure:
                raise TrainingFailure(state.explain(failure, 0)) from failure
            _note_changes(state, description)
            _Schedule(state, checkpoint_every).run()
            state.finish()
        finally:
            state.close()
    runs = load(folder, setting=setting)
    if runs.diverged:
        message = left_out(runs.diverged, len(runs.members))
        warnings.warn(f"{message} (runs.diverged says more)", LearnersDiverged, stacklevel=2)
    return runs


def _enter(folder: Path, wanted: dict[str, Any], resume: bool) -> dict[str, Any]:
    """Begin a run in the folder or check that the one there is this; returns its description."""
    path = folder / "run.json"
    if not path.exists():
        left = [n for n in ("history.csv", "checkpoints", SKILLS_FILE) if (folder / n).exists()]
        if left:
            raise ValueError(
                f"{folder} holds {' and '.join(left)} of a run whose run.json is missing; restore "
                "it, or choose another folder"
            )
        atomic.write_json(path, wanted)
        return wanted
    saved = load(folder).description
    if not resume:
        raise ValueError(
            f"{folder} already holds a run, which is never overwritten; continue it with --resume "
            "(resume=True), or choose another folder"
        )
    check_numbers(saved)
    check_same(saved, wanted, max(CheckpointStore(folder).epochs, default=0))
    _check_same_curve(saved.get("evaluate_every"), wanted["evaluate_every"])
    if (folder / SKILLS_FILE).exists() and not CheckpointStore(folder).epochs:
        raise ValueError(
            f"{folder} holds a finished run without its checkpoints, so it cannot be continued; "
            "restore them, or choose another folder"
        )
    return {**saved, "setting": wanted["setting"]}


def _check_same_curve(saved: int | None, wanted: int | None) -> None:
    """Refuse to measure a run at other epochs than before: its curve would have gaps."""
    if wanted not in (None, saved):
        was = f"every {saved} epochs" if saved else "not at all"
        raise ValueError(
            f"evaluate_every is {wanted}, but the run on disk was evaluated {was}; leave it out to go "
            "on so, or choose another folder"
        )


def _note_changes(state: RunState, description: dict[str, Any]) -> None:
    """Let the folder say that the run is prolonged, frozen from here on, or has other versions."""
    folder, epochs, done = state.folder, state.plan.epochs, state.crews[0].epoch
    changed = dict(description)
    if epochs > description["epochs"]:
        # The skills of the shorter run are in its checkpoint too; kept here, they would be taken
        # for those of the longer one.
        (folder / SKILLS_FILE).unlink(missing_ok=True)
        changed["epochs"] = epochs
    difference = changed_versions(description)
    if difference and done < epochs:
        state.note(f"from epoch {done} on this run has other versions: {difference}")
        changed["versions"] = [*description["versions"], {"from_epoch": done, **versions()}]
    if changed != load(folder).description:
        atomic.write_json(folder / "run.json", changed)


def _crew_size(plan: Plan) -> int:
    return crew_size(len(plan.members), usable_workers(), plan.setting.hidden_units)


class _Schedule:
    """Which crew runs when: each as soon as a worker is free; they meet to be measured and saved."""

    def __init__(self, state: RunState, checkpoint_every: int | None):
        self.state = state
        self.checkpoint_every = checkpoint_every
        self.last_epoch = state.plan.epochs
        self.limit = self.last_epoch
        self.meeting = False  # whether the limit was lowered since the crews set out
        self.interrupted = False
        self.saved_at = time.monotonic()
        self.cost = 0.0  # seconds that the last checkpoint took
        self.pending: dict[Future[None], CrewSession] = {}
        self.executor = ThreadPoolExecutor(
            crew_threads(state.environment), thread_name_prefix="crew"
        )

    def run(self) -> None:
        """Run all crews to the last epoch, or to a checkpoint if Ctrl-C is pressed."""
        try:
            with Interruption() as interruption:
                self.state.measure()
                self._set_out()
                while self.pending or self._all_stopped():
                    finished, _ = wait(self.pending, LONGEST_WAIT, return_when=FIRST_COMPLETED)
                    crews = [self._finish(future) for future in finished]
                    if interruption.requested and not self.interrupted:
                        self._interrupt()
                    elif not self.meeting and self._is_overdue():
                        self._meet()
                    self._submit(crews)
        except BaseException:
            self.state.stop()  # or crews under way would be waited for until their epochs end
            raise
        finally:
            self.executor.shutdown(wait=True, cancel_futures=True)

    def _set_out(self) -> None:
        """All crews stand at the same epoch: let them run to the one at which they are to meet."""
        epoch = self.state.crews[0].epoch
        due = [self.last_epoch]
        if self.checkpoint_every is not None:
            due.append((epoch // self.checkpoint_every + 1) * self.checkpoint_every)
        if self.state.curve is not None:
            due.append(self.state.curve.due)
        self.limit = min(due)
        self.meeting = False
        self._submit(self.state.crews)

    def _submit(self, crews: Iterable[CrewSession]) -> None:
        for crew in crews:
            if crew.epoch < self.limit and not crew.over:
                self.pending[self.executor.submit(crew.practise)] = crew

    def _finish(self, future: Future[None]) -> CrewSession:
        """Take in what a crew's epoch yielded; a failure says where, and what is safe."""
        crew = self.pending.pop(future)
        try:
            future.result()
            self.state.take_in(crew)
        except EnvironmentFailure as failure:
            raise TrainingFailure(self.state.explain(failure, crew.epoch)) from failure
        if self.state.nobody_left:
            raise TrainingFailure(self.state.explain_end())
        return crew

    def _all_stopped(self) -> bool:
        """Nothing runs: measure, save, then go on unless this was the end. Whether crews set out."""
        self.state.measure()
        if self._is_to_be_saved():
            started = time.monotonic()
            self.state.checkpoint()
            self.saved_at = time.monotonic()
            self.cost = self.saved_at - started
        if self.limit == self.last_epoch:
            return False
        if self.interrupted:
            raise KeyboardInterrupt
        self._set_out()
        return True

    def _is_to_be_saved(self) -> bool:
        if self.limit == self.last_epoch or self.interrupted:
            return True
        if self.checkpoint_every is not None:
            return self.limit % self.checkpoint_every == 0
        return self._is_overdue()

    def _is_overdue(self) -> bool:
        """Whether the clock, which decides where no epochs are given, asks for a checkpoint."""
        if self.checkpoint_every is not None:
            return False
        # Crews wait for each other up to one epoch, so that wait counts as cost.
        cost = self.cost + self.state.seconds_per_epoch * crew_threads(self.state.environment)
        return time.monotonic() - self.saved_at > max(SHORTEST_INTERVAL, cost / SHARE_OF_TIME)

    def _interrupt(self) -> None:
        self.interrupted = True
        self.state.note(
            "stopping: epochs under way are finished and saved first (Ctrl-C again: at once)"
        )
        self._meet()

    def _meet(self) -> None:
        """Lower the limit to the first epoch that every crew can still stop at."""
        self.meeting = True
        queued = [self.pending.pop(future) for future in list(self.pending) if future.cancel()]
        under_way = [crew.epoch + 1 for crew in self.pending.values()]
        self.limit = max([*under_way, *(crew.epoch for crew in self.state.crews)])
        self._submit(queued)
