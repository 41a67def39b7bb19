# pyright: reportMissingImports=false
"""Runs on a real Ray cluster of several nodes, which are processes of this machine."""

import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes import fake_task

from autotelic.sweeps.backends.base import ClusterLost
from autotelic.sweeps.backends.ray_cluster import Ray, check_answers
from autotelic.sweeps.checking import Checked
from autotelic.sweeps.folder import Plan, epochs_done, read_record, tasks
from autotelic.sweeps.scheduler import Scheduler

pytestmark = pytest.mark.filterwarnings("ignore")
TINY = [
    *("--num-goals", "3", "--steps-per-epoch", "20", "--hidden-units", "8", "--batch-size", "8"),
    *("--first-update", "8", "--methods", "diayn", "dp:offset=5,smoothing=5", "--epochs", "200"),
    *("--checkpoint-every", "10"),
]

SWEEP = """\
environment = "navigation2d"
methods = ["diayn", "dp:offset=5,smoothing=5"]
num-goals = 3
steps-per-epoch = 20
hidden-units = 8
batch-size = 8
first-update = 8
epochs = 200
checkpoint-every = 10
[grid]
seeds = [[0], [1]]
"""


@pytest.mark.parametrize("address", ["{}", "ray://{}"])
def test_a_cluster_that_cannot_be_reached_is_told_in_seconds(address: str):
    with socket.socket() as nobody:  # has the port, and does not listen
        nobody.bind(("127.0.0.1", 0))
        there = address.format(f"127.0.0.1:{nobody.getsockname()[1]}")
        begun = time.monotonic()
        with pytest.raises(ValueError, match="cannot be reached"):
            check_answers(there)
        assert time.monotonic() - begun < 10


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_what_answers_and_is_no_cluster_is_told_in_seconds(says: bytes):
    """A server that says nothing, and one of web pages, as Ray's own dashboard is."""

    def answer(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            connection.sendall(says)
            connection.settimeout(20)
            while connection.recv(1000):
                pass

    with socket.create_server(("127.0.0.1", 0)) as other:
        thread = threading.Thread(target=answer, args=(other,))
        thread.start()
        begun = time.monotonic()
        with pytest.raises(ValueError, match="timed out" if not says else "no Ray cluster"):
            check_answers(f"127.0.0.1:{other.getsockname()[1]}")
        assert time.monotonic() - begun < 10
        thread.join()


def test_what_has_no_port_is_left_to_ray():
    check_answers("auto")
    check_answers("")


@pytest.fixture
def cluster() -> Iterator:
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    yield made
    made.shutdown()


def test_a_node_is_killed_another_is_added_and_all_runs_end_bit_identical(
    cluster, tmp_path: Path, monkeypatch
):
    monkeypatch.setenv("AUTOTELIC_CORES", "1")
    cells = [
        Checked(f"seed-{seed}", {}, ["train", "navigation2d", *TINY, "--seeds", f"{seed},"], 200, 2)
        for seed in range(3)
    ]
    doomed = cluster.add_node(num_cpus=1)
    cluster.add_node(num_cpus=1)
    runs = tasks(tmp_path / "ray", Plan(cells, cores=1))
    told: list[tuple[str, str]] = []
    killed = False

    def disturb() -> None:
        nonlocal killed
        under_way = [epochs_done(Path(run.run)) for run in runs]
        if not killed and sum(epoch >= 10 for epoch in under_way) >= 2:  # both nodes are at work
            killed = True
            cluster.remove_node(doomed, allow_graceful=False)
            cluster.add_node(num_cpus=1)

    backend = Ray(tmp_path / "ray", 1, cluster.address)
    Scheduler(runs, backend, 3, lambda *words: told.append(words)).run(disturb)
    assert killed
    assert [read_record(run).state for run in runs] == ["done"] * 3
    assert any("its node was lost" in sentence for _, sentence in told)
    from autotelic.cli import main

    for run in runs:
        alone = tmp_path / "alone" / run.name
        assert main([*run.words[: run.words.index("--out")], "--out", str(alone)]) == 0
        for name in ("history.csv", "skills.npz"):
            assert (alone / name).read_bytes() == Path(run.run, name).read_bytes()


def test_a_driver_is_killed_and_the_same_command_goes_on(cluster, tmp_path: Path):
    cluster.add_node(num_cpus=2)
    (tmp_path / "sweep.toml").write_text(SWEEP)
    command = [sys.executable, "-m", "autotelic", "sweep", str(tmp_path / "sweep.toml")]
    on_ray = [*command, "--out", str(tmp_path / "ray"), *("--backend", "ray")]
    on_ray += ["--address", cluster.address]
    runs = [tmp_path / "ray" / "runs" / f"seeds={seed}" for seed in (0, 1)]
    driver = subprocess.Popen(on_ray)
    try:
        while not all(10 <= epochs_done(run) < 200 for run in runs):
            assert driver.poll() is None
            time.sleep(0.05)
    finally:
        driver.kill()
        driver.wait()
    begun = {run: epochs_done(run) for run in runs}
    assert subprocess.run(on_ray, check=False).returncode == 0
    assert subprocess.run([*command, "--out", str(tmp_path / "here")], check=False).returncode == 0
    for run in runs:
        assert begun[run] < 200 == epochs_done(run)
        for name in ("history.csv", "skills.npz"):
            alone = tmp_path / "here" / "runs" / run.name
            assert (alone / name).read_bytes() == (run / name).read_bytes()


def test_a_worker_that_ray_kills_for_memory_is_tried_again_with_a_note(cluster, tmp_path: Path):
    # On this node all memory that is used is too much: Ray kills what works there.
    limits = {"RAY_memory_usage_threshold": "0.01", "RAY_memory_monitor_refresh_ms": "100"}
    full = cluster.add_node(num_cpus=1, env_vars=limits)
    run = fake_task(tmp_path, epochs=40, seconds=0.2)
    told: list[str] = []

    def make_room() -> None:
        nonlocal full
        if full and told:
            cluster.remove_node(full)
            cluster.add_node(num_cpus=1)
            full = None

    backend = Ray(tmp_path, 1, cluster.address)
    scheduler = Scheduler([run], backend, 3, lambda _, sentence: told.append(sentence))
    scheduler.run(make_room)
    assert re.match(r"the node was out of memory: .*; it is tried again from epoch \d+$", told[0])
    assert told[-1] == "done"
    assert read_record(run).state == "done"


def test_failures_and_kills_on_a_cluster(cluster, tmp_path: Path):
    cluster.add_node(num_cpus=2)
    faults = {"a": "", "killed": "kill@1", "poisoned": "raise"}
    runs = [fake_task(tmp_path, name, epochs=3, fault=fault) for name, fault in faults.items()]
    backend = Ray(tmp_path, 1, cluster.address)
    Scheduler(runs, backend, 1, lambda *_: None).run()
    assert [read_record(run).state for run in runs] == ["done", "done", "failed"]
    assert "it is poisoned" in read_record(runs[2]).note
    shutil.rmtree(tmp_path / "runs")


def test_errors_of_ray_are_judged(tmp_path: Path):
    ray = pytest.importorskip("ray")

    class Stub:
        exceptions = ray.exceptions

        def get(self, error):
            raise error

    backend = object.__new__(Ray)
    backend.ray = Stub()
    errors = {
        ray.exceptions.OutOfMemoryError("the node ran low\nand more"): ("lost", "out of memory"),
        ray.exceptions.WorkerCrashedError(): ("lost", "WorkerCrashedError"),
        ray.exceptions.TaskCancelledError(): ("stopped", ""),
    }
    for error, (kind, words) in errors.items():
        found = backend._outcome(error)
        assert found.kind == kind
        assert words in found.sentence
    with pytest.raises(ClusterLost, match="the same command goes on"):
        backend._outcome(ray.exceptions.LocalRayletDiedError())


def test_options_that_ray_does_not_know_are_refused(cluster, tmp_path: Path):
    with pytest.raises(ValueError, match=r"\[ray\]"):
        Ray(tmp_path, 1, cluster.address, {"num_gpuss": 1})
