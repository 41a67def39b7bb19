"""DIAYN in one file of PyTorch, in the manner of CleanRL, with the goals chosen by a `Curriculum`.

    pip install 'autotelic[train]' torch
    python examples/cleanrl_diayn.py --env-id HalfCheetah-v5 --selector curious

Three places know of the selector: `select` says which skill to practise for the next steps, `prior` is the
p(g) in the reward, and `update` hears how recognisable the skill was at each of them.
"""

# pyright: reportMissingImports=false
import argparse
import random
import time

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim

import autotelic as at
from autotelic.selectors import parse_method

NAVIGATION = "autotelic.environments.making:autotelic/Navigation2D-v0"
"""The module before the colon registers the id."""
LOG_STD_MIN, LOG_STD_MAX = -5, 2


def parse_args(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--env-id", default=NAVIGATION)
    parser.add_argument(
        "--selector", default="round-robin", help="as `autotelic selectors` lists them"
    )
    parser.add_argument("--num-skills", type=int, default=8)
    parser.add_argument("--steps-per-skill", type=int, default=100, help="a skill is held so long")
    parser.add_argument("--total-timesteps", type=int, default=50_000)
    parser.add_argument("--learning-starts", type=int, default=1000)
    parser.add_argument("--buffer-size", type=int, default=100_000)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--learning-rate", type=float, default=3e-4)
    parser.add_argument("--alpha", type=float, default=0.1, help="weight of the entropy")
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--tau", type=float, default=0.005)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(words)


def mlp(inputs: int, outputs: int, hidden: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inputs, hidden),
        nn.ReLU(),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Linear(hidden, outputs),
    )


class Actor(nn.Module):
    scale: torch.Tensor
    bias: torch.Tensor

    def __init__(self, situation: int, space: gym.spaces.Box, hidden: int):
        super().__init__()
        self.net = mlp(situation, 2 * space.shape[0], hidden)
        self.register_buffer("scale", torch.tensor((space.high - space.low) / 2.0))
        self.register_buffer("bias", torch.tensor((space.high + space.low) / 2.0))

    def forward(self, situation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """A sampled action in the environment's units, and its log-probability."""
        mean, log_std = self.net(situation).chunk(2, dim=-1)
        log_std = torch.clamp(log_std, LOG_STD_MIN, LOG_STD_MAX)
        normal = torch.distributions.Normal(mean, log_std.exp())
        unsquashed = normal.rsample()
        squashed = torch.tanh(unsquashed)
        log_slope = 2 * (np.log(2) - unsquashed - F.softplus(-2 * unsquashed))
        log_prob = (normal.log_prob(unsquashed) - log_slope).sum(-1)
        return squashed * self.scale + self.bias, log_prob


class ReplayBuffer:
    def __init__(self, capacity: int, observation: int, action: int):
        self.rows = {
            "obs": np.zeros((capacity, observation), np.float32),
            "next_obs": np.zeros((capacity, observation), np.float32),
            "actions": np.zeros((capacity, action), np.float32),
            "terminated": np.zeros(capacity, np.float32),
            "skills": np.zeros(capacity, np.int64),
        }
        self.capacity, self.added = capacity, 0

    def add(self, **row: object) -> None:
        for name, value in row.items():
            self.rows[name][self.added % self.capacity] = value
        self.added += 1

    def sample(self, size: int, rng: np.random.Generator) -> dict[str, torch.Tensor]:
        chosen = rng.integers(min(self.added, self.capacity), size=size)
        return {name: torch.from_numpy(values[chosen]) for name, values in self.rows.items()}


def main(words: list[str] | None = None) -> list[float]:
    """Returns the mean certainty q(z | s') of the practised skill, of every visit."""
    args = parse_args(words)
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = gym.make(args.env_id)
    env.action_space.seed(args.seed)
    assert isinstance(env.action_space, gym.spaces.Box), "only continuous actions"
    observation, action = env.observation_space.shape[0], env.action_space.shape[0]  # type: ignore
    situation = observation + args.num_skills

    actor = Actor(situation, env.action_space, args.hidden)
    critics, targets = (
        nn.ModuleList(mlp(situation + action, 1, args.hidden) for _ in range(2)) for _ in range(2)
    )
    targets.load_state_dict(critics.state_dict())
    discriminator = mlp(observation, args.num_skills, args.hidden)
    optimizers = [
        optim.Adam(network.parameters(), lr=args.learning_rate)
        for network in (actor, critics, discriminator)
    ]
    replay = ReplayBuffer(args.buffer_size, observation, action)

    # A visit must be as long as the selector's windows: `check` says so before any work.
    _, selector = parse_method(args.selector)
    selector.check(args.num_skills, args.steps_per_skill)
    curriculum = at.Curriculum(selector, args.num_skills, seed=args.seed)

    def one_hot(skills: torch.Tensor) -> torch.Tensor:
        return F.one_hot(skills, args.num_skills).float()

    def q_values(networks: nn.ModuleList, *inputs: torch.Tensor) -> torch.Tensor:
        joined = torch.cat(inputs, dim=-1)
        return torch.stack([network(joined)[..., 0] for network in networks])

    def update(log_prior: torch.Tensor) -> None:
        batch = replay.sample(args.batch_size, rng)
        skills = one_hot(batch["skills"])
        here = torch.cat([batch["obs"], skills], dim=-1)
        there = torch.cat([batch["next_obs"], skills], dim=-1)
        logits = discriminator(batch["next_obs"])
        with torch.no_grad():
            log_q = F.log_softmax(logits, dim=-1).gather(1, batch["skills"][:, None])[:, 0]
            rewards = log_q - log_prior[batch["skills"]]
            next_actions, next_log_prob = actor(there)
            next_q = q_values(targets, there, next_actions).min(dim=0).values
            next_value = next_q - args.alpha * next_log_prob
            target = rewards + args.gamma * (1 - batch["terminated"]) * next_value
        critic_loss = F.mse_loss(
            q_values(critics, here, batch["actions"]), target.expand(2, -1), reduction="sum"
        )
        actions, log_prob = actor(here)
        actor_loss = (
            args.alpha * log_prob - q_values(critics, here, actions).min(dim=0).values
        ).mean()
        discriminator_loss = F.cross_entropy(logits, batch["skills"])
        # The actor's loss reaches the critics too: their gradients are cleared before their own step.
        for optimizer, loss in zip(
            optimizers, (actor_loss, critic_loss / args.batch_size, discriminator_loss), strict=True
        ):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            for target_p, p in zip(targets.parameters(), critics.parameters(), strict=True):
                target_p.lerp_(p, args.tau)

    obs, _ = env.reset(seed=args.seed)
    certainties: list[float] = []
    begin = time.time()
    for visit in range(args.total_timesteps // args.steps_per_skill):
        skill = curriculum.select()
        log_prior = torch.from_numpy(np.log(curriculum.prior)).float()
        code = one_hot(torch.tensor(skill))
        posteriors = []
        for _ in range(args.steps_per_skill):
            if replay.added < args.learning_starts:
                act = env.action_space.sample()
            else:
                with torch.no_grad():
                    seen = torch.from_numpy(np.asarray(obs, np.float32))
                    act = actor(torch.cat([seen, code]))[0].numpy()
            next_obs, _, terminated, truncated, _ = env.step(act)
            replay.add(obs=obs, next_obs=next_obs, actions=act, terminated=terminated, skills=skill)
            with torch.no_grad():  # judged before q learns from it
                logits = discriminator(torch.from_numpy(np.asarray(next_obs, np.float32)))
                posteriors.append(torch.softmax(logits, dim=-1).double().numpy())
            if replay.added >= args.learning_starts:
                update(log_prior)
            obs = env.reset()[0] if terminated or truncated else next_obs
        certainties.append(float(np.mean([row[skill] for row in posteriors])))
        curriculum.update(posteriors)
        if visit % 20 == 19:
            effective = at.effective_number_of_skills(curriculum.selection_probabilities)
            print(
                f"step {replay.added}: certainty {np.mean(certainties[-20:]):.2f}, "
                f"{effective:.1f} effective skills, {replay.added / (time.time() - begin):.0f} steps/s",
                flush=True,
            )
    env.close()
    return certainties


if __name__ == "__main__":
    main()
