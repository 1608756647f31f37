"""The keys of a profile's document, and what each must hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ._core import RecordError, term_names
from .arguments import LARGEST_COUNT, LARGEST_SIZE, shown

FORMAT = "siliconprof-profile"
VERSION = 1

Check = Callable[[Any], bool]

_LONGEST_S = 1e18  # twice the age of the universe
_ADDRESSED_BYTES = 2**64  # of no machine more

# Ends of intervals are sums in another order than the time between them.
_ROUNDING = 1e-9


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
    if not content["spans"]:
        raise _wrong(where, "spans", [], "at least the step's span")
    for key, interval in _INTERVALS.items():
        _check_interval(content, key, interval, where)
    ops = sum(entry["kind"] == "op" for entry in content["spans"])
    for index, entry in enumerate(content["spans"]):
        _check_span(entry, index, where)
        _check_call(entry, ops, f"spans[{index}].call", where)
    if content["origin"] == "predicted" and content["spans"][0]["interval_s"] is None:
        raise _wrong(where, "spans[0].interval_s", None, "an interval: a prediction has one")


def _check_span(entry: Mapping[str, Any], index: int, where: str) -> None:
    """What one field of a span asks of another."""
    stem = f"spans[{index}]."
    first_is_root = (index == 0) == (entry["parent"] == -1)
    if not first_is_root or entry["parent"] >= index:
        needed = "-1 for the first span, the index of an earlier one for others"
        raise _wrong(where, f"{stem}parent", entry["parent"], needed)
    costs = [entry[key] is None for key in _COST_FIELDS]
    if any(costs) and not all(costs):
        key = next(key for key in _COST_FIELDS if entry[key] is None)
        raise _wrong(where, stem + key, None, "a whole number, as the other costs of this span")
    _check_interval(entry, "wall_s", "interval_s", where, stem)


def _check_interval(
    entry: Mapping[str, Any], key: str, interval: str, where: str, stem: str = ""
) -> None:
    """What is said to lie between two ends does."""
    found, ends = entry[key], entry[interval]
    if found is None or ends is None:
        return
    low, high = ends
    slack = _ROUNDING * high
    if low > high or not low - slack <= found <= high + slack:
        needed = f"low, then high end, with {key} = {found!r} between them"
        raise _wrong(where, stem + interval, ends, needed)


def _check_call(entry: Mapping[str, Any], ops: int, key: str, where: str) -> None:
    """An operation's span is of one of the trace's calls."""
    call = entry["call"]
    if entry["kind"] != "op":
        if call != -1:
            raise _wrong(where, key, call, f"-1, as this span is a {entry['kind']}'s")
    elif not 0 <= call < ops:
        needed = f"0 to {ops - 1}, the place of a call, of which each has its span"
        raise _wrong(where, key, call, needed)


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
    return RecordError(f"[load] {where}: {key} = {shown(found)}; needed: {needed}")


def _one_of(*names: str) -> Check:
    def check(value: Any) -> bool:
        return isinstance(value, str) and value in names

    check.__doc__ = f"{', '.join(names[:-1])} or {names[-1]}"
    return check


def _or_none(check: Check) -> Check:
    def or_none(value: Any) -> bool:
        return value is None or check(value)

    or_none.__doc__ = f"{check.__doc__} or null"
    return or_none


def _list_of(check: Check, what: str) -> Check:
    def every(value: Any) -> bool:
        return isinstance(value, list) and all(map(check, value))

    every.__doc__ = f"a list of {what}"
    return every


def _pair_of(check: Check, what: str) -> Check:
    def both(value: Any) -> bool:
        return isinstance(value, list) and len(value) == 2 and all(map(check, value))

    both.__doc__ = f"a pair of {what},"
    return both


def _object_of(check: Check, what: str) -> Check:
    def every(value: Any) -> bool:
        return (
            isinstance(value, dict)
            and all(map(_is_text, value))
            and all(map(check, value.values()))
        )

    every.__doc__ = f"an object of {what}"
    return every


def _is_text(value: Any) -> bool:
    """a string without lone surrogates"""
    if not isinstance(value, str):
        return False
    try:
        return bool(value.encode()) or not value
    except UnicodeEncodeError:
        return False


def _is_integer(value: Any) -> bool:
    """a whole number"""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_index(value: Any) -> bool:
    """a whole number from -1 to 2^31 - 1"""
    return _is_integer(value) and -1 <= value <= LARGEST_COUNT


def _is_count(value: Any) -> bool:
    """a whole number, zero or more, below 2^63"""
    return _is_integer(value) and 0 <= value <= LARGEST_SIZE


def _is_number(value: Any) -> bool:
    """a finite number"""
    if isinstance(value, float):
        return math.isfinite(value)
    # Beyond 2^1000 an integer is no floating-point number any more.
    return _is_integer(value) and abs(value) < 2**1000


def _is_amount(value: Any) -> bool:
    """a finite number, zero or more"""
    return _is_number(value) and value >= 0


def _is_size(value: Any) -> bool:
    """a finite number, zero or more, below 2^64"""
    return _is_amount(value) and value < _ADDRESSED_BYTES


def _is_time(value: Any) -> bool:
    """a finite time in seconds, zero or more"""
    return _is_amount(value) and value <= _LONGEST_S


def _is_terms(value: Any) -> bool:
    """an object of finite times in seconds, zero or more, by the names of terms,"""
    return (
        isinstance(value, dict)
        and set(value) <= set(term_names())
        and all(map(_is_time, value.values()))
    )


def _is_list(value: Any) -> bool:
    """a list"""
    return isinstance(value, list)


_COUNTER_FIELDS: dict[str, Check] = {
    "name": _is_text,
    "unit": _is_text,
    "value": _or_none(_is_number),
    "reason": _is_text,
    "kind": _one_of("delta", "level"),
}

_MEMORY_FIELDS: dict[str, Check] = {
    "call": _is_index,
    "by_role": _object_of(_is_count, "whole numbers, zero or more"),
}

_COST_FIELDS = ("matrix_flops", "vector_flops", "bytes_read", "bytes_written")

_SPAN_FIELDS: dict[str, Check] = {
    "name": _is_text,
    "kind": _one_of("step", "phase", "op"),
    "phase": _one_of("forward", "backward", "optimizer", "transfer"),
    "parent": _is_index,
    "call": _is_index,
    "wall_s": _is_time,
    "interval_s": _or_none(_pair_of(_is_time, "finite times in seconds, zero or more")),
    "samples_s": _list_of(_is_time, "finite times in seconds, zero or more"),
    "terms": _or_none(_is_terms),
    **{key: _or_none(_is_count) for key in _COST_FIELDS},
}

_INTERVALS = {
    "peak_memory_bytes": "peak_memory_interval_bytes",
    "energy_joules": "energy_interval_joules",
}
_RANGE = _pair_of(_is_amount, "finite numbers, zero or more")
_BYTES_RANGE = _pair_of(_is_size, "finite numbers, zero or more, below 2^64")
_PROFILE_FIELDS: dict[str, Check] = {
    "format": _is_text,
    "version": _is_integer,
    "origin": _one_of("measured", "predicted", "recorded"),
    "label": _is_text,
    "work": _is_text,
    "device": _is_text,
    "framework": _is_text,
    "source": _is_text,
    "statistic": _one_of("median", "mean", "unstated"),
    "sampling": _is_text,
    "stop_reason": _is_text,
    "warmup_samples_s": _list_of(_is_time, "finite times in seconds, zero or more"),
    "peak_memory_bytes": _or_none(_is_count),
    "peak_memory_interval_bytes": _or_none(_BYTES_RANGE),
    "energy_joules": _or_none(_is_amount),
    "energy_interval_joules": _or_none(_RANGE),
    "counters": _is_list,
    "memory_timeline": _is_list,
    "environment": _object_of(_is_text, "strings"),
    "notes": _list_of(_is_text, "strings"),
    "spans": _is_list,
}

_LISTS = {
    "spans": _SPAN_FIELDS,
    "counters": _COUNTER_FIELDS,
    "memory_timeline": _MEMORY_FIELDS,
}
