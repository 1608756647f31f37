"""Fit the constants of attention, convolutions and batch norms of a framework file.

    python tools/fit_units.py --device h200 [--record h200_ops] [--framework torch-cuda]

Reads single operations of a packaged record, measured by tools/measure_torch_cuda.py. Attention
(attention.<family>.<dtype>.<direction>) and convolutions (convolution...) minimise the mean
absolute logarithm of predicted over measured time, cut at a factor of two; a batch norm's row rate
is the median over rows that a channel decides. No training step is read. Prints TOML; an error is
the 90th percentile of the rows' relative errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from statistics import median

from fit_arguments import fit_arguments
from fit_products import nelder_mead

import siliconprof as sp
from siliconprof import _core
from siliconprof.recorded_ops import dims_of, kernel_s

Trace = _core.Trace
Rows = list[tuple[list[Trace], float]]  # the calls of a measured time, and its seconds
STARTS = {
    "attention": (
        {"start_s": 3e-6, "reach": 0.5, "block_tiles": 0.5, "alone": 1.5},
        {"start_s": 5e-6, "reach": 0.2, "block_tiles": 3.0, "alone": 1.0},
    ),
    "convolution": (
        {"start_s": 5e-6, "work": 1.0, "copy": 0.5},
        {"start_s": 1e-5, "work": 1.5, "copy": 0.9},
        {"start_s": 5e-6, "work": 1.2},  # a library whose kernels take the channels where they lie
    ),
}
AT_MOST_1 = ("reach", "copy")
TILES = (64, 128)
SHORTEST_S = 5e-7  # a kernel's start isn't less


def table(record: str) -> Iterator[tuple[str, dict[str, int], str, str, float]]:
    """(op, dims, direction, dtype, value) of the record's rows of operations."""
    for row in sp.load(record).rows:
        op, *words = row.what.split()
        if row.value is None or row.unit != "s" or not words:
            continue
        dims = dims_of(words)
        yield op, dims, words[-1], row.dtype or "", row.value


def units(record: str, kind: str) -> dict[tuple[str, str], Rows]:
    """Calls by (dtype, direction); the gradient of a convolution is two calls."""
    found: dict[tuple[str, str], Rows] = {}
    for op, dims, direction, dtype, seconds in table(record):
        if not (op == kind or (kind == "convolution" and op in ("conv1d", "conv2d"))):
            continue
        if kind == "convolution" and dims["channels"] < 8:
            continue  # first layers, whose data have no gradient in training
        names = [op] if direction == "forward" else [op + "_backward"]
        if kind == "convolution" and direction == "backward":
            names = [op + "_data_backward", op + "_weight_backward"]
        calls = [sp.op(name, dtype=dtype, **dims) for name in names]
        found.setdefault((dtype, direction), []).append((calls, seconds))
    return found


def fit_unit(
    machine: _core.Device, framework: _core.Framework, stem: str, kind: str, rows: Rows
) -> tuple[dict[str, float], list[float]]:
    """Constants under `stem`, and the relative errors that they leave."""

    def errors(constants: dict[str, float]) -> list[float]:
        numbers = dict(framework.numbers)
        for key in [k for k in numbers if k.startswith(stem)]:
            del numbers[key]
        for key, value in constants.items():
            numbers[stem + key] = _core.Number(value, "fitted", "here", 0.5)
        made = _core.Framework(framework.id, framework.name, framework.vendors, numbers)
        model = _core.Model(machine, made)
        return [math.log(kernel_s(model, calls) / s) for calls, s in rows]

    ends = []
    for tile in TILES if kind == "attention" else (0,):
        for found in STARTS[kind]:
            strided = kind == "convolution" and ".backward" in stem
            start = found | ({"strided": 2.0} if strided else {})
            names = list(start)

            def constants(
                logs: list[float], tile: int = tile, names: list[str] = names
            ) -> dict[str, float]:
                found = dict(zip(names, (math.exp(x) for x in logs), strict=True))
                found.update({k: min(v, 1.0) for k, v in found.items() if k in AT_MOST_1})
                found["start_s"] = max(found["start_s"], SHORTEST_S)
                return found | ({"tile": float(tile)} if tile else {})

            def loss(
                logs: list[float], constants: Callable[..., dict[str, float]] = constants
            ) -> float:
                found = errors(constants(logs))
                return sum(min(abs(e), math.log(2.0)) for e in found) / len(found)

            best = nelder_mead(loss, [math.log(x) for x in start.values()], 250)
            ends.append((loss(best), constants(best)))
    best_constants = min(ends, key=lambda end: end[0])[1]
    return best_constants, sorted(abs(math.expm1(e)) for e in errors(best_constants))


def show(stem: str, constants: dict[str, float], errors: list[float], source: str) -> None:
    p90 = errors[min(len(errors) - 1, int(0.9 * len(errors)))]
    print(f"# {len(errors)} rows; error median {median(errors):.3f}, p90 {p90:.3f}\n[{stem}]")
    for key, value in constants.items():
        tail = f'kind = "fitted", source = "{source}", relative_error = {min(p90, 0.9):.2f}'
        print(f"{key} = {{ value = {value:.4g}, {tail} }}")
    print()


def batch_norms(record: str) -> dict[str, float]:
    """Elements a second that a core goes through, of rows that are longer than 16384 elements; and
    in bfloat16, whose kernels are others, than 65536."""
    found: dict[str, list[float]] = {}
    for op, dims, direction, dtype, seconds in table(record):
        each = dims.get("outer", 0) * dims.get("inner", 0)
        if op != "batch_norm" or each <= {"float32": 1 << 14, "bfloat16": 1 << 16}.get(dtype, each):
            continue
        name = op if direction == "forward" else op + "_backward"
        own = ".bfloat16" if dtype == "bfloat16" else ""
        found.setdefault(f"{name}{own}", []).append(each / seconds)
    return {key: median(values) for key, values in found.items()}


def main() -> None:
    arguments = fit_arguments(__doc__)
    device, framework = sp.device(arguments.device), sp.framework(arguments.framework)
    for kind in STARTS:
        for (dtype, direction), rows in units(arguments.record, kind).items():
            stem = f"{kind}.{device.family}.{dtype}.{direction}"
            constants, errors = fit_unit(device, framework, stem + ".", kind, rows)
            show(stem, constants, errors, arguments.source)
    tail = f'kind = "fitted", source = "{arguments.source}", relative_error = 0.35'
    print(f"[row.{device.family}]")
    for key, rate in batch_norms(arguments.record).items():
        print(f"{key}.elements_per_s = {{ value = {rate:.4g}, {tail} }}")


if __name__ == "__main__":
    main()
