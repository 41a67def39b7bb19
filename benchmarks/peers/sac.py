"""Time the SAC of Stable-Baselines3 or of SBX, which share one interface; runs where they are installed.

Prints a line of JSON when it is warm, waits for a line on its input so that several processes can be
timed side by side, and prints another with the seconds of each repeat.
"""

import argparse
import importlib
import json
import os
import sys
import time
from importlib.metadata import version
from typing import Any

NAVIGATION = "navigation2d"


def make_environment(name: str) -> Any:
    """A Gymnasium environment; 2D navigation is written out, as autotelic is not installed here."""
    gymnasium = importlib.import_module("gymnasium")
    if name != NAVIGATION:
        return gymnasium.make(name)
    numpy = importlib.import_module("numpy")

    class Navigation2D(gymnasium.Env):
        """A point in the unit box that moves by up to 0.05 along each axis."""

        observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,), numpy.float32)
        action_space = gymnasium.spaces.Box(-0.05, 0.05, (2,), numpy.float32)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            """Start in the centre."""
            super().reset(seed=seed)
            self.position = numpy.full(2, 0.5, numpy.float32)
            return self.position, {}

        def step(self, action: Any) -> Any:
            """Move, and stay in the box."""
            self.position = (self.position + action).clip(0.0, 1.0).astype(numpy.float32)
            return self.position, 0.0, False, False, {}

    return gymnasium.wrappers.TimeLimit(Navigation2D(), max_episode_steps=100)


def stopwatch(base: Any, warm_up: int, steps: int) -> Any:
    """A callback of the library that notes the time whenever `steps` more were made after the warm-up."""

    class Stopwatch(base):
        def __init__(self) -> None:
            super().__init__()
            self.marks: list[float] = []

        def _on_step(self) -> bool:
            if self.num_timesteps == warm_up:
                print(json.dumps({"ready": True}), flush=True)
                sys.stdin.readline()
            if self.num_timesteps >= warm_up and (self.num_timesteps - warm_up) % steps == 0:
                self.marks.append(time.perf_counter())
            return True

    return Stopwatch()


def main() -> None:
    """Read the flags, train, and print the seconds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("library", choices=["stable_baselines3", "sbx"])
    parser.add_argument("--environment", required=True)
    parser.add_argument("--hidden", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--repeats", type=int, required=True)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--core", type=int)
    flags = parser.parse_args()
    if flags.core is not None:
        os.sched_setaffinity(0, [flags.core])
    library: Any = importlib.import_module(flags.library)
    if flags.threads is not None:
        importlib.import_module("torch").set_num_threads(flags.threads)
    callbacks: Any = importlib.import_module("stable_baselines3.common.callbacks")
    model = library.SAC(
        "MlpPolicy",
        make_environment(flags.environment),
        learning_starts=2 * flags.batch,
        batch_size=flags.batch,
        buffer_size=100_000,
        train_freq=1,
        gradient_steps=1,
        policy_kwargs={"net_arch": [flags.hidden, flags.hidden]},
        device="cpu" if flags.library == "stable_baselines3" else "auto",
        seed=0,
    )
    warm_up = 4 * flags.batch
    watch = stopwatch(callbacks.BaseCallback, warm_up, flags.steps)
    # One step more than is timed, so that the last mark is made.
    model.learn(warm_up + flags.steps * flags.repeats + 1, callback=watch)
    seconds = [
        later - earlier for earlier, later in zip(watch.marks, watch.marks[1:], strict=False)
    ]
    packages = {
        "stable_baselines3": ["stable-baselines3", "torch"],
        "sbx": ["sbx-rl", "jax"],
    }[flags.library]
    versions = {name: version(name) for name in [*packages, "gymnasium"]}
    print(json.dumps({"steps": flags.steps, "seconds": seconds, "versions": versions}), flush=True)


if __name__ == "__main__":
    main()
