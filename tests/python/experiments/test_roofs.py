from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.experiments.pairs import Target
from siliconprof.experiments.roofs import (
    bandwidth_row,
    device_roof_rows,
    measured_roof_rows,
    number_row,
    roof_rows,
)


def test_a_devices_roofs_are_its_files_numbers_with_their_sources():
    rows = device_roof_rows(["m2-ultra"], ["float32"])
    numbers = sp.device("m2-ultra").numbers
    assert [row.value for row in rows] == [
        numbers["memory.bandwidth_bytes_per_s"].value,
        numbers["peak.matrix.float32_flops_per_s"].value,
    ]
    assert [row.origin for row in rows] == ["recorded", "predicted"]
    assert [row.source.partition(":")[0] for row in rows] == ["spec", "assumed"]


@pytest.mark.parametrize(
    ("kind", "origin"),
    [
        ("spec", "recorded"),
        ("measured", "recorded"),
        ("fitted", "predicted"),
        ("assumed", "predicted"),
    ],
)
def test_what_was_fitted_or_assumed_nobody_recorded(kind, origin):
    row = number_row("d", "peak", _core.Number(100.0, kind, "s", 0.25), "FLOP/s", {})
    assert (row.origin, row.lo, row.hi) == (origin, 75.0, 125.0)


def test_the_roofs_of_targets_name_each_device_once(still):
    pair = [Target("m2-ultra", "mlx"), Target("m2-ultra", "torch-mps")]
    rows = roof_rows(pair, ("float32",), ("float32",), 0.1, 1000)
    assert [row.device for row in rows] == ["m2-ultra", "m2-ultra", "here", "here"]


def test_a_dtype_that_the_device_lacks_has_no_roof():
    rows = device_roof_rows(["m2-ultra"], ["float64"])
    assert [row.point["quantity"] for row in rows] == ["bandwidth roof"]


def test_this_machines_roofs_are_near_the_top_of_their_samples(still):
    *peaks, bandwidth = measured_roof_rows(("float32", "float16"), "read", 0.1, 1000)
    assert [row.lo for row in peaks] == [3e11, 3e11]
    assert (bandwidth.lo, bandwidth.hi) == (2e10, pytest.approx(2.08e10))
    assert bandwidth.lo < bandwidth.value < bandwidth.hi
    assert "9 samples" in bandwidth.source and "three arrays of 1000 bytes each" in bandwidth.source


def test_a_dtype_without_arithmetic_is_a_row_with_the_reason(still, monkeypatch):
    def lacking(*_):
        raise sp.DtypeError("[peak] no float16 arithmetic")

    monkeypatch.setattr(_core, "measure_fma_peak", lacking)
    row, _ = measured_roof_rows(("float16",), "read", 0.1, 1000)
    assert (row.value, row.source) == (None, "[peak] no float16 arithmetic")


def test_a_pattern_is_named_in_its_row(still):
    assert bandwidth_row("triad", 0.1, 1000).what == "triad bandwidth"


def test_slow_samples_do_not_lower_a_limit(still, monkeypatch):
    disturbed = [1e9] * 8 + [2e10] * 4
    monkeypatch.setattr(_core, "measure_bandwidth", lambda *_: disturbed)
    assert bandwidth_row("copy", 0.1, 1000).value == 2e10
