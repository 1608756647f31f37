"""Numbers replaced: in a copy, by a full or a short key, and never by one that no machine has."""

from __future__ import annotations

import math
import re

import pytest

import siliconprof as sp
from siliconprof.numbers import range_of
from siliconprof.what_if import with_settings, without_effect


def test_a_device_with_another_number_is_a_copy():
    device = sp.device("m2-pro")
    before = device.numbers["memory.bandwidth_bytes_per_s"].value
    wider = device.with_number("memory.bandwidth_bytes_per_s", 2 * before)
    assert wider.numbers["memory.bandwidth_bytes_per_s"].value == 2 * before
    assert device.numbers["memory.bandwidth_bytes_per_s"].value == before
    assert wider.numbers["memory.bandwidth_bytes_per_s"].source.startswith("set by the user")
    assert (wider.id, wider.family) == (device.id, device.family)


@pytest.mark.parametrize(
    "key", ["compute.cores", "compute.clock_hz", "compute.matrix.float32_flops_per_cycle"]
)
def test_peaks_that_follow_from_cores_and_clock_follow_them_again(key):
    device = sp.device("m1-max")
    peak = "peak.matrix.float32_flops_per_s"
    faster = device.with_number(key, 2 * device.numbers[key].value)
    assert faster.numbers[peak].value == pytest.approx(2 * device.numbers[peak].value)
    assert sp.predict(sp.op("matmul", m=2048, k=2048, n=2048), faster).time_s < (
        0.8 * sp.predict(sp.op("matmul", m=2048, k=2048, n=2048), device).time_s
    )


def test_a_stated_peak_stays_whatever_the_clock():
    device = sp.device("m2-ultra")
    peak = "peak.matrix.float32_flops_per_s"
    assert device.with_number("compute.clock_hz", 3e9).numbers[peak] == device.numbers[peak]


@pytest.mark.parametrize(
    ("key", "full"),
    [
        ("memory.bandwidth", "memory.bandwidth_bytes_per_s"),
        ("power.limit", "power.limit_watts"),
        ("compute.clock", "compute.clock_hz"),
        ("compute.cores", "compute.cores"),
        ("compute.float16.matrix", "peak.matrix.float16_flops_per_s"),
        ("compute.tf32.matrix", "peak.matrix.tf32_flops_per_s"),  # one that it lacks
        ("peak.vector.float32", "peak.vector.float32_flops_per_s"),
    ],
)
def test_a_key_may_leave_out_its_unit(key, full):
    value = 50.0 if key in ("power.limit", "compute.cores") else 2e9
    assert sp.device("m2-pro").with_number(key, value).numbers[full].value == value


def test_a_framework_has_numbers_too():
    framework = sp.framework("mlx").with_number("launch.dispatch_s", 1e-3)
    assert framework.numbers["launch.dispatch_s"].value == 1e-3
    trace = sp.op("copy", n=1000)
    assert sp.predict(trace, "m2-pro", framework).time_s > 1e-3


def test_an_unknown_number_names_the_nearest():
    with pytest.raises(sp.UnknownNameError, match=r"did you mean 'memory\.bandwidth_bytes_per_s'"):
        sp.device("m2-pro").with_number("memory.bandwith", 1e12)
    with pytest.raises(sp.UnknownNameError, match=r"peak\.matrix\.float16_flops_per_s"):
        sp.device("m2-pro").with_number("peak.matrix.flot16", 1e12)


@pytest.mark.parametrize("value", [0, -1.0, 1e300, float("nan"), "fast"])
def test_a_value_that_no_machine_has_is_refused(value):
    with pytest.raises(sp.ArgumentError, match=r"memory\.bandwidth_bytes_per_s"):
        sp.device("m2-pro").with_number("memory.bandwidth", value)


@pytest.mark.parametrize("value", [0, -0.7, 1e7])
def test_a_pace_that_no_host_has_is_refused(value):
    need = r"host\.pace = .*: numbers between 1e-06 and 1e\+06 are accepted"
    with pytest.raises(sp.ArgumentError, match=need):
        sp.device("h200").with_number("host.pace", value)


def test_there_is_no_part_of_a_core_or_of_a_tile():
    for owner, key in (
        (sp.device("h200"), "compute.cores"),
        (sp.framework("torch-cuda"), "attention.nvidia.float32.forward.tile"),
    ):
        with pytest.raises(sp.ArgumentError, match=r"= 0\.5 .*numbers between 1 and 1e\+06"):
            owner.with_number(key, 0.5)
        assert owner.with_number(key, 1.0).numbers[key].value == 1.0


@pytest.mark.parametrize(
    ("machine", "software"), [("h200", "torch-cuda"), ("m2-max", "torch-mps"), ("m2-ultra", "mlx")]
)
def test_every_number_at_its_extremes_predicts_a_time_or_is_refused(machine, software):
    device, framework = sp.device(machine), sp.framework(software)
    size = {"batch": 1, "layers": 1, "width": 16, "heads": 2, "vocab": 30, "seq": 6}
    trace = sp.workload("gpt2-small", framework=software, **size)
    predicted = 0
    for owner in (device, framework):
        for key in owner.numbers:
            for value in range_of(key):
                try:
                    changed = owner.with_number(key, value)
                    others = (changed, framework) if owner is device else (device, changed)
                    time_s = sp.predict(trace, *others).time_s
                except sp.Error:
                    continue
                assert math.isfinite(time_s) and time_s > 0, (key, value)
                predicted += 1
    assert predicted > len(device.numbers) + len(framework.numbers)


def test_a_pace_is_known_by_its_name():
    with pytest.raises(sp.UnknownNameError, match=r"did you mean 'host\.pace'"):
        with_settings("h200", None, ["host.pase=0.7"])
    device, _ = with_settings("h200", None, ["host.pace=0.7"])
    assert device.numbers["host.pace"].value == 0.7


def test_settings_find_the_owner_of_their_key():
    settings = ["compute.float32.matrix=1e15", "launch.round_trip_s=0.5"]
    device, framework = with_settings("m2-pro", None, settings)
    assert device.numbers["peak.matrix.float32_flops_per_s"].value == 1e15
    assert framework.id == "mlx"
    assert framework.numbers["launch.round_trip_s"].value == 0.5


@pytest.mark.parametrize("setting", ["memory.bandwidth", "memory.bandwidth=wide", "=3", ""])
def test_a_setting_is_a_key_and_a_number(setting):
    with pytest.raises(sp.Error, match=r"key=number|unknown number"):
        with_settings("m2-pro", "mlx", [setting])


@pytest.mark.parametrize("again", ["memory.bandwidth=2e11", "memory.bandwidth_bytes_per_s=2e11"])
def test_a_number_is_set_once(again):
    with pytest.raises(sp.ArgumentError, match=r"set = 'memory.*one value of each number"):
        with_settings("m2-pro", None, ["memory.bandwidth=1e11", "memory.capacity=1e9", again])
    with pytest.raises(sp.ArgumentError, match=r"set = 'power.limit_watts=500'.*one value of each"):
        with_settings("h200", None, ["power.board_watts=300", "power.limit_watts=500"])


def test_an_empty_name_is_no_default_framework():
    with pytest.raises(sp.UnknownNameError, match="unknown framework ''"):
        with_settings("m2-pro", "", [])


def test_a_changed_number_changes_the_prediction_as_it_should():
    trace = sp.op("triad", n=1 << 25)
    device = sp.device("m2-pro")
    number = device.numbers["memory.bandwidth_bytes_per_s"]
    twice = sp.predict(trace, device.with_number("memory.bandwidth", 2 * number.value), "mlx")
    once = sp.predict(trace, device, "mlx")
    assert once.terms["bandwidth"] == pytest.approx(2 * twice.terms["bandwidth"])


@pytest.mark.parametrize("key", ["compute.fp32.matrix", "compute.float32.matix"])
def test_a_peak_that_is_misspelt_names_the_nearest(key):
    with pytest.raises(sp.UnknownNameError, match=r"did you mean 'peak\.matrix\.float32"):
        sp.device("h200").with_number(key, 1e12)


def test_a_boards_power_is_what_it_is_held_to():
    """Its parts draw what they did: less power slows products down, more changes nothing."""
    step = sp.workload("gpt2-small", batch=8, seq=512, framework="torch-cuda", precision="amp-bf16")
    board = sp.device("h200")
    times = [
        sp.predict(step, board.with_number("power.board_watts", watts)).time_s
        for watts in (1400, 700, 600, 500)
    ]
    assert times == sorted(times) and times[1] < times[3]
    assert times[1] == sp.predict(step, board).time_s
    held = board.with_number("power.board_watts", 500).numbers
    assert held["power.limit_watts"].value == 500
    assert held["power.board_watts"] == board.numbers["power.board_watts"]


def test_a_faster_matrix_unit_is_no_slower():
    """What tiles lose beside arithmetic stays, however strong the cores."""
    product = sp.op("matmul", m=4096, k=768, n=50257, transpose_b=1, dtype="float16")
    board = sp.device("h200")
    peak = board.numbers["peak.matrix.float16_flops_per_s"].value
    times = [
        sp.predict(product, board.with_number("compute.float16.matrix", peak * more)).time_s
        for more in (1, 1.25, 2, 4, 8)
    ]
    assert times == sorted(times, reverse=True)


def test_a_machine_with_less_memory_pages_as_the_packaged_one_of_its_size():
    step = sp.workload("gpt2-large", batch=16, seq=256, framework="mlx")
    small = sp.predict(step, "m4-max-32")
    found = sp.predict(step, sp.device("m4-max").with_number("memory.capacity", 36 * 2**30))
    assert small.terms["paging"] > 0
    assert found.terms["paging"] == pytest.approx(small.terms["paging"], rel=1e-3)


def test_an_efficiency_is_no_more_than_one():
    with pytest.raises(sp.ArgumentError, match=r"an efficiency is in \(0, 1\]"):
        sp.framework("torch-cuda").with_number("efficiency.nvidia.elementwise.bandwidth", 2)


def test_what_was_set_is_noted_and_can_be_saved(tmp_path):
    wide = sp.device("h200").with_number("memory.bandwidth", 1e13)
    notes = sp.predict(sp.op("matvec", m=64, n=64), wide).notes
    assert "set: memory.bandwidth_bytes_per_s = 1e+13" in notes
    wide.save(tmp_path / "wide.toml")
    assert sp.device(tmp_path / "wide.toml").numbers == wide.numbers


def test_a_machine_without_a_fan_says_when_it_is_warm():
    step = sp.workload("gpt2-small", batch=8, seq=512, framework="mlx")
    fanned = sp.device("m2-pro")
    bare = fanned.with_number("power.sustained_watts", 10).with_number("power.thermal_joules", 900)
    cool, found = sp.predict(step, fanned), sp.predict(step, bare)
    assert found.time_s == cool.time_s
    counters = {counter.name: counter.value for counter in found.counters}
    assert counters["warm_step_s"] > found.time_s
    watts = found.energy_joules / found.time_s
    assert counters["warm_after_s"] == pytest.approx(900 / (watts - 10), rel=1e-6)
    assert any("is warm after" in note for note in found.notes)
    assert not any(counter.name.startswith("warm") for counter in cool.counters)


ONE = sp.op("copy", n=1000)


@pytest.mark.parametrize(
    ("device", "settings", "message"),
    [
        ("m2-max", ["memory.working_set_limit_bytes=1e13"], "above memory.capacity_bytes"),
        (
            "m2-max",
            ["memory.capacity_bytes=2e9"],
            r"memory\.capacity_bytes = .*paging.system_bytes = .*nothing is left of it",
        ),
        ("h200", ["paging.system_part=2"], r"paging\.system_part = 2.0: nothing is left"),
        (
            "m2-ultra",
            ["paging.system_part=2"],
            r"paging\.system_part = 2.0: with paging.system_bytes = .*nothing is left",
        ),
        ("m2-ultra", ["paging.system_bytes=1e13"], r"paging\.system_bytes = 1.*nothing is left"),
        ("h200", ["paging.system_part=0.5"], "is needed beside paging.system_part"),
        ("m2", ["power.sustained_watts=5"], "power.thermal_joules = None: is needed beside"),
        ("h200", ["memory.cache_bytes=1e12"], "above memory.capacity_bytes"),
    ],
)
def test_numbers_that_rule_out_each_other_are_refused_once_all_are_set(device, settings, message):
    with pytest.raises(sp.DeviceError, match=rf"\[{device}, as set\] .*{message}"):
        with_settings(device, None, settings)
    machine = sp.device(device)
    for setting in settings:
        key, value = setting.split("=")
        machine = machine.with_number(key, float(value))  # one may wait for the next
    for use in (
        lambda: sp.predict(ONE, machine),
        lambda: sp.advise("gpt2-small", devices=machine),
        lambda: sp.explain(ONE, "h200", machine),
    ):
        with pytest.raises(sp.DeviceError, match=message):
            use()


def test_numbers_that_mend_each_other_may_be_set_in_any_order():
    settings = ["power.sustained_watts=10", "power.thermal_joules=900"]
    more = ["memory.working_set_limit_bytes=9e10", "memory.capacity_bytes=1.2e11"]
    for some in (settings, settings[::-1], more, more[::-1]):
        machine, _ = with_settings("m2-max", None, some)
        assert sp.predict(ONE, machine).time_s > 0
        for key, value in (setting.split("=") for setting in some):
            assert machine.numbers[key].value == float(value)


@pytest.mark.parametrize("value", [1.0, 9.9e7, 1.7e13])
def test_a_memory_that_no_machine_has_is_refused_at_once(value):
    with pytest.raises(sp.ArgumentError, match=r"memory\.capacity_bytes = .*implausible"):
        sp.device("m2").with_number("memory.capacity", value)


def test_a_peak_by_itself_may_be_anything_but_is_not_saved(tmp_path):
    odd = sp.device("m2").with_number("compute.float32.matrix", 1e15)
    assert sp.predict(ONE, odd).time_s > 0
    with pytest.raises(sp.DeviceError, match="float16 is never slower than in float32"):
        odd.save(tmp_path / "odd.toml")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("device", ["m2-max", "rtx-4090"])
def test_a_bandwidth_above_the_bus_leaves_it_out_and_is_saved(device, tmp_path):
    whole = sp.device(device)
    assert "memory.bus_width_bits" in whole.numbers
    bandwidth = whole.numbers["memory.bandwidth_bytes_per_s"].value
    narrow, wide = (whole.with_number("memory.bandwidth", bandwidth * x) for x in (0.5, 2))
    assert "memory.bus_width_bits" in narrow.numbers
    assert "memory.bus_width_bits" not in wide.numbers
    wide.save(tmp_path / "wide.toml")
    assert sp.device(tmp_path / "wide.toml").numbers == wide.numbers


def test_settings_that_change_nothing_are_told():
    step = sp.workload("gpt2-small", batch=1, seq=8, layers=1, framework="torch-cuda")
    settings = ["launch.dispatch_s=1e-6", "host.pace=0.5", "price.launch_usd=3"]
    assert without_effect(step, "h200", None, settings) == [settings[0], settings[2]]
    step = sp.workload("gpt2-small", batch=1, seq=8, layers=1, framework="torch-cpu")
    watts = ["power.limit_watts=5"]  # of a chip of which no power is known
    assert without_effect(step, "m1-pro-cpu", None, watts) == watts
    step = sp.workload("gpt2-small", batch=1, seq=8, layers=1, framework="mlx")
    both = ["power.sustained_watts=1", "power.thermal_joules=900"]
    assert without_effect(step, "m2-max", None, both) == []
    assert without_effect(step, "m2-max", None, []) == []
    memory = ["memory.capacity=1e9", "price.launch_usd=3"]  # which it fits, or does not
    assert without_effect(step, "h200", None, memory) == memory[1:]


def test_a_key_that_only_lacks_its_scope_names_those_that_have_one():
    with pytest.raises(sp.UnknownNameError, match=r"did you mean 'launch\.nvidia\.issue_s'"):
        with_settings("h200", None, ["launch.issue_s=1e-6"])


@pytest.mark.parametrize(
    ("key", "full"),
    [
        ("bandwith", "memory.bandwidth_bytes_per_s"),
        ("memry.capasity", "memory.capacity_bytes"),
        ("capasity_bytes", "memory.capacity_bytes"),
        ("cloc", "compute.clock_hz"),
    ],
)
def test_a_key_without_its_section_is_known_by_its_last_part(key, full):
    pattern = rf"unknown number '{key}'; did you mean '{re.escape(full)}'.*\? \(docs"
    with pytest.raises(sp.UnknownNameError, match=pattern):
        sp.device("h200").with_number(key, 1)


@pytest.mark.parametrize("key", ["", "x", "no_such_number"])
def test_a_key_that_nothing_is_near_has_an_example(key):
    pattern = rf"unknown number '{key}'; none is near it; one is 'compute\.clock_hz' \(docs"
    with pytest.raises(sp.UnknownNameError, match=pattern):
        sp.device("h200").with_number(key, 1)
