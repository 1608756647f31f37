from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from siliconprof.experiments.table import Row
from siliconprof.figures.gap_bars import draw_gaps
from siliconprof.figures.style import DARK, style


def row(quantity, value, ends=(None, None), **more) -> Row:
    point = {"case": 0, "title": "a: b", "quantity": quantity, **more}
    return Row("predicted", "m2-ultra", "mlx", quantity, value, "s", *ends, "made", point)


def test_terms_stack_by_their_sign_and_the_marker_is_their_sum():
    axes = Figure().subplots()
    terms = {"matrix kernels": 3.0, "fusion": 1.0, "transfers": -2.0, "clock and power": 0.0}
    rows = [row("time", 2.0, side="nvidia"), row("gap", 2.0)]
    draw_gaps(axes, rows + [row("term", value, term=name) for name, value in terms.items()])
    bars = sorted((bar.get_x(), bar.get_width()) for bar in axes.patches)
    assert bars == [(0.0, -1.0), (0.0, 1.5), (1.5, 0.5)]
    (square,) = (line for line in axes.lines if line.get_marker() == "s")  # what is predicted
    assert square.get_xdata()[0] == pytest.approx(1.0)


def drawn(**terms):
    axes = Figure().subplots()
    rows = [row("time", 2.0, side="nvidia"), row("gap", 2.0, (1.0, 4.0))]
    draw_gaps(axes, rows + [row("term", value, term=name) for name, value in terms.items()])
    return axes


def test_the_gap_has_its_interval():
    bars = [line for line in drawn(fusion=2.0).lines if len(line.get_xdata()) == 2]
    assert [0.5, 2.0] in [list(line.get_xdata()) for line in bars]


def test_a_term_is_known_by_its_letter_too_in_the_order_of_the_legend():
    axes = drawn(**{"fusion": 2.0, "matrix kernels": 3.0, "transfers": 1e-6})
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["a  matrix kernels", "b  fusion", "c  transfers"]
    assert [text.get_text() for text in axes.texts] == ["b", "a"]  # none on what is too thin


def test_the_line_at_no_gap_is_seen_on_a_dark_ground():
    with style(DARK):
        zero = next(line for line in drawn(fusion=2.0).lines if set(line.get_xdata()) == {0.0})
        assert zero.get_color() in (DARK.ink, DARK.muted)


def test_a_wide_interval_leaves_the_frame_and_not_the_bars_unread():
    axes = Figure().subplots()
    rows = [row("time", 2.0, side="nvidia"), row("gap", 2.0, (1.0, 4000.0))]
    draw_gaps(axes, [*rows, row("term", 2.0, term="fusion")])
    assert axes.get_xlim()[1] < 2.0
