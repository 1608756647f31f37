"""Errors that sums of kernels have (interval.<family>) in a framework file.

    python tools/fit_intervals.py --device h200 [--record h200_ops] [--framework torch-cuda]

A step is a sum over kernels of some shapes, so one kernel's error says too much of it. Of each
kind, groups of shapes are drawn at random (always the same ones), as many as a step has of that
kind, each in all of its directions: those of one shape err together. The error is the 90th
percentile of predicted over measured sums, the quantile that split-conformal prediction takes;
kinds err apart (cpp/siliconprof/devices/rates.h combines them). The host's is that of machines'
chains of modules, each against the median machine's. No training step is read. Prints TOML.
"""

from __future__ import annotations

import argparse
import math
import random
from statistics import fmean, median

from fit_host import machines
from fit_kernels import OURS
from fit_products import shapes
from fit_units import kernel_s, table

import siliconprof as sp
from siliconprof import _core

# Shapes of a step: a transformer's five products, the two attentions of an encoder with a decoder,
# the ten convolutions of a ResNet-18, ten other kernels (norms, functions, sums, the optimizer).
SHAPES = {"product": 5, "attention": 2, "convolution": 10, "other": 10}
GROUPS = 2000
KINDS = {"linear": "product", "bmm": "product", "attention": "attention"}
KINDS |= {"conv1d": "convolution", "conv2d": "convolution"}


def calls(op: str, dims: dict[str, int], direction: str, dtype: str) -> list[_core.Trace]:
    """What the model predicts for a row; none where it has no such operation."""
    if op in ("linear", "bmm"):
        (batch, m, k, n), _, along = shapes(op, direction, dims)
        turned = {"transpose_b": True} if along and op == "linear" else {}
        turned |= {"transpose_a": True} if direction == "weight" else {}
        return [sp.op("matmul", dtype=dtype, batch=batch, m=m, k=k, n=n, **turned)]
    if op in ("conv1d", "conv2d"):
        if dims["channels"] < 8:
            return []
        names = ("_data_backward", "_weight_backward") if direction == "backward" else ("",)
        return [sp.op(op + name, dtype=dtype, **dims) for name in names]
    ours = OURS.get((op, direction))
    given = {k: v for k, v in dims.items() if k != "tensors"}
    return [sp.op(ours, dtype=dtype, **given)] if ours else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="h200")
    parser.add_argument("--framework", default="torch-cuda")
    parser.add_argument("--record", default="h200_ops")
    parser.add_argument("--source", default="h200-micro")
    arguments = parser.parse_args()
    device = sp.device(arguments.device)
    model = _core.Model(device, sp.framework(arguments.framework))
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for op, dims, direction, dtype, seconds in table(arguments.record):
        made = calls(op, dims, direction, dtype)
        if not made or seconds < 1e-5:
            continue  # short kernels hide behind their launches
        kind = f"{dtype}.{KINDS[op]}" if op in KINDS else "other"
        predicted = sum(kernel_s(model, call) for call in made)
        shape = f"{op} {dims} {dtype}"
        found.setdefault(kind, {}).setdefault(shape, []).append((predicted, seconds))
    for kind, shapes_of in found.items():
        error = grouped(list(shapes_of.values()), SHAPES[kind.split(".")[-1]])
        count = sum(len(rows) for rows in shapes_of.values())
        show(device.family, kind, error, count, arguments.source)
    hosts = len(list(machines(arguments.record)))
    show(device.family, "host", host(arguments.record), hosts, arguments.source)


def grouped(shapes_of: list[list[tuple[float, float]]], count: int) -> float:
    """90th percentile over groups of `count` shapes, every row as one second of the step."""
    draw = random.Random(0)
    errors = []
    for _ in range(GROUPS):
        group = [row for rows in draw.choices(shapes_of, k=count) for row in rows]
        errors.append(abs(fmean(predicted / seconds for predicted, seconds in group) - 1.0))
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
