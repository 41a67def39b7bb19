"""Work for helpers, which import it from here."""

import os
import time
from dataclasses import dataclass

from autotelic._cores import usable_cores


@dataclass(frozen=True)
class Located:
    """Answers with the process that did it and its cores, and prints on the way."""

    def __call__(self, job: int) -> tuple[int, int, int]:
        print("a word among the answers", flush=True)
        time.sleep(0.05)
        return job * job, os.getpid(), usable_cores()


@dataclass(frozen=True)
class DeadlyElsewhere:
    """Ends every process but one."""

    home: int

    def __call__(self, job: int) -> int:
        if os.getpid() != self.home:
            os._exit(3)
        time.sleep(0.2)  # so that helpers get to a job
        return -job


@dataclass(frozen=True)
class Failing:
    """Cannot do one of its jobs."""

    def __call__(self, job: int) -> int:
        time.sleep(0.1)
        if job == 2:
            raise ValueError("job 2 cannot be done")
        return job


@dataclass(frozen=True)
class Variable:
    """What the environment of the process says, and which process it is."""

    name: str

    def __call__(self, job: int) -> tuple[int, str | None]:
        del job
        time.sleep(0.05)  # so that helpers get to a job
        return os.getpid(), os.environ.get(self.name)
