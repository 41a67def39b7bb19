"""Time the DIAYN of QDax; runs where it is installed, and speaks to its parent as `sac.py` does.

QDax steps environments of Brax's kind inside compiled code. So 2D navigation is timed as a whole loop
with one environment and one update a step; for a Gymnasium environment only the update can be.
"""

import argparse
import importlib
import json
import sys
import time
from importlib.metadata import version
from typing import Any

SIZES = {"navigation2d": (2, 2), "HalfCheetah-v5": (17, 6)}
"""Entries of an observation and of an action."""

ROWS = 100_000


def main() -> None:
    """Read the flags, time the scans, and print the seconds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--environment", choices=list(SIZES), required=True)
    parser.add_argument("--hidden", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--repeats", type=int, required=True)
    parser.add_argument("--goals", type=int, required=True)
    parser.add_argument("--what", choices=["loop", "update"], required=True)
    flags = parser.parse_args()
    jax: Any = importlib.import_module("jax")
    run, carry = (whole_loop if flags.what == "loop" else updates_alone)(flags)
    run = jax.jit(run, donate_argnums=0)
    # Copied, because parts of a fresh state are one and the same array, which cannot be donated twice.
    carry = jax.block_until_ready(run(jax.tree.map(jax.numpy.copy, carry)))
    print(json.dumps({"ready": True}), flush=True)
    sys.stdin.readline()
    seconds = []
    for _ in range(flags.repeats):
        begin = time.perf_counter()
        carry = jax.block_until_ready(run(carry))
        seconds.append(time.perf_counter() - begin)
    versions = {name: version(name) for name in ("qdax", "jax")}
    print(json.dumps({"steps": flags.steps, "seconds": seconds, "versions": versions}), flush=True)


def learner(flags: argparse.Namespace) -> tuple[Any, Any, Any]:
    """The algorithm, its state, and a replay full of made-up transitions."""
    jax: Any = importlib.import_module("jax")
    diayn: Any = importlib.import_module("qdax.baselines.diayn")
    buffers: Any = importlib.import_module("qdax.core.neuroevolution.buffers.buffer")
    observation, action = SIZES[flags.environment]
    config = diayn.DiaynConfig(
        batch_size=flags.batch,
        episode_length=100,
        num_skills=flags.goals,
        descriptor_full_state=True,
        critic_hidden_layer_size=(flags.hidden, flags.hidden),
        policy_hidden_layer_size=(flags.hidden, flags.hidden),
    )
    algorithm = diayn.DIAYN(config, action)
    keys = jax.random.split(jax.random.key(0), 5)
    state = algorithm.init(keys[0], action, observation, observation)
    goals = jax.random.randint(keys[1], (ROWS,), 0, flags.goals)
    skills = jax.nn.one_hot(goals, flags.goals)
    states = jax.random.normal(keys[2], (2, ROWS, observation))
    zeros = jax.numpy.zeros(ROWS)
    situations = [jax.numpy.concatenate([part, skills], axis=1) for part in states]
    transitions = buffers.QDTransition(
        obs=situations[0],
        next_obs=situations[1],
        rewards=zeros,
        dones=zeros,
        truncations=zeros,
        actions=jax.numpy.tanh(jax.random.normal(keys[3], (ROWS, action))),
        state_desc=jax.numpy.zeros((ROWS, 2)),
        next_state_desc=jax.numpy.zeros((ROWS, 2)),
    )
    one = jax.tree.map(lambda x: x[:1], transitions)
    buffer = buffers.ReplayBuffer.init(ROWS, one).insert(transitions)
    return algorithm, state, buffer


def updates_alone(flags: argparse.Namespace) -> tuple[Any, Any]:
    """A function that makes `steps` updates, and what it starts from."""
    jax: Any = importlib.import_module("jax")
    algorithm, state, buffer = learner(flags)

    def one(carry: Any, _: Any) -> Any:
        state, buffer = carry
        state, buffer, metrics = algorithm.update(state, buffer)
        return (state, buffer), metrics

    def run(carry: Any) -> Any:
        return jax.lax.scan(one, carry, None, length=flags.steps)[0]

    return run, (state, buffer)


def whole_loop(flags: argparse.Namespace) -> tuple[Any, Any]:
    """A function that makes `steps` steps of 2D navigation with an update each."""
    jax: Any = importlib.import_module("jax")
    struct: Any = importlib.import_module("flax.struct")
    numpy = jax.numpy

    class State(struct.PyTreeNode):
        """What QDax reads of an environment's state."""

        obs: Any
        reward: Any
        done: Any
        info: Any

    class Navigation2D:
        """A point in the unit box; actions in [-1, 1] move it by up to 0.05 along each axis."""

        def step(self, state: State, action: Any) -> State:
            """Move, and start again in the centre after 100 steps."""
            clock = state.info["time"] + 1
            over = clock >= 100
            moved = numpy.clip(state.obs + 0.05 * action, 0.0, 1.0)
            info = {"time": numpy.where(over, 0, clock), "truncation": over.astype(float)}
            return State(numpy.where(over[:, None], 0.5, moved), state.reward, state.done, info)

    algorithm, training, buffer = learner(flags)
    environment = Navigation2D()
    zero = numpy.zeros(1)
    start = State(
        numpy.full((1, 2), 0.5), zero, zero, {"time": numpy.zeros(1, int), "truncation": zero}
    )
    skill = jax.nn.one_hot(numpy.zeros(1, int), flags.goals)

    def one(carry: Any, _: Any) -> Any:
        state, training, buffer = carry
        state, training, transition = algorithm.play_step_fn(state, training, skill, environment)
        buffer = buffer.insert(transition)
        training, buffer, metrics = algorithm.update(training, buffer)
        return (state, training, buffer), metrics

    def run(carry: Any) -> Any:
        return jax.lax.scan(one, carry, None, length=flags.steps)[0]

    return run, (start, training, buffer)


if __name__ == "__main__":
    main()
