"""The flags are the settings: every field has its flag, with the library's own default."""

import dataclasses
from dataclasses import replace
from pathlib import Path

import pytest

from autotelic import paper, presets
from autotelic.agents import AGENTS, AutoSac, DiscreteSac, GmmSac, Sac
from autotelic.commands.train import methods_of, read
from autotelic.environments.gymnasium import GymnasiumEnvironment
from autotelic.environments.navigation2d import Navigation2D
from autotelic.flags.setting import (
    DEFAULT_METHODS,
    AgentFlags,
    ObjectiveFlags,
    SettingFlags,
    TrainFlags,
    base_setting,
    flags_of,
    seeds_of,
    setting_of,
)
from autotelic.learner.setting import Setting
from autotelic.objectives import OBJECTIVES, Diayn, Metra, Reach
from autotelic.runs.run import Runs
from autotelic.selectors import VariationalControl, describe, parse_method


def setting(*words: str) -> Setting:
    """The setting that words after `autotelic train` spell."""
    flags, base, _ = read([*words, "--out", "nowhere"])
    return setting_of(flags, base)


def names(kind: type) -> set[str]:
    return {field.name for field in dataclasses.fields(kind)}


def test_every_field_has_a_flag_and_no_flag_is_without_a_field():
    assert names(SettingFlags) == names(Setting) - {"environment", "agent", "objective"}
    assert names(AgentFlags) == {"agent"}.union(*(names(kind) for kind in AGENTS.values()))
    options = {"objective"}.union(*(names(kind) for kind in OBJECTIVES.values()))
    in_python = {"codebook", "places", "bounds", "reachable"}  # vectors are given there
    assert names(ObjectiveFlags) == options - in_python


def test_defaults_are_those_of_the_library():
    assert flags_of(Setting()) == {
        "setting": SettingFlags(),
        "agent": AgentFlags(),
        "objective": ObjectiveFlags(),
    }
    assert setting("HalfCheetah-v5") == Setting(environment="HalfCheetah-v5")
    assert setting("navigation2d") == Setting(environment="navigation2d", hidden_units=32)
    flags = TrainFlags(environment="navigation2d")
    assert list(methods_of(flags, None)) == list(DEFAULT_METHODS)
    assert setting("Hopper-v5", "--agent", "gmm-sac").agent == GmmSac()


@pytest.mark.parametrize("name", paper.SETTINGS)
def test_the_papers_preset_is_the_papers_setting(name: str):
    assert setting(name, "--preset", "paper") == paper.SETTINGS[name]


def progress(preset: str, environment: str, *methods: str) -> list[tuple]:
    """(offset, smoothing, temperature) of methods that are DP, as the shell reads them."""
    flags = TrainFlags(environment=environment, preset=preset, methods=methods)
    return [(m.offset, m.smoothing, m.temperature) for m in methods_of(flags, None).values()]


@pytest.mark.parametrize(
    ("preset", "environment", "row"),
    [
        ("none", "Ant-v5", (None, None, 0.1)),
        ("paper", "navigation2d", (250, 250, 0.1)),
        ("paper", "HalfCheetah-v5", (250, 250, 0.1)),
        ("paper", "Ant-v5", (750, 250, 0.1)),
        ("paper-fig2", "HalfCheetah-v5", (750, 250, 0.1)),
        ("paper-fig3", "HalfCheetah-v5", (900, 100, 0.75)),
    ],
)
def test_the_papers_preset_has_table_1s_rows_of_dp(preset: str, environment: str, row: tuple):
    assert progress(preset, environment, "dp") == [row]


def test_options_that_are_given_overrule_the_presets():
    assert progress("paper", "Ant-v5", "dp:temperature=0.3,offset=500") == [(500, 250, 0.3)]


def test_a_continued_run_keeps_the_options_of_a_method_that_is_named_again():
    dp = parse_method("dp", {"dp": {"offset": 750, "smoothing": 250}})[1]
    setting = {"environment": "Ant-v5"}
    saved = Runs(Path("run"), {"methods": {"dp": describe(dp)}, "setting": setting}, paper.ANT)
    flags = TrainFlags(methods=("dp", "vic"))
    assert methods_of(flags, saved) == {"dp": dp, "vic": VariationalControl()}


def test_each_figure_with_a_column_of_its_own_has_a_preset():
    assert setting("HalfCheetah-v5", "--preset", "paper-fig2").num_goals == 5
    assert setting("HalfCheetah-v5", "--preset", "paper-fig3") == paper.HALF_CHEETAH
    with pytest.raises(ValueError, match="unknown environment of the preset paper-fig2 'Ant-v5'"):
        setting("Ant-v5", "--preset", "paper-fig2")


def test_flags_overrule_the_preset():
    found = setting("Ant-v5", "--preset", "paper", "--num-goals", "5", "--reward-prior", "uniform")
    assert found.num_goals == 5
    assert found.objective == Diayn(reward_state="obs", reward_prior="uniform")
    assert found.hidden_units == 300


def test_the_presets_agent_takes_its_own_options():
    found = setting("navigation2d", "--preset", "paper", "--components", "2")
    assert found.agent == GmmSac(components=2)
    with pytest.raises(ValueError, match="--tune-entropy is no option of the agent gmm-sac"):
        setting("navigation2d", "--preset", "paper", "--tune-entropy")


def test_flags_reach_their_settings():
    found = setting(
        *("Ant-v5", "--environment-options", "include_cfrc_ext_in_observation=false"),
        *("--agent", "sac", "--tune-entropy", "--target-entropy", "-3", "--features", "0", "2"),
        *(
            "--learning-rate",
            "2e-3",
            "--steps-per-goal",
            "250",
            "--first-update",
            "7",
            "--replay-capacity",
            "500",
            "--frozen",
        ),
    )
    assert found == Setting(
        environment="Ant-v5",
        environment_options={"include_cfrc_ext_in_observation": False},
        agent=Sac(tune_entropy=True, target_entropy=-3.0),
        objective=Diayn(features=(0, 2)),
        learning_rate=2e-3,
        steps_per_goal=250,
        first_update=7,
        replay_capacity=500,
        frozen=True,
    )
    environment = found.make_environment()
    assert isinstance(environment, GymnasiumEnvironment)
    assert environment.observation_size == 27
    mixture = ("--agent", "gmm-sac", "--components", "2", "--entropy-scale", "0.5")
    assert setting("navigation2d", *mixture).agent == GmmSac(components=2, entropy_scale=0.5)
    fixed = setting("navigation2d", "--no-tune-entropy", "--steps-per-goal", "auto")
    assert (fixed.agent, fixed.steps_per_goal) == (AutoSac(tune_entropy=False), "auto")
    choices = ("--agent", "discrete-sac", "--target-entropy-share", "0.3", "--discount", "0.9")
    expected = DiscreteSac(tune_entropy=True, target_entropy_share=0.3, discount=0.9)
    assert setting("CartPole-v1", *choices).agent == expected


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", ",", "3,x"])
def test_seeds_that_are_none_are_refused(text: str):
    with pytest.raises(ValueError, match=r"--seeds must be a number of seeds, such as 5, or"):
        seeds_of(text)


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("sac", ("--components", "3")),
        ("sac", ("--regularization=0.1",)),
        ("gmm-sac", ("--tune-entropy",)),
        ("gmm-sac", ("--no-tune_entropy",)),
        ("auto", ("--target-entropy-share", "0.3")),
        ("discrete-sac", ("--target-entropy", "-1")),
    ],
)
def test_the_other_agents_options_are_refused(agent: str, words: tuple[str, ...]):
    with pytest.raises(ValueError, match=rf"is no option of the agent {agent}; its own are --"):
        setting("navigation2d", "--agent", agent, *words)


def test_an_environment_option_without_a_value_is_refused():
    with pytest.raises(ValueError, match=r"NAME=VALUE \.\.\., got 'noise'"):
        setting("navigation2d", "--environment-options", "noise")


def test_the_preset_knows_the_papers_environments_only():
    flags = TrainFlags(environment="Hopper-v5", preset="paper")
    with pytest.raises(ValueError, match=r"choose from navigation2d, HalfCheetah-v5, Ant-v5"):
        base_setting(flags, None)


def test_help_shows_defaults_groups_and_examples(capsys):
    with pytest.raises(SystemExit) as exit:
        read(["--help"])
    assert exit.value.code == 0
    text = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "--hidden-units N Units in each of a network's two hidden layers." in text
    assert "(default: 32 in navigation2d, 300 elsewhere; less for reach)" in text
    assert "(default: uniform round-robin auto)" in text
    for group in ("setting options", "agent options", "objective options"):
        assert group in text
    assert "autotelic train --resume --out runs/nav" in text
    assert "methods: diayn, dp, vic" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--hiden-units", "3"], "--hidden-units"),
        (["--num-goals", "many"], "--num-goals"),
    ],
)
def test_unknown_flags_and_values_name_the_valid_ones(words: list[str], said: str, capsys):
    with pytest.raises(SystemExit) as exit:
        read(["navigation2d", "--out", "nowhere", *words])
    assert exit.value.code == 2
    assert said in " ".join(capsys.readouterr().err.replace("│", " ").split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--agent", "sacc"],
            "unknown agent 'sacc'; choose from auto, discrete-sac, gmm-sac, sac. Did you mean 'sac'?",
        ),
        (["--objective", "dian"], "unknown objective 'dian'; choose from diayn, vic, rvic"),
        (["--agent", "no_such.Agent"], "agent 'no_such.Agent': No module named 'no_such'"),
        (["--agent", "autotelic.agents.Sca"], "unknown name in autotelic.agents 'Sca'"),
        (["--objective", "autotelic.agents.Sac"], "autotelic.agents.Sac must be an Objective"),
        (
            ["--agent", "autotelic.agents.Sac:discount=0.9", "--target-rate", "0.1"],
            "--target-rate is no option of autotelic.agents.Sac:discount=0.9; its own follow a colon: "
            "--agent autotelic.agents.Sac:name=value",
        ),
        (
            ["--objective", "autotelic.objectives.Diayn", "--features", "0"],
            "--features is no option of autotelic.objectives.Diayn; its own follow a colon",
        ),
        (["--environment", "Ant-v5"], "given twice: 'navigation2d' and --environment 'Ant-v5'"),
    ],
)
def test_parts_that_cannot_be_had_are_refused(words: list[str], said: str):
    with pytest.raises((ValueError, TypeError)) as refused:
        setting("navigation2d", *words)
    assert said in str(refused.value)


def test_parts_by_their_import_paths_are_made_with_their_options():
    found = setting(
        *("--environment", "autotelic.environments.navigation2d.Navigation2D:noise=0.5"),
        *("--agent", "autotelic.agents.Sac:discount=0.9"),
        *("--objective", "autotelic.objectives.Diayn:reward_state=obs"),
    )
    assert found == Setting(
        environment=Navigation2D(noise=0.5),
        agent=Sac(discount=0.9),
        objective=Diayn(reward_state="obs"),
    )


def test_reading_flags_makes_no_folder(tmp_path: Path):
    read(["navigation2d", "--out", str(tmp_path / "a" / "b")])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", OBJECTIVES)
def test_an_objective_that_is_named_has_its_own_defaults(name: str):
    assert setting("navigation2d", "--objective", name).objective == OBJECTIVES[name]()


def test_options_of_an_objective():
    found = setting("navigation2d", "--objective", "metra", "--jitter", "0.1", "--dimension", "3")
    assert found.objective == Metra(jitter=0.1, dimension=3)
    with pytest.raises(ValueError, match=r"--jitter is no option of the objective diayn"):
        setting("navigation2d", "--jitter", "0.1")


def test_a_preset_can_be_changed():
    found = setting("Ant-v5", "--preset", "metra-cpu", "--hidden-units", "64", "--jitter", "0.3")
    usual = presets.metra_cpu("Ant-v5")
    assert found == replace(usual, hidden_units=64, objective=replace(usual.objective, jitter=0.3))
    other = setting("Ant-v5", "--preset", "metra-cpu", "--objective", "diayn")
    assert other == replace(usual, objective=Diayn())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["Ant-v5", "--preset", "metra"],
            "unknown preset 'metra'; choose from none, paper, paper-fig2,",
        ),
        (["Hopper-v5", "--preset", "csf-paper"], "unknown environment of the preset 'Hopper-v5'"),
        (["navigation2d", "--updates-per-step", "often"], "such as 1, 2 or 1/32, got 'often'"),
        (["navigation2d", "--updates-per-step", "1/0"], "such as 1, 2 or 1/32, got '1/0'"),
    ],
)
def test_presets_and_ratios_that_do_not_exist_are_refused(words: list[str], said: str):
    with pytest.raises(ValueError) as refused:
        setting(*words)
    assert said in str(refused.value)


@pytest.mark.parametrize(("text", "rate"), [("1/32", 1 / 32), ("2", 2.0), ("0.25", 0.25)])
def test_updates_per_step_are_a_number_or_a_fraction(text: str, rate: float):
    words = ["--updates-per-step", text, "--steps-per-epoch", "640", "--steps-per-goal", "64"]
    assert setting("navigation2d", *words).updates_per_step == rate


def test_places_to_reach_have_a_visit_for_each_episode():
    maze = setting("maze2d", "--objective", "reach", "--radius", "0.1", "--relabel", "final")
    assert maze == replace(presets.reaching("maze2d"), objective=Reach(radius=0.1, relabel="final"))
    assert (maze.num_goals, maze.steps_per_goal, maze.reset_on_goal_switch) == (50, 100, True)
    assert setting("maze2d") == presets.reaching("maze2d")
    assert setting("maze2d", "--objective", "diayn").objective == Diayn()
    cheetah = setting("HalfCheetah-v5", "--objective", "reach", "--goals", "grid")
    assert (cheetah.num_goals, cheetah.steps_per_goal, cheetah.steps_per_epoch) == (15, 200, 1000)
    # What is measured over an episode is what was practised in a visit.
    assert cheetah.environment_options == {"max_episode_steps": 200}
    assert maze.environment_options == {}
    # Episodes of 100 steps fill visits of 100; a run of another preset keeps its own.
    own = setting("Ant-v5", "--preset", "metra-cpu", "--objective", "reach")
    assert own == replace(presets.metra_cpu("Ant-v5"), objective=Reach())


def test_an_episode_of_an_own_environment_s_is_as_its_author_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Its class need not take max_episode_steps; an id that a module registers has its own limit."""
    (tmp_path / "own_places.py").write_text(
        "import gymnasium\n"
        "class Own(gymnasium.Env):\n    pass\n"
        "gymnasium.register('OwnPlaces-v0', entry_point=Own, max_episode_steps=50)\n"
    )
    monkeypatch.chdir(tmp_path)
    own = setting("own_places.Own", "--objective", "reach")
    assert (own.environment_options, own.steps_per_goal) == ({}, 200)
    registered = setting("own_places:OwnPlaces-v0", "--objective", "reach")
    assert (registered.environment_options, registered.steps_per_goal) == ({}, 50)
    # What another package compiled has another word for it.
    compiled = presets.reaching("brax::ant")
    assert compiled.environment_options == {"episode_length": 200}


def test_the_default_methods_ask_for_no_caution():
    for name in DEFAULT_METHODS:
        _, selector = parse_method(name)
        # Goals held for a tenth of an episode, for one, and for ten.
        assert {selector.caution(steps, 100) for steps in (10, 100, 1000)} == {""}, name
