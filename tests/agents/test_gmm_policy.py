"""The squashed Gaussian mixture (Eq. 11) against SciPy's densities and distribution functions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare, kstest, multivariate_normal, norm

from autotelic.agents.gmm_policy import (
    Mixture,
    MixtureNoise,
    draw_noise,
    log_density,
    mixture,
    mode,
    output_size,
    sample,
    squash_correction,
)

pytestmark = pytest.mark.usefixtures("strict_shapes")

LOG_WEIGHT = np.array([0.2, -1.5, 1.0])
WEIGHT = np.exp(LOG_WEIGHT) / np.exp(LOG_WEIGHT).sum()
MEAN = np.array([[-1.0, 0.5], [2.0, -0.3], [0.4, 0.0]])
LOG_SIGMA = np.array([[-0.5, 0.3], [0.1, -2.0], [-1.0, 0.7]])


def policy(*leading: int) -> Mixture:
    """The mixture above at every entry of the leading shape."""
    return Mixture(
        *(jnp.broadcast_to(part, (*leading, *part.shape)) for part in (LOG_WEIGHT, MEAN, LOG_SIGMA))
    )


def marginal_cdf(dimension: int):
    """Distribution function of one action dimension before squashing."""
    means, sigmas = MEAN[:, dimension], np.exp(LOG_SIGMA[:, dimension])
    return lambda x: norm.cdf(np.asarray(x)[:, None], means, sigmas) @ WEIGHT


def test_log_density_is_scipys(double_precision: None):
    points = np.random.default_rng(0).normal(0.0, 2.0, size=(50, 2))
    expected = np.log(
        sum(
            weight * multivariate_normal(mean, np.diag(np.exp(2 * log_sigma))).pdf(points)
            for weight, mean, log_sigma in zip(WEIGHT, MEAN, LOG_SIGMA, strict=True)
        )
    )
    np.testing.assert_allclose(log_density(policy(50), jnp.asarray(points)), expected, rtol=1e-12)


def test_log_density_far_out_is_that_of_the_nearest_tail(double_precision: None):
    # Every density underflows at 1e4, so only a log-sum-exp can tell them apart.
    x = np.array([1e4, 0.0])
    tails = [
        np.log(w) + norm.logpdf(x, m, np.exp(s)).sum()
        for w, m, s in zip(WEIGHT, MEAN, LOG_SIGMA, strict=True)
    ]
    np.testing.assert_allclose(log_density(policy(), jnp.asarray(x)), max(tails), rtol=1e-12)


def test_squashed_density_has_mass_one(double_precision: None):
    one_dimension = Mixture(*(jnp.asarray(p) for p in (LOG_WEIGHT, MEAN[:, :1], LOG_SIGMA[:, :1])))
    actions = (jnp.arange(20_000) + 0.5) / 10_000 - 1.0  # midpoints of even cells of (-1, 1)
    batch = Mixture(*(jnp.broadcast_to(p, (len(actions), *p.shape)) for p in one_dimension))
    log_policy = log_density(batch, jnp.arctanh(actions)[:, None]) - squash_correction(
        actions[:, None]
    )
    # The floor 1e-6 in the correction takes a little mass near the edges.
    assert float(jnp.exp(log_policy).mean()) * 2.0 == pytest.approx(1.0, abs=1e-4)


def test_squash_correction_is_the_log_slope_of_tanh(double_precision: None):
    slope = jax.vmap(jax.vmap(jax.grad(jnp.tanh)))(jnp.asarray(MEAN))
    np.testing.assert_allclose(
        squash_correction(jnp.tanh(jnp.asarray(MEAN))),
        jnp.log(slope).sum(axis=-1),
        rtol=1e-4,  # the floor 1e-6 against the smallest slope, 0.07
    )
    # At the edge, where tanh has rounded to 1, the floor alone is left.
    assert float(squash_correction(jnp.ones(2))) == pytest.approx(2 * np.log(1e-6))


def test_samples_follow_the_law():
    count = 20_000
    unsquashed = np.asarray(sample(policy(count), draw_noise(jax.random.key(0), (count,), 2)))
    for dimension in range(2):
        # One key, fixed: the true law would fail two such tests for two keys in a hundred.
        assert kstest(unsquashed[:, dimension], marginal_cdf(dimension)).pvalue > 0.01
        wrong = marginal_cdf(1 - dimension)
        assert kstest(unsquashed[:, dimension], wrong).pvalue < 1e-6  # the test can tell


def test_components_are_drawn_by_weight_and_whole():
    """Far apart, the component of a sample is plain in either dimension, and is the same one."""
    count = 20_000
    centres = jnp.array([[-100.0, 100.0], [0.0, 0.0], [100.0, -100.0]])
    apart = policy(count)._replace(mean=jnp.broadcast_to(centres, (count, 3, 2)))
    x = np.asarray(sample(apart, draw_noise(jax.random.key(1), (count,), 2)))
    component = np.round(x / 100.0).astype(int)
    np.testing.assert_array_equal(component[:, 0], -component[:, 1])
    counts = np.bincount(component[:, 0] + 1, minlength=3)
    assert chisquare(counts, WEIGHT * count).pvalue > 0.01


@pytest.mark.parametrize(("uniform", "component"), [(0.0, 0), (0.49, 0), (0.51, 1), (1.0, 1)])
def test_the_uniform_chooses_the_component(uniform: float, component: int):
    means = jnp.array([[5.0], [7.0]])
    even = Mixture(jnp.zeros(2), means, jnp.zeros((2, 1)))
    found = sample(even, MixtureNoise(jnp.array(uniform), jnp.array([0.0])))
    assert found == means[component]


def test_mode_is_the_mean_of_the_heaviest_component():
    np.testing.assert_allclose(mode(policy(4)), np.tile([0.4, 0.0], (4, 1)), rtol=1e-6)


def test_network_outputs_are_read_in_order_and_clipped():
    components, actions = 2, 3
    assert output_size(components, actions) == 14
    log_weight, mean = [-99.0, 99.0], [-9.0, 1.0, 2.0, 3.0, 4.0, 9.0]
    log_sigma = [-5.1, -4.9, 0.0, 1.9, 2.1, 99.0]
    found = mixture(jnp.array([log_weight + mean + log_sigma]), components, actions)
    np.testing.assert_allclose(found.log_weight, [[-10.0, 99.0]])
    np.testing.assert_allclose(found.mean, [[[-9.0, 1.0, 2.0], [3.0, 4.0, 9.0]]])
    np.testing.assert_allclose(found.log_sigma, [[[-5.0, -4.9, 0.0], [1.9, 2.0, 2.0]]])
