# pyright: reportMissingImports=false
"""A Ray cluster, or one of this machine: every task goes to a node with room for it.

What a node that dies had under way is lost; the scheduler starts it again, and Ray finds another node.
"""

import contextlib
import os
import re
import socket
from pathlib import Path
from typing import Any

from autotelic.runs import atomic
from autotelic.sweeps import attempt
from autotelic.sweeps.attempt import Outcome, carry_out
from autotelic.sweeps.backends.base import Backend, ClusterLost
from autotelic.sweeps.folder import STOP, Record, Task, read_record

LONGEST_KNOCK = 5.0
"""Seconds to wait for a cluster to answer."""
SETTINGS = b"\4"
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + SETTINGS + bytes(5)
"""How HTTP/2 begins, which Ray speaks: both sides send a frame of settings, here an empty one. The type of a
frame is its fourth byte.
"""
SHORT_PATIENCE = ("RAY_NUM_REDIS_GET_RETRIES", "6")
"""What answers may still not be Ray: it is asked once a second, and Ray would ask 20 times. Ray reads this
when it is loaded.
"""
QUIET = {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_USAGE_STATS_ENABLED": "0"}


class Ray(Backend):
    """Tasks of a Ray cluster, each with `cores` of a node's CPUs.

    address: `host:port`, `ray://host:port` or `auto`; without one RAY_ADDRESS, a cluster that runs on
    this machine, or else one made for the sweep. options: of a Ray task, such as num_gpus.
    """

    slots: int | None = None

    def __init__(
        self, folder: Path, cores: int, address: str = "", options: dict[str, Any] | None = None
    ):
        if address:
            os.environ.setdefault(*SHORT_PATIENCE)
        try:
            import ray
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "--backend ray needs the package 'ray': pip install 'autotelic[ray]'", name="ray"
            ) from error
        self.ray: Any = ray
        self.folder = folder
        self.refs: dict[Any, Task] = {}
        self.joined: bool = not ray.is_initialized()
        if self.joined:
            _join(ray, address_of(address))
        settings = {"num_cpus": cores, "max_retries": 0, **(options or {})}
        try:
            self.function: Any = ray.remote(carry_out).options(**settings)
        except (TypeError, ValueError) as error:
            self.close()
            raise ValueError(f"[ray] in the sweep file: {error}") from None

    def start(self, task: Task, record: Record) -> None:
        """See `Backend.start`."""
        self.refs[self.function.remote(task, record)] = task

    def poll(self) -> list[tuple[Task, Outcome]]:
        """See `Backend.poll`."""
        if not self.refs:
            return []
        ended, _ = self.ray.wait(list(self.refs), num_returns=len(self.refs), timeout=0)
        return [(self.refs.pop(ref), self._outcome(ref)) for ref in ended]

    def _outcome(self, ref: Any) -> Outcome:
        errors = self.ray.exceptions
        try:
            return Outcome(*self.ray.get(ref))
        except errors.OutOfMemoryError as error:
            return Outcome(attempt.LOST, f"the node was {attempt.OUT_OF_MEMORY}: {_first(error)}")
        except errors.LocalRayletDiedError:
            # Each further attempt would end so within a second, until all runs are given up.
            raise ClusterLost(
                "the Ray cluster is gone, or this machine's part of it; what was under way saves itself, "
                "and the same command goes on when the cluster is back"
            ) from None
        except errors.TaskCancelledError:
            return Outcome(attempt.STOPPED)
        except errors.RayTaskError as error:
            return Outcome(attempt.FAILED, f"the node could not start it: {error.cause!r}")
        except errors.RayError as error:
            return Outcome(attempt.LOST, f"its node was lost ({type(error).__name__})")

    def stop(self) -> None:
        """See `Backend.stop`."""
        atomic.write_bytes(self.folder / STOP, b"")
        for ref, task in self.refs.items():
            if read_record(task).state != "running":  # still in Ray's queue, and perhaps for ever
                self.ray.cancel(ref)

    def close(self) -> None:
        """See `Backend.close`."""
        with contextlib.suppress(OSError):
            (self.folder / STOP).unlink(missing_ok=True)
        if self.joined:
            self.ray.shutdown()  # tasks that still run lose their driver, and save themselves


def faults_of(options: dict[str, Any]) -> list[tuple[str, str]]:
    """What Ray has against options of a task, as (key, sentence)."""
    import ray

    found = []
    for key, value in options.items():
        try:
            ray.remote(carry_out).options(**{key: value})
        except (TypeError, ValueError) as error:
            found.append((key, f"{key} under [ray]: {_first(error)}"))
    return found


def _join(ray: Any, address: str) -> None:
    """Connect to a cluster, or make one; one that does not answer is refused after a few seconds."""
    os.environ |= {name: os.environ.get(name, value) for name, value in QUIET.items()}
    check_answers(address)
    try:
        ray.init(
            address=address or None,
            logging_level="error",
            log_to_driver=False,
            configure_logging=True,
        )
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        where = f" at {address}" if address else ""
        raise ValueError(
            f"the Ray cluster{where} cannot be reached: {_first(error)}; is it running (`ray status`)?"
        ) from None


def address_of(given: str) -> str:
    """The address that a command names, or else the environment."""
    return given or os.environ.get("RAY_ADDRESS", "")


def check_answers(address: str) -> None:
    """Refuse an address with a port at which no cluster answers; others Ray itself finds or does not."""
    found = re.fullmatch(r"(?:ray://)?([^/]+):(\d+)", address)
    if not found:
        return
    try:
        with socket.create_connection((found[1], int(found[2])), LONGEST_KNOCK) as knock:
            if os.environ.get("RAY_USE_TLS", "0") in ("", "0"):
                knock.sendall(GREETING)
                # Ray would go on asking a server of another kind, such as its dashboard, for minutes.
                if knock.recv(9)[3:4] != SETTINGS:
                    raise ConnectionError("what answers there is no Ray cluster: another port?")
    except (OSError, OverflowError) as error:
        raise ValueError(
            f"the Ray cluster at {address} cannot be reached ({error}); is it running there "
            "(`ray start --head`), and can this machine connect to it?"
        ) from None


def _first(error: Exception) -> str:
    """The first line of an error, which may be a page."""
    return str(error).strip().split("\n", 1)[0]
