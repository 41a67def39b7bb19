"""What was learned: fresh trajectories of every skill, and how well they can be distinguished.

Metrics and statistics do without JAX; what samples trajectories loads it on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from autotelic.evaluation.classifier import HeldOutAccuracy as HeldOutAccuracy
from autotelic.evaluation.classifier import held_out_accuracy as held_out_accuracy
from autotelic.evaluation.classifier import held_out_judgements as held_out_judgements
from autotelic.evaluation.coverage import GroundTraces as GroundTraces
from autotelic.evaluation.coverage import cells_covered as cells_covered
from autotelic.evaluation.coverage import coverage_trajectories as coverage_trajectories
from autotelic.evaluation.metrics import Judgements as Judgements
from autotelic.evaluation.metrics import accuracy as accuracy
from autotelic.evaluation.metrics import effective_number_of_skills as effective_number_of_skills
from autotelic.evaluation.metrics import knn_f1 as knn_f1
from autotelic.evaluation.metrics import macro_f1 as macro_f1
from autotelic.evaluation.metrics import mean_certainty as mean_certainty
from autotelic.evaluation.metrics import mean_observations as mean_observations
from autotelic.evaluation.metrics import mutual_information_bound as mutual_information_bound
from autotelic.evaluation.metrics import negative_log_likelihood as negative_log_likelihood
from autotelic.evaluation.metrics import per_trajectory as per_trajectory
from autotelic.evaluation.metrics import standardised as standardised
from autotelic.evaluation.results import Evaluation as Evaluation
from autotelic.evaluation.results import load_evaluation as load_evaluation
from autotelic.evaluation.trajectories import Trajectories as Trajectories
from autotelic.evaluation.trajectories import load_trajectories as load_trajectories

if TYPE_CHECKING:
    from autotelic.evaluation.rollouts import discriminator_judgements as discriminator_judgements
    from autotelic.evaluation.rollouts import roll_out as roll_out
    from autotelic.evaluation.rollouts import sample_trajectories as sample_trajectories

SAMPLING = ("discriminator_judgements", "roll_out", "sample_trajectories")


def __getattr__(name: str) -> Any:
    """Load what needs JAX on first use."""
    if name not in SAMPLING:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("autotelic.evaluation.rollouts"), name)
