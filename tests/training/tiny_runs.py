"""Runs of a few dozen steps. They share settings, so that few programs have to be compiled."""

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.spaces import Box

import autotelic as at
from autotelic.agents import GmmSac
from autotelic.environments import HostEnvironment
from autotelic.learner import visit as visits
from autotelic.learner.setting import Setting
from autotelic.observers.base import Observer
from autotelic.runs import atomic
from autotelic.runs.run import Runs
from autotelic.runs.store import CheckpointStore
from autotelic.training import train as train_module
from autotelic.training.crew import Crew
from autotelic.training.learners import environment_seeds
from autotelic.training.program import Program
from autotelic.training.train import train

EPOCHS, STEPS, GOALS, EPISODE, FIRST_UPDATE, CAPACITY, BLOCK = 4, 20, 3, 15, 10, 60, 5
"""CAPACITY is less than EPOCHS x STEPS: the ring wraps."""

METHODS = {"DIAYN": at.Uniform(), "DP": at.DiversityProgress(offset=10, smoothing=5)}
PROBING = {
    "DIAYN": at.Uniform(),
    "probe": at.DiversityProgress(offset=10, smoothing=5, reference="probe"),
}


def tiny(**changes: Any) -> Setting:
    """2D navigation whose episodes end within an epoch, and with every size small."""
    values: dict[str, Any] = {
        "environment_options": {"episode_length": EPISODE},
        "num_goals": GOALS,
        "steps_per_epoch": STEPS,
        "agent": GmmSac(),
        "hidden_units": 8,
        "batch_size": 16,
        "learning_rate": 0.01,
        "first_update": FIRST_UPDATE,
        "replay_capacity": CAPACITY,
    }
    return Setting(**{**values, **changes})


def tiny_gymnasium(environment: Any, **changes: Any) -> Setting:
    """The same in a Gymnasium environment."""
    return tiny(**{"environment": environment, "environment_options": {}, **changes})


def run(folder: Path, **changes: Any) -> Runs:
    """The standard run: two members, hence two crews of one learner."""
    values: dict[str, Any] = {
        "setting": tiny(),
        "methods": METHODS,
        "seeds": [0],
        "epochs": EPOCHS,
        "checkpoint_every": 1,
    }
    return train(out=folder, **{**values, **changes})


def prepare(patch: pytest.MonkeyPatch) -> None:
    """Crews of the same size on every machine, and several blocks of noise in a tiny epoch.

    Programs that call host environments, which JAX keeps in no folder, are compiled once in a process.
    """
    patch.setattr(train_module, "usable_workers", lambda: 2)
    patch.setattr(visits, "LONGEST_BLOCK", BLOCK)
    patch.setattr(Program, "compile", compile_once)


COMPILE = Program.compile
COMPILED: dict[str, Program] = {}


def compile_once(program: Program, learner: Any) -> None:
    """`Program.compile`, but take what an equal program compiled, whose run is over."""
    if not isinstance(program.environment, HostEnvironment):
        return COMPILE(program, learner)
    functions = program.functions
    setting = replace(functions.setting, environment="any", environment_options={})
    key = repr((replace(functions, setting=setting), program.crew_size))
    if key not in COMPILED:
        COMPILE(program, learner)
        COMPILED[key] = program
    earlier = COMPILED[key]
    program._compiled = earlier._compiled
    earlier._crews = program._crews  # by which the compiled program finds its environments


def copied(folder: Path, to: Path) -> Path:
    return Path(shutil.copytree(folder, to))


def assert_same_run(folder: Path, other: Path) -> None:
    """The same history, byte for byte, and the same skills, bit for bit."""
    assert (folder / "history.csv").read_bytes() == (other / "history.csv").read_bytes()
    with np.load(folder / "skills.npz") as skills, np.load(other / "skills.npz") as expected:
        assert sorted(skills) == sorted(expected)
        for name in expected:
            np.testing.assert_array_equal(skills[name], expected[name], strict=True)


def replay_rows(runs: Runs) -> dict[str, np.ndarray]:
    """The fields of the replay in the latest checkpoint, [members, capacity, ...]."""
    checkpoint = CheckpointStore(runs.folder).load_latest()
    assert checkpoint is not None and checkpoint.replay is not None
    ring: Any = checkpoint.replay.rings[0]
    return runs.functions().layout.unpack(ring)  # type: ignore[return-value]


def forge(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a document of ours, and give it the checksum of what it says then."""
    content = json.loads(path.read_text())
    form = content.pop("format")
    del content["crc32"]
    change(content)
    atomic.write_document(path, content, form)


class Stop(Exception):
    pass


class StopAfter(Observer):
    """Breaks the run off as soon as an epoch is in the history."""

    def __init__(self, epoch: int):
        self.epoch = epoch

    def epoch_done(self, epoch: int, rows: Any) -> None:
        if epoch == self.epoch:
            raise Stop


class Notes(Observer):
    """Remembers what a person was told."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def note(self, message: str) -> None:
        self.messages.append(message)


class Corridor(gymnasium.Env):
    """A point on a line that observes [position, steps in the episode / 10].

    By turns an episode terminates after 4 steps, and the next is cut off after 6: so in every 10
    steps of a learner number 3 terminates, and number 9 is a time-out.
    """

    fault: ClassVar[tuple[str, int, int] | None] = None
    """(what, seed, step): what the environment of that learner does wrong at that step of its life."""

    def __init__(self) -> None:
        self.observation_space = Box(-np.inf, np.inf, (2,), np.float64)
        self.action_space = Box(np.float32(-0.1), np.float32(0.3), (1,), np.float32)
        self.position, self.time, self.episodes, self.life, self.seed = 0.0, 0, -1, 0, 0

    def reset(self, *, seed: int | None = None, options: Any = None):
        super().reset(seed=seed)
        if seed is not None:
            self.seed = seed
            if self._fault(-1) == "raise":
                raise ArithmeticError("the wheel came off")
        self.position, self.time, self.episodes = self.np_random.uniform(), 0, self.episodes + 1
        return self._observation(), {}

    def step(self, action: np.ndarray) -> Any:
        assert -0.1 <= action[0] <= 0.3
        fault = self._fault(self.life)
        self.position, self.time, self.life = (
            self.position + action[0],
            self.time + 1,
            self.life + 1,
        )
        observation = self._observation()
        if fault == "raise":
            raise ArithmeticError("the wheel came off")
        if fault == "exit":
            sys.exit("no licence")
        if fault == "flags":
            return observation, 0.0, np.array([True, False]), False, {}
        if fault == "shape":
            observation = np.zeros(3)
        if fault == "nan":
            observation[1] = np.nan
        if fault == "huge":
            observation[0] = 1e30
        terminates = self.episodes % 2 == 0
        return observation, 0.0, terminates and self.time == 4, self.time == 6, {}

    def _observation(self) -> np.ndarray:
        return np.array([self.position, self.time / 10])

    def _fault(self, step: int) -> str | None:
        if self.fault is None:
            return None
        what, learner, at_step = self.fault
        return what if (self.seed, step) == (environment_seeds([learner])[0], at_step) else None


class SaveableCorridor(Corridor):
    """A Corridor that offers its state."""

    NAMES = ("position", "time", "episodes", "life", "seed")

    def state_dict(self) -> dict[str, Any]:
        return {name: float(getattr(self, name)) for name in self.NAMES}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name in self.NAMES:
            setattr(self, name, state[name])


def poison(patch: pytest.MonkeyPatch, method: str, seed: int, epoch: int) -> None:
    """Let the networks of one learner be NaN from the start of an epoch on."""
    practise = Crew.practise

    def poisoned(crew: Crew) -> None:
        for index, member in enumerate(crew.members):
            if (member.method, member.seed, crew.epoch) == (method, seed, epoch):
                learner = crew.learners.state
                agent = jax.tree.map(lambda leaf, i=index: _with_nan(leaf, i), learner.agent)
                crew.learners.state = learner._replace(agent=agent)
        practise(crew)

    patch.setattr(Crew, "practise", poisoned)


def _with_nan(leaf: jax.Array, index: int) -> jax.Array:
    return leaf.at[index].set(jnp.nan) if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf
