from __future__ import annotations

import pytest

from siliconprof import records
from siliconprof.experiments.scenarios import configurations


def test_every_row_of_table_3_is_a_configuration():
    printed = {
        (row.what.partition(" ")[0], int(row.value), row.device)
        for row in records.load("table3").rows
    }
    known = {(entry.workload, entry.batch, entry.target.device) for entry in configurations()}
    assert printed <= known


def test_only_cuda_devices_of_scenarios_2_and_3_offload():
    for entry in configurations():
        assert entry.offload == (entry.scenario > 1 and entry.target.framework == "torch-cuda")


def test_names_tell_configurations_of_a_device_apart():
    names = [(entry.name, entry.target, entry.scenario) for entry in configurations()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("scenario", [1, 2, 3])
def test_steps_are_built_as_they_are_named(scenario):
    entry = next(entry for entry in configurations() if entry.scenario == scenario)
    trace = entry.trace()
    assert (trace.label == entry.workload and trace.host_memory_bytes > 0) or not entry.offload
