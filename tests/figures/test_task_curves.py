"""Returns in tasks: a panel for each task, a line for each arm, against steps of the environment."""

import numpy as np
import pandas

from autotelic.figures import task_curves


def table(returns: list[list[float]], arm: str, per: int) -> pandas.DataFrame:
    rows = [
        {"arm": arm, "seed": seed, "steps": per * index, "return": value}
        for seed, values in enumerate(returns)
        for index, value in enumerate(values)
    ]
    return pandas.DataFrame(rows)


def test_arms_are_drawn_over_their_own_steps_and_a_learner_with_gaps_is_left_out():
    skills = table([[0.0, 2.0], [2.0, 4.0], [100.0, float("nan")]], "skills", 25_000)
    scratch = table([[0.0, 1.0, 1.0], [0.0, 3.0, 5.0]], "from scratch", 12_500)
    figure = task_curves({"hurdles": pandas.concat([skills, scratch]), "run": scratch})
    hurdles, run = figure.axes
    above, below = (line for line in hurdles.get_lines() if str(line.get_label())[0] != "_")
    assert np.asarray(above.get_xdata()).tolist() == [0, 25_000]
    assert np.asarray(above.get_ydata()).tolist() == [1.0, 3.0]
    assert np.asarray(below.get_xdata()).tolist() == [0, 12_500, 25_000]
    assert np.asarray(below.get_ydata()).tolist() == [0.0, 2.0, 3.0]
    # An arm has its colour in every panel, though the second has one arm only.
    assert {line.get_color() for line in run.get_lines()} == {below.get_color()}
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["hurdles", "run"]
    figure.draw_without_rendering()
    assert "20k" in [label.get_text() for label in hurdles.get_xticklabels()]
