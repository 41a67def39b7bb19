"""Does Stable-Baselines3's PPO learn a task faster by skills than by primitive actions?

    pip install 'autotelic[train,sb3]'
    python benchmarks/ppo_over_skills.py RUN [RUN ...] --task autotelic/AntMultiGoal-v0 --out FOLDER

Every learner of a run gives a seed: PPO over its skills, each held for 25 steps, and PPO from scratch, with
its usual settings. Both have as many steps of the environment. Several runs, of different objectives and the
same seeds, share what is learned from scratch. FOLDER/curves.csv has the return of fresh episodes against
steps, curves.png its picture; learners that it has are not trained again. Learners train side by side, one to
a core.
"""

# pyright: reportMissingImports=false, reportUnusedImport=false
import argparse
import multiprocessing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas

from autotelic._cores import usable_cores
from autotelic.downstream.learning import FROM_SCRATCH, compare_arms
from autotelic.figures import task_curves
from autotelic.figures.saving import save_bitmap
from autotelic.runs import atomic
from autotelic.runs.export import skills_of
from autotelic.runs.run import load

CHOICES, BATCH = 256, 64
"""Of PPO over skills, between two updates and in a batch: its usual 2048 would be 51,200 steps."""
DISCOUNT = 0.95
"""Of a choice: what is four skills away counts four fifths."""
MEASUREMENTS, EPISODES = 10, 10


class Job(NamedTuple):
    """One learner."""

    run: str
    method: str
    seed: int
    arm: str
    task: str
    steps: int = 400_000
    steps_per_skill: int = 25


def learn(job: Job) -> list[dict[str, Any]]:
    """Train a learner; a row for each measurement."""
    import gymnasium
    import torch
    from stable_baselines3 import PPO

    import autotelic as at
    import autotelic.environments  # registers the tasks

    torch.set_num_threads(1)
    runs = load(job.run)
    options = dict(runs.setting.environment_options)
    held = 1 if job.arm == FROM_SCRATCH else job.steps_per_skill

    def make() -> gymnasium.Env[Any, Any]:
        env = gymnasium.make(job.task, **options)
        if job.arm == FROM_SCRATCH:
            return env
        skills = skills_of(runs, job.method, job.seed)
        size = skills.observation_size
        return at.downstream.SkillActions(
            env, skills, held, discrete=True, observe=lambda seen: seen[..., :size]
        )

    env, fresh = make(), make()
    usual = {"n_steps": CHOICES, "batch_size": BATCH, "gamma": DISCOUNT} if held > 1 else {}
    model = PPO("MlpPolicy", env, seed=job.seed, device="cpu", **usual)
    rows = [_row(job, 0, model, fresh)]
    for part in range(1, MEASUREMENTS + 1):
        model.learn(job.steps // held // MEASUREMENTS, reset_num_timesteps=part == 1)
        rows.append(_row(job, job.steps * part // MEASUREMENTS, model, fresh))
    return rows


def _row(job: Job, steps: int, model: Any, env: Any) -> dict[str, Any]:
    """The mean return of fresh episodes, the same for all."""
    returns = []
    for episode in range(EPISODES):
        observation, _ = env.reset(seed=1000 + episode)
        total, over = 0.0, False
        while not over:
            action, _ = model.predict(observation, deterministic=True)
            observation, reward, terminated, truncated, _ = env.step(action)
            total, over = total + float(reward), terminated or truncated
        returns.append(total)
    value = round(float(np.mean(returns)), 4)
    return {"arm": job.arm, "seed": job.seed, "steps": steps, "return": value}


def main() -> None:
    """Train what is missing and write the table."""
    flags = _flags()
    path = flags.out / "curves.csv"
    table: Any = pandas.read_csv(path) if path.exists() else pandas.DataFrame()
    done = set() if table.empty else set(zip(table["arm"], table["seed"], strict=True))
    wanted = {}
    for folder in flags.runs:
        runs = load(folder)
        method = flags.method or runs.methods[0]
        over_skills = f"over skills of {method}"
        for seed in runs.seeds:
            for arm in (over_skills, FROM_SCRATCH):
                job = Job(folder, method, seed, arm, flags.task)
                wanted[arm, seed] = job._replace(
                    steps=flags.steps, steps_per_skill=flags.steps_per_skill
                )
    jobs = [job for key, job in wanted.items() if key not in done]
    flags.out.mkdir(parents=True, exist_ok=True)
    with multiprocessing.get_context("spawn").Pool(usable_cores()) as pool:
        for rows in pool.imap_unordered(learn, jobs):
            table = pandas.concat([table, pandas.DataFrame(rows)], ignore_index=True)
            table = table.sort_values(["arm", "seed", "steps"], ignore_index=True)
            atomic.write_bytes(path, table.to_csv(index=False, lineterminator="\n").encode())
            print(f"{rows[0]['arm']}, seed {rows[0]['seed']}: {rows[-1]['return']}", flush=True)
    for arm in compare_arms(table):
        print(arm)
    arms = {arm: rows.assign(arm=f"PPO {arm}") for arm, rows in table.groupby("arm", sort=False)}
    save_bitmap(task_curves({flags.task: pandas.concat(arms.values())}), flags.out, "curves")


def _flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="PPO over skills and PPO from scratch.")
    parser.add_argument("runs", nargs="+", help="run folders; each learner of one is a seed")
    parser.add_argument("--method", default="", help="of the run (default: its first)")
    parser.add_argument("--task", required=True)
    parser.add_argument("--steps", type=int, default=400_000, help="of the environment")
    parser.add_argument("--steps-per-skill", type=int, default=25)
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
