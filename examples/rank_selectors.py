"""Which selector suits goals that differ? A ranking on a simulated learner, without training anything.

    python examples/rank_selectors.py [--goals 50] [--seeds 3] [--visits-per-goal 20] [--families all]

Two families by default: exchangeable goals, and a maze of corridors where half of the goals are
impossible. The score is the mean success over the reachable goals, averaged over visits, and the visits
until it is 80 %. It takes a minute or two with NumPy alone.
"""

import argparse
import dataclasses

from autotelic import simulation

SHORT = ("exchangeable", "maze, 50% impossible")


def main() -> None:
    parser = argparse.ArgumentParser(description="Rank goal selectors on a simulated learner.")
    parser.add_argument("--goals", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--visits-per-goal", type=int, default=20)
    parser.add_argument("--families", nargs="+", default=list(SHORT), help="'all', or some of them")
    parser.add_argument("--selectors", nargs="+", default=list(simulation.BY_SUCCESS))
    arguments = parser.parse_args()
    families = arguments.families
    for family in simulation.FAMILIES if families == ["all"] else families:
        maze = dataclasses.replace(simulation.FAMILIES[family], num_goals=arguments.goals)
        scores = simulation.rank_selectors(
            {name: simulation.BY_SUCCESS[name] for name in arguments.selectors},
            maze,
            visits=arguments.visits_per_goal * arguments.goals,
            seeds=range(arguments.seeds),
        )
        print(f"{family}: {arguments.goals} goals, {arguments.seeds} seeds")
        print(simulation.ranking_table(scores), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
