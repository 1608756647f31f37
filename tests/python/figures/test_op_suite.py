from __future__ import annotations

import dataclasses

import pytest
from matplotlib.figure import Figure

from siliconprof.experiments.table import Row
from siliconprof.figures.op_suite import draw_agreement, draw_operations
from siliconprof.figures.style import colour


def row(operation, column, value, origin="recorded", same=True, **extra):
    point = {"operation": operation, "column": column, "same": same, **extra}
    ends = (None, None) if value is None else (value / 2, value * 2)
    return Row(origin, "m3-max", "mlx", operation, value, "s", *ends, "s", point)


@pytest.fixture
def axes():
    return Figure().add_subplot()


def dots(axes, *markers):
    return [line for line in axes.lines if line.get_marker() in markers]


def test_a_rung_for_each_operation_and_a_colour_for_each_column(axes):
    rows = [row("Sum", "mps", 2e-3), row("Sort", "mps", 4e-3), row("Sum", "cpu", 8e-3)]
    draw_operations(axes, ["Sort", "Sum"], rows, 1e-3, "ms")
    assert [text.get_text() for text in axes.get_yticklabels()] == ["Sort", "Sum"]
    first, second, third = dots(axes, "D")
    assert (first.get_xdata()[0], first.get_ydata()[0]) == (2.0, -1.0)
    assert first.get_markeredgecolor() == second.get_markeredgecolor()
    assert first.get_markeredgecolor() != third.get_markeredgecolor()


def test_other_work_is_pale_and_a_missing_value_is_left_out(axes):
    rows = [row("Sum", "mps", 2e-3, same=False), row("Sum", "cpu", None)]
    draw_operations(axes, ["Sum"], rows, 1e-3, "ms")
    (pale,) = dots(axes, "D")
    assert pale.get_alpha() < 0.5


def test_predictions_stand_over_what_was_recorded(axes):
    draw_agreement(axes, [row("Sum", "mps", 0.5, "predicted", recorded_s=3e-3)])
    (dot,) = dots(axes, "s")
    assert (dot.get_xdata()[0], dot.get_ydata()[0]) == (3.0, 0.5)


def test_devices_have_their_own_colours_and_mps_is_half_filled():
    drawn = Figure().add_subplot()
    rows = [
        dataclasses.replace(row("Sum", f"m2-ultra {framework}", 1e-3), framework=framework)
        for framework in ("mlx", "torch-mps")
    ]
    rows = [dataclasses.replace(row, device="m2-ultra", origin="predicted") for row in rows]
    draw_operations(drawn, ["Sum"], rows, 1e-3, "ms", by_device=True)
    mlx, mps = dots(drawn, "s")
    assert mlx.get_markeredgecolor() == mps.get_markeredgecolor() == colour("m2-ultra")
    assert (mlx.get_fillstyle(), mps.get_fillstyle()) == ("full", "left")
