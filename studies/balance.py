"""Does a schedule of goals change the skills, or only what the discriminator knows of them?

    python -m studies.balance --part fixed
    python -m studies.balance --part trained

*fixed*: skills that were learned before are kept as they are, and only a fresh discriminator learns,
under two schedules and with two kinds of replay. Whatever differs between schedules here is no
difference of skills. *trained*: everything learns, with both kinds of replay. A goal-balanced replay gives
every goal the same weight in a batch, however often it was practised; what a schedule changes with it
is not the balance of classes.
"""

import hashlib
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from autotelic import paper
from autotelic.agents import Agent, Batch, GmmSac
from autotelic.agents.base import Sizes
from autotelic.learner.setting import Setting
from autotelic.runs.run import load
from autotelic.runs.skills import SKILLS_FILE
from autotelic.selectors import DiversityProgress, RoundRobin, Uniform
from autotelic.training.train import train
from studies.command import main
from studies.study import Arm, Study

SEEDS = tuple(range(10))
REPLAYS = ("uniform", "goal_balanced")
LEARNED, LEARNED_EPOCHS = paper.NAVIGATION_2D, 100
"""How the skills that are kept fixed were learned, in rounds."""


@dataclass(frozen=True)
class FixedSkills(Agent):
    """Acts by skills that were learned before, and learns nothing.

    folder: of the run whose skills they are. A learner takes those of one of the run's members, by its
      key, so that the learners of one seed have the same under every schedule.
    digest: of the skills; what a run is known by, wherever the folder lies.
    agent: whose policies they are.
    """

    folder: str = field(repr=False, compare=False)
    digest: str
    agent: GmmSac = field(default_factory=GmmSac)
    discount = 0.99
    loss_names = ()

    def init(self, key: jax.Array, sizes: Sizes) -> Any:
        """The policy of one member."""
        policies = load(self.folder).skills.policy
        members = len(jax.tree.leaves(policies)[0])
        member = jax.random.randint(key, (), 0, members)
        return jax.tree.map(lambda leaf: jnp.asarray(leaf)[member], policies)

    def acting_noise(self, key: jax.Array, shape: tuple[int, ...], action_size: int) -> Any:
        """The inner agent's."""
        return self.agent.acting_noise(key, shape, action_size)

    def update_noise(self, key: jax.Array, shape: tuple[int, ...], action_size: int) -> Any:
        """None is needed."""
        return jnp.zeros(shape[:1])

    def policy(self, state: Any) -> Any:
        """All there is."""
        return state

    def act(self, policy: Any, observation: jax.Array, skill: jax.Array, noise: Any) -> jax.Array:
        """The inner agent's action."""
        return self.agent.act(policy, observation, skill, noise)

    def act_deterministically(
        self, policy: Any, observation: jax.Array, skill: jax.Array
    ) -> jax.Array:
        """The inner agent's."""
        return self.agent.act_deterministically(policy, observation, skill)

    def update(
        self,
        state: Any,
        batch: Batch,
        rewards: jax.Array,
        noise: Any,
        learning_rate: float,
        ready: jax.Array | bool = True,
    ) -> tuple[Any, dict[str, jax.Array]]:
        """Nothing changes."""
        return state, {}


def with_learned_skills(study: Study, runs: Path) -> Study:
    """The study with its skills, which are learned first: round-robin at the paper's setting."""
    if not study.name.startswith("balance_fixed"):
        return study
    folder = runs / "learned"
    train(LEARNED, {"round-robin": RoundRobin()}, SEEDS, LEARNED_EPOCHS, folder, resume=True)
    digest = hashlib.sha256((folder / SKILLS_FILE).read_bytes()).hexdigest()[:12]
    agent = FixedSkills(str(folder), digest)
    return replace(
        study,
        arms=tuple(replace(arm, setting=replace(arm.setting, agent=agent)) for arm in study.arms),
    )


def arms(setting: Setting, **selectors: Any) -> tuple[Arm, ...]:
    """The selectors with either kind of replay, each a condition."""
    return tuple(
        Arm(name.replace("_", "-"), replace(setting, replay=kind), selector, f"{kind} replay")
        for kind in REPLAYS
        for name, selector in selectors.items()
    )


STUDIES = {
    "fixed": Study(
        name="balance_fixed",
        question="What does a schedule of goals change when the skills are fixed?",
        arms=arms(
            replace(paper.NAVIGATION_2D, agent=FixedSkills("", "")),
            uniform=Uniform(),
            round_robin=RoundRobin(),
        ),
        seeds=SEEDS,
        epochs=60,
        baselines=("uniform",),
    ),
    "trained": Study(
        name="balance_trained",
        question="What does a schedule of goals change when every goal weighs the same in a batch?",
        arms=arms(
            paper.NAVIGATION_2D,
            uniform=Uniform(),
            round_robin=RoundRobin(),
            DP=DiversityProgress(temperature=0.1),
        ),
        seeds=SEEDS,
        epochs=100,
        baselines=("uniform", "round-robin"),
    ),
}

if __name__ == "__main__":
    sys.exit(main("balance", STUDIES, flag="part", prepare=with_learned_skills))
