"""The cases by their meaning: what is trained, what is typed, what selectors see. How it is spelled is in
`library`.

A part is `name:option=value,option=value`; several values of one option are separated by spaces.
"""

from dataclasses import dataclass, field

TINY = {
    "num_goals": "3",
    "steps_per_epoch": "20",
    "steps_per_goal": "10",
    "hidden_units": "8",
    "batch_size": "16",
    "learning_rate": "0.003",
    "first_update": "10",
    "replay_capacity": "60",
    "epochs": "4",
    "seeds": "1",
}
"""Sizes of every run: its ring wraps, its episodes end within an epoch, and most share a compiled program."""
NAVIGATION, MAZE = "navigation2d:episode_length=15", "maze2d:layout=open,episode_length=15"


@dataclass(frozen=True)
class Meaning:
    """A run: its parts, and what is said beside them by the names of settings."""

    environment: str
    objective: str = ""
    goals: str = ""
    agent: str = ""
    methods: tuple[str, ...] = ()
    said: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [self.environment, self.objective, self.goals, self.agent]
        said = [f"{name}={value}" for name, value in self.said.items()]
        said += ["methods=" + ";".join(self.methods)] * bool(self.methods)
        return " ".join(part for part in (*parts, *said) if part)


def _means(environment: str, *parts: str, methods: str = "", **said: str) -> Meaning:
    """A meaning; parts are objective, goals and agent, told from each other by their names."""
    found = {}
    for part in parts:
        name = part.partition(":")[0]
        kind = "goals" if name in GOALS else "agent" if name in AGENTS else "objective"
        found[kind] = part
    return Meaning(environment, **found, methods=tuple(filter(None, methods.split(";"))), said=said)


def _rate(objective: str) -> dict[str, str]:
    """CIC multiplies what is rounded, so it learns slowly."""
    return {"learning_rate": "0.0005"} if objective == "cic" else {}


GOALS, AGENTS = ("directions", "places"), ("auto", "sac", "gmm-sac", "discrete-sac")
CODES = ("diayn", "vic", "rvic", "disdain")
DIRECTIONS = ("visr", "cic", "dads", "lsd", "metra", "csf")
JUDGED = (*CODES, *DIRECTIONS)
REACH = "reach", "places:radius=0.3"
ASK_PLACES = "round-robin;auto;frontier;skew-fit;alp-gmm;learnability:competence=success"
ASK_MODELS = "diayn;dp:reference=probe;remaining-error;value-regret;value-disagreement"
"""Selectors that ask for where goals are, and for probes and values."""
SEVERAL = {"environments": "2", "updates_per_step": "2", "normalize_observations": "running"}
PENDULUM = "Pendulum-v1:max_episode_steps=15"
IN_TURN = {"environments": "2", "replay": "goal_balanced"}
MOVING = "places:which=met,radius=0.3,relabel=none,afterwards=stay"

RUNS: list[Meaning] = [
    # Every objective with its agents.
    *(_means(NAVIGATION, one, "sac", **_rate(one)) for one in JUDGED),
    *(_means(NAVIGATION, one, "gmm-sac", **_rate(one)) for one in JUDGED if one != "csf"),
    *(_means("CartPole-v1", one, "discrete-sac", **_rate(one)) for one in JUDGED if one != "csf"),
    *(_means(MAZE, *REACH, agent) for agent in ("sac", "gmm-sac")),
    _means("CartPole-v1", "reach", "places:features=0 2,radius=0.2,which=met", "discrete-sac"),
    _means("autotelic/Navigation2DGoal-v0", "task", "sac", num_goals="1", normalize_observations="running"),
    _means("CartPole-v1", "task:reward_scale=0.1", "discrete-sac", num_goals="1"),
    # A host environment with continuous actions.
    _means(PENDULUM, "diayn", "sac", **IN_TURN),
    _means(PENDULUM, "metra", "sac", normalize_observations="fixed"),
    _means(PENDULUM, "dads", "gmm-sac", normalize_observations="running"),
    # Options of the objectives that are another way through them.
    _means(NAVIGATION, "diayn:reward_state=obs,reward_prior=at_collection,features=0", "sac", methods="dp"),
    _means(NAVIGATION, "vic:judged_at=end,reward_prior=current", "sac", methods="vic"),
    _means(NAVIGATION, "disdain:members=3,bonus=2", "sac"),
    _means(NAVIGATION, "cic:reward_kind=particle", "directions:dimension=3", "sac", **_rate("cic")),
    _means(NAVIGATION, "metra:balance=weight,distance=euclidean", "directions:jitter=0.2", "sac"),
    _means(NAVIGATION, "lsd:balance=none", "directions:dimension=3", "sac:tune_entropy=true"),
    _means(NAVIGATION, "csf:balance=weight", "directions:dimension=3", "sac:policy_activation=tanh"),
    # Places.
    _means(MAZE, "reach:reward_form=dense", "places:which=grid,radius=0.3,relabel=final", "sac"),
    _means(MAZE, "reach", MOVING, "sac", epochs="20"),
    _means(MAZE, *REACH, "sac", environments="2", judged="after_update"),
    _means(MAZE, *REACH, "sac", num_goals="5", methods=ASK_PLACES, epochs="8"),
    _means(NAVIGATION, "reach", "places:which=grid", "sac", normalize_observations="running"),
    # Settings, one at a time and together.
    *(
        _means(NAVIGATION, "diayn", "sac", **said)
        for said in (
            {"frozen": "true"},
            {"freeze_after": "2"},
            {"replay": "goal_balanced"},
            {"judged": "after_update"},
            {"normalize_observations": "running"},
            {"normalize_observations": "fixed", "environments": "5"},
            {"updates_per_step": "2"},
            {"updates_per_step": "1/5"},
            {"updates_per_step": "1/10", "environments": "2"},
            SEVERAL,
            {"reset_on_goal_switch": "true"},
            {"warm_up": "false"},
            {"evaluate_every": "2"},
            {"preset": "paper"},
        )
    ),
    _means(NAVIGATION, "diayn", "auto"),
    _means(f"{NAVIGATION},noise=0.1,random_start=true", "diayn", "sac"),
    # Selectors within a population, and crews of more than one learner.
    _means(NAVIGATION, "diayn", "sac", methods=ASK_MODELS),
    _means(NAVIGATION, "diayn", "sac", methods="learned-prior;exp3s", seeds="2"),
]  # fmt: skip
RESUMED = (
    _means(NAVIGATION, "diayn", "sac"),
    _means(NAVIGATION, "metra", "gmm-sac"),
    _means("CartPole-v1", "vic", "discrete-sac"),
    _means(PENDULUM, "diayn", "sac", **IN_TURN),
    _means(MAZE, "reach", MOVING, "sac", epochs="20"),
    _means(NAVIGATION, "diayn", "sac", evaluate_every="2"),
    _means(NAVIGATION, "diayn", "sac", methods=ASK_MODELS),
    _means(NAVIGATION, "diayn", "sac", **SEVERAL),
)  # fmt: skip
"""Runs that are interrupted too, and go on to the same end."""
EVALUATED = (
    _means(NAVIGATION, "diayn", "sac"),
    _means(NAVIGATION, "metra", "sac"),
    _means(MAZE, *REACH, "sac", num_goals="5", methods=ASK_PLACES, epochs="8"),
    _means("CartPole-v1", "dads", "discrete-sac"),
)


def kinds_of(meaning: Meaning) -> list[str]:
    """The cases that are made of a run."""
    found = ["run", "skill file"]
    found += ["evaluated"] * (meaning in EVALUATED)
    found += ["interrupted", "resumed"] * (meaning in RESUMED)
    found += ["prolonged", "begun with a skill of"] * (meaning == RESUMED[0])
    return found


_ENVIRONMENTS = (
    *("navigation2d", "maze2d", "HalfCheetah-v5", "Ant-v5", "Hopper-v5", "Walker2d-v5", "Swimmer-v5"),
    *("Reacher-v5", "CartPole-v1", "Pendulum-v1", "MountainCarContinuous-v0", "Acrobot-v1"),
    *("autotelic/Navigation2D-v0", "autotelic/HalfCheetahVelocity-v0"),
)  # fmt: skip
_TASKS = (
    *("Navigation2DGoal", "HalfCheetahRun", "HalfCheetahRunBackward", "HalfCheetahHurdles"),
    *("AntDirection", "AntMultiGoal"),
)
_WITH_OPTIONS = (
    "navigation2d:noise=0.01,random_start=true",
    "navigation2d:resets=false",
    "navigation2d:action_range=0.1,episode_length=50",
    "maze2d:layout=rooms,share_impossible=0.25",
    "maze2d:layout=open,action_range=0.5,episode_length=200",
    "Ant-v5:include_cfrc_ext_in_observation=false",
    "HalfCheetah-v5:exclude_current_positions_from_observation=false,max_episode_steps=200",
    "Pendulum-v1:backend=process",
)
_OBJECTIVES = (
    "diayn:reward_state=obs",
    "diayn:reward_prior=current",
    "diayn:reward_prior=at_collection,prior_floor=0.001",
    "diayn:features=0",
    "vic:judged_at=end",
    "vic:features=0 1,reward_prior=current",
    "rvic:judged_at=end",
    "rvic:features=1",
    "disdain:members=5",
    "disdain:bonus=1.5,reward_state=obs",
    "visr:concentration=10",
    "cic:temperature=0.3",
    "cic:reward_kind=particle",
    "dads:features=0 1",
    "lsd:balance=weight",
    "lsd:distance=temporal",
    "metra:balance=none",
    "metra:distance=euclidean",
    "metra:slack=0.01,multiplier=10",
    "csf:negatives=16",
    "csf:negative_weight=2,balance=weight",
)
_DIRECTIONS = (
    *(
        ("visr", f"directions:{option}")
        for option in ("skills=one_hot", "dimension=3", "jitter=0.1")
    ),
    *((one, "directions:skills=one_hot") for one in ("cic", "dads", "metra")),
    *((one, "directions:dimension=4,jitter=0.2") for one in ("cic", "dads", "lsd", "metra", "csf")),
)
_PLACES = (
    *("places:which=grid", "places:which=desired", "places:which=met", "places:radius=0.2"),
    *("places:relabel=none", "places:relabel=final", "places:relabel_share=0.5", "places:afterwards=stay"),
    *("places:features=0,which=met", "places:which=grid,radius=0.1,relabel_share=0.3,afterwards=stay"),
)  # fmt: skip
_AGENTS = (
    *(
        "sac",
        "gmm-sac",
        "auto",
        "sac:tune_entropy=true",
        "sac:entropy_scale=0.2",
        "sac:discount=0.98",
    ),
    *(
        "sac:target_entropy=-3,tune_entropy=true",
        "sac:target_entropy_per_action=-0.5,tune_entropy=true",
    ),
    *("sac:target_rate=0.005", "sac:policy_activation=tanh", "auto:tune_entropy=false"),
    *(
        "auto:entropy_scale=0.01,discount=0.95",
        "auto:target_entropy=-1",
        "auto:policy_activation=tanh",
    ),
    *(
        "gmm-sac:components=2",
        "gmm-sac:entropy_scale=0.5,regularization=0.01",
        "gmm-sac:discount=0.9",
    ),
    *("gmm-sac:target_rate=0.02",),
)
_DISCRETE = (
    *("discrete-sac", "auto", "discrete-sac:tune_entropy=true,target_entropy_share=0.3"),
    *("discrete-sac:discount=0.9", "discrete-sac:entropy_scale=0.3,target_rate=0.02"),
)
_SAID: tuple[dict[str, str], ...] = (
    {"num_goals": "7"},
    {"steps_per_epoch": "500"},
    {"steps_per_epoch": "1009"},
    {"steps_per_goal": "250"},
    {"steps_per_goal": "1000"},
    {"steps_per_goal": "auto", "steps_per_epoch": "250"},
    {"hidden_units": "64"},
    {"batch_size": "32"},
    {"learning_rate": "2e-3"},
    {"replay_capacity": "5000"},
    {"first_update": "700"},
    {"replay": "goal_balanced"},
    {"judged": "after_update"},
    {"reset_on_goal_switch": "true"},
    {"warm_up": "false"},
    {"warm_up": "true"},
    {"updates_per_step": "2"},
    {"updates_per_step": "1/20"},
    {"updates_per_step": "0.25"},
    {"updates_per_step": "1/10", "environments": "2"},
    {"environments": "4"},
    {"normalize_observations": "fixed"},
    {"normalize_observations": "running"},
    {"normalize_observations": "none"},
    {"frozen": "true"},
    {"freeze_after": "20"},
    {"seeds": "2"},
    {"seeds": "3,4,7"},
    {"seeds": "3,"},
    {"epochs": "12"},
    {"evaluate_every": "10"},
    {"checkpoint_every": "5"},
    {"epochs": "30", "seeds": "4", "num_goals": "5", "hidden_units": "16", "batch_size": "64"},
)
_PRESETS = (
    *((one, "paper") for one in ("navigation2d", "HalfCheetah-v5", "Ant-v5")),
    *(("HalfCheetah-v5", one) for one in ("paper-fig2", "paper-fig3")),
    *(
        (e, p)
        for e in ("HalfCheetah-v5", "Ant-v5")
        for p in ("metra-cpu", "metra-paper", "csf-paper")
    ),
)
SELECTORS = (
    *("diayn", "uniform", "round-robin", "dp", "vic", "learned-prior", "alp", "alp-gmm", "auto"),
    *("competence-progress", "curious", "exp3s", "frontier", "intermediate-difficulty", "learnability"),
    *("remaining-error", "skew-fit", "teacher-student", "value-disagreement", "value-regret"),
    *("diayn:draw=low_variance", "dp:draw=low_variance", "auto:draw=independent", "auto:memory=3"),
    *("auto:reached=false", "vic:learning_rate=0.1", "learned-prior:memory=100"),
    *("dp:offset=10,smoothing=5,temperature=0.3", "dp:normalization=l2", "dp:normalization=l1"),
    *("dp:normalization=max,absolute=true", "dp:normalization=total", "dp:normalization=std"),
    *("dp:normalization=minmax", "dp:reference=previous_visit", "dp:reference=probe"),
    *("dp:attribution=own_goal,window=half_open,offset=8,smoothing=8",),
    *("alp:estimator=halves,window=5", "alp:competence=success,reached=true", "alp-gmm:refit=20,largest=4"),
    *("competence-progress:step_size=0.3,optimism=0.5", "curious:window=20,epsilon=0.2"),
    *("exp3s:epsilon=0.2,bias=0.5,step_size=0.3", "frontier:sharpness=4,cutoff=0.2,bandwidth=0.3"),
    *("frontier:within=value_quantile", "intermediate-difficulty:low=0.3,high=0.7,neighbours=1,window=2"),
    *("learnability:share=0.5,epsilon=0.1,competence=success", "learnability:window=4"),
    *("remaining-error:sharpness=1,epsilon=0.3,fresh=false", "skew-fit:alpha=-0.5,bandwidth=0.2"),
    *("teacher-student:variant=naive", "teacher-student:variant=window,window=5,temperature=0.2"),
    *("teacher-student:variant=sampling,absolute=true", "value-disagreement:epsilon=0.1"),
    *("value-regret:temperature=0.5,value_weight=0.2",),
)  # fmt: skip

LINES: list[Meaning] = [
    *(_means(one) for one in (*_ENVIRONMENTS, *_WITH_OPTIONS)),
    *(_means(f"autotelic/{one}-v0", "task", num_goals="1") for one in _TASKS),
    *(_means("navigation2d", one) for one in (*JUDGED, *_OBJECTIVES)),
    *(_means("navigation2d", *pair) for pair in _DIRECTIONS),
    *(_means("CartPole-v1", one) for one in ("vic", "dads", "metra")),
    *(_means("HalfCheetah-v5", one, "sac") for one in ("metra", "csf", "cic")),
    _means("maze2d", "diayn"),
    *(_means("maze2d", "reach", one) for one in _PLACES),
    _means("maze2d", "reach:reward_form=dense"),
    _means("navigation2d", "reach"),
    _means("HalfCheetah-v5", "reach"),
    _means(
        "Ant-v5:exclude_current_positions_from_observation=false",
        "reach",
        "places:which=met,features=0 1",
    ),
    _means("autotelic/HalfCheetahVelocity-v0", "reach"),
    _means("CartPole-v1", "reach", "places:features=0,which=met,radius=0.1"),
    _means("Pendulum-v1", "task:reward_scale=0.1", num_goals="1"),
    *(_means("navigation2d", one) for one in _AGENTS),
    *(_means("CartPole-v1", one) for one in _DISCRETE),
    *(_means("navigation2d", **said) for said in _SAID),
    *(_means(environment, preset=preset) for environment, preset in _PRESETS),
    _means("Ant-v5", methods="dp;diayn", preset="paper"),
    _means("HalfCheetah-v5", methods="dp:temperature=0.3;vic", preset="paper-fig3"),
    _means("Ant-v5", "diayn:reward_prior=uniform", num_goals="5", preset="paper"),
    _means("navigation2d", "gmm-sac:components=2", preset="paper"),
    _means("Ant-v5", "metra", "directions:jitter=0.5", preset="metra-cpu", environments="2"),
    _means("HalfCheetah-v5", "sac:entropy_scale=0.1", preset="csf-paper", batch_size="64"),
    *(_means("maze2d", methods=one) for one in SELECTORS),
]
