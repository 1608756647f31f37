"""The op suite of the public MLX benchmark, by its rows' labels, as calls of our operations.

One table: for each operation of the suite its rows (shapes, and the axis where it has one) and how
their sizes become the dimensions of ours. Where the suite scatters or gathers, whole rows move.
Source: T. Bilot's mlx-benchmark, in the form that the record `m3max_ops` was measured with.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ._core import ShapeError, Trace, op_names, single_op
from .names import unknown_name

Shape = tuple[int, ...]
Arguments = dict[str, int]
Call = tuple[str, Arguments]

_LABEL = re.compile(r"(\w+)((?: dim=[0-9x]+)+)(?: axi=(-?\d+))?")


@dataclass(frozen=True)
class SuiteRow:
    """One row of the suite.

    label:     as the record writes it: "Sum dim=64x128x128x128 axi=2".
    operation: "Sum".
    op:        our operation's name; arguments: its dimensions.
    """

    label: str
    operation: str
    shapes: tuple[Shape, ...]
    axis: int | None
    op: str
    arguments: Mapping[str, int]

    @property
    def available(self) -> bool:
        """Whether this version has the operation."""
        return self.op in op_names()

    def trace(self, dtype: str = "float32", framework: str = "") -> Trace:
        """One call, as the suite makes it of the framework: PyTorch's scatter_reduce goes by an
        index of one column, and takes one column of each row.

        Raises: UnknownNameError for an operation that this version lacks.
        """
        own = {}
        if framework.startswith("torch") and self.op in ("scatter_sum", "scatter_max"):
            own = {"columns": 1}
        return single_op(self.op, {**self.arguments, **own}, dtype)


def suite() -> tuple[SuiteRow, ...]:
    """Every row, in the order of the record."""
    return tuple(
        suite_row(f"{name} {sizes}") for name, (_, rows) in SUITE.items() for sizes in rows
    )


def suite_row(label: str) -> SuiteRow:
    """The row with this label, also at sizes that the suite lacks.

    Raises: UnknownNameError for an operation that the suite lacks, ValueError for what is no label,
    ShapeError for an axis that the shape lacks and for shapes that don't go together.
    """
    found = _LABEL.fullmatch(label)
    if found is None:
        raise ValueError(f"[suite] label = {label!r}: needs 'Name dim=2x3 ... axi=0'")
    operation, sizes, axis_text = found.groups()
    if operation not in SUITE:
        raise unknown_name("operation of the suite", operation, list(SUITE))
    shapes = tuple(tuple(map(int, size[4:].split("x"))) for size in sizes.split())
    axis = None if axis_text is None else int(axis_text)
    name, arguments = SUITE[operation][0](shapes, axis)
    return SuiteRow(label, operation, shapes, axis, name, arguments)


def _from_the_first(shape: Shape, axis: int) -> int:
    """The axis counted from the first, as -1 is the last."""
    if not -len(shape) <= axis < len(shape):
        limits = f"{-len(shape)} to {len(shape) - 1}, of {'x'.join(map(str, shape))}"
        raise ShapeError(f"[suite] axi={axis}: needed: {limits}")
    return axis % len(shape)


def _together(fit: bool, shapes: tuple[Shape, ...], needed: str) -> None:
    """Refuses shapes that no call takes together."""
    if not fit:
        sizes = " ".join(f"dim={'x'.join(map(str, shape))}" for shape in shapes)
        raise ShapeError(f"[suite] {sizes}: needed: {needed}")


def _along(name: str) -> Callable[..., Call]:
    """An op along an axis: what lies before it is outer, what lies behind it inner."""

    def call(shapes: tuple[Shape, ...], axis: int) -> Call:
        (shape,) = shapes
        axis = _from_the_first(shape, axis)
        outer, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
        return name, {"outer": outer, "size": shape[axis], "inner": inner}

    return call


def _flat(name: str) -> Callable[..., Call]:
    """An op on each element."""
    return lambda shapes, axis: (name, {"n": math.prod(shapes[0])})


def _rows(name: str) -> Callable[..., Call]:
    """An op that moves rows by an index."""

    def call(shapes: tuple[Shape, ...], axis: None) -> Call:
        (rows, columns), (count,) = shapes
        return name, {"rows": rows, "count": count, "columns": columns}

    return call


def _sum_all(shapes: tuple[Shape, ...], axis: None) -> Call:
    return "sum", {"outer": 1, "size": math.prod(shapes[0]), "inner": 1}


def _concat(shapes: tuple[Shape, ...], axis: int) -> Call:
    a, b = shapes
    axis = _from_the_first(a, axis)
    fit = (*a[:axis], *a[axis + 1 :]) == (*b[:axis], *b[axis + 1 :])
    _together(fit, shapes, "shapes that differ along the axis alone")
    outer, inner = math.prod(a[:axis]), math.prod(a[axis + 1 :])
    return "concat", {"outer": outer, "first": a[axis], "second": b[axis], "inner": inner}


def _conv1d(shapes: tuple[Shape, ...], axis: None) -> Call:
    (batch, length, channels), (outputs, kernel, read) = shapes
    _together(read == channels, shapes, f"a kernel of {channels} channels, the data's")
    sizes = {"batch": batch, "length": length, "channels": channels}
    return "conv1d", {**sizes, "outputs": outputs, "kernel": kernel}


def _conv2d(shapes: tuple[Shape, ...], axis: None) -> Call:
    (batch, height, width, channels), (outputs, kernel_h, kernel_w, read) = shapes
    _together(read == channels, shapes, f"a kernel of {channels} channels, the data's")
    sizes = {"batch": batch, "height": height, "width": width, "channels": channels}
    return "conv2d", {**sizes, "outputs": outputs, "kernel_h": kernel_h, "kernel_w": kernel_w}


def _linear(shapes: tuple[Shape, ...], axis: None) -> Call:
    x, (n_in, out), _ = shapes
    _together(x[-1] == n_in, shapes, f"weights of {x[-1]} rows, as the data have columns")
    return "linear", {"rows": math.prod(x[:-1]), "in": n_in, "out": out}


def _matmul(shapes: tuple[Shape, ...], axis: None) -> Call:
    a, b = shapes
    fit = len(b) > 1 and a[-1] == b[-2] and b[:-2] in ((), a[:-2])
    _together(fit, shapes, "one right matrix or one for each left, of as many rows as columns left")
    # One right matrix for a whole batch: its rows are those of one tall product.
    batch = math.prod(b[:-2])
    return "matmul", {"batch": batch, "m": math.prod(a[:-1]) // batch, "k": a[-1], "n": b[-1]}


_ROW_SIZES = tuple(
    f"dim={table} dim={count}" for table in ("64x16", "1024x32") for count in (10, 1000, 1000000)
)
_ELEMENT_SIZES = ("dim=128x16x1024", "dim=64x128x1024")
_PAIRS = ("1000000", "100000x32", "100000x64x2", "128x100000")

SUITE: Mapping[str, tuple[Callable[..., Call], tuple[str, ...]]] = {
    "Argmax": (
        _along("argmax"),
        (*(f"dim=64x1024x128 axi={axis}" for axis in range(3)), "dim=64x128x1024 axi=2"),
    ),
    "BCE": (_flat("bce"), tuple(f"dim={size} dim={size}" for size in _PAIRS)),
    "Concat": (
        _concat,
        (
            "dim=1000000x64 dim=1000000x32 axi=1",
            "dim=1000000x64 dim=1000000x128 axi=1",
            "dim=1000000x64 dim=1000000x64 axi=0",
            "dim=64x1000000 dim=64x1000000 axi=0",
        ),
    ),
    "Conv1d": (
        _conv1d,
        (
            "dim=100x256x3 dim=8x3x3",
            "dim=100x256x256 dim=8x3x256",
            "dim=16x1000x80 dim=128x11x80",
            "dim=16x1000x3 dim=128x11x3",
        ),
    ),
    "Conv2d": (
        _conv2d,
        (
            "dim=100x256x256x3 dim=8x3x3x3",
            "dim=10x256x256x12 dim=8x3x3x12",
            "dim=1x256x256x128 dim=8x3x3x128",
            "dim=100x28x28x3 dim=8x3x3x3",
            "dim=1000x28x28x3 dim=8x3x3x3",
        ),
    ),
    "Gather": (_rows("gather"), tuple(size.replace("64x16", "64x256") for size in _ROW_SIZES)),
    "LeakyReLU": (_flat("leaky_relu"), _ELEMENT_SIZES),
    "Linear": (
        _linear,
        (
            *(f"dim=100x1024x{n} dim={n}x1024 dim=1024" for n in (32, 64, 256, 512)),
            "dim=100x1x51200 dim=51200x1 dim=1",
        ),
    ),
    "MatMul": (
        _matmul,
        (
            "dim=32x1x1000 dim=32x1000x128",
            "dim=1000x64x256 dim=256x32",
            "dim=1000x64x1024 dim=1000x1024x32",
            "dim=1000x1024x64 dim=1000x64x256",
            "dim=64x1000000 dim=1000000x32",
            "dim=1000000x64 dim=64x1024",
        ),
    ),
    "PReLU": (_flat("prelu"), tuple(f"{size} dim=1" for size in _ELEMENT_SIZES)),
    "ReLU": (_flat("relu"), _ELEMENT_SIZES),
    "Scatter": (_rows("scatter"), _ROW_SIZES),
    "ScatterSum": (_rows("scatter_sum"), _ROW_SIZES),
    "ScatterMax": (_rows("scatter_max"), _ROW_SIZES),
    "SeLU": (_flat("selu"), _ELEMENT_SIZES),
    "Sigmoid": (_flat("sigmoid"), _ELEMENT_SIZES),
    "Softmax": (
        _along("softmax"),
        tuple(
            f"dim={size} axi=-1"
            for size in (
                "64x1000000",
                "1000000x64",
                "64x16x32x1024",
                "128x16x32x1024",
                "1024x16x32x128",
                "1024x64x32x8",
            )
        ),
    ),
    "Softplus": (_flat("softplus"), _ELEMENT_SIZES),
    "Sort": (_along("sort"), tuple(f"dim=64x128x1024 axi={axis}" for axis in range(3))),
    "Sum": (_along("sum"), tuple(f"dim=64x128x128x128 axi={axis}" for axis in range(4))),
    "SumAll": (
        _sum_all,
        tuple(
            f"dim={size}" for size in ("64x128x128x128", "1000000", "1000000x128", "128x1000000")
        ),
    ),
}
