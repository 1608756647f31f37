from __future__ import annotations

import pytest
from matplotlib.figure import Figure

import siliconprof as sp
from siliconprof.figures.memory import plot


@pytest.fixture(scope="module")
def step():
    sizes = {"layers": 1, "batch": 2, "seq": 16}
    trace = sp.workload("gpt2-small", framework="torch-cuda", **sizes)
    return sp.predict(trace, "h200")


def test_the_stack_is_as_high_as_the_peak(step, axes):
    plot(step, axes)
    tops = [band.get_paths()[0].vertices[:, 1].max() for band in axes.collections]
    assert max(tops) == pytest.approx(step.peak_memory_bytes / 1e9)
    assert axes.get_ylabel() == "GB"
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels[-1] == "parameter"
    assert {"optimizer state", "activation", "temporary"} < set(labels)


def test_a_band_holds_until_the_next_call(step, axes):
    plot(step, axes)
    assert axes.get_xlim() == (0, len(step.memory_timeline))


def test_phases_are_marked_where_they_begin(step, axes):
    plot(step, axes)
    names = [note.get_text().strip() for note in axes.texts]
    assert names == ["forward", "backward", "optimizer"]


@pytest.mark.parametrize("given", [{"offload": True}, {"accumulate": 4}])
def test_phases_that_take_turns_are_marked_once(given, axes):
    sizes = {"layers": 2, "batch": 1, "seq": 8}
    trace = sp.workload("gpt2-small", framework="torch-cuda", **sizes, **given)
    plot(sp.predict(trace, "h200"), axes)
    names = [note.get_text().strip() for note in axes.texts]
    assert len(names) == len(set(names)) == len({call.phase for call in trace.calls})


def test_a_profile_without_a_timeline_is_refused_with_the_reason():
    with pytest.raises(sp.ArgumentError, match=r"\[plot_memory\] .*no memory timeline"):
        plot(sp.load("table4").profiles()[0])


def test_it_is_a_method_and_makes_its_own_figure():
    from matplotlib import pyplot

    axes = sp.predict(sp.op("matvec", m=8, n=8), "m2-pro").plot_memory()
    assert axes.get_figure() is not None
    pyplot.close("all")


def test_the_peak_is_marked_however_short_it_is(step, axes):
    plot(step, axes)
    (mark,) = (line for line in axes.lines if line.get_marker() == "v")
    held = [sum(point.by_role.values()) for point in step.memory_timeline]
    assert held[int(mark.get_xdata()[0])] == max(held)
    assert mark.get_ydata()[0] * 1e9 >= max(held)


def test_an_operation_on_nothing_holds_nothing():
    nothing = sp.predict(sp.op("matmul", batch=0, m=4, k=4, n=4), "m2-ultra")
    axes = Figure().subplots()
    assert "0 B at its peak" in nothing.plot_memory(axes).get_title("left")
