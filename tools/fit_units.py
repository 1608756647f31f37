"""Fit the constants of attention, convolutions and batch norms of a framework file.

    python tools/fit_units.py --device h200 [--record h200_ops] [--framework torch-cuda]

Reads single operations of a packaged record, and convolutions of h200_large, too, measured by
tools/measure_torch_cuda.py. Attention
(attention.<family>.<dtype>.<direction>) and convolutions (convolution...) minimise the mean
absolute logarithm of predicted over measured time, cut at a factor of two; a batch norm's row rate
is the median over rows that a channel decides. Attention runs the same kernels in tf32 as in
float32 and in bfloat16 as in float16, so that all rows count for both. Sizes at which cuDNN
multiplies in the frequency domain are read off the rows' kernels, and FOURIER says them. No
training step is read. Prints TOML; an error is the 90th percentile of the rows' relative errors,
of attention's reach that of the board's family: to others it is lent by hand, as "other-boards".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from statistics import median

from fit_arguments import fit_arguments
from fit_products import cycles_per_s, nelder_mead

import siliconprof as sp
from siliconprof import _core
from siliconprof.frameworks import FOURIER_SIZES
from siliconprof.numbers import DTYPES
from siliconprof.recorded_ops import CONVOLUTIONS, dims_of, kernel_s

Trace = _core.Trace
Constants = dict[str, float]
Rows = list[tuple[list[Trace], float]]  # the calls of a measured time, and its seconds
STARTS = {
    "attention": (
        {"start_s": 3e-6, "reach": 0.5, "block_tiles": 0.5, "alone": 1.5, "tail": 1.0},
        {"start_s": 5e-6, "reach": 0.2, "block_tiles": 3.0, "alone": 1.0, "tail": 0.5},
    ),
    "convolution": (
        {"start_s": 5e-6, "work": 1.0, "copy": 0.5},
        {"start_s": 1e-5, "work": 1.5, "copy": 0.9},
        {"start_s": 5e-6, "work": 1.2},  # a library whose kernels take the channels where they lie
    ),
}
AT_MOST_1 = ("reach", "copy", "transforms")
TILES = (64, 128)
KEY_TILES = (1, 2)  # of a block of gradients
SPLITS = (0.5, 4.0)
ALIKE = {"tf32": "float32", "bfloat16": "float16"}
HALVES = ("float16", "bfloat16")  # whose gradients are added up in float32
COLUMNS = (1, 8)  # that windows along a row are filled up to
# From and to how many elements of the result, places of a row, and channels transforms of a size
# are taken: by their kernels' names and, of single sizes more, by their times (those of 64 places
# at 32, not at 56). "cut": of 32 places a side, several for an image.
ALL = 1e6  # as many as a number may say
FOURIER = {
    "float32.forward": {
        "16": (1.7e6, 1e9, 1.0, ALL, 128.0, ALL),
        "32": (1.7e6, 1e9, 15.0, ALL, 128.0, ALL),
        "64": (1.57e6, 7.3e6, 32.0, 32.0, 64.0, 64.0),
    },
    "float32.backward": {
        "32": (10.5e6, 1e9, 1.0, ALL, 256.0, 256.0),
        "cut": (10.5e6, 1e9, 28.0, ALL, 32.0, ALL),
    },
}
# From how many images on: 24 need a workspace (record h200_images), 16 none, nor did 16 of 512
# outputs, which the elements would let in, in a look at an H200's kernels.
FEWEST_IMAGES = {"64": 24.0}
# Kernels that take the channels where they lie.
IN_PLACE = ("float32.forward", "float32.backward")
# Others take them so where windows of one place lie at every position.
POINTWISE = ("tf32", "float16", "bfloat16")
LARGE = "h200_large"
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
    """Calls by (dtype, direction). The gradients of a convolution are two calls; in float32, where
    rows have each of them, those of data alone count for "backward", and for the unit of weights,
    behind it, those of weights and of both. What large images take in float16 counts for bfloat16,
    too."""
    found: dict[tuple[str, str], Rows] = {}
    large = list(table(LARGE))
    large += [(*row[:3], "bfloat16", row[4]) for row in large if row[3] == "float16"]
    for op, dims, direction, dtype, seconds in [*table(record), *large]:
        if kind == "attention" and op == "attention":
            tail = "" if direction == "forward" else "_backward"
            for other in (d for d in DTYPES if ALIKE.get(d, d) == ALIKE.get(dtype, dtype)):
                calls = [sp.op(op + tail, dtype=other, **dims)]
                found.setdefault((other, direction), []).append((calls, seconds))
        # First layers, of few channels, have no gradient of data in training.
        if kind == "convolution" and op in ("conv1d", "conv2d") and dims["channels"] >= 8:
            calls = [sp.op(op + way, dtype=dtype, **dims) for way in CONVOLUTIONS[direction]]
            if dtype != "float32" and direction != "forward":
                direction = "backward"
            found.setdefault((dtype, direction), []).append((calls, seconds))
    for dtype, direction in list(found):
        if direction == "data":
            found[dtype, "weight"] = found.pop((dtype, "weight")) + found[dtype, "backward"]
            found[dtype, "backward"] = found.pop((dtype, "data"))
    return found


def beginnings(kind: str, stem: str) -> Iterator[tuple[Constants, Constants]]:
    """(what stays as it is, where the search begins) of each search for a unit's constants."""
    return attentions(stem) if kind == "attention" else convolutions(stem)


def attentions(stem: str) -> Iterator[tuple[Constants, Constants]]:
    backward = stem.endswith(".backward")
    for start in STARTS["attention"]:
        for tile in TILES:
            if not backward:
                yield {"tile": float(tile)}, start
            for keys, split in ((k, s) for k in KEY_TILES for s in SPLITS if backward):
                free = start | {"split_tiles": split}
                if stem.split(".")[-2] in HALVES:
                    free["beside_bytes"] = 20.0
                yield {"tile": float(tile), "key_tiles": float(keys)}, free


def convolutions(stem: str) -> Iterator[tuple[Constants, Constants]]:
    for start in STARTS["convolution"]:
        if stem.endswith(IN_PLACE) and "copy" in start:
            continue
        if stem.endswith(".weight"):
            yield {}, start | {"winograd": 1.0, "transforms": 0.7}
            continue
        fixed, free = {}, {"strided": 2.0} if stem.endswith(".backward") else {}
        if stem.split(".")[-2] in POINTWISE:
            free["pointwise"] = 1.0
        for name, ways in FOURIER.items():
            for tile, sizes in ways.items() if stem.endswith(name) else ():
                stems = [f"fourier_{tile}.{key}" for key in FOURIER_SIZES]
                fixed |= dict(zip(stems, sizes, strict=True))
                if tile in FEWEST_IMAGES:
                    fixed[f"fourier_{tile}.images"] = FEWEST_IMAGES[tile]
                free |= {f"fourier_{tile}.work": 1.0, "transforms": 0.7}
        for tile in COLUMNS:
            yield fixed | ({"columns_tile": float(tile)} if tile > 1 else {}), start | free


def fit_unit(
    machine: _core.Device, framework: _core.Framework, stem: str, kind: str, rows: Rows
) -> tuple[dict[str, float], list[float]]:
    """Constants under `stem`, and the relative errors that they leave."""

    def errors(constants: dict[str, float]) -> list[float]:
        model = _core.Model(machine, changed(framework, stem, constants))
        return [math.log(kernel_s(model, calls) / s) for calls, s in rows]

    ends = []
    for fixed, start in beginnings(kind, stem):

        def constants(
            logs: list[float],
            fixed: dict[str, float] = fixed,
            names: tuple[str, ...] = tuple(start),
        ) -> dict[str, float]:
            found = dict(zip(names, (math.exp(x) for x in logs), strict=True))
            found.update({k: min(v, 1.0) for k, v in found.items() if k in AT_MOST_1})
            found["start_s"] = max(found["start_s"], SHORTEST_S)
            return found | fixed

        def loss(
            logs: list[float], constants: Callable[..., dict[str, float]] = constants
        ) -> float:
            found = errors(constants(logs))
            return sum(min(abs(e), math.log(2.0)) for e in found) / len(found)

        best = nelder_mead(loss, [math.log(x) for x in start.values()], 250)
        ends.append((loss(best), constants(best)))
    best_constants = min(ends, key=lambda end: end[0])[1]
    return best_constants, sorted(abs(math.expm1(e)) for e in errors(best_constants))


def by_cores(device: _core.Device, constants: Constants) -> Constants:
    """Copies as what a core moves in a cycle: their cores decide, not the memory."""
    part = device.numbers["memory.bandwidth_bytes_per_s"].value / cycles_per_s(device)
    copied = {"copy": ("copy_bytes_per_cycle", part)}
    names = {key: copied.get(key, (key, 1.0)) for key in constants}
    return {name: factor * constants[key] for key, (name, factor) in names.items()}


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


def changed(framework: _core.Framework, stem: str, constants: Constants) -> _core.Framework:
    """The framework with these constants alone under the stem, and none under other scopes."""
    kind, _, *rest = stem.split(".")

    def is_replaced(key: str) -> bool:
        parts = key.split(".")
        return parts[0] == kind and parts[2 : 2 + len(rest)] == rest

    numbers = {k: v for k, v in framework.numbers.items() if not is_replaced(k)}
    for key, value in constants.items():
        numbers[f"{stem}.{key}"] = _core.Number(value, "fitted", "here", 0.5)
    return _core.Framework(framework.id, framework.name, framework.vendors, numbers)


def main() -> None:
    arguments = fit_arguments(__doc__)
    device, framework = sp.device(arguments.device), sp.framework(arguments.framework)
    for kind in STARTS:
        for (dtype, direction), rows in units(arguments.record, kind).items():
            own = kind == "convolution" and dtype == "float32"  # others' are other boards', too
            scope = device.family if own else device.vendor
            stem = f"{kind}.{scope}.{dtype}.{direction}"
            constants, errors = fit_unit(device, framework, stem, kind, rows)
            framework = changed(framework, stem, constants)
            show(stem, by_cores(device, constants), errors, arguments.source)
            if kind == "attention":
                family = f"{kind}.{device.family}.{dtype}.{direction}"
                show(family, {"reach": constants["reach"]}, errors, arguments.source)
    tail = f'kind = "fitted", source = "{arguments.source}", relative_error = 0.35'
    print(f"[row.{device.vendor}]")
    for key, rate in batch_norms(arguments.record).items():
        print(f"{key}.elements_per_s = {{ value = {rate:.4g}, {tail} }}")


if __name__ == "__main__":
    main()
