from __future__ import annotations

import matplotlib
from matplotlib import pyplot
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from siliconprof.experiments.table import Row
from siliconprof.figures.passes import draw_passes
from siliconprof.figures.style import DARK, style


def row(origin, share, index, value, swap="zram"):
    point = {"swap": swap, "share": share, "pass": index}
    return Row(origin, "here", "native", "w", value, "s", None, None, "s", point)


def test_each_limit_is_a_line_and_each_prediction_marks_alone():
    matplotlib.use("Agg")
    figure, axes = pyplot.subplots()
    rows = [
        row(origin, share, index, 2.0 * index)
        for origin in ("measured", "predicted")
        for share in (None, 0.9)
        for index in (1, 2)
    ]
    draw_passes(axes, [*rows, row("measured", 0.7, 1, None)], 2.0, "s")
    lines = axes.get_lines()
    assert len(lines) == 4
    assert list(lines[0].get_ydata()) == [1.0, 2.0]
    assert [line.get_linestyle() for line in lines].count("None") == 2
    pyplot.close(figure)


def test_the_legend_shows_which_lines_are_dashed():
    axes = Figure().subplots()
    draw_passes(axes, [row("measured", 0.9, 1, 2.0, swap) for swap in ("zram", "file")], 1.0, "s")
    dashed = axes.get_legend().get_lines()[1]
    length = max(dashed.get_xdata()) - min(dashed.get_xdata())
    marker_points, dash_points = 3.5, (3.7 + 1.6) * dashed.get_linewidth()
    assert length > marker_points + 3 * dash_points


def test_no_line_vanishes_on_a_dark_ground():
    with style(DARK):
        axes = Figure().subplots()
        rows = [row("measured", share, 1, 2.0) for share in (None, 1.2, 0.9, 0.7)]
        draw_passes(axes, rows, 1.0, "s")
        inks = [sum(to_rgb(line.get_color())) for line in axes.get_lines()]
        assert min(inks) > 0.8  # of 3; the ground has 0.3


def test_predictions_are_open_and_a_limit_is_said_in_words():
    axes = Figure().subplots()
    rows = [row("measured", 0.9, 1, 15000.0), row("predicted", 0.9, 1, 14000.0)]
    draw_passes(axes, rows, 1.0, "faults")
    assert [line.get_markerfacecolor() == "none" for line in axes.get_lines()] == [False, True]
    (text,) = axes.get_legend().get_texts()
    assert text.get_text() == "90 % of need, compressed"
    assert axes.yaxis.get_major_formatter()(14000.0, 0) == "14,000"


def test_predictions_of_one_limit_differ_by_the_swap():
    axes = Figure().subplots()
    draw_passes(axes, [row("predicted", 0.9, 1, 2.0, swap) for swap in ("zram", "file")], 1.0, "s")
    assert [line.get_fillstyle() for line in axes.get_lines()] == ["full", "left"]
