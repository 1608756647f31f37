from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from siliconprof.experiments.table import Row
from siliconprof.figures.gap_bars import draw_gaps


def row(quantity, value, **more) -> Row:
    point = {"case": 0, "title": "a: b", "quantity": quantity, **more}
    return Row("predicted", "m2-ultra", "mlx", quantity, value, "s", None, None, "made", point)


def test_terms_stack_by_their_sign_and_the_marker_is_their_sum():
    axes = Figure().subplots()
    terms = {"matrix kernels": 3.0, "fusion": 1.0, "transfers": -2.0, "clock and power": 0.0}
    rows = [row("time", 2.0, side="nvidia"), row("gap", 2.0)]
    draw_gaps(axes, rows + [row("term", value, term=name) for name, value in terms.items()])
    bars = sorted((bar.get_x(), bar.get_width()) for bar in axes.patches)
    assert bars == [(0.0, -1.0), (0.0, 1.5), (1.5, 0.5)]
    (square,) = (line for line in axes.lines if line.get_marker() == "s")  # what is predicted
    assert square.get_xdata()[0] == pytest.approx(1.0)
