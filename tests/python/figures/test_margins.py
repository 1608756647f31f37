from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from siliconprof.experiments.table import Row
from siliconprof.figures.margins import draw_margins, margin


def row(value, limit, at_least) -> Row:
    point = {"label": f"figure of {limit}", "limit": limit, "at_least": at_least}
    return Row("measured", "here", "", "w", value, "s", 0.9 * value, 1.1 * value, "s", point)


@pytest.mark.parametrize(
    ("at_least", "value", "expected"), [(True, 2.0, 2.0), (True, 0.5, 0.5), (False, 2.0, 0.5)]
)
def test_the_margin_is_above_1_on_the_right_side(at_least, value, expected):
    assert margin(row(value, 1.0, at_least), value) == expected


def test_a_rung_for_each_value_with_its_point_at_the_margin():
    axes = Figure().subplots()
    missing = Row("measured", "here", "", "w", None, "s", None, None, "why", {})
    draw_margins(axes, [row(4.0, 2.0, True), missing, row(4.0, 2.0, False)])
    points = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
    assert points == [2.0, 0.5]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["figure of 2.0"] * 2
    assert axes.get_xscale() == "log"


def test_many_decades_have_a_label_each_and_a_value_of_zero_no_margin():
    axes = Figure().subplots()
    draw_margins(axes, [row(1e4, 1.0, True), row(0.0, 1.0, False)])
    assert len(axes.get_yticklabels()) == 1
    assert 2.0 not in axes.xaxis.get_major_locator().tick_values(1.0, 1e4).round(9)
