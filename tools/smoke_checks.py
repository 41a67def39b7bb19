"""One small check of each extra: programs that are run one after the other in a folder of their own."""

RUN = ["navigation2d", "--num-goals", "3", "--hidden-units", "8", "--batch-size", "16"]
RUN += ["--steps-per-epoch", "40", "--first-update", "20", "--methods", "diayn", "--seeds", "1"]
RUN += ["--epochs", "2", "--out", "run"]

NUMPY = """
import sys
import numpy as np
import autotelic as at
for selector in (at.RoundRobin(), at.DiversityProgress(offset=4, smoothing=2), at.Curious()):
    at.check_selector(selector)
    curriculum = at.Curriculum(selector, num_goals=3, seed=0)
    for _ in range(6):
        assert curriculum.select() in (0, 1, 2)
        curriculum.update(np.full((8, 3), 1 / 3))
from autotelic.skills.file import encode
from autotelic.skills.networks import network_shapes
shapes = {"goals": (3, 3), **network_shapes("policy", [2 + 3], 4, 2), **network_shapes("judge", [2], 4, 3)}
header = {
    "library": at.__version__,
    "environment": {"name": "Walk-v0", "options": {}, "episode_length": 10},
    "observation": {"size": 2, "normalization": "none"},
    "action": {"kind": "box", "low": [-2.0], "high": [2.0], "dtype": "float32"},
    "goals": {"number": 3, "size": 3, "continuous": False},
    "hidden_units": 4,
    "agent": {"name": "sac", "policy_activation": "relu"},
    "objective": {"name": "diayn", "features": None},
    "measured": None,
}
rng = np.random.default_rng(0)
arrays = {name: rng.standard_normal(shape, np.float32) for name, shape in shapes.items()}
with open("skills.npz", "wb") as file:
    file.write(encode(header, arrays))
skills = at.Skills.load("skills.npz")
assert len(skills) == 3 and abs(skills.act(np.zeros(2, np.float32), goal=1)[0]) <= 2.0
heavy = {"jax", "pandas", "scipy", "matplotlib", "gymnasium", "rich", "tyro"} & set(sys.modules)
assert not heavy, heavy
from autotelic.cli import main
assert main(["train", "navigation2d"]) == 2  # and names the extra
"""

FIGURES = """
import sys
import numpy as np
import autotelic as at
rng = np.random.default_rng(0)
places = rng.normal(size=(3, 8, 2)) + 9 * np.arange(3)[:, None, None]
figure = at.figures.skill_embedding([at.figures.EmbeddingPanel("mine", places)])
figure.savefig("skills.png")
steps = np.repeat(places[:, :, None], 5, axis=2)
judged = at.evaluation.held_out_judgements(steps, np.full((3, 8), 4))
assert at.evaluation.accuracy(judged) > 0.9
assert "jax" not in sys.modules
"""

ACT = """
import numpy as np
import autotelic as at
skills = at.Skills.load("skills.npz")
assert np.isfinite(skills.act(np.zeros(2, np.float32), goal=1)).all()
"""

SWEEP = """
with open("sweep.toml", "w") as file:
    file.write('''environment = "navigation2d"
methods = ["diayn"]
seeds = 1
epochs = 2
hidden-units = 8
batch-size = 16
steps-per-epoch = 40
first-update = 20
[grid]
num-goals = [3]
[slurm]
cluster = "local"
timeout_min = 10
''')
"""

SB3 = """
import gymnasium
import numpy as np
from stable_baselines3 import DQN
import autotelic as at
from autotelic.bridges.stable_baselines3 import ChooseGoals, GoalEnvironment
env = GoalEnvironment(
    gymnasium.make("CartPole-v1"), [0, 1],
    begin=lambda env, goal, seed, options: env.reset(seed=seed),
    competence=lambda observation, reward, info: float(reward),
)
DQN("MlpPolicy", env, learning_starts=10).learn(60, callback=ChooseGoals(at.RoundRobin(), 2))
"""

WRITTEN = """
from pathlib import Path
assert any(path.stat().st_size for path in Path("run/tensorboard").rglob("*") if path.is_file())
"""

FETCH = """
import gymnasium
from autotelic.environments import make_environment
make_environment("FetchReach-v4")  # which lets Gymnasium know the ids
env = gymnasium.make("FetchReach-v4")
assert env.reset(seed=0)[0]["desired_goal"].shape == (3,)
"""


OFFLINE = """
import os
os.environ["WANDB_MODE"] = "offline"
"""

KEPT = """
from pathlib import Path
assert list(Path("run/wandb").glob("offline-run-*/*.wandb")), list(Path("run").rglob("*"))
"""


def shell(*words: str) -> str:
    """A program that runs a command of the shell, and fails as it does."""
    return f"from autotelic.cli import main\nraise SystemExit(main({list(words)!r}))\n"


def compiled(environment: str, *options: str) -> str:
    """A program that trains for two visits in an environment of another suite."""
    options = ("--environment-options", "episode_length=20", *options)
    return shell("train", environment, *RUN[1:], *options)


TRAINED = shell("train", *RUN)
EXPORTED = shell("export", "run", "--out", "skills.npz")

CHECKS = {
    "numpy": [NUMPY],
    "train": [TRAINED, EXPORTED, ACT],
    "report": [FIGURES],
    "all": [TRAINED, shell("evaluate", "run"), shell("report", "run", "--no-films")],
    "robotics": [FETCH],
    "ray": [SWEEP, shell("sweep", "sweep.toml", "--out", "sweep", "--backend", "ray")],
    "slurm": [SWEEP, shell("sweep", "sweep.toml", "--out", "sweep", "--backend", "slurm")],
    "sb3": [SB3],
    "all,video": [TRAINED, EXPORTED, shell("play", "skills.npz", "--out", "skills.mp4")],
    "train,tensorboard": [shell("train", *RUN, "--tensorboard"), WRITTEN],
    "train,wandb": [OFFLINE + shell("train", *RUN, "--wandb", "smoke"), KEPT],
    "brax": [compiled("brax::reacher", "backend=spring")],
    "playground": [compiled("playground::CartpoleBalance")],
}
"""What is installed, with `numpy` for no extra, and what is run then."""
