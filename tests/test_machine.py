"""What memory a machine says it has, and what is refused for it."""

from pathlib import Path

import pytest

from autotelic import _machine


def test_free_memory_is_the_least_that_is_said(tmp_path: Path):
    assert _machine.free_memory(tmp_path) is None
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  5 kB\n")
    assert _machine.free_memory(tmp_path) == 5 * 1024
    group = tmp_path / "sys" / "fs" / "cgroup"
    group.mkdir(parents=True)
    (group / "memory.current").write_text("100\n")
    (group / "memory.max").write_text("max\n")
    assert _machine.free_memory(tmp_path) == 5 * 1024
    (group / "memory.max").write_text("1100\n")
    assert _machine.free_memory(tmp_path) == 1000


def test_the_whole_memory_is_with_swap_unless_a_group_has_less(tmp_path: Path):
    assert _machine.whole_memory(tmp_path) is None
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemTotal: 6 kB\nMemFree: 1 kB\nSwapTotal: 2 kB\n")
    assert _machine.whole_memory(tmp_path) == 8 * 1024
    (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
    (tmp_path / "sys/fs/cgroup/memory.max").write_text("max\n")
    assert _machine.whole_memory(tmp_path) == 8 * 1024
    (tmp_path / "sys/fs/cgroup/memory.max").write_text("5000\n")
    assert _machine.whole_memory(tmp_path) == 5000


def test_what_fits_into_all_memory_is_not_refused_though_little_is_free(monkeypatch):
    monkeypatch.setattr(_machine, "whole_memory", lambda: 2048)
    monkeypatch.setattr(_machine, "free_memory", lambda: 10)
    _machine.check_memory(2048, "a run", "lower it")
    with pytest.raises(ValueError) as refused:
        _machine.check_memory(2049, "a run", "lower it")
    assert str(refused.value) == (
        "a run needs at least 2.0 KiB of memory, and this machine has 2.0 KiB (10 B of it free); lower it"
    )
