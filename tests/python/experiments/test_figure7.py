from __future__ import annotations

import pytest

from siliconprof import _core
from siliconprof.experiments.figure7 import EXPERIMENT, Params, point, run, sampling


@pytest.fixture
def made(still):
    return run(EXPERIMENT.quick_parameters)


def test_a_point_is_two_products():
    where = point(128, "float32")
    assert len(where.trace) == 2
    assert where.trace.flops == 2 * 2 * 128**3


def test_every_measured_point_is_owed_samples_enough_for_an_interval():
    owed = min(sampling(Params()).min_samples, 6)  # what the rule gives beyond its budget
    assert _core.median_interval([float(n) for n in range(owed)]) is not None


def test_large_sizes_are_predicted_only(made):
    largest = max(EXPERIMENT.quick_parameters.sizes)
    assert made.where(origin="predicted", size=largest)
    assert not made.where(origin="measured", size=largest)


def test_no_predicted_rate_is_above_the_devices_peak(made):
    for row in made.where(origin="predicted", quantity="compute rate"):
        roofs = made.where(device=row.device, quantity="peak roof", dtype=row.point["dtype"])
        assert all(row.value <= roof.value for roof in roofs)
