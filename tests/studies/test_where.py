"""The picture of where choosing pays shows what the studies' files say."""

from pathlib import Path

import numpy as np
import pytest

from autotelic.simulation import Score, rank_agreement
from studies import predicted, where
from studies.places import MAZES, SELECTORS
from studies.tables import read

HEADER = "condition,arm,baseline,metric,difference,difference_low,difference_high\n"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    (tmp_path / "places_maze").mkdir()
    (tmp_path / "places_maze" / "comparisons.csv").write_text(
        HEADER
        + "half impossible,auto,round-robin,area_success,0.126,0.1,0.15\n"
        + "half impossible,auto,uniform,area_success,0.9,0.9,0.9\n"
        + "half impossible,auto,round-robin,success,0.8,0.8,0.8\n"
        + "half impossible,frontier,round-robin,area_success,0.2,-0.1,0.5\n"
        + "none impossible,auto,round-robin,area_success,-0.4,-0.5,-0.3\n"
    )
    return tmp_path


def test_a_family_has_the_differences_of_its_condition_and_measure_to_round_robin(
    results: Path,
) -> None:
    found = where.found(results, where.Family("maze", "places_maze", "half impossible"))
    assert found == {"auto": (0.126, 0.1, 0.15), "frontier": (0.2, -0.1, 0.5)}
    assert where.found(results, where.Family("nothing", "places_nothing")) == {}


def test_the_picture_has_what_is_computed_the_best_first_and_only_clear_differences_bold(
    results: Path,
) -> None:
    drawn = where.figure(results)
    assert drawn is not None
    axes = drawn.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["frontier", "auto"]
    assert [label.get_text() for label in axes.get_xticklabels()] == [
        "maze, none\nimpossible",
        "maze, half\nimpossible",
    ]
    shown = {text.get_text(): text for text in axes.texts}
    assert set(shown) >= {"+0.13", "+0.10 to +0.15", "-0.40", "+0.20", "-0.10 to +0.50"}
    assert shown["+0.13"].get_fontweight() == "bold" and shown["+0.13"].get_position()[0] == 1
    assert shown["+0.20"].get_fontweight() == "normal"


def test_without_studies_there_is_no_picture(tmp_path: Path) -> None:
    assert where.figure(tmp_path) is None


def test_trained_areas_are_means_over_the_learners_of_a_condition(tmp_path: Path) -> None:
    (tmp_path / "places_maze").mkdir()
    (tmp_path / "places_maze" / "seeds.csv").write_text(
        "condition,arm,seed,area_success\n"
        "half impossible,auto,0,0.5\nhalf impossible,auto,1,0.7\nnone impossible,auto,0,0.1\n"
    )
    found = predicted.trained_areas(tmp_path, "half impossible")
    assert found == {"auto": pytest.approx(0.6)}


def test_the_simulated_maze_ranks_selectors_as_training_does() -> None:
    """The rank correlation that is reported, of numbers that are still those of both sides."""
    condition = "half impossible"
    table = read(predicted.RESULTS / predicted.NAME / "table.csv")
    own = table[table["condition"] == condition].set_index("selector")
    trained = predicted.trained_areas(predicted.RESULTS, condition)
    assert own["trained"].to_dict() == {name: round(area, 3) for name, area in trained.items()}
    scores = {
        str(name): Score(np.array([area]), np.array([np.inf]))
        for name, area in own["simulated"].items()
    }
    agreement = rank_agreement(scores, trained)
    page = (predicted.RESULTS / predicted.NAME / "README.md").read_text()
    assert f"{len(own)} selectors, rank correlation {agreement:.2f}:" in page
    assert agreement > 0.56  # by chance so much is seen in 1 of 40 rankings of 13
    # One of them simulated anew: the table is of the simulation as it is now.
    again = predicted.simulated(MAZES[condition][0], {"uniform": SELECTORS["uniform"]})
    assert again["uniform"].area.mean() == pytest.approx(own["simulated"]["uniform"], abs=5e-4)
