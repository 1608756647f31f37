from __future__ import annotations

from siliconprof.figures.scale import scale_axis


def test_decades_are_labelled_with_plain_numbers(axes):
    axes.set_xscale("log")
    scale_axis(axes.xaxis)
    labels = axes.xaxis.get_major_formatter()
    assert [labels(value, 0) for value in (0.01, 1, 1000)] == ["0.01", "1", "1,000"]
    assert axes.xaxis.get_minor_formatter()(2, 0) == ""
