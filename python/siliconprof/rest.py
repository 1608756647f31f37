"""Whether other processes used the processors meanwhile."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from . import _core

# More of the processors than this, in the hands of others, disturbs a measurement.
_DISTURBING = 0.05
# The system counts in ticks; two of them are no evidence.
_TICKS = 2


@dataclass(frozen=True)
class Usage:
    """Seconds so far: of the clock, of this process, and that the processors it may use were busy
    with anything (None where the system doesn't tell)."""

    wall_s: float
    own_s: float
    busy_s: float | None
    processors: int
    tick_s: float


def usage(root: Path = Path("/")) -> Usage:
    """Now. `root` stands before /proc."""
    processors = set(_core.usable_processors())
    ticks_per_s = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
    busy = busy_ticks(root, processors)
    own = os.times()
    return Usage(
        time.monotonic(),
        own.user + own.system,
        None if busy is None else busy / ticks_per_s,
        len(processors),
        1.0 / ticks_per_s,
    )


def busy_ticks(root: Path, processors: set[int]) -> int | None:
    """Ticks that these processors were not idle, stolen ones included."""
    try:
        lines = (root / "proc/stat").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    total, seen = 0, 0
    for line in lines:
        name, *fields = line.split()
        if name.startswith("cpu") and name != "cpu" and int(name[3:]) in processors:
            user, nice, system, _idle, _wait, *rest = map(int, fields[:8])
            total += user + nice + system + sum(rest)
            seen += 1
    return total if seen == len(processors) else None


def others(before: Usage, after: Usage) -> float | None:
    """The part of the processors' time that others used; None where it can't be told."""
    if before.busy_s is None or after.busy_s is None:
        return None
    wall_s = after.wall_s - before.wall_s
    others_s = (after.busy_s - before.busy_s) - (after.own_s - before.own_s)
    others_s -= _TICKS * after.tick_s * after.processors
    return max(0.0, others_s) / (wall_s * after.processors) if wall_s > 0.0 else None


def is_disturbed(part: float | None) -> bool:
    """Whether that part of the processors in others' hands spoils a measurement."""
    return part is not None and part > _DISTURBING


def wait_for_rest(longest_s: float, window_s: float = 0.5) -> bool:
    """Waits until others leave the processors alone for a moment; False when they did not."""
    end_s = time.monotonic() + longest_s
    while True:
        before = usage()
        time.sleep(window_s)
        if not is_disturbed(others(before, usage())):
            return True
        if time.monotonic() >= end_s:
            return False
