"""Places reached by phi alone: a perfect walker reaches all in reach, one that does not listen hardly any."""

import dataclasses
from pathlib import Path
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.tree_util import Partial
from walkers import MEMBER, START, Deaf, Field, IdentityMap, Line, setting, skills

from autotelic.environments import make_environment
from autotelic.evaluation.evaluate import evaluate
from autotelic.evaluation.zero_shot import (
    PlacePursuit,
    Reached,
    attempt,
    entries_to_set,
    ground,
    reached,
    zero_shot,
)
from autotelic.learner.normalizer import Normalizer
from autotelic.objectives import OBJECTIVES, Diayn
from autotelic.runs.run import Runs
from autotelic.runs.skills import SkillArrays
from autotelic.selectors import Uniform
from autotelic.training.train import train

NAN = np.nan


def test_hit_end_and_stay_by_hand():
    positions = np.array(
        [
            [[9.0], [4.0], [5.0], [9.0], [9.0]],  # passes by: 2 of 4 steps at the place 5
            [[0.0], [0.0], [8.0], [9.0], [9.5]],  # arrives at 9 with the last two steps
            [[7.0], [7.5], [NAN], [NAN], [NAN]],  # falls down at 7 after one step
            [[3.0], [0.0], [0.0], [0.0], [0.0]],  # starts at 3, which does not count
        ]
    )
    places = np.array([[5.0], [9.2], [7.0], [3.0]])
    # Within 1: 2, 2 (8 is 1.2 away), 1 and 0 steps of 4.
    assert reached(positions, places, radius=1.0) == Reached(3 / 4, 2 / 4, 5 / 16)
    # Within 0.25: the first stands at 5 once, the second at 9 once.
    assert reached(positions, places, radius=0.25) == Reached(2 / 4, 0.0, 2 / 16)


def test_distances_in_the_plane_include_the_edge():
    positions = np.array([[[0.0, 0.0], [3.0, 4.0]]])
    assert reached(positions, [[0.0, 0.0]], radius=5.0).hit == 1.0
    assert reached(positions, [[0.0, 0.0]], radius=4.99).hit == 0.0
    with pytest.raises(ValueError, match=r"places must have the shape \[1, 2\], got \[2, 2\]"):
        reached(positions, np.zeros((2, 2)), 1.0)
    with pytest.raises(ValueError, match="with at least 1 step, got"):
        reached(np.zeros((1, 1, 2)), np.zeros((1, 2)), 1.0)
    with pytest.raises(ValueError, match="radius must be greater than 0"):
        reached(positions, [[0.0, 0.0]], 0.0)


def test_a_perfect_walker_comes_to_every_place_and_stays():
    found = attempt(setting(Field()), skills(), MEMBER, (1, 2))
    assert found.places.shape == (50, 2) and found.radii == (3.0, 1.0)
    assert np.abs(found.places).max() <= 50 and np.abs(found.places).max() > 40
    ((wide, narrow),) = found.reached()
    assert wide.hit == wide.end == narrow.hit == narrow.end == 1.0
    # A metre a step: within 3 m from step ceil(distance - 3) on, at the earliest from the first.
    distance = np.linalg.norm(found.places - START, axis=1)
    first = np.maximum(np.ceil(distance - 3), 1)
    assert wide.stay == pytest.approx(np.mean((201 - first) / 200), abs=1e-3)


def test_a_walker_that_does_not_listen_meets_only_what_is_in_its_way():
    found = attempt(setting(Field(), Deaf()), skills(), MEMBER, (1, 2))
    ((wide, narrow),) = found.reached()
    x, y = found.places.T
    in_the_way = (np.abs(y - START) <= 3) & (x > START - 1)
    assert wide.hit == pytest.approx(in_the_way.mean(), abs=0.03)
    assert wide.end == narrow.end == 0.0 and wide.stay < 0.01


@pytest.mark.parametrize(
    "name", [name for name, kind in OBJECTIVES.items() if kind.has_representation]
)
def test_every_objective_names_the_skill_that_leads_to_a_place(name: str):
    """phi is the place as seen from the start, and a skill walks along its direction. That is what skills
    are paid for: a METRA's for the way made along it, VISR's for being in its direction.
    """
    objective = OBJECTIVES[name]()
    ideal = objective.init(jax.random.key(0), 3, 4, 8)._replace(phi=Partial(from_the_start))
    own = SkillArrays(jnp.zeros((1, 2)), jax.tree.map(lambda leaf: leaf[None], ideal))
    ours = dataclasses.replace(setting(Field()), objective=objective)
    ((_, narrow),) = attempt(ours, own, MEMBER, (1, 2)).reached()
    assert narrow.hit == 1.0


def from_the_start(observation: jax.Array) -> jax.Array:
    return observation[..., 1:] - START


def test_what_is_out_of_reach_is_not_reached():
    found = attempt(setting(Field()), skills(), MEMBER, (1, 2), steps=10)
    ((wide, _),) = found.reached()
    distance = np.linalg.norm(found.places - START, axis=1)
    assert wide.hit == np.mean(distance <= 13)


def test_along_a_line_places_lie_within_100_m():
    found = attempt(setting(Line, dimension=1, num_goals=2), skills(1), MEMBER, (0,), places=20)
    assert 80 < np.abs(found.places).max() <= 100
    assert found.positions.shape == (1, 20, 201, 1)
    assert found.reached()[0].narrow[:2] == (1.0, 1.0)


def test_in_a_box_places_and_radii_are_those_of_the_box():
    box = make_environment("navigation2d")
    found = attempt(setting(box), skills(), MEMBER, (0, 1), places=20, environment=box)
    assert found.places.min() >= 0 and found.places.max() <= 1
    assert found.radii == (0.03, 0.01)
    assert found.positions.shape[2] == 101  # an episode is shorter than 200 steps
    # Steps of 0.05 pass within half of that, 0.025, of every place.
    assert found.reached()[0].wide.hit == 1.0


class Yard(Field):
    """Ground of 10 m."""

    bounds: ClassVar[tuple[float, float]] = (-5.0, 5.0)


def test_radii_are_shares_of_the_box():
    found = attempt(setting(Yard()), skills(), MEMBER, (1, 2), places=3, steps=2)
    assert found.radii == pytest.approx((0.3, 0.1))


def test_seeds_decide_the_places():
    ours = setting(Field())
    first, again, other = (
        attempt(ours, skills(), MEMBER, (1, 2), 5, seed, steps=2) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.positions, again.positions)
    assert not np.isclose(first.places, other.places).any()


def test_one_hot_skills_choose_the_code_with_the_largest_product():
    pursuit = PlacePursuit(IdentityMap(skills="one_hot", dimension=3), (0, 1))
    own = SkillArrays((), jnp.ones(()))
    # phi is all three entries; towards the place is (-1, 4, 0), so goal 1 is the nearest.
    found = pursuit.skill(own, jnp.array([2.0, 1.0, 7.0]), jnp.array([1.0, 5.0]))
    np.testing.assert_allclose(found, [-0.5, 1.0, -0.5])


def test_phi_sees_observations_as_the_learner_does():
    pursuit = PlacePursuit(IdentityMap(), (1, 2))
    # Deviations 2 and 1 for x and y, so 4 and 1 metres are 2 and 1 of phi.
    normalizer = Normalizer(jnp.array(4.0), jnp.array([0.0, 1.0, 2.0]), jnp.array([0.0, 16.0, 4.0]))
    found = pursuit.skill(
        SkillArrays((), jnp.ones(()), normalizer), jnp.array([7.0, 1.0, 2.0]), jnp.array([5.0, 3.0])
    )
    np.testing.assert_allclose(found, np.array([2.0, 1.0]) / np.sqrt(5), rtol=1e-6)
    at_the_place = pursuit.skill(
        SkillArrays((), jnp.ones(())), jnp.array([7.0, 1.0, 2.0]), jnp.array([1.0, 2.0])
    )
    np.testing.assert_array_equal(at_the_place, [0.0, 0.0])


def test_where_places_cannot_be_described_nobody_is_sent(runs: Runs):
    assert entries_to_set(Diayn(), Field()) == ()
    assert entries_to_set(IdentityMap(), Field()) == (1, 2)
    assert entries_to_set(IdentityMap(), object()) == ()
    with pytest.raises(ValueError, match=r"Diayn has no representation of states"):
        zero_shot(runs)
    with pytest.raises(ValueError, match="must be x, or x and y, got 3 of them"):
        ground(Field(), 3)


@pytest.fixture(scope="module")
def walkers(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Two learners that never learn: they need not."""
    ours = dataclasses.replace(
        setting(Field(episode_length=None)), steps_per_epoch=10, hidden_units=4, frozen=True
    )
    folder: Path = tmp_path_factory.mktemp("walkers") / "run"
    return train(ours, {"walker": Uniform()}, seeds=(0, 1), epochs=1, out=folder)


def test_a_run_gives_a_table_of_members_and_radii(walkers: Runs):
    found = zero_shot(walkers, places=10)
    assert list(found.columns) == ["method", "seed", "radius", "hit", "end", "stay"]
    assert found["seed"].tolist() == [0, 0, 1, 1] and found["radius"].tolist() == [3, 1, 3, 1]
    assert (found[["hit", "end"]] == 1.0).all(axis=None)
    assert len(zero_shot(walkers, places=2, members=[("walker", 1)], untrained=True)) == 2
    blind = dataclasses.replace(walkers.setting, environment=Field(position_entries=()))
    unseen = Runs(walkers.folder, walkers.description, blind)
    with pytest.raises(ValueError, match="exclude_current_positions_from_observation=False"):
        zero_shot(unseen)


def test_evaluation_has_both_protocols_beside_their_untrained_values(walkers: Runs):
    table = evaluate(walkers, per_goal=2, steps=5).table
    values = table.pivot(index=["metric", "trained"], columns="member", values="value")
    for trained in (True, False):
        assert values.loc["covered_cells", trained].tolist() == [801, 801]
        for name in ("zero_shot_hit", "zero_shot_end", "zero_shot_hit_closely"):
            assert values.loc[name, trained].tolist() == [1.0, 1.0]
        assert (
            values.loc["zero_shot_stay", trained] > values.loc["zero_shot_stay_closely", trained]
        ).all()
