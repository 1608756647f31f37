from __future__ import annotations

import pytest

from siliconprof.experiments.table1 import EXPERIMENT, Params, recorded_rows, run


@pytest.fixture
def made(still):
    return run(Params(seconds=0.01, bytes=1000))


def test_the_papers_table_is_recorded_with_its_source():
    rows = {(row.device, row.what): row.value for row in recorded_rows()}
    assert rows["rtx-a6000", "launch price"] == 4650
    assert rows["m2-ultra", "computing power"] == 27e12
    assert all("2501.14925" in row.source for row in recorded_rows())


def test_the_papers_numbers_are_not_shown_again_as_the_makers(made):
    facts = made.where(quantity="memory") + made.where(quantity="launch price")
    assert {row.device for row in facts} >= {"rtx-4090", "rtx-a6000"}
    assert not any("2501.14925" in row.source for row in facts)


def test_the_ridge_is_the_peak_over_the_bandwidth(made):
    (ridge,) = made.where(device="rtx-a6000", quantity="ridge", dtype="float32")
    (peak,) = made.where(device="rtx-a6000", quantity="peak roof", dtype="float32")
    (bandwidth,) = made.where(device="rtx-a6000", quantity="bandwidth roof")
    assert ridge.value == pytest.approx(peak.value / bandwidth.value)
    assert ridge.origin == "predicted"


def test_the_interval_of_a_ridge_is_that_of_both_its_numbers(made):
    (ridge,) = made.where(device="m2-pro", quantity="ridge", dtype="float32")
    assert ridge.lo == pytest.approx(6.8e12 * 0.95 / (204.8e9 * 1.02))
    assert ridge.hi == pytest.approx(6.8e12 * 1.05 / (204.8e9 * 0.98))
    assert all(row.lo is not None and row.hi is not None for row in made.where(quantity="ridge"))


def test_no_assumed_number_is_called_recorded(made):
    recorded = made.where(origin="recorded")
    assert recorded and not any(row.source.startswith(("assumed", "fitted")) for row in recorded)
    assert made.where(device="m2-ultra", quantity="peak roof", origin="predicted")


def test_this_machines_limits_are_measured_by_dtype_and_pattern(made):
    names = {row.what for row in made.where(device="here")}
    assert {"float32 multiply-add peak", "triad bandwidth", "read bandwidth"} <= names
    assert all(row.origin == "measured" for row in made.where(device="here"))


def test_every_device_of_the_paper_is_there(made):
    assert set(EXPERIMENT.parameters.devices) <= {row.device for row in made.rows}


def test_only_one_bandwidth_of_this_machine_is_its_roof(made):
    assert len(made.where(device="here", quantity="bandwidth roof")) == 1
