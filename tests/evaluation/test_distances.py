"""Distances between skills' states: exact on small samples, right on shifts, at the floor on nothing."""

from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from autotelic.evaluation.distances import (
    energy_distances,
    median_distance,
    random_directions,
    sample_states,
    separation,
    sliced_wasserstein,
    squared_mmd,
)


def generator() -> np.random.Generator:
    return np.random.default_rng(0)


def gaussians(*means: Any, count: int = 400) -> np.ndarray:
    """One skill at each mean, of 20 trajectories."""
    mean = np.asarray(means, dtype=float)
    noise = generator().standard_normal((len(mean), 20, count // 20, mean.shape[1]))
    return mean[:, None, None] + noise


def independent(goals: int, trajectories: int, draws: np.random.Generator) -> np.ndarray:
    """Equal skills of independent states."""
    return draws.standard_normal((goals, trajectories, 5, 2))


def alike_within_trajectories(
    goals: int, trajectories: int, draws: np.random.Generator
) -> np.ndarray:
    """Equal skills whose trajectories each stay near a place of their own."""
    places = draws.standard_normal((goals, trajectories, 1, 2))
    return places + 0.1 * independent(goals, trajectories, draws)


def test_energy_distance_in_one_dimension_is_the_square_of_scipys():
    x, y = generator().normal(size=(2, 5, 3, 1))
    expected = stats.energy_distance(x.ravel(), y.ravel()) ** 2
    distances = energy_distances([x, y])
    assert distances[0, 1] == pytest.approx(expected, rel=1e-9)
    assert np.array_equal(distances, distances.T)
    assert np.array_equal(np.diag(distances), [0.0, 0.0])


def test_energy_distance_by_hand():
    # X = {0, 2}, Y = {1}: E|X-Y| = 1, E|X-X'| = 1, E|Y-Y'| = 0 (Y holds its state twice).
    assert energy_distances([[[[0.0], [2.0]]], [[[1.0], [1.0]]]])[0, 1] == pytest.approx(1.0)


def test_mmd_by_hand():
    # X has the trajectories (0, 1) and (2, 2), Y has (1, 1) and (1, 1); k(d) = exp(-d^2 / 2).
    # Between the trajectories of X lie 2, 2, 1 and 1, of Y 0; from X to Y lie 1, 0, 1 and 1.
    near, far = np.exp(-0.5), np.exp(-2.0)
    x, y = [[[0.0], [1.0]], [[2.0], [2.0]]], [[[1.0], [1.0]], [[1.0], [1.0]]]
    expected = (2 * far + 2 * near) / 4 + 1.0 - 2 * (3 * near + 1.0) / 4
    squared = squared_mmd([x, y], scale=1.0)
    assert squared == pytest.approx(np.array([[0.0, expected], [expected, 0.0]]))


def test_mmd_compares_different_trajectories_of_a_skill_alone():
    states = alike_within_trajectories(3, 4, generator())
    goals, trajectories = states.shape[:2]

    def mean_kernel(some: np.ndarray, others: np.ndarray) -> float:
        squares = np.square(some[:, None] - others[None]).sum(axis=-1)
        return np.exp(-squares / (2 * 0.7**2)).mean()

    within = [
        np.mean([mean_kernel(own[i], own[j]) for i, j in permutations(range(trajectories), 2)])
        for own in states
    ]
    squared = squared_mmd(states, scale=0.7)
    for one, other in permutations(range(goals), 2):
        between = mean_kernel(states[one].reshape(-1, 2), states[other].reshape(-1, 2))
        assert squared[one, other] == pytest.approx(within[one] + within[other] - 2 * between)


def test_the_order_of_trajectories_and_goals_does_not_matter_to_mmd():
    states = alike_within_trajectories(4, 5, generator())
    squared = squared_mmd(states, scale=1.0)
    for seed in range(5):
        draws = np.random.default_rng(seed)
        shuffled = np.stack([own[draws.permutation(5)] for own in states])
        assert squared_mmd(shuffled, scale=1.0) == pytest.approx(squared, abs=1e-12)
        goals = draws.permutation(4)
        assert squared_mmd(states[goals], scale=1.0) == pytest.approx(
            squared[np.ix_(goals, goals)], abs=1e-12
        )


def test_a_state_moved_to_another_trajectory_does_matter_to_mmd():
    states = alike_within_trajectories(2, 2, generator())
    mixed = states.copy()
    mixed[0, 0, 0], mixed[0, 1, 0] = states[0, 1, 0], states[0, 0, 0]
    assert squared_mmd(mixed, scale=1.0)[0, 1] > squared_mmd(states, scale=1.0)[0, 1] + 0.01


def test_mmd_is_unbiased_where_skills_are_equal():
    states = generator().standard_normal((60, 20, 1, 2))
    squared = squared_mmd(states, scale=1.5)[np.triu_indices(60, 1)]
    # 30 disjoint pairs are independent; all pairs can only be closer to 0.
    assert abs(squared.mean()) < 3 * squared.std() / np.sqrt(30)
    assert squared.min() < 0 < squared.max()


def test_mmd_of_shifted_gaussians_has_its_closed_form():
    shift, scale = 1.5, 1.0
    # x - y is normal with variance 2: E k = sqrt(s^2 / (s^2 + 2)) exp(-shift^2 / (2 (s^2 + 2))).
    spread = scale**2 + 2
    expected = 2 * np.sqrt(scale**2 / spread) * (1 - np.exp(-(shift**2) / (2 * spread)))
    squared = squared_mmd(gaussians([0.0], [shift], count=2000), scale)
    assert squared[0, 1] == pytest.approx(expected, abs=0.03)


def test_wasserstein_of_a_shift_is_its_length_in_any_dimension():
    states = generator().standard_normal((1, 4, 5, 3))
    shift = np.array([1.0, -2.0, 2.0])
    directions = random_directions(3, 10, generator())
    assert len(directions) == 12  # whole bases
    distances = sliced_wasserstein(np.concatenate([states, states + shift]), directions)
    assert distances[0, 1] == pytest.approx(3.0)
    assert distances[0, 0] == 0.0


def test_wasserstein_of_gaussians_of_other_widths():
    # W2 of N(0, 1) and N(0, 9) is |1 - 3| in each dimension; isotropic, so sqrt(2) * 2 in two.
    noise = generator().standard_normal((2, 20, 500, 2))
    noise[1] *= 3.0
    distances = sliced_wasserstein(noise, random_directions(2, 50, generator()))
    assert distances[0, 1] == pytest.approx(np.sqrt(8.0), rel=0.03)


WASSERSTEIN = partial(
    sliced_wasserstein, directions=random_directions(2, 10, np.random.default_rng(3))
)
DISTANCES = [
    (energy_distances, "inverse"),
    (partial(squared_mmd, scale=1.0), "zero"),
    (WASSERSTEIN, "halves"),
]


@pytest.mark.parametrize(("distance", "null"), DISTANCES)
@pytest.mark.parametrize("draw", [independent, alike_within_trajectories])
@pytest.mark.parametrize("trajectories", [2, 3, 8, 9])
def test_skills_that_are_one_lie_at_the_noise_floor(
    distance: Any, null: Any, draw: Any, trajectories: int
):
    draws = generator()
    found = [separation(draw(6, trajectories, draws), distance, draws, null) for _ in range(300)]
    above = np.array([each.mean - each.floor for each in found])
    error = above.std(ddof=1) / np.sqrt(len(above))
    # In 24 cases one lies beyond 4 standard errors by chance about once in 600 times.
    assert abs(above.mean()) < 4 * error
    # That would show a floor a tenth off, or a tenth of what the pairs of states within a trajectory
    # could add to a floor of 0.
    level = np.mean([each.floor for each in found]) or 2 / trajectories
    assert 4 * error < 0.1 * level


@pytest.mark.parametrize("trajectories", [2, 3, 8, 9])
def test_two_skills_that_are_one_lie_at_the_floor_beside_a_third_far_away(trajectories: int):
    draws = generator()
    above = []
    for _ in range(300):
        states = alike_within_trajectories(3, trajectories, draws)
        states[2] += 100.0
        found = separation(states, WASSERSTEIN, draws, "halves")
        above.append(found.minimum - found.floor)
    error = np.std(above, ddof=1) / np.sqrt(len(above))
    assert abs(np.mean(above)) < 4 * error


def test_halves_are_compared_with_halves():
    # Two trajectories of each goal, one state each: halves are single trajectories.
    states = np.array([[0.0, 1.0], [10.0, 13.0]])[..., None, None]
    direction = partial(sliced_wasserstein, directions=[[1.0]])
    found = separation(states, direction, generator())
    assert found.floor == pytest.approx((1.0 + 3.0) / 2)
    assert found.mean == found.minimum == pytest.approx((10 + 13 + 9 + 12) / 4)
    assert found.distances[0, 1] == pytest.approx(np.sqrt((10**2 + 12**2) / 2))


def test_the_floor_of_energy_distances_is_brought_to_the_size_of_the_sample():
    # Three trajectories at 0, 0 and 3: halves are 0 or 2 * 3 apart, brought from 1 to 3 of them.
    states = np.array([[0.0, 0.0, 3.0], [0.0, 0.0, 3.0]])[..., None, None]
    floors = [
        separation(states, energy_distances, np.random.default_rng(seed), "inverse").floor
        for seed in range(20)
    ]
    assert sorted({round(floor, 9) for floor in floors}) == [0.0, 1.0, 2.0]


def test_an_unbiased_distance_needs_no_halves():
    def distance(states: np.ndarray) -> np.ndarray:
        assert states.shape == (2, 2, 5, 2)
        return squared_mmd(states, scale=1.0)

    found = separation(independent(2, 2, generator()), distance, generator(), "zero")
    assert found.floor == 0.0


@pytest.mark.parametrize(("distance", "null"), DISTANCES)
def test_different_skills_are_far_above_the_noise_floor(distance: Any, null: Any):
    apart = separation(gaussians([0, 0], [4, 0], [0, 4], [0, 4]), distance, generator(), null)
    assert apart.distances[2, 3] == apart.distances[~np.eye(4, dtype=bool)].min()
    assert apart.minimum == pytest.approx(apart.floor, rel=0.5, abs=0.01)  # the two that are one
    assert apart.mean > max(5 * apart.floor, 0.5)


@pytest.mark.parametrize(("distance", "null"), DISTANCES[:2])
def test_mean_and_minimum_are_of_all_trajectories_where_the_law_of_the_null_is_known(
    distance: Any, null: Any
):
    apart = separation(gaussians([0, 0], [4, 0], [0, 4]), distance, generator(), null)
    pairs = apart.distances[np.triu_indices(3, 1)]
    assert (apart.mean, apart.minimum) == (pytest.approx(pairs.mean()), pairs.min())


def test_the_noise_floor_splits_by_trajectory():
    # Each trajectory stays at its own place: halves of states would be equal, halves of
    # trajectories are not.
    places = generator().standard_normal((2, 4, 1, 1))
    states = np.repeat(places, 50, axis=2)
    result = separation(states, energy_distances, generator())
    assert result.floor > 0.1


def test_sampled_states_are_steps_made_and_never_the_start():
    steps = np.arange(8.0)
    observations = np.tile(steps, (2, 3, 1))[..., None]
    lengths = np.array([[7, 7, 2], [1, 7, 7]])
    drawn = sample_states(observations, lengths, 12, generator())
    assert drawn.shape == (2, 3, 4, 1)
    assert drawn.min() == 1.0
    assert (drawn <= lengths[..., None, None]).all()
    assert set(drawn[0, 2].ravel()) == {1.0, 2.0}
    everything = sample_states(observations, lengths, 1000, generator())
    assert np.array_equal(everything[0, 0].ravel(), steps[1:])
    only = sample_states([[[[0.0], [5.0]]]], [[1]], 1, generator())  # lists, and one of each
    assert only.tolist() == [[[[5.0]]]]


def test_a_draw_at_the_very_end_of_a_part_does_not_carry_a_state_beyond_the_trajectory():
    class Last:
        def random(self, shape: Any) -> np.ndarray:
            return np.ones(shape)  # what rounding may leave of a number below 1

    draws: Any = Last()
    observations = np.tile(np.arange(8.0), (1, 1, 1))[..., None]
    assert sample_states(observations, [[3]], 3, draws).max() == 3.0


def test_the_median_distance_leaves_out_equal_points():
    points = [[0.0], [0.0], [1.0], [3.0]]  # distances 1, 1, 3, 3, 2 and one 0
    assert median_distance(points, generator()) == 2.0
    in_groups = np.array(points).reshape(2, 2, 1)
    assert median_distance(in_groups, generator()) == 2.0
    with pytest.raises(ValueError, match="all 3 points are the same"):
        median_distance(np.ones((3, 2)), generator())


def test_of_many_points_a_thousand_different_ones_are_looked_at(monkeypatch: pytest.MonkeyPatch):
    seen = []
    monkeypatch.setattr(
        "scipy.spatial.distance.pdist", lambda points: seen.append(points) or np.ones(1)
    )
    median_distance(np.arange(1500.0)[:, None], generator())
    assert len(np.unique(seen[0])) == len(seen[0]) == 1000


def test_a_line_has_one_direction():
    assert np.abs(random_directions(1, 1, generator())).tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: random_directions(0, 3, generator()), "size must be at least 1"),
        (lambda: random_directions(3, 0, generator()), "count must be at least 1"),
        (
            lambda: sample_states(np.zeros((2, 4, 6, 1)), np.full((2, 3), 5), 4, generator()),
            r"got \[2, 4, 6, 1\] and \[2, 3\]",
        ),
        (
            lambda: sample_states(np.zeros((1, 2, 6, 1)), [[0, 5]], 4, generator()),
            "between 1 and 5",
        ),
        (
            lambda: sample_states(np.zeros((1, 2, 6, 1)), [[1, 6]], 4, generator()),
            "between 1 and 5",
        ),
        (lambda: energy_distances(np.zeros((2, 3, 4))), r"states must have the shape .* \[2, 3, 4"),
        (lambda: energy_distances([[[[np.nan]]]]), "draw them with sample_states"),
        (lambda: energy_distances([[[[0.0], [np.nan]]]]), "draw them with sample_states"),
        (
            lambda: squared_mmd(np.zeros((2, 1, 9, 1)), 1.0),
            "at least 2 trajectories of each goal, got 1: .*; sample more of them",
        ),
        (lambda: squared_mmd(np.zeros((2, 2, 1, 1)), 0.0), "scale must be greater than 0"),
        (
            lambda: sliced_wasserstein(np.zeros((2, 1, 2, 3)), np.ones((4, 2))),
            r"\[directions, 3\], got \[4, 2\]",
        ),
        (
            lambda: separation(np.zeros((2, 1, 5, 1)), energy_distances, generator()),
            "2 trajectories",
        ),
        (
            lambda: separation([[[[0.0]], [[1.0]]]], energy_distances, generator()),
            "at least 2 goals",
        ),
        (
            lambda: separation(np.zeros((2, 2, 5, 1)), energy_distances, generator(), "half"),  # pyright: ignore[reportArgumentType]
            "unknown null 'half'; choose from zero, inverse, halves",
        ),
        (
            lambda: sample_states(np.zeros((2, 4, 6, 1)), np.full((2, 4), 5), 3, generator()),
            "count must be at least 4, got 3",
        ),
        (
            lambda: sample_states(np.zeros((2, 4, 6, 1)), np.full((2, 4), 6), 8, generator()),
            "between 1 and 5",
        ),
    ],
)
def test_bad_states_are_refused(call: Any, message: str):
    with pytest.raises(ValueError, match=message):
        call()
