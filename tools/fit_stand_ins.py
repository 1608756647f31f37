"""What operations that no calibration measures take beside one that it does
(stand_in.<scope>.<op>.<kernel>).

    python tools/fit_stand_ins.py [--record cpu_streams] [--framework native]

Reads calls that were measured alone on CPUs minutes after their calibrations. Of each operation and
each measured kernel of its kind it takes how many times as long a byte in cache is, what comes from
beyond the cache being as quick as the kernel has it; calls that memory decides are left out. The
kernel beside which that differs least among shapes and machines stands in, at the middle of the
machines' middles. Errors are split-conformal with a scale of each operation
(tools/conformal_errors.py), of each machine's rows by the other machines' middle. No training step,
none of their calls and no row of the op suite is read. Prints TOML.
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

SCOPE = "cpu"
SOURCE = "cpu-streams"
# Only kernels of the operation's kind stand in, where there are some: two machines and two shapes
# can't tell likeness from chance.
LIKE = {
    "function": ("gelu_tanh", "gelu_tanh_backward"),
    "elementwise": ("add", "adamw", "copy", "relu", "relu_backward"),
    "row_normalisation": (
        *("batch_norm", "batch_norm_backward", "cross_entropy", "cross_entropy_backward"),
        *("layer_norm", "layer_norm_backward", "softmax"),
    ),
    "reduction": ("copy", "sum", "sum_rows"),
}
# Of the elementwise operations, what takes an exponential, a logarithm or an error function.
FUNCTIONS = ("selu", "sigmoid", "softplus", "silu", "gelu", "bias_gelu", "bce")
LIKE_OTHERS = ("copy", "gather", "matvec")
# A team of threads that meets takes a part of what is shorter.
SHORTEST_S = 20e-6
# Of what a call moves, from beyond the cache.
MOST_FAR = 0.25
MOST_ERROR = 0.9
_LEAST_PART = 0.05


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
        """Of each row by the other devices, as a logarithm; of one device alone by itself."""
        return [
            math.log(x) - statistics.fmean(map(_middle, self._others(device)))
            for device, parts in self.by_device.items()
            for x in parts
        ]

    def _others(self, device: str) -> list[Sequence[float]]:
        others = [parts for other, parts in self.by_device.items() if other != device]
        return others or [self.by_device[device]]


def _middle(parts: Sequence[float]) -> float:
    return statistics.median(map(math.log, parts))


def errors(found: Mapping[str, Part]) -> dict[str, float]:
    """By operation, what 90 % are within, as a factor less 1."""
    parts = error_parts({(op, False): part.off() for op, part in found.items()})
    return {op: min(error, MOST_ERROR) for (op, _), error in parts.items()}


def stand_ins(record: str, framework: str) -> dict[str, Part]:
    """By operation."""
    parts: dict[str, dict[str, dict[str, list[float]]]] = {}
    for row in sp.load(record).rows:
        for op, kernel, part in _parts_of(row, framework):
            of_kernel = parts.setdefault(op, {}).setdefault(kernel, {})
            of_kernel.setdefault(str(row.device), []).append(part)
    found = {}
    for op, by_kernel in parts.items():
        most = max(map(len, by_kernel.values()))  # devices
        everywhere = [Part(k, each) for k, each in by_kernel.items() if len(each) == most]
        found[op] = min(everywhere, key=lambda part: (part.spread, part.kernel))
    return found


def _parts_of(row: sp.Row, framework: str) -> Iterator[tuple[str, str, float]]:
    work = asked(row)
    assert isinstance(work, Asked) and row.value is not None and row.device is not None, row
    numbers = sp.device(row.device).numbers
    trace = work.build()
    if row.value < SHORTEST_S:
        return
    cache = numbers["memory.cache_bytes"].value
    ((moved, far_bytes, is_large),) = _core.call_traffic(trace, cache)
    if is_large or far_bytes > MOST_FAR * moved:
        return  # memory's time, not the operation's
    call = trace.calls[0]
    kind = "function" if call.op.startswith(FUNCTIONS) else call.op_class
    for kernel in LIKE.get(kind, LIKE_OTHERS):
        stem = f"kernel.{framework}.{kernel}.float32."
        cached = numbers.get(stem + "cached_bytes_per_s")
        if cached is None:
            continue
        memory = numbers.get(stem + "memory_bytes_per_s")
        start = numbers.get(stem + "start_s")
        besides_s = (start.value if start else 0.0) + (far_bytes / memory.value if memory else 0.0)
        cached_s = moved / cached.value
        yield call.op, kernel, max((row.value - besides_s) / cached_s, _LEAST_PART)


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
