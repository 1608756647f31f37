from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from siliconprof.figures.kernel_ratios import draw_kernel_ratios

ROW = {"ratio_low": 0.4, "ratio": 0.5, "ratio_high": 0.6, "floor_s": 1.0, "torch_s": 4.0}


@pytest.fixture
def axes():
    drawn = Figure().add_subplot()
    rows = [
        {**ROW, "group": "suite", "label": "a"},
        {**ROW, "group": "suite", "label": "b", "ratio": 2.0},
        {**ROW, "group": "gpt", "label": "c"},
    ]
    draw_kernel_ratios(drawn, rows)
    return drawn


def test_a_rung_for_each_row_in_order_with_its_group_named_once(axes):
    assert [text.get_text() for text in axes.get_yticklabels()] == ["suite:  a", "b", "gpt:  c"]
    places = [line.get_ydata()[0] for line in axes.lines if line.get_marker() == "o"]
    assert places == [0, -1, -2]


def test_the_ratio_its_quartiles_and_its_floor_are_drawn(axes):
    bar, ratio, floor = axes.lines[:3]
    assert list(bar.get_xdata()) == [0.4, 0.6]
    assert list(ratio.get_xdata()) == [0.5]
    assert list(floor.get_xdata()) == [0.25]


def test_many_decades_have_a_label_each():
    drawn = Figure().add_subplot()
    draw_kernel_ratios(drawn, [{**ROW, "group": "suite", "label": "a", "ratio_low": 1e-4}])
    assert 2e-3 not in drawn.xaxis.get_major_locator().tick_values(1e-4, 2.0).round(9)
