from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from siliconprof.experiments.validation import MEAN_ERROR, VALUE, Params, draw, run


@pytest.fixture(scope="module")
def made():
    return run(Params(every=31))


def test_each_record_stands_beside_its_prediction_with_source_and_interval(made):
    recorded = made.where(origin="recorded")
    predicted = made.where(origin="predicted", quantity=VALUE)
    assert [row.what for row in recorded] == [row.what for row in predicted]
    for record, prediction in zip(recorded, predicted, strict=True):
        assert prediction.point["recorded"] == record.value and record.source
        if prediction.unit == "s" and not prediction.what.endswith("kernel time"):
            assert prediction.lo < prediction.value < prediction.hi


def test_the_mean_error_is_of_the_rows_of_its_group(made):
    (mean,) = made.where(quantity=MEAN_ERROR, device="m3-max", framework="mlx")
    rows = made.where(origin="predicted", quantity=VALUE, device="m3-max", framework="mlx")
    errors = [abs(row.value / row.point["recorded"] - 1.0) for row in rows]
    assert mean.value == pytest.approx(sum(errors) / len(errors))
    assert mean.lo == min(errors) and mean.value <= mean.hi <= max(errors)


def test_every_prediction_is_a_mark_in_the_panel_of_its_quantity(made):
    axes = dict(zip(("steps", "operations", "memory", "energy"), Figure().subplots(4), strict=True))
    draw(made, axes)
    timed = [
        row
        for row in made.where(origin="predicted", quantity=VALUE)
        if row.point["kind"].startswith("time")
    ]
    marks = [
        line
        for name in ("steps", "operations")
        for line in axes[name].lines
        if line.get_marker() == "s"
    ]
    assert len(marks) == len(timed) > 0
