from __future__ import annotations

import dataclasses
from itertools import pairwise

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from siliconprof.figures.ladder import draw_ladder
from siliconprof.figures.style import contrast, marker_style, style


def test_there_is_a_rung_for_each_device_and_framework(axes, table):
    draw_ladder(axes, table.where(quantity="compute rate", size=128), 1e12, "TFLOP/s")
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == [
        "rtx-a6000  torch-cuda",
        "m2-ultra  mlx",
        "m2-ultra  torch-mps",
        "here  openblas",
    ]
    assert axes.get_xscale() == "log"
    assert axes.get_xlabel() == "TFLOP/s"


def test_values_are_scaled_and_marked_by_origin(axes, table):
    with style():
        rows = table.where(device="here", dtype="float32", quantity="compute rate")
        draw_ladder(axes, rows, 1e12, "TFLOP/s")
        (point,) = [line for line in axes.lines if line.get_marker() == "o"]
        assert list(point.get_xdata()) == [0.01]
        assert point.get_markerfacecolor() == marker_style("measured", "here")["markerfacecolor"]


def test_points_that_meet_share_one_text(axes, table):
    draw_ladder(axes, table.where(device="here", quantity="compute rate"), 1e12, "TFLOP/s")
    assert [text.get_text() for text in axes.texts] == ["fp32 fp16"]


@pytest.mark.parametrize("times", [1.2, 1.3, 1.35, 1.4, 1.45, 1.5, 1.6, 2.0])
def test_a_text_that_grew_by_a_neighbour_does_not_run_into_the_next(axes, table, times):
    (row,) = table.where(device="rtx-a6000", quantity="compute rate", dtype="float32", size=128)
    rates = {"float32": 20e12, "float16": times * 20e12, "bfloat16": times * 20e12}
    rows = [
        dataclasses.replace(row, value=value, point={**row.point, "dtype": dtype})
        for dtype, value in rates.items()
    ]
    far = dataclasses.replace(row, device="here", value=0.2e12)
    draw_ladder(axes, [*rows, far], 1e12, "TFLOP/s")
    texts = [text for text in axes.texts if text.get_position()[0] > 1.0]
    assert " ".join(text.get_text() for text in texts) == "fp32 fp16 bf16"
    renderer = FigureCanvasAgg(axes.get_figure()).get_renderer()
    boxes = [text.get_window_extent(renderer) for text in texts]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_a_row_without_a_value_is_left_out(axes, table):
    rows = [dataclasses.replace(row, value=None) for row in table.where(device="here")]
    kept = table.where(device="rtx-a6000", size=128)
    draw_ladder(axes, [*rows, *kept], 1e12, "TFLOP/s")
    assert len(axes.get_yticklabels()) == 1


def test_a_value_of_zero_has_no_place_on_a_logarithmic_axis(axes, table):
    (kept, zero) = table.where(device="here", quantity="compute rate")
    draw_ladder(axes, [kept, dataclasses.replace(zero, value=0.0)], 1e12, "TFLOP/s")
    assert [text.get_text() for text in axes.texts] == ["fp32"]


def test_the_names_of_rungs_can_be_read(axes, table):
    rows = [dataclasses.replace(row, device="rtx-2080-ti") for row in table.where(size=1024)]
    with style():
        draw_ladder(axes, rows, 1e12, "TFLOP/s")
        inks = [label.get_color() for label in axes.get_yticklabels()]
    assert all(contrast(ink, "#ffffff") >= 4.5 for ink in inks)
