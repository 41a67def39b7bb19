# pyright: reportMissingImports=false
"""Slurm, through submitit: every task is a job. One that is preempted saves itself and is queued again."""

import contextlib
import shutil
import signal
import tempfile
from pathlib import Path
from typing import Any

from autotelic import _documents as documents
from autotelic import _validate
from autotelic.runs import atomic
from autotelic.sweeps import attempt
from autotelic.sweeps.attempt import Attempt, Outcome, carry_out
from autotelic.sweeps.backends.base import Backend
from autotelic.sweeps.folder import STOP, Record, Task

CLUSTER = "cluster"
"""Key of the [slurm] table: "local" tries the file on this machine, "debug" in this process."""
CLUSTERS = ("slurm", "local", "debug")
TIMEOUT_NEEDED = (
    "needs timeout_min, the minutes after which a job saves its run and is queued again"
)
JOBS = "slurm"
MOST_TIMEOUTS = 1000
UNDER_WAY = ("PENDING", "RUNNING", "REQUEUED", "SUSPENDED", "CONFIGURING", "COMPLETING")


class Job:
    """A task as submitit calls it; `checkpoint` is called when its time is over or it is preempted."""

    def __init__(self, task: Task, record: Record):
        self.task = task
        self.record = record
        self.attempt: Attempt | None = None

    def __call__(self) -> Outcome:
        """Carry the task out."""
        previous = None
        with contextlib.suppress(ValueError):  # only the main thread has signals
            previous = signal.signal(signal.SIGTERM, self._end)
        try:
            return carry_out(self.task, self.record, self._begun)
        finally:
            if previous is not None:
                signal.signal(signal.SIGTERM, previous)

    def _begun(self, own: Attempt) -> None:
        self.attempt = own

    def _end(self, *_: object) -> None:
        """Slurm's word that a kill follows: the run is saved, and the outcome says that it was stopped."""
        if self.attempt is not None:
            self.attempt.end()

    def checkpoint(self) -> Any:
        """Let the run save itself, and say what is to be done when the job begins again."""
        import submitit

        if self.attempt is not None:
            self.attempt.end()
            self.attempt.process.wait()
        record = self.record._replace(
            attempts=self.record.attempts + 1, note="preempted: saved, and queued again"
        )
        return submitit.helpers.DelayedSubmission(Job(self.task, record))


class Slurm(Backend):
    """Jobs of Slurm, each with `cores` CPUs.

    options: of submitit's executor, such as timeout_min, mem_gb or partition; see `CLUSTER`.
    """

    slots: int | None = None

    def __init__(self, folder: Path, cores: int, options: dict[str, Any] | None = None):
        try:
            import submitit
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "--backend slurm needs the package 'submitit': pip install 'autotelic[slurm]'",
                name="submitit",
            ) from error
        options = dict(options or {})
        cluster = options.pop(CLUSTER, "slurm")
        if cluster == "slurm" and not shutil.which("sbatch"):
            raise ValueError(
                "--backend slurm needs the command sbatch, which is not here: run it on a machine of "
                'the cluster; cluster = "local" under [slurm] tries the sweep on this one'
            )
        if "timeout_min" not in options:
            raise ValueError(f"[slurm] in the sweep file {TIMEOUT_NEEDED}")
        self.submitit: Any = submitit
        self.folder = folder
        self.jobs: list[tuple[Any, Task]] = []
        try:
            # A run may need its time many times; whether it gets further is the scheduler's question.
            often = {"slurm_max_num_timeout": MOST_TIMEOUTS, "local_max_num_timeout": MOST_TIMEOUTS}
            self.executor: Any = submitit.AutoExecutor(
                atomic.inner(folder / JOBS), cluster=cluster, **often
            )
            self.executor.update_parameters(cpus_per_task=cores, **named(options))
        except (AssertionError, NameError, TypeError, ValueError) as error:
            raise ValueError(f"[slurm] in the sweep file: {str(error).splitlines()[0]}") from None

    def start(self, task: Task, record: Record) -> None:
        """See `Backend.start`. A job that an earlier sweep left in Slurm's queue is taken over."""
        known = task.state_file.with_suffix(".job")
        job = self._left_behind(known)
        if job is None:
            try:
                job = self.executor.submit(Job(task, record))
            except self.submitit.core.utils.FailedSubmissionError as error:
                raise OSError(
                    f"Slurm did not take the job: {str(error).splitlines()[-1]}"
                ) from None
            atomic.write_json(known, job.job_id)
        self.jobs.append((job, task))

    def _left_behind(self, known: Path) -> Any:
        try:
            job_id = documents.read(known, str)
            job = self.executor.job_class(folder=self.folder / JOBS, job_id=job_id)
            return job if job.state in UNDER_WAY else None
        except Exception:  # of a cluster that has forgotten it, or of another kind
            return None

    def poll(self) -> list[tuple[Task, Outcome]]:
        """See `Backend.poll`."""
        ended = [(job, task) for job, task in self.jobs if job.done()]
        self.jobs = [pair for pair in self.jobs if pair not in ended]
        return [(task, self._outcome(job)) for job, task in ended]

    def _outcome(self, job: Any) -> Outcome:
        errors = self.submitit.core.utils
        try:
            return Outcome(*job.result())
        except errors.FailedJobError as error:
            return Outcome(attempt.FAILED, f"the job failed: {str(error).strip().splitlines()[-1]}")
        except errors.UncompletedJobError:
            memory = f": it was {attempt.OUT_OF_MEMORY}" * ("OUT_OF_ME" in job.state)
            return Outcome(attempt.LOST, f"Slurm ended job {job.job_id} ({job.state}){memory}")

    def stop(self) -> None:
        """See `Backend.stop`."""
        atomic.write_bytes(self.folder / STOP, b"")
        for job, _ in self.jobs:
            if job.state == "PENDING":
                job.cancel(check=False)

    def close(self) -> None:
        """See `Backend.close`."""
        with contextlib.suppress(OSError):
            (self.folder / STOP).unlink(missing_ok=True)


def faults_of(options: dict[str, Any]) -> list[tuple[str, str]]:
    """What submitit has against options, as (key, sentence); "" is the table's own key."""
    import submitit

    found = []
    if "timeout_min" not in options:
        found.append(("", f"[slurm] {TIMEOUT_NEEDED}"))
    options = dict(options)
    cluster = options.pop(CLUSTER, "slurm")
    if cluster not in CLUSTERS:
        found.append((CLUSTER, _validate.unknown(f"{CLUSTER} under [slurm]", cluster, CLUSTERS)))
    with tempfile.TemporaryDirectory() as folder:
        executor = submitit.AutoExecutor(folder, cluster="local")
        for key, value in named(options).items():
            try:
                executor.update_parameters(**{key: value})
            except (AssertionError, NameError, TypeError, ValueError) as error:
                plain = key if key in options else key.removeprefix("slurm_")
                found.append((plain, f"{plain} under [slurm]: {str(error).splitlines()[0]}"))
    return found


def named(options: dict[str, Any]) -> dict[str, Any]:
    """Options as submitit wants them: those of Slurm alone with a prefix.

    >>> named({"timeout_min": 60, "partition": "long", "slurm_account": "lab"})
    {'timeout_min': 60, 'slurm_partition': 'long', 'slurm_account': 'lab'}
    """
    general = (
        *("name", "timeout_min", "mem_gb", "nodes", "cpus_per_task", "gpus_per_node"),
        *("tasks_per_node", "stderr_to_stdout"),
    )
    return {
        key if key in general or key.startswith("slurm_") else f"slurm_{key}": value
        for key, value in options.items()
    }
