"""The trial of a wheel: what it counts as wrong, what its table says, and that its own inputs are good."""

from autotelic.cli import main
from tools.smoke_checks import CHECKS, SWEEP
from tools.smoke_wheel import NEEDED, table, verdict, version, wrong_content


def test_files_that_do_not_belong_and_files_that_are_missing_are_named():
    wheel = [*NEEDED, "autotelic/cli.py", "autotelic-0.2.0.dist-info/METADATA"]
    assert wrong_content(wheel) == []
    assert wrong_content([*wheel, "conftest.py"]) == ["conftest.py does not belong in the wheel"]
    sdist = ["src/" + name for name in NEEDED] + ["pyproject.toml", "examples/own_loop.py"]
    assert wrong_content(sdist, sdist=True) == []
    found = wrong_content([*sdist[1:], "src/conftest.py", "tests/test_import.py"], sdist=True)
    assert found == [
        f"{sdist[0]} is missing",
        "src/conftest.py does not belong in the sdist",
        "tests/test_import.py does not belong in the sdist",
    ]


def test_the_table_says_what_worked_what_failed_and_what_was_not_tried():
    missing = "ERROR: No matching distribution found for ray>=2.60; extra == 'ray'"
    assert [verdict(fault) for fault in ("", "Traceback", missing)] == [
        "ok",
        "FAILED",
        "no ray for it",
    ]
    verdicts = {("3.11", "numpy"): "ok", ("3.14", "ray"): verdict(missing)}
    assert table(verdicts, ["3.11", "3.14"], ["numpy", "ray"]).splitlines() == [
        "       3.11       3.14",
        "numpy  ok         not tried",
        "ray    not tried  no ray for it",
    ]


def test_a_python_that_is_not_there_has_no_version(tmp_path):
    link = tmp_path / "python3.99"  # as pyenv leaves for versions that are not switched on
    link.write_text("#!/bin/sh\nexit 127\n")
    link.chmod(0o755)
    assert [version(str(one)) for one in (link, tmp_path / "nothing")] == ["", ""]


def test_every_check_is_a_program():
    for extra, programs in CHECKS.items():
        for program in programs:
            compile(program, extra, "exec")


def test_the_sweep_that_is_tried_is_a_good_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(SWEEP)
    assert main(["sweep", "sweep.toml", "--out", "sweep", "--dry-run"]) == 0, (
        capsys.readouterr().err
    )
