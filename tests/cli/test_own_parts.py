"""Parts of one's own from the shell: what a refusal says to type is typed, and works."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import own_things
import pytest
from running import TINY, TINY_SETTING

import autotelic as at
from autotelic.cli import main
from autotelic.commands.train import methods_of, read, resume_command
from autotelic.evaluation import embedding
from autotelic.flags.setting import setting_of
from autotelic.learner.plan import FORMAT, EnvironmentSizes, describe_plan, make_plan
from autotelic.learner.setting import Setting
from autotelic.runs import atomic
from autotelic.runs.run import load

MODULE = "my_things_for_cli"
OWN = [
    *("--agent", f"{MODULE}.Timid", "--objective", f"{MODULE}.Displacement:scale=2"),
    *("--environment", f"{MODULE}.Line:speed=0.3"),
]
FUNCTION = f"{MODULE}.make_walk"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a module of one's own, which is the current one."""
    folder = tmp_path_factory.mktemp("here")
    shutil.copy(own_things.__file__, folder / f"{MODULE}.py")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "dont_write_bytecode", True)
        yield folder
    sys.modules.pop(MODULE, None)


@pytest.fixture(scope="module")
def trained(here: Path) -> str:
    """A run whose environment (a JAX object), agent and objective are one's own."""
    assert main(["train", *OWN, *TINY, "--epochs", "4", "--out", "run"]) == 0
    return "run"


def planned(folder: str, setting: Setting) -> None:
    """The description of a run alone."""
    plan = make_plan(setting, {"Even": at.Uniform()}, [0], 1)
    Path(folder).mkdir()
    description = describe_plan(plan, EnvironmentSizes(2, 2, 100), crew=1)
    atomic.write_document(Path(folder) / "run.json", description, FORMAT)


def refused(words: list[str], capsys: pytest.CaptureFixture) -> str:
    """What is said of words that are refused: one sentence."""
    capsys.readouterr()
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.startswith("autotelic: ") and error.count("\n") == 1
    return error.strip()


def typed_again(words: list[str], capsys: pytest.CaptureFixture) -> None:
    """Give a command without the parts, and then as its refusal says."""
    error = refused(words, capsys)
    assert "was trained with the environment " in error
    assert "which only your code can make; name " in error
    typed = shlex.split(error.partition(" again: ")[2])
    assert typed[: 1 + len(words)] == ["autotelic", *words]
    assert main(typed[1:]) == 0


@pytest.mark.parametrize(
    ("words", "made"),
    [
        (["evaluate", "run", "--per-goal", "4"], "evaluation.json"),
        pytest.param(["figures", "run"], "figures/skill_embedding.pdf", marks=pytest.mark.thorough),
        pytest.param(["report", "run"], "report.html", marks=pytest.mark.thorough),
        (["train", "--resume", "--out", "run", "--epochs", "5"], "checkpoints/epoch-000005.json"),
    ],
)
def test_what_a_refusal_says_to_type_works(
    trained: str, words: list[str], made: str, monkeypatch: pytest.MonkeyPatch, capsys
):
    monkeypatch.setattr(embedding, "ITERATIONS", 250)
    assert not (Path(trained) / made).exists()
    typed_again(words, capsys)
    assert (Path(trained) / made).exists()


@pytest.mark.thorough
def test_a_page_films_environments_of_ones_own_and_spells_the_run(here: Path, capsys):
    assert main(["train", FUNCTION, *TINY, "--epochs", "4", "--out", "walk"]) == 0
    typed_again(["report", "walk"], capsys)
    page = (Path("walk") / "report.html").read_text()
    assert page.count('class="film"') == 3
    assert f"autotelic train {FUNCTION} --" in page
    assert f"autotelic evaluate walk --environment {FUNCTION}" in page


def test_the_flags_of_train_make_the_parts(trained: str):
    setting = load(trained).description["setting"]
    assert setting["environment"] == "Line(speed=0.3)"
    assert setting["agent"]["repr"].startswith("Timid(inner=Sac(")
    assert setting["objective"]["repr"].startswith("Displacement(scale=2, ")


@pytest.mark.parametrize("word", ["Line", "quick_line", "make_line", "Walk", "make_walk"])
def test_environments_are_objects_classes_or_functions(here: Path, word: str):
    flags, base, _ = read([f"{MODULE}.{word}", "--out", "nowhere"])
    made = setting_of(flags, base).make_environment()
    assert made.observation_size == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--objective", "no_such.Thing"], "objective 'no_such.Thing': No module named 'no_such'"),
        (["--objective", f"{MODULE}.Displacment"], "Did you mean 'Displacement'?"),
        (["--objective", f"{MODULE}.Displacement:scal=2"], "Did you mean 'scale'?"),
        (["--objective", f"{MODULE}.Displacement"], "scale=2, reward_prior='uniform', pri"),
        (
            ["--objective", f"{MODULE}.Timid"],
            f"{MODULE}.Timid must be an Objective or a class of one, got",
        ),
        (
            ["--objective", f"{MODULE}.wrong"],
            f"{MODULE}.wrong must be an Objective or a class of one, got",
        ),
        (["--objective", "diayn"], "--objective is for objectives of your own"),
        (["--agent", f"{MODULE}.Displacement"], "must be an Agent or a class of one, got"),
        (["--environment", f"{MODULE}.Lin"], "Did you mean 'Line'?"),
        (
            ["--environment", "no_such.Line"],
            "environment 'no_such.Line': No module named 'no_such'",
        ),
        (["--environment", f"{MODULE}.Line"], "was Line(speed=0.3), now Line(speed=0.1)"),
        (["--environment", f"{MODULE}.quick_line:speed=1"], "quick_line is already made"),
        (["--environment", f"{MODULE}.make_walk:size=3"], "follow --environment-options"),
        (["--environment", f"{MODULE}.make_walk"], "was Line(speed=0.3), now <function make_walk>"),
        (["--environment", f"{MODULE}.wrong"], "wrong made a int, which is no gymnasium.Env"),
        (["--environment", "navigation2d"], "was Line(speed=0.3), now navigation2d"),
    ],
)
def test_mistakes_are_refused_with_a_sentence(trained: str, words: list[str], said: str, capsys):
    rest = {flag: word for flag, word in zip(OWN[::2], OWN[1::2], strict=True)}
    rest.update({words[0]: words[1]})
    spelled = [word for pair in rest.items() for word in pair]
    assert said in refused(["evaluate", trained, *spelled], capsys)


def test_parts_of_ones_own_are_refused_where_the_run_has_ours(here: Path, capsys):
    planned("ours", TINY_SETTING)
    said = refused(["evaluate", "ours", "--objective", f"{MODULE}.Displacement"], capsys)
    assert "objective was {'name': 'diayn'" in said
    words = ["train", "--resume", "--out", "ours", "--agent", f"{MODULE}.Timid"]
    assert "agent was {'name': 'auto'" in refused(words, capsys)


def test_what_no_word_can_say_is_described(here: Path, capsys):
    """Such as an object that a script made of another."""
    agent = own_things.Timid(own_things.Sac(discount=0.5))
    planned("wordless", replace(TINY_SETTING, agent=agent))
    said = refused(["evaluate", "wordless"], capsys)
    assert "the agent Timid(inner=Sac(" in said
    assert "evaluate wordless --agent MODULE.NAME (MODULE.NAME is where you have it" in said


def test_an_interrupted_run_is_continued_with_its_parts(here: Path):
    words = ["--out", "run", *OWN, "--methods", "diayn"]
    flags, _, saved = read(words)
    found = resume_command(flags, methods_of(flags, saved))
    expected = ["autotelic", "train", "--resume", "--out", "run"]
    assert found[:5] == expected
    assert {*zip(found[5::2], found[6::2], strict=True)} == {*zip(OWN[::2], OWN[1::2], strict=True)}
    assert resume_command(read(["Ant-v5", "--out", "run"])[0], {})[5:] == []


def test_opening_a_run_imports_nothing_that_it_names(trained: str, capsys):
    """Even to say what to type."""
    held = sys.modules.pop(MODULE)
    try:
        refused(["evaluate", trained], capsys)
        assert MODULE not in sys.modules
    finally:
        sys.modules[MODULE] = held


IN_A_WORKER = f"""
import sys
sys.path.remove("")  # as the installed command has it
from autotelic._spelling import imported
from autotelic.environments.pool import GymnasiumPool
with GymnasiumPool(imported("environment", "{FUNCTION}", ()), 1, [0], "process") as pool:
    print(pool.reset().shape)
"""


def test_a_worker_process_finds_the_module_in_the_current_folder(here: Path):
    ended = subprocess.run(
        [sys.executable, "-c", IN_A_WORKER], cwd=here, capture_output=True, text=True, timeout=120
    )
    assert ended.stdout == "(1, 2)\n", ended.stderr
