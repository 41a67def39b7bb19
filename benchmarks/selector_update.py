"""What an epoch's selection costs: microseconds for update, probabilities and select.

    python benchmarks/selector_update.py

1000 steps and 20 goals, as in the paper; the median of 200 epochs after a first round.
"""

import time

import numpy as np

from autotelic import GoalSelector, VisitOutcome
from autotelic.selectors.spelling import NAMES

STEPS, GOALS, EPOCHS = 1000, 20, 200


def measure(selector: GoalSelector) -> dict[str, float]:
    generator = np.random.default_rng(0)
    weights = generator.exponential(size=(STEPS, GOALS))
    posteriors = weights / weights.sum(axis=1, keepdims=True)
    state = selector.init(GOALS)
    times: dict[str, list[float]] = {"update": [], "probabilities": [], "select": []}
    for epoch in range(GOALS + EPOCHS):
        goal = epoch % GOALS
        begin = time.perf_counter()
        state = selector.update(state, VisitOutcome(goal, posteriors))
        updated = time.perf_counter()
        selector.selection_probabilities(state)
        selector.prior(state)
        weighed = time.perf_counter()
        selector.select(state, generator)
        end = time.perf_counter()
        for name, duration in zip(
            times, (updated - begin, weighed - updated, end - weighed), strict=True
        ):
            times[name].append(duration)
    return {name: 1e6 * float(np.median(values[GOALS:])) for name, values in times.items()}


def main() -> None:
    print(f"{'microseconds':22}{'update':>10}{'p(g)':>10}{'select':>10}   ({STEPS} x {GOALS})")
    for name, kind in NAMES.items():
        cost = measure(kind())
        print(f"{name:22}" + "".join(f"{value:10.0f}" for value in cost.values()))


if __name__ == "__main__":
    main()
