from __future__ import annotations

import matplotlib
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import siliconprof as sp
from siliconprof import _core
from siliconprof.figures.profile import plot
from siliconprof.figures.style import contrast


def test_a_predicted_profile_shows_its_terms(axes):
    profile = sp.predict(sp.op("matmul", m=64, k=64, n=64), "m2-ultra")
    plot(profile, axes)
    assert {text.get_text() for text in axes.get_legend().get_texts()} >= {"matrix", "launch"}
    assert "predicted · m2-ultra · mlx" in axes.get_title(loc="right")


def test_a_measured_profile_shows_every_sample_in_milliseconds(axes):
    step = _core.Span("step", "step", "forward", -1, -1, 2e-3)
    op = _core.Span("copy", "op", "forward", 0, 0, 2e-3, (1e-3, 3e-3), [1e-3, 2e-3, 3e-3])
    plot(sp.Profile("measured", "t", "here", "openblas", [step, op]), axes)
    dots = next(line for line in axes.lines if line.get_marker() == "o")
    assert list(dots.get_xdata()) == pytest.approx([1.0, 2.0, 3.0])
    assert axes.get_xlabel() == "milliseconds"


def test_what_are_no_axes_is_refused():
    trace = sp.op("matvec", m=8, n=8)
    profile, causes = sp.predict(trace, "m2-pro"), sp.explain(trace, "m2-pro", "m2-ultra")
    for place, draw in (
        ("plot", profile.plot),
        ("plot_memory", profile.plot_memory),
        ("plot", causes.plot),
    ):
        with pytest.raises(sp.ArgumentError, match=rf"^\[{place}\] axes = 5 \(int\): axes of mat"):
            draw(5)


def test_without_axes_a_figure_is_made():
    from matplotlib import pyplot

    axes = plot(sp.predict(sp.op("matvec", m=8, n=8), "m2-pro"))
    assert axes.get_figure() is not None
    pyplot.close("all")


def test_what_a_bar_a_line_and_a_dot_are_is_said_once(axes):
    step = _core.Span("step", "step", "forward", -1, -1, 2e-3)
    op = _core.Span("copy", "op", "forward", 0, 0, 2e-3, (1e-3, 3e-3), [1e-3, 2e-3, 3e-3])
    plot(sp.Profile("measured", "t", "here", "openblas", [step, op, op]), axes)
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert sorted(texts) == ["interval", "samples", "time"]


def test_on_dark_axes_every_text_can_be_read():
    with matplotlib.rc_context({"axes.facecolor": "#000000"}):
        dark = Figure().subplots()
    trace = sp.op("matmul", m=64, k=64, n=64)
    plot(sp.predict(trace, "quadro-rtx-4000"), dark)
    texts = [dark.title, dark._left_title, dark._right_title, *dark.get_legend().get_texts()]
    assert all(
        contrast(to_hex(text.get_color()), "#000000") > 4.5 for text in texts if text.get_text()
    )
    (interval,) = [line for line in dark.lines if line.get_label() == "interval"]
    assert contrast(to_hex(interval.get_color()), "#000000") > 4.5


def test_a_long_title_takes_as_many_lines_as_it_needs():
    sizes = {"height": 224, "width": 224, "channels": 512, "outputs": 512}
    call = sp.op("conv2d", batch=128, kernel_h=3, kernel_w=3, padding=1, **sizes)
    drawn = sp.predict(call, "h200").plot()
    figure = drawn.figure
    assert " ".join(drawn.get_title("left").split()) == call.label
    figure.canvas.draw()
    box = drawn._left_title.get_window_extent()
    pyplot.close(figure)
    assert box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1
