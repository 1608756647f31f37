from __future__ import annotations

import pytest
from matplotlib.figure import Figure

import siliconprof as sp
from siliconprof.figures.files import KINDS, figure_path, save_figure


def test_no_name_is_no_figure():
    assert figure_path("explain", None) is None


@pytest.mark.parametrize("kind", (*KINDS, ".PDF"))
def test_each_kind_is_written(kind, tmp_path):
    path = figure_path("explain", tmp_path / f"a{kind}")
    save_figure("explain", path, Figure)
    assert path.stat().st_size > 0


def test_another_kind_or_place_is_refused_before_anything_is_drawn(tmp_path):
    def drawn():
        raise AssertionError("drawn")

    with pytest.raises(sp.ArgumentError, match=r"\[predict\] figure = .*\.png, \.svg or \.pdf"):
        save_figure("predict", tmp_path / "a.gif", drawn)
    with pytest.raises(sp.Error, match=r"\[predict\] cannot write .*No such file"):
        save_figure("predict", tmp_path / "none" / "a.svg", drawn)


def test_a_file_that_cannot_be_written_is_told_and_leaves_the_old_one(tmp_path):
    with pytest.raises(sp.Error, match=r"cannot write .*No such file"):
        save_figure("predict", tmp_path / "none" / "a.svg", Figure)
    kept = tmp_path / "a.svg"
    kept.write_text("old")

    class Broken(Figure):
        def savefig(self, file, **given):
            raise OSError(28, "No space left on device")

    with pytest.raises(sp.Error, match="unchanged"):
        save_figure("predict", kept, Broken)
    assert kept.read_text() == "old"


@pytest.mark.parametrize("kind", [".svg", ".pdf"])
def test_equal_drawings_are_equal_files(kind, tmp_path):
    for name in "ab":
        save_figure("predict", tmp_path / f"{name}{kind}", Figure)
    assert (tmp_path / f"a{kind}").read_bytes() == (tmp_path / f"b{kind}").read_bytes()
