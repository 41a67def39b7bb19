"""`train`: a run from its settings to its folder, begun or continued."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from autotelic import _validate
from autotelic._words import count
from autotelic.environments import EnvironmentFailure, caution_of
from autotelic.learner.learner import LearnerFunctions, learner_functions
from autotelic.learner.plan import (
    FORMAT,
    EnvironmentSizes,
    Plan,
    cautions,
    changed_versions,
    check_numbers,
    check_paid,
    check_same,
    describe_plan,
    make_plan,
    sizes_of,
    versions,
    with_goals,
)
from autotelic.learner.setting import Setting
from autotelic.observers.base import Observer
from autotelic.runs import atomic
from autotelic.runs.diverged import LearnersDiverged, left_out
from autotelic.runs.history import HISTORY_FILE
from autotelic.runs.lock import RunLock
from autotelic.runs.run import RUN_FILE, Runs, load
from autotelic.runs.skills import SKILLS_FILE
from autotelic.runs.start import Policy, Start, make_start, read_start, write_start
from autotelic.runs.store import CheckpointStore
from autotelic.selectors import GoalSelector
from autotelic.training import devices
from autotelic.training.footprint import Footprint
from autotelic.training.limits import weighed
from autotelic.training.run_state import RunState, TrainingFailure
from autotelic.training.schedule import Schedule
from autotelic.training.statistics import states_met
from autotelic.training.workers import crew_size, usable_workers


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
    policies: Mapping[tuple[str, int], Policy] | None = None,
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
        policies: of learners, by (method, seed), that begin with a policy which is given
            (`autotelic.Skills.policy_of`); the others, and all critics, begin at random. They are kept in the
            folder, so that a resumed run needs them no more.
        observers: who is told what happens.

    Ctrl-C writes a checkpoint before it is raised again. A learner whose numbers become NaN or
    infinite is left out from there on while the others go on; `Runs.diverged` names it, and a warning
    at the end.
    """
    folder = Path(out)
    prepared = prepare(setting, methods, seeds, epochs, folder, checkpoint_every, evaluate_every)
    plan, environment, sizes, functions, _ = prepared
    pairs = [(member.method, member.seed) for member in plan.members]
    start = make_start(policies, pairs, functions) if policies else None
    with RunLock(folder):
        wanted = describe_run(prepared, evaluate_every)
        description = _enter(folder, wanted, start, resume)
        state = RunState(
            folder,
            plan,
            environment,
            description["crew"],
            observers,
            description.get("evaluate_every"),
            read_start(folder, description.get("start")),
        )
        try:
            try:
                caution = caution_of(environment)
                state.open([*cautions(plan, setting, sizes), *([caution] * bool(caution))])
            except EnvironmentFailure as failure:
                raise TrainingFailure(state.explain(failure, 0)) from failure
            description = _note_changes(state, description)
            Schedule(state, checkpoint_every).run()
            state.finish()
            grown = {name: written._asdict() for name, written in state.grown.items()}
            _describe(folder, {**description, "grown": grown})
        finally:
            state.close()
    runs = load(folder, setting=plan.setting)
    if runs.diverged:
        message = left_out(runs.diverged, len(runs.members))
        warnings.warn(f"{message} (runs.diverged says more)", LearnersDiverged, stacklevel=2)
    return runs


class Prepared(NamedTuple):
    """A run that can begin: nothing of it is refused. one: the size of a learner."""

    plan: Plan
    environment: Any
    sizes: EnvironmentSizes
    functions: LearnerFunctions
    one: Footprint


def prepare(
    setting: Setting,
    methods: Mapping[str, GoalSelector],
    seeds: Iterable[int],
    epochs: int,
    folder: Path,
    checkpoint_every: int | None = None,
    evaluate_every: int | None = None,
) -> Prepared:
    """Refuse what does not fit, before the folder is made; arguments as of `train`."""
    plan = make_plan(setting, methods, seeds, epochs)
    setting = plan.setting
    if checkpoint_every is not None:
        _validate.integer("checkpoint_every", checkpoint_every, minimum=1)
    if evaluate_every is not None:
        from autotelic.training import learning_curve

        learning_curve.check(setting, evaluate_every)
    environment = setting.make_environment()
    sizes = sizes_of(environment)
    check_paid(setting, environment)
    setting = with_goals(setting, environment, partial(states_met, environment))
    functions = learner_functions(setting, sizes, epochs)
    plan = replace(plan, setting=functions.setting)
    one = weighed(plan, environment, functions, folder)
    return Prepared(plan, environment, sizes, functions, one)


def describe_run(prepared: Prepared, evaluate_every: int | None) -> dict[str, Any]:
    """What run.json says of a run that begins here."""
    plan, environment, sizes, *_ = prepared
    shared_by = devices.count(devices.devices_for(environment, len(plan.members)))
    return {
        **describe_plan(plan, sizes, _crew_size(plan)),
        "evaluate_every": evaluate_every,
        **({"devices": shared_by} if shared_by > 1 else {}),
    }


def _enter(
    folder: Path, wanted: dict[str, Any], start: Start | None, resume: bool
) -> dict[str, Any]:
    """Begin a run in the folder or check that the one there is this; returns its description."""
    saved = check_entry(folder, wanted, start, resume)
    if saved is not None:
        return saved
    if start is not None:
        write_start(folder, start)
        wanted = {**wanted, "start": start.describe()}
    return _describe(folder, wanted)


def _describe(folder: Path, description: dict[str, Any]) -> dict[str, Any]:
    """Write run.json; returns what it says."""
    atomic.write_document(folder / RUN_FILE, description, FORMAT)
    return description


def check_entry(
    folder: Path, wanted: dict[str, Any], start: Start | None, resume: bool
) -> dict[str, Any] | None:
    """Refuse a folder that holds another run, or what is left of one; the description of the run that is
    there to be continued, None if there is none.
    """
    if not (folder / RUN_FILE).exists():
        left = [n for n in (HISTORY_FILE, "checkpoints", SKILLS_FILE) if (folder / n).exists()]
        if left:
            raise ValueError(
                f"{folder} holds {' and '.join(left)} of a run whose run.json is missing; restore "
                "it, or choose another folder"
            )
        return None
    saved = load(folder).description
    if not resume:
        raise ValueError(
            f"{folder} already holds a run, which is never overwritten; continue it with --resume "
            "(resume=True), or choose another folder"
        )
    check_numbers(saved)
    check_same(saved, wanted, max(CheckpointStore(folder).epochs, default=0))
    if start is not None and start.describe() != saved.get("start"):
        raise ValueError(
            f"{folder} holds a run whose learners began with other policies than those given; leave them out "
            "to continue it, or choose another folder"
        )
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


def _note_changes(state: RunState, description: dict[str, Any]) -> dict[str, Any]:
    """Let the folder say that the run goes on, prolonged, frozen from here on, or with other versions."""
    folder, epochs, done = state.folder, state.plan.epochs, state.crews[0].epoch
    changed = {**description, "epochs": epochs}
    if done < epochs:
        # The skills so far are in the checkpoint too; kept here, they would be taken for those of the end.
        (folder / SKILLS_FILE).unlink(missing_ok=True)
        changed.pop("grown", None)
    difference = changed_versions(description)
    if difference and done < epochs:
        state.audience.note(f"from epoch {done} on this run has other versions: {difference}")
        changed["versions"] = [*description["versions"], {"from_epoch": done, **versions()}]
    before, now = description.get("devices", 1), devices.count(state.mesh)
    if before != now and done < epochs:
        state.audience.note(
            f"from epoch {done} on learners are spread over {count(now, 'device')}, before over "
            f"{before}: the same numbers to rounding, not bit for bit"
        )
        changed["devices"] = now
    if changed != load(folder).description:
        _describe(folder, changed)
    return changed


def _crew_size(plan: Plan) -> int:
    return crew_size(len(plan.members), usable_workers(), plan.setting.hidden_units)
