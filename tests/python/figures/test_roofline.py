from __future__ import annotations

import dataclasses

import pytest

from siliconprof.figures.roofline import draw_roofline


def drawn(axes):
    roofs = [line for line in axes.lines if len(line.get_xdata()) > 1]
    points = [line for line in axes.lines if len(line.get_xdata()) == 1]
    return roofs, points


def test_a_roof_rises_with_the_bandwidth_and_ends_at_the_peak(axes, table):
    draw_roofline(axes, table, ("float32",))
    (roof,), _ = drawn(axes)
    low, ridge, high = roof.get_xdata()
    assert ridge == pytest.approx(2.7e13 / 8e11)
    assert list(roof.get_ydata()) == pytest.approx([8e11 * low / 1e12, 27.0, 27.0])
    assert low < ridge < high


def test_a_second_dtype_has_a_dashed_roof(axes, table):
    draw_roofline(axes, table, ("float32", "float16"))
    roofs, _ = drawn(axes)
    assert [line.get_linestyle() for line in roofs] == ["-", "--"]


def test_points_stand_at_their_intensity_and_rate(axes, table):
    draw_roofline(axes, table, ("float32",), sizes=[1024])
    _, points = drawn(axes)
    places = {(line.get_xdata()[0], line.get_ydata()[0]) for line in points}
    intensity = 2 * 1024**3 / (12 * 1024**2)
    assert places == {(intensity, base * 1024 / 1e12) for base in (3e9, 2e9, 1e9)}


def test_both_axes_are_logarithmic_and_have_units(axes, table):
    draw_roofline(axes, table, ("float32",))
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert "FLOP / byte" in axes.get_xlabel()
    assert "TFLOP/s" in axes.get_ylabel()


def test_roofs_are_named_at_their_ends_and_names_do_not_meet(axes, table):
    near = [
        dataclasses.replace(row, device="m2-max", value=1.001 * row.value)
        for row in table.where(device="m2-ultra")
        if row.point["quantity"].endswith("roof")
    ]
    draw_roofline(axes, dataclasses.replace(table, rows=(*table.rows, *near)), ("float32",))
    heights = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert set(heights) == {"m2-ultra", "m2-max"}
    assert heights["m2-max"] - heights["m2-ultra"] >= 0.02
