"""Numbers that rule each other out: named with file, key, value and the other number."""

from __future__ import annotations

import gc

import pytest

import siliconprof as sp
from siliconprof import DeviceError, device, plausibility
from siliconprof.devices import NUMBER_KEYS
from siliconprof.numbers import parse
from siliconprof.peaks import peak_key
from siliconprof.plausibility import check_plausible

NUMBERS = {
    "memory.capacity_bytes": 8e9,
    "memory.bandwidth_bytes_per_s": 4e11,
    "peak.vector.float32_flops_per_s": 1e13,
}
SHEET = {"sheet": "a data sheet"}


@pytest.fixture
def load():
    """Checks a device file with the numbers given by key, `__` for the dots."""

    def check(**changes):
        check_plausible(made_file({**NUMBERS, **changes}))

    return check


def made_file(numbers, measured=()):
    """A device file with the numbers given by key, `__` for the dots."""
    table = {}
    for key, value in numbers.items():
        *sections, last = key.replace("__", ".").split(".")
        into = table
        for section in sections:
            into = into.setdefault(section, {})
        into[last] = {"value": value, "kind": "spec", "source": "sheet"}
        if key in measured:
            into[last] |= {"kind": "measured", "relative_error": 0.1}
    return parse(table, "my-gpu.toml", (), NUMBER_KEYS, SHEET)


def test_a_bandwidth_above_the_bus_is_rejected(load):
    bus = {"memory__bus_width_bits": 256, "memory__transfer_rate_per_s": 12.5e9}
    load(**bus)  # exactly 400 GB/s
    load(**bus, memory__bandwidth_bytes_per_s=403e9)  # within 1 % of rounding
    pattern = r"memory.bandwidth_bytes_per_s = 4050000\d+\.0: above what the bus carries.*4e\+11"
    with pytest.raises(DeviceError, match=pattern):
        load(**bus, memory__bandwidth_bytes_per_s=405e9)


@pytest.mark.parametrize("dtype", ["float16", "tf32"])
def test_a_short_dtype_below_float32_is_rejected(load, dtype):
    rates = {"peak__matrix__float32_flops_per_s": 1e13}
    load(**rates, **{f"peak__matrix__{dtype}_flops_per_s": 1e13})
    with pytest.raises(DeviceError, match=rf"peak.matrix.{dtype}_flops_per_s = 9.*below peak"):
        load(**rates, **{f"peak__matrix__{dtype}_flops_per_s": 9e12})


def test_a_bfloat16_rate_above_twice_float16_is_rejected(load):
    rates = {"peak__matrix__float16_flops_per_s": 2e13}
    load(**rates, peak__matrix__bfloat16_flops_per_s=4e13)
    with pytest.raises(DeviceError, match=r"bfloat16_flops_per_s = .*above twice the float16"):
        load(**rates, peak__matrix__bfloat16_flops_per_s=4.1e13)


def test_an_implausible_capacity_is_rejected(load):
    load(memory__capacity_bytes=16e12)
    with pytest.raises(DeviceError, match=r"capacity_bytes = 17000000000000.0: implausible"):
        load(memory__capacity_bytes=17e12)


def test_more_of_a_memory_than_there_is_is_rejected(load):
    load(memory__usable_part=1.0)
    with pytest.raises(DeviceError, match=r"memory.usable_part = 1.01: above 1: programs get no"):
        load(memory__usable_part=1.01)


@pytest.mark.parametrize("part", ["cache", "working_set_limit"])
def test_a_part_of_memory_above_the_whole_is_rejected(load, part):
    with pytest.raises(DeviceError, match=rf"memory.{part}_bytes = .*above memory.capacity_bytes"):
        load(**{f"memory__{part}_bytes": 9e9})


@pytest.mark.parametrize("unit", ["matrix", "vector"])
@pytest.mark.parametrize(
    ("dtype", "rate", "word"),
    [("float16", 9e12, "below"), ("tf32", 9e12, "below"), ("float64", 1.1e13, "above")],
)
def test_a_rate_that_float32_rules_out_is_rejected_on_both_units(load, unit, dtype, rate, word):
    single = {f"peak__{unit}__float32_flops_per_s": 1e13}
    key = peak_key(unit, dtype)
    load(**single, **{key.replace(".", "__"): 1e13})
    with pytest.raises(DeviceError, match=rf"{key} = .*: {word} peak.{unit}.float32"):
        load(**single, **{key.replace(".", "__"): rate})


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_product_rate_below_the_vector_rate_is_rejected(load, dtype):
    vector = {f"peak__vector__{dtype}_flops_per_s": 2e13}
    load(**vector, **{f"peak__matrix__{dtype}_flops_per_s": 2e13})
    with pytest.raises(DeviceError, match=rf"peak.matrix.{dtype}_flops_per_s = .*: below peak.vec"):
        load(**vector, **{f"peak__matrix__{dtype}_flops_per_s": 1.9e13})


def test_measured_rates_are_as_they_are():
    """A CPU whose matrix unit takes bfloat16 alone multiplies float16 by widening it."""
    rates = {"float32": 3e11, "float16": 2e11, "bfloat16": 1.4e12}

    peaks = {f"peak__matrix__{name}_flops_per_s": rate for name, rate in rates.items()}
    numbers = {**NUMBERS, "peak.vector.float32_flops_per_s": 2e11, **peaks}
    check_plausible(made_file(numbers, measured=peaks))
    for measured in ((), list(peaks)[:2]):
        with pytest.raises(DeviceError, match=r"above twice the float16 rate|never slower than in"):
            check_plausible(made_file(numbers, measured))


def test_a_rate_that_the_clock_rules_out_is_rejected(load):
    load(compute__cores=64, compute__clock_hz=2e9)
    with pytest.raises(DeviceError, match=r"float32_flops_per_s = 1.*: above 4096 FLOP per core"):
        load(compute__cores=1, compute__clock_hz=1e6)


def test_a_capacity_without_its_power_of_ten_is_rejected(load):
    with pytest.raises(DeviceError, match=r"capacity_bytes = 24.0: implausible: below 1e\+08"):
        load(memory__capacity_bytes=24)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"power__sustained_watts": 10}, "power.thermal_joules"),
        ({"power__thermal_joules": 900}, "power.sustained_watts"),
        ({"paging__page_bytes": 16384}, "paging.system_bytes"),
        ({"paging__compress_s": 1e-6}, "paging.compressed_part"),
    ],
)
def test_what_belongs_together_is_there_together(load, given, missing):
    with pytest.raises(DeviceError, match=rf"{missing} = .*is needed beside"):
        load(**given)


def test_a_page_does_not_grow_by_being_compressed(load):
    with pytest.raises(DeviceError, match=r"compressed_part = 1.2: above 1"):
        load(paging__compressed_part=1.2, paging__compress_s=1e-6)


def test_a_system_that_takes_all_of_the_memory_is_rejected(load):
    paging = {"page_bytes": 16384, "wire_s": 1e-6, "swap_fault_s": 1e-4, "system_part": 0.5}
    paging |= {"disk_bandwidth_bytes_per_s": 1e9}
    given = {f"paging__{key}": value for key, value in paging.items()}
    load(**given, paging__system_bytes=3.9e9)
    with pytest.raises(DeviceError, match=r"system_bytes = .*0\.5 nothing is left .* = 8e\+09"):
        load(**given, paging__system_bytes=4e9)


def test_a_made_device_is_judged_when_it_is_used_and_forgotten_with_it():
    gc.collect()
    before = len(plausibility._unfit)
    made = device("m2").with_number("memory.cache_bytes", 1e13)
    assert len(plausibility._unfit) == before + 1
    with pytest.raises(DeviceError, match=r"\[m2, as set\] memory.cache_bytes = 1e\+13|above"):
        plausibility.check_settled(made)
    plausibility.check_settled(device("m2"))
    del made
    gc.collect()
    assert len(plausibility._unfit) == before


@pytest.mark.parametrize(
    ("key", "wrong", "needed", "right"),
    [
        ("idle_part", 1.0, "1 or more: an idle board", 0.99),
        ("busy_part", 100.0, "above 4: no part of a board", 4.0),
        ("row_stream_part", 4.01, "above 4: no part of a board", 1.61),
        ("clock_exponent", 0.5, "below 1: power falls", 1.0),
    ],
)
def test_a_part_of_a_boards_power_that_no_board_has_is_rejected(key, wrong, needed, right):
    """Below an exponent of 1 the mean power of a step may rise as the clock falls."""
    name = f"power.nvidia-hopper.{key}"
    framework = sp.framework("torch-cuda")
    with pytest.raises(sp.ArgumentError, match=rf"{name} = {wrong} \(float\): {needed}"):
        framework.with_number(name, wrong)
    assert framework.with_number(name, right).numbers[name].value == right


@pytest.mark.parametrize("kind", ["error_part", "waiting_error_part", "calibrated_error_part"])
def test_an_error_is_no_less_than_none(kind):
    key = f"call.cpu.reduction.{kind}"
    assert plausibility.implausible(key, -0.1) == "below 0: an error widens an interval"
    assert plausibility.implausible(key, 0.0) == ""
