import subprocess
import sys

import pytest

from autotelic import paper
from autotelic.learner.setting import Setting
from autotelic.progress import READINGS
from autotelic.selectors import DiversityProgress, Uniform, VariationalControl

# Table 1, a column for each figure: eta, tau, T_SM, |G|, K, alpha, hidden units.
TABLE_1 = {
    "fig1a": (250, 250, (0.1, 0.3), 20, 4, 0.1, 32),
    "fig1b": (250, 250, (0.1, 0.3), 20, 4, 0.1, 300),
    "fig1c": (250, 750, (0.1, 0.3), 20, 4, 0.1, 300),
    "fig2": (250, 750, (0.1,), 5, 4, 0.1, 300),
    "fig3": (100, 900, (0.75,), 20, 4, 0.1, 300),
}


@pytest.mark.parametrize("name", TABLE_1)
def test_the_figures_have_the_hyper_parameters_of_table_1(name: str):
    figure = paper.FIGURES[name]
    dp = [s for s in figure.methods.values() if isinstance(s, DiversityProgress)]
    assert {(s.smoothing, s.offset) for s in dp} == {TABLE_1[name][:2]}
    setting = figure.setting
    found = (
        tuple(s.temperature for s in dp),
        setting.num_goals,
        setting.agent.components,
        setting.agent.entropy_scale,
        setting.hidden_units,
    )
    assert found == TABLE_1[name][2:]


def test_the_figures_compare_what_their_captions_say():
    kinds = {
        name: [type(selector) for selector in figure.methods.values()]
        for name, figure in paper.FIGURES.items()
    }
    four = [VariationalControl, Uniform, DiversityProgress, DiversityProgress]
    assert kinds == {
        "fig1a": four,
        "fig1b": four,
        "fig1c": four,
        "fig2": [DiversityProgress],
        "fig3": [Uniform, DiversityProgress],
        "fig4": [Uniform],
    }
    environments = [figure.setting.environment for figure in paper.FIGURES.values()]
    cheetah = "HalfCheetah-v5"
    assert environments == [
        *("navigation2d", cheetah, "Ant-v5", cheetah, cheetah),
        "navigation2d",
    ]
    assert [figure.num_seeds for figure in paper.FIGURES.values()] == [5, 5, 5, 5, 10, 1]
    assert [figure.epochs for figure in paper.FIGURES.values()] == [200, 200, 200, 500, 100, 200]
    assert paper.FIGURES["fig4"].setting.num_goals == 8


@pytest.mark.parametrize("setting", [figure.setting for figure in paper.FIGURES.values()])
def test_what_table_1_leaves_to_diayns_code_is_diayns(setting: Setting):
    assert (setting.learning_rate, setting.batch_size, setting.updates_per_step) == (3e-4, 128, 1.0)
    assert (setting.agent.discount, setting.agent.target_rate) == (0.99, 0.01)
    # One goal an epoch of 1000 steps, by the selector from the first on (Algorithm 1).
    assert (setting.steps_per_epoch, setting.steps_per_goal) == (1000, None)
    assert not setting.warm_up


@pytest.mark.parametrize("reading", READINGS)
def test_a_reading_is_that_of_every_dp_of_a_figure_and_of_nothing_else(reading: str):
    figure = paper.FIGURES["fig1c"].read_as(reading)
    assert [one.normalization for one in list(figure.methods.values())[2:]] == [reading] * 2
    assert [(one.offset, one.temperature) for one in list(figure.methods.values())[2:]] == [
        (750, 0.1),
        (750, 0.3),
    ]
    assert figure.setting == paper.ANT
    with pytest.raises(ValueError, match="unknown reading 'z-score'"):
        figure.read_as("z-score")


def test_every_method_fits_its_setting():
    for figure in paper.FIGURES.values():
        for selector in figure.methods.values():
            selector.check(figure.setting.num_goals, figure.setting.steps_per_epoch)


@pytest.mark.parametrize(
    ("setting", "observations", "actions", "episode"),
    [
        (paper.NAVIGATION_2D, 2, 2, 100),
        (paper.HALF_CHEETAH, 17, 6, 1000),
        (paper.ANT, 105, 8, 1000),
    ],
)
def test_the_environments_have_the_papers_sizes(setting, observations, actions, episode):
    environment = setting.make_environment()
    assert environment.observation_size == observations
    assert environment.action_size == actions
    assert environment.episode_length == episode
    assert setting.objective.reward_state == "obs"
    assert setting.objective.reward_prior == "current"


def test_reading_the_settings_does_not_load_the_simulator():
    code = "import sys, autotelic; autotelic.paper.ANT; print('mujoco' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.split() == ["False"]
