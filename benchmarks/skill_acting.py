"""What an action of a skill file costs, against the bare matrix products it cannot do without.

    python benchmarks/skill_acting.py               # a policy of Half-Cheetah's sizes, untrained
    python benchmarks/skill_acting.py skills.npz    # your own file

On one core. Microseconds of the quickest batch; the ratio is to the three products of a policy network.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from autotelic.skills import Skills
from autotelic.skills.networks import network_shapes

OBSERVATION, ACTION, GOALS, HIDDEN = 17, 6, 20, 300
BATCHES, CALLS, TOGETHER = 200, 50, 256


def untrained() -> Skills:
    """Skills of Half-Cheetah's sizes whose weights are noise."""
    rng = np.random.default_rng(0)
    shapes = {
        "goals": (GOALS, GOALS),
        **network_shapes("policy", [OBSERVATION + GOALS], HIDDEN, 2 * ACTION),
        **network_shapes("judge", [OBSERVATION], HIDDEN, GOALS),
    }
    arrays = {name: 0.1 * rng.standard_normal(shape, np.float32) for name, shape in shapes.items()}
    bounds = {"low": [-1.0] * ACTION, "high": [1.0] * ACTION}
    header = {
        "environment": {"name": "HalfCheetah-v5"},
        "observation": {"size": OBSERVATION, "normalization": "none"},
        "action": {"kind": "box", **bounds, "dtype": "float32"},
        "goals": {"number": GOALS, "size": GOALS, "continuous": False},
        "hidden_units": HIDDEN,
        "agent": {"name": "sac", "policy_activation": "relu"},
        "objective": {"name": "diayn", "features": None},
    }
    return Skills(header, arrays)


def microseconds(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Of one call each: the quickest batch, as other programs only make one slower; batches take turns."""
    best = dict.fromkeys(calls, np.inf)
    for _ in range(BATCHES):
        for name, call in calls.items():
            begin = time.perf_counter()
            for _ in range(CALLS):
                call()
            best[name] = min(best[name], 1e6 * (time.perf_counter() - begin) / CALLS)
    return best


def main() -> None:
    skills = Skills.load(sys.argv[1]) if len(sys.argv) > 1 else untrained()
    rng = np.random.default_rng(0)
    observation = rng.normal(size=skills.observation_size)
    policy = skills._policy
    first, hidden, output = policy.inputs[0], policy.hidden, policy.output
    situation = rng.standard_normal(len(first), np.float32)
    between = rng.standard_normal(len(hidden), np.float32)

    def products() -> None:
        _ = situation @ first
        _ = between @ hidden
        _ = between @ output

    print(skills)
    many = np.tile(observation, (TOGETHER, 1))
    costs = microseconds(
        {
            "bare matrix products": products,
            "act": lambda: skills.act(observation, 0),
            "act, sampled": lambda: skills.act(observation, 0, rng),
            f"act, {TOGETHER} together": lambda: skills.act(many, 0),
        }
    )
    bare = costs["bare matrix products"]
    for name, cost in costs.items():
        print(f"{name:26}{cost:8.1f} us   {cost / bare:5.2f} x")


if __name__ == "__main__":
    with threadpool_limits(1):  # for such sizes two threads are slower than one
        main()
