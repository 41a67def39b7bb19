"""Goals as vectors: where they lie, how a visit varies them, and what is refused."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.objectives import Visr
from autotelic.objectives.codebook import are_one_hot, centred_one_hot, sphere, unit

OWN = ((2.0, 0.0), (0.0, 0.5), (-1.0, 1.0))


@pytest.mark.parametrize("dimension", [2, 3, 4, 8])
@pytest.mark.parametrize("num_goals", [1, 2, 5, 20])
def test_directions_have_length_1_and_lie_apart(num_goals: int, dimension: int):
    found = sphere(num_goals, dimension)
    assert found.shape == (num_goals, dimension)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(found, sphere(num_goals, dimension))
    if num_goals > 1:
        cosines = found @ found.T - 2 * np.eye(num_goals)
        # Equal angles in a plane; elsewhere no worse than three quarters of that.
        assert cosines.max() < np.cos(0.75 * 2 * np.pi / num_goals) + 1e-9
    if num_goals > 4:
        assert np.abs(found.mean(axis=0)).max() < 0.1


def test_few_directions_are_as_far_apart_as_can_be():
    np.testing.assert_allclose(sphere(4, 2) @ sphere(4, 2).T, [*_ring()], atol=1e-12)
    np.testing.assert_allclose(sphere(2, 1), [[1], [-1]])
    simplex = sphere(5, 4)  # all pairs alike: cosines of -1/4
    np.testing.assert_allclose(simplex @ simplex.T, 1.25 * np.eye(5) - 0.25, atol=0.02)


def _ring() -> np.ndarray:
    angles = np.arange(4) * np.pi / 2
    return np.cos(angles[:, None] - angles[None, :])


@pytest.mark.parametrize("num_goals", [2, 3, 7])
def test_centred_codes_sum_to_0_and_are_1_at_their_goal(num_goals: int):
    codes = centred_one_hot(num_goals)
    np.testing.assert_allclose(np.diag(codes), 1.0)
    np.testing.assert_allclose(codes.sum(axis=1), 0.0, atol=1e-12)
    np.testing.assert_allclose(codes, codes.T)


def test_one_code_alone_is_not_0():
    np.testing.assert_array_equal(centred_one_hot(1), [[1.0]])


def test_a_goal_is_its_vector():
    for objective, vectors in (
        (Visr(), sphere(3, 2)),
        (Visr(dimension=3), sphere(3, 3)),
        (Visr(skills="one_hot"), centred_one_hot(3)),
        (Visr(codebook=OWN), np.array(OWN)),
    ):
        assert objective.skill_size(3) == vectors.shape[1]
        found = objective.embed(np.array([[2, 0]]), 3)
        np.testing.assert_allclose(found, vectors[None, [2, 0]], atol=1e-6)


def pursued(objective: Visr, goal: int, visits: int) -> np.ndarray:
    keys = jax.random.split(jax.random.key(0), visits)
    return np.asarray(jax.jit(jax.vmap(lambda key: objective.pursue(goal, 3, key)))(keys))


def test_without_jitter_a_visit_pursues_the_goal_itself():
    np.testing.assert_array_equal(pursued(Visr(codebook=OWN), 0, 4), [OWN[0]] * 4)
    assert not Visr(codebook=OWN).needs_skill


def test_jitter_turns_a_goals_vector_and_keeps_its_length():
    objective = Visr(codebook=OWN, jitter=0.2)
    assert objective.needs_skill  # or replay would keep the goal's own vector
    found = pursued(objective, 0, 400)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 2.0, rtol=1e-5)
    # Noise of 0.2 across a vector of length 2 turns it by about 0.1 radians.
    angles = np.arctan2(found[:, 1], found[:, 0])
    assert angles.std() == pytest.approx(0.1, rel=0.15)
    assert angles.mean() == pytest.approx(0.0, abs=0.02)


def test_unit_vectors_have_length_1_or_0_and_a_gradient_everywhere():
    found = unit(jnp.array([[3.0, 4.0], [0.0, 0.0], [1e-3, 0.0], [-1e9, 0.0]]))
    np.testing.assert_allclose(found, [[0.6, 0.8], [0, 0], [1, 0], [-1, 0]], rtol=1e-6)
    slope = jax.grad(lambda x: jnp.sum(unit(x)))(jnp.zeros(2))
    assert np.isfinite(slope).all()


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (np.eye(4), True),
        (centred_one_hot(3), True),
        (centred_one_hot(2), True),
        (np.ones((1, 1)), True),
        (sphere(2, 2), False),
        (sphere(3, 3), False),
        (sphere(5, 2), False),
        (1 - np.eye(3), False),  # the largest product would be with another's
    ],
)
def test_codes_with_nothing_between_them_are_told(codes: np.ndarray, expected: bool):
    assert are_one_hot(codes) == expected


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        (Visr(), [[0.6, -0.8], [-1.0, 0.0]]),
        (Visr(skills="one_hot"), [[1.0, -1.0], [-1.0, 1.0]]),
        (Visr(codebook=((0.0, 1.0), (2.0, 0.0), (1.0, 1.0))), [[0.6, -0.8], [-1.0, 0.0]]),
        (Visr(codebook=((2.0, 0.0), (0.0, 2.0))), [[2.0, 0.0], [0.0, 2.0]]),
    ],
    ids=["sphere", "one-hot", "own directions", "own codes"],
)
def test_the_skill_along_a_direction_is_the_direction_or_the_nearest_code(
    objective: Visr, expected: list[list[float]]
):
    found = objective.skill_along(jnp.array([[3.0, -4.0], [-0.5, 0.0]]))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Visr(skills="spheres"), "skills 'spheres'.*'sphere'"),
        (lambda: Visr(dimension=0), "dimension must be at least 1"),
        (lambda: Visr(jitter=-0.1), "jitter"),
        (lambda: Visr(skills="one_hot", jitter=0.1), "jitter 0.1 is for directions"),
        (lambda: Visr(codebook=((1.0,), (1.0, 2.0))), "vectors of one length"),
        (lambda: Visr(codebook=()), "a vector of finite numbers for each goal"),
        (lambda: Visr(codebook=((np.nan, 1.0),)), "a vector of finite numbers for each goal"),
        (lambda: Visr(codebook=OWN).check(4, 5), "3 vectors, and num_goals is 5"),
        (lambda: Visr(dimension=1).check(4, 3), "two directions, and num_goals is 3"),
    ],
)
def test_what_cannot_work_is_refused(make: Callable[[], object], message: str):
    with pytest.raises(ValueError, match=message):
        make()


def test_what_fits_is_not_refused():
    Visr(codebook=OWN).check(4, 3)
    Visr(dimension=1).check(4, 2)
    Visr(dimension=1, skills="one_hot").check(4, 3)


def test_a_codebook_may_be_an_array():
    given = np.array(OWN)
    assert hash(Visr(codebook=given)) == hash(Visr(codebook=OWN))  # type: ignore[arg-type]
