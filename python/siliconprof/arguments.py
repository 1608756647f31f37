"""Arguments of public functions, checked with one wording: name, value found, what is needed."""

from __future__ import annotations

import math
import operator
import os
from numbers import Integral
from pathlib import Path
from typing import Any, TypeVar

from ._core import ArgumentError

LARGEST_COUNT = 2**31 - 1
MOST_SIZES = 1_000_000  # of one range, which is a list before it is a grid
LARGEST_SIZE = 2**63 - 1
LARGEST_THREADS = 4096  # that the core takes

_T = TypeVar("_T")
_LONGEST = 60


def refused(place: str, name: str, found: object, needed: str) -> ArgumentError:
    """The error for a bad argument: "[run] threads = 'two' (str): a whole number is needed"."""
    return ArgumentError(f"[{place}] {name} = {shown(found)} ({type(found).__name__}): {needed}")


def shown(value: object) -> str:
    """The value as an error shows it: cut where it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python prints no integer of more than some 4000 digits
        return "a number of thousands of digits"
    except RecursionError:
        return f"a deeply nested {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def whole(place: str, name: str, value: Any, least: int, most: int) -> int:
    """A whole number from `least` to `most`; a truth value is none."""
    if _is_truth(value):
        raise refused(place, name, value, "a whole number is needed")
    try:
        number = operator.index(value)
    except TypeError:
        raise refused(place, name, value, "a whole number is needed") from None
    if not least <= number <= most:
        limits = f"at least {least}" if number < least else f"at most {most}"
        raise refused(place, name, value, f"{limits} is needed")
    return number


def threads(place: str, value: Any) -> int | None:
    """A number of threads; None stands for all processors that this process may use."""
    if value is None:
        return None
    try:
        return whole(place, "threads", value, 1, LARGEST_THREADS)
    except ArgumentError:
        need = (
            f"a whole number from 1 to {LARGEST_THREADS} is needed; without one all processors run"
        )
        raise refused(place, "threads", value, need) from None


def real(place: str, name: str, value: Any, least: float = -math.inf) -> float:
    """A finite number from `least`; a truth value or a text is none."""
    needed = "a finite number is needed"
    if _is_truth(value) or isinstance(value, (str, bytes)):
        raise refused(place, name, value, needed)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise refused(place, name, value, needed) from None
    if not math.isfinite(number):
        raise refused(place, name, value, needed)
    if number < least:
        raise refused(place, name, value, f"at least {least:g} is needed")
    return number


def exact(place: str, name: str, value: Any) -> float:
    """A finite number that float64 holds as it is: two seeds are not to be one."""
    number = real(place, name, value)
    if isinstance(value, Integral) and int(number) != int(value):
        need = "a number that float64 holds is needed, as all whole ones to 2**53 are"
        raise refused(place, name, value, need)
    return number


def truth(place: str, name: str, value: Any) -> bool:
    """True or False, also as numpy's or as 1 and 0."""
    if not _is_truth(value) and not (isinstance(value, (int, float)) and value in (0, 1)):
        raise refused(place, name, value, "True or False is needed")
    return bool(value)


def callback(place: str, name: str, value: Any) -> None:
    """None, or something that can be called."""
    if value is not None and not callable(value):
        raise refused(place, name, value, "a function, or None, is needed")


def text(place: str, name: str, value: Any, needed: str = "a text is needed") -> str:
    """A text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise refused(place, name, value, needed)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise refused(place, name, value, "a text without lone surrogates is needed") from None
    return plain(value)


def plain(value: str) -> str:
    """The same characters without a class of their own: a member of `class Ids(str, Enum)` equals
    "h200", but str() and f-strings make its own name of it, "Ids.H200"."""
    return str.__str__(value)


def instance(place: str, name: str, value: Any, kind: type[_T]) -> _T:
    """A `kind`, one of the library's classes."""
    if not isinstance(value, kind):
        raise refused(place, name, value, f"a siliconprof.{kind.__name__} is needed")
    return value


def unmasked(place: str, name: str, value: object) -> None:
    """Refuses an array that hides some of its numbers, which would be read like any other."""
    import numpy

    hidden = numpy.ma.count_masked(value) if isinstance(value, numpy.ma.MaskedArray) else 0
    if hidden:
        needed = "needed: an array whose numbers all count, as its filled() makes"
        raise ArgumentError(f"[{place}] {name} masks {hidden} of its numbers; {needed}")


def path(place: str, name: str, value: Any) -> Path:
    """A path that the system can be asked for: not empty, without null characters."""
    if not isinstance(value, (str, os.PathLike)):
        raise refused(place, name, value, "a path is needed")
    found = os.fspath(value)
    if not isinstance(found, str):
        raise refused(place, name, value, "a path of text is needed")
    found = plain(found)
    if not found or "\0" in found:
        raise refused(place, name, value, "a path, not empty and without nulls, is needed")
    try:
        os.fsencode(found)
    except UnicodeEncodeError:
        raise refused(place, name, value, "a path that the system can encode is needed") from None
    return Path(found)


def _is_truth(value: object) -> bool:
    # numpy's own class, without importing it: it converts to a number silently.
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")
