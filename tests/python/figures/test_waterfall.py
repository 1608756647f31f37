from __future__ import annotations

from itertools import pairwise

import pytest
from matplotlib.figure import Figure

import siliconprof as sp
from siliconprof.figures.waterfall import draw, save_waterfall
from siliconprof.quantity import scaled, signed


@pytest.fixture(scope="module")
def causes() -> sp.Causes:
    trace = sp.op("matmul", m=2048, k=2048, n=2048)
    return sp.explain(trace, "m2-pro", "m2-ultra", measured=(4e-3, 1e-3))


def test_every_step_begins_where_the_last_one_ended(causes):
    axes = Figure().subplots()
    draw(causes, axes)
    bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]
    assert bars[0] == (0.0, causes.from_s)
    for before, after in pairwise(bars[:-2]):
        assert after[0] == pytest.approx(before[1])
    assert bars[-2] == (0.0, causes.to_s)
    assert bars[-3][1] == pytest.approx(causes.to_s)


def test_the_residual_stands_beside_the_gap(causes):
    axes = Figure().subplots()
    draw(causes, axes)
    assert axes.get_yticklabels()[-1].get_text() == "residual: not predicted"
    assert axes.patches[-1].get_width() == pytest.approx(causes.residual_s)
    assert axes.texts[-1].get_text().strip() == signed(causes.residual_s, "s")


def test_what_lies_below_nothing_is_in_the_picture():
    trace = sp.op("matmul", m=2048, k=2048, n=2048)
    axes = Figure().subplots()
    draw(sp.explain(trace, "m2-pro", "m2-ultra", measured=(4.0, 1e-3)), axes)
    least = min(min(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches)
    assert axes.get_xlim()[0] <= least < 0.0


def test_a_figure_is_a_file_of_a_kind_that_can_be_drawn(causes, tmp_path):
    save_waterfall(causes, tmp_path / "gap.svg")
    assert "<svg" in (tmp_path / "gap.svg").read_text()
    with pytest.raises(sp.ArgumentError, match=r"\.png"):
        save_waterfall(causes, tmp_path / "gap.gif")


def test_the_two_ends_say_their_time_too(causes):
    axes = Figure().subplots()
    draw(causes, axes)
    texts = [text.get_text().strip() for text in axes.texts]
    assert texts[0] == scaled(causes.from_s, "s") and scaled(causes.to_s, "s") in texts
