"""The evolving state of a run: crews with their curricula, the history, and how both reach the disk."""

import itertools
import json
import time
import warnings
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from autotelic.curriculum import Curriculum
from autotelic.environments import EnvironmentFailure
from autotelic.selectors import effective_number_of_skills
from autotelic.training import warm_up
from autotelic.training.history import HistoryWriter, vector_columns
from autotelic.training.learner import Learner, LearnerFunctions, StepRecord
from autotelic.training.observer import Observer, RunStart
from autotelic.training.plan import Member, Plan, sizes_of
from autotelic.training.population import Crew, Diverged, Program
from autotelic.training.probes import Probes
from autotelic.training.replay_log import ReplayRows
from autotelic.training.runs import Skills, fill, learner_functions, named_arrays, save_skills
from autotelic.training.store import Checkpoint, CheckpointStore

if TYPE_CHECKING:  # loads scikit-learn, which training alone does not need
    from autotelic.training.evaluating import LearningCurve


class TrainingFailure(RuntimeError):
    """A run had to stop: says who, when and why, and what is safe on disk."""


class CrewSession:
    """A crew and its members' curricula: chooses goals, practises them, takes in what came of it."""

    def __init__(self, crew: Crew, members: Sequence[Member], probing: bool):
        self.crew = crew
        self.members = list(members)
        goals = crew.program.functions.setting.num_goals
        self.curricula = [Curriculum(member.selector, goals, member.seed) for member in members]
        self.probes = Probes(crew) if probing else None
        self.floor = crew.program.functions.setting.objective.prior_floor
        self.visits = crew.program.functions.setting.visits_per_epoch
        self.warm_up_visits = crew.program.functions.warm_up_visits
        self.epoch = 0
        self.rows: list[dict[str, Any]] = []

    def practise(self) -> None:
        """Run the epoch's visits to goals one after the other (in a worker thread)."""
        self.rows = []
        for visit in range(self.visits):
            self.crew.check_going_on()
            self.rows += self._run_visit(visit)

    def _run_visit(self, visit: int) -> list[dict[str, Any]]:
        """Choose goals, pursue them, update the curricula; returns the rows of the history."""
        number = self.epoch * self.visits + visit
        warming_up = number < self.warm_up_visits
        rows = self._choose_goals(visit, warming_up)
        goals = np.array([row["goal"] for row in rows])
        log_priors = np.log(np.stack([row["prior"] for row in rows]) + self.floor)
        before = self.probes.score(self.crew) if self.probes else None
        record = self.crew.run_visit(number, list(goals), log_priors)
        self._check_finite(record, visit)
        evidence: list[dict[str, Any]] = [{} for _ in self.members]
        if self.probes and before is not None:
            after = self.probes.score(self.crew)
            evidence = [
                {"probe_before": b, "probe_after": a} if m.selector.evidence else {}
                for m, b, a in zip(self.members, before, after, strict=True)
            ]
            self.probes.keep(self.crew, number, goals)
        for index, (row, curriculum) in enumerate(zip(rows, self.curricula, strict=True)):
            posteriors = record.posterior[index]
            if not warming_up:
                curriculum.update(posteriors, **evidence[index])
            row["certainty"] = float(posteriors[:, row["goal"]].mean(dtype=np.float64))
            row["signal"] = curriculum.values
            for name, losses in record.losses.items():
                row[f"loss_{name}"] = float(losses[index].mean(dtype=np.float64))
        return rows

    def _choose_goals(self, visit: int, warming_up: bool) -> list[dict[str, Any]]:
        """Ask every selector for its goal; its probabilities are noted as they were when it chose."""
        rows = []
        number = self.epoch * self.visits + visit
        for member, curriculum in zip(self.members, self.curricula, strict=True):
            if warming_up:
                goal, selection = warm_up.choose(member.seed, number, curriculum.num_goals)
            else:
                selection = curriculum.selection_probabilities
                goal = curriculum.select()
            rows.append(
                {
                    "member": member.number,
                    "method": member.method,
                    "seed": member.seed,
                    "epoch": self.epoch,
                    "visit": visit,
                    "warm_up": int(warming_up),
                    "prior": curriculum.prior,
                    "selection": selection,
                    "effective_skills": float(effective_number_of_skills(selection)),
                    "goal": goal,
                }
            )
        return rows

    def take_in(self) -> list[dict[str, Any]]:
        """The epoch is over: returns its rows of the history, visit by visit."""
        self.epoch += 1
        return self.rows

    def _check_finite(self, record: StepRecord, visit: int) -> None:
        """Refuse to go on from losses, posteriors or parameters that are no numbers any more."""
        named = {"the posteriors": record.posterior}
        named.update({f"the {name} loss": loss for name, loss in record.losses.items()})
        for index, member in enumerate(self.members):
            steps = len(record.posterior[index])
            begin = visit * steps
            first = {
                name: int(bad.argmax())
                for name, values in named.items()
                if (bad := ~np.isfinite(values[index].reshape(steps, -1)).all(axis=1)).any()
            }
            if first:
                name = min(first, key=lambda name: first[name])
                raise Diverged(name, member.number, begin + first[name])
            learner = self.crew.learner
            for name, values in named_arrays((learner.agent, learner.discriminator)).items():
                if not np.isfinite(values[index]).all():
                    time = begin + steps - 1
                    raise Diverged(f"the parameters {name}", member.number, time)

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything but the replay by name, with a leading axis of the crew's members."""
        learner = self.crew.learner._replace(replay=())
        return {**named_arrays(learner), **(self.probes.arrays() if self.probes else {})}

    def restore(self, checkpoint: Checkpoint, members: slice) -> None:
        """Continue from a checkpoint of the whole population."""
        arrays = {name: array[members] for name, array in checkpoint.arrays.items()}
        assert checkpoint.replay is not None
        ring = checkpoint.replay.rings[0][members]
        capacity = self.crew.program.functions.capacity
        ring = np.pad(ring, ((0, 0), (0, capacity - ring.shape[1]), (0, 0)))  # a prolonged run
        template = self.crew.learner._replace(replay=())
        restored: Learner = fill(template, arrays, Path("the checkpoint"))
        restored = jax.tree.map(jax.numpy.array, restored._replace(replay=ring))
        self.crew.learner = restored
        if self.probes:
            self.probes.restore(arrays)
        for curriculum, state in zip(
            self.curricula, checkpoint.meta["curricula"][members], strict=True
        ):
            curriculum.load_state_dict(state)
        self.epoch = checkpoint.epoch


class RunState:
    """A run in progress: its crews, its history and its checkpoints."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        environment: Any,
        crew: int,
        observers: Sequence[Observer],
        evaluate_every: int | None = None,
    ):
        self.folder = folder
        self.plan = plan
        self.environment = environment
        self.crew = crew
        self.observers = list(observers)
        self.evaluate_every = evaluate_every
        self.curve: LearningCurve | None = None
        self.store = CheckpointStore(folder)
        self.crews: list[CrewSession] = []
        self.waiting: dict[int, list[dict[str, Any]]] = defaultdict(list)
        self.latest_priors: dict[int, np.ndarray] = {}
        self.seconds_per_epoch = 0.0

    def open(self, cautions: Sequence[str] = ()) -> None:
        """Make or restore the population, compile its epoch and open the history; say the cautions."""
        setting, members = self.plan.setting, self.plan.members
        functions = learner_functions(setting, sizes_of(self.environment), self.plan.epochs)
        checkpoint = self.store.load_latest()
        done = checkpoint.epoch if checkpoint else 0
        kept = self._open_history(functions, done)
        pairs = [(member.method, member.seed) for member in members]
        # Not by `_tell`: nothing is trained yet, and an observer that cannot begin is to say so.
        for observer in self.observers:
            observer.started(
                RunStart(
                    self.folder,
                    pairs,
                    done,
                    self.plan.epochs,
                    setting.steps_per_epoch,
                    setting.visits_per_epoch,
                )
            )
        for caution in cautions:
            self.warn(caution)
        if kept is not None:
            self.note(f"no checkpoint is there, so the run begins again; its history is in {kept}")
        program = Program(functions, self.environment, self.crew)
        # A checkpoint holds the same arrays of every crew, so all of them probe or none does.
        probing = any(member.selector.evidence for member in members)
        for first in range(0, len(members), self.crew):
            part = members[first : first + self.crew]
            crew = Crew(program, [m.number for m in part], [m.seed for m in part])
            self.crews.append(CrewSession(crew, part, probing))
        if checkpoint is not None:
            for index, session in enumerate(self.crews):
                session.restore(checkpoint, slice(index * self.crew, (index + 1) * self.crew))
            self._restore_environments(checkpoint)
        self._check_savable()
        if self.evaluate_every is not None:
            from autotelic.training.evaluating import LearningCurve

            self.curve = LearningCurve(self.folder, setting, pairs, self.evaluate_every, done)
        steps = self.plan.epochs * setting.steps_per_epoch
        if steps < functions.first_update and not setting.frozen:
            self.note(
                f"nothing will be learned: the run has {steps} steps, and learning begins after "
                f"{functions.first_update} (first_update)"
            )
        if done < self.plan.epochs:
            program.compile(self.crews[0].crew.learner)
        self._tell("compiled")
        self.started_at, self.epochs_run = time.monotonic(), 0

    def _open_history(self, functions: LearnerFunctions, done: int) -> Path | None:
        """Open history.csv; that of a run which lost its checkpoints is kept under another name."""
        path, kept = self.folder / "history.csv", None
        if not done and path.exists() and path.read_bytes().count(b"\n") > 1:
            names = (path.with_name(f"history.{number}.csv") for number in itertools.count(1))
            kept = path.rename(next(name for name in names if not name.exists()))
        self.history = HistoryWriter.resume(path, self._columns(functions), done)
        return kept

    def _columns(self, functions: LearnerFunctions) -> list[str]:
        goals = self.plan.setting.num_goals
        losses = [] if self.plan.setting.frozen else [f"loss_{n}" for n in functions.loss_names]
        return [
            *("member", "method", "seed", "epoch", "visit"),
            *("warm_up", "goal", "effective_skills", "certainty"),
            *losses,
            *vector_columns("prior", goals),
            *vector_columns("selection", goals),
            *vector_columns("signal", goals),
        ]

    def _restore_environments(self, checkpoint: Checkpoint) -> None:
        states = checkpoint.meta["environments"]
        for index, session in enumerate(self.crews):
            pool = session.crew.pool
            if pool is None:
                continue
            if states is not None:
                part = states[index * self.crew : (index + 1) * self.crew]
                session.crew.restore_environments(part)
                continue
            # The pool's first episodes are those of the run's start, which were lived already.
            session.crew.begin_new_episodes(checkpoint.epoch)
        if states is None and self.crews[0].crew.pool is not None:
            self.note(
                f"{self.crews[0].crew.pool.why_no_state}: resuming begins a new episode, so this run "
                "continues soundly but not bit for bit"
            )

    def take_in(self, session: CrewSession) -> None:
        """Note what a crew's epoch yielded; an epoch that all crews have done goes to the history."""
        epoch = session.epoch
        rows = session.take_in()
        self.epochs_run += 1
        elapsed = time.monotonic() - self.started_at
        self.seconds_per_epoch = elapsed / self.epochs_run
        for member in session.members:
            self._tell("practised", member.number, epoch)
        self.waiting[epoch] += rows
        if len(self.waiting[epoch]) == len(self.plan.members) * session.visits:
            by_time = self.waiting.pop(epoch)
            complete = sorted(by_time, key=lambda row: (row["visit"], row["member"]))
            self.latest_priors = {row["member"]: row["prior"] for row in complete}
            self.history.append(complete)
            self._tell("epoch_done", epoch, complete)

    def measure(self) -> None:
        """Add to the learning curve if that is due; all crews stand at the same epoch."""
        epoch = self.crews[0].epoch
        if self.curve is not None and epoch == self.curve.due:
            self.curve.measure(epoch, self.skills(), self.latest_priors)

    def checkpoint(self) -> None:
        """Save everything; all crews stand at the same epoch."""
        epoch = self.crews[0].epoch
        if epoch in self.store.epochs or epoch == 0:
            return
        parts = [session.arrays() for session in self.crews]
        arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        rings = tuple(np.asarray(session.crew.learner.replay) for session in self.crews)
        inserted = epoch * self.plan.setting.steps_per_epoch
        self.store.save(epoch, arrays, self._states(), ReplayRows(rings, inserted))

    def _states(self) -> dict[str, Any]:
        """What curricula and environments know, as JSON values."""
        states = [session.crew.environment_states() for session in self.crews]
        known = None if None in states else [state for part in states for state in part]  # type: ignore[union-attr]
        curricula = [c.state_dict() for session in self.crews for c in session.curricula]
        return {"curricula": curricula, "environments": known}

    def _check_savable(self) -> None:
        """Refuse selectors and environments that no checkpoint could hold, before they are trained."""
        for session in self.crews:
            for member, curriculum in zip(session.members, session.curricula, strict=True):
                try:
                    curriculum.state_dict()
                except (TypeError, ValueError) as error:
                    raise ValueError(f"method {member.method} cannot be saved: {error}") from error
            try:
                json.dumps(session.crew.environment_states())
            except (TypeError, ValueError) as error:
                raise ValueError(
                    f"the environment cannot be saved: its state_dict() must return JSON values, that "
                    f"is numbers, words, lists and dicts of them ({error})"
                ) from error

    def skills(self) -> Skills:
        """What the whole population can do now, as NumPy arrays; all crews stand at the same epoch."""
        agent = self.plan.setting.agent
        parts = [
            Skills(agent.policy(session.crew.learner.agent), session.crew.learner.discriminator)
            for session in self.crews
        ]
        return jax.tree.map(lambda *xs: np.concatenate(xs), *parts)

    def finish(self) -> None:
        """Keep the skills by themselves."""
        save_skills(self.folder, self.skills())

    def explain(self, failure: EnvironmentFailure | Diverged, epoch: int) -> str:
        """A failure with who and when, and what is safe."""
        member = self.plan.members[failure.member]
        when = "before its first step" if failure.time is None else f"step {failure.time}"
        if isinstance(failure, EnvironmentFailure):
            what = f"the environment of {member} failed in epoch {epoch}, {when}: {failure.message}"
        else:
            what = (
                f"{failure.what} of {member} became NaN or infinite in epoch {epoch}, {when}; a "
                "lower learning_rate or a check of the environment's observations may help"
            )
        saved = max(self.store.epochs, default=None)
        if saved is None:
            return f"{what}. No checkpoint was written yet: --resume starts from the beginning"
        return f"{what}. The checkpoint of epoch {saved} is intact: --resume continues from it"

    def note(self, message: str) -> None:
        """Something a person should know."""
        self._tell("note", message)

    def warn(self, message: str) -> None:
        """Something a person should know even if nobody watches the run."""
        if self.observers:
            self.note(message)
        else:
            warnings.warn(message, stacklevel=4)

    def _tell(self, moment: str, *details: Any) -> None:
        """Tell all observers; one whose terminal, pipe or file is gone must not end the run."""
        for observer in list(self.observers):
            try:
                getattr(observer, moment)(*details)
            except OSError as error:
                self.observers.remove(observer)
                self.note(f"{type(observer).__name__} is left out from here on ({error})")

    def stop(self) -> None:
        """Let crews that are under way give up at their next step or visit."""
        for session in self.crews:
            session.crew.stopped = True

    def close(self) -> None:
        """Release environments and tell the observers that it is over."""
        try:
            for session in self.crews:
                session.crew.close()
        finally:
            self._tell("ended")
