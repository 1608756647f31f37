"""Derive the constants of data/frameworks/*.toml from published micro-benchmarks.

    python tools/fit_efficiency.py --data DIR

DIR holds op_times_calibration.csv and gemm.csv (published tables, collected; the project itself
runs without them). The efficiencies are printed as TOML sections; they are pasted into the
framework files by hand, with comments, so that a reader sees each one.

Rules: what predictions are compared with is never used: the tables of arXiv 2501.14925, the op
suite's table of an M3 Max (the record m3max_ops), whole training steps. A ratio is achieved
rate over the peak of the device it was measured on. The value is the median of the ratios, at most
1; relative_error is the 90 % quantile of |ratio / value - 1| with the finite-sample correction of
split-conformal intervals. Fewer than nine rows cannot carry a 90 % quantile: the largest residual
is taken, and at least 0.15 (fewer than three rows: 0.25). A 16-bit product's error is never below
float32's in the same scope. Constants without a row of their own are marked `assumed`: `derived`
says how each comes about.

Products in the op suite are Linear layers of 102400 x k by k x 1024. The rate is marginal: flops
between k = 256 and k = 512 over the time between them. What does not grow with k (round trip, bias,
output) cancels, which the model accounts for apart.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

FEW_ROWS_ERROR, HARDLY_ANY_ERROR = 0.15, 0.25
LARGEST_ERROR = 0.9
HELD_OUT = ("M3 Max",)  # its op table is a record that predictions are compared with
CACHE_FACTOR = 8.0  # a streaming op counts when its bytes are this many times the last cache
BACKENDS = {
    "mlx_gpu": "mlx",
    "mlx_gpu_compile": "mlx-compile",
    "mps": "torch-mps",
    "cuda": "torch-cuda",
}
CPU_BACKENDS = {"mlx_cpu": "native", "cpu": "torch-cpu"}


@dataclass(frozen=True, eq=False)
class Chip:
    """Peaks of a measured device, in TFLOP/s by dtype, GB/s and MB of last cache."""

    family: str
    peak: dict[str, float]
    bandwidth: float
    cache: float


# From data sheets (devices.csv of the collection); the packaged device files agree where they
# describe the same chip. Names are those of the published tables.
CHIPS = {
    ("M1", "8"): Chip("apple-m1", {"float32": 2.617}, 68.25, 8),
    ("M1 Pro", "16"): Chip(
        "apple-m1", {"float32": 5.308, "float16": 5.308, "bfloat16": 5.308}, 204.8, 24
    ),
    # 8 cores: tools/suite_tables.py says why.
    ("M2", "not stated"): Chip("apple-m2", {"float32": 2.863}, 102.4, 8),
    ("M2 Max", "38"): Chip("apple-m2", {"float32": 13.6}, 409.6, 48),
    ("M2 Ultra", "76"): Chip("apple-m2", {"float32": 27.2}, 819.2, 96),
    ("M3", "10"): Chip("apple-m3", {"float32": 3.533}, 102.4, 8),
    ("M3 Max", "40"): Chip(
        "apple-m3", {"float32": 14.131, "float16": 14.131, "bfloat16": 14.131}, 409.6, 48
    ),
    ("A100 80GB PCIe", "not stated"): Chip("nvidia", {"float32": 19.5}, 1935, 40),
    ("V100 PCIe 32GB", "not stated"): Chip("nvidia", {"float32": 14.03}, 900, 6),
    ("RTX 2080", ""): Chip(  # 10.07 TFLOP/s: https://cputronic.com/en/gpu/nvidia-geforce-rtx-2080
        "nvidia-turing", {"float32": 10.07, "float16": 40.28, "bfloat16": 10.07}, 448, 4
    ),
    ("RTX 3090", ""): Chip(
        "nvidia-ampere", {"float32": 35.58, "float16": 71.2, "bfloat16": 71.2}, 935.8, 6
    ),
    ("RTX A6000", ""): Chip(
        "nvidia-ampere", {"float32": 38.71, "float16": 154.8, "bfloat16": 154.8}, 768, 6
    ),
    ("RTX 4090", ""): Chip(
        "nvidia-ada",
        {"float32": 82.58, "tf32": 82.58, "float16": 165.15, "bfloat16": 165.15},
        1008,
        72,
    ),
    ("H100 80GB HBM3", ""): Chip(
        "nvidia-hopper",
        {"float32": 66.9, "tf32": 494.7, "float16": 989.4, "bfloat16": 989.4},
        3350,
        50,
    ),
    ("H200", ""): Chip(
        "nvidia-hopper", {"float32": 66.9, "float16": 989.4, "bfloat16": 989.4}, 4800, 50
    ),
}
# Peak of the matrix coprocessors: two in the M1 Pro, one in the M1.
CPUS = {
    "M1 Pro": Chip("apple-cpu", {"float32": 3.107}, 204.8, 24),
    "M1 CPU": Chip("apple-cpu", {"float32": 1.553}, 68.25, 8),
}
SLOW_LINEAR = ("apple-m1", "apple-m2", "apple-cpu")
PACKAGED = ("RTX A6000", "RTX 4090", "H200", "M2 Max", "M2 Ultra", "M3 Max")
DTYPE = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "tf32": "tf32"}


@dataclass(frozen=True)
class Constant:
    value: float
    error: float
    kind: str
    why: str


@dataclass(frozen=True)
class Ratio:
    framework: str
    scope: str
    term: str  # "<op_class>.compute.<dtype>" or "<op_class>.bandwidth"
    device: str
    value: float
    residual_only: bool = False  # judged by the fit, but not part of its median
    operation: str = ""  # of the op suite


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def shapes(text: str) -> list[list[int]]:
    return [[int(n) for n in dims.split("x")] for dims in re.findall(r"dim=([\dx]+)", text)]


def streamed(operation: str, text: str) -> dict[str, float]:
    """Bytes in float32 of an op that streams, by the classes that it stands for."""
    sizes = shapes(text)
    counts = [math.prod(size) for size in sizes]
    if operation in ("ReLU", "Sigmoid"):
        return {"elementwise": 8.0 * counts[0]}
    if operation == "Concat":
        return {"elementwise": 8.0 * sum(counts)}
    if operation == "SumAll":
        return {"matrix_vector": 4.0 * counts[0], "reduction": 4.0 * counts[0]}
    if operation == "Sum":
        axis = int(re.search(r"axi=(-?\d+)", text)[1])
        return {"reduction": 4.0 * (counts[0] + counts[0] / sizes[0][axis])}
    if operation == "Softmax":
        return {"row_normalisation": 8.0 * counts[0]}
    return {}


def floors(table: list[dict[str, str]]) -> dict[tuple[str, str, str], float]:
    """Seconds of one synchronised tiny op (Gather, Scatter on 10 indices) by table and backend."""
    found: dict[tuple[str, str, str], float] = {}
    for row in table:
        if row["operation"] in ("Gather", "Scatter") and row["shape"].endswith("dim=10"):
            key = (row["device"], row["framework_version"], row["backend"])
            found[key] = min(found.get(key, math.inf), float(row["runtime_ms"]) * 1e-3)
    return found


def op_suite(folder: Path) -> Iterator[Ratio]:
    table = [
        row
        for row in rows(folder, "op_times_calibration.csv")
        if row["validity"] == "ok" and row["device"] not in HELD_OUT
    ]
    floor = floors(table)
    typical = {
        backend: median(value for key, value in floor.items() if key[2] == backend)
        for backend in {key[2] for key in floor}
    }
    for row in table:
        framework, chip = _suite_target(row)
        if not framework or not chip:
            continue
        for op_class, size in streamed(row["operation"], row["shape"]).items():
            if size > CACHE_FACTOR * chip.cache * 2**20:
                key = (row["device"], row["framework_version"], row["backend"])
                seconds = float(row["runtime_ms"]) * 1e-3 - floor.get(key, typical[row["backend"]])
                value = size / (chip.bandwidth * 1e9) / seconds
                term, operation = f"{op_class}.bandwidth", row["operation"]
                place = (framework, chip.family, term, row["device"])
                yield Ratio(*place, value, operation=operation)
    yield from marginal_products(table)


def _suite_target(row: dict[str, str]) -> tuple[str | None, Chip | None]:
    if row["backend"] in CPU_BACKENDS:
        return CPU_BACKENDS[row["backend"]], CPUS.get(row["device"])
    return BACKENDS.get(row["backend"]), CHIPS.get((row["device"], row["gpu_cores"]))


def marginal_products(table: list[dict[str, str]]) -> Iterator[Ratio]:
    """Rate of the Linear layers' products: flops over time between their two largest k."""
    times: dict[tuple[str, ...], dict[int, float]] = defaultdict(dict)
    for row in table:
        inner = re.match(r"dim=100x1024x(256|512) ", row["shape"])
        if row["operation"] == "Linear" and inner:
            names = ("device", "gpu_cores", "framework_version", "backend")
            key = tuple(row[name] for name in names)
            times[key][int(inner.group(1))] = float(row["runtime_ms"])
    flops = 2.0 * 102400 * (512 - 256) * 1024
    for (device, cores, _, backend), by_k in sorted(times.items()):
        framework, chip = _suite_target({"device": device, "gpu_cores": cores, "backend": backend})
        if framework and chip and "float32" in chip.peak and len(by_k) == 2:
            rate = flops / ((by_k[512] - by_k[256]) * 1e-3)
            # PyTorch of early 2024 sends a Linear of three dimensions down a slow path that square
            # products do not take: it widens the interval and leaves the median alone.
            slow_path = framework in ("torch-mps", "torch-cpu") and chip.family in SLOW_LINEAR
            value = rate / (chip.peak["float32"] * 1e12)
            term = "matrix_product.compute.float32"
            yield Ratio(framework, chip.family, term, device, value, slow_path, "Linear")


def gemm(folder: Path) -> Iterator[Ratio]:
    """Plateaus of square products: the best size of 2048 and above, or the "best of" rows."""
    best: dict[tuple[str, Chip, str, str, str], float] = {}
    for row in rows(folder, "gemm.csv"):
        size = re.match(r"(\d+)x", row["shape_mkn"])
        chip = _gemm_chip(row["device"])
        framework = _gemm_framework(row["framework"], row["device"])
        tf32 = "TF32" in row["note"] and row["precision"] == "fp32"
        dtype = "tf32" if tf32 else DTYPE.get(row["precision"], "")
        if chip is None or framework is None or dtype not in chip.peak:
            continue
        if size is None or int(size.group(1)) >= 2048:
            run = f"{row['device']} {row['framework']} {row['source']}"
            device = re.sub(r" (\d+GB|\(#).*", "", row["device"])
            key = (run, chip, framework, dtype, device)
            best[key] = max(best.get(key, 0.0), float(row["tflops"]))
    for (_, chip, framework, dtype, device), rate in best.items():
        # A family with a packaged device takes its value there; its siblings widen the interval.
        sibling = chip.family in ("nvidia-ampere", "nvidia-hopper") and device not in PACKAGED
        term = f"matrix_product.compute.{dtype}"
        yield Ratio(
            framework, chip.family, term, device, rate / chip.peak[dtype], sibling, "MatMul"
        )


def _gemm_chip(name: str) -> Chip | None:
    if name in CPUS:
        return CPUS[name]
    apple = re.match(r"(M\d \w+) \(?(\d+)(c|-core) ?GPU", name.replace("16-core CPU, ", ""))
    if apple:
        return CHIPS.get((apple.group(1), apple.group(2)))
    if "48GB" in name:  # modified boards
        return None
    return next((c for (n, cores), c in CHIPS.items() if not cores and name.startswith(n)), None)


def _gemm_framework(name: str, device: str) -> str | None:
    if not name.startswith("torch") and name:
        return None
    if device in CPUS:
        return "torch-cpu"
    return "torch-mps" if re.match(r"M\d", device) else "torch-cuda"


def summarise(ratios: Iterable[Ratio]) -> dict[tuple[str, str, str], Constant]:
    """Fitted constants by framework, scope and term."""
    groups: dict[tuple[str, str, str], list[Ratio]] = defaultdict(list)
    for ratio in ratios:
        groups[(ratio.framework, ratio.scope, ratio.term)].append(ratio)
    fitted = {}
    for key, group in sorted(groups.items()):
        core = [r.value for r in group if not r.residual_only] or [r.value for r in group]
        value = min(median(core), 1.0)
        error = interval([r.value for r in group], value)
        fitted[key] = Constant(value, error, "fitted", f"{len(group)} rows")
    for (framework, scope, term), constant in fitted.items():
        single = fitted.get((framework, scope, "matrix_product.compute.float32"))
        if term.startswith("matrix_product.compute") and single:
            fitted[(framework, scope, term)] = replace(
                constant, error=max(constant.error, single.error)
            )
    return fitted


def interval(values: list[float], centre: float) -> float:
    residuals = sorted(abs(value / centre - 1.0) for value in values)
    rank = math.ceil(0.9 * (len(residuals) + 1))
    if rank > len(residuals):
        least = FEW_ROWS_ERROR if len(residuals) > 2 else HARDLY_ANY_ERROR
        return min(max(residuals[-1], least), LARGEST_ERROR)
    return min(residuals[rank - 1], LARGEST_ERROR)


def derived(fitted: dict[tuple[str, str, str], Constant]) -> dict[tuple[str, str, str], Constant]:
    """16-bit products of Apple GPUs without rows: float32's value times a ratio seen elsewhere."""
    half = "matrix_product.compute.float16"
    brain = "matrix_product.compute.bfloat16"
    single = "matrix_product.compute.float32"
    mps = {key[1:]: c.value for key, c in fitted.items() if key[0] == "torch-mps"}
    half_ratio = median([mps[(m, half)] / mps[(m, single)] for m in ("apple-m1", "apple-m3")])
    brain_ratio = {m: mps[(m, brain)] / mps[(m, single)] for m in ("apple-m1", "apple-m3")}
    brain_ratio["apple-m2"] = brain_ratio["apple-m1"]  # neither has bfloat16 instructions
    out = {}
    for framework in ("mlx", "mlx-compile", "torch-mps"):
        for scope, ratio in sorted(brain_ratio.items()):
            base = fitted[(framework, scope, single)]
            for term, factor in ((half, half_ratio), (brain, ratio)):
                if (framework, scope, term) not in fitted:
                    why = f"float32's value x {factor:.2f}, the ratio on torch-mps"
                    error = max(0.3, base.error)
                    value = min(base.value * factor, 1.0)
                    out[(framework, scope, term)] = Constant(value, error, "assumed", why)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the published CSVs")
    folder = parser.parse_args().data
    fitted = summarise([*op_suite(folder), *gemm(folder)])
    section = ""
    for (framework, scope, term), c in sorted({**fitted, **derived(fitted)}.items()):
        table, _, name = f"efficiency.{scope}.{term}".rpartition(".")
        if (heading := f"# {framework}\n[{table}]") != section:
            section = heading
            print(f"\n{heading}")
        number = f'value = {c.value:.3f}, kind = "{c.kind}", source = ""'
        print(f"{name} = {{ {number}, relative_error = {c.error:.2f} }}  # {c.why}")


if __name__ == "__main__":
    main()
