from __future__ import annotations

import pytest
from matplotlib.figure import Figure

import siliconprof as sp
from siliconprof.figures.files import KINDS, figure_path, save_figure


def test_no_name_is_no_figure():
    assert figure_path("explain", None) is None


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_written(kind, tmp_path):
    path = figure_path("explain", tmp_path / f"a{kind}")
    save_figure("explain", path, Figure)
    assert path.stat().st_size > 0


def test_another_kind_is_refused_before_anything_is_drawn(tmp_path):
    def drawn():
        raise AssertionError("drawn")

    with pytest.raises(sp.ArgumentError, match=r"\[predict\] figure = .*\.png, \.svg or \.pdf"):
        save_figure("predict", tmp_path / "a.gif", drawn)
