"""Other processes take a share of the work, and cost nothing but time if they cannot."""

import os
import subprocess
import sys

import jax
import pytest
from shared_work import DeadlyElsewhere, Failing, Located, Variable

from autotelic._cores import usable_cores
from autotelic._helping import AT_ONCE, Helpers


def test_every_job_is_done_once_and_helpers_do_some_of_them(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AUTOTELIC_CORES", "7")
    with Helpers(1) as helpers:
        found = sorted(helpers.share(Located(), range(60)))
        again = list(helpers.share(Located(), range(3)))  # by the same process
    assert [(job, square) for job, (square, *_) in found] == [(job, job**2) for job in range(60)]
    workers = {worker for _, (_, worker, _) in found}
    assert os.getpid() in workers and len(workers) == 2
    assert {worker for _, (_, worker, _) in again} <= workers
    assert {cores for _, (*_, cores) in found} == {1}  # each has one core to itself
    assert usable_cores() == 7


def test_a_helper_tells_jax_to_compute_on_the_thread_that_asks():
    jax.config.read(AT_ONCE.lower())  # it knows the name
    with Helpers(1) as helpers:
        found = dict(said for _, said in helpers.share(Variable(AT_ONCE), range(60)))
    assert found.pop(os.getpid()) == os.environ.get(AT_ONCE)
    assert list(found.values()) == ["0"]


def test_a_helper_that_dies_leaves_its_job_to_others():
    with Helpers(2) as helpers:
        found = list(helpers.share(DeadlyElsewhere(os.getpid()), range(8)))
        assert helpers.alive == []
        # Without any helper left the next work is done here.
        assert list(helpers.share(abs, [-5])) == [(-5, 5)]
    assert sorted(found) == [(job, -job) for job in range(8)]


def test_work_that_cannot_be_sent_is_done_here():
    own = []

    def work(job: int) -> int:
        own.append(job)
        return job + 1

    with Helpers(1) as helpers:
        assert list(helpers.share(work, [1, 2])) == [(1, 2), (2, 3)]
        assert len(helpers.alive) == 1
    assert own == [1, 2]


def test_a_job_that_fails_everywhere_fails_here():
    with Helpers(1) as helpers, pytest.raises(ValueError, match="job 2 cannot be done"):
        list(helpers.share(Failing(), range(30)))


@pytest.mark.parametrize(
    "command", [("no such program",), (sys.executable, "-c", "raise SystemExit")]
)
def test_helpers_that_cannot_begin_are_done_without(
    monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
):
    monkeypatch.setattr("autotelic._helping.COMMAND", command)
    with Helpers(2) as helpers:
        assert sorted(helpers.share(abs, [-3, 2, -1])) == [(-3, 3), (-1, 1), (2, 2)]


def test_without_helpers_jobs_are_done_in_order():
    with Helpers(0) as helpers:
        assert list(helpers.share(abs, [-3, 2, -1])) == [(-3, 3), (2, 2), (-1, 1)]


def test_no_process_is_left(monkeypatch: pytest.MonkeyPatch):
    begun: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def remembered(*words, **options):
        begun.append(start(*words, **options))
        return begun[-1]

    monkeypatch.setattr(subprocess, "Popen", remembered)
    with pytest.raises(KeyboardInterrupt), Helpers(1) as helpers:
        for _ in helpers.share(Located(), range(100)):
            raise KeyboardInterrupt
    assert len(begun) == 1 and begun[0].returncode is not None
