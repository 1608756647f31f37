from __future__ import annotations

import matplotlib
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex, to_rgb

from siliconprof.experiments.table import ORIGINS
from siliconprof.experiments.table1 import Params
from siliconprof.figures.style import (
    DARK,
    LIGHT,
    MARKERS,
    axes_of,
    colour,
    coloured_heading,
    contrast,
    corner_note,
    heading,
    legible,
    marker_style,
    muted,
    origin_handles,
    series_ink,
    style,
    theme_of,
)


@pytest.mark.parametrize(("backend", "kept"), [("agg", 1), ("module://notebook", 3)])
def test_figures_pile_up_only_where_they_are_shown(monkeypatch, tmp_path, backend, kept):
    before = pyplot.get_fignums()
    monkeypatch.setattr(matplotlib, "get_backend", lambda: backend)
    made = [axes_of("plot", None, (3.0, 2.0)) for _ in range(3)]
    assert len(set(pyplot.get_fignums()) - set(before)) == kept
    assert pyplot.gcf() is made[-1].figure
    made[0].plot([0, 1])
    made[0].figure.savefig(tmp_path / "first.png")
    for axes in made:
        pyplot.close(axes.figure)
    assert (tmp_path / "first.png").stat().st_size > 1000


def test_every_device_of_the_paper_has_a_colour_of_its_own():
    colours = [colour(device) for device in Params().devices]
    assert len(set(colours)) == len(colours)


def test_an_unlisted_device_always_has_the_same_colour():
    assert colour("my-gpu") == colour("my-gpu")


def test_every_origin_has_a_marker_of_its_own():
    assert set(MARKERS) == set(ORIGINS)
    assert len(set(MARKERS.values())) == len(ORIGINS)


def test_measured_is_filled_and_predicted_is_open():
    filled, hollow = marker_style("measured", "m2-pro"), marker_style("predicted", "m2-pro")
    assert filled["markerfacecolor"] == colour("m2-pro")
    assert hollow["markerfacecolor"] != colour("m2-pro")
    assert hollow["markeredgecolor"] == colour("m2-pro")


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_theme_holds_inside_and_is_gone_outside(theme):
    before = matplotlib.rcParams["text.color"]
    with style(theme):
        assert colour("here") == theme.ink
        assert muted() == theme.muted
    assert matplotlib.rcParams["text.color"] == before


def test_headings_and_notes_are_written(axes):
    heading(axes, "Title", "note")
    corner_note(axes, "fp32")
    coloured_heading(axes, [("A", "#ff0000"), ("B", "#0000ff")])
    assert axes.get_title(loc="left") == "Title"
    assert axes.get_title(loc="right") == "note"
    texts = {text.get_text(): to_hex(text.get_color()) for text in axes.texts}
    assert texts["A"] == "#ff0000" and texts["B"] == "#0000ff" and "fp32" in texts


def test_the_legend_shows_only_the_origins_that_are_there():
    assert [h.get_label() for h in origin_handles(["predicted"])] == ["predicted"]
    assert len(origin_handles(ORIGINS)) == 3


def test_series_are_lighter_on_a_dark_ground():
    with style(LIGHT):
        light = series_ink("mps", 0)
    with style(DARK):
        assert sum(to_rgb(series_ink("mps", 0))) > sum(to_rgb(light))


@pytest.mark.parametrize(
    "devices", [("m1-pro", "m1-pro-cpu", "m2-8", "rtx-a6000"), ("h100", "h200", "m2-ultra")]
)
def test_devices_of_one_figure_differ_in_colour(devices):
    assert len({colour(device) for device in devices}) == len(devices)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("device", [*Params().devices, "m1-pro", "m1-pro-cpu", "m2-8", "h100"])
def test_text_in_a_devices_colour_can_be_read(theme, device):
    with style(theme):
        assert contrast(legible(colour(device)), theme.ground) >= 4.5


def test_contrast_is_that_of_the_accessibility_guidelines():
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


def test_ink_that_can_be_read_is_left_alone():
    with style(LIGHT):
        assert legible("#0b3d91") == "#0b3d91"


def test_the_theme_is_that_of_the_ground_of_the_callers_axes():
    assert theme_of(None) is LIGHT and theme_of("no axes") is LIGHT
    with matplotlib.rc_context({"axes.facecolor": "#000000"}):
        assert theme_of(pyplot.figure().add_subplot()) is DARK
    clear = pyplot.figure(facecolor="#101010").add_subplot(facecolor="none")
    assert theme_of(clear) is DARK
    assert theme_of(pyplot.figure().add_subplot()) is LIGHT
    pyplot.close("all")


def test_a_note_that_has_no_room_beside_a_title_is_below_it(axes):
    heading(axes, "Title", "note", stacked=True)
    assert axes.get_title(loc="left") == "Title\n"
    assert axes.get_title(loc="right") == "note"
