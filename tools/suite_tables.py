"""The published op suite's tables, by the software that they were measured with, as calls of ours.

A framework's operations changed with its versions (products of three dimensions, fused functions,
convolutions without a kernel of their own), so that only tables of one time speak of the same
thing. Three times are told apart: up to February 2024 (PyTorch 2.1, MLX 0.2), March 2024 (PyTorch
2.2, MLX 0.5), and from MLX 0.20 on. The M3 Max is in none of them: its table is the record
m3max_ops. Where a table doesn't state its GPU cores its products under MLX tell: of the peaks of 8
and 10 cores, M2's reach 0.82 and 0.66 and M3's 1.01 and 0.81, and every other table's 0.81 to 0.85.
An M1 Pro that states neither cores nor version has no such row and is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import cpu_tables
from fit_efficiency import BACKENDS, Ratio, rows

import siliconprof as sp
from siliconprof import _core
from siliconprof.suite import SUITE, suite_row

Table = tuple[str, str, str]  # device, GPU cores, version of the framework
FIRST = {
    ("M1", "8", "not stated"): "m1",
    ("M2", "not stated", "mlx 0.2.0"): "m2-8",
    ("M2 Max", "38", "not stated"): "m2-max",
    ("M3", "not stated", "mlx 0.2.0"): "m3",
}
EARLY = {
    ("M1 Pro", "16", "mlx 0.5.0"): "m1-pro-16",
    ("M2 Max", "38", "mlx 0.5.0; torch 2.2.1"): "m2-max",
}
LATE = {
    ("M3", "10", "mlx 0.30.1"): "m3",
    ("M4 Pro", "16", "mlx 0.20.0"): "m4-pro-16",
    ("M4 Pro", "20", "mlx 0.24.1"): "m4-pro",
}
CUDA = {
    ("V100 PCIe 32GB", "not stated", "not stated"): "v100-pcie",
    ("A100 80GB PCIe", "not stated", "not stated"): "a100-pcie",
}
# By framework and version; "": the framework itself.
BODIES: Mapping[tuple[str, str], Mapping[Table, str]] = {
    ("mlx", ""): LATE,
    ("mlx", "0.5"): EARLY,
    ("mlx", "0.2"): FIRST,
    ("mlx-compile", ""): LATE,
    ("mlx-compile", "0.5"): EARLY,
    ("torch-mps", ""): LATE,
    ("torch-mps", "2.2"): EARLY,
    ("torch-mps", "2.1"): FIRST,
    ("torch-cuda", ""): CUDA,
    **cpu_tables.BODIES,
}
FIRST_VERSIONS = ("0.2", "2.1")
# Rows of the latest table whose software no other table has: with the PyTorch of its time sorts
# along another axis than the last take ten times what they took on the same chip. They are scored,
# and in no fit.
LATEST = ("M3", "10", "mlx 0.30.1")
SHORT_SUM = "Sum dim=64x128x128x128 axi=3"
STRIDED_SORTS = ("Sort dim=64x128x1024 axi=0", "Sort dim=64x128x1024 axi=1")
ALONE = {"torch-mps": STRIDED_SORTS}
# What these classes take changed little from March 2024 on: a fit to one time takes the rows of the
# other beside its own, at half their weight.
SHARED = ("elementwise", "indexed", "reduction", "sort")
SHARED_WEIGHT = 0.5
# MLX multiplies as it did in March 2024, and its convolutions went from one way to another that the
# source tells (GIVEN): all say how fast each is where they don't mostly wait. No later table has
# its sorts along other axes; PyTorch's sorts on MPS took in 2.1 what they took later, and its
# argmax and sums of short rows got other kernels.
LONG_CONVOLUTIONS = (
    "Conv1d dim=100x256x256 ",
    "Conv1d dim=16x1000x80 ",
    "Conv2d dim=1000x28x28x3 ",
    "Conv2d dim=100x256x256x3 ",
    "Conv2d dim=10x256x256x12 ",
    "Conv2d dim=1x256x256x128 ",
)
ALSO_SHARED = {name: ("MatMul ", *LONG_CONVOLUTIONS) for name in ("mlx", "mlx-compile")}
FAR_PRODUCT = "MatMul dim=64x1000000 "
SHARED_BY_ALL = {
    "torch-mps": ("Sort ",),
    "mlx": (*STRIDED_SORTS, *LONG_CONVOLUTIONS, FAR_PRODUCT),
}
NOT_SHARED = {"torch-mps": ("Argmax ", SHORT_SUM)}
# What MLX's source, and the suite's, say of a version: up to February 2024 all windows of
# convolutions were written out, later those that no implicit kernel fitted, with 0.30 none
# (staged_convolution.h). Until 5 March 2024 the suite's Linear added its bias in a kernel of its
# own [mlx-benchmark-27], which reads the result and writes it; the M1 Pro's is of later: it is
# quicker than the data sheet would let it be.
Given = tuple[tuple[str, float], ...]
WRITES_ALL = ("convolution.apple.float32.forward.unfolds_all", 1.0)
WRITES_UNFIT = ("convolution.apple.float32.forward.unfolds", 1.0)
ADDS_APART = ("access.apple.linear.result_passes", 2.0)
GIVEN: Mapping[str, Given] = {
    "": (),
    "0.2": (WRITES_ALL, ADDS_APART),
    "0.5": (WRITES_UNFIT, ADDS_APART),
}
# Of an element that PyTorch on MPS moves by an index: until 2.9 a kernel before wrote its three
# places, 16 bytes with their padding, which are read again [torch-158064].
PLACED_APART = tuple((f"access.apple.{op}.place_bytes", 32.0) for op in ("gather", "scatter"))
JOINED = ("M1 Pro", "16", "mlx 0.5.0")
MANY_ROWS = 10_000
FAR_ROW_BYTES = 2**20  # access.h
# Families whose float32 convolutions PyTorch leaves to cuDNN in TF32 unless told otherwise
# (torch.backends.cudnn.allow_tf32); products are in float32 by default.
WITHOUT_TF32 = ("nvidia-volta", "nvidia-turing")


@dataclass(frozen=True)
class Measured:
    """One row of the suite: its call, on a packaged device."""

    device: str
    operation: str
    op: str
    op_class: str
    trace: _core.Trace
    seconds: float
    is_short: bool = False
    is_strided: bool = False
    has_many_rows: bool = False
    is_far: bool = False
    label: str = ""
    table: Table = ("", "", "")
    weight: float = 1.0
    given: Given = ()
    """Constants that its software has, not found by a fit."""


def measured(folder: Path, framework: str, version: str) -> list[Measured]:
    """Rows of a body of tables that did what they say."""
    tables = BODIES[framework, version]
    return [row for row in every_row(folder, framework) if row.table in tables]


def beside(folder: Path, framework: str, version: str) -> list[Measured]:
    """Rows of the other time since March 2024, of classes that changed little, at their weight; on
    CPUs of all others, which speak where no other row does."""
    others = [other for other in BODIES if other[0] == framework and other[1] != version]
    rest = cpu_tables.SPARE_WEIGHT if cpu_tables.is_of_a_cpu(framework) else 0.0
    found = []
    for other in others:
        for row in measured(folder, *other):
            shared = is_shared(row, framework, {version, other[1]})
            weight = SHARED_WEIGHT if shared else rest
            if row.weight > 0.0 and weight > 0.0:
                found.append(replace(row, weight=weight))
    return found


def is_shared(row: Measured, framework: str, versions: set[str]) -> bool:
    """Whether the row says the same of both versions."""
    if cpu_tables.is_of_a_cpu(framework):
        return cpu_tables.is_shared(row.label, framework, versions)
    if versions & set(FIRST_VERSIONS):
        return row.label.startswith(SHARED_BY_ALL.get(framework, ()))
    if row.label.startswith(NOT_SHARED.get(framework, ())):
        return False
    return row.op_class in SHARED or row.label.startswith(ALSO_SHARED.get(framework, ()))


def every_row(folder: Path, framework: str) -> Iterator[Measured]:
    """The same, of every body."""
    backends = {**BACKENDS, **cpu_tables.BACKENDS}
    backend = next(b for b, name in backends.items() if name == framework)
    device_of = {k: v for (name, _), t in BODIES.items() if name == framework for k, v in t.items()}
    for row in rows(folder, "op_times_calibration.csv"):
        table = (row["device"], row["gpu_cores"], row["framework_version"])
        # Of what takes a CPU less than their last digit, tables say 0.
        timed = row["validity"] == "ok" and 0.0 < float(row["runtime_ms"]) < math.inf
        if row["backend"] != backend or table not in device_of or not timed:
            continue
        label = f"{row['operation']} {row['shape']}"
        if row["operation"] in SUITE and not cpu_tables.is_repeated(label, table):
            seconds = float(row["runtime_ms"]) * 1e-3
            made = as_measured(device_of[table], label, seconds, table, framework)
            alone = table == LATEST and label.startswith(ALONE.get(framework, ()))
            alone = alone or cpu_tables.is_alone(label, framework, table)
            made = replace(made, given=ways(framework, table))
            yield replace(made, weight=0.0) if alone else made


def ways(framework: str, table: Table) -> Given:
    """What the table's software is known to have besides its body's constants."""
    if framework == "torch-mps":
        return PLACED_APART if table != LATEST else ()
    of_a_cpu = cpu_tables.is_of_a_cpu(framework)
    if table == LATEST or of_a_cpu or not framework.startswith("mlx"):
        return ()
    if table in FIRST:
        return GIVEN["0.2"]
    return GIVEN["0.5"] if table in EARLY and table != JOINED else (WRITES_UNFIT,)


def as_measured(
    device: str, label: str, seconds: float, table: Table, framework: str = ""
) -> Measured:
    entry = suite_row(label)
    family = sp.device(device).family
    op_class = entry.trace().calls[0].op_class
    in_tf32 = op_class == "convolution" and family.startswith("nvidia")
    dtype = "tf32" if in_tf32 and family not in WITHOUT_TF32 else "float32"
    trace = entry.trace(dtype, framework)
    sizes = entry.arguments
    strided = sizes.get("inner", 1) > 1
    short = sizes.get("outer", 1) > 1 and sizes.get("size", 256) < 256 and not strided
    many = sizes.get("outer", 1) * sizes.get("inner", 1) > MANY_ROWS
    apart = sizes["k"] if entry.op == "matmul" else sizes.get("inner", 1)
    far = 4 * apart > FAR_ROW_BYTES
    subject = (entry.operation, entry.op, op_class)
    return Measured(device, *subject, trace, seconds, short, strided, many, far, label, table)


def slow_products(ratios: Iterable[Ratio]) -> dict[str, float]:
    """The part of the peak that products of three dimensions reached under PyTorch up to March
    2024, for each family: the path of M1 and M2 (fit_efficiency.marginal_products). It is one path,
    and a family has two chips: all tell."""
    slow = [r for r in ratios if r.framework == "torch-mps" and r.residual_only]
    return dict.fromkeys((r.scope for r in slow), median(r.value for r in slow)) if slow else {}


def version_constants(
    base: _core.Framework, version: str, ratios: Iterable[Ratio]
) -> dict[str, float]:
    """What a version has apart from fit_suite.py's constants: the rates of its layers, and before
    March 2024, when no table had a call that does nothing, one round trip for all families."""
    found: dict[str, float] = {}
    if base.id == "torch-mps" and version:
        for scope, value in slow_products(ratios).items():
            found[f"efficiency.{scope}.linear.compute.float32"] = value
    if version in FIRST_VERSIONS:
        trip = base.numbers["launch.round_trip_s"].value
        own = [k for k in base.numbers if k.startswith("launch.apple-m") and "round_trip" in k]
        found |= dict.fromkeys(own, trip)
    return found
