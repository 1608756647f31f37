"""Devices as data: one TOML file each, found by listing the folder; `extends` for families."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path

from . import _core, arguments
from .names import nearest_valid, unknown_name
from .numbers import (
    DTYPES,
    NAME,
    NumberFile,
    fault,
    name_field,
    parse,
    parse_toml,
    read_toml,
    require,
    text_field,
)
from .packaged import Shelf
from .peaks import UNITS, peak_key, per_cycle_key, with_derived_peaks
from .plausibility import check_plausible

# A vendor, and the framework that its devices are predicted with when none is named.
DEFAULT_FRAMEWORKS = {"apple": "mlx", "nvidia": "torch-cuda", "cpu": "native"}
VENDORS = tuple(DEFAULT_FRAMEWORKS)
FIELDS = ("id", "name", "vendor", "family", "extends")
REQUIRED = (
    "memory.capacity_bytes",
    "memory.bandwidth_bytes_per_s",
    "peak.vector.float32_flops_per_s",
)
NUMBER_KEYS = frozenset(
    (
        *REQUIRED,
        "memory.bus_width_bits",
        "memory.transfer_rate_per_s",
        "memory.cache_bytes",
        "memory.working_set_limit_bytes",
        "memory.usable_part",
        *(peak_key(unit, dtype) for unit in UNITS for dtype in DTYPES),
        *(per_cycle_key(unit, dtype) for unit in UNITS for dtype in DTYPES),
        "compute.cores",
        "compute.clock_hz",
        "compute.core_clock_hz",
        "power.board_watts",
        "power.limit_watts",
        "power.sustained_watts",
        "power.thermal_joules",
        "price.launch_usd",
        "link.bandwidth_bytes_per_s",
        "host.pace",
        "host.memory_bandwidth_bytes_per_s",
        "host.vector_flops_per_s",
        "paging.page_bytes",
        "paging.wire_s",
        "paging.system_bytes",
        "paging.system_part",
        "paging.swap_fault_s",
        "paging.disk_bandwidth_bytes_per_s",
        "paging.compressed_part",
        "paging.compress_s",
    )
)
_SHELF = Shelf("device", "devices", otherwise="the path of a .toml file")
_FAMILY = re.compile(r"""^family\s*=\s*["']([^"']+)["']""", re.MULTILINE)


def devices() -> list[str]:
    """Sorted ids of the packaged devices: the names of the files in data/devices."""
    return _SHELF.names()


def device(id_or_path: str | os.PathLike[str]) -> _core.Device:
    """A packaged device by id, or the device that a TOML file describes.

    What counts as a path: `is_path`.
    Raises: UnknownNameError for an unknown id; DeviceError for a file that is not as
    docs/device-files.md says, with file, key and value.
    """
    if is_path(id_or_path):
        return load_device(arguments.path("device", "device", id_or_path))
    needed = "an id or the path of a device file is needed"
    return _packaged_device(arguments.text("device", "device", id_or_path, needed))


def is_path(device: object) -> bool:
    """Whether a device is named by its file: a Path, or text with ".toml" at its end or a "/"."""
    if isinstance(device, str):
        return device.endswith(".toml") or os.sep in device
    return isinstance(device, os.PathLike)


def load_device(path: Path) -> _core.Device:
    """Read and check one device file from disk (not cached: the file may change)."""
    return _of_its_family(_build(_resolve(path, str(path), (path.parent,), ())), str(path))


def check_text(text: str, label: str) -> None:
    """Refuses the text of a device file that could not be read back; `label` is the file's name.

    Raises: DeviceError.
    """
    table = parse_toml(text, label)
    _of_its_family(_build(parse(table, label, FIELDS, _keys(table))), label)


def _of_its_family(found: _core.Device, label: str) -> _core.Device:
    """The device, whose vendor is its family's. Raises: DeviceError."""
    owner = _family_vendors().get(found.family, found.vendor)
    if owner != found.vendor:
        need = f"is a family of vendor {owner!r}; this device's vendor is {found.vendor!r}"
        raise fault(label, "family", found.family, need)
    return found


def default_framework(device: _core.Device) -> str:
    """Id of the framework that a device is predicted with when none is named."""
    if device.vendor not in DEFAULT_FRAMEWORKS:
        raise unknown_name("vendor", device.vendor, VENDORS)
    return DEFAULT_FRAMEWORKS[device.vendor]


@functools.cache
def families() -> frozenset[str]:
    """Families that packaged devices belong to: the scopes a framework file may name.

    Read off the lines that say so: to parse all files takes ten times as long.
    """
    files = [
        file
        for folder in (_SHELF.place, _SHELF.place / "families")
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    ]
    texts = (file.read_text(encoding="utf-8") for file in files)
    return frozenset(name for text in texts for name in _FAMILY.findall(text))


def _family_vendors() -> dict[str, str]:
    return {found.family: found.vendor for found in map(device, devices())}


@functools.cache
def _packaged_device(name: str) -> _core.Device:
    file = _SHELF.file(name)
    parsed = _resolve(file, file.name, (), ())
    if parsed.fields.get("id") != name:
        raise fault(file.name, "id", parsed.fields.get("id"), f"must be the file's name, {name!r}")
    return _build(parsed)


def _resolve(
    file: Traversable, label: str, beside: tuple[Path, ...], seen: tuple[str, ...]
) -> NumberFile:
    """The file laid over what it extends, parents first; it may cite their sources."""
    table = read_toml(file, label)
    chain = (*seen, _stem(file))
    if "extends" not in table:
        return parse(table, label, FIELDS, _keys(table))
    name = table["extends"]
    parent_file = _parent_file(name, label, beside)
    if _stem(parent_file) in chain:
        cycle = " -> ".join((*chain, _stem(parent_file)))
        raise fault(label, "extends", name, f"extends itself: {cycle}")
    parent = _resolve(parent_file, parent_file.name, beside, chain)
    own = parse(table, label, FIELDS, _keys(table), parent.sources)
    fields = {**parent.fields, **own.fields}
    return NumberFile(label, fields, own.sources, {**parent.numbers, **own.numbers})


def _keys(table: Mapping[str, object]) -> frozenset[str]:
    """Those that the file may hold. Kernels are thousands: only a calibrated device has any."""
    return NUMBER_KEYS | kernel_keys() if "kernel" in table else NUMBER_KEYS


@functools.cache
def kernel_keys() -> frozenset[str]:
    """Every key of a measured kernel's rate."""
    return frozenset(
        f"kernel.{framework}.{kernel}.{dtype}.{key}"
        for framework in Shelf("framework", "frameworks").names()
        for kernel in _core.kernel_names()
        for dtype in DTYPES
        for key in _core.work_keys()
    )


def _stem(file: Traversable) -> str:
    return file.name.removesuffix(".toml")


def _parent_file(name: object, label: str, beside: tuple[Path, ...]) -> Traversable:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise fault(label, "extends", name, "needs the id of a device or family file")
    folders: tuple[Traversable, ...] = (*beside, _SHELF.place / "families", _SHELF.place)
    for folder in folders:
        candidate = folder / f"{name}.toml"
        if candidate.is_file():
            return candidate
    valid = sorted(
        _stem(entry)
        for folder in folders
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    )
    needed = f"no such device or family file; {nearest_valid(name, valid)}"
    raise fault(label, "extends", name, needed)


def _build(parsed: NumberFile) -> _core.Device:
    vendor = text_field(parsed, "vendor")
    if vendor not in VENDORS:
        raise fault(parsed.file, "vendor", vendor, f"needs one of {', '.join(VENDORS)}")
    family = name_field(parsed, "family")
    if family == "any" or (family in VENDORS and family != vendor):
        raise fault(parsed.file, "family", family, f"is the name of another scope than {vendor}'s")
    id, name = name_field(parsed, "id"), text_field(parsed, "name")
    parsed = with_derived_peaks(parsed)
    require(parsed, REQUIRED)
    check_plausible(parsed)
    return _core.Device(id, name, vendor, family, dict(parsed.numbers))
