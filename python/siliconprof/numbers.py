"""Number tables of device and framework files: TOML in, a flat dict of sourced numbers out."""

from __future__ import annotations

import bisect
import functools
import math
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any, TypeGuard

from . import _core
from .arguments import shown
from .names import nearest_of, nearest_valid

NUMBER_KINDS = ("spec", "measured", "fitted", "assumed")
DTYPES = ("float64", "float32", "tf32", "float16", "bfloat16")

# What can stand in a file's name or a dotted key, and what that needs.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
NAME_NEEDS = "needs 1 to 64 letters, digits, dots, dashes and underscores"
# Instead of an address: the source is a measurement made on the machine that the file describes.
LOCAL = "here"
ADDRESS = rf"https?://\S+|{LOCAL}"
# How the source of a number begins that a user set in place of a file's (what_if.py).
SET_BY_USER = "set by the user"

_NUMBER_FIELDS = ("value", "kind", "source", "relative_error")
_SOURCE_FIELDS = ("title", "url", "date")
# Suffix of a key, its unit, and what any machine of the last forty or the next ten years can have.
_UNITS = (
    ("_flops_per_cycle", "FLOP/cycle", 1.0, 1e6),
    ("_flops_per_s", "FLOP/s", 1e6, 1e18),
    ("_bytes_per_s", "bytes/s", 1e6, 1e15),
    ("_rate_per_s", "transfers/s", 1e6, 1e12),
    ("elements_per_s", "elements/s", 1e3, 1e15),
    ("elements", "elements", 1.0, 1e15),
    ("_bytes", "bytes", 1.0, 1e14),
    ("_bits", "bits", 1.0, 1e5),
    ("_watts", "watts", 0.1, 1e5),
    ("_hz", "hertz", 1e6, 1e11),
    ("thermal_joules", "joules", 1.0, 1e7),
    ("_joules", "joules", 1e-15, 1.0),
    ("_usd", "US dollars", 1.0, 1e7),
    ("_s", "seconds", 1e-9, 10.0),
)
UNIT_SUFFIXES = tuple(entry[0] for entry in _UNITS)
_PLAIN = ("", "1", 1e-6, 1e6)
# Cores and sides of tiles: what is less than one is none.
_COUNTS = (".cores", "tile")
_COUNT = ("", "1", 1.0, 1e6)


@dataclass(frozen=True)
class NumberFile:
    """One parsed file: its own fields (`id`, `name`, ...), its sources and its numbers."""

    file: str
    fields: Mapping[str, Any]
    sources: Mapping[str, str]
    numbers: Mapping[str, _core.Number]


def unit_of(key: str) -> str:
    """Unit that the suffix of a dotted key states; "1" for ratios and counts."""
    return _unit(key)[1]


def accepted(key: str) -> str:
    """ "bytes/s between 1e+06 and 1e+15 are accepted", as messages about a dotted key have it."""
    unit, low, high = unit_of(key), *range_of(key)
    return f"{'numbers' if unit == '1' else unit} between {low:g} and {high:g} are accepted"


def range_of(key: str) -> tuple[float, float]:
    """The smallest and the largest plausible value of a dotted key, by its unit."""
    _, _, low, high = _unit(key)
    return low, high


def _unit(key: str) -> tuple[str, str, float, float]:
    plain = _COUNT if key.endswith(_COUNTS) else _PLAIN
    return next((entry for entry in _UNITS if key.endswith(entry[0])), plain)


def fault(file: str, key: str, found: object, needed: str) -> _core.DeviceError:
    """The one form of message for a bad entry: file, key, value found, what was needed."""
    return _core.DeviceError(f"[{file}] {key} = {shown(found)}: {needed}")


def unknown_key(file: str, key: str, found: object, valid: Collection[str]) -> _core.DeviceError:
    """Message for a key that no rule knows; a key without its unit gets the full name first."""
    while isinstance(found, dict) and found and "value" not in found:
        inner = next(iter(found))  # a misspelt section: name its first entry in full
        key, found = f"{key}.{inner}", found[inner]
    with_unit = sorted(name for name in valid if name.startswith(f"{key}_"))
    if with_unit:
        hint = f"a number's key ends in its unit; use {', '.join(with_unit)}"
        return fault(file, key, found, hint)
    names = nearest_of(key, sorted(valid)) or _siblings(key, valid)
    hint = f"; nearest valid: {', '.join(names)}" if names else ""
    return fault(file, key, found, f"unknown key{hint}")


def _siblings(key: str, valid: Collection[str]) -> list[str]:
    """Valid keys of the deepest section of `key` that exists; else what a file may begin with."""
    stem = key
    while "." in stem:
        stem = stem.rpartition(".")[0]
        below = sorted(name for name in valid if name.startswith(f"{stem}."))
        if below:
            return below[:6]
    return sorted({name.partition(".")[0] for name in valid})


def parse(
    table: Mapping[str, Any],
    file: str,
    fields: Collection[str],
    valid: Collection[str],
    inherited_sources: Mapping[str, str] | None = None,
) -> NumberFile:
    """Check one file's table. `fields` are plain top-level keys, `valid` dotted number keys.

    Raises: DeviceError naming file, key and value for anything that is not as documented.
    """
    sources = {**(inherited_sources or {}), **_sources(table.get("sources", {}), file)}
    plain: dict[str, Any] = {}
    numbers: dict[str, _core.Number] = {}
    for key, value in table.items():
        if key in fields:
            plain[key] = value
        elif key != "sources":
            _collect(key, value, file, valid, fields, sources, numbers)
    return NumberFile(file, plain, sources, numbers)


def read_toml(file: Traversable, label: str) -> dict[str, Any]:
    """Parse a TOML file. Raises: DeviceError if it cannot be read or is not TOML."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise _core.DeviceError(f"[{label}] cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise _core.DeviceError(f"[{label}] cannot be read as UTF-8 text: {error}") from error
    if text.startswith("\ufeff"):
        need = "begins with a byte-order mark; save it as UTF-8 without one"
        raise _core.DeviceError(f"[{label}] {need}")
    return parse_toml(text, label)


def parse_toml(text: str, label: str) -> dict[str, Any]:
    """The table of a TOML text. Raises: DeviceError."""
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise _core.DeviceError(f"[{label}] is not valid TOML: nested too deeply") from error
    except ValueError as error:  # tomllib's own, and Python's for numbers that it cannot hold
        raise _core.DeviceError(f"[{label}] is not valid TOML: {error}") from error


def text_field(parsed: NumberFile, key: str) -> str:
    """A required, non-empty text field of the file."""
    value = parsed.fields.get(key)
    if not isinstance(value, str) or not value.strip():
        raise fault(parsed.file, key, value, "a non-empty text is required")
    if not value.isprintable():
        raise fault(parsed.file, key, value, "needs one line of printable text")
    return value


def name_field(parsed: NumberFile, key: str) -> str:
    """A required name that can stand in a file's name or a dotted key."""
    value = text_field(parsed, key)
    if not NAME.fullmatch(value):
        raise fault(parsed.file, key, value, NAME_NEEDS)
    return value


def require(parsed: NumberFile, keys: Collection[str]) -> None:
    """Raise DeviceError for the first key of `keys` that has no number."""
    for key in keys:
        if key not in parsed.numbers:
            raise fault(parsed.file, key, None, f"required number is missing ({unit_of(key)})")


def require_together(file: str, keys: Sequence[str], there: Collection[str]) -> None:
    """Raise DeviceError where some of `keys` are there, and others aren't."""
    found = [key for key in keys if key in there]
    for key in keys:
        if found and key not in there:
            raise fault(file, key, None, f"is needed beside {found[0]}")


def _sources(table: object, file: str) -> dict[str, str]:
    if not isinstance(table, dict):
        raise fault(file, "sources", table, "needs tables [sources.<key>]")
    found = {}
    for key, entry in table.items():
        path = f"sources.{key}"
        if not isinstance(entry, dict):
            raise fault(file, path, entry, "needs a table with title, url, date")
        for name, value in entry.items():
            if name not in _SOURCE_FIELDS:
                raise unknown_key(file, f"{path}.{name}", value, _under(path, _SOURCE_FIELDS))
        for name in _SOURCE_FIELDS:
            value = entry.get(name)
            if not isinstance(value, str) or not value.strip():
                raise fault(file, f"{path}.{name}", value, "a non-empty text is required")
        if not re.fullmatch(ADDRESS, entry["url"]):
            need = f"needs an http(s) address, or {LOCAL!r} for what was measured on the machine"
            raise fault(file, f"{path}.url", entry["url"], need)
        found[key] = f"{entry['title']} ({entry['date']}), {entry['url']}"
    return found


def _under(path: str, names: Collection[str]) -> list[str]:
    return [f"{path}.{name}" for name in names]


def _collect(
    path: str,
    value: object,
    file: str,
    valid: Collection[str],
    fields: Collection[str],
    sources: Mapping[str, str],
    into: dict[str, _core.Number],
) -> None:
    if path in valid:
        into[path] = _number(path, value, file, sources)
        return
    if not isinstance(value, dict) or not value or not _is_section(path, valid):
        raise unknown_key(file, path, value, [*valid, *fields, "sources"])
    for key, below in value.items():
        _collect(f"{path}.{key}", below, file, valid, fields, sources, into)


def _is_section(path: str, valid: Collection[str]) -> bool:
    """Whether a valid key lies below `path`."""
    keys = _in_order(frozenset(valid))
    place = bisect.bisect(keys, f"{path}.")
    return place < len(keys) and keys[place].startswith(f"{path}.")


@functools.lru_cache(maxsize=4)
def _in_order(keys: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(keys))


def _number(path: str, entry: object, file: str, sources: Mapping[str, str]) -> _core.Number:
    if not isinstance(entry, dict):
        raise fault(file, path, entry, "needs { value = ..., kind = ..., source = ... }")
    for name, value in entry.items():
        if name not in _NUMBER_FIELDS:
            raise unknown_key(file, f"{path}.{name}", value, _under(path, _NUMBER_FIELDS))
    for name in _NUMBER_FIELDS[:3]:
        if name not in entry:
            raise fault(file, f"{path}.{name}", None, "is missing; value, kind, source are needed")
    value = _positive(path, entry["value"], file)
    kind, source = entry["kind"], entry["source"]
    if kind not in NUMBER_KINDS:
        raise fault(file, f"{path}.kind", kind, f"needs one of {', '.join(NUMBER_KINDS)}")
    if not isinstance(source, str) or source not in sources:
        need = f"not in [sources]; {nearest_valid(source, sorted(sources))}"
        raise fault(file, f"{path}.source", source, need)
    error = _relative_error(path, entry, sources[source], file)
    low, high = range_of(path)
    if not low <= value <= high:
        raise fault(file, path, value, f"implausible: {accepted(path)}")
    return _core.Number(value, kind, sources[source], error)


def _relative_error(path: str, entry: Mapping[str, Any], source: str, file: str) -> float:
    """A maker's number may be taken as exact, and one that was set; what was measured, fitted or
    assumed never is."""
    may_be_exact = entry["kind"] == "spec" or source.startswith(SET_BY_USER)
    if "relative_error" not in entry and not may_be_exact:
        need = f"a number that is {entry['kind']} states its error: half-width of its 90 % interval"
        raise fault(file, f"{path}.relative_error", None, need)
    error = entry.get("relative_error", 0.0)
    low = "[" if may_be_exact else "("
    if not _is_finite(error) or not 0.0 <= error < 1.0 or (low == "(" and error == 0.0):
        raise fault(file, f"{path}.relative_error", error, f"needs a number in {low}0, 1)")
    return float(error)


def _positive(path: str, value: object, file: str) -> float:
    if not _is_finite(value) or value <= 0:
        raise fault(file, path, value, f"needs a finite number above zero ({accepted(path)})")
    return float(value)


def _is_finite(value: object) -> TypeGuard[float]:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:  # an integer beyond the largest float
        return False
