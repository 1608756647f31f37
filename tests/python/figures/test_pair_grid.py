from __future__ import annotations

from matplotlib.figure import Figure

from siliconprof.experiments.pairs import PAIR_GRID
from siliconprof.figures.pair_grid import draw_pair_grid


def drawn(table):
    axes = Figure(figsize=(12, 5)).subplot_mosaic([list(row) for row in PAIR_GRID.mosaic])
    draw_pair_grid(axes, table, "compute rate", (1e12, "TFLOP/s"), {128: "a", 1024: "b"}, "side")
    return axes


def test_each_column_has_its_pair_and_this_machine(table):
    axes = drawn(table)
    assert len(axes["0-float32"].lines) == 4
    assert len(axes["1-float32"].lines) == 1


def test_columns_of_one_dtype_share_their_range(table):
    axes = drawn(table)
    assert len({axes[f"{column}-float16"].get_ylim() for column in range(3)}) == 1


def test_axes_are_labelled_once_with_units(table):
    axes = drawn(table)
    assert axes["0-float32"].get_ylabel() == "TFLOP/s"
    assert axes["1-float32"].get_ylabel() == ""
    assert axes["2-float16"].get_xlabel() == "side"
    assert "FLOP / byte" in axes["roof"].get_xlabel()
