"""How much is due to the agent? The paper's GMM-SAC and a modern SAC.

    python -m studies.agents --environment navigation2d

The paper's agent has one Q, a score-function gradient and a mixture of K Gaussians; the modern one twin
Q and a reparameterised Gaussian. The reward is on the state acted in (the paper) or on the next.
"""

import sys
from dataclasses import replace

from autotelic import paper
from autotelic.agents import GmmSac, Sac
from autotelic.objectives import Diayn
from autotelic.selectors import RoundRobin, Uniform
from studies.command import main
from studies.study import Arm, Study

AGENTS = {
    "GMM-SAC, K = 4": GmmSac(components=4),
    "GMM-SAC, K = 1": GmmSac(components=1),
    "SAC": Sac(tune_entropy=False),
}
REWARDS = {"reward on state": "obs", "reward on next state": "next_obs"}
SELECTORS = {"uniform selection": Uniform(), "round-robin selection": RoundRobin()}

STUDIES = {
    "navigation2d": Study(
        name="agents_navigation2d",
        question="How much of what is learned in 2D navigation is due to the agent and the state that is "
        "rewarded?",
        arms=tuple(
            Arm(
                f"{agent_name}, {reward}",
                replace(
                    paper.NAVIGATION_2D,
                    agent=agent,
                    objective=Diayn(reward_state=state, reward_prior="current"),
                ),
                selector,
                condition,
            )
            for condition, selector in SELECTORS.items()
            for agent_name, agent in AGENTS.items()
            for reward, state in REWARDS.items()
        ),
        seeds=tuple(range(5)),
        epochs=100,
        baselines=("GMM-SAC, K = 4, reward on state",),
    )
}

if __name__ == "__main__":
    sys.exit(main("agents", STUDIES, flag="environment"))
