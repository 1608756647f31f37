"""Constants of Apple's CPUs that tools/fit_suite.py looks for, and where it begins.

Loops of MLX run on one core, whatever the chip has of them: their rates are bytes, elements or
operations of one core in a cycle (python/siliconprof/core_rates.py). So do most of PyTorch's. Of
its others (ON_ALL_CORES) the bytes per cycle of all cores together are alike on chips of 4 to 10
cores. Products go through the matrix coprocessors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

SCOPE = "apple-cpu"
ONE, ALL = "core_bytes_per_cycle", "cores_bytes_per_cycle"
ELEMENTS = "core_elements_per_cycle"
OLD_MLX = ("0.2", "0.5")  # their conv2d is a loop, later ones write windows out
SLOW_TORCH = "2.1"  # products without Accelerate
ON_ALL_CORES = {
    "2.1": ("sum", "softmax"),
    "2.2": ("sum", "softmax"),
    "2.5": ("sum", "argmax", "selu", "softplus", "bce"),
    "": ("sum", "argmax", "selu", "softplus", "bce"),
}
# Classes, and the operations whose rows tell their rates; others have rates of their own.
BY_CLASS = {
    "relu": "elementwise",
    "sum": "reduction",
    "softmax": "row_normalisation",
    "concat": "rearrangement",
}
PARTS = {
    "sum": (("short_part", 0.1, 1.0), ("strided_part", 0.02, 1.0)),
    "softmax": (("core_row_cycles", 10.0, 1e4),),
    "argmax": (("short_part", 0.1, 1.0), ("strided_part", 0.02, 1.0)),
}
FUNCTIONS = ("relu", "sigmoid", "leaky_relu", "prelu", "selu", "softplus", "bce")
BY_INDEX = ("gather", "scatter", "scatter_sum", "scatter_max")
CONVOLUTION = f"convolution.{SCOPE}.float32.forward"
BYTES_BOUNDS = (1e-3, 60.0)
ELEMENTS_BOUNDS = (1e-3, 30.0)

Constant = tuple[tuple[str, ...], float, float]  # its keys and its bounds


@dataclass(frozen=True)
class Group:
    """Operations that share constants."""

    ops: tuple[str, ...]
    constants: tuple[Constant, ...]


def rate(subject: str, key: str) -> Constant:
    return (f"efficiency.{SCOPE}.{subject}.{key}",), *BYTES_BOUNDS


def part(op: str, key: str, low: float, high: float) -> Constant:
    return (f"access.{SCOPE}.{op}.{key}",), low, high


def groups(framework: str, version: str) -> Iterator[Group]:
    """What is fitted of a framework on CPUs at a version."""
    of_torch = framework == "torch-cpu"
    together = ON_ALL_CORES[version] if of_torch else ()
    for op in (*FUNCTIONS, "sum", "softmax", "argmax", "concat"):
        parts = tuple(part(op, *bounds) for bounds in PARTS.get(op, ()))
        streams = rate(BY_CLASS.get(op, op), ALL if op in together else ONE)
        yield Group((op,), (streams, *parts))
    yield Group(
        ("sort",),
        (part("sort", ELEMENTS, *ELEMENTS_BOUNDS), part("sort", "strided_part", 0.02, 1.0)),
    )
    for op in BY_INDEX:
        yield Group((op,), (part(op, ELEMENTS, *ELEMENTS_BOUNDS),))
    yield from _products(framework, version)
    yield from _convolutions(framework, version)


def _writes_out(framework: str, version: str) -> bool:
    """Whether convolutions write windows out and multiply them."""
    return framework == "torch-cpu" or version not in OLD_MLX


def _products(framework: str, version: str) -> Iterator[Group]:
    """All cores and coprocessors take part: what products move is a part of the memory's rate. What
    a fresh result costs one core beyond that, and a bias, goes over the result again. The windows
    of the suite's convolutions have 8 outputs, which tell nothing of their products: those reach
    what others do."""
    compute = f"efficiency.{SCOPE}.matrix_product.compute"
    also = (f"{CONVOLUTION}.reach",) if _writes_out(framework, version) else ()
    reach = (f"{compute}.float32", f"{compute}.any", *also), 0.02, 1.0
    exposed = tuple(f"access.{SCOPE}.{op}.exposed_part" for op in ("matmul", "linear"))
    reads = (f"efficiency.{SCOPE}.matrix_product.bandwidth",), 0.02, 1.0
    layer, other = (part(op, "result_passes", 0.05, 10.0) for op in ("linear", "matmul"))
    if (framework, version) != ("torch-cpu", SLOW_TORCH):
        yield Group(("linear", "matmul"), (reach, reads, layer, other, (exposed, 0.02, 1.0)))
        return
    yield Group(("linear",), (reach, layer))  # bound by their arithmetic
    own = ((f"efficiency.{SCOPE}.matmul.compute.float32",), 0.002, 1.0)
    yield Group(("matmul",), (own, part("matmul", "thin_part", 0.02, 1.0)))


def _convolutions(framework: str, version: str) -> Iterator[Group]:
    if _writes_out(framework, version):
        written = ((f"{CONVOLUTION}.{ELEMENTS}",), 0.02, 10.0)
        yield Group(("conv2d", "conv1d"), (written,))
        return
    for op in ("conv2d", "conv1d"):
        key = f"efficiency.{SCOPE}.{op}.core_operations_per_cycle"
        yield Group((op,), (((key,), 0.1, 1e3),))


def known(framework: str, version: str) -> Mapping[str, float]:
    """Where a fit begins; what it doesn't find stays so (`left`)."""
    classes = ("elementwise", "outer_product", "row_normalisation")
    together = ON_ALL_CORES[version] if framework == "torch-cpu" else ()
    sums = ALL if "sum" in together else ONE
    rates = dict.fromkeys(classes, ONE) | {"reduction": sums, "matrix_vector": sums}
    if "softmax" in together:
        rates["row_normalisation"] = ALL
    found = {f"efficiency.{SCOPE}.{of}.{key}": 10.0 for of, key in rates.items()}
    found |= {f"efficiency.{SCOPE}.{of}.compute.any": 0.75 for of in (*rates, "matrix_product")}
    found[f"efficiency.{SCOPE}.matrix_product.compute.float32"] = 0.75
    found[f"efficiency.{SCOPE}.matrix_product.bandwidth"] = 0.3
    if not _writes_out(framework, version):
        return found
    tiles = dict.fromkeys((f"{CONVOLUTION}.outputs_tile", f"{CONVOLUTION}.channels_tile"), 1.0)
    start = {f"{CONVOLUTION}.start_s": 1e-7, f"{CONVOLUTION}.bandwidth": 0.5}
    return found | tiles | start | {f"{CONVOLUTION}.reach": 0.75}


def completed(found: Mapping[str, float]) -> dict[str, float]:
    """With what no row tells: one row or one column streams as sums do, outer products as
    functions."""
    made = dict(found)
    for of, like in (("outer_product", "elementwise"), ("matrix_vector", "reduction")):
        for key in (ONE, ALL):
            if f"efficiency.{SCOPE}.{of}.{key}" in found:
                made[f"efficiency.{SCOPE}.{of}.{key}"] = found[f"efficiency.{SCOPE}.{like}.{key}"]
    return made


def left(key: str) -> str:
    """The source of what a fit leaves as it is; none of what it finds."""
    _, _, subject, *last = key.split(".")
    if key.startswith(f"{CONVOLUTION}."):
        return "" if key.endswith(ELEMENTS) else "written-out"
    if key.startswith("efficiency.") and subject != "matrix_product" and last[0] == "compute":
        return "three-quarters" if last[1] == "any" else ""
    same = {"outer_product": "same-as-elementwise", "matrix_vector": "read-stream"}
    return same.get(subject, "")
