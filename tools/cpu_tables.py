"""The published op suite's tables of Apple's CPUs, by the software that they were measured with.

PyTorch took another path for products up to March 2024 than with 2.2.1, the only version of that
time that a table names: packages linked OpenBLAS or no BLAS at all where later ones have Apple's
Accelerate. conda-forge's did so for longer [conda-forge-403], which is what the products of the
M4 Pro of 16 GPU cores look like: they are scored, and in no fit. MLX's loops on CPUs changed one by
one; of three times of theirs, what changed little is shared (SHARED). PyTorch's conv1d runs through
NNPACK there [torch-107534], which no constant of ours stands for: scored, and in no fit.
"""

from __future__ import annotations

from collections.abc import Mapping

Table = tuple[str, str, str]  # as in suite_tables.py

BACKENDS = {"mlx_cpu": "mlx-cpu", "cpu": "torch-cpu"}
M1: Mapping[Table, str] = {("M1", "8", "not stated"): "m1-cpu"}
M2: Mapping[Table, str] = {("M2", "not stated", "mlx 0.2.0"): "m2-cpu"}
M3: Mapping[Table, str] = {("M3", "not stated", "mlx 0.2.0"): "m3-cpu"}
M1_PRO: Mapping[Table, str] = {("M1 Pro", "16", "mlx 0.5.0"): "m1-pro-cpu"}
M2_MAX: Mapping[Table, str] = {("M2 Max", "38", "mlx 0.5.0; torch 2.2.1"): "m2-max-cpu"}
WITH_AXES: Mapping[Table, str] = {
    ("M1 Pro", "not stated", "not stated"): "m1-pro-cpu",
    ("M2 Max", "38", "not stated"): "m2-max-cpu",
}
M4_PRO_16: Mapping[Table, str] = {("M4 Pro", "16", "mlx 0.20.0"): "m4-pro-cpu-12"}
M4_PRO: Mapping[Table, str] = {("M4 Pro", "20", "mlx 0.24.1"): "m4-pro-cpu"}
LATEST: Mapping[Table, str] = {("M3", "10", "mlx 0.30.1"): "m3-cpu"}

BODIES: Mapping[tuple[str, str], Mapping[Table, str]] = {
    ("mlx-cpu", ""): {**LATEST, **M4_PRO},
    ("mlx-cpu", "0.20"): M4_PRO_16,
    ("mlx-cpu", "0.5"): {**M1_PRO, **M2_MAX},
    ("mlx-cpu", "0.2"): {**M1, **M2, **M3, **WITH_AXES},
    ("torch-cpu", ""): LATEST,
    ("torch-cpu", "2.5"): {**M4_PRO, **M4_PRO_16},
    ("torch-cpu", "2.2"): M2_MAX,
    ("torch-cpu", "2.1"): {**M1, **M2, **M3, **M1_PRO},
}
PRODUCTS = ("Linear ", "MatMul ")
ALONG_AXES = ("Argmax ", "Softmax ", "Sum ", "Sort ")  # MLX's later tables have none that hold
FUNCTIONS = ("BCE ", "PReLU ", "ReLU ", "SeLU ", "Sigmoid ", "Softplus ")
ALL_BUT_PRODUCTS = (*ALONG_AXES, *FUNCTIONS, "LeakyReLU ", "SumAll ", "Concat ", "Conv", "Gather ")
SCATTERS = ("Scatter ", "ScatterSum ", "ScatterMax ")
# By framework and two versions of it, the rows that say the same of both.
SHARED: Mapping[tuple[str, frozenset[str]], tuple[str, ...]] = {
    ("mlx-cpu", frozenset(("", "0.20"))): (
        *("Conv", "Concat ", *SCATTERS, "Gather ", *PRODUCTS, *ALONG_AXES),
        *("ReLU ", "LeakyReLU ", "Softplus "),
    ),
    ("mlx-cpu", frozenset(("", "0.5"))): (
        *("ReLU ", "LeakyReLU ", "Softplus ", "Sort ", "Gather ", "MatMul "),
    ),
    ("mlx-cpu", frozenset(("", "0.2"))): ALONG_AXES,
    ("mlx-cpu", frozenset(("0.20", "0.5"))): (
        *(*FUNCTIONS, "LeakyReLU ", "SumAll ", "Sort ", "Gather ", "MatMul "),
    ),
    ("mlx-cpu", frozenset(("0.20", "0.2"))): ALONG_AXES,
    ("mlx-cpu", frozenset(("0.5", "0.2"))): (
        *(*ALONG_AXES, "BCE ", "ReLU ", "Softplus ", "SumAll ", "Conv", "MatMul "),
    ),
    ("torch-cpu", frozenset(("2.2", "2.1"))): (*ALL_BUT_PRODUCTS, *SCATTERS),
    ("torch-cpu", frozenset(("2.5", "2.2"))): (
        *(*PRODUCTS, "Sum ", "SumAll ", "ReLU ", "LeakyReLU ", "PReLU ", "Concat ", "Conv2d "),
        *("Gather ", "ScatterSum ", "ScatterMax "),
    ),
    ("torch-cpu", frozenset(("2.5", ""))): (
        *(*PRODUCTS, "Argmax ", "BCE ", "SeLU ", "Sigmoid ", "Softmax ", "Softplus ", "Sort "),
        *("Sum ", "SumAll ", "Gather ", "ScatterSum ", "ScatterMax "),
    ),
}
SPARE_WEIGHT = 0.01  # of rows that aren't shared: they speak where no other row does
# Scored, and in no fit: by framework and table; "": every table.
ALONE: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "torch-cpu": (("", ("Conv1d ",)), ("mlx 0.20.0", PRODUCTS)),
}


def is_of_a_cpu(framework: str) -> bool:
    return framework in BACKENDS.values()


def is_shared(label: str, framework: str, versions: set[str]) -> bool:
    """Whether a row says the same of two versions of a framework on CPUs."""
    return label.startswith(SHARED.get((framework, frozenset(versions)), ()))


def is_alone(label: str, framework: str, table: Table) -> bool:
    """Whether no other table has the software of a row on a CPU."""
    found = ALONE.get(framework, ())
    return any(version in table[2] and label.startswith(labels) for version, labels in found)


def is_repeated(label: str, table: Table) -> bool:
    """Whether the row stands again under its own label: of the M1 Pro's early runs the first were
    labelled without an axis. What they ran again stays: three runs of one machine."""
    return table in WITH_AXES and label.startswith("Softmax ") and " axi=" not in label
