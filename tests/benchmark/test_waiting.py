"""Start-up is measured with nothing compiled, then with what the first command left."""

from subprocess import CompletedProcess

import pytest

from benchmarks.comparison import waiting


def test_the_second_command_finds_the_programs_of_the_first_and_every_repeat_begins_without(
    monkeypatch,
):
    told = []

    def run(words, *, env, **rest):
        told.append((env[waiting.PROGRAMS], words[words.index("--out") + 1]))
        return CompletedProcess(words, 0, stderr="")

    monkeypatch.setattr(waiting.subprocess, "run", run)
    clock = iter([0.0, 9.0, 10.0, 14.0, 20.0, 27.0, 30.0, 33.0])
    monkeypatch.setattr(waiting.time, "perf_counter", lambda: next(clock))
    wait = waiting.measure_wait("navigation2d", repeats=2)
    assert wait == ("navigation2d", [9.0, 7.0], [4.0, 3.0])
    programs = [folder for folder, _ in told]
    assert programs[0] == programs[1] != programs[2] == programs[3]
    assert len({out for _, out in told}) == 4  # a folder that holds a run is refused


def test_a_command_that_fails_is_no_measurement(monkeypatch):
    failed = CompletedProcess([], 2, stderr="navigation3d is not there\n")
    monkeypatch.setattr(waiting.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(RuntimeError, match=r"navigation3d.* failed: navigation3d is not there"):
        waiting.measure_wait("navigation3d", repeats=1)
