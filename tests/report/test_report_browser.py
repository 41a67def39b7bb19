"""The page in a real browser: it loads without complaint, and every control does what it says."""

import time
from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest
from small_run import EPOCHS, NASTY

from autotelic.report import write
from autotelic.runs.run import Runs

pytestmark = pytest.mark.skipif(chromium.executable() is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Browser]:
    started = chromium.Browser(chromium.executable(), tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture
def opened(browser: chromium.Browser, page_file: Path) -> Iterator[chromium.Browser]:
    """The page, freshly loaded; no test leaves an error behind."""
    browser.open(page_file)
    yield browser
    browser.run("0")
    assert browser.errors == []


def choose(browser: chromium.Browser, select: str, value: str) -> None:
    browser.run(
        f"(s => {{ s.value = '{value}'; s.dispatchEvent(new Event('change')) }})"
        f"(document.getElementById('{select}'))"
    )


def text(browser: chromium.Browser, selector: str) -> str:
    return browser.run(f"document.querySelector('{selector}').textContent")


def count(browser: chromium.Browser, selector: str) -> int:
    return browser.run(f"document.querySelectorAll('{selector}').length")


def test_every_chart_is_drawn(opened: chromium.Browser):
    for chart in ("curve-chart", "dynamics-map", "dynamics-bars", "skills-map", "skills-paths"):
        assert count(opened, f"#{chart} svg") == 1, chart
    assert count(opened, "#skills-multiples svg") == 3
    assert "alert(1)" in text(opened, "h1")


def test_no_chart_shows_a_number_that_is_none(opened: chromium.Browser):
    assert opened.run("!/NaN|undefined|Infinity/.test(document.querySelector('main').innerHTML)")


def test_a_method_can_be_switched_off(opened: chromium.Browser):
    lines, seeds = "#curve-chart path.middle", "#curve-chart path.seed"
    assert (count(opened, lines), count(opened, seeds)) == (2, 4)  # two seeds are too few for bands
    opened.run("document.querySelector('#curve-legend button').focus()")
    opened.press("Enter")
    assert (count(opened, lines), count(opened, seeds)) == (1, 2)
    pressed = "document.querySelector('#curve-legend button').getAttribute('aria-pressed')"
    assert opened.run(pressed) == "false"


def test_arrow_keys_and_the_mouse_read_the_curves(opened: chromium.Browser):
    opened.run("document.getElementById('curve-chart').focus()")
    opened.press("Home")
    value = "document.getElementById('curve-chart').getAttribute('aria-valuenow')"
    assert opened.run(value) == "1"
    opened.press("ArrowRight")
    assert opened.run(value) == "2"
    place = "document.getElementById('curve-chart').getBoundingClientRect()"
    opened.run("document.getElementById('curve-chart').scrollIntoView({behavior: 'instant'})")
    for trial in range(100):  # a page that is still being laid out moves away under the mouse
        # A mouse that stays where it is tells the page nothing.
        opened.hover(opened.run(f"{place}.right - 12") - trial % 2, opened.run(f"{place}.top + 80"))
        if opened.run(value) == str(EPOCHS):
            break
        time.sleep(0.1)
    assert opened.run(value) == str(EPOCHS)


def test_smoothing_and_quantity_change_the_table(opened: chromium.Browser):
    before = text(opened, "#curve-table tbody")
    assert (
        opened.run("document.getElementById('curve-smoothing').selectedOptions[0].text")
        == "2 epochs"
    )
    choose(opened, "curve-smoothing", "0")
    smoothed = text(opened, "#curve-table tbody")
    assert smoothed != before
    choose(opened, "curve-metric", "1")
    assert text(opened, "#curve-table caption").startswith("Effective number of skills")


def test_no_quantity_has_a_blank_smoothing(opened: chromium.Browser):
    shown = "document.getElementById('curve-smoothing')"
    for metric in range(count(opened, "#curve-metric option")):
        choose(opened, "curve-metric", str(metric))
        assert opened.run(f"{shown}.selectedIndex") >= 0
        offered = opened.run(f"{shown}.options.length")
        hidden = opened.run(f"{shown}.parentElement.hidden")
        assert hidden == (offered == 1)


def test_the_slider_moves_through_the_epochs(opened: chromium.Browser):
    assert text(opened, "#dynamics-readout").startswith(f"Epoch {EPOCHS}:")
    opened.run("document.getElementById('dynamics-epoch').focus()")
    opened.press("Home")
    opened.wait("document.getElementById('dynamics-readout').textContent.startsWith('Epoch 1:')")
    # In the first epoch of the first round all three goals are as likely.
    opened.run("document.getElementById('dynamics-table').open = true")
    opened.wait("document.querySelectorAll('#dynamics-table tbody tr').length === 3")
    likely = "[...document.querySelectorAll('#dynamics-table tbody td:nth-child(2)')].map(c => c.textContent)"
    assert opened.run(likely) == ["0.333"] * 3
    opened.press("ArrowRight")
    opened.wait("document.getElementById('dynamics-readout').textContent.startsWith('Epoch 2:')")
    assert sorted(opened.run(likely)) == ["0", "0.500", "0.500"]


def test_playing_ends_at_the_last_epoch(opened: chromium.Browser):
    opened.run("document.getElementById('dynamics-play').click()")
    assert text(opened, "#dynamics-play") == "Pause"
    opened.wait("document.getElementById('dynamics-play').textContent === 'Play'")
    assert text(opened, "#dynamics-readout").startswith(f"Epoch {EPOCHS}:")


def test_every_learner_and_view_can_be_chosen(opened: chromium.Browser):
    for view in ("signal", "counts", "selection"):
        choose(opened, "dynamics-view", view)
        for method in "01":
            choose(opened, "dynamics-method", method)
            assert count(opened, "#dynamics-bars rect") >= 1
    label = "document.getElementById('dynamics-map').getAttribute('aria-label')"
    choose(opened, "dynamics-seed", "1")
    assert opened.run(label).endswith("DIAYN, seed 1")
    choose(opened, "dynamics-method", "0")
    assert NASTY in opened.run(label)


def test_skills_before_training_and_highlights(opened: chromium.Browser):
    after = opened.run("document.querySelector('#skills-map').innerHTML")
    choose(opened, "skills-when", "untrained")
    assert opened.run("document.querySelector('#skills-map').innerHTML") != after
    assert count(opened, "#skills-map .label") == 3
    opened.run("document.querySelectorAll('#skills-chips button')[1].click()")
    assert count(opened, "#skills-map .label") == 1
    assert text(opened, "#skills-map .label") == "1"


def test_the_theme_follows_the_system_and_the_button(browser: chromium.Browser, page_file: Path):
    back = "getComputedStyle(document.body).backgroundColor"
    browser.open(page_file)
    light = browser.run(back)
    browser.open(page_file, dark=True)
    dark = browser.run(back)
    assert light != dark
    browser.run("document.getElementById('theme').click()")
    assert browser.run(back) == light
    assert browser.errors == []


@pytest.mark.parametrize("width", [360, 800])
def test_nothing_is_wider_than_the_window(browser: chromium.Browser, page_file: Path, width: int):
    browser.open(page_file, width=width, height=740)
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.errors == []


def test_charts_follow_the_width_of_the_window(opened: chromium.Browser):
    width = "document.querySelector('#curve-chart svg').getBoundingClientRect().width"
    wide = opened.run(width)
    opened.resize(500, 900)
    opened.wait(f"{width} < {wide} - 200")
    drawn = "document.querySelector('#curve-chart svg').getAttribute('width')"
    opened.wait(f"Math.abs({drawn} - {width}) < 1")


def test_a_maze_has_walls_and_three_colours(browser: chromium.Browser, maze: Runs, tmp_path: Path):
    browser.open(write(maze, tmp_path / "maze.html"))
    assert browser.errors == []
    assert (
        browser.run("document.querySelector('#skills-paths .wall').getAttribute('d').length") > 100
    )
    assert count(browser, "#skills-multiples .wall") == 24
    assert count(browser, "#skills-map .label") == 0  # names of 24 goals would hide one another
    strokes = (
        "new Set([...document.querySelectorAll('#skills-paths .goal')].map(c => c.style.stroke))"
    )
    seen = browser.run(f"[...{strokes}]")
    assert "var(--quiet)" in seen
    assert set(seen) <= {"var(--quiet)", "var(--accent)", "var(--alarm)"}
    assert text(browser, "#skills-multiples figcaption").startswith("goal 0success ")
    assert text(browser, "#curve-metric option").startswith("Success")
