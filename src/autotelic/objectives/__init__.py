"""HOW certain are we of the goal? Discriminator, intrinsic reward and posteriors, for one learner."""

from autotelic.objectives.base import Context as Context
from autotelic.objectives.base import Objective as Objective
from autotelic.objectives.csf import Csf as Csf
from autotelic.objectives.diayn import Diayn as Diayn
from autotelic.objectives.metra import Lsd as Lsd
from autotelic.objectives.metra import Metra as Metra

OBJECTIVES: dict[str, type[Objective]] = {
    "diayn": Diayn,
    "metra": Metra,
    "lsd": Lsd,
    "csf": Csf,
}
