"""A task solved by choosing among skills: Stable-Baselines3's PPO on `SkillActions`.

    pip install 'autotelic[train,sb3]'
    autotelic train HalfCheetah-v5 --num-goals 8 --methods round-robin --seeds 1 --epochs 15 --out runs/hc
    autotelic export runs/hc --out skills.npz
    python examples/skills_as_actions.py skills.npz HalfCheetah-v5

The task is the environment's own reward, which had no part in the skills' training. Beside what PPO
learned stand a random skill every time, and each skill alone.
"""

# pyright: reportMissingImports=false
import argparse
from collections.abc import Callable

import gymnasium
import numpy as np
from stable_baselines3 import PPO

import autotelic as at


def mean_return(env: gymnasium.Env, choose: Callable[[np.ndarray], int], episodes: int) -> float:
    """Of so many episodes in which `choose` says what to do."""
    returns = []
    for episode in range(episodes):
        observation, _ = env.reset(seed=1000 + episode)
        total, over = 0.0, False
        while not over:
            observation, reward, terminated, truncated, _ = env.step(choose(observation))
            total, over = total + float(reward), terminated or truncated
        returns.append(total)
    return float(np.mean(returns))


def main(words: list[str] | None = None) -> dict[str, float]:
    parser = argparse.ArgumentParser()
    parser.add_argument("skills", help="a file that `autotelic export` wrote")
    parser.add_argument("task", help="a Gymnasium id with the skills' observations and actions")
    parser.add_argument("--steps-per-skill", type=int, default=25)
    parser.add_argument("--choices", type=int, default=4000, help="how often PPO chooses a skill")
    parser.add_argument("--episodes", type=int, default=5, help="of each evaluation")
    flags = parser.parse_args(words)

    skills = at.Skills.load(flags.skills)
    env = at.downstream.SkillActions(
        gymnasium.make(flags.task), skills, flags.steps_per_skill, discrete=True
    )
    model = PPO("MlpPolicy", env, n_steps=200, batch_size=50, gamma=0.95, seed=0, device="cpu")
    model.learn(flags.choices)

    rng = np.random.default_rng(0)
    policies: dict[str, Callable[[np.ndarray], int]] = {
        "PPO": lambda seen: int(model.predict(seen, deterministic=True)[0]),
        "a random skill": lambda seen: int(rng.integers(len(skills))),
        **{f"skill {goal} alone": lambda seen, goal=goal: goal for goal in range(len(skills))},
    }
    found = {name: mean_return(env, choose, flags.episodes) for name, choose in policies.items()}
    for name, value in found.items():
        print(f"{name:16}{value:10.1f}")
    return found


if __name__ == "__main__":
    main()
