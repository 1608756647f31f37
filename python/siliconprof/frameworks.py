"""Frameworks as data: launch costs and efficiencies, one TOML file each."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path

from . import _core, arguments, core_rates, stand_ins
from .devices import VENDORS, families
from .numbers import (
    DTYPES,
    NumberFile,
    fault,
    name_field,
    parse,
    read_toml,
    require,
    require_together,
    text_field,
)
from .packaged import Shelf
from .plausibility import implausible

FIELDS = ("id", "name", "vendors", "families", "lacks")
VERSION_FIELDS = ("id", "version", "like", "without", "lacks")
COMPILED = ("compile", "reduce-overhead")  # versions of a framework that compiles models
OP_CLASSES = (
    "matrix_product",
    "matrix_vector",
    "outer_product",
    "elementwise",
    "reduction",
    "row_normalisation",
)
# Those a framework may leave out: the class that stands in serves (ops/op.h, stand_in).
OPTIONAL_OP_CLASSES = ("convolution", "attention", "indexed", "rearrangement", "sort")
PRODUCT_KEYS = (
    "reach",
    "tile_loss",
    "depth_loss",
    "bandwidth",
    "start_s",
    "split_s",
    "unaligned",
    "turned",
)
# Else as turned, as unaligned, and as a product without a bias.
PRODUCT_OPTIONS = (
    *("turned_one", "unaligned_result", "unaligned_words", "biased"),
    "core_flops_per_cycle",
)
ATTENTION_KEYS = ("tile", "start_s", "reach", "block_tiles", "alone", "tail")
# Of gradients: else 1 and none.
ATTENTION_OPTIONS = ("key_tiles", "split_tiles", "beside_bytes")
FOURIER_TILES = (16, 32, 64, "cut")
FOURIER_SIZES = ("elements", "most_elements", "side", "most_side", "channels", "most_channels")
CONVOLUTION_KEYS = (
    "start_s",
    "work",
    "strided",
    *("copy", "copy_bytes_per_cycle"),
    "reach",
    "bandwidth",
    "outputs_tile",
    "channels_tile",
    "row_outputs_tile",
    "unfolded_per_flop",
    "unfolds_all",
    *("staged_per_flop", "few_part", "index_part", "two_axes_part", "unfolds"),
    *("columns_tile", "pointwise", "winograd", "transforms"),
    *(f"fourier_{tile}.{key}" for tile in FOURIER_TILES for key in (*FOURIER_SIZES, "work")),
    *(f"fourier_{tile}.images" for tile in FOURIER_TILES),
)
ACCESS_KEYS = (
    "elements_per_cycle",
    "short_part",
    "strided_part",
    "few_tiles_part",
    "result_passes",
    "row_cycles",
    "long_passes",
    "long_side_part",
    "thin_part",
    "exposed_part",
    "same_row_s",
    *("place_bytes", "least_row"),
    "far_part",
    *("start_s", "step_cycles", "shared_step_cycles", "across_elements_per_cycle", "narrow_part"),
)
POWER_KEYS = ("idle_part", "busy_part", "other_part", "clock_exponent")
# All of them or none, by table.
_TOGETHER = (
    ("product", PRODUCT_KEYS),
    ("attention", ATTENTION_KEYS),
    ("power", POWER_KEYS),
    ("power", ("stream_part", "stream_byte_joules")),
    ("memory", ("high_watermark_part", "low_watermark_part")),
    ("memory", ("limit_part", "collect_part", "capacity_part")),
)
POWER_OPTIONS = (
    *("half_bytes", "busy_half_bytes"),
    *("row_part", "row_stream_part", "row_half_bytes"),
    *("stream_part", "stream_byte_joules"),
)
INTERVAL_KEYS = ("other_part", "host_part", "memory_part", "workspace_bytes")
OFFLOAD_KEYS = (
    "pinned_part",
    "start_s",
    "pageable_start_s",
    "pageable_to_host_bytes_per_s",
    "pageable_to_device_bytes_per_s",
    "copy_s",
    "send_s",
    "fetch_s",
    "update_part",
    "update_s",
    "beside_part",
    "arriving_part",
)
DIRECTIONS = ("forward", "backward")
PHASES = (*DIRECTIONS, "optimizer", "transfer")
# What a version may lack: formats of calls, and autocast and offload of whole steps.
LACKING = ("float64", "float16", "bfloat16", "amp-fp16", "amp-bf16", "offload", "compile")
REQUIRED = ("launch.dispatch_s", "launch.round_trip_s")
_SHELF = Shelf("framework", "frameworks")
_VERSIONS = Shelf("version of a framework", "frameworks/versions")
_COMMAND_BUFFER = ("launch.command_buffer_s", "launch.ops_per_command_buffer")
_MEMORY_KEYS = (
    *("workspace_bytes", "context_bytes"),
    "kept_part",
    "high_watermark_part",
    "low_watermark_part",
    "limit_part",
    "collect_part",
    "capacity_part",
)
_GAPS = ("graph_gap_s", "pass_gap_s")
_SCOPED_LAUNCH_KEYS = ("dispatch_s", "issue_s", "round_trip_s", "kernel_s", *_GAPS)
# Of a call that is waited for, by the class of its operation (predict.synchronised).
_CALIBRATED = ("calibrated_error_part", "calibrated_short_error_part")
_CALL_KEYS = ("wait_s", "error_part", "waiting_error_part", *_CALIBRATED)


def frameworks() -> list[str]:
    """Sorted ids of the packaged frameworks: the names of the files in data/frameworks."""
    return _SHELF.names()


def framework_versions() -> list[str]:
    """Sorted names of the packaged versions beside the present ones: "torch-mps@2.2"..."""
    return _VERSIONS.names()


def framework(id: str) -> _core.Framework:
    """A packaged framework by id, or a version of it by "<id>@<version>": the numbers that differ
    there in place of the framework's own, under that name.

    Raises: UnknownNameError for an unknown id, with the nearest valid ones, and for "<id>@compile"
    of a framework whose file says why it can't compile.
    """
    return _packaged_framework(arguments.text("framework", "framework", id, "an id is needed"))


def load_framework(path: Path) -> _core.Framework:
    """A framework file (docs/framework-files.md), checked. Raises: DeviceError as for devices."""
    return _build(path, str(path))


@functools.cache
def number_keys() -> frozenset[str]:
    """Every dotted key that a framework file may hold; a scope is a family, a vendor or "any", an
    efficiency is that of a class of operations or of one operation."""
    scopes = sorted({*families(), *VENDORS, "any"})
    keys = [*REQUIRED, *_COMMAND_BUFFER, "host.pace", *stand_ins.keys(scopes)]
    keys += (f"memory.{scope}.{key}" for scope in scopes for key in _MEMORY_KEYS)
    keys += [f"launch.{scope}.{key}" for scope in scopes for key in _SCOPED_LAUNCH_KEYS]
    classes = (*OP_CLASSES, *OPTIONAL_OP_CLASSES)
    keys += [f"call.{scope}.{c}.{key}" for scope in scopes for c in classes for key in _CALL_KEYS]
    keys += [f"call.{scope}.{key}" for scope in scopes for key in ("cached_part", "short_s")]
    for scope in scopes:
        keys += [f"product.{scope}.{d}.{key}" for d in DTYPES for key in PRODUCT_KEYS]
        keys += [f"product.{scope}.{d}.{key}" for d in DTYPES for key in PRODUCT_OPTIONS]
        for way in DIRECTIONS:
            constants = (*ATTENTION_KEYS, *ATTENTION_OPTIONS)
            keys += [f"attention.{scope}.{d}.{way}.{k}" for d in DTYPES for k in constants]
        for way in (*DIRECTIONS, "weight"):
            windows = (*CONVOLUTION_KEYS, core_rates.ONE_CORE_ELEMENTS)
            keys += [f"convolution.{scope}.{d}.{way}.{k}" for d in DTYPES for k in windows]
        keys += [f"power.{scope}.{key}" for key in POWER_KEYS]
        keys += [f"offload.{scope}.{key}" for key in OFFLOAD_KEYS]
        keys += [f"power.{scope}.{d}.{k}" for d in DTYPES for k in ("peak_part", "flop_joules")]
        keys += [f"power.{scope}.{key}" for key in POWER_OPTIONS]
        keys.append(f"issue.{scope}.forward.decoder_s")
        keys.append(f"access.{scope}.across.elements_per_cycle")
        keys += [f"issue.{scope}.again.{part}_s" for part in ("block", "call")]
        keys += [f"issue.{scope}.{phase}.pass_s" for phase in PHASES]
        keys += [f"interval.{scope}.{key}" for key in INTERVAL_KEYS]
        for kind in ("product", "attention", "convolution"):
            keys += [f"interval.{scope}.{d}.{kind}_part" for d in DTYPES]
        for op in _core.op_names():
            keys.append(f"call.{scope}.{op}.wait_s")
            keys += [f"issue.{scope}.{phase}.{op}_s" for phase in PHASES]
            keys += [f"issue.{scope}.{way}.{op}.{d}_s" for way in DIRECTIONS for d in DTYPES]
            keys.append(f"row.{scope}.{op}.elements_per_s")
            row_keys = ("elements_per_s", "bytes_per_cycle")
            keys += [f"row.{scope}.{op}.{d}.{key}" for d in DTYPES for key in row_keys]
            accesses = (*ACCESS_KEYS, *core_rates.ACCESS_KEYS)
            keys += [f"access.{scope}.{op}.{key}" for key in accesses]
        for subject in (*OP_CLASSES, *OPTIONAL_OP_CLASSES, *_core.op_names()):
            stem = f"efficiency.{scope}.{subject}"
            keys += [f"{stem}.bandwidth", *(f"{stem}.compute.{d}" for d in (*DTYPES, "any"))]
            keys += [f"{stem}.{key}" for key in core_rates.EFFICIENCY_KEYS]
    return frozenset(keys)


@functools.cache
def _packaged_framework(name: str) -> _core.Framework:
    if "@" in name:
        return _version(name)
    file = _SHELF.file(name)
    built = _build(file, file.name)
    if built.id != name:
        raise fault(file.name, "id", built.id, f"must be the file's name, {name!r}")
    return built


def _build(file: Traversable, label: str) -> _core.Framework:
    parsed = parse(read_toml(file, label), label, FIELDS, number_keys())
    vendors = parsed.fields.get("vendors")
    if not isinstance(vendors, list) or not vendors or any(v not in VENDORS for v in vendors):
        raise fault(label, "vendors", vendors, f"needs a list out of {', '.join(VENDORS)}")
    require(parsed, REQUIRED)
    _check_together(parsed)
    _check_efficiencies(parsed, _families(parsed) or vendors)
    return _core.Framework(
        name_field(parsed, "id"),
        text_field(parsed, "name"),
        vendors,
        dict(parsed.numbers),
        _lacks(parsed),
    )


def runs_on(framework: _core.Framework, device: _core.Device) -> bool:
    """Whether the framework runs on the device's vendor, and says something of the device's family:
    one that is known on some families of a vendor has nothing for the others."""
    stems = [f"efficiency.{scope}.elementwise." for scope in (device.family, device.vendor, "any")]
    known = any(key.startswith(tuple(stems)) for key in framework.numbers)
    return device.vendor in framework.vendors and known


def _families(parsed: NumberFile) -> list[str]:
    """The only ones that the framework is known on; none: all of its vendors."""
    named = parsed.fields.get("families", [])
    if not isinstance(named, list) or any(family not in families() for family in named):
        need = "needs a list of families of packaged devices"
        raise fault(parsed.file, "families", named, need)
    return named


def _version(name: str) -> _core.Framework:
    _refuse_compiled(name)
    file = _VERSIONS.file(name)
    parsed = parse(read_toml(file, file.name), file.name, VERSION_FIELDS, number_keys())
    id, version = text_field(parsed, "id"), text_field(parsed, "version")
    if f"{id}@{version}" != name:
        need = f"id and version must be the file's name, {name!r}"
        raise fault(file.name, "version", f"{id}@{version}", need)
    _check_errors(parsed)
    like = text_field(parsed, "like") if "like" in parsed.fields else ""
    if like == version:
        raise fault(file.name, "like", like, "needs another version")
    base = _packaged_framework(f"{id}@{like}" if like else id)
    numbers = {**_without(parsed, base.numbers), **parsed.numbers}
    title = f"{_packaged_framework(id).name} {version}"
    return _core.Framework(name, title, base.vendors, numbers, base.lacks | _lacks(parsed))


def _without(parsed: NumberFile, numbers: Mapping[str, _core.Number]) -> dict[str, _core.Number]:
    """The framework's numbers without those whose keys begin as the version says it had none."""
    stems = parsed.fields.get("without", [])
    if not isinstance(stems, list) or not all(isinstance(stem, str) for stem in stems):
        raise fault(parsed.file, "without", stems, "needs a list of beginnings of keys")
    for stem in stems:
        if not any(key.startswith(stem) for key in numbers):
            raise fault(parsed.file, "without", stem, "no number of the framework begins so")
    return {key: n for key, n in numbers.items() if not key.startswith(tuple(stems))}


def _refuse_compiled(name: str) -> None:
    """A step compiled is no version of a framework that can't: its file says why."""
    id, _, way = name.partition("@")
    if way not in COMPILED or id not in frameworks():
        return
    why = _packaged_framework(id).lacks.get("compile")
    if why is not None:
        raise _core.UnknownNameError(f"[framework] {id} has no {way}: {why}; needed: {id} as it is")


def _lacks(parsed: NumberFile) -> dict[str, str]:
    """Why the framework can't do something, by what that is."""
    table = parsed.fields.get("lacks", {})
    if not isinstance(table, dict):
        raise fault(parsed.file, "lacks", table, "needs a table: what it lacks = why")
    for what, why in table.items():
        if what not in LACKING:
            need = f"unknown; there are: {', '.join(LACKING)}"
            raise fault(parsed.file, f"lacks.{what}", why, need)
        if not isinstance(why, str) or not why.strip() or not why.isprintable():
            raise fault(parsed.file, f"lacks.{what}", why, "needs one line of printable text")
    return dict(table)


def _check_together(parsed: NumberFile) -> None:
    """Constants of which there are all or none, each in whichever scope."""
    require_together(parsed.file, _COMMAND_BUFFER, parsed.numbers)
    split = (key.split(".") for key in parsed.numbers)
    there = {".".join((table, "<scope>", *rest)) for table, _, *rest in split}
    parts = [key.rpartition(".") for key in there]
    for table, constants in _TOGETHER:
        stems = {stem for stem, _, last in parts if stem.startswith(table) and last in constants}
        for stem in sorted(stems):
            require_together(parsed.file, [f"{stem}.{key}" for key in constants], there)


def _check_efficiencies(parsed: NumberFile, scopes: list[str]) -> None:
    """Each efficiency is in (0, 1] and has its error; each op class resolves on each vendor, or on
    each family of a framework that is known on some alone. Parts of a board's power are such."""
    _check_errors(parsed)
    streams = ("bandwidth", core_rates.ONE_CORE_BYTES, core_rates.ALL_CORES_BYTES)
    for scope in scopes:
        for op_class in OP_CLASSES:
            for terms in (("compute.any",), streams):
                stems = [f"efficiency.{place}.{op_class}" for place in (scope, "any")]
                keys = [f"{stem}.{term}" for stem in stems for term in terms]
                if not any(key in parsed.numbers for key in keys):
                    need = f"or {stems[1]}.{terms[0]} is required: every op class must resolve on "
                    raise fault(parsed.file, keys[0], None, need + scope)


def _check_errors(parsed: NumberFile) -> None:
    for key, number in parsed.numbers.items():
        if need := implausible(key, number.value):
            raise fault(parsed.file, key, number.value, need)
        if key.startswith("efficiency.") and number.relative_error == 0.0:
            need = "an efficiency states its uncertainty: half-width of its 90 % interval"
            raise fault(parsed.file, f"{key}.relative_error", None, need)
