"""HOW is a goal judged and rewarded? Intrinsic reward and posteriors, for one learner."""

from autotelic.objectives.base import Context as Context
from autotelic.objectives.base import GoalSpace as GoalSpace
from autotelic.objectives.base import Objective as Objective
from autotelic.objectives.check import check_objective as check_objective
from autotelic.objectives.cic import Cic as Cic
from autotelic.objectives.csf import Csf as Csf
from autotelic.objectives.dads import Dads as Dads
from autotelic.objectives.diayn import Diayn as Diayn
from autotelic.objectives.disdain import Disdain as Disdain
from autotelic.objectives.metra import Lsd as Lsd
from autotelic.objectives.metra import Metra as Metra
from autotelic.objectives.reach import Reach as Reach
from autotelic.objectives.rvic import Rvic as Rvic
from autotelic.objectives.task import Task as Task
from autotelic.objectives.vic import Vic as Vic
from autotelic.objectives.visr import Visr as Visr

OBJECTIVES: dict[str, type[Objective]] = {
    "diayn": Diayn,
    "vic": Vic,
    "rvic": Rvic,
    "disdain": Disdain,
    "visr": Visr,
    "cic": Cic,
    "dads": Dads,
    "lsd": Lsd,
    "metra": Metra,
    "csf": Csf,
    "reach": Reach,
    "task": Task,
}
"""By the shell's names."""
