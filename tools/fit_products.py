"""Fit the constants of tiled matrix products (product.<family>.<dtype>) of a framework file.

    python tools/fit_products.py --device h200 [--record h200_ops]

Reads single products of a packaged record, measured by tools/measure_torch_cuda.py, and the peaks
of the device's file; minimises the mean absolute logarithm of predicted over measured time (Nelder
and Mead from two starts), cut at a factor of two so that no single row decides. No training step is
read. Prints TOML; the error is the 90th percentile of the rows' relative errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from fit_arguments import fit_arguments

import siliconprof as sp
from siliconprof import _core
from siliconprof.recorded_ops import dims_of, product_of

PARTS = ("reach", "bandwidth", "unaligned", "unaligned_result", "turned", "turned_one", "biased")
KEYS = (*PARTS, "tile_loss", "depth_loss", "start_s", "split_s")
STARTS = (
    (0.85, 0.75, 0.3, 0.3, 0.8, 0.9, 0.9, 8.0, 64.0, 2e-6, 2e-6),
    (0.85, 0.75, 0.2, 0.13, 1.0, 1.0, 1.0, 4.0, 100.0, 2e-6, 2e-6),
    (0.85, 0.75, 0.95, 0.95, 0.95, 0.95, 0.95, 16.0, 32.0, 1e-6, 4e-6),
)
BYTES = {"float32": 4.0, "tf32": 4.0, "float16": 2.0, "bfloat16": 2.0}
# Dimensions, stored rows, whether both factors lie along the depth, whether one does, whether the
# result gets a bias, seconds.
Row = tuple[tuple[int, int, int, int], tuple[int, int, int], bool, bool, bool, float]


def products(record: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in sp.load(record).rows:
        op, *words = row.what.split()
        if op not in ("linear", "linear_bias", "bmm"):
            continue
        dims = dims_of(words)
        turns_one = op == "bmm" or words[-1] == "data"
        product = product_of(op, words[-1], dims)
        biased = op == "linear_bias"
        found.setdefault(row.dtype, []).append((*product, turns_one, biased, row.value))
    return found


def nelder_mead(
    loss: Callable[[list[float]], float], start: list[float], steps: int
) -> list[float]:
    """The least point that the simplex method of Nelder and Mead (1965) finds."""
    n = len(start)
    simplex = [start] + [[x + 0.3 * (i == j) for j, x in enumerate(start)] for i in range(n)]
    points = sorted((loss(p), p) for p in simplex)
    for _ in range(steps):
        centre = [sum(p[j] for _, p in points[:-1]) / n for j in range(n)]
        worst, at = points[-1]

        def along(t: float, centre: list[float] = centre, at: list[float] = at) -> list[float]:
            return [c + t * (c - x) for c, x in zip(centre, at, strict=True)]

        tries = [(loss(along(t)), along(t)) for t in (1.0,)]
        if tries[0][0] < points[0][0]:
            tries.append((loss(along(2.0)), along(2.0)))
        elif tries[0][0] >= points[-2][0]:
            tries.append((loss(along(-0.5)), along(-0.5)))
        best = min(tries)
        if best[0] < worst:
            points[-1] = best
        else:
            low = points[0][1]
            halves = [[(x + b) / 2 for x, b in zip(p, low, strict=True)] for _, p in points[1:]]
            points = [points[0], *((loss(p), p) for p in halves)]
        points.sort()
    return points[0][1]


def fit(rows: list[Row], dtype: str, device: _core.Device) -> tuple[dict[str, float], list[float]]:
    numbers = device.numbers
    fixed = {
        "peak_flops_per_s": numbers[f"peak.matrix.{dtype}_flops_per_s"].value,
        "cores": numbers["compute.cores"].value,
        "element_bytes": BYTES[dtype],
    }
    bandwidth = numbers["memory.bandwidth_bytes_per_s"].value

    def errors(logs: list[float]) -> list[float]:
        unit = {**fixed, **{k: math.exp(v) for k, v in zip(KEYS, logs, strict=True)}}
        unit.update({k: min(unit[k], 1.0) for k in PARTS})
        unit["bytes_per_s"] = bandwidth * unit.pop("bandwidth")
        out = []
        one = {**unit, "turned": unit["turned_one"]}
        for dims, stored, along_depth, turns_one, biased, seconds in rows:
            known = one if turns_one else unit
            place = (dims, stored, along_depth, known, biased)
            start, arithmetic, traffic = _core.product_time(*place)
            out.append(math.log((start + max(arithmetic, traffic)) / seconds))
        return out

    def loss(logs: list[float]) -> float:
        return sum(min(abs(e), math.log(2.0)) for e in errors(logs)) / len(rows)

    ends = [nelder_mead(loss, [math.log(x) for x in start], 400) for start in STARTS]
    best = nelder_mead(loss, min(ends, key=loss), 400)
    constants = {k: math.exp(v) for k, v in zip(KEYS, best, strict=True)}
    constants.update({k: min(constants[k], 1.0) for k in PARTS})
    return constants, sorted(abs(math.expm1(e)) for e in errors(best))


def cycles_per_s(device: _core.Device) -> float:
    """Of all cores together."""
    return device.numbers["compute.cores"].value * device.numbers["compute.clock_hz"].value


def main() -> None:
    arguments = fit_arguments(__doc__)
    device = sp.device(arguments.device)
    for dtype, rows in products(arguments.record).items():
        constants, errors = fit(rows, dtype, device)
        p90 = errors[int(0.9 * len(errors))]
        print(f"\n# {len(rows)} rows; error median {errors[len(errors) // 2]:.3f}, p90 {p90:.3f}")
        # Of tensor cores for other boards, too.
        scope = device.family if dtype == "float32" else device.vendor
        print(f"[product.{scope}.{dtype}]")
        rate = device.numbers[f"peak.matrix.{dtype}_flops_per_s"].value / cycles_per_s(device)
        print(
            f'core_flops_per_cycle = {{ value = {rate:.0f}, kind = "spec", source = "h200-cores" }}'
        )
        for key, value in constants.items():
            tail = f'kind = "fitted", source = "{arguments.source}", relative_error = {p90:.2f}'
            print(f"{key} = {{ value = {value:.4g}, {tail} }}")


if __name__ == "__main__":
    main()
