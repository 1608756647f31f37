"""Fit what large products of a family reach, and draw (product.<family>..., power.<family>...).

    python tools/fit_reach.py --data DIR

DIR holds gemm.csv (published products, collected; not shipped): a board's best rate over square
products of 1024 to 10240. The tiles of products are those of an H200 (tools/fit_products.py); what
they lose beside their arithmetic is cycles of a core, which on cores of less arithmetic is less.
What is a family's own is the rate that its large products come out at, in the median of its boards
(product.<family>.<dtype>.reach). TF32, of which there are no such rows, takes float16's; float32,
which has no tensor cores, keeps its efficiency. A board that reaches a rate has the power for it:
an operation takes no more energy (power.<family>.<dtype>.flop_joules), nor more than boards are
taken to give products at their peak (power.nvidia.<dtype>.peak_part); on boards that multiply 16
bits at half of their chip's rate, half. The least of the family's boards is taken, so that boards
of less power are held up by theirs. Prints TOML.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

import siliconprof as sp
from siliconprof import _core

# By what a board is called there: one of ours with its cores, its clock over that one's, and its
# power, where it is known which of several boards it is. GeForce boards add up 16-bit products in
# float32 at half of the rate.
BOARDS: dict[str, tuple[str, float, float | None]] = {
    "V100S 32GB": ("v100", 1.597 / 1.53, 250.0),
    "A100 40GB": ("a100-40", 1.0, None),
    "A100 SXM4 80GB": ("a100", 1.0, 400.0),
    "RTX 2080 8GB": ("rtx-2080", 1.0, 215.0),
    "RTX 3090 24GB": ("rtx-3090", 1.0, 350.0),
    "RTX A6000": ("rtx-a6000", 1.0, 300.0),
    "RTX 4090 24GB": ("rtx-4090", 1.0, 450.0),
}
HALF_RATE = ("RTX 2080 8GB", "RTX 3090 24GB", "RTX 4090 24GB")
DTYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
TILED = ("float16", "bfloat16")
FRAMEWORK, SOURCE = "torch-cuda", "family-products"
SIDES = (2048, 4096, 8192, 10240)
LEAST_ERROR = 0.15
ENERGY_ERROR = 0.4


def published(folder: Path) -> Iterator[tuple[str, str, float]]:
    """(board, dtype, FLOP/s) of the best rates over sizes."""
    with (folder / "gemm.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            known = [board for board in BOARDS if row["device"].startswith(board)]
            dtype = DTYPES.get(row["precision"])
            if known and dtype and "best of 1024" in ",".join(map(str, row.values())):
                yield known[0], dtype, float(row["tflops"]) * 1e12


def best_rate(device: _core.Device, dtype: str) -> float:
    """FLOP/s of the best square product that has all of its tiles' rate."""
    shipped = sp.framework(FRAMEWORK)
    key = f"product.{device.family}.{dtype}.reach"
    numbers = {k: n for k, n in shipped.numbers.items() if not k.startswith("power.")}
    numbers[key] = _core.Number(1.0, "fitted", "here", 0.0)
    model = _core.Model(device, _core.Framework(shipped.id, shipped.name, shipped.vendors, numbers))
    traces = [sp.op("matmul", m=side, k=side, n=side, dtype=dtype) for side in SIDES]
    return max(t.flops / (model.predict(t).terms or {})["matrix"] for t in traces)


def rates(folder: Path) -> dict[tuple[str, str], float]:
    """By kind of board and dtype the median FLOP/s of those that were published."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for board, dtype, rate in published(folder):
        found[board, dtype].append(rate)
    return {key: median(values) for key, values in found.items()}


def has_matrix(device: _core.Device, dtype: str) -> bool:
    return f"peak.matrix.{dtype}_flops_per_s" in device.numbers


def reaches(by_board: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], list[float]]:
    """By family and dtype, the reach of each kind of board, no more than all of its tiles' rate."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (board, dtype), rate in by_board.items():
        id, clock, _ = BOARDS[board]
        device = sp.device(id)
        if dtype in TILED and has_matrix(device, dtype):
            reach = min(1.0, rate / clock / best_rate(device, dtype))
            found[device.family, dtype].append(reach)
            if dtype == "float16" and has_matrix(device, "tf32"):
                found[device.family, "tf32"].append(reach)
    return found


def joules(by_board: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """By family and dtype the most that an operation may take with what boards leave to products
    beside what they draw anyway, and with a board's usual part at its peak."""
    numbers = sp.framework(FRAMEWORK).numbers
    left = 1.0 - sum(numbers[f"power.nvidia.{part}_part"].value for part in ("idle", "busy"))
    found: dict[tuple[str, str], float] = {}
    for (board, dtype), rate in by_board.items():
        id, clock, watts = BOARDS[board]
        device = sp.device(id)
        key = device.family, dtype
        if watts is not None and has_matrix(device, dtype):
            peak = clock * device.numbers[f"peak.matrix.{dtype}_flops_per_s"].value
            vector = device.numbers["peak.vector.float32_flops_per_s"].value
            half = 0.5 if board in HALF_RATE and peak > 1.5 * clock * vector else 1.0
            usual = numbers[f"power.nvidia.{dtype}.peak_part"].value * watts / peak
            found[key] = min(found.get(key, math.inf), half * min(usual, left * watts / rate))
            if dtype == "float16" and has_matrix(device, "tf32"):
                found[key[0], "tf32"] = 2.0 * found[key]  # half of the rate of the same cores
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the published CSVs")
    by_board = rates(parser.parse_args().data)
    for (family, dtype), values in sorted(reaches(by_board).items()):
        centre = median(values)
        error = max(LEAST_ERROR, *(abs(v / centre - 1.0) for v in values))
        tail = f'kind = "fitted", source = "{SOURCE}", relative_error = {error:.2f}'
        print(f"[product.{family}.{dtype}]")
        print(f"reach = {{ value = {centre:.3g}, {tail} }}  # {len(values)} boards\n")
    for (family, dtype), each in sorted(joules(by_board).items()):
        tail = f'kind = "assumed", source = "{SOURCE}", relative_error = {ENERGY_ERROR}'
        print(f"power.{family}.{dtype}.flop_joules = {{ value = {each:.3g}, {tail} }}")


if __name__ == "__main__":
    main()
