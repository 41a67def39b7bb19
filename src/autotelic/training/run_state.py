"""The evolving state of a run: its crews, who is lost, and how all of it reaches the disk."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax.sharding import Mesh

from autotelic.environments import EnvironmentFailure
from autotelic.learner.learner import LearnerFunctions, learner_functions
from autotelic.learner.plan import Plan, sizes_of
from autotelic.observers.base import Audience, Observer, RunStart
from autotelic.runs.atomic import Written
from autotelic.runs.diverged import Diverged, left_out, read_diverged, write_diverged
from autotelic.runs.history import CURVE_FILE, GROWING, HISTORY_FILE
from autotelic.runs.skills import SkillArrays, arrays_of, save_skills
from autotelic.runs.start import Start, begun
from autotelic.runs.store import CheckpointStore
from autotelic.training import checkpoints, devices
from autotelic.training.crew import Crew, are_probed
from autotelic.training.learners import Learners
from autotelic.training.program import Program
from autotelic.training.recording import Recorder

if TYPE_CHECKING:  # loads scikit-learn, which training alone does not need
    from autotelic.training.learning_curve import LearningCurve


class TrainingFailure(RuntimeError):
    """A run had to stop: says who, when and why, and what is safe on disk."""


class RunState:
    """A run in progress: its crews, its history and its checkpoints."""

    recorder: Recorder
    program: Program
    started_at: float

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        environment: Any,
        crew_size: int,
        observers: Sequence[Observer],
        evaluate_every: int | None = None,
        start: Start | None = None,
    ):
        self.folder = folder
        self.plan = plan
        self.environment = environment
        self.mesh: Mesh | None = devices.devices_for(environment, len(plan.members))
        # Spread over devices all learners are one crew; on one, crews stay as the run began with.
        self.crew_size: int = crew_size if self.mesh is None else len(plan.members)
        self.audience: Audience = Audience(observers)
        self.evaluate_every = evaluate_every
        self.start = start
        self.curve: LearningCurve | None = None
        self.store: CheckpointStore = CheckpointStore(folder)
        self.crews: list[Crew] = []
        self.diverged: list[Diverged] = []
        self.seconds_per_epoch: float = 0.0
        self.epochs_run: int = 0

    def open(self, cautions: Sequence[str] = ()) -> None:
        """Make or restore the population, compile its epoch and open the history; say the cautions."""
        functions = learner_functions(
            self.plan.setting, sizes_of(self.environment), self.plan.epochs
        )
        checkpoint = self.store.load_latest()
        done = checkpoint.epoch if checkpoint else 0
        grown = checkpoint.grown if checkpoint else {}
        self.recorder = Recorder(self.folder, functions, grown.get(HISTORY_FILE), self.audience)
        self._announce(functions, done, cautions)
        self._make_crews(functions)
        if checkpoint is not None:
            news = checkpoints.restore(checkpoint, self.crews)
            if news:
                self.audience.note(news)
        self._restore_diverged(done)
        checkpoints.check_savable(self.crews)
        if self.evaluate_every is not None:
            from autotelic.training.learning_curve import LearningCurve

            of_run = (self.folder, self.plan.setting, self.environment, self._pairs())
            self.curve = LearningCurve(*of_run, self.evaluate_every, done, grown.get(CURVE_FILE))
        if done < self.plan.epochs:
            self.program.compile(self.crews[0].learners.spread)
        self.audience.tell("compiled")
        self.started_at = time.monotonic()

    def _announce(self, functions: LearnerFunctions, done: int, cautions: Sequence[str]) -> None:
        """Say what begins, and what a person should know of it."""
        setting, epochs = self.plan.setting, self.plan.epochs
        lengths = (done, epochs, setting.steps_per_epoch, setting.visits_per_epoch)
        start = RunStart(self.folder, self._pairs(), *lengths, functions.warm_up_visits)
        self.audience.started(start)
        for caution in cautions:
            self.audience.warn(caution)
        idle = devices.idle_note(self.environment)
        if idle:
            self.audience.note(idle)
        if self.recorder.kept is not None:
            self.audience.note(
                "no checkpoint is there, so the run begins again; its history is in "
                f"{self.recorder.kept}"
            )
        steps = epochs * setting.steps_per_epoch
        if steps < functions.first_update and not setting.frozen:
            self.audience.note(
                f"nothing will be learned: the run has {steps} steps, and learning begins after "
                f"{functions.first_update} (first_update)"
            )

    def _make_crews(self, functions: LearnerFunctions) -> None:
        members = self.plan.members
        self.program = Program(functions, self.environment, self.crew_size, self.mesh)
        # A checkpoint holds the same arrays of every crew, so all of them probe or none does.
        probing = are_probed(members)
        for first in range(0, len(members), self.crew_size):
            part = members[first : first + self.crew_size]
            learners = Learners(self.program, [m.number for m in part], [m.seed for m in part])
            if self.start is not None:
                of_part = [(member.method, member.seed) for member in part]
                learners.state = begun(functions, self.start, of_part, learners.state)
            self.crews.append(Crew(learners, part, probing))

    def _pairs(self) -> list[tuple[str, int]]:
        """(method, seed) of every member."""
        return [(member.method, member.seed) for member in self.plan.members]

    def _restore_diverged(self, done: int) -> None:
        """Leave out who diverged before the checkpoint; who did later will do so once more."""
        known = read_diverged(self.folder)
        self.diverged = [one for one in known if one.epoch < done]
        if self.diverged != known:
            write_diverged(self.folder, self.diverged)
        for one in self.diverged:
            crew, index = divmod(one.member, self.crew_size)
            self.crews[crew].lose(index, one.goal)
        if self.diverged:
            self.audience.note(left_out(self.diverged, len(self.plan.members)))

    @property
    def nobody_left(self) -> bool:
        """Whether every learner of the run has diverged, and is on the list of those who did."""
        return len(self.diverged) == len(self.plan.members)

    def take_in(self, crew: Crew) -> None:
        """Note what a crew's epoch yielded; an epoch that all crews have done goes to the history."""
        self.epochs_run += 1
        self.seconds_per_epoch = (time.monotonic() - self.started_at) / self.epochs_run
        if crew.found:
            self.diverged += crew.found
            write_diverged(self.folder, self.diverged)  # before a checkpoint holds such a learner
        for one in crew.found:
            self.audience.note(f"{one.sentence}. It is left out from here on")
        self.recorder.add(crew, self.crews)
        # A crew of which nobody is left is not run, and keeps pace with the slowest of the others: if
        # it ran ahead, they could not meet it before the end.
        going_on = [crew.epoch for crew in self.crews if not crew.over]
        for lost in (crew for crew in self.crews if crew.over and going_on):
            while lost.epoch < min(going_on):
                lost.practise()
                self.recorder.add(lost, self.crews)

    def measure(self) -> None:
        """Add to the learning curve if that is due; all crews stand at the same epoch."""
        epoch = self.crews[0].epoch
        if self.curve is not None and epoch == self.curve.due:
            lost = {one.member for one in self.diverged}
            self.curve.measure(epoch, self.skills(), self.recorder.latest_priors, lost)

    def checkpoint(self) -> None:
        """Save everything; all crews stand at the same epoch."""
        steps = self.plan.setting.steps_per_epoch
        checkpoints.save(self.store, self.crews, steps, self.grown)

    @property
    def grown(self) -> dict[GROWING, Written]:
        """How far the tables of the run are."""
        found: dict[GROWING, Written] = {HISTORY_FILE: self.recorder.history.written}
        if self.curve is not None:
            found[CURVE_FILE] = self.curve.writer.written
        return found

    def skills(self) -> SkillArrays:
        """What the whole population can do now, as NumPy arrays; all crews stand at the same epoch."""
        functions = self.program.functions
        parts = [arrays_of(functions, crew.learners.without_replay) for crew in self.crews]
        return jax.tree.map(lambda *xs: np.concatenate(xs), *parts)

    def finish(self) -> None:
        """Keep the skills by themselves."""
        save_skills(self.folder, self.skills())

    def explain(self, failure: EnvironmentFailure, epoch: int) -> str:
        """A failure with who and when, and what is safe."""
        member = self.plan.members[failure.member]
        when = "before its first step" if failure.time is None else f"step {failure.time}"
        what = f"the environment of {member} failed in epoch {epoch}, {when}: {failure.message}"
        return f"{what}. {self._safe()}"

    def explain_end(self) -> str:
        """Why nobody is left, and what is safe."""
        what = self.diverged[-1].sentence
        if len(self.plan.members) > 1:
            what = f"all {len(self.plan.members)} learners have diverged, and the run ends: {what}"
        return f"{what}. {self._safe()}"

    def _safe(self) -> str:
        saved = max(self.store.epochs, default=None)
        if saved is None:
            return "No checkpoint was written yet: --resume starts from the beginning"
        return f"The checkpoint of epoch {saved} is intact: --resume continues from it"

    def stop(self) -> None:
        """Let crews that are under way give up at their next step or visit."""
        for crew in self.crews:
            crew.learners.stopped = True

    def close(self) -> None:
        """Release environments and tell the observers that it is over."""
        try:
            for crew in self.crews:
                crew.learners.close()
        finally:
            self.audience.tell("ended")
