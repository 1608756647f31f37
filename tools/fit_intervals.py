"""Errors that sums of kernels have (interval.<family>) in a framework file.

    python tools/fit_intervals.py --device h200 [--record h200_ops] [--framework torch-cuda]

A step is a sum over kernels of some shapes, so one kernel's error says too much of it. Of each
kind, groups of shapes are drawn at random (always the same ones), as many as a step has of that
kind, each in all of its directions: those of one shape err together. A step's products have the
same number of rows, and so have a group's: a library's choices depend on it. The error is the 90th
percentile of predicted over measured sums, the quantile that split-conformal prediction takes;
kinds err apart (cpp/siliconprof/devices/rates.h combines them). The host's is that of machines'
chains of modules, each against the median machine's. No training step is read. Prints TOML.
"""

from __future__ import annotations

import math
import random
from statistics import fmean, median

from fit_arguments import fit_arguments

import siliconprof as sp
from siliconprof import _core
from siliconprof.recorded_ops import KINDS, dims_of, kernel_s, op_rows

# Shapes of a step: a transformer's five products, the two attentions of an encoder with a decoder,
# the ten convolutions of a ResNet-18, ten other kernels (norms, functions, sums, the optimizer).
SHAPES = {"product": 5, "attention": 2, "convolution": 10, "other": 10}
GROUPS = 2000
MORE_WATTS = 1e5  # than any board draws
Row = tuple[float, float]  # seconds predicted and measured
Families = dict[str, dict[str, list[Row]]]  # rows by what groups share, and by shape


def main() -> None:
    arguments = fit_arguments(__doc__)
    device = sp.device(arguments.device)
    for kind, families in by_kind(device, arguments.framework, arguments.record).items():
        shapes = [list(shapes_of.values()) for shapes_of in families.values()]
        error = grouped(shapes, SHAPES[kind.split(".")[-1]])
        count = sum(len(rows) for some in shapes for rows in some)
        show(device.family, kind, error, count, arguments.source)
    show(device.family, "host", *host(arguments.record), arguments.source)


def by_kind(device: _core.Device, framework: str, record: str) -> dict[str, Families]:
    """Of each kind of kernel."""
    # Kernels ran in bursts too short for the board's power to hold them up.
    unheld = device.with_number("power.board_watts", MORE_WATTS)
    model = _core.Model(unheld, sp.framework(framework))
    found: dict[str, Families] = {}
    for row in op_rows(record):
        if row.seconds < 1e-5:
            continue  # short kernels hide behind their launches
        kind = f"{row.dtype}.{KINDS[row.op]}" if row.op in KINDS else "other"
        shape = f"{row.what.removesuffix(row.direction)} {row.dtype}"
        family = next((w for w in shape.split() if w.startswith("rows=")), "")
        family = family if kind.endswith("product") else ""
        rows = found.setdefault(kind, {}).setdefault(family, {}).setdefault(shape, [])
        rows.append((kernel_s(model, row.calls), row.seconds))
    return found


def grouped(families: list[list[list[Row]]], count: int) -> float:
    """90th percentile over groups of `count` shapes of one family, every row as one second of the
    step; families by how many shapes they have."""
    draw = random.Random(0)
    sizes = [len(shapes) for shapes in families]
    errors = []
    for _ in range(GROUPS):
        shapes = draw.choices(families, weights=sizes)[0]
        group = [row for rows in draw.choices(shapes, k=count) for row in rows]
        errors.append(abs(fmean(predicted / seconds for predicted, seconds in group) - 1.0))
    return sorted(errors)[math.ceil(0.9 * (GROUPS + 1)) - 1]


def host(record: str) -> tuple[float, int]:
    """90th percentile of the distances of machines from the median one, and their number. A step
    runs chains of all kinds one after the other: a machine's time is the sum of the chains that
    all of them ran. Its pace wanders from one moment to the next and a step sees one of them: both
    quartiles count, as the chains have them in the mean."""
    chains: dict[str, dict[int, Row]] = {}
    for row in sp.load(record).rows:
        if not row.what.startswith("host.module.") or row.value is None:
            continue
        words = row.what.split()
        name = " ".join(w for w in words if not w.startswith("machine="))
        spread = row.note.removeprefix("spread ")  # or of how many readings it is the median
        wander = float(spread) / 2.0 if spread != row.note else 0.0
        chains.setdefault(name, {})[dims_of(words)["machine"]] = (row.value, wander * row.value)
    machines = set().union(*chains.values())
    every = [found for found in chains.values() if len(found) == len(machines)]
    sums = {m: [sum(found[m][i] for found in every) for i in (0, 1)] for m in machines}
    centre = median(seconds for seconds, _ in sums.values())
    ends = [seconds + sign * wander for seconds, wander in sums.values() for sign in (-1, 1)]
    distances = sorted(abs(end / centre - 1.0) for end in ends)
    return distances[int(0.9 * len(distances))], len(machines)


def show(family: str, kind: str, error: float, rows: int, source: str) -> None:
    tail = f'kind = "fitted", source = "{source}", relative_error = 0.2'
    print(f"{family}.{kind}_part = {{ value = {max(error, 0.03):.3g}, {tail} }}  # {rows} rows")


if __name__ == "__main__":
    main()
