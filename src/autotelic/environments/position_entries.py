"""Which entries of an observation are the agent's position: found by looking, not by names of tasks."""

import gymnasium
import numpy as np

from autotelic.environments.goal_observations import flat

NAMES = ("x_position", "y_position")
"""What Gymnasium's MuJoCo tasks call the position in the information of a step."""
STEPS = 5


def find_position_entries(environment: gymnasium.Env) -> tuple[int, ...]:
    """The entries that hold x, or x and y, throughout a few random steps; () if any is not there.

    MuJoCo's tasks have them with `exclude_current_positions_from_observation=False`. An entry that
    never changes is none: it may be 0 for any reason.
    """
    observation, information = environment.reset(seed=0)
    environment.action_space.seed(0)
    seen = [
        (np.array(flat(observation)), information)
    ]  # some write the next one into the same array
    for _ in range(STEPS):
        observation, _, terminated, truncated, information = environment.step(
            environment.action_space.sample()
        )
        seen.append((np.array(flat(observation)), information))
        if terminated or truncated:
            break
    # What a reset says may lack them.
    told = [pair for pair in seen if all(name in pair[1] for name in _named(information))]
    observations = np.array([one for one, _ in told], np.float64)
    entries: list[int] = []
    for name in _named(information):
        positions = np.array([[said[name]] for _, said in told], np.float64)
        same = np.isclose(observations, positions, rtol=1e-6, atol=1e-6).all(axis=0)
        fitting = [int(entry) for entry in np.flatnonzero(same) if entry not in entries]
        if not fitting or np.ptp(positions) == 0:
            return ()
        entries.append(fitting[0])
    return tuple(entries)


def _named(information: dict[str, object]) -> list[str]:
    return [name for name in NAMES if name in information]
