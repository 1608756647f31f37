"""Devices as data: one TOML file each, found by listing the folder; `extends` for families."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from . import _core
from .numbers import DTYPES, NumberFile, fault, parse, read_toml, require, text_field

VENDORS = ("apple", "nvidia", "cpu")
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
        *(f"peak.{unit}.{dtype}_flops_per_s" for unit in ("matrix", "vector") for dtype in DTYPES),
        "compute.cores",
        "compute.clock_hz",
        "power.board_watts",
        "price.launch_usd",
        "link.bandwidth_bytes_per_s",
    )
)
_LARGEST_CAPACITY_BYTES = 16e12
_BUS_SLACK = 1.01  # published bandwidths are rounded
_FRAMEWORK_OF_VENDOR = {"apple": "mlx", "nvidia": "torch-cuda", "cpu": "native"}


def devices() -> list[str]:
    """Sorted ids of the packaged devices: the names of the files in data/devices."""
    names = (entry.name for entry in _folder().iterdir() if entry.is_file())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def device(id_or_path: str | os.PathLike[str]) -> _core.Device:
    """A packaged device by id, or the device that a TOML file describes.

    Text that ends in ".toml" or holds a path separator is a path; all else is an id.
    Raises: UnknownNameError for an unknown id; DeviceError for a file that is not as
    docs/device-files.md says, with file, key and value.
    """
    if not isinstance(id_or_path, (str, os.PathLike)):
        raise _core.ArgumentError(f"[device] needs an id or a path, found {id_or_path!r}")
    text = os.fspath(id_or_path)
    if isinstance(id_or_path, os.PathLike) or text.endswith(".toml") or os.sep in text:
        return load_device(Path(text))
    return _packaged_device(text)


def load_device(path: Path) -> _core.Device:
    """Read and check one device file from disk (not cached: the file may change)."""
    return _build(_resolve(path, str(path), (path.parent,), ()))


def default_framework(device: _core.Device) -> str:
    """Id of the framework that a device is predicted with when none is named."""
    return _FRAMEWORK_OF_VENDOR[device.vendor]


@functools.cache
def families() -> frozenset[str]:
    """Families that packaged devices belong to: the scopes a framework file may name."""
    return frozenset(device(name).family for name in devices())


@functools.cache
def _packaged_device(name: str) -> _core.Device:
    valid = devices()
    if name not in valid:
        near = _core.nearest_names(name, valid)
        raise _core.UnknownNameError(
            f"[device] unknown device {name!r}; nearest: {', '.join(near)}; "
            f"all: {', '.join(valid)}; or give the path of a .toml file"
        )
    file = _folder() / f"{name}.toml"
    parsed = _resolve(file, file.name, (), ())
    if parsed.fields.get("id") != name:
        raise fault(file.name, "id", parsed.fields.get("id"), f"must be the file's name, {name!r}")
    return _build(parsed)


def _folder() -> Traversable:
    return files("siliconprof") / "data" / "devices"


def _resolve(
    file: Traversable, label: str, beside: tuple[Path, ...], seen: tuple[str, ...]
) -> NumberFile:
    """The file laid over what it extends, parents first; it may cite their sources."""
    table = read_toml(file, label)
    chain = (*seen, _stem(file))
    if "extends" not in table:
        return parse(table, label, FIELDS, NUMBER_KEYS)
    name = table["extends"]
    parent_file = _parent_file(name, label, beside)
    if _stem(parent_file) in chain:
        cycle = " -> ".join((*chain, _stem(parent_file)))
        raise fault(label, "extends", name, f"extends itself: {cycle}")
    parent = _resolve(parent_file, parent_file.name, beside, chain)
    own = parse(table, label, FIELDS, NUMBER_KEYS, parent.sources)
    fields = {**parent.fields, **own.fields}
    return NumberFile(label, fields, own.sources, {**parent.numbers, **own.numbers})


def _stem(file: Traversable) -> str:
    return file.name.removesuffix(".toml")


def _parent_file(name: object, label: str, beside: tuple[Path, ...]) -> Traversable:
    if not isinstance(name, str) or not name.replace("-", "").isalnum():
        raise fault(label, "extends", name, "needs the id of a device or family file")
    folders: tuple[Traversable, ...] = (*beside, _folder() / "families", _folder())
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
    near = ", ".join(_core.nearest_names(name, valid))
    raise fault(label, "extends", name, f"no such device or family file; nearest: {near}")


def _build(parsed: NumberFile) -> _core.Device:
    vendor = text_field(parsed, "vendor")
    if vendor not in VENDORS:
        raise fault(parsed.file, "vendor", vendor, f"needs one of {', '.join(VENDORS)}")
    require(parsed, REQUIRED)
    _check_plausible(parsed)
    return _core.Device(
        text_field(parsed, "id"),
        text_field(parsed, "name"),
        vendor,
        text_field(parsed, "family"),
        dict(parsed.numbers),
    )


def _check_plausible(parsed: NumberFile) -> None:
    """Reject numbers that no machine can have, whatever their source says."""
    value = {key: number.value for key, number in parsed.numbers.items()}
    _check_memory(parsed.file, value)
    single = value.get("peak.matrix.float32_flops_per_s", 0.0)
    half = value.get("peak.matrix.float16_flops_per_s")
    brain = value.get("peak.matrix.bfloat16_flops_per_s")
    tf32 = value.get("peak.matrix.tf32_flops_per_s")
    for dtype, rate in (("float16", half), ("tf32", tf32)):
        if rate is not None and rate < single:
            key = f"peak.matrix.{dtype}_flops_per_s"
            need = f"below peak.matrix.float32_flops_per_s = {single:g}: products in {dtype}"
            raise fault(parsed.file, key, rate, f"{need} are never slower than in float32")
    if brain is not None and half is not None and brain > 2 * half:
        key = "peak.matrix.bfloat16_flops_per_s"
        raise fault(parsed.file, key, brain, f"above twice the float16 rate ({half:g})")


def _check_memory(file: str, value: Mapping[str, float]) -> None:
    capacity = value["memory.capacity_bytes"]
    if capacity > _LARGEST_CAPACITY_BYTES:
        need = f"implausible: above {_LARGEST_CAPACITY_BYTES:g} bytes (16 TB)"
        raise fault(file, "memory.capacity_bytes", capacity, need)
    for key in ("memory.cache_bytes", "memory.working_set_limit_bytes"):
        if value.get(key, 0.0) > capacity:
            raise fault(file, key, value[key], f"above memory.capacity_bytes = {capacity:g}")
    width = value.get("memory.bus_width_bits")
    rate = value.get("memory.transfer_rate_per_s")
    bandwidth = value["memory.bandwidth_bytes_per_s"]
    if width is not None and rate is not None and bandwidth > width / 8 * rate * _BUS_SLACK:
        need = f"above what the bus carries: memory.bus_width_bits = {width:g} / 8 x "
        need += f"memory.transfer_rate_per_s = {rate:g} is {width / 8 * rate:g} bytes/s"
        raise fault(file, "memory.bandwidth_bytes_per_s", bandwidth, need)
