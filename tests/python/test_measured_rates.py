from __future__ import annotations

import pytest

import siliconprof as sp

BANDWIDTH = "memory.bandwidth_bytes_per_s"


@pytest.fixture(scope="module")
def machine():
    return sp.device("xeon-amx-2")


def changed(machine, key, times):
    """Keys whose values a what-if changes, and by how much."""
    after = machine.with_number(key, times * machine.numbers[key].value).numbers
    parts = {key: after[key].value / n.value for key, n in machine.numbers.items()}
    return {key: part for key, part in parts.items() if part != 1.0}


def test_what_comes_from_memory_follows_its_bandwidth(machine):
    found = changed(machine, BANDWIDTH, 2.0)
    assert found.pop(BANDWIDTH) == 2.0
    assert "kernel.native.adamw.float32.memory_bytes_per_s" in found
    assert all(key.endswith(".memory_bytes_per_s") for key in found)
    assert set(found.values()) == {2.0}


def test_what_streaming_takes_beyond_the_cache_follows_the_bandwidth():
    machine = sp.device("epyc-zen4-2")
    key = "kernel.native.{}.float32.{}_bytes_per_s".format

    def byte_s(of, kernel, way):
        return 1.0 / of.numbers[key(kernel, way)].value

    slower = machine.with_number(BANDWIDTH, 0.25 * machine.numbers[BANDWIDTH].value)
    within, before = byte_s(machine, "copy", "cached"), byte_s(machine, "copy", "streamed")
    assert before > within
    assert byte_s(slower, "copy", "streamed") == pytest.approx(within + 4.0 * (before - within))
    # What computes for longer than memory takes doesn't see it.
    before = byte_s(machine, "gelu_tanh", "streamed")
    assert before <= byte_s(machine, "gelu_tanh", "cached")
    assert byte_s(slower, "gelu_tanh", "streamed") == pytest.approx(before)


def test_arithmetic_follows_the_peak_of_its_dtype(machine):
    key = "peak.matrix.float32_flops_per_s"
    found = changed(machine, key, 1.5)
    assert found.pop(key) == pytest.approx(1.5)
    assert "kernel.native.product_forward.float32.arithmetic_flops_per_s" in found
    assert all(key.endswith(".float32.arithmetic_flops_per_s") for key in found)
    assert list(found.values()) == pytest.approx([1.5] * len(found))


def test_other_numbers_leave_kernels_as_they_were_measured(machine):
    assert list(changed(machine, "memory.capacity_bytes", 2.0)) == ["memory.capacity_bytes"]


def test_a_step_is_predicted_by_what_was_set_and_notes_that_alone(machine):
    trace = sp.workload("gpt2-small", batch=1, seq=64, framework="native")
    usual = sp.predict(trace, machine, "native")
    slower = machine.with_number(BANDWIDTH, 0.1 * machine.numbers[BANDWIDTH].value)
    found = sp.predict(trace, slower, "native")
    assert found.time_s > 2.0 * usual.time_s
    assert found.notes == [*usual.notes, "set: memory.bandwidth_bytes_per_s = 5.721e+09"]


def test_a_rate_of_a_kernel_may_be_set_itself(machine):
    key = "kernel.native.adamw.float32.memory_bytes_per_s"
    trace = sp.op("adamw", n=50_000_000)
    usual = sp.predict(trace, machine, "native").time_s
    assert sp.predict(trace, machine.with_number(key, 1e10), "native").time_s > 2.0 * usual
    with pytest.raises(sp.UnknownNameError, match=f"did you mean '{key}'"):
        machine.with_number(key.replace("adamw", "adamv"), 1e10)
