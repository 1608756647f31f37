"""What a step shows, run after run, while this machine's memory is limited: predicted."""

from __future__ import annotations

from dataclasses import dataclass

from . import _core
from ._core import Trace
from .names import unknown_name

PAGE_BYTES = 4096
# Pages that a fault reads at most: from compressed memory its own alone, from a file or disk those
# that left with it (Linux' vm.page-cluster at its default, 3).
READ_AHEAD = {"zram": 1, "file": 8}


@dataclass(frozen=True)
class PassFaults:
    """One run of a step: faults that waited for swap, faults that didn't (first touches, and pages
    that were read ahead), and pages read from swap and written to it."""

    major_faults: int
    minor_faults: int
    pages_in: int
    pages_out: int


def limited_passes(
    trace: Trace, limit_bytes: int, passes: int, swap: str, threads: int = 0
) -> list[PassFaults]:
    """`passes` runs of the trace on this CPU, one after the other, in `limit_bytes` of memory with
    swap of the kind "zram" or "file".

    The model: the run's memory is laid out as it is for a real one; each call touches its operands
    page by page; pages leave and come back by the rules of Linux' active and inactive lists
    (cpp/siliconprof/kernels/cpu/page_replacement.h). No constant of it is fitted.
    Raises: ArgumentError for a limit below 4 MiB; UnknownNameError for another kind of swap.
    """
    if swap not in READ_AHEAD:
        raise unknown_name("swap", swap, list(READ_AHEAD))
    pages = limit_bytes // PAGE_BYTES
    found = _core.limited_passes(trace, passes, pages, READ_AHEAD[swap], threads)
    return [PassFaults(*each) for each in found]
