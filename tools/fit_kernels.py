"""Fit the efficiencies of single operations (efficiency.<family>.<op>) of a framework file.

    python tools/fit_kernels.py --device h200 [--record h200_ops]

Reads the kernels of a packaged record, of h200_images and of h200_composites, measured by
tools/measure_torch_cuda.py. A kernel's time is a start, that of the shortest kernels, and its
compulsory bytes (attention: its flops) at a part of the device's peak; the part is the median over
rows that take at least five starts, its error the 90th percentile of their distances. What a
framework's models compute by several kernels has further ones that start on their own, norms
wait for their rows (access.<family>.<op>.start_s), which all of their rows tell; sums are
tools/fit_layouts.py's. The
round trip is the median host's. No training step is read. Prints TOML; where two boards were asked
for an operation, tools/fit_cores.py goes on from there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from statistics import fmean, median

from fit_arguments import fit_arguments

import siliconprof as sp
from siliconprof.recorded_ops import BEFORE, OURS, dims_of

# By the dtype that is read; what copies heads to lie apart, by the dtypes that steps copy in.
CASTS = {"float32": "cast_float16", "float16": "cast_float32"}
COPIED = ("float16", "bfloat16")
DROPPED = {"tensors"}  # dimensions of the record that ours don't have
ROUND_TRIP = "host.round_trip "
IMAGES = "h200_images"
COMPOSITES = "h200_composites"
TWO_BOARDS = "h100_ops"  # by which tools/fit_cores.py tells more of an operation
OF_KERNELS = ("rms_norm", "rms_norm_backward", "rotary", "silu_gate", "silu_gate_backward")
# Of one or two, which have a row each from end to end before they have anything to write.
OF_ROWS = ("layer_norm", "layer_norm_backward")
STEP_S, STEPS = 1e-7, 300  # of starts that are tried


def ours_of(op: str, direction: str, dtype: str | None) -> str | None:
    """The operation of ours that a row's is."""
    if op == "cast":
        return CASTS.get(dtype or "")
    if op == "transpose":
        return op if dtype in COPIED else None
    if op == "rms_norm" and dtype != "float32":
        return None  # autocast leaves it as it is, and of 16 bits it takes further kernels
    return OURS.get((op, direction))


@dataclass(frozen=True)
class Amounts:
    """What the calls of a row move and compute together."""

    bytes: int
    matrix_flops: int


def rows(record: str) -> Iterator[tuple[str, str, str, Amounts, float]]:
    """(words, op, dtype, cost, seconds) of each row that one of our operations stands for."""
    for row in sp.load(record).rows:
        op, *words = row.what.split()
        ours = ours_of(op, words[-1], row.dtype) if words else None
        if ours is None:
            continue
        values = dims_of(words)
        arguments = {k: v for k, v in values.items() if k not in DROPPED}
        if op == "attention":
            arguments["causal"] = float(arguments["causal"])
        if op == "batch_norm" and "inner" in arguments:
            arguments = {k: arguments[k] for k in ("outer", "channels", "inner")}
        names = (*BEFORE.get(op, ()), ours)
        costs = [sp.op(name, dtype=row.dtype, **arguments).cost for name in names]
        cost = Amounts(sum(c.bytes for c in costs), sum(c.matrix_flops for c in costs))
        yield row.what, ours, row.dtype, cost, row.value


def spread(values: list[float], centre: float) -> float:
    distances = sorted(abs(v / centre - 1.0) for v in values)
    return max(0.15, distances[min(len(distances) - 1, int(0.9 * len(distances)))])


def started(
    rows: Sequence[tuple[float, float]], start_s: float, most_s: float = STEPS * STEP_S
) -> tuple[float, float]:
    """The further start, below `most_s`, and the rate of (bytes, seconds) with the least mean error
    beside a start of `start_s`: of each start, the median rate."""

    def tried(further_s: float) -> tuple[float, float, float]:
        begun_s = start_s + further_s
        rate = median(count / max(s - begun_s, STEP_S) for count, s in rows)
        return fmean(abs(log((begun_s + count / rate) / s)) for count, s in rows), further_s, rate

    _, further_s, rate = min(tried(i * STEP_S) for i in range(max(1, round(most_s / STEP_S))))
    return further_s, rate


def main() -> None:
    arguments = fit_arguments(__doc__)
    device = sp.device(arguments.device)
    bandwidth = device.numbers["memory.bandwidth_bytes_per_s"].value
    table = [row[1:] for record in (arguments.record, IMAGES, COMPOSITES) for row in rows(record)]
    start_s = median(s for op, _, cost, s in table if cost.bytes < 1 << 16)
    print(f"launch.{device.family}.kernel_s = {start_s:.3g}")
    trips = [row.value for row in sp.load(arguments.record).rows if ROUND_TRIP in row.what]
    print(f"launch.{device.family}.round_trip_s = {median(trips):.3g}  # {len(trips) // 2} hosts\n")
    parts: dict[tuple[str, str], list[float]] = defaultdict(list)
    for name in (*OF_KERNELS, *OF_ROWS):
        own = [(cost.bytes, seconds) for op, _, cost, seconds in table if op == name]
        further_s, rate = started(own, start_s)
        parts[name, "bandwidth"] = [
            rate / bandwidth * (start_s + further_s + count / rate) / s for count, s in own
        ]
        print(f"access.{device.family}.{name}.start_s = {further_s:.3g}")
    for op, dtype, cost, seconds in table:
        if seconds < 5 * start_s or op == "sum" or op in OF_KERNELS:
            continue
        if op.startswith("attention"):
            peak = device.numbers[f"peak.matrix.{dtype}_flops_per_s"].value
            parts[op, f"compute.{dtype}"].append(cost.matrix_flops / (seconds - start_s) / peak)
        else:
            parts[op, "bandwidth"].append(cost.bytes / (seconds - start_s) / bandwidth)
    shipped = sp.framework(arguments.framework).numbers
    for (op, key), values in parts.items():
        known = shipped.get(f"efficiency.{device.vendor}.{op}.bandwidth")
        if known is not None and TWO_BOARDS in known.source:
            continue
        centre = min(median(values), 1.0)
        error = min(spread(values, centre), 0.9)
        print(f"[efficiency.{device.family}.{op}]" if key == "bandwidth" else f"# {op} {key}")
        tail = f'kind = "fitted", source = "{arguments.source}", relative_error = {error:.2f}'
        print(f"{key} = {{ value = {centre:.3g}, {tail} }}  # {len(values)} rows")


if __name__ == "__main__":
    main()
