from __future__ import annotations

import dataclasses

from matplotlib.figure import Figure

from siliconprof.experiments.table import Row
from siliconprof.figures.scatter import draw_scatter


def row(value, recorded, lo=None, hi=None):
    point = {"recorded": recorded}
    return Row("predicted", "h200", "torch-cuda", "w", value, "s", lo, hi, "s", point)


def test_a_mark_for_each_value_at_what_was_recorded_and_a_band_about_equality():
    axes = Figure().subplots()
    draw_scatter(axes, [row(2.0, 4.0, 1.0, 3.0), row(None, 1.0)], "device", 1.0, "s")
    (mark,) = (line for line in axes.lines if line.get_marker() == "s")
    assert (list(mark.get_xdata()), list(mark.get_ydata())) == ([4.0], [0.5])
    assert [list(line.get_ydata()) for line in axes.lines if line.get_alpha()] == [[0.25, 0.75]]
    (band,) = axes.patches
    assert {round(y, 6) for _, y in band.get_xy()} == {0.9, 1.1}
    assert axes.get_ylabel() == "predicted / recorded"


def test_a_lower_end_of_zero_is_cut_at_the_axis():
    axes = Figure().subplots()
    draw_scatter(axes, [row(2.0, 4.0, -1.0, 3.0)], "framework", 1.0, "s")
    assert all(min(line.get_ydata()) > 0.0 for line in axes.lines)


def test_no_two_devices_have_one_colour():
    def inks(*devices):
        axes = Figure().subplots()
        rows = [dataclasses.replace(row(2.0, 4.0), device=device) for device in devices]
        draw_scatter(axes, rows, "device", 1.0, "s")
        return [line.get_color() for line in axes.get_legend().get_lines()]

    # Those of training steps, and some whose own colours another has.
    assert len(set(inks("h200", "h100", "epyc-zen5-2", "xeon-amx-16", "m2-ultra"))) == 5
    assert len(set(inks("h100", "m1-pro-cpu", "m1-pro", "xeon-amx-16", "l4", "t4", "a10"))) == 7
    assert inks("h100")[0] == inks("h200", "h100")[1]


def test_without_rows_there_is_nothing_to_draw():
    axes = Figure().subplots()
    draw_scatter(axes, [], "device", 1.0, "s")
    assert [list(line.get_ydata()) for line in axes.lines] == [[1, 1]]  # equality alone


def test_a_value_of_zero_has_no_place():
    axes = Figure().subplots()
    draw_scatter(axes, [row(0.0, 4.0), row(2.0, 4.0)], "device", 1.0, "s")
    assert len([line for line in axes.lines if line.get_marker() == "s"]) == 1
