"""What a crew makes of a visit's record: the learners are a double that hands one out."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autotelic as at
from autotelic.learner.learner import StepRecord
from autotelic.learner.plan import Member
from autotelic.objectives import Diayn
from autotelic.training.crew import MOST_PLACES, Crew, _thinned

GOALS, STEPS, VISITS = 3, 4, 2


class Told(at.Uniform):
    """Uniform draws; notes what it is told."""

    def update(self, state: Any, outcome: at.VisitOutcome) -> Any:
        OUTCOMES.append(outcome)
        return super().update(state, outcome)


OUTCOMES: list[at.VisitOutcome] = []


class Doubles:
    """Learners without networks, of one member with several environments; every visit has this record."""

    without_replay = SimpleNamespace(agent={}, discriminator={})

    def __init__(self, record: StepRecord, objective: Diayn, environments: int = 1):
        setting = SimpleNamespace(
            num_goals=GOALS, objective=objective, visits_per_epoch=VISITS, frozen=True
        )
        functions = SimpleNamespace(setting=setting, warm_up_visits=0)
        self.program = SimpleNamespace(functions=functions)
        self.record, self.environments = record, environments
        self.resting: set[int] = set()
        self.nan_actions: dict[int, int] = {}

    def run_visit(self, *_: Any) -> StepRecord:
        return self.record

    def exchange_goals(self, *_: Any) -> list[None]:
        return [None]

    def places(self) -> np.ndarray:
        return np.array([[[0.0], [1.0], [2.0]]])


def crew_of(objective: Diayn | None = None, environments: int = 1, **fields: Any) -> Crew:
    """Posteriors are uniform, unless they are given."""
    OUTCOMES.clear()
    uniform = np.full((1, STEPS, GOALS), 1 / GOALS)
    values: dict[str, Any] = {"posterior": uniform, "losses": {}, **fields}
    learners: Any = Doubles(StepRecord(**values), objective or Diayn(), environments)
    return Crew(learners, [Member(0, "told", Told(), 0)], probing=False)


@pytest.mark.parametrize(
    ("steps", "told"),
    [([0.5, 0.75, 0.0, 0.75], 0.5), ([2.0, 1.0, 1.0, 2.0], 1.0), ([-1.0, 0.5, 0.0, 0.0], 0.0)],
)
def test_selectors_are_told_the_mean_competence_cut_to_the_unit_interval(
    steps: list[float], told: float
):
    crew_of(competence=np.array([steps], np.float32)).run_visit(0)
    assert [outcome.competence for outcome in OUTCOMES] == [told]


def test_a_divergence_has_its_step_within_the_epoch():
    posterior = np.full((1, STEPS, GOALS), 1 / GOALS)
    posterior[0, 3] = np.nan
    crew = crew_of(posterior=posterior)
    crew.run_visit(1)
    [found] = crew.found
    assert (found.epoch, found.step) == (0, STEPS + 3)
    assert crew.over and crew.learners.resting == {0} and OUTCOMES == []


class Arrivals(Diayn):
    """Its success is the first environment's last step, and a tenth of the number of ends."""

    gives_success = True

    def success(self, reached: np.ndarray, ended: np.ndarray) -> float:
        assert reached.shape == ended.shape == (2, STEPS // 2)
        return float(reached[0, -1]) + float(ended[1].sum()) / 10


def test_steps_of_several_environments_come_in_turn():
    crew = crew_of(
        Arrivals(),
        environments=2,
        competence=np.array([[0.0, 0.0, 0.5, 0.0]]),  # the first, the second, the first, the second
        ended=np.array([[0.0, 1.0, 0.0, 1.0]]),
    )
    [row] = crew.run_visit(0)
    assert row["success"] == pytest.approx(0.7)
    assert [(o.success, o.competence) for o in OUTCOMES] == [(row["success"], row["success"])]
    assert OUTCOMES[0].count == 3  # the second ended an episode on the way, and began another


def test_episodes_that_do_not_end_count_too():
    still = np.zeros((1, 4))
    crew_of(Arrivals(), environments=2, competence=still, ended=still).run_visit(0)
    assert OUTCOMES[0].count == 2


class OnALine(Diayn):
    """Goals are places; one is reached where somebody was."""

    has_places = True

    def reached(self, achieved: np.ndarray, places: np.ndarray) -> np.ndarray:
        return np.isin(places[:, 0], achieved[:, 0])


def test_where_goals_are_places_every_selector_is_told_of_places():
    assert Told().evidence == frozenset()
    walked = np.array([[[0.0], [0.5], [1.0], [1.5]]], np.float32)
    crew_of(OnALine(), achieved=walked).run_visit(0)
    [outcome] = OUTCOMES
    assert outcome.achieved is not None and outcome.places is not None
    assert outcome.achieved.tolist() == walked[0].tolist()
    assert outcome.places.tolist() == [[0.0], [1.0], [2.0]]
    assert outcome.reached is not None and outcome.reached.tolist() == [True, True, False]


def test_a_visit_of_many_places_is_thinned_evenly():
    few = np.arange(10.0).reshape(5, 2)
    np.testing.assert_array_equal(_thinned(few), few)
    many = np.arange(5.0 * MOST_PLACES)[:, None]
    found = _thinned(many)
    assert len(found) == MOST_PLACES and found[-1] == many[-1]
    assert set(np.diff(found[:, 0])) <= {4.0, 5.0, 6.0}
