"""Fit the efficiencies of single operations (efficiency.<family>.<op>) of a framework file.

    python tools/fit_kernels.py --device h200 [--record h200_ops]

Reads the kernels of a packaged record, measured by tools/measure_torch_cuda.py. A kernel's time is
a start, that of the shortest kernels, and its compulsory bytes (attention: its flops) at a part of
the device's peak; the part is the median over rows that take at least five starts, its error the
90th percentile of their distances. No training step is read. Prints TOML.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from statistics import median

from fit_arguments import fit_arguments

import siliconprof as sp
from siliconprof import _core
from siliconprof.recorded_ops import OURS, dims_of

DROPPED = {"tensors"}  # dimensions of the record that ours don't have


def rows(record: str) -> Iterator[tuple[str, str, _core.Cost, float]]:
    """(op, dtype, cost, seconds) of each row that one of our operations stands for."""
    for row in sp.load(record).rows:
        op, *words = row.what.split()
        ours = OURS.get((op, words[-1])) if words else None
        if ours is None:
            continue
        values = dims_of(words)
        arguments = {k: v for k, v in values.items() if k not in DROPPED}
        if op == "attention":
            arguments["causal"] = float(arguments["causal"])
        if op == "batch_norm" and "inner" in arguments:
            arguments = {k: arguments[k] for k in ("outer", "channels", "inner")}
        yield ours, row.dtype, sp.op(ours, dtype=row.dtype, **arguments).cost, row.value


def spread(values: list[float], centre: float) -> float:
    distances = sorted(abs(v / centre - 1.0) for v in values)
    return max(0.15, distances[min(len(distances) - 1, int(0.9 * len(distances)))])


def main() -> None:
    arguments = fit_arguments(__doc__)
    device = sp.device(arguments.device)
    bandwidth = device.numbers["memory.bandwidth_bytes_per_s"].value
    table = list(rows(arguments.record))
    start_s = median(s for op, _, cost, s in table if cost.bytes < 1 << 16)
    print(f"launch.{device.family}.kernel_s = {start_s:.3g}\n")
    parts: dict[tuple[str, str], list[float]] = defaultdict(list)
    for op, dtype, cost, seconds in table:
        if seconds < 5 * start_s:
            continue
        if op.startswith("attention"):
            peak = device.numbers[f"peak.matrix.{dtype}_flops_per_s"].value
            parts[op, f"compute.{dtype}"].append(cost.matrix_flops / (seconds - start_s) / peak)
        else:
            parts[op, "bandwidth"].append(cost.bytes / (seconds - start_s) / bandwidth)
    for (op, key), values in parts.items():
        centre = min(median(values), 1.0)
        error = min(spread(values, centre), 0.9)
        print(f"[efficiency.{device.family}.{op}]" if key == "bandwidth" else f"# {op} {key}")
        tail = f'kind = "fitted", source = "{arguments.source}", relative_error = {error:.2f}'
        print(f"{key} = {{ value = {centre:.3g}, {tail} }}  # {len(values)} rows")


if __name__ == "__main__":
    main()
