"""From network outputs to actions, worked out by hand."""

import numpy as np

from autotelic.skills.policies import Categorical, Gaussian, Mixture


def test_a_gaussian_is_squashed_and_its_deviation_kept_in_range():
    outputs = np.float32([0.5, 0.0, 9.0, -9.0])  # means, then log deviations: cut to 2 and -5
    np.testing.assert_allclose(Gaussian().action(outputs), np.tanh([0.5, 0.0]))
    found = Gaussian().action(outputs, np.float32([0.1, -3.0]))
    np.testing.assert_allclose(found, np.tanh([0.5 + 0.1 * np.exp(2), -3 * np.exp(-5)]), rtol=1e-5)


def test_a_mixture_keeps_a_little_weight_on_every_component():
    # Two components, one action: log weights, means, log deviations.
    outputs = np.float32([-50.0, 0.0, 1.0, -1.0, 0.0, 0.0])
    still = np.zeros(1, np.float32)
    head = Mixture(2)
    assert head.outputs(1) == 6
    np.testing.assert_allclose(head.action(outputs), np.tanh([-1.0]))
    # The first has e^-10 / (1 + e^-10) = 4.54e-5 of the weight, and not e^-50.
    for uniform, mean in ((2e-5, 1.0), (6e-5, -1.0), (1.0, -1.0)):
        found = head.action(outputs, (np.float32(uniform), still))
        np.testing.assert_allclose(found, np.tanh([mean]), rtol=1e-6)
    moved = head.action(outputs, (np.float32(0.5), np.float32([0.25])))
    np.testing.assert_allclose(moved, np.tanh([-0.75]), rtol=1e-6)


def test_the_largest_logit_with_its_noise_is_the_action():
    outputs = np.float32([[0.0, 1.0, 2.0], [5.0, 0.0, 0.0]])
    np.testing.assert_array_equal(Categorical().action(outputs), [2, 0])
    noise = np.float32([[3.0, 0.0, 0.0], [0.0, 5.5, 0.0]])
    np.testing.assert_array_equal(Categorical().action(outputs, noise), [0, 1])
