"""Does 2D navigation behave as the paper says? Trains at the paper's setting and prints the numbers.

    python benchmarks/navigation_check.py [FOLDER]

20 goals, 5 seeds, 100 epochs of 1000 steps; DIAYN, Diversity Progress, DIAYN's learned prior and VIC
by REINFORCE. About ten minutes on two cores. Run again with the same folder, it continues where it
was stopped, and only evaluates what is finished.
"""

import sys
from pathlib import Path

import numpy as np

import autotelic as at
from autotelic.agents import GmmSac
from autotelic.evaluation import (
    held_out_accuracy,
    knn_f1,
    mean_observations,
    sample_trajectories,
    standardised,
)
from autotelic.learner.setting import Setting
from autotelic.objectives import Diayn
from autotelic.runs.history import History
from autotelic.runs.run import Runs
from autotelic.training.train import train

SETTING = Setting(
    environment="navigation2d",
    num_goals=20,
    hidden_units=32,
    agent=GmmSac(),
    objective=Diayn(reward_state="obs", reward_prior="current"),
)
VIC = at.VariationalControl()
METHODS = {
    "DIAYN": at.Uniform(),
    "DIAYN+DP (T=0.1)": at.DiversityProgress(offset=250, smoothing=250, temperature=0.1),
    "Learned prior": at.LearnedPrior(),
    "VIC": VIC,
}
SEEDS, EPOCHS, TRAJECTORIES = range(5), 100, 20


def print_effective_skills(runs: Runs) -> None:
    """The effective number of skills after the first round, in which each goal is tried once."""
    print(f"{'effective number of skills':28}{'lowest of each seed':>32}{'mean':>8}{'last':>8}")
    for method, curves in History(runs).effective_curves().items():
        later = curves[:, runs.setting.num_goals :]
        lowest = " ".join(f"{value:5.2f}" for value in later.min(axis=1))
        print(f"{method:28}{lowest:>32}{later.mean():8.2f}{later[:, -1].mean():8.2f}")


def print_skills(runs: Runs) -> None:
    """How well fresh trajectories of the skills are told apart, trained and untrained."""
    print(f"{'told apart, mean of seeds':28}{'per step':>12}{'trajectory':>12}{'KNN-F1':>10}")
    labels = np.array([method for method, _ in runs.members])
    for untrained in (False, True):
        trajectories = sample_trajectories(runs, TRAJECTORIES, untrained=untrained)
        accuracy = held_out_accuracy(trajectories)
        means = standardised(mean_observations(trajectories.observations, trajectories.lengths))
        f1 = np.array([knn_f1(features) for features in means])
        # Untrained learners of the same seed are the same, whatever the method.
        for method in runs.methods[:1] if untrained else runs.methods:
            rows = labels == method
            print(
                f"{'untrained' if untrained else method:28}{accuracy.per_step[rows].mean():12.3f}"
                f"{accuracy.per_trajectory[rows].mean():12.3f}{f1[rows].mean():10.3f}"
            )
    print(f"{'chance':28}{1 / runs.setting.num_goals:12.3f}{1 / runs.setting.num_goals:12.3f}")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("runs/navigation_check")
    runs = train(SETTING, METHODS, SEEDS, EPOCHS, folder, resume=True)
    print(f"VIC's learning rate, of its one step an epoch: {VIC.learning_rate:g}\n")
    print_effective_skills(runs)
    print()
    print_skills(runs)


if __name__ == "__main__":
    main()
