"""Settings by name and environment: the paper's Table 1, and those that METRA and CSF were published with.

The published loop of METRA (Park et al. 2024) and CSF (Zheng et al. 2025): episodes of 200 steps that
never terminate, x and y in the observation, fixed normalisation, a skill for each episode, one update
every 32 steps. Their continuous skills are a codebook here, with jitter between its directions.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from autotelic import _validate, paper
from autotelic.agents import AutoSac, Sac
from autotelic.environments import OWN, episode_limit
from autotelic.environments.goal_tasks import TASKS
from autotelic.learner.setting import Setting
from autotelic.objectives import Csf, Metra, Reach

EPISODE = 200
GROUND: Mapping[str, Mapping[str, Any]] = {
    "Ant-v5": {"include_cfrc_ext_in_observation": False, "terminate_when_unhealthy": False},
    "HalfCheetah-v5": {},
}
"""Environments of the published protocol, and what makes them so beside positions and episodes."""
AGENT = Sac(
    entropy_scale=0.01,
    tune_entropy=True,
    target_entropy_per_action=-0.5,
    target_rate=0.005,
    policy_activation="tanh",
)
"""SAC with METRA's numbers."""


PAPER: Mapping[str, tuple[str, ...]] = {
    "paper": ("fig1a", "fig1b", "fig1c"),
    "paper-fig2": ("fig2",),
    "paper-fig3": ("fig3",),
}
"""Columns of the paper's Table 1 by the preset that takes them; Figure 1 has one for each environment."""


def paper_figure(preset: str, environment: str) -> paper.Figure:
    """The figure whose column of Table 1 a preset takes in this environment."""
    columns = {paper.FIGURES[name].setting.environment: name for name in PAPER[preset]}
    _validate.choice(f"environment of the preset {preset}", environment, columns)
    return paper.FIGURES[columns[environment]]


def of_paper(preset: str, environment: str) -> Setting:
    """Table 1's."""
    return paper_figure(preset, environment).setting


def method_options(preset: str, environment: str) -> dict[str, dict[str, Any]]:
    """What methods are in a preset unless their own options say otherwise: Table 1's rows of DP.

    >>> method_options("paper", "Ant-v5")["dp"]["offset"], method_options("none", "Ant-v5")
    (750, {})
    """
    progress = paper_figure(preset, environment).progress if preset in PAPER else None
    if progress is None:
        return {}
    rows = ("offset", "smoothing", "temperature", "normalization")
    return {"dp": {name: getattr(progress, name) for name in rows}}


def metra_paper(environment: str) -> Setting:
    """METRA as published: 1024 units. Eight episodes of one goal, then 50 updates' worth."""
    return Setting(
        environment=environment,
        environment_options=_options(environment),
        num_goals=16,
        steps_per_epoch=8 * 10 * EPISODE,
        steps_per_goal=8 * EPISODE,
        agent=AGENT,
        objective=Metra(skills="one_hot") if environment == "HalfCheetah-v5" else Metra(jitter=0.2),
        hidden_units=1024,
        batch_size=256,
        learning_rate=1e-4,
        first_update=10_000,
        reset_on_goal_switch=True,
        updates_per_step=1 / 32,
        environments=8,
        normalize_observations="fixed",
    )


def metra_cpu(environment: str) -> Setting:
    """METRA for a laptop: 256 units, a skill for each episode, more updates and a higher learning rate."""
    return replace(
        metra_paper(environment),
        steps_per_epoch=50 * EPISODE,
        steps_per_goal=EPISODE,
        hidden_units=256,
        learning_rate=3e-4,
        first_update=5_000,
        updates_per_step=1 / 10,
        environments=1,
    )


def csf_paper(environment: str) -> Setting:
    """CSF as published: METRA's loop, a vector critic, and a contrastive representation."""
    return replace(metra_paper(environment), objective=Csf(jitter=0.2))


def _options(environment: str) -> dict[str, Any]:
    _validate.choice("environment of the preset", environment, GROUND)
    return {
        **GROUND[environment],
        "exclude_current_positions_from_observation": False,
        "max_episode_steps": EPISODE,
    }


LONGEST_VISIT = 300
"""Steps of a visit to a place, where episodes are longer."""


def reaching(environment: str) -> Setting:
    """The usual setting of goals that are places: every visit is an episode of its own, from the start.

    docs/decisions.md has what was measured for it.
    """
    name = environment.lower()
    limit = 100 if name in OWN else episode_limit(environment)
    visit = LONGEST_VISIT if limit == LONGEST_VISIT else min(limit or 200, 200)
    length = "episode_length" if "::" in environment else "max_episode_steps"
    usual = Setting(
        environment=environment,
        # Skills are measured over whole episodes, and are practised for a visit.
        environment_options={} if limit == visit else {length: visit},
        num_goals=50,
        steps_per_epoch=max(1, round(1000 / visit)) * visit,
        steps_per_goal=visit,
        agent=AutoSac(discount=0.98),
        objective=Reach(),
        hidden_units=64 if name in OWN else 128,
        reset_on_goal_switch=True,
    )
    if environment.rsplit("-v", 1)[0] in TASKS:  # velocities, about 1 m/s apart
        return replace(usual, num_goals=15)
    return usual


PRESETS: Mapping[str, Callable[[str], Setting]] = {
    **{preset: partial(of_paper, preset) for preset in PAPER},
    "metra-cpu": metra_cpu,
    "metra-paper": metra_paper,
    "csf-paper": csf_paper,
}
"""By the shell's names: from an environment's name to its setting."""
