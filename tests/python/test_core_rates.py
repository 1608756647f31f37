"""Rates of one core, as parts of what a device has."""

from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.core_rates import is_per_cycle, of_device

CLASSES = (
    *("matrix_product", "matrix_vector", "outer_product"),
    *("elementwise", "reduction", "row_normalisation"),
)


def software(**more: float) -> _core.Framework:
    numbers = {f"efficiency.any.{c}.compute.any": 0.8 for c in CLASSES}
    numbers |= {f"efficiency.any.{c}.bandwidth": 0.5 for c in CLASSES}
    numbers |= {"launch.dispatch_s": 1e-9, "launch.round_trip_s": 1e-9}
    numbers |= {key.replace("__", "."): value for key, value in more.items()}
    source = ("assumed", "https://example.org", 0.2)
    made = {key: _core.Number(value, *source) for key, value in numbers.items()}
    return _core.Framework("mine", "Mine", ["cpu"], made)


def time_s(device: str, framework: _core.Framework, op: str, **dims: int) -> float:
    found = sp.predict(_core.single_op(op, dims, "float32"), device, framework)
    return found.time_s - (found.terms or {})["launch"]


@pytest.mark.parametrize("device", ["m1-cpu", "m2-max-cpu", "m3-max-cpu"])
def test_a_loop_on_one_core_goes_by_that_cores_clock_alone(device):
    framework = software(efficiency__any__relu__core_bytes_per_cycle=4.0)
    found = time_s(device, framework, "relu", n=10**7)
    clock = sp.device(device).numbers["compute.core_clock_hz"].value
    assert found == pytest.approx(8e7 / (4.0 * clock))


@pytest.mark.parametrize("device", ["m1-cpu", "m3-max-cpu"])
def test_a_loop_on_all_cores_goes_by_their_number(device):
    framework = software(efficiency__any__relu__cores_bytes_per_cycle=2.0)
    numbers = sp.device(device).numbers
    cycles_per_s = numbers["compute.cores"].value * numbers["compute.clock_hz"].value
    assert time_s(device, framework, "relu", n=10**7) == pytest.approx(8e7 / (2.0 * cycles_per_s))


def test_no_core_moves_more_than_the_memory_does():
    framework = software(efficiency__any__relu__core_bytes_per_cycle=60.0)
    bandwidth = sp.device("m1-cpu").numbers["memory.bandwidth_bytes_per_s"].value
    assert time_s("m1-cpu", framework, "relu", n=10**7) == pytest.approx(8e7 / bandwidth)


def test_what_goes_by_index_takes_one_core_as_many_cycles_an_element():
    framework = software(access__any__gather__core_elements_per_cycle=0.1)
    found = time_s("m3-max-cpu", framework, "gather", rows=100, count=10**6, columns=10)
    assert found == pytest.approx(1e7 / (0.1 * 4.06e9))


def test_short_rows_take_one_core_as_many_cycles_each():
    framework = software(access__any__softmax__core_row_cycles=1e4)
    found = time_s("m3-max-cpu", framework, "softmax", outer=1000, size=8, inner=1)
    assert found == pytest.approx(1000 * 1e4 / 4.06e9)


def test_operations_of_one_core_are_a_part_of_the_peak():
    key = "efficiency.any.conv2d.core_operations_per_cycle"
    made = of_device(software(**{key.replace(".", "__"): 0.8}), sp.device("m3-max-cpu"))
    peak = sp.device("m3-max-cpu").numbers["peak.matrix.float32_flops_per_s"].value
    assert made.numbers["efficiency.any.conv2d.compute.float32"].value == pytest.approx(
        0.8 * 4.06e9 / peak
    )


def test_windows_are_written_out_by_one_core():
    key = "convolution.any.float32.forward.core_elements_per_cycle"
    made = of_device(software(**{key.replace(".", "__"): 0.5}), sp.device("m3-max-cpu"))
    peak = sp.device("m3-max-cpu").numbers["peak.matrix.float32_flops_per_s"].value
    found = made.numbers["convolution.any.float32.forward.unfolded_per_flop"]
    assert found.value * peak == pytest.approx(0.5 * 4.06e9)


def test_a_framework_without_such_rates_and_a_device_without_cores_stay_as_they_are():
    plain = software()
    assert of_device(plain, sp.device("m1-cpu")) is plain
    bare = _core.Device("bare", "Bare", "cpu", "cpu", {})
    rated = software(efficiency__any__relu__core_bytes_per_cycle=4.0)
    assert of_device(rated, bare) is rated


def test_a_derived_part_says_whose_it_is():
    rated = software(efficiency__any__relu__core_bytes_per_cycle=4.0)
    found = of_device(rated, sp.device("m1-cpu")).numbers["efficiency.any.relu.bandwidth"]
    assert found.source.startswith("one core's cycles on this device; https://example.org")
    assert (found.kind, found.relative_error) == ("assumed", 0.2)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("efficiency.cpu.relu.core_bytes_per_cycle", True),
        ("efficiency.cpu.relu.bandwidth", False),
        ("product.nvidia.float32.core_flops_per_cycle", False),
        ("access.apple.relu.core_elements_per_cycle", True),
    ],
)
def test_what_is_a_rate_of_a_core(key, expected):
    assert is_per_cycle(key) is expected


def test_what_if_a_core_moved_more_in_a_cycle():
    framework = sp.framework("mlx-cpu@0.5")
    key = "efficiency.apple-cpu.bce.core_bytes_per_cycle"
    twice = framework.with_number(key, 2 * framework.numbers[key].value)
    times = [time_s("m3-max-cpu", kind, "bce", n=10**7) for kind in (framework, twice)]
    assert times[0] == pytest.approx(2 * times[1])
    assert framework.with_number(key, 3.0).numbers[key].value == 3.0


def test_apple_cpus_beside_the_gpus_of_their_chips_say_the_clock_of_one_core():
    chips = ("m1", "m1-pro", "m2", "m2-max", "m3", "m3-max", "m4-pro")
    for name in (*(f"{chip}-cpu" for chip in chips), "m4-pro-cpu-12"):
        numbers = sp.device(name).numbers
        assert numbers["compute.core_clock_hz"].value > numbers["compute.clock_hz"].value
