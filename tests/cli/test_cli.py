"""The command line as a whole: help, version, exit codes and messages."""

import subprocess
import sys
from importlib.metadata import version

import pytest

from autotelic import cli
from autotelic.cli import main


def test_help_lists_the_commands_without_loading_what_they_need(capsys):
    assert main(["--help"]) == main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name, command in cli.COMMANDS.items():
        assert sum(line.split(maxsplit=1) == [name, command.summary] for line in lines) == 2
    code = "import sys\nfrom autotelic.cli import main\nmain(['--help'])\nprint(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = set(result.stdout.splitlines()[-1].split())
    assert "autotelic.cli" in loaded
    assert not loaded & {"jax", "tyro", "rich", "pandas", "matplotlib", "gymnasium"}


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"autotelic {version('autotelic')}\n"


def test_python_m_autotelic_is_the_command_line():
    words = [sys.executable, "-m", "autotelic", "trian"]
    result = subprocess.run(words, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr == (
        f"autotelic: unknown command 'trian'; choose from {', '.join(cli.COMMANDS)}. "
        "Did you mean 'train'?\n"
    )


def test_the_shell_hears_us_and_the_users_modules_and_no_library():
    code = """
import warnings
from autotelic._types import AutotelicWarning
from autotelic.cli import leave_out_warnings
leave_out_warnings()
for kind in (UserWarning, RuntimeWarning, AutotelicWarning):
    for module in ("pandas.core.frame", "autotelic.runs.history", "mine.environment"):
        warnings.warn_explicit(f"{kind.__name__} in {module}", kind, module, 1, module)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    said = [line.partition(": ")[2] for line in result.stderr.splitlines()]
    assert said == [
        "UserWarning: UserWarning in mine.environment",
        "RuntimeWarning: RuntimeWarning in mine.environment",
        *(
            f"AutotelicWarning: AutotelicWarning in {module}"
            for module in ("pandas.core.frame", "autotelic.runs.history", "mine.environment")
        ),
    ]


class Ours(RuntimeError):
    __module__ = "autotelic.training.run_state"


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException, module: str) -> None:
    """Let `autotelic train` raise the error, as if the line stood in the module."""

    class Module:
        @staticmethod
        def main(words):
            exec("raise error", {"error": error, "__name__": module})

    monkeypatch.setattr(cli, "import_module", lambda name: Module)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ValueError("epochs must be at least 1, got 0"), 2, "epochs must be at least 1, got 0"),
        (TypeError("methods must be ..."), 2, "methods must be ..."),
        (Ours("the q loss became NaN"), 1, "the q loss became NaN"),
        (OSError(28, "No space left on device", "a/b"), 1, "a/b: No space left on device"),
        (
            ModuleNotFoundError("No module named 'tyro'", name="tyro"),
            *(2, "autotelic train needs the package 'tyro': pip install 'autotelic[train]'"),
        ),
        (ImportError("Ant-v5 cannot be made; pip install x"), 2, "Ant-v5 cannot be made; pip"),
    ],
)
def test_what_a_user_can_mend_is_one_sentence(error, code, said, monkeypatch, capsys):
    raising(monkeypatch, error, "autotelic.learner.plan")
    assert main(["train"]) == code
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"autotelic: {said}")
    assert output.err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "module"),
    [
        (ValueError("operands could not be broadcast"), "jax._src.numpy"),
        (TypeError("unsupported operand"), "my_selector"),
        (AttributeError("no attribute"), "autotelic.learner.plan"),
        (ModuleNotFoundError("No module named 'autotelic.x'", name="autotelic.x"), "autotelic"),
    ],
)
def test_a_bug_keeps_its_traceback(error, module, monkeypatch):
    raising(monkeypatch, error, module)
    with pytest.raises(type(error)):
        main(["train"])


def test_an_interruption_says_what_it_carries(monkeypatch, capsys):
    raising(monkeypatch, KeyboardInterrupt("continue with x"), "autotelic")
    assert main(["train"]) == 130
    assert capsys.readouterr().err == "continue with x\n"
