"""One training step, again and again, in a process whose memory is limited."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from .._core import Error
from ..memory_limit import memory_group
from ..swap_space import swap_space

# In a fresh process: enters the group, then takes its memory, and says what each pass did.
_FRESH = """
import json, os, sys
group, id, sizes, passes = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), int(sys.argv[4])
import siliconprof as sp
if group:
    with open(group, "w") as file: file.write(str(os.getpid()))
step = sp.bind(sp.workload(id, **sizes))
for _ in range(passes):
    with sp.window() as window:
        step()
    names = ("wall_s", "minor_faults", "major_faults", "rss_bytes")
    print(json.dumps([window.value(name) for name in names]), flush=True)
"""


@dataclass(frozen=True)
class Pass:
    """One run of the step: seconds, page faults, and resident bytes at its end."""

    time_s: float
    minor_faults: float
    major_faults: float
    rss_bytes: float


@dataclass(frozen=True)
class LimitedRun:
    """Passes under a limit; `ended` says why there are fewer than asked for, or is empty."""

    passes: tuple[Pass, ...]
    ended: str = ""


def limited_run(
    workload: str,
    sizes: Mapping[str, int],
    passes: int,
    limit_bytes: int | None,
    swap: str,
    swap_bytes: int,
    budget_s: float,
) -> LimitedRun:
    """The step in a fresh process, held to `limit_bytes` with swap of the kind, or free.

    budget_s: the process is ended after it; its passes so far count.
    Raises:   LimitUnavailable where a limit or swap can't be had; Error when the process fails.
    """
    with ExitStack() as stack:
        group = ""
        if limit_bytes is not None:
            stack.enter_context(swap_space(swap, swap_bytes))
            group = str(stack.enter_context(memory_group(limit_bytes)).processes)
        arguments = [group, workload, json.dumps(dict(sizes)), str(passes)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        try:
            done = subprocess.run(
                [sys.executable, "-c", _FRESH, *arguments],
                capture_output=True,
                text=True,
                check=False,
                env=environment,
                timeout=budget_s,
            )
        except subprocess.TimeoutExpired as expired:
            text = expired.stdout or b""
            lines = (text.decode() if isinstance(text, bytes) else text).splitlines()
            return LimitedRun(_passes(lines), f"ended after {budget_s:g} s")
    found = _passes(done.stdout.splitlines())
    if done.returncode == -9:
        return LimitedRun(found, "killed: the limit holds less than a pass needs, swap included")
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Error(f"[near capacity] the process ended with {done.returncode}: {last}")
    return LimitedRun(found)


def _passes(lines: list[str]) -> tuple[Pass, ...]:
    found = []
    for line in lines:
        try:
            found.append(Pass(*json.loads(line)))
        except ValueError:
            break  # the last line of a process that was ended may be cut
    return tuple(found)
