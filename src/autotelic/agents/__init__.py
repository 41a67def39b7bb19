"""LEARN to pursue a goal: soft actor-critic agents behind one contract, written for one learner."""

from autotelic.agents.auto_sac import AutoSac as AutoSac
from autotelic.agents.base import Agent as Agent
from autotelic.agents.base import Batch as Batch
from autotelic.agents.discrete_sac import DiscreteSac as DiscreteSac
from autotelic.agents.gmm_sac import GmmSac as GmmSac
from autotelic.agents.sac import Sac as Sac

AGENTS: dict[str, type[Agent]] = {
    "auto": AutoSac,
    "discrete-sac": DiscreteSac,
    "gmm-sac": GmmSac,
    "sac": Sac,
}
