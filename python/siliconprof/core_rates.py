"""Rates of CPU cores: what a framework says of one core's cycles, as the parts of a device's rates
that the model reads.

A loop that runs on one core goes by that core's clock whatever the chip beside it has: neither the
memory's bandwidth nor the number of cores tells its time. A framework file says so by the bytes,
elements or operations that a core gets through in a cycle:

efficiency.<scope>.<class or op>.core_bytes_per_cycle: one core alone; for .bandwidth
efficiency.<scope>.<class or op>.cores_bytes_per_cycle: each of all cores; for .bandwidth
efficiency.<scope>.<class or op>.core_operations_per_cycle: one core alone; for .compute.float32
access.<scope>.<op>.core_elements_per_cycle: one core alone; for .elements_per_cycle
access.<scope>.<op>.core_row_cycles: of one core; for .row_cycles
convolution.<scope>.<dtype>.<way>.core_elements_per_cycle: written out; for .unfolded_per_flop

One core alone runs at compute.core_clock_hz where the device has it, all of them at
compute.clock_hz. No core moves more than the memory does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ._core import Device, Framework, Number
from .peaks import peak_key

ONE_CORE_BYTES = "core_bytes_per_cycle"
ALL_CORES_BYTES = "cores_bytes_per_cycle"
ONE_CORE_OPERATIONS = "core_operations_per_cycle"
ONE_CORE_ELEMENTS = "core_elements_per_cycle"
ONE_CORE_ROW = "core_row_cycles"
ACCESS_KEYS = (ONE_CORE_ELEMENTS, ONE_CORE_ROW)
EFFICIENCY_KEYS = (ONE_CORE_BYTES, ALL_CORES_BYTES, ONE_CORE_OPERATIONS)
_PER_CYCLE = {
    "efficiency": EFFICIENCY_KEYS,
    "access": ACCESS_KEYS,
    "convolution": (ONE_CORE_ELEMENTS,),
}


def is_per_cycle(key: str) -> bool:
    """Whether the constant is one of a core's cycles."""
    table, _, rest = key.partition(".")
    return rest.rpartition(".")[2] in _PER_CYCLE.get(table, ())


def of_device(framework: Framework, device: Device) -> Framework:
    """The framework with its rates of cores as parts of the device's; itself where it has none.

    A device that doesn't say how many cores it has, or how fast, keeps what stands beside them.
    """
    found = {key: n for key, n in framework.numbers.items() if is_per_cycle(key)}
    if not found or not {"compute.cores", "compute.clock_hz"} <= device.numbers.keys():
        return framework
    made = dict(_part(key, number, device.numbers) for key, number in found.items())
    numbers = {**framework.numbers, **made}
    return Framework(framework.id, framework.name, framework.vendors, numbers, framework.lacks)


def _part(key: str, number: Number, device: Mapping[str, Number]) -> tuple[str, Number]:
    """The key that the model reads in place of this one, and what it is there."""
    stem, _, last = key.rpartition(".")
    cores, clock = device["compute.cores"].value, device["compute.clock_hz"].value
    alone = device.get("compute.core_clock_hz", device["compute.clock_hz"]).value
    table = stem.partition(".")[0]

    def made(name: str, value: float) -> tuple[str, Number]:
        source = f"one core's cycles on this device; {number.source}"
        return f"{stem}.{name}", Number(value, number.kind, source, number.relative_error)

    ways: Mapping[tuple[str, str], Callable[[], tuple[str, float]]] = {
        ("efficiency", ONE_CORE_BYTES): lambda: ("bandwidth", alone / _bandwidth(device)),
        ("efficiency", ALL_CORES_BYTES): lambda: ("bandwidth", cores * clock / _bandwidth(device)),
        ("efficiency", ONE_CORE_OPERATIONS): lambda: ("compute.float32", alone / _peak(device)),
        ("access", ONE_CORE_ELEMENTS): lambda: ("elements_per_cycle", alone / (cores * clock)),
        ("access", ONE_CORE_ROW): lambda: ("row_cycles", cores * clock / alone),
        ("convolution", ONE_CORE_ELEMENTS): lambda: ("unfolded_per_flop", alone / _peak(device)),
    }
    name, per_cycle = ways[table, last]()
    value = number.value * per_cycle
    return made(name, min(value, 1.0) if table == "efficiency" else value)


def _bandwidth(device: Mapping[str, Number]) -> float:
    return device["memory.bandwidth_bytes_per_s"].value


def _peak(device: Mapping[str, Number]) -> float:
    """Of float32 products, by which the model's rates of arithmetic go."""
    vector = device[peak_key("vector", "float32")]
    return device.get(peak_key("matrix", "float32"), vector).value
