from __future__ import annotations

import dataclasses

from siliconprof.experiments.index import experiment
from siliconprof.figures.render import caption, draw, render_png, render_svg
from siliconprof.figures.style import DARK


def test_equal_tables_give_equal_pictures(table):
    figure7 = experiment("figure7")
    assert render_svg(figure7, table) == render_svg(figure7, table)


def test_the_picture_is_svg_or_png(table):
    figure7 = experiment("figure7")
    assert render_svg(figure7, table).startswith("<svg")
    assert render_png(figure7, table, dpi=40).startswith(b"\x89PNG")


def test_the_svg_has_a_title_that_is_told_apart(table):
    svg = render_svg(experiment("figure7"), table)
    assert "<title>Figure 7: Vector-Jacobian products</title>" in svg
    assert "<title>The library's own speed</title>" in render_svg(
        dataclasses.replace(experiment("speed"), draw=lambda table, axes: None), table
    )


def test_the_dark_theme_has_a_dark_ground(table):
    assert DARK.ground in render_svg(experiment("figure7"), table, DARK)


def test_the_caption_states_samples_host_and_date(table):
    assert caption(table) == "n = 9 · measured on Fast CPU, 2 cores · 2025-01-02"


def test_without_measured_rows_no_number_of_samples_is_stated(table):
    bare = dataclasses.replace(table, rows=tuple(table.where(origin="predicted")))
    assert caption(bare).startswith("computed on Fast CPU")


def test_the_legend_names_origins_and_frameworks(table):
    (legend,) = draw(experiment("figure7"), table).legends
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == [
        "measured here",
        "predicted",
        "interval",
        "CUDA on NVIDIA, MLX on Apple",
        "MPS",
    ]


def test_a_figure_without_pale_bars_names_none(table):
    bare = dataclasses.replace(experiment("figure4"), draw=lambda table, axes: None)
    (legend,) = draw(bare, table).legends
    assert [text.get_text() for text in legend.get_texts()] == ["measured here", "predicted"]


def test_a_figure_without_marks_has_no_legend(table):
    bare = dataclasses.replace(experiment("table2"), draw=lambda table, axes: None)
    assert draw(bare, table).legends == []
