"""A name in a file imports and calls nothing, by whatever command the file is opened."""

import functools
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from running import TINY_SETTING

import autotelic as at
from autotelic.agents import Sac
from autotelic.cli import main
from autotelic.learner import plan as plans
from autotelic.learner.plan import EnvironmentSizes, describe_plan, make_plan
from autotelic.learner.setting import Setting, describe
from autotelic.runs import atomic
from autotelic.sweeps import folder as on_disk
from autotelic.sweeps.checking import Checked
from autotelic.sweeps.naming import words_of

LOCAL = 'from pathlib import Path\nPath("PWNED").touch()\n\n\ndef go(*a, **k):\n    return 3\n'
NAMES = [
    "pwn.go",
    "pwn.Selector",
    "os.system:command=touch PWNED",
    "builtins.exec:source=open('PWNED'.__str__())",
    "subprocess.Popen:args=touch",
]
IDS = ["pwn:X-v0", "pwn.sub:X-v0", "brax::pwn"]
SKILL_TASK = "autotelic/SkillActions-v0"
INDIRECT = [
    (SKILL_TASK, {"task": "pwn:X-v0", "skills": "skills.npz"}),
    ("autotelic/SkillActions", {"task": "pwn:X-v0", "skills": "skills.npz"}),
    (SKILL_TASK, {"task": SKILL_TASK, "task_options": {"task": "pwn:X-v0"}}),
    ("GymV26Environment-v0", {"env_id": "pwn:X-v0"}),
]
COMMANDS = [
    ["evaluate", "run"],
    ["report", "run"],
    ["figures", "run"],
    ["export", "run"],
    ["play", "run", "--out", "film.gif"],
    ["adapt", "best", "run", "--task", "HalfCheetah-v5"],
    ["train", "--resume", "--out", "run"],
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    """The current folder has a module that leaves a file behind when it is imported."""
    (tmp_path / "pwn.py").write_text(LOCAL)
    monkeypatch.chdir(tmp_path)
    yield
    assert not Path("PWNED").exists() and "pwn" not in sys.modules


@functools.cache
def described() -> str:
    """The description of a sound run."""
    plan = make_plan(TINY_SETTING, {"Even": at.Uniform()}, [0], 1)
    return json.dumps(describe_plan(plan, EnvironmentSizes(2, 2, 100), crew=1))


def run(own_parts: Any = None, methods: Any = None, **setting: Any) -> None:
    """The description of a run, edited by a stranger."""
    description = json.loads(described())
    description["setting"].update(setting)
    description["own_parts"] = own_parts or {}
    description["methods"] = methods or description["methods"]
    Path("run").mkdir(exist_ok=True)
    atomic.write_document(Path("run/run.json"), description, plans.FORMAT)


def refusal(words: list[str], capsys: pytest.CaptureFixture) -> str:
    capsys.readouterr()
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith("autotelic: ")
    assert said.rstrip("\n").replace("\n", "").isprintable()
    return said.strip()


@pytest.mark.parametrize("name", IDS)
def test_a_run_does_not_say_which_module_its_environment_is_in(name: str, capsys):
    run(environment=name)
    for words in COMMANDS:
        said = refusal(words, capsys)
        assert "a file must not say what to import" in said
        assert said.endswith(f"name it: autotelic {' '.join(words)} --environment {name}")


@pytest.mark.parametrize(("name", "options"), INDIRECT)
def test_nor_which_module_it_is_made_of_something_from(name: str, options: Any, capsys):
    run(environment=name, environment_options=options)
    for words in (["evaluate", "run"], ["evaluate", "run", "--environment", name]):
        refusal(words, capsys)


def test_nor_in_python(capsys):
    run(environment="pwn:X-v0")
    with pytest.raises(ValueError, match=r"load\(folder, environment='pwn:X-v0'\)"):
        _ = at.load("run").environment
    assert at.load("run").setting.num_goals == 3
    for other in ("pwn2:X-v0", "navigation2d"):
        with pytest.raises(ValueError, match="'pwn:X-v0' would be imported"):
            at.load("run", environment=other)
    run(environment="pwn:X-v0", agent=describe(Setting(agent=Sac()))["agent"])
    assert at.load("run", environment="pwn:X-v0").setting.environment == "pwn:X-v0"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("part", ["objective", "agent", "environment"])
def test_a_refusal_shows_no_word_of_the_file_that_may_do_harm(part: str, name: str, capsys):
    text = "<class Mine>" if part == "environment" else {"name": None, "repr": "Mine()"}
    run({part: name}, **{part: text})
    said = refusal(["evaluate", "run"], capsys)
    shown = name if name == "pwn.Selector" or name == "pwn.go" else "MODULE.NAME"
    assert f"again: autotelic evaluate run --{part} {shown}" in said


def test_a_function_is_not_shown_where_the_file_says_what_it_would_be_called_with(capsys):
    options = {"filename": "evil.pkl"}
    run({"environment": "joblib.load"}, environment="<class X>", environment_options=options)
    assert "--environment MODULE.NAME" in refusal(["evaluate", "run"], capsys)


@pytest.mark.parametrize("name", [*NAMES, "--wandb", "a; touch PWNED"])
def test_names_of_methods_are_shown_only_if_they_can_be_typed(name: str, capsys):
    run(methods={name: {"name": None, "class": "a.B", "repr": "B()"}})
    said = refusal(["train", "--resume", "--out", "run"], capsys)
    plain = {"pwn.go", "pwn.Selector"}
    shown = name if name in plain else f"'{name}'" if ";" in name else "MODULE.NAME"
    assert said.endswith(f"name its methods again: --methods {shown}")


@pytest.mark.parametrize("name", NAMES[2:])
@pytest.mark.parametrize("flag", ["--objective", "--agent", "--environment", "--methods"])
def test_not_even_a_command_line_calls_what_is_of_another_kind(flag: str, name: str, capsys):
    said = refusal(["train", "navigation2d", "--out", "new", flag, name], capsys)
    assert "standard library" in said or "given twice" in said


SWEEP = """
environment = "navigation2d"
num-goals = 3
{more}
[grid]
epochs = [3]
"""
HOSTILE_CELLS = """
[[cells]]
environment = "pwn:X-v0"
[[cells]]
environment = "pwn.go"
[[cells]]
environment = "brax::ant"
[[cells]]
methods = ["dp", "pwn.go:a=1"]
[[cells]]
objective = "os.system:command=touch PWNED"
[[cells]]
agent = "builtins.exec:source=pwn"
[[cells]]
environment = "autotelic/SkillActions-v0"
environment-options = {task = "pwn:X-v0", skills = "x.npz"}
[[cells]]
environment = "autotelic/SkillActions-v0"
environment-options = ["task='pwn\\\\x3aX-v0'"]
[[cells]]
environment-options = {"--objective=os.system:command" = "touch PWNED"}
[[cells]]
environment-options = ["--objective=os.system:command=touch PWNED"]
[[cells]]
"objective=pwn.go" = "x"
"""


def sweep(more: str) -> None:
    Path("sweep.toml").write_text(SWEEP.format(more=more))


@pytest.mark.parametrize("more", [["--dry-run"], []])
def test_a_sweep_file_imports_nothing_that_the_command_line_does_not_name(more, capsys):
    Path("sweep.toml").write_text(HOSTILE_CELLS)
    said = refusal(["sweep", "sweep.toml", "--out", "s", *more], capsys).splitlines()[1:]
    names = ["pwn:X-v0", "pwn.go", "brax::ant", "pwn.go", "os.system", "builtins.exec"]
    names += ["pwn:X-v0"] * 2  # what an environment is made of
    lines = [3, 5, 7, 9, 11, 13, 15, 18, 21, 23, 25]
    for number, name in zip(lines, names, strict=False):
        expected = f"  line {number}: '{name}' would be imported, and a file must not say what to"
        assert any(line.startswith(expected) for line in said), (number, said)
    for number in lines[len(names) :]:
        assert any(line.startswith(f"  line {number}: ") for line in said)
    assert not Path("s").exists()


def test_a_dry_run_calls_nothing_even_if_it_is_named(capsys):
    sweep('methods = ["pwn.go"]')
    words = ["sweep", "sweep.toml", "--out", "s", "--dry-run", "--allow", "pwn.go"]
    assert main(words) == 0
    assert "epochs=3  (not known yet)" in capsys.readouterr().out


def test_what_is_named_is_imported_but_only_if_it_is_of_its_kind(capsys):
    """The import itself is what the user asked for."""
    sweep('methods = ["pwn.go"]')
    said = refusal(["sweep", "sweep.toml", "--out", "s", "--allow", "pwn.go"], capsys)
    assert "line 4: method 'pwn.go': pwn.go must be a GoalSelector or a class of one" in said
    Path("PWNED").unlink()


OWN = """
import autotelic as at
from autotelic.objectives import Diayn

class Mine(at.RoundRobin):
    pass

class Reward(Diayn):
    pass
"""


@pytest.mark.thorough
def test_a_sweep_with_parts_of_ones_own_is_trained_and_evaluated(capsys):
    Path("my_parts.py").write_text(OWN)
    sizes = "steps-per-epoch = 20\nhidden-units = 8\nbatch-size = 8\nfirst-update = 8\nseeds = 1"
    sweep(f'methods = ["my_parts.Mine"]\nobjective = "my_parts.Reward"\n{sizes}')
    words = ["sweep", "sweep.toml", "--out", "s", "--allow", "my_parts.Mine", "my_parts.Reward"]
    assert main(words) == 0
    said = refusal(["sweep", "evaluate", "s"], capsys)
    typed = shlex.split(said.partition(" name it: ")[2])
    assert typed[1:] == ["sweep", "evaluate", "s", "--allow", "my_parts.Reward"]
    assert main(typed[1:]) == 0
    assert (Path("s") / "evaluation.csv").exists()
    assert main(words) == 0  # skipped, without another look at what is trained


def folder(name: str = "a", **values: Any) -> Path:
    """A sweep of one finished run, as a stranger sends it."""
    made = Path("s")
    cells = [Checked(name, values, words_of(values, bool), 1, 1)]
    Path("file.toml").write_text("")
    on_disk.write_plan(made, on_disk.Plan(cells, 1), Path("file.toml"))
    done = made / "runs" / name
    (done / "checkpoints").mkdir(parents=True)
    (done / "skills.npz").touch()
    (done / "checkpoints/epoch-000001.json").write_text("{}")
    return made


def forge(made: Path, content: dict[str, Any]) -> None:
    """Write an edited sweep with a checksum that is right: it is no signature."""
    body = {key: value for key, value in content.items() if key not in ("format", "crc32")}
    atomic.write_document(made / "sweep.json", body, on_disk.FORMAT)


@pytest.mark.parametrize("verb", ["evaluate", "report"])
@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("objective", "os.system:command=touch PWNED"),
        ("agent", "pwn.go"),
        ("environment", "pwn:X-v0"),
    ],
)
def test_a_sweep_folder_imports_nothing_either(verb: str, part: str, name: str, capsys):
    folder(**{part: name})
    said = refusal(["sweep", verb, "s"], capsys)
    shown = "MODULE.NAME" if name.startswith("os.") else name
    assert f"name it: autotelic sweep {verb} s --allow {shown}" in said


@pytest.mark.parametrize("verb", ["evaluate", "report", "status"])
def test_the_words_of_a_sweep_are_those_of_its_values(verb: str, capsys):
    made = folder(environment="navigation2d")
    content = json.loads((made / "sweep.json").read_text())
    content["cells"][0]["words"] = ["bench", "--peers"]
    forge(made, content)
    assert "the words of a are not what its values say" in refusal(["sweep", verb, "s"], capsys)


def test_words_that_follow_the_values_are_no_flags_either(capsys):
    made = folder(environment="navigation2d")
    content = json.loads((made / "sweep.json").read_text())
    values = {"environment": "navigation2d", "methods": ["--objective=os.system:command=ls"]}
    words = ["train", "navigation2d", "--methods", "--objective=os.system:command=ls"]
    content["cells"][0] |= {"values": values, "words": words}
    forge(made, content)
    assert "must not begin with a hyphen" in refusal(["sweep", "evaluate", "s"], capsys)


@pytest.mark.parametrize("name", ["../../esc", "/tmp/esc", "..", "a/b", "a\\b", "", "a\x1b[2J"])
def test_names_of_runs_do_not_leave_the_folder(name: str, capsys):
    made = folder()
    content = json.loads((made / "sweep.json").read_text())
    content["cells"][0]["name"] = name
    forge(made, content)
    before = {*Path().parent.parent.glob("*"), *Path().rglob("*")}
    for words in (["evaluate", "s"], ["report", "s"], ["status", "s"]):
        assert "sweep.json" in refusal(["sweep", *words], capsys)
    assert before == {*Path().parent.parent.glob("*"), *Path().rglob("*")}


@pytest.mark.parametrize("link", ["runs/a", "runs", "state", "state/a.evaluate.log"])
def test_nothing_is_written_through_a_link_that_leaves_the_folder(link: str, capsys):
    made = folder(environment="navigation2d")
    place = made / link
    away = Path("precious").absolute()
    if place.exists():
        place.rename(away)
    else:
        away.touch() if place.suffix else away.mkdir()
        place.parent.mkdir(exist_ok=True)
    place.symlink_to(away)
    said = refusal(["sweep", "evaluate", "s"], capsys)
    assert f"{link} is a link to" in said and "nothing outside its folder" in said


STEERING = "\x1b]0;owned\x07\x1b[2J"


@pytest.mark.parametrize("where", ["environment", "method", "option", "class"])
def test_a_run_cannot_steer_the_terminal(where: str, capsys):
    kept = {"Even": {"name": "round-robin", "settings": {}}}
    own = {"own": {"name": None, "class": STEERING, "repr": STEERING}}
    cases: dict[str, Any] = {
        "environment": {"environment": STEERING},
        "method": {"methods": {STEERING: kept["Even"]}},
        "option": {"environment_options": {"noise": STEERING}},
        "class": {"methods": own},
    }
    run(**cases[where])
    for words in COMMANDS:
        assert "would steer the terminal" in refusal(words, capsys)


@pytest.mark.parametrize("character", ["\x9b", "‮", "\ud800", " ", "\r", "\n"])
def test_other_characters_that_steer_are_refused_too(character: str, capsys):
    run(methods={f"a{character}b": {"name": "round-robin", "settings": {}}})
    refusal(["evaluate", "run"], capsys)


def test_names_in_all_scripts_are_names(capsys):
    run(methods={"学習 · β=1 ±é": {"name": None, "class": "a.B", "repr": "B()"}})
    said = refusal(["train", "--resume", "--out", "run"], capsys)
    assert said.endswith("--methods '学習 · β=1 ±é'")


def test_a_sweep_file_and_its_records_cannot_steer_the_terminal(capsys):
    sweep('"\\u001b[2J" = 1')
    said = refusal(["sweep", "sweep.toml", "--out", "s", "--dry-run"], capsys)
    assert "would steer the terminal" in said
    made = folder(environment="navigation2d")
    (made / "state").mkdir()
    record = {"state": "failed", "note": STEERING}
    atomic.write_document(made / "state/a.train.json", record, on_disk.FORMAT)
    assert main(["sweep", "status", "s"]) == 0
    assert "\x1b]" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ('[slurm]\ntimeout_min = 1\nsetup = ["touch PWNED"]', "slurm.setup"),
        ('[slurm]\ntimeout_min = 1\npartition = "a\\ntouch PWNED"', "slurm.partition"),
        ('[ray]\nruntime_env = {pip = ["evil"]}', "ray.runtime_env"),
    ],
)
def test_a_sweep_folder_gives_a_cluster_no_commands(table: str, key: str, capsys):
    made = folder(environment="navigation2d")
    (made / "sweep.toml").write_text(table)
    backend = key.partition(".")[0]
    said = refusal(["sweep", "evaluate", "s", "--backend", backend], capsys)
    assert said.endswith(f"if it is yours, add --allow {key}")


OPENED = """
import sys
from autotelic.cli import main
code = main({words!r})
assert "pwn" not in sys.modules
sys.exit(code)
"""


def test_a_task_of_a_sweep_imports_what_its_sweep_allows_and_nothing_else(tmp_path: Path):
    """The process that computes a run has the file's words, and the command line's leave."""
    from autotelic.sweeps.attempt import environment

    words = ["train", "navigation2d", "--objective", "pwn.go", "--out", "new"]
    program = [sys.executable, "-c", OPENED.format(words=words)]
    done = subprocess.run(program, env=environment(1), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'pwn.go' would be imported" in done.stderr
    assert not Path("PWNED").exists()
