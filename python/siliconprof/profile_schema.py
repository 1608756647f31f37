"""The keys of a profile's document, and what each must hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._core import RecordError

FORMAT = "siliconprof-profile"
VERSION = 1

Check = Callable[[Any], bool]


def check_document(content: Any, where: str) -> None:
    """Raises RecordError naming the file, the key, the value found and what was needed."""
    _check_fields(content, {"format": _is_text, "version": _is_integer}, where, "", strict=False)
    if content["format"] != FORMAT:
        raise _wrong(where, "format", content["format"], repr(FORMAT))
    if content["version"] != VERSION:
        raise _wrong(where, "version", content["version"], f"{VERSION}, the one this version reads")
    _check_fields(content, _PROFILE_FIELDS, where, "")
    for key, fields in _LISTS.items():
        for index, entry in enumerate(content[key]):
            _check_fields(entry, fields, where, f"{key}[{index}].")
    for index, entry in enumerate(content["spans"]):
        if not -1 <= entry["parent"] < index:
            needed = "-1 or the index of an earlier span"
            raise _wrong(where, f"spans[{index}].parent", entry["parent"], needed)


def _check_fields(
    content: Any, fields: dict[str, Check], where: str, prefix: str, strict: bool = True
) -> None:
    if not isinstance(content, dict):
        raise _wrong(where, prefix.rstrip(".") or "the document", content, "an object")
    for key, check in fields.items():
        if key not in content:
            raise RecordError(f"[load] {where}: {prefix}{key} is missing")
        if not check(content[key]):
            raise _wrong(where, prefix + key, content[key], str(check.__doc__))
    unknown = sorted(set(content) - set(fields)) if strict else []
    if unknown:
        raise RecordError(f"[load] {where}: unknown key {prefix}{unknown[0]}")


def _wrong(where: str, key: str, found: Any, needed: str) -> RecordError:
    shown = repr(found)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return RecordError(f"[load] {where}: {key} = {shown}; needed: {needed}")


def _is_text(value: Any) -> bool:
    """a string"""
    return isinstance(value, str)


def _is_origin(value: Any) -> bool:
    """measured, predicted or recorded"""
    return value in ("measured", "predicted", "recorded")


def _is_integer(value: Any) -> bool:
    """a whole number"""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    """a whole number, zero or more"""
    return _is_integer(value) and value >= 0


def _is_count_or_none(value: Any) -> bool:
    """a whole number, zero or more, or null"""
    return value is None or _is_count(value)


def _is_number(value: Any) -> bool:
    """a number"""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_number_or_none(value: Any) -> bool:
    """a number or null"""
    return value is None or _is_number(value)


def _is_numbers(value: Any) -> bool:
    """a list of numbers"""
    return isinstance(value, list) and all(map(_is_number, value))


def _is_interval_or_none(value: Any) -> bool:
    """a pair of numbers or null"""
    return value is None or (_is_numbers(value) and len(value) == 2)


def _is_terms_or_none(value: Any) -> bool:
    """an object of numbers or null"""
    return value is None or (isinstance(value, dict) and all(map(_is_number, value.values())))


def _is_texts(value: Any) -> bool:
    """a list of strings"""
    return isinstance(value, list) and all(map(_is_text, value))


def _is_facts(value: Any) -> bool:
    """an object of strings"""
    return isinstance(value, dict) and all(map(_is_text, value.values()))


def _is_list(value: Any) -> bool:
    """a list"""
    return isinstance(value, list)


def _is_bytes_by_role(value: Any) -> bool:
    """an object of whole numbers"""
    return isinstance(value, dict) and all(map(_is_count, value.values()))


_COUNTER_FIELDS: dict[str, Check] = {
    "name": _is_text,
    "unit": _is_text,
    "value": _is_number_or_none,
    "reason": _is_text,
    "kind": _is_text,
}

_MEMORY_FIELDS: dict[str, Check] = {"call": _is_integer, "by_role": _is_bytes_by_role}

_SPAN_FIELDS: dict[str, Check] = {
    "name": _is_text,
    "kind": _is_text,
    "phase": _is_text,
    "parent": _is_integer,
    "call": _is_integer,
    "wall_s": _is_number,
    "interval_s": _is_interval_or_none,
    "samples_s": _is_numbers,
    "terms": _is_terms_or_none,
    "matrix_flops": _is_count,
    "vector_flops": _is_count,
    "bytes_read": _is_count,
    "bytes_written": _is_count,
}

_PROFILE_FIELDS: dict[str, Check] = {
    "format": _is_text,
    "version": _is_integer,
    "origin": _is_origin,
    "label": _is_text,
    "device": _is_text,
    "framework": _is_text,
    "source": _is_text,
    "statistic": _is_text,
    "sampling": _is_text,
    "stop_reason": _is_text,
    "warmup_samples_s": _is_numbers,
    "peak_memory_bytes": _is_count_or_none,
    "energy_joules": _is_number_or_none,
    "counters": _is_list,
    "memory_timeline": _is_list,
    "environment": _is_facts,
    "notes": _is_texts,
    "spans": _is_list,
}

_LISTS = {
    "spans": _SPAN_FIELDS,
    "counters": _COUNTER_FIELDS,
    "memory_timeline": _MEMORY_FIELDS,
}
