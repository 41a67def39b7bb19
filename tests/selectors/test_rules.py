"""Rules against hand-computed values."""

import itertools
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

from autotelic import rules
from autotelic.selectors.rules.reinforce import ReinforceState


def after(rule: Any, num_goals: int, steps: Any, untried: float = 0.0):
    """The probabilities after (goal, value) steps."""
    state = rule.init(num_goals, untried)
    for goal, value in steps:
        state = rule.update(state, goal, value)
    return rule.probabilities(state)


def test_softmax_overwrites_by_default_and_averages_on_request():
    last = after(rules.Softmax(1.0), 2, [(0, 5.0), (0, np.log(3.0))])
    assert last == pytest.approx([0.75, 0.25])
    # 0 -> 0.5 log 9 = log 3
    averaged = after(rules.Softmax(1.0, step_size=0.5), 2, [(0, np.log(9.0))])
    assert averaged == pytest.approx([0.75, 0.25])


def test_epsilon_greedy_shares_ties():
    p = after(rules.EpsilonGreedy(0.1), 4, [(0, 1.0), (2, 1.0), (3, -2.0)])
    assert p == pytest.approx([0.475, 0.025, 0.475, 0.025])
    p = after(rules.EpsilonGreedy(0.0, absolute=True), 4, [(0, 1.0), (3, -2.0)])
    assert p.tolist() == [0, 0, 0, 1]


def test_epsilon_proportional_and_its_uniform_fallback():
    p = after(rules.EpsilonProportional(0.4), 4, [(0, 0.3), (1, 0.1), (2, -5.0)])
    assert p == pytest.approx([0.1 + 0.45, 0.1 + 0.15, 0.1, 0.1])
    assert after(rules.EpsilonProportional(0.4), 4, []).tolist() == [0.25] * 4


def test_top_share_shares_the_last_place_among_ties():
    assert rules.top(np.array([3.0, 1.0, 2.0, 0.0]), 2) == pytest.approx([0.5, 0, 0.5, 0])
    assert rules.top(np.array([3.0, 1.0, 1.0, 0.0]), 2) == pytest.approx([0.5, 0.25, 0.25, 0])
    # ceil(0.25 * 5) = 2 of five goals
    p = after(rules.TopShare(0.5, share=0.25), 5, [(0, 2.0), (1, 1.0)])
    assert p == pytest.approx([0.35, 0.35, 0.1, 0.1, 0.1])


@pytest.mark.parametrize(("share", "goals", "best"), [(0.07, 100, 7), (0.28, 25, 7), (1e-12, 3, 1)])
def test_the_best_share_is_counted_as_written(share: float, goals: int, best: int):
    p = rules.TopShare(0.0, share=share).weigh(np.arange(float(goals)))
    assert np.count_nonzero(p) == best


def test_values_of_all_goals_are_revised_as_one_by_one():
    rule = rules.Softmax(step_size=0.25)
    state = rule.init(3, 1.0)
    revised = rule.revise(state, np.array([np.nan, 0.2, 0.7]))
    one_by_one = rule.update(rule.update(state, 1, 0.2), 2, 0.7)
    assert revised.tolist() == one_by_one.tolist() == [1.0, 0.8, 0.925]


def test_hold_keeps_a_goal_and_passes_on_the_last_value():
    rule = rules.Hold(rules.Softmax(1.0), times=3)
    state = rule.init(2, 0.0)
    for value in (7.0, 8.0):
        state = rule.update(state, 1, value)
        assert rule.probabilities(state).tolist() == [0, 1]
        assert rule.prior(state) == pytest.approx([0.5, 0.5])
    state = rule.update(state, 1, np.log(3.0))
    assert rule.probabilities(state) == pytest.approx([0.25, 0.75])


def test_hold_goes_on_while_other_goals_are_revised():
    rule = rules.Hold(rules.EpsilonGreedy(epsilon=0.0), times=2)
    state = rule.update(rule.init(3, 0.0), goal=1, value=1.0)
    state = rule.revise(state, np.array([np.nan, np.nan, 5.0]))
    assert rule.probabilities(state).tolist() == [0, 1, 0]
    state = rule.update(state, goal=1, value=1.0)
    assert rule.probabilities(state).tolist() == [0, 0, 1]


def test_hold_forgets_what_its_rule_forgets_and_lets_go_of_a_goal_that_is_gone():
    rule = rules.Hold(rules.Softmax(1.0), times=2)
    state = rule.init(2, 0.0)
    for goal in (0, 0, 1):
        state = rule.update(state, goal, np.log(3.0))  # goal 1 is held
    gone = rule.forget(state, np.array([False, True]), 0.0)
    assert rule.probabilities(gone) == pytest.approx([0.75, 0.25])
    other = rule.forget(state, np.array([True, False]), np.log(2.0))
    assert rule.probabilities(other).tolist() == [0, 1]
    assert rule.prior(other) == pytest.approx([2 / 3, 1 / 3])


def test_the_ends_of_a_band_belong_to_it():
    found = rules.Band(0.0, low=0.1, high=0.9).preferred(np.array([0.1, 0.5, 0.9, 0.95, 0.05]))
    assert found == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0, 0])


def test_an_update_leaves_the_values_before_it_as_they_were():
    rule = rules.Softmax()
    before = rule.init(2, 0.0)
    assert rule.update(before, 1, 1.0).tolist() == [0.0, 1.0]
    assert before.tolist() == [0.0, 0.0]


def test_reinforce_follows_the_policy_gradient_with_a_running_mean_baseline():
    rule = rules.Reinforce(learning_rate=0.5)
    state = rule.init(2, 0.0)
    # r = log 0.8 - log 0.5 = log 1.6 against the baseline 0; gradient (0.5, -0.5).
    state = rule.update(state, 0, np.log(0.8))
    reward = np.log(1.6)
    assert state.logits == pytest.approx([0.25 * reward, -0.25 * reward])
    assert state.baseline == pytest.approx(reward)
    # A second reward equal to the mean changes nothing.
    p = rule.probabilities(state)
    again = rule.update(state, 1, reward + np.log(p[1]))
    assert again.logits == pytest.approx(state.logits)
    assert again.baseline == pytest.approx(reward)


def test_policy_gradient_is_that_of_the_log_probability():
    logits, step = np.array([0.3, -1.0, 0.5]), 1e-6
    rule = rules.Reinforce()

    def log_p(logits: Any):
        return np.log(rule.probabilities(ReinforceState(logits, 0.0, 0)))

    numeric = [(log_p(logits + e) - log_p(logits - e))[1] / (2 * step) for e in step * np.eye(3)]
    gradient = rules.policy_gradient(np.exp(log_p(logits)), 1)
    assert gradient == pytest.approx(numeric, abs=1e-8)


def test_quantile_scaling():
    history = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])  # quantiles 1 and 4
    scaled = [rules.quantile_scaled(r, history) for r in (0.0, 1.0, 2.5, 3.25, 4.0, 9.0)]
    assert scaled == pytest.approx([-1, -1, 0, 0.5, 1, 1])
    assert rules.quantile_scaled(3.0, np.array([3.0])) == 0.0


def test_exp3s_weights_mix_the_gains():
    # exp(w) = (1, 2, 4); share 0.5: (0.5 + 0.25 * 6, 1 + 0.25 * 5, 2 + 0.25 * 3) = (2, 2.25, 2.75)
    found = rules.exp3s_weights(np.zeros(3), np.log([1.0, 2.0, 4.0]), 0.5)
    assert np.exp(found) == pytest.approx(np.array([2.0, 2.25, 2.75]) / 2.75)
    alone = rules.exp3s_weights(np.zeros(1), np.array([5.0]), 1.0)
    assert alone.tolist() == [0.0]


def test_a_bias_that_is_a_whole_number_leaves_rewards_their_fractions():
    visits = [(0, 0.3), (1, 0.1), (0, 0.2), (1, 0.25), (0, 0.22)]
    whole, fraction = (after(rules.ExponentialWeights(bias=b), 2, visits) for b in (0, 0.0))
    assert whole.tolist() == fraction.tolist()


def test_exponential_weights_prefer_the_goal_that_pays():
    rule = rules.ExponentialWeights(step_size=0.1, epsilon=0.05)
    steps = [(epoch % 4, float(epoch % 4 == 2)) for epoch in range(80)]
    p = after(rule, 4, steps)
    assert p.argmax() == 2
    assert p.min() >= 0.05 / 4 - 1e-15


def brute_force_probability_of_largest(samples: Any):
    """Every combination of draws, ties shared."""
    wins = np.zeros(len(samples))
    combinations = list(itertools.product(*samples))
    for combination in combinations:
        best = np.array(combination) == max(combination)
        wins += best / best.sum()
    return wins / len(combinations)


def test_probability_of_largest_equals_enumeration():
    rng = np.random.default_rng(0)
    for _ in range(20):
        # Few distinct values, so that there are many ties.
        samples = tuple(rng.integers(0, 4, size=rng.integers(1, 5)).astype(float) for _ in range(5))
        expected = brute_force_probability_of_largest(samples)
        assert rules.probability_of_largest(samples) == pytest.approx(expected, abs=1e-12)


def test_thompson_tries_untried_goals_first_when_they_are_promising():
    rule = rules.Thompson(window=2, epsilon=0.0)
    assert after(rule, 3, [(0, 0.5)], untried=1.0) == pytest.approx([0, 0.5, 0.5])
    # The window drops the 9: goal 0 draws 0 or 2, goal 1 draws 1.
    p = after(rule, 2, [(0, 9.0), (0, 0.0), (0, 2.0), (1, 1.0)])
    assert p == pytest.approx([0.5, 0.5])
    p = after(rules.Thompson(1, 0.0, absolute=True), 2, [(0, -3.0), (1, 1.0)])
    assert p == pytest.approx([1.0, 0.0])


def test_a_rule_with_a_memory_hears_of_other_goals_one_by_one():
    rule = rules.Thompson(window=3, epsilon=0.0)
    state = rule.update(rule.init(3, 0.0), 0, 0.5)
    revised = rule.revise(state, np.array([np.nan, 0.25, 0.75]))
    assert [values.tolist() for values in revised.values] == [[0.5], [0.25], [0.75]]
    again = rule.revise(revised, np.array([np.nan, np.nan, 0.125]))
    assert [values.tolist() for values in again.values] == [[0.5], [0.25], [0.75, 0.125]]


def test_the_baseline_of_reinforce_is_the_mean_of_all_rewards_so_far():
    rule = rules.Reinforce(learning_rate=0.01)
    state = rule.init(2, 0.0)
    for reward, mean in ((1.0, 1.0), (2.0, 1.5), (6.0, 3.0)):
        state = rule.update(state, 0, reward + np.log(rule.probabilities(state)[0]))
        assert state.baseline == pytest.approx(mean)


def test_exp3s_by_hand():
    rule = rules.ExponentialWeights(step_size=0.5, epsilon=0.2)
    # One reward has no quantiles to lie between: nothing is gained.
    assert after(rule, 2, [(0, 1.0)]).tolist() == [0.5, 0.5]
    # 3 is over the 80 % quantile of (1, 3), so goal 1 gains 0.5 * 1 / 0.5; but at the rate 1/2 two
    # goals share alike.
    assert after(rule, 2, [(0, 1.0), (1, 3.0)]) == pytest.approx([0.5, 0.5])
    # 2.3 between the quantiles 1.52 and 2.72 of (1, 2.3, 3) is 2 * 0.78 / 1.2 - 1 = 0.3; the rate is 1/3.
    gain = np.exp(0.3)
    shared = np.array([2 + gain, 2 * gain + 1]) / (3 + 3 * gain)
    found = after(rule, 2, [(0, 1.0), (1, 3.0), (1, 2.3)])
    assert found == pytest.approx(0.8 * shared + 0.1)


def test_exp3s_remembers_the_last_rewards():
    rule = rules.ExponentialWeights(memory=2)
    state = rule.init(2, 0.0)
    for value in (9.0, 1.0, 3.0):
        state = rule.update(state, 0, value)
    assert state.history.tolist() == [1.0, 3.0]


def test_gains_of_any_size_leave_weights_that_are_numbers():
    found = rules.exp3s_weights(np.zeros(3), np.array([1e4, 0.0, -1e4]), 0.5)
    # All the mass is goal 0's: it keeps a half, and the others have a quarter each.
    assert np.exp(found) == pytest.approx([1.0, 0.5, 0.5])


def test_thompson_forgets_the_oldest_value():
    rule = rules.Thompson(window=2, epsilon=0.0)
    assert after(rule, 2, [(0, 9.0), (0, 0.0), (0, 0.0), (1, 1.0)]).tolist() == [0, 1]


def test_defaults_are_the_documented_ones():
    assert rules.Softmax() == rules.Softmax(0.1, step_size=1.0, absolute=False)
    assert rules.EpsilonGreedy() == rules.EpsilonGreedy(0.1)
    assert rules.TopShare() == rules.TopShare(0.1, share=0.25)
    assert rules.Hold(rules.Even()) == rules.Hold(rules.Even(), times=10)
    assert rules.Reinforce() == rules.Reinforce(0.5)
    assert rules.ExponentialWeights() == rules.ExponentialWeights(None, 0.05, 0.0, 1000)
    assert rules.Thompson() == rules.Thompson(10, 0.1, False)
    assert rules.Band() == rules.Band(0.1, low=0.1, high=0.9)


@pytest.mark.parametrize(
    "make",
    [
        lambda: rules.EpsilonGreedy(1.0, step_size=1.0),
        lambda: rules.TopShare(0.0, share=1.0),
        lambda: rules.Hold(rules.Even(), times=1),
        lambda: rules.ExponentialWeights(epsilon=1.0, bias=0.0, memory=2),
        lambda: rules.Thompson(window=1, epsilon=1.0),
        lambda: rules.Band(low=0.5, high=0.5),
    ],
)
def test_the_ends_of_a_range_belong_to_it(make: Callable[[], Any]):
    make()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: rules.Softmax(0.0), ValueError, "temperature must be greater than 0, got 0"),
        (lambda: rules.EpsilonGreedy(1.1), ValueError, r"epsilon must lie in \[0, 1\]"),
        (lambda: rules.Softmax(step_size=0.0), ValueError, "step_size must be greater than 0"),
        (lambda: rules.Softmax(step_size=1.5), ValueError, "step_size must lie in"),
        (lambda: rules.Softmax(absolute=cast(Any, 1)), TypeError, "absolute must be True or False"),
        (lambda: rules.EpsilonGreedy(step_size=0.0), ValueError, "step_size must be greater"),
        (lambda: rules.TopShare(share=2.0), ValueError, "share"),
        (lambda: rules.TopShare(epsilon=2.0), ValueError, "epsilon"),
        (lambda: rules.Hold(cast(Any, 3)), TypeError, "rule must be a Rule"),
        (lambda: rules.Hold(rules.Even(), times=0), ValueError, "times must be at least 1"),
        (lambda: rules.Reinforce(0.0), ValueError, "learning_rate"),
        (lambda: rules.ExponentialWeights(epsilon=0.0), ValueError, "epsilon"),
        (lambda: rules.ExponentialWeights(epsilon=1.5), ValueError, "epsilon must lie in"),
        (
            lambda: rules.ExponentialWeights(step_size=0.0),
            ValueError,
            "step_size must be greater",
        ),
        (lambda: rules.ExponentialWeights(bias=-0.1), ValueError, "bias must lie in"),
        (lambda: rules.ExponentialWeights(memory=1), ValueError, "memory must be at least 2"),
        (lambda: rules.Band(2.0), ValueError, r"epsilon must lie in \[0, 1\]"),
        (lambda: rules.Band(low=-np.inf), ValueError, "low must be a finite number"),
        (lambda: rules.Band(low=0.5, high=0.4), ValueError, r"high must lie in \[0.5, inf\]"),
        (lambda: rules.Thompson(window=0), ValueError, "window must be at least 1"),
        (lambda: rules.Thompson(epsilon=1.5), ValueError, "epsilon must lie in"),
        (lambda: rules.Thompson(absolute=cast(Any, 1)), TypeError, "absolute must be True or"),
    ],
)
def test_bad_settings_are_refused(make: Callable[[], Any], error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        make()
