"""Errors that sums of kernels have (interval.<family>) in a framework file.

    python tools/fit_intervals.py --device h200 [--record h200_ops] [--framework torch-cuda]

A step is a sum over kernels of some shapes, so one kernel's error says too much of it. Of each
kind, groups of fifteen rows of the record are drawn at random (always the same ones): as many
different products as a transformer's step has, five by three directions. The error is the 90th
percentile of predicted over measured sums, the quantile that split-conformal prediction takes.
The host's is that of machines' chains of modules, each against the median machine's. No training
step is read. Prints TOML.
"""

from __future__ import annotations

import math
import random
from statistics import median

from fit_arguments import fit_arguments
from fit_units import machines

import siliconprof as sp
from siliconprof import _core
from siliconprof.recorded_ops import KINDS, kernel_s, op_rows

GROUP = 15
GROUPS = 2000


def main() -> None:
    arguments = fit_arguments(__doc__)
    device = sp.device(arguments.device)
    model = _core.Model(device, sp.framework(arguments.framework))
    found: dict[str, list[tuple[float, float]]] = {}
    for row in op_rows(arguments.record):
        if row.seconds < 1e-5:
            continue  # short kernels hide behind their launches
        kind = f"{row.dtype}.{KINDS[row.op]}" if row.op in KINDS else "other"
        found.setdefault(kind, []).append((kernel_s(model, row.calls), row.seconds))
    for kind, rows in found.items():
        show(device.family, kind, grouped(rows), len(rows), arguments.source)
    show(device.family, "host", host(arguments.record), 3, arguments.source)


def grouped(rows: list[tuple[float, float]]) -> float:
    """90th percentile over groups, each row with the weight that makes it one second."""
    draw = random.Random(0)
    errors = []
    for _ in range(GROUPS):
        group = draw.choices(rows, k=GROUP)
        ratios = [predicted / seconds for predicted, seconds in group]
        errors.append(abs(sum(ratios) / GROUP - 1.0))
    return sorted(errors)[math.ceil(0.9 * (GROUPS + 1)) - 1]


def host(record: str) -> float:
    """90th percentile of the distances of machines' chains from the median machine's."""
    every = list(machines(record))
    names = set.intersection(*({k for k in t if "module" in k[0]} for t in every))
    centre = {name: median(t[name] for t in every) for name in names}
    distances = sorted(abs(t[name] / centre[name] - 1.0) for t in every for name in names)
    return distances[int(0.9 * len(distances))]


def show(family: str, kind: str, error: float, rows: int, source: str) -> None:
    tail = f'kind = "fitted", source = "{source}", relative_error = 0.2'
    print(f"{family}.{kind}_part = {{ value = {max(error, 0.03):.3g}, {tail} }}  # {rows} rows")


if __name__ == "__main__":
    main()
