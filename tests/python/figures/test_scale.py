from __future__ import annotations

from siliconprof.figures.scale import scale_axis


def test_decades_are_labelled_with_plain_numbers(axes):
    axes.set_xscale("log")
    scale_axis(axes.xaxis)
    labels = axes.xaxis.get_major_formatter()
    assert [labels(value, 0) for value in (0.01, 1, 1000)] == ["0.01", "1", "1,000"]
    assert axes.xaxis.get_minor_formatter()(2, 0) == ""


def test_a_short_axis_has_labels_between_its_decades(axes):
    axes.set_xscale("log")
    scale_axis(axes.xaxis)
    ticks = axes.xaxis.get_major_locator().tick_values
    assert {2.0, 5.0, 10.0} <= set(ticks(1.5, 12.0).round(9))
    assert 2.0 not in ticks(1.0, 1e3).round(9)


def test_an_axis_of_less_than_a_decade_has_more_labels_than_two(axes):
    axes.set_xscale("log")
    scale_axis(axes.xaxis)
    axes.set_xlim(0.47, 1.7)  # of predicted over recorded times
    shown = [tick for tick in axes.get_xticks() if 0.47 <= tick <= 1.7]
    assert [round(tick, 9) for tick in shown] == [0.5, 0.7, 1.0, 1.5]
    axes.set_xlim(0.72, 1.75)  # of energies: 1 and 1.5 would be all
    shown = [tick for tick in axes.get_xticks() if 0.72 <= tick <= 1.75]
    assert len(shown) >= 5 and 1.2 in [round(tick, 9) for tick in shown]


def test_an_axis_of_less_than_a_factor_of_two_has_no_label_twice(axes):
    axes.set_xscale("log")
    scale_axis(axes.xaxis)
    axes.set_xlim(1.05, 1.45)
    labels = [axes.xaxis.get_major_formatter()(tick, 0) for tick in axes.get_xticks()]
    assert "1.1" in labels and len(set(labels)) == len(labels)
    assert axes.xaxis.get_major_formatter()(1.075, 0) == "1.075"
