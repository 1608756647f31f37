"""The tools that measure single calls on a calibrated CPU and fit what they are off by."""

from __future__ import annotations

import dataclasses
import math
import sys

import pytest

import siliconprof as sp
from siliconprof.predict import model, synchronised
from siliconprof.recorded_work import asked
from siliconprof.suite import suite


def test_calls_of_steps_are_read_back_from_their_rows(tools):
    import measure_cpu_ops

    calls = {call.label: call for call in measure_cpu_ops.step_calls()}
    rows = sp.load("cpu_ops").rows
    assert {row.what for row in rows} == set(calls)
    for row in rows[::9]:
        (read,), (made,) = asked(row).build().calls, calls[row.what].trace().calls
        assert (read.op, dict(read.dims)) == (made.op, dict(made.dims))
        assert dict(read.attributes) == pytest.approx(dict(made.attributes))


def test_what_ships_is_what_the_record_says(tools):
    import fit_cpu_calls
    from conformal_errors import error_parts

    numbers = sp.framework("native").numbers
    parts = error_parts(fit_cpu_calls.errors("cpu_ops", "native"))
    assert ("elementwise", True) in parts and ("matrix_product", False) in parts
    fitted = {
        f"call.cpu.{op_class}.calibrated{'_short' if is_short else ''}_error_part": part
        for (op_class, is_short), part in parts.items()
    }
    shipped = {k: n.value for k, n in numbers.items() if k.startswith("call.cpu.")}
    assert shipped.pop("call.cpu.short_s") == fit_cpu_calls.SHORT_S
    assert shipped == pytest.approx(fitted, rel=0.01)


def test_calls_of_streams_are_read_back_from_their_rows(tools):
    import measure_cpu_ops

    calls = {call.label: call for call in measure_cpu_ops.stream_calls()}
    rows = sp.load("cpu_streams").rows
    recorded = {row.what for row in rows}  # shapes that wait to be measured have no rows
    assert recorded <= set(calls)
    machines = ("epyc-zen4-2", "xeon-amx-16")
    assert {(row.what, row.device) for row in rows} == {(w, d) for w in recorded for d in machines}
    for row in rows[::7]:
        (read,), (made,) = asked(row).build().calls, calls[row.what].trace().calls
        assert (read.op, dict(read.dims)) == (made.op, dict(made.dims))


def test_streams_are_at_shapes_of_no_record_that_they_are_judged_by(tools):
    import measure_cpu_ops

    def shape(call):
        return call.op, *sorted(call.dims.items())

    fitted = {shape(call.trace().calls[0]) for call in measure_cpu_ops.stream_calls()}
    judging = [*measure_cpu_ops.step_calls(), *suite()]
    assert not fitted & {shape(call.trace().calls[0]) for call in judging}


def test_stand_ins_are_what_their_record_says(tools, check_packaged, capsys, monkeypatch):
    import fit_stand_ins

    monkeypatch.setattr(sys, "argv", ["fit_stand_ins.py"])
    fit_stand_ins.main()
    check_packaged("native", capsys.readouterr().out, "cpu_streams", 60)


def made_parts(kernel="copy", **by_device):
    import fit_stand_ins

    return fit_stand_ins.Part(kernel, by_device)


def test_a_stand_ins_part_is_the_middle_of_the_machines_middles(tools):
    part = made_parts(one=[1.0, 1.0, 16.0], other=[4.0])
    assert part.value == pytest.approx(2.0)
    # Of each machine's rows by the other's middle.
    assert part.off() == pytest.approx([math.log(x) for x in (0.25, 0.25, 4.0, 4.0)])
    assert made_parts(one=[1.0, 2.0, 4.0]).off() == []
    assert made_parts(one=[2.0], other=[2.0]).spread == 0.0


def test_the_kernel_that_differs_least_stands_in_where_two_machines_tell(tools):
    import fit_stand_ins

    likest = fit_stand_ins._likest
    wide = made_parts("copy", one=[1.0], other=[2.0])
    narrow = made_parts("add", one=[1.0], other=[1.1])
    alone = made_parts("relu", one=[1.0])
    assert likest([wide, narrow, alone]).kernel == "add"
    first = made_parts("copy", one=[1.0, 3.0])
    assert likest([first, made_parts("add", one=[1.0, 1.1])]).kernel == "copy"
    found = fit_stand_ins.errors({"scale": narrow, "fill": wide, "clip": first})
    assert found["scale"] < found["fill"] and found["clip"] == fit_stand_ins.MOST_ERROR


@pytest.mark.parametrize("what", ["scale n=700000 time", "bce n=2500000 time"])
def test_a_part_is_what_the_model_makes_its_row_of(tools, what):
    import fit_stand_ins

    row = next(row for row in sp.load("cpu_streams").rows if row.what == what)
    assert row.device == "epyc-zen4-2"
    native = sp.framework("native")
    bare = {k: n for k, n in native.numbers.items() if not k.startswith("stand_in.")}
    parts = list(fit_stand_ins.parts_of(row, "native"))
    assert len(parts) == len({kernel for _, kernel, _ in parts}) > 1
    for op, kernel, part in parts:
        number = sp._core.Number(part, "assumed", "made up (2026), https://example.org", 0.1)
        numbers = {**bare, f"stand_in.cpu.{op}.{kernel}": number}
        framework = sp._core.Framework("native", "Made", native.vendors, numbers, native.lacks)
        found = sp.predict(asked(row).build(), row.device, framework).time_s
        assert found == pytest.approx(row.value, rel=1e-6), kernel


def test_a_call_that_memory_decides_says_nothing_of_its_operation(tools):
    import fit_stand_ins

    row = next(row for row in sp.load("cpu_streams").rows if row.what == "scale n=700000 time")
    large = dataclasses.replace(row, what="scale n=30000000 time")
    far = dataclasses.replace(row, what="scale n=5500000 time")
    short = dataclasses.replace(row, value=19e-6)
    for other in (large, far, short):
        assert not list(fit_stand_ins.parts_of(other, "native"))


def test_what_a_calibration_measures_itself_is_in_no_fit(tools):
    import fit_cpu_calls

    rows = sp.load("cpu_ops").rows
    assert any(row.what == "linear in=384 out=384 rows=64 time" for row in rows)
    used = sum(map(len, fit_cpu_calls.errors("cpu_ops", "native").values()))
    assert used == len(rows) - 14  # on two machines


def test_a_fit_reads_errors_by_class_and_length(tools, monkeypatch):
    import fit_cpu_calls

    times = {
        "relu n=64 time": 3.0,
        "relu n=4000000 time": 2.0,
        "linear in=512 out=500 rows=512 time": 0.5,
    }
    machine = model("xeon-amx-2", "native")
    record = sp.load("cpu_ops")
    rows = [dataclasses.replace(record.rows[0], what=what) for what in times]
    taken = [synchronised(machine, asked(row).build())[0] * times[row.what] for row in rows]
    made = [dataclasses.replace(row, value=s) for row, s in zip(rows, taken, strict=True)]
    monkeypatch.setattr(sp, "load", lambda _: dataclasses.replace(record, rows=made))
    found = fit_cpu_calls.errors("cpu_ops", "native")
    assert found == {
        ("elementwise", True): pytest.approx([-math.log(3.0)]),
        ("elementwise", False): pytest.approx([-math.log(2.0)]),
        ("matrix_product", False): pytest.approx([math.log(2.0)]),
    }


def test_what_calibrated_cpus_are_off_by_is_not_said_of_others():
    whole = sp.device("xeon-amx-2")
    sheet = {key: n for key, n in whole.numbers.items() if not key.startswith("kernel.")}
    bare = model(sp.Device(whole.id, whole.name, whole.vendor, whole.family, sheet), "native")
    trace = sp.op("relu", n=4_000_000)
    time_s, low, high = synchronised(bare, trace)
    profile = bare.predict(trace)
    trip = bare.number("launch.round_trip_s")
    spread_s = trip.value * trip.relative_error
    assert high - time_s == pytest.approx(profile.interval[1] - profile.time_s + spread_s)
    assert time_s - low == pytest.approx(profile.time_s - profile.interval[0] + spread_s)


def test_a_kernel_that_is_known_less_well_by_itself_keeps_its_interval():
    """Products of a short side, of which three shapes were measured."""
    machine = model("xeon-amx-2", "native")
    time_s, low, high = synchronised(machine, sp.op("linear", rows=100_000, out=1024, **{"in": 32}))
    known = machine.framework.numbers["call.cpu.matrix_product.calibrated_error_part"].value
    assert high / time_s - 1.0 == pytest.approx(0.6, rel=1e-3) and known < 0.6
    assert time_s / low - 1.0 == pytest.approx(0.6, rel=1e-3)


def test_a_short_call_of_a_class_without_short_ones_is_off_by_what_the_class_is():
    machine = model("xeon-amx-2", "native")
    sizes = {"batch": 1, "height": 8, "width": 8, "channels": 16, "outputs": 16}
    trace = sp.op("conv2d", **sizes, kernel_h=1, kernel_w=1)
    time_s, _, high = synchronised(machine, trace)
    assert time_s < machine.framework.numbers["call.cpu.short_s"].value
    part = machine.framework.numbers["call.cpu.convolution.calibrated_error_part"].value
    assert high / time_s - 1.0 == pytest.approx(part)


def test_a_calibrated_cpus_call_waits_for_nothing_besides():
    machine = model("xeon-amx-2", "native")
    trace = sp.op("relu", n=64)
    assert synchronised(machine, trace)[0] == machine.predict(trace).time_s < 1e-7
