"""What no machine can have, whatever its source says: numbers of one device against each other."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from weakref import finalize

from ._core import Device, DeviceError
from .core_rates import is_per_cycle
from .numbers import DTYPES, SET_BY_USER, NumberFile, fault, require_together
from .peaks import UNITS, peak_key

_LEAST_CAPACITY_BYTES = 1e8  # whoever wrote less forgot an e9
_LARGEST_CAPACITY_BYTES = 16e12
# All of them or none.
_TOGETHER = (
    ("power.sustained_watts", "power.thermal_joules"),
    ("paging.compressed_part", "paging.compress_s"),
    tuple(
        f"paging.{key}"
        for key in (
            *("page_bytes", "system_bytes", "system_part", "swap_fault_s"),
            "disk_bandwidth_bytes_per_s",
        )
    ),
)
# What a system keeps of a memory, beside it.
_SYSTEM = ("paging.system_part", "paging.system_bytes", "memory.capacity_bytes")
# Parts may draw more than the board may: its clock falls for it.
_LARGEST_PART_OF_POWER = 4.0
_SLACK = 1.01  # published numbers are rounded
# FLOP per core and cycle. Tensor cores of 2024 do 8 thousand in an SM, the largest matrix units of
# accelerators some hundred thousand; vector units some hundred.
_LARGEST_PER_CYCLE = {"vector": 4096.0, "matrix": 262144.0}


# Devices made of others' numbers, by their identity while they live: why they can't be.
_unfit: dict[int, DeviceError] = {}


def judged(device: Device) -> Device:
    """`device`, of which `check_settled` raises what is wrong with its numbers together: one that
    is set may wait for the next. Peak rates may be anything; that a file couldn't have them is
    told where it is saved."""
    numbers = device.numbers
    value = {key: number.value for key, number in numbers.items()}
    chosen = [key for key, number in numbers.items() if number.source.startswith(SET_BY_USER)]
    try:
        _check_sizes(f"{device.id}, as set", value, chosen)
    except DeviceError as reason:
        _unfit[id(device)] = reason.with_traceback(None)
        finalize(device, _forget, id(device)).atexit = False
    return device


def check_settled(device: Device) -> None:
    """Raises: DeviceError for a device that `judged` found to contradict itself."""
    if _unfit and (reason := _unfit.get(id(device))) is not None:
        raise DeviceError(str(reason))


def _forget(key: int) -> None:
    _unfit.pop(key, None)


def implausible(key: str, value: float) -> str:
    """What rules the number out by itself; nothing where it may be."""
    if key == "memory.capacity_bytes" and value < _LEAST_CAPACITY_BYTES:
        return f"implausible: below {_LEAST_CAPACITY_BYTES:g} bytes (100 MB)"
    if key == "memory.capacity_bytes" and value > _LARGEST_CAPACITY_BYTES:
        return f"implausible: above {_LARGEST_CAPACITY_BYTES:g} bytes (16 TB)"
    if key == "paging.compressed_part" and value > 1.0:
        return "above 1: a page that doesn't shrink is kept as it is"
    if key == "memory.usable_part" and value > 1.0:
        return "above 1: programs get no more of a memory than there is"
    if key.startswith("efficiency.") and value > 1.0 and not is_per_cycle(key):
        return "an efficiency is in (0, 1]"
    if key.startswith("call.") and key.endswith("error_part") and value < 0.0:
        return "below 0: an error widens an interval"
    return _implausible_power(key, value) if key.startswith("power.") else ""


def _implausible_power(key: str, value: float) -> str:
    if key.endswith(".idle_part") and value >= 1.0:
        return "1 or more: an idle board draws less than it may"
    if key.endswith("_part") and value > _LARGEST_PART_OF_POWER:
        return f"above {_LARGEST_PART_OF_POWER:g}: no part of a board draws so much of its power"
    if key.endswith(".clock_exponent") and value < 1.0:
        return "below 1: power falls as fast as the clock at least"
    return ""


def check_plausible(parsed: NumberFile) -> None:
    """Raises: DeviceError naming file, key and value of a number that the others rule out."""
    value = {key: number.value for key, number in parsed.numbers.items()}
    _check_sizes(parsed.file, value)
    measured = {key for key, number in parsed.numbers.items() if number.kind == "measured"}
    for unit in UNITS:
        _check_dtypes(parsed.file, unit, value, measured)
        _check_clock(parsed.file, unit, value)
    for dtype in DTYPES:
        product, other = (value.get(peak_key(unit, dtype)) for unit in ("matrix", "vector"))
        if product is not None and other is not None and product * _SLACK < other:
            key, need = peak_key("matrix", dtype), f"below {peak_key('vector', dtype)} = {other:g}"
            raise fault(parsed.file, key, product, f"{need}: products may run on the vector units")


def _check_sizes(file: str, value: Mapping[str, float], chosen: Collection[str] = ()) -> None:
    """chosen: keys that a user set, which are blamed before those of the file."""
    _check_memory(file, value)
    _check_system(file, value, chosen)
    for group in _TOGETHER:
        require_together(file, group, value)


def _check_dtypes(
    file: str, unit: str, value: Mapping[str, float], measured: Collection[str]
) -> None:
    if all(peak_key(unit, dtype) in measured for dtype in DTYPES if peak_key(unit, dtype) in value):
        return  # that is so, however a library gets there
    rates = {dtype: value.get(peak_key(unit, dtype)) for dtype in DTYPES}
    double, single, half = (rates[dtype] for dtype in ("float64", "float32", "float16"))
    brain = rates["bfloat16"]
    below = f"below {peak_key(unit, 'float32')} = {single or 0.0:g}: work in"
    for dtype in ("float16", "tf32"):
        rate = rates[dtype]
        if rate is not None and single is not None and rate * _SLACK < single:
            need = f"{below} {dtype} is never slower than in float32"
            raise fault(file, peak_key(unit, dtype), rate, need)
    if double is not None and single is not None and double > single * _SLACK:
        need = f"above {peak_key(unit, 'float32')} = {single:g}"
        raise fault(file, peak_key(unit, "float64"), double, need)
    if brain is not None and half is not None and brain > 2 * half:
        need = f"above twice the float16 rate ({half:g})"
        raise fault(file, peak_key(unit, "bfloat16"), brain, need)


def _check_clock(file: str, unit: str, value: Mapping[str, float]) -> None:
    cores, clock_hz = value.get("compute.cores"), value.get("compute.clock_hz")
    if cores is None or clock_hz is None:
        return
    limit = _LARGEST_PER_CYCLE[unit] * cores * clock_hz
    for dtype in DTYPES:
        rate = value.get(peak_key(unit, dtype), 0.0)
        if rate > limit:
            need = f"above {_LARGEST_PER_CYCLE[unit]:g} FLOP per core and cycle: compute.cores = "
            need += f"{cores:g} x compute.clock_hz = {clock_hz:g} allow {limit:g} FLOP/s"
            raise fault(file, peak_key(unit, dtype), rate, need)


def _check_memory(file: str, value: Mapping[str, float]) -> None:
    capacity = value.get("memory.capacity_bytes", math.inf)
    for key in ("memory.capacity_bytes", "memory.usable_part", "paging.compressed_part"):
        if key in value and (need := implausible(key, value[key])):
            raise fault(file, key, value[key], need)
    for key in ("memory.cache_bytes", "memory.working_set_limit_bytes"):
        if value.get(key, 0.0) > capacity:
            raise fault(file, key, value[key], f"above memory.capacity_bytes = {capacity:g}")
    width = value.get("memory.bus_width_bits")
    rate = value.get("memory.transfer_rate_per_s")
    bandwidth = value.get("memory.bandwidth_bytes_per_s", 0.0)
    if width is not None and rate is not None and bandwidth > width / 8 * rate * _SLACK:
        need = f"above what the bus carries: memory.bus_width_bits = {width:g} / 8 x "
        need += f"memory.transfer_rate_per_s = {rate:g} is {width / 8 * rate:g} bytes/s"
        raise fault(file, "memory.bandwidth_bytes_per_s", bandwidth, need)


def _check_system(file: str, value: Mapping[str, float], chosen: Collection[str]) -> None:
    part_key, bytes_key, capacity_key = _SYSTEM
    if capacity_key not in value:
        return
    capacity = value[capacity_key]
    if value.get(bytes_key, 0.0) + value.get(part_key, 0.0) * capacity < capacity:
        return
    there = bytes_key if bytes_key in value else part_key
    blamed = next((key for key in _SYSTEM if key in chosen), there)
    others = [key for key in (bytes_key, part_key) if key in value and key != blamed]
    beside = " and ".join(f"{key} = {value[key]:g}" for key in others)
    rest = "it" if blamed == capacity_key else f"{capacity_key} = {capacity:g}"
    need = f"{f'with {beside} ' if beside else ''}nothing is left of {rest}"
    raise fault(file, blamed, value[blamed], need)
