"""A Device as the text of its file, which `device(path)` reads back equal."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from . import arguments
from ._core import ArgumentError, Device, Error, Number
from .atomic import check_writable, write_text
from .devices import check_text
from .numbers import ADDRESS

_OF_A_DEVICE = {"vendor", "extends"}  # either says whose numbers a file has, and no other file has
_DATE = r"(?:[^()]|\([^()]*\))*"
_SOURCE = re.compile(rf"(?P<title>.*) \((?P<date>{_DATE})\), (?P<url>{ADDRESS})", re.S)


def attach_device_methods() -> None:
    """Puts save on Device."""
    setattr(Device, save.__name__, save)


def checked_path(path: str | Path) -> Path:
    """`path` as one that a device can be saved to. Raises: ArgumentError for another suffix and for
    a file that holds something else than a device, Error for the disk's."""
    place = arguments.path("save", "path", path)
    if place.suffix != ".toml":
        raise ArgumentError(f"[save] path = {str(place)!r}: a device file's name ends in .toml")
    check_writable("save", place)
    if not _is_free(place):
        needed = "needed: another file; the one that is there holds something else than a device"
        raise ArgumentError(f"[save] path = {str(place)!r}: {needed}")
    return place


def _is_free(place: Path) -> bool:
    """Whether a device may go there: no other .toml file, as a table's header or a framework's."""
    try:
        text = place.read_text(encoding="utf-8") if place.is_file() else ""
        return not text.strip() or not _OF_A_DEVICE.isdisjoint(tomllib.loads(text))
    except OSError:  # nothing that can be read
        return True
    except ValueError:
        return False


def save(self: Device, path: str | Path) -> None:
    """Writes the device to a .toml file, whole or not at all. Raises: Error, also for names and
    numbers that the file could not be read back with."""
    place = checked_path(path)
    text = to_toml(self)
    check_text(text, str(place))
    write_text(place, text)


def to_toml(device: Device) -> str:
    """The device file (docs/device-files.md): fields, sources, then numbers by section."""
    sources: dict[str, str] = {}
    for number in device.numbers.values():
        sources.setdefault(number.source, f"s{len(sources) + 1}")
    lines = [
        f"{name} = {_text(getattr(device, name))}" for name in ("id", "name", "vendor", "family")
    ]
    for source, key in sources.items():
        lines += ["", f"[sources.{key}]", *_source_lines(source)]
    section = None
    for path, number in sorted(device.numbers.items()):
        stem, _, key = path.rpartition(".")
        if stem != section:
            lines += ["", f"[{stem}]"]
            section = stem
        lines.append(f"{key} = {_number(number, sources[number.source])}")
    return "\n".join(lines) + "\n"


def _source_lines(source: str) -> list[str]:
    found = _SOURCE.fullmatch(source)
    if found is None:
        raise Error(f"[save] source {source!r}; needed: 'title (date), address'")
    return [f"{name} = {_text(found[name])}" for name in ("title", "url", "date")]


def _number(number: Number, source: str) -> str:
    parts = [f"value = {number.value!r}", f'kind = "{number.kind}"', f'source = "{source}"']
    if number.relative_error > 0.0:
        parts.append(f"relative_error = {number.relative_error!r}")
    return f"{{ {', '.join(parts)} }}"


def _text(text: str) -> str:
    """A TOML basic string."""
    escaped = "".join(
        f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c
        for c in text.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{escaped}"'
