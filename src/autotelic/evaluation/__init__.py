"""What was learned: fresh trajectories of every skill, and how well they can be told apart."""

from autotelic.evaluation.classifier import HeldOutAccuracy as HeldOutAccuracy
from autotelic.evaluation.classifier import held_out_accuracy as held_out_accuracy
from autotelic.evaluation.classifier import held_out_judgements as held_out_judgements
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
from autotelic.evaluation.rollouts import discriminator_judgements as discriminator_judgements
from autotelic.evaluation.rollouts import roll_out as roll_out
from autotelic.evaluation.rollouts import sample_trajectories as sample_trajectories
from autotelic.evaluation.trajectories import Trajectories as Trajectories
from autotelic.evaluation.trajectories import load_trajectories as load_trajectories
