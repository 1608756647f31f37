from __future__ import annotations

import matplotlib
from matplotlib import pyplot

from siliconprof.experiments.table import Row
from siliconprof.figures.passes import draw_passes


def row(origin, share, index, value):
    point = {"swap": "zram", "share": share, "pass": index}
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
