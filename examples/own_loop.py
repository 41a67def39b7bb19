"""Your own training loop with a goal selector, and a selector of your own. NumPy is all it needs.

    python examples/own_loop.py

The "agent" here is a toy: a point on a circle that each goal sends elsewhere, and a discriminator
that learns by counting where each goal has led. Put yours in its place: all that a curriculum asks
for is q(g | s_t) at every step of an epoch.
"""

import json

import numpy as np

import autotelic as at

NUM_GOALS, STEPS, CELLS = 6, 200, 24


class CountingAgent:
    """Walks on a circle; q(g|s) is the share of visits to the cell of s that goal g made."""

    def __init__(self, seed: int = 0):
        self.generator = np.random.default_rng(seed)
        self.visits = np.ones((CELLS, NUM_GOALS))

    def run_epoch(self, goal: int) -> np.ndarray:
        """Pursue a goal for an epoch; the posteriors q(g|s_t), [steps, goals]."""
        posteriors = np.empty((STEPS, NUM_GOALS))
        for t in range(STEPS):
            angle = goal / NUM_GOALS + 0.05 * self.generator.standard_normal()
            cell = int(angle % 1.0 * CELLS)
            posteriors[t] = self.visits[cell] / self.visits[cell].sum()  # judge, then learn
            self.visits[cell, goal] += 0.1
        return posteriors


def practise(selector: at.GoalSelector, epochs: int = 60) -> at.Curriculum:
    """The whole loop: select, practise, update."""
    agent, curriculum = CountingAgent(), at.Curriculum(selector, num_goals=NUM_GOALS, seed=0)
    for _ in range(epochs):
        goal = curriculum.select()
        posteriors = agent.run_epoch(goal)
        curriculum.update(posteriors)
    return curriculum


def main() -> None:
    # 1. The paper's selector.
    curriculum = practise(at.DiversityProgress(offset=100, smoothing=50, temperature=0.1))
    effective = at.effective_number_of_skills(curriculum.selection_probabilities)
    print(f"Diversity Progress: {effective:.1f} of {NUM_GOALS} goals in effect")
    print("  DP      ", curriculum.values.round(3))
    print("  p(g)    ", curriculum.prior.round(3))

    # 2. Save and continue: the state is JSON, the random generator included.
    text = json.dumps(curriculum.state_dict())
    restored = at.Curriculum(curriculum.selector, num_goals=NUM_GOALS)
    restored.load_state_dict(json.loads(text))
    print("  restored: the next goal is", restored.select(), "=", curriculum.select())

    # 3. A selector of your own, from a signal and a rule: absolute progress since the previous
    #    visit (it sees forgetting), averaged over visits, by a softmax, after a round of all goals.
    mine = at.Selector(
        at.signals.Progress(reference="previous_visit", absolute=True),
        at.rules.Softmax(temperature=0.05, step_size=0.5),
        warm_up=1,
    )
    at.check_selector(mine)  # raises, with the reason, if it broke the contract
    curriculum = practise(mine)
    print("My own selector, p(g):", curriculum.prior.round(3))


if __name__ == "__main__":
    main()
