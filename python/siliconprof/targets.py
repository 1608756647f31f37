"""Which devices under which frameworks a question is about, as sweep and advise are asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import arguments
from ._core import Device
from .devices import VENDORS, default_framework, device, devices, is_path
from .frameworks import framework, framework_versions, frameworks, runs_on
from .names import unknown_name

Target = tuple[Device, str]
Devices = str | Path | Device | Iterable[str | Path | Device]


@dataclass(frozen=True)
class Chosen:
    """What a question is about, and which of the words that it named are about nothing, and why."""

    targets: tuple[Target, ...]
    left_out: tuple[str, ...] = ()


def any_device(_: Device) -> bool:
    return True


def chosen_targets(
    place: str,
    given: Devices | None,
    under: str | Iterable[str] | None,
    suits: Callable[[Device], bool] = any_device,
) -> Chosen:
    """Each device under each framework that runs there; its vendor's default if none is named;
    `place` asks for them.

    given: ids, vendors for all of theirs that suit, paths of device files, Devices; None for all
    that ship and suit.
    Raises: UnknownNameError; DeviceError for a bad file; ArgumentError where no framework runs on
    any, or two devices have one id.
    """
    by_word = {"": _packaged(suits)} if given is None else _devices(place, given, suits)
    chosen = {machine.id: machine for some in by_word.values() for machine in some}.values()
    if under is None:
        return Chosen(tuple((machine, default_framework(machine)) for machine in chosen))
    names = chosen_names(place, "frameworks", under, [*frameworks(), *framework_versions()])
    kinds = [framework(id) for id in names]
    pairs = [(one, kind.id) for kind in kinds for one in chosen if runs_on(kind, one)]
    if not pairs:
        kinds = [framework(id) for id in frameworks()]
        fitting = [kind.id for kind in kinds if any(runs_on(kind, one) for one in chosen)]
        need = "a framework that runs on one of the devices is needed; those that do: "
        need += ", ".join(fitting) or "none"
        raise arguments.refused(place, "frameworks", list(names), need)
    return Chosen(tuple(pairs), tuple(_left_out(pairs, names, by_word)))


def _left_out(
    pairs: Sequence[Target], names: Sequence[str], by_word: Mapping[str, Sequence[Device]]
) -> Iterator[str]:
    """Each framework and each word for devices that no pair is of; of all that ship nobody asked
    for one by name."""
    used = {under for _, under in pairs}
    yield from (f"{name}: it runs on none of the devices" for name in names if name not in used)
    served = {machine.id for machine, _ in pairs}
    for word, some in by_word.items():
        if word and some and served.isdisjoint(machine.id for machine in some):
            yield f"{word}: none of the frameworks runs there ({', '.join(names)})"


def chosen_names(
    place: str, argument: str, given: str | Iterable[str], valid: Sequence[str]
) -> tuple[str, ...]:
    """One name or several, each once. Raises: UnknownNameError; ArgumentError for none."""
    names = _listed(place, argument, given)
    for name in names:
        if name not in valid:
            raise unknown_name(argument.removesuffix("s"), name, valid)
    return tuple(dict.fromkeys(names))


def _packaged(suits: Callable[[Device], bool]) -> tuple[Device, ...]:
    return tuple(machine for machine in map(device, devices()) if suits(machine))


def _devices(
    place: str, given: Devices, suits: Callable[[Device], bool]
) -> dict[str, tuple[Device, ...]]:
    """By the words that they are called; rows name devices by id, so each id may be there once."""
    called: dict[object, Device] = {}
    by_word: dict[str, tuple[Device, ...]] = {}
    for word in _listed(place, "devices", given):
        found: dict[object, Device]
        if isinstance(word, Device):
            found = {id(word): word}
        elif is_path(word):
            found = {str(word): device(word)}
        elif word in VENDORS:
            found = {one.id: one for one in _packaged(suits) if one.vendor == word}
        elif word in devices():
            found = {word: device(word)}
        else:
            others = "the path of a .toml file; a vendor stands for all its devices"
            raise unknown_name("device", word, [*devices(), *VENDORS], others)
        called |= found
        by_word[word.id if isinstance(word, Device) else str(word)] = tuple(found.values())
    ids = [machine.id for machine in called.values()]
    for word, machine in called.items():
        if ids.count(machine.id) > 1:
            need = f"an id of its own is needed; {machine.id!r} is also another device's here"
            raise arguments.refused(place, "devices", word, need)
    return by_word


def _listed(place: str, argument: str, given: Any) -> tuple[Any, ...]:
    if isinstance(given, (str, bytes, os.PathLike, Device)):
        return (given,)  # bytes are refused as what they are, not as their numbers
    try:
        words = tuple(given)
    except TypeError:
        raise arguments.refused(place, argument, given, "one or more are needed") from None
    if not words:
        raise arguments.refused(place, argument, given, "one or more are needed")
    return words
