"""Fit what large products of a family reach of their tiles' rate (product.<family>.<dtype>.reach).

    python tools/fit_reach.py --data DIR

DIR holds gemm.csv (published products, collected; not shipped): a board's best rate over square
products of 1024 to 10240. The tiles of products are those of an H200 (tools/fit_products.py); what
they lose beside their arithmetic is cycles of a core, which on cores of less arithmetic is less.
What is a family's own is the rate that its large products come out at, in the median of its boards
by their own peaks; bursts that short are not held up by a board's power. TF32, of which
there are no such rows, takes float16's. Float32, which has no tensor cores, keeps its efficiency.
Prints TOML.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import siliconprof as sp
from siliconprof import _core

# By what a board is called there: one of ours with its cores, and its clock over that one's.
BOARDS = {
    "V100S 32GB": ("v100", 1.597 / 1.53),
    "A100 40GB": ("a100-40", 1.0),
    "A100 SXM4 80GB": ("a100", 1.0),
    "RTX 2080 8GB": ("rtx-2080", 1.0),
    "RTX 3090 24GB": ("rtx-3090", 1.0),
    "RTX A6000": ("rtx-a6000", 1.0),
    "RTX 4090 24GB": ("rtx-4090", 1.0),
}
DTYPES = {"fp16": "float16", "bf16": "bfloat16"}
FRAMEWORK, SOURCE = "torch-cuda", "square-products"
SIDES = (2048, 4096, 8192, 10240)
LEAST_ERROR = 0.15


def published(folder: Path) -> Iterator[tuple[str, str, float]]:
    """(device, dtype, FLOP/s at the device's clock) of the best rates over sizes."""
    with (folder / "gemm.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            known = [board for board in BOARDS if row["device"].startswith(board)]
            dtype = DTYPES.get(row["precision"])
            if known and dtype and "best of 1024" in ",".join(map(str, row.values())):
                device, clock = BOARDS[known[0]]
                yield device, dtype, float(row["tflops"]) * 1e12 / clock


def best_rate(device: _core.Device, dtype: str) -> float:
    """FLOP/s of the best square product that has all of its tiles' rate."""
    shipped = sp.framework(FRAMEWORK)
    key = f"product.{device.family}.{dtype}.reach"
    numbers = {k: n for k, n in shipped.numbers.items() if not k.startswith("power.")}
    numbers[key] = _core.Number(1.0, "fitted", "here", 0.0)
    model = _core.Model(device, _core.Framework(shipped.id, shipped.name, shipped.vendors, numbers))
    traces = [sp.op("matmul", m=side, k=side, n=side, dtype=dtype) for side in SIDES]
    return max(t.flops / (model.predict(t).terms or {})["matrix"] for t in traces)


def reaches(folder: Path) -> dict[tuple[str, str], list[float]]:
    """By family and dtype, the reach of each kind of board, no more than all of its tiles' rate."""
    by_board: dict[tuple[str, str], list[float]] = defaultdict(list)
    for id, dtype, rate in published(folder):
        if f"peak.matrix.{dtype}_flops_per_s" in sp.device(id).numbers:
            by_board[id, dtype].append(rate)
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (id, dtype), rates in by_board.items():
        device = sp.device(id)
        found[device.family, dtype].append(min(1.0, median(rates) / best_rate(device, dtype)))
    return found


def with_tf32(found: dict[tuple[str, str], list[float]]) -> dict[tuple[str, str], list[float]]:
    """And of families that have TF32, float16's."""
    families = {sp.device(id).family for id, _ in BOARDS.values() if has_tf32(sp.device(id))}
    return found | {(family, "tf32"): found[family, "float16"] for family in families}


def has_tf32(device: _core.Device) -> bool:
    return "peak.matrix.tf32_flops_per_s" in device.numbers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the published CSVs")
    for (family, dtype), values in sorted(with_tf32(reaches(parser.parse_args().data)).items()):
        centre = median(values)
        error = max(LEAST_ERROR, *(abs(v / centre - 1.0) for v in values))
        tail = f'kind = "fitted", source = "{SOURCE}", relative_error = {error:.2f}'
        print(f"[product.{family}.{dtype}]")
        print(f"reach = {{ value = {centre:.3g}, {tail} }}  # {len(values)} boards\n")


if __name__ == "__main__":
    main()
