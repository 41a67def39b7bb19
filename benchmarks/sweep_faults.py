"""Sixteen runs on a Ray cluster of three nodes, one of which is killed: are they what they would have been?

    python benchmarks/sweep_faults.py --out faults

The nodes are processes of this machine. The same sweep is first trained here, undisturbed. Then it is
trained on the cluster; at a random moment a node is killed, and another is added. Needs autotelic[ray].
"""

# pyright: reportMissingImports=false
import argparse
import os
import random
import subprocess
import sys
import time
from pathlib import Path

SWEEP = """\
environment = "navigation2d"
methods = ["diayn", "dp:offset=5,smoothing=5"]
epochs = 30
checkpoint-every = 5
num-goals = 4
steps-per-epoch = 100
hidden-units = 8
batch-size = 16

[grid]
learning-rate = [0.0005, 0.001, 0.002, 0.004]
seeds = [[0], [1], [2], [3]]
"""
COMPARED = ("history.csv", "skills.npz")


def sweep(out: Path, *words: str) -> subprocess.Popen[bytes]:
    command = ["autotelic", "sweep", str(out.parent / "sweep.toml"), "--out", str(out), *words]
    print("$", *command, flush=True)
    return subprocess.Popen([sys.executable, "-m", *command])


def count(out: Path, state: str) -> int:
    files = (out / "state").glob("*.train.json")
    return sum(f'"{state}"' in path.read_text() for path in files)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=None, help="of the random moment")
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    (flags.out / "sweep.toml").write_text(SWEEP)
    quiet, disturbed = flags.out / "undisturbed", flags.out / "disturbed"

    begun = time.monotonic()
    if sweep(quiet).wait():
        return 1
    took = time.monotonic() - begun
    print(f"undisturbed, on this machine alone: {took:.0f} s", flush=True)

    # Ray would let its workers wait for everything else on this machine.
    os.environ.setdefault("RAY_worker_niceness", "0")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    process = sweep(disturbed, "--backend", "ray", "--address", cluster.address)
    chance = random.Random(flags.seed)
    enough, wait = chance.randrange(8), chance.uniform(0, 10)
    while (
        count(disturbed, "done") < enough or count(disturbed, "running") < 3
    ) and process.poll() is None:
        time.sleep(0.2)
    time.sleep(wait)
    cluster.remove_node(nodes[0], allow_graceful=False)
    print(f"--- a node was killed {wait:.1f} s after {enough} runs were done", flush=True)
    cluster.add_node(num_cpus=1)
    print("--- another node was added", flush=True)
    code = process.wait()
    cluster.shutdown()

    names = sorted(path.name for path in (quiet / "runs").iterdir())
    same = [
        all(
            (quiet / "runs" / n / f).read_bytes() == (disturbed / "runs" / n / f).read_bytes()
            for f in COMPARED
        )
        for n in names
    ]
    print(
        f"exit code {code}; {sum(same)} of {len(names)} runs are byte-identical in {' and '.join(COMPARED)}"
    )
    return 0 if all(same) and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
