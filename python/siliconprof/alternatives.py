"""What takes a step less memory: other options and sizes, each tried before it is named."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ._core import Error, Trace
from .quantity import scaled
from .remaking import Changes, options_of

Peak = Callable[[Trace], float | None]
Taken = Callable[[Changes], float | None]

# An option, the value that is tried, and the values beside which it takes nothing off.
_OPTIONS: tuple[tuple[str, Any, tuple[Any, ...]], ...] = (
    ("precision", "amp-bf16", ("amp-bf16", "amp-fp16")),
    ("checkpoint", True, (True,)),
    ("optimizer", "sgd", ("sgd", "none")),
    ("offload", True, ("overlapped", "delayed", "serial", "pageable")),
    ("lora", 8, tuple(range(1, 9))),
)
_SIZES = ("seq", "label_len", "image")
_LESS = 0.99  # of what it takes: whoever follows advice wants to see it


def what_takes_less(trace: Trace, memory_bytes: float, shares: bool, peak_of: Peak) -> str:
    """Where no batch fits: what would at batch 1, or at least takes less; in words.

    shares: whether the memory is the host's too, where offloading takes nothing off it.
    Changes are tried one by one, then those that take most off together, until they fit. One that
    the model refuses or that can't be predicted is none.
    """
    found = options_of(trace)
    if found is None:
        return "smaller sizes take less"
    options, make = found

    def taken(changes: Changes) -> float | None:
        try:
            return peak_of(make({"batch": 1, **changes}))
        except Error:
            return None

    whole = taken({}) or math.inf
    tried: list[tuple[float, Changes]] = []
    for ladder in _ladders(options, shares):
        peak, change = _down(ladder, {}, memory_bytes, taken)
        if change:
            tried.append((peak, change))
    tried.sort(key=lambda entry: entry[0])
    if fitting := [change for peak, change in tried if peak <= memory_bytes]:
        return f"at batch=1 {_listed(fitting, 'or')} would fit"
    if not tried or tried[0][0] >= _LESS * whole:
        return "nothing that was tried takes less"
    least, together = _together(tried, memory_bytes, taken)
    if least <= memory_bytes:
        return f"at batch=1 {_listed([together], 'and')} together would fit"
    takes = "together take" if len(together) > 1 else "takes"
    least_words = f"least of what was tried, {scaled(least, 'bytes')} at batch=1"
    return f"{_listed([together], 'and')} {takes} {least_words}"


def _together(
    tried: list[tuple[float, Changes]], memory_bytes: float, taken: Taken
) -> tuple[float, Changes]:
    """Bytes, and changes that take them: what takes most off first, then what takes off more."""
    least, changes = tried[0]
    for _, change in tried[1:]:
        peak, more = _down(_halves(change), changes, memory_bytes, taken)
        if peak < _LESS * least or peak <= memory_bytes:
            least, changes = peak, more
        if least <= memory_bytes:
            break
    return least, changes


def _ladders(options: Changes, shares: bool) -> Iterator[Iterable[Changes]]:
    """What is tried of each option: one value, or of a size its halves."""
    for name, value, already in _OPTIONS:
        if options.get(name) not in already and not (name == "offload" and shares):
            yield [{name: value}]
    for name in _SIZES:
        if options.get(name, 1) > 1:
            yield _halves({name: options[name] // 2})


def _halves(change: Changes) -> Iterator[Changes]:
    """The change itself, and of a size its halves."""
    ((name, value),) = change.items()
    yield change
    while name in _SIZES and (value := value // 2) >= 1:
        yield {name: value}


def _down(
    ladder: Iterable[Changes], beside: Changes, memory_bytes: float, taken: Taken
) -> tuple[float, Changes]:
    """The first that fits beside other changes; without one the first that can be made, if any."""
    first: tuple[float, Changes] = (math.inf, {})
    for change in ladder:
        peak = taken({**beside, **change})
        if peak is None:
            continue
        if peak <= memory_bytes or not first[1]:
            first = (peak, {**beside, **change})
        if peak <= memory_bytes:
            break
    return first


def _listed(changes: list[Changes], last: str) -> str:
    """ "seq=128, checkpoint=True or lora=8"."""
    words = [f"{name}={value!r}" for change in changes for name, value in change.items()]
    return f" {last} ".join([*([", ".join(words[:-1])] if words[:-1] else []), words[-1]])
