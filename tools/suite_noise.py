"""What the op suite's tables say of themselves: how far rows of one work lie apart, and rows that
the machine's data sheet rules out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import median

from suite_tables import Measured

import siliconprof as sp

RESOLUTION_S = 1e-5  # two decimals of a millisecond
# Rows whose bytes, kernel and call are the same: functions of one operand, tiny index operations...
TWINS = {
    "ReLU": "function",
    "Sigmoid": "function",
    "Gather": "few rows looked up",
    "Scatter": "few rows written",
}


def twin(row: Measured) -> str | None:
    """What rows of one work have in common; none for a row that is alone in its table."""
    sizes = row.label.split(" dim=")[1:]
    if row.operation in ("Gather", "Scatter"):
        return None if sizes[1] == "1000000" else TWINS[row.operation]
    if row.operation in TWINS:
        return f"{TWINS[row.operation]} {sizes[0]}"
    calls = row.trace.calls[0]
    if row.operation == "Concat" and "axi=0" in row.label:
        return f"Concat of {calls.cost.bytes}"
    large_sum = row.operation == "SumAll" and sizes[0] != "1000000"
    return "SumAll" if large_sum else None


def noise(table: Iterable[Measured]) -> str:
    """One line: how far each of such rows is from the middle of its twins, and what the resolution
    alone makes of every row."""
    rows = list(table)
    groups: dict[tuple[object, ...], list[float]] = {}
    for row in rows:
        if (name := twin(row)) is not None:
            groups.setdefault((*row.table, name), []).append(row.seconds)
    apart = [
        abs(median(times) / t - 1.0) for times in groups.values() if len(times) > 1 for t in times
    ]
    rounding = [0.25 * RESOLUTION_S / row.seconds for row in rows]
    return (
        f"no better than: {len(apart)} rows of one work in one table are {quantiles(apart)} from "
        f"the middle of them; rounding to 10 us makes {quantiles(rounding)} of every row"
    )


def twice(once: Iterable[Measured], again: Iterable[Measured]) -> str:
    """One line: how far rows lie apart that two backends run alike. mx.compile fuses functions and
    leaves single operations of the other classes as they are."""
    first = {(row.table, row.label): row.seconds for row in once if row.op_class != "elementwise"}
    both = [(row, first.get((row.table, row.label))) for row in again]
    apart = [abs(row.seconds / other - 1.0) for row, other in both if other is not None]
    rows = f"{len(apart)} rows measured twice, as MLX and under mx.compile"
    return f"{rows}, are {quantiles(apart)} apart"


def quantiles(values: list[float]) -> str:
    ordered = sorted(values) or [0.0]
    return f"{median(ordered):.1%} (p90 {ordered[int(0.9 * (len(ordered) - 1))]:.1%})"


def impossible(table: Iterable[Measured]) -> Iterator[str]:
    """Rows faster than the data sheet allows: traffic beyond the last cache, or arithmetic."""
    for row in table:
        numbers = sp.device(row.device).numbers
        cache = numbers.get("memory.cache_bytes")
        call = row.trace.calls[0]
        far_bytes = call.cost.bytes - (cache.value if cache else 0.0)
        least_s = far_bytes / numbers["memory.bandwidth_bytes_per_s"].value
        peak = numbers.get(f"peak.matrix.{call.dtype}_flops_per_s")
        if peak and call.cost.matrix_flops:
            least_s = max(least_s, call.cost.matrix_flops / peak.value)
        if row.seconds < least_s:
            found = f"{row.seconds:.3g} s, at least {least_s:.3g} s"
            yield f"impossible: {row.table[0]} {row.label} {found}"
