from __future__ import annotations

import dataclasses

from siliconprof.figures.sweep import draw_sweep, label_places


def rows(table):
    return table.where(quantity="compute rate", dtype="float32")


def test_there_is_a_line_for_each_device_and_framework_in_order_of_size(axes, table):
    draw_sweep(axes, list(reversed(rows(table))), 1e12)
    by_end = {tuple(line.get_ydata()): tuple(line.get_xdata()) for line in axes.lines}
    assert by_end[(3e9 * 128 / 1e12, 3e9 * 1024 / 1e12)] == (128, 1024)
    assert len(axes.lines) == 4


def test_mps_is_dashed(axes, table):
    draw_sweep(axes, table.where(framework="torch-mps", dtype="float32"), 1e12)
    assert [line.get_linestyle() for line in axes.lines] == ["--"]


def test_intervals_are_bands_and_their_absence_is_none(axes, table):
    without = [
        dataclasses.replace(row, lo=None, hi=None) if row.device == "here" else row
        for row in rows(table)
    ]
    draw_sweep(axes, without, 1e12)
    assert len(axes.collections) == 3


def test_places_are_labelled_with_their_texts(axes, table):
    draw_sweep(axes, rows(table), 1e12)
    label_places(axes, {128: "small", 1024: "large"})
    assert [label.get_text() for label in axes.get_xticklabels()] == ["small", "large"]
    assert axes.get_yscale() == "log"


def test_a_value_of_zero_has_no_place(axes, table):
    rows = table.where(device="m2-ultra", framework="mlx", dtype="float32")
    draw_sweep(axes, [dataclasses.replace(rows[0], value=0.0), *rows[1:]], 1e12)
    assert [list(line.get_xdata()) for line in axes.lines] == [[1024]]
