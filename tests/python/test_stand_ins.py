"""Kernels that stand in for operations that no calibration measures."""

from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.calibration_plan import kernels
from siliconprof.frameworks import number_keys
from siliconprof.stand_ins import LIKE, MEASURED, keys, kind_of, streams

# A table's gradient is counted by the whole table, of which it touches some rows.
NOT_ALIKE = {"embedding_backward_add"}


# The scale of a loss is three numbers; casts from 16 bits are measured with them.
NEITHER = {"update_scale", "cast_float32"}


def test_what_a_calibration_measures_of_streams_may_stand_in():
    calls = [kernel.trace().calls[0] for kernel in kernels()]
    measured = {_core.kernel_name(call) for call in calls if streams(call)}
    assert set(MEASURED) == measured - NOT_ALIKE


def test_every_operation_that_was_measured_beside_them_has_one():
    """A new operation goes by its class until it is measured, too (tools/cpu_stream_shapes.py)."""
    recorded = {row.what.split()[0] for row in sp.load("cpu_streams").rows}
    stood_for = {key.split(".")[2] for key in sp.framework("native").numbers if "stand_in" in key}
    assert stood_for == recorded
    measured = {_core.kernel_name(kernel.trace().calls[0]) for kernel in kernels()}
    assert not stood_for & measured


def test_every_operation_that_streams_was_measured_or_has_a_shape_to_be(tools):
    from cpu_stream_shapes import stream_shapes

    shapes = {op for op, _ in stream_shapes()}
    measured = {_core.kernel_name(kernel.trace().calls[0]) for kernel in kernels()}
    unknown = set()
    for op in _core.op_names():
        call = _core.single_op(op, dict.fromkeys(_core.op_dims(op), 64)).calls[0]
        if streams(call) and not {op, _core.kernel_name(call)} & (shapes | measured):
            unknown.add(op)
    assert unknown == NEITHER


@pytest.mark.parametrize("device", ["epyc-zen4-2", "epyc-zen5-2", "xeon-amx-16", "xeon-amx-2"])
def test_an_update_of_less_memory_takes_no_longer(device):
    """In place: weights and momentum, where AdamW has three of each."""
    sgd, adamw = (
        sp.workload("gpt2-small", batch=1, seq=64, framework="native", optimizer=name)
        for name in ("sgd", "adamw")
    )
    taken_s = [sp.predict(step, device, "native").optimizer_s for step in (sgd, adamw)]
    assert taken_s[0] < taken_s[1]


def test_what_streams_pays_for_bytes_alone():
    bytes_alone = {"start_s", "cached_bytes_per_s", "memory_bytes_per_s"}
    for op in _core.op_names():
        call = _core.single_op(op, dict.fromkeys(_core.op_dims(op), 64)).calls[0]
        if streams(call):
            assert set(_core.kernel_work(call, 8.0, 4.0)) == bytes_alone, op


def test_operations_are_like_kernels_of_their_kind():
    kinds = {"silu_gate": "function", "rotary": "elementwise", "argmax": "reduction"}
    kinds |= {"rms_norm": "row_normalisation", "scatter": "other", "transpose": "other"}
    for op, kind in kinds.items():
        call = _core.single_op(op, dict.fromkeys(_core.op_dims(op), 4)).calls[0]
        assert kind_of(call) == kind
    for key in (key for key in sp.framework("native").numbers if key.startswith("stand_in")):
        _, _, op, kernel = key.split(".")
        call = _core.single_op(op, dict.fromkeys(_core.op_dims(op), 4)).calls[0]
        assert kernel in LIKE[kind_of(call)], key


def test_an_operation_has_one_stand_in():
    pairs = [key.split(".")[2:] for key in sp.framework("native").numbers if "stand_in" in key]
    assert len(pairs) == len({op for op, _ in pairs}) > 50
    assert {kernel for _, kernel in pairs} <= set(MEASURED)


def test_the_keys_are_those_of_a_framework_file():
    found = set(keys(["cpu"]))
    assert "stand_in.cpu.softplus.gelu_tanh" in found
    assert found < number_keys()
    assert not any(key.split(".")[2] in ("linear", "sort", "conv2d") for key in found)


@pytest.mark.parametrize("device", ["epyc-zen4-2", "xeon-amx-16", "xeon-amx-2"])
def test_a_function_takes_its_part_of_the_kernel_that_stands_in(device):
    numbers = sp.framework("native").numbers
    (key,) = (key for key in numbers if key.startswith("stand_in.cpu.bce."))
    kernel = f"kernel.native.{key.rpartition('.')[2]}.float32."
    machine = sp.device(device).numbers
    trace = sp.op("bce", n=100_000)  # near, where it is repeated
    expected = trace.cost.bytes / machine[kernel + "cached_bytes_per_s"].value * numbers[key].value
    start_s = machine[kernel + "start_s"].value
    assert sp.predict(trace, device, "native").time_s == pytest.approx(expected + start_s, rel=0.01)
