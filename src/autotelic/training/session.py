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
from autotelic.training.diverged import Diverged, left_out, read_diverged, write_diverged
from autotelic.training.history import HistoryWriter, vector_columns
from autotelic.training.learner import Learner, LearnerFunctions, StepRecord
from autotelic.training.observer import Observer, RunStart
from autotelic.training.plan import Member, Plan, sizes_of
from autotelic.training.population import Crew, Program
from autotelic.training.probes import Probes
from autotelic.training.replay_log import ReplayRows
from autotelic.training.runs import Skills, fill, learner_functions, named_arrays, save_skills
from autotelic.training.store import Checkpoint, CheckpointStore

if TYPE_CHECKING:  # loads scikit-learn, which training alone does not need
    from autotelic.training.evaluating import LearningCurve


class TrainingFailure(RuntimeError):
    """A run had to stop: says who, when and why, and what is safe on disk."""


class CrewSession:
    """A crew and its members' curricula: chooses goals, practises them, takes in what came of it.

    A member whose numbers are no numbers any more is lost: its selector is asked and told nothing,
    and its rows of the history hold no measures. Members are independent, so the others go on.
    """

    def __init__(self, crew: Crew, members: Sequence[Member], probing: bool):
        functions = crew.program.functions
        setting = functions.setting
        self.crew = crew
        self.members = list(members)
        self.curricula = [Curriculum(m.selector, setting.num_goals, m.seed) for m in members]
        self.probes = Probes(crew) if probing else None
        self.floor = setting.objective.prior_floor
        self.visits = setting.visits_per_epoch
        self.warm_up_visits = functions.warm_up_visits
        self.epoch = 0
        self.rows: list[dict[str, Any]] = []
        self.found: list[Diverged] = []  # what the epoch under way has found
        self.lost: dict[int, dict[str, Any]] = {}  # what rows of a lost member say of its choice
        losses = [] if setting.frozen else functions.loss_names
        self.unmeasured: dict[str, Any] = {
            "certainty": np.nan,
            "signal": np.full(setting.num_goals, np.nan),
            **{f"loss_{name}": np.nan for name in losses},
        }

    @property
    def over(self) -> bool:
        """Whether all members are lost: there is nothing left to compute."""
        return len(self.lost) == len(self.members)

    def practise(self) -> None:
        """Run the epoch's visits to goals one after the other (in a worker thread)."""
        self.rows, self.found = [], []
        for visit in range(self.visits):
            self.crew.check_going_on()
            self.rows += self._run_visit(visit)

    def _run_visit(self, visit: int) -> list[dict[str, Any]]:
        """Choose goals, pursue them, update the curricula; returns the rows of the history."""
        warming_up = self.epoch * self.visits + visit < self.warm_up_visits
        rows = self._choose_goals(visit, warming_up)
        if not self.over:
            self._pursue(rows, visit, warming_up)
        for index in self.lost:
            rows[index].update(self.unmeasured)
        return rows

    def _pursue(self, rows: list[dict[str, Any]], visit: int, warming_up: bool) -> None:
        """Let the crew pursue the goals of the rows; selectors and rows are told what came of it."""
        number = self.epoch * self.visits + visit
        goals = np.array([row["goal"] for row in rows])
        log_priors = np.log(np.stack([row["prior"] for row in rows]) + self.floor)
        before = self.probes.score(self.crew) if self.probes else None
        record = self.crew.run_visit(number, list(goals), log_priors)
        self._mark_diverged(record, rows)
        evidence: list[dict[str, Any]] = [{} for _ in self.members]
        if self.probes and before is not None:
            after = self.probes.score(self.crew)
            evidence = [
                {"probe_before": b, "probe_after": a} if m.selector.evidence else {}
                for m, b, a in zip(self.members, before, after, strict=True)
            ]
            self.probes.keep(self.crew, number, goals)
        for index, (row, curriculum) in enumerate(zip(rows, self.curricula, strict=True)):
            if index in self.lost:
                continue
            posteriors = record.posterior[index]
            if not warming_up:
                curriculum.update(posteriors, **evidence[index])
            row["certainty"] = float(posteriors[:, row["goal"]].mean(dtype=np.float64))
            row["signal"] = curriculum.values
            for name, losses in record.losses.items():
                row[f"loss_{name}"] = float(losses[index].mean(dtype=np.float64))

    def _choose_goals(self, visit: int, warming_up: bool) -> list[dict[str, Any]]:
        """Ask every selector for its goal; its probabilities are noted as they were when it chose."""
        return [
            {
                "member": member.number,
                "method": member.method,
                "seed": member.seed,
                "epoch": self.epoch,
                "visit": visit,
                "warm_up": int(warming_up),
                **(self.lost.get(index) or self._choice(index, visit, warming_up)),
            }
            for index, member in enumerate(self.members)
        ]

    def _choice(self, index: int, visit: int, warming_up: bool) -> dict[str, Any]:
        """A member's goal and the probabilities behind it."""
        curriculum = self.curricula[index]
        if warming_up:
            number = self.epoch * self.visits + visit
            seed = self.members[index].seed
            goal, selection = warm_up.choose(seed, number, curriculum.num_goals)
        else:
            selection = curriculum.selection_probabilities
            goal = curriculum.select()
        return {
            "prior": curriculum.prior,
            "selection": selection,
            "effective_skills": float(effective_number_of_skills(selection)),
            "goal": goal,
        }

    def take_in(self) -> list[dict[str, Any]]:
        """The epoch is over: returns its rows of the history, visit by visit."""
        self.epoch += 1
        return self.rows

    def lose(self, index: int, goal: int) -> None:
        """Go on without a member; its rows keep its last p(g) and goal, as nothing is drawn."""
        self.crew.resting.add(index)
        prior = self.curricula[index].prior
        self.lost[index] = {
            "prior": prior,
            "selection": np.full(len(prior), np.nan),
            "effective_skills": np.nan,
            "goal": goal,
        }

    def _mark_diverged(self, record: StepRecord, rows: list[dict[str, Any]]) -> None:
        """Lose the members whose numbers became none in this visit."""
        learner = self.crew.learner
        parameters = named_arrays((learner.agent, learner.discriminator))
        for index, (member, row) in enumerate(zip(self.members, rows, strict=True)):
            if index in self.lost:
                continue
            first = self._first_fault(index, record, row["visit"], parameters)
            if first is None:
                continue
            what, step = first
            sentence = (
                f"{what} of {member} became NaN or infinite in epoch {self.epoch}, step {step}; a "
                "lower learning_rate or a check of the environment's observations may help"
            )
            self.lose(index, row["goal"])
            whose = (member.number, member.method, member.seed)
            self.found.append(Diverged(*whose, self.epoch, step, row["goal"], sentence))

    def _first_fault(
        self, index: int, record: StepRecord, visit: int, parameters: dict[str, np.ndarray]
    ) -> tuple[str, int] | None:
        """Which of a member's numbers were none first, and at which step of the epoch."""
        steps = len(record.posterior[index])
        begin = visit * steps
        named = {"the posteriors": record.posterior}
        named.update({f"the {name} loss": loss for name, loss in record.losses.items()})
        found = {
            name: begin + int(bad.argmax())
            for name, values in named.items()
            if (bad := ~np.isfinite(values[index].reshape(steps, -1)).all(axis=1)).any()
        }
        if index in self.crew.speechless:  # a step acts before it judges and learns
            found = {"the actions": self.crew.speechless[index], **found}
        if found:
            what = min(found, key=lambda name: found[name])
            return what, found[what]
        for name, values in parameters.items():
            if not np.isfinite(values[index]).all():
                return f"the parameters {name}", begin + steps - 1
        return None

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
        self.diverged: list[Diverged] = []
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
        self._restore_diverged(done)
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

    def _restore_diverged(self, done: int) -> None:
        """Leave out who diverged before the checkpoint; who did later will do so once more."""
        known = read_diverged(self.folder)
        self.diverged = [one for one in known if one.epoch < done]
        if self.diverged != known:
            write_diverged(self.folder, self.diverged)
        for one in self.diverged:
            crew, index = divmod(one.member, self.crew)
            self.crews[crew].lose(index, one.goal)
        if self.diverged:
            self.note(left_out(self.diverged, len(self.plan.members)))

    @property
    def nobody_left(self) -> bool:
        """Whether every learner of the run has diverged, and is on the list of those who did."""
        return len(self.diverged) == len(self.plan.members)

    def take_in(self, session: CrewSession) -> None:
        """Note what a crew's epoch yielded; an epoch that all crews have done goes to the history."""
        self.epochs_run += 1
        elapsed = time.monotonic() - self.started_at
        self.seconds_per_epoch = elapsed / self.epochs_run
        if session.found:
            self.diverged += session.found
            write_diverged(self.folder, self.diverged)  # before a checkpoint holds such a learner
        for one in session.found:
            self.note(f"{one.sentence}. It is left out from here on")
        self._add_rows(session)
        # A crew of which nobody is left is not run, and keeps pace with the slowest of the others: if
        # it ran ahead, they could not meet it before the end.
        going_on = [session.epoch for session in self.crews if not session.over]
        for lost in (session for session in self.crews if session.over and going_on):
            while lost.epoch < min(going_on):
                lost.practise()
                self._add_rows(lost)

    def _add_rows(self, session: CrewSession) -> None:
        """Add a crew's epoch to those that wait for other crews."""
        epoch = session.epoch
        rows = session.take_in()
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
            lost = {one.member for one in self.diverged}
            self.curve.measure(epoch, self.skills(), self.latest_priors, lost)

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
