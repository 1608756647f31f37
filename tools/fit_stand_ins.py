"""What operations that no calibration measures take beside one that it does
(stand_in.<scope>.<op>.<kernel>).

    python tools/fit_stand_ins.py [--record cpu_streams] [--framework native]

Reads calls that were measured alone on CPUs minutes after their calibrations. Of each operation
and each measured kernel of its kind (siliconprof/stand_ins.py) it takes how many times as long a
byte in cache is, what comes from beyond the cache being as the model has it; calls that memory
decides are left out. The kernel beside which that differs least among shapes and machines stands
in, at the middle of the machines' middles. Errors are split-conformal with a scale of each
operation (tools/conformal_errors.py), of each machine's rows by the other machines' middle. An
operation that fewer than two machines tell of goes by the likest kernel and may be off by any
part. No training step, none of their calls and no row of the op suite is read. Prints TOML.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformal_errors import error_parts
from fit_suite import show

import siliconprof as sp
from siliconprof import _core
from siliconprof.recorded_work import Asked, asked
from siliconprof.stand_ins import BARE, LIKE, kind_of

SCOPE = "cpu"
SOURCE = "cpu-streams"
# A team of threads that meets takes a part of what is shorter.
SHORTEST_S = 20e-6
# Of what a call moves, from beyond the cache.
MOST_FAR = 0.25
MOST_ERROR = 0.9


@dataclass(frozen=True)
class Part:
    """Times as long as the kernel by the cached byte, by device."""

    kernel: str
    by_device: Mapping[str, Sequence[float]]

    @property
    def value(self) -> float:
        """The middle of the devices' middles, of logarithms."""
        return math.exp(statistics.fmean(map(_middle, self.by_device.values())))

    @property
    def spread(self) -> float:
        """The root of the mean square of the rows' logarithms about it."""
        logs = [math.log(x / self.value) for parts in self.by_device.values() for x in parts]
        return math.sqrt(statistics.fmean(each * each for each in logs))

    def off(self) -> list[float]:
        """Of each row by the other devices, as a logarithm; none of a device alone."""
        found = []
        for device, parts in self.by_device.items():
            others = [some for other, some in self.by_device.items() if other != device]
            if others:
                middle = statistics.fmean(map(_middle, others))
                found += [math.log(part) - middle for part in parts]
        return found


def _middle(parts: Sequence[float]) -> float:
    return statistics.median(map(math.log, parts))


def errors(found: Mapping[str, Part]) -> dict[str, float]:
    """By operation, what 90 % are within, as a factor less 1."""
    judged = {op: off for op, part in found.items() if (off := part.off())}
    parts = error_parts({(op, False): off for op, off in judged.items()})
    return {op: min(parts.get((op, False), MOST_ERROR), MOST_ERROR) for op in found}


def stand_ins(record: str, framework: str) -> dict[str, Part]:
    """By operation."""
    parts: dict[str, dict[str, dict[str, list[float]]]] = {}
    for row in sp.load(record).rows:
        for op, kernel, part in parts_of(row, framework):
            of_kernel = parts.setdefault(op, {}).setdefault(kernel, {})
            of_kernel.setdefault(str(row.device), []).append(part)
    return {op: _likest([Part(k, each) for k, each in of.items()]) for op, of in parts.items()}


def _likest(candidates: Sequence[Part]) -> Part:
    """The one that differs least, of those that most machines tell of; the first of one machine."""
    most = max(len(part.by_device) for part in candidates)
    everywhere = [part for part in candidates if len(part.by_device) == most]
    return min(everywhere, key=lambda part: part.spread) if most > 1 else everywhere[0]


def parts_of(row: sp.Row, framework: str) -> Iterator[tuple[str, str, float]]:
    """(Operation, kernel, times as long) by kernel of its kind, the likest first; none of a call
    that says nothing of its operation."""
    work = asked(row)
    assert isinstance(work, Asked) and row.value is not None and row.device is not None, row
    trace = work.build()
    call = trace.calls[0]
    numbers = sp.device(row.device).numbers
    ((moved, far, is_large),) = _core.call_traffic(trace, numbers["memory.cache_bytes"].value)
    if row.value < SHORTEST_S or is_large or far > MOST_FAR * moved:
        return

    def byte_s(kernel: str, way: str) -> float:
        number = numbers.get(f"kernel.{framework}.{kernel}.float32.{way}_bytes_per_s")
        return 1.0 / number.value if number else 0.0

    least_s = min(
        byte_s(bare, "cached") + byte_s(bare, "memory") for bare in BARE if byte_s(bare, "cached")
    )
    for kernel in LIKE[kind_of(call)]:
        cached_s, memory_s = byte_s(kernel, "cached"), byte_s(kernel, "memory")
        start = numbers.get(f"kernel.{framework}.{kernel}.float32.start_s")
        taken_s = row.value - (start.value if start else 0.0)
        near_s = _near_s(taken_s, moved, far, memory_s, least_s)
        if cached_s > 0.0 and near_s > 0.0:
            yield call.op, kernel, near_s / cached_s


def _near_s(taken_s: float, moved: float, far: float, memory_s: float, least_s: float) -> float:
    """Of a byte in cache: one from beyond it takes `memory_s` more, and `least_s` at least."""
    found = (taken_s - far * memory_s) / moved
    return found if memory_s >= least_s - found else (taken_s - far * least_s) / (moved - far)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", default="cpu_streams")
    parser.add_argument("--framework", default="native")
    arguments = parser.parse_args()
    found = stand_ins(arguments.record, arguments.framework)
    for op, error in errors(found).items():
        show(f"stand_in.{SCOPE}.{op}.{found[op].kernel}", found[op].value, error, SOURCE)


if __name__ == "__main__":
    main()
