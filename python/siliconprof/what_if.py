"""What if a machine were another: a device or framework with some of its numbers replaced."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from . import arguments, working_set
from ._core import Device, Error, Framework, Number, Trace, UnknownNameError
from .arguments import shown
from .capacity import memory_of
from .devices import NUMBER_KEYS, REQUIRED, default_framework, device
from .frameworks import framework
from .measured_rates import with_rates_in_proportion
from .names import nearest_of
from .numbers import DTYPES, LOCAL, SET_BY_USER, UNIT_SUFFIXES, accepted, range_of
from .peaks import UNITS, peak_key, stated_despite, with_peaks_derived_again
from .plausibility import check_settled, implausible, judged
from .predict import predict
from .profile_document import document

# As a file's source has it: title (date), address. C++ knows it by its beginning.
SOURCE = f"{SET_BY_USER} (what-if), {LOCAL}"
_FOLLOWED = f"{SET_BY_USER} with what it follows (what-if), {LOCAL}"
_BUS = ("memory.bus_width_bits", "memory.transfer_rate_per_s")
_Owner = TypeVar("_Owner", Device, Framework)
_LEAST_LETTERS = 4  # of a word that others are near to
_PEAK = re.compile(r"compute\.(?P<dtype>[a-z0-9]+)\.(?P<unit>matrix|vector)")


def attach_what_if() -> None:
    """Puts with_number on Device and Framework."""
    for kind in (Device, Framework):
        setattr(kind, with_number.__name__, with_number)


def with_number(self: _Owner, key: str, value: float) -> _Owner:
    """A copy in which the number `key` is `value`, in the key's SI unit, exactly.

    key:    as docs/device-files.md or docs/framework-files.md has it
            (memory.bandwidth_bytes_per_s), without its unit (memory.bandwidth), or
            compute.<dtype>.<matrix | vector> for a peak rate. A device may be given a number that
            it lacks; a framework only those of its file. Peak rates that followed from cores, clock
            and FLOP per cycle follow them again; stated ones stay; kernels that were measured move
            and multiply in proportion to a bandwidth, a matrix peak. A working-set limit that was
            not set follows the capacity, as Metal has it: 2/3 up to 36 GiB, 3/4 above, or the part
            that it was where that is another. The board's power is what it is held to then
            (power.limit_watts), and its parts draw what they did. A bus that carries less than the
            bandwidth that is set is left out. Predictions note what was set.
    Raises: UnknownNameError with the nearest keys; ArgumentError for a value that no machine has.
    What rules out each other (a working set above the capacity, sustained watts without thermal
    joules) is a DeviceError once the device is predicted for, as one number may wait for the next.
    Whatever no device file could hold (float16 slower than float32) is one where it is saved.
    """
    arguments.text("with_number", "key", key, "a number's key is needed, as memory.bandwidth")
    name = _find(key, _keys(self))
    if name is None:
        raise _unknown(key, _keys(self))
    number = arguments.real("with_number", name, value)
    low, high = range_of(name)
    if not low <= number <= high:
        raise arguments.refused("with_number", name, value, accepted(name))
    if need := implausible(name, number):
        raise arguments.refused("with_number", name, value, need)
    set_by_user = Number(number, "assumed", SOURCE)
    name = _held_to(name, self.numbers)
    numbers = {**self.numbers, name: set_by_user}
    if isinstance(self, Device):
        limit = self.numbers.get(working_set.LIMIT)
        if name == working_set.CAPACITY and limit is not None and limit.source != SOURCE:
            part = working_set.part_of_another(number, self.numbers)
            error = limit.relative_error
            numbers[working_set.LIMIT] = Number(part * number, "assumed", _FOLLOWED, error)
        if name.startswith("compute."):
            numbers = with_peaks_derived_again(numbers)
        numbers = with_rates_in_proportion(self.numbers, numbers, name)
        if name == "memory.bandwidth_bytes_per_s" and _is_above_the_bus(number, numbers):
            numbers = {key: other for key, other in numbers.items() if key not in _BUS}
        return judged(Device(self.id, self.name, self.vendor, self.family, numbers))
    return Framework(self.id, self.name, self.vendors, numbers, self.lacks)


def with_settings(
    device_id: str, framework_id: str | None, settings: Iterable[str]
) -> tuple[Device, Framework]:
    """A device and a framework (None: its default) with each "key=value" of `settings` set, where
    the key is. Raises: DeviceError for numbers that rule out each other, once all are set."""
    machine = device(device_id)
    software = framework(default_framework(machine) if framework_id is None else framework_id)
    before, done = machine.numbers, set[str]()
    for setting in settings:
        key, value = _setting(setting)
        of_machine = _find(key, _keys(machine))
        name = of_machine or _find(key, _keys(software))
        if name is None:
            raise _unknown(key, [*_keys(machine), *_keys(software)])
        own = _held_to(name, before)
        if own in done:
            raise arguments.refused("set", "set", setting, "one value of each number is needed")
        done.add(own)
        if of_machine is not None:
            machine = with_number(machine, key, value)
        else:
            software = with_number(software, key, value)
    check_settled(machine)
    return machine, software


def without_effect(
    trace: Trace, device_id: str, framework_id: str | None, settings: Sequence[str]
) -> list[str]:
    """Those settings without which all that is predicted of the trace is the same."""
    idle: list[str] = []
    whole = _predicted(trace, device_id, framework_id, settings) if settings else {}
    for place, setting in enumerate(settings):
        others = [*settings[:place], *settings[place + 1 :]]
        try:
            if _predicted(trace, device_id, framework_id, others) == whole:
                idle.append(setting)
        except Error:  # nothing can be predicted without it
            continue
    return idle


def stays_note(machine: Device) -> str:
    """What cores and clock that were set leave as it is: peak rates that the device's file states;
    nothing where all follow."""
    changed = [key for key, number in machine.numbers.items() if number.source == SOURCE]
    stated = stated_despite(changed, machine.numbers)
    if not stated:
        return ""
    return f"peak rates stay as {machine.id}'s file states them; to set, too: {', '.join(stated)}"


def _predicted(
    trace: Trace, device_id: str, framework_id: str | None, settings: Iterable[str]
) -> dict[str, Any]:
    """All but the notes, which say what was set; and what the step has to fit in."""
    machine, software = with_settings(device_id, framework_id, settings)
    found = document(predict(trace, machine, software))
    return {**found, "notes": None, "memory": memory_of(machine, software)}


def _held_to(name: str, numbers: Mapping[str, Number]) -> str:
    """The number that is set: of a board's power the limit that it is held to."""
    is_limit = name == "power.board_watts" and name in numbers
    return "power.limit_watts" if is_limit else name


def _is_above_the_bus(bandwidth: float, numbers: Mapping[str, Number]) -> bool:
    found = [numbers[key].value for key in _BUS if key in numbers]
    return len(found) == len(_BUS) and bandwidth > found[0] / 8 * found[1]


def _setting(text: str) -> tuple[str, float]:
    key, _, value = text.partition("=")
    try:
        return key, float(value)
    except ValueError:
        need = "key=number, as memory.bandwidth=1e12, is needed"
        raise arguments.refused("set", "set", text, need) from None


def _keys(owner: Device | Framework) -> list[str]:
    """Of a calibrated device also those of the kernels that were measured there."""
    any_device = NUMBER_KEYS if isinstance(owner, Device) else frozenset[str]()
    return sorted(any_device | owner.numbers.keys())


def _find(key: str, valid: list[str]) -> str | None:
    """The full name of a key that may leave its unit out or say compute.<dtype>.<unit>."""
    peak = _PEAK.fullmatch(key)
    if peak and peak["dtype"] in DTYPES:
        key = peak_key(peak["unit"], peak["dtype"])
    if key in valid:
        return key
    full = [name for name in valid if name.removeprefix(key) in UNIT_SUFFIXES]
    return full[0] if len(full) == 1 else None


def _of_a_scope(key: str, by_stem: Mapping[str, str]) -> list[str]:
    """Keys of any scope where only the scope lacks: "launch.issue_s" is one of a family or vendor's
    own; the shortest three."""
    first, _, last = key.partition(".")
    found = [
        name
        for stem, name in by_stem.items()
        if name.startswith(f"{first}.")
        and last
        and (name.endswith(f".{last}") or stem.endswith(f".{last}"))
    ]
    return sorted(found, key=lambda name: (len(name), name))[:3]


def _of_a_last_part(key: str, by_stem: Mapping[str, str]) -> list[str]:
    """Keys whose last part is near the key's, as "bandwith" is memory.bandwidth's: of those that
    share one what every device has first, then the shortest; three of all."""
    last = key.rpartition(".")[2]
    if len(last) < _LEAST_LETTERS:
        return []
    by_last: dict[str, set[str]] = {}
    for stem, name in by_stem.items():
        for full in (stem, name):
            by_last.setdefault(full.rpartition(".")[2], set()).add(name)

    def order(name: str) -> tuple[bool, int, int, str]:
        return name not in REQUIRED, name.count("."), len(name), name

    found = (sorted(by_last[near], key=order) for near in nearest_of(last, by_last))
    return list(dict.fromkeys(itertools.chain.from_iterable(found)))[:3]


def _unknown(key: str, valid: list[str]) -> UnknownNameError:
    """Not all of the keys: a framework has hundreds."""
    by_stem = {re.sub(f"({'|'.join(UNIT_SUFFIXES)})$", "", name): name for name in valid}
    for dtype, unit in itertools.product(DTYPES, UNITS):
        if peak_key(unit, dtype) in valid:
            by_stem[f"compute.{dtype}.{unit}"] = peak_key(unit, dtype)
    whole = [by_stem.get(name, name) for name in nearest_of(key, [*valid, *by_stem])]
    parts = _of_a_last_part(key, by_stem)
    # A word without its section is no whole key misspelt.
    found = whole or _of_a_scope(key, by_stem) or parts if "." in key else parts or whole
    nearest = " or ".join(dict.fromkeys(repr(name) for name in found))
    hint = f"did you mean {nearest}?" if found else f"none is near it; one is {valid[0]!r}"
    return UnknownNameError(
        f"[number] unknown number {shown(key)}; {hint} "
        "(docs/device-files.md and docs/framework-files.md have the keys)"
    )
