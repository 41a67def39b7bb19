"""The FLOPs of an update against numbers worked out by hand."""

import threading
from dataclasses import replace

import pytest

from autotelic import paper
from autotelic.agents import Sac
from autotelic.learner.plan import EnvironmentSizes
from autotelic.learner.setting import Setting
from benchmarks.comparison import roofline
from benchmarks.comparison.results import fraction_of_peak
from benchmarks.comparison.roofline import PeakMeter, network_flops, update_flops

TINY = Setting(
    num_goals=3, hidden_units=4, batch_size=2, agent=replace(paper.HALF_CHEETAH.agent, components=2)
)
TINY_SIZES = EnvironmentSizes(observation_size=5, action_size=1, episode_length=None)


def test_a_network_that_is_only_evaluated_takes_its_three_products():
    # 2 x (2 rows) x (5 x 4 + 4 x 4 + 4 x 3 weights)
    assert network_flops(2, 5, 4, 3, trained=False, input_gradients=True) == 4 * (20 + 16 + 12)


def test_a_trained_network_takes_three_times_as_many():
    forward = network_flops(2, 5, 4, 3, trained=False, input_gradients=True)
    assert network_flops(2, 5, 4, 3, trained=True, input_gradients=True) == 3 * forward


def test_without_gradients_of_the_inputs_the_first_layer_counts_twice():
    assert network_flops(2, 5, 4, 3, trained=True, input_gradients=False) == 4 * (
        2 * 20 + 3 * 16 + 3 * 12
    )


def test_an_update_by_its_parts():
    # Situation 5 + 3 = 8; the policy has 2 x (1 + 2 x 1) = 6 outputs; Q sees 8 + 1 = 9.
    assert update_flops(TINY, TINY_SIZES) == {
        "policy": 3 * 4 * (8 * 4 + 16 + 4 * 6),
        "q": 3 * 4 * (9 * 4 + 16 + 4),
        "q of fresh actions": 4 * (9 * 4 + 16 + 4),
        "v": 3 * 4 * (8 * 4 + 16 + 4),
        "target v": 4 * (8 * 4 + 16 + 4),
        "discriminator": 3 * 4 * (5 * 4 + 16 + 4 * 3),
    }


@pytest.mark.parametrize(
    ("input_gradients", "multiplications"), [(True, 1_471_800), (False, 1_431_600)]
)
def test_the_papers_half_cheetah(input_gradients, multiplications):
    # Forward, in multiplications a row: policy 37 x 300 + 300 x 300 + 300 x 52 = 116,700, Q 103,200,
    # V 101,400, discriminator 101,100. Customary: 3 x (116,700 + 103,200 + 101,400 + 101,100) +
    # 103,200 + 101,400 + ... = 1,471,800, less first layers 11,100 + 12,900 + 11,100 + 5,100.
    sizes = EnvironmentSizes(observation_size=17, action_size=6, episode_length=1000)
    flops = update_flops(paper.HALF_CHEETAH, sizes, input_gradients=input_gradients)
    assert sum(flops.values()) == 2 * 128 * multiplications


def test_another_agent_is_refused():
    with pytest.raises(TypeError, match="for GmmSac alone, got Sac"):
        update_flops(replace(TINY, agent=Sac()), TINY_SIZES)


def test_every_measurement_of_the_peak_is_kept():
    meter = PeakMeter(size=8, products=1)
    rates = [meter.measure() for _ in range(3)]
    assert meter.rates == rates and min(rates) > 0


def test_copies_are_counted_of_all_threads(monkeypatch):
    began = threading.local()

    def clock() -> float:
        began.before, before = True, getattr(began, "before", False)
        return 4.0 if before else 0.0

    monkeypatch.setattr(roofline, "COPIED", 100)
    monkeypatch.setattr(roofline.time, "perf_counter", clock)
    assert roofline.copy_rates(copies=3) == (75.0, 150.0)


def test_all_of_the_peak_is_one():
    assert fraction_of_peak(10.0, flops=5, peak=50.0) == 1.0
