"""Times of the op suite's rows under PyTorch on a CUDA device, each call waited for.

    python3 tools/measure_torch_suite.py OUT.csv [--labels RECORD.csv] [--device h200]

Takes the rows' labels from a packaged record of the suite (m3max_ops) and calls what that suite
calls: float32 on random data, five calls to warm up, the median of 45 walls with a synchronisation
each. Convolutions run in TF32, as PyTorch leaves them to cuDNN. ScatterSum and ScatterMax are left
out: published times of them are below what their bytes allow, so that what is called isn't known.
"""

from __future__ import annotations

import argparse
import csv
import re
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as functional

LABELS = Path(__file__).parents[1] / "python/siliconprof/data/records/m3max_ops.csv"
WARM_UP, REPEATS = 5, 45
APART = "different computation: the bias is added in a kernel of its own"
Shape = tuple[int, ...]
FUNCTIONS = {
    "ReLU": functional.relu,
    "Sigmoid": torch.sigmoid,
    "LeakyReLU": functional.leaky_relu,
    "SeLU": functional.selu,
    "Softplus": functional.softplus,
    "PReLU": functional.prelu,
    "BCE": functional.binary_cross_entropy,
}
ALONG = {"Argmax": torch.argmax, "Softmax": torch.softmax, "Sort": torch.sort, "Sum": torch.sum}


def call(operation: str, shapes: list[Shape], axis: int | None) -> Callable[[], object] | None:
    """The suite's call on fresh data; none for an operation that is left out."""
    if operation in ("Gather", "Scatter"):
        return by_index(operation, *shapes)
    data = [torch.rand(shape, device="cuda") for shape in shapes]
    if operation in FUNCTIONS:
        return lambda: FUNCTIONS[operation](*data)
    if operation in ALONG:
        return lambda: ALONG[operation](data[0], axis)
    if operation.startswith("Conv"):  # channels come last in the labels, and second in PyTorch
        convolve = functional.conv1d if operation == "Conv1d" else functional.conv2d
        x, weights = (tensor.movedim(-1, 1) for tensor in data)
        return lambda: convolve(x, weights)
    others: dict[str, Callable[[], object]] = {
        "Concat": lambda: torch.cat(data, axis),
        "Linear": lambda: data[0] @ data[1] + data[2],
        "MatMul": lambda: data[0] @ data[1],
        "SumAll": lambda: torch.sum(data[0]),
    }
    return others.get(operation)


def by_index(operation: str, table: Shape, count: Shape) -> Callable[[], object]:
    rows, columns = table
    index = torch.randint(0, rows, count, device="cuda")
    index = index.repeat_interleave(columns).reshape(-1, columns)
    held = torch.rand(table, device="cuda")
    if operation == "Gather":
        return lambda: torch.gather(held, 0, index)
    source = torch.rand(index.shape, device="cuda")
    return lambda: held.scatter(0, index, source)


def timed(run: Callable[[], object]) -> tuple[float, float]:
    """Median seconds of a call that is waited for, and quartile distance over it."""
    for _ in range(WARM_UP):
        run()
    torch.cuda.synchronize()
    walls = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        run()
        torch.cuda.synchronize()
        walls.append(time.perf_counter() - begin)
    low, middle, high = statistics.quantiles(walls, n=4)
    return middle, (high - low) / middle


def labels(record: Path) -> list[str]:
    with record.open(newline="", encoding="utf-8") as file:
        found = dict.fromkeys(row["what"] for row in csv.DictReader(file))
    return [label for label in found if "dim=" in label]  # others are means


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--labels", type=Path, default=LABELS)
    parser.add_argument("--device", default="h200", help="its id in the record")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    with arguments.out.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("what", "device", "framework", "dtype", "value", "unit", "note"))
        for label in labels(arguments.labels):
            operation = label.split()[0]
            shapes = [tuple(map(int, m.split("x"))) for m in re.findall(r"dim=([0-9x]+)", label)]
            axis = re.search(r"axi=(-?\d+)", label)
            run = call(operation, shapes, int(axis[1]) if axis else None)
            if run is None:
                continue
            seconds, spread = timed(run)
            dtype = "tf32" if operation.startswith("Conv") else "float32"
            note = APART if operation == "Linear" and shapes[2][0] > 1 else f"spread {spread:.3f}"
            place = (label, arguments.device, "torch-cuda", dtype)
            out.writerow((*place, f"{seconds:.4e}", "s", note))
            del run
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
