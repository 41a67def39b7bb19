"""Another process draws, by each way until one works."""

from pathlib import Path

from autotelic.environments import drawing
from autotelic.environments.drawing import draw_elsewhere, ways_to_draw


def test_without_a_screen_ways_to_draw_are_tried_in_turn():
    off_screen = [{"MUJOCO_GL": "egl"}, {"MUJOCO_GL": "osmesa"}]
    assert ways_to_draw({}, "linux") == off_screen
    assert ways_to_draw({"DISPLAY": ":0"}, "linux") == [{}, *off_screen]
    assert ways_to_draw({"MUJOCO_GL": "glfw"}, "linux") == [{}]
    assert ways_to_draw({}, "darwin") == [{}]


PROGRAM = """
import os, sys
print("a driver complains", file=sys.stderr)
way, order = os.environ["MUJOCO_GL"], sys.stdin.read()
if way == "egl":
    sys.exit(3)
open(sys.argv[1], "w").write(way + order)
sys.exit(4)  # broken drivers end a process after its work
"""


def test_the_first_way_that_works_ends_it(tmp_path: Path, monkeypatch):
    out = tmp_path / "out"
    ways = [{"MUJOCO_GL": name} for name in ("egl", "osmesa", "never")]
    monkeypatch.setattr(drawing, "ways_to_draw", lambda *_: ways)
    words = ["-c", PROGRAM, str(out)]
    assert draw_elsewhere(words, b" it", 60, lambda code: out.exists()) == []
    assert out.read_text() == "osmesa it"
    failures = draw_elsewhere(words, b"", 60, lambda code: code == 0)
    assert failures[:2] == [
        ("egl", ["a driver complains"], 3),
        ("osmesa", ["a driver complains"], 4),
    ]


def test_a_way_that_the_user_has_chosen_is_named(monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    assert draw_elsewhere(["-c", "raise SystemExit(2)"], b"", 60, lambda code: code == 0) == [
        ("glfw", [], 2)
    ]
