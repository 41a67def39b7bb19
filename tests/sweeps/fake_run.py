"""A program that looks like `autotelic train` from outside, and needs no JAX: for tests of what starts it.

    fake_run FOLDER EPOCHS [SECONDS_PER_EPOCH] [FAULT]

It saves a checkpoint after each epoch, continues from the latest, and at the end writes skills.npz, whose
bytes depend on the epochs alone. On Ctrl-C it ends after its epoch with 130. Faults: `kill@N` kills it in
epoch N, once; `kill-always` each time before its first epoch; `full` finds the disk full; `raise` fails.
"""

import fcntl
import os
import signal
import sys
import time
from pathlib import Path


def main(folder: Path, epochs: int, seconds: float = 0.0, fault: str = "") -> int:
    stop = []
    signal.signal(signal.SIGINT, lambda *_: stop.append(True))
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    lock = open(folder / ".lock", "a")  # noqa: SIM115
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if fault == "full":
        print("autotelic: history.csv: No space left on device", file=sys.stderr)
        return 1
    if fault == "raise":
        print("autotelic: the environment failed in epoch 0:\nit is poisoned", file=sys.stderr)
        return 1
    if fault == "kill-always":
        os.kill(os.getpid(), signal.SIGKILL)
    done = len(list((folder / "checkpoints").glob("epoch-*.json")))
    with open(folder / "cores.txt", "w") as file:
        file.write(f"{os.environ['AUTOTELIC_CORES']} {len(os.sched_getaffinity(0))}")
    for epoch in range(done, epochs):
        time.sleep(seconds)
        if fault == f"kill@{epoch}" and not (folder / "killed").exists():
            (folder / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        (folder / "checkpoints" / f"epoch-{epoch + 1:06}.json").touch()
        with open(folder / "history.csv", "a") as file:
            file.write("member,epoch\n" * (epoch == 0) + f"0,{epoch}\n")
        if stop:
            (folder / "ended-130").touch()
            return 130
    (folder / "skills.npz").write_bytes(b"skills after %d epochs" % epochs)
    return 0


if __name__ == "__main__":
    place, number, *more = sys.argv[1:]
    sys.exit(main(Path(place), int(number), *[float(more[0])] * bool(more), *more[1:]))
