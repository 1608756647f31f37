"""What can be run or predicted: single operations by name, and named workloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from . import arguments
from ._core import Trace, dtype_names, op_attributes, op_dims, op_names, single_op
from .names import unknown_name

# Attributes that are true or false begin so; the others are numbers.
_TRUTHS = "transpose"


@dataclass(frozen=True)
class Workload:
    """A named trace: one operation at its default size.

    Any size can be replaced by keyword; `dtype` too.
    """

    id: str
    summary: str
    op: str
    dims: Mapping[str, int]
    vjp: bool = False


def workload_table() -> tuple[Workload, ...]:
    """Every named workload; a new one is one entry here."""
    return (
        Workload(
            "batched-matmul",
            "8 products of 2000x2000 matrices, the paper's Figure 5",
            "matmul",
            {"batch": 8, "m": 2000, "k": 2000, "n": 2000},
        ),
        Workload(
            "matvec",
            "one 16384x4096 matrix times a vector, the largest of Figure 6",
            "matvec",
            {"m": 16384, "n": 4096},
        ),
        Workload(
            "matmul-vjp",
            "both gradients of a 2048x2048 product, as in Figure 7",
            "matmul",
            {"batch": 1, "m": 2048, "k": 2048, "n": 2048},
            vjp=True,
        ),
        Workload(
            "matvec-vjp",
            "both gradients of a 16384x4096 matrix-vector product",
            "matvec",
            {"m": 16384, "n": 4096},
            vjp=True,
        ),
        Workload(
            "triad",
            "a = b + alpha c over 2^25 elements: memory bandwidth",
            "triad",
            {"n": 1 << 25},
        ),
    )


def workloads() -> list[str]:
    """Ids of the named workloads."""
    return [entry.id for entry in workload_table()]


def find_workload(id: str) -> Workload:
    """The table's entry. Raises: UnknownNameError with the nearest ids."""
    for entry in workload_table():
        if entry.id == id:
            return entry
    raise unknown_name("workload", id, workloads())


def workload(id: str, *, dtype: str = "float32", **sizes: int) -> Trace:
    """The trace of the named workload.

    Sizes:  any dimension of its operation by keyword (`m=…`, `batch=…`), the rest as in the table.
    Raises: UnknownNameError for an id or a keyword that does not exist; ArgumentError and
            ShapeError for a bad size; DtypeError.
    """
    entry = find_workload(arguments.text("workload", "id", id))
    _check_dtype("workload", dtype)
    valid = op_dims(entry.op)
    for name in sizes:
        if name not in valid:
            raise unknown_name(f"{id} argument", name, [*valid, "dtype"])
    dims = {**entry.dims, **{name: _size(name, value) for name, value in sizes.items()}}
    return single_op(entry.op, dims, dtype, {}, entry.vjp)


def op(name: str, *, dtype: str = "float32", vjp: bool = False, **given: float) -> Trace:
    """The trace of one call of an operation; `vjp=True` for its vector-Jacobian product.

    Arguments: the operation's dimensions (integers) and attributes (numbers; `transpose…` True
               or False), by keyword: `sp.op("matmul", batch=8, m=2000, k=2000, n=2000)`.
    Raises:    UnknownNameError for an operation, dimension or attribute that does not exist;
               ArgumentError and ShapeError for a value that is missing or cannot be; DtypeError.
    """
    if arguments.text("op", "name", name) not in op_names():
        raise unknown_name("op", name, op_names())
    dim_names, attribute_names = op_dims(name), list(op_attributes(name))
    dims: dict[str, int] = {}
    attributes: dict[str, float] = {}
    for key, value in given.items():
        if key in dim_names:
            dims[key] = _size(key, value)
        elif key in attribute_names:
            check = arguments.truth if key.startswith(_TRUTHS) else arguments.real
            attributes[key] = float(check(name, key, value))
        else:
            valid = [*dim_names, *attribute_names, "dtype", "vjp"]
            raise unknown_name(f"{name} argument", key, valid)
    _check_dtype("op", dtype)
    return single_op(name, dims, dtype, attributes, arguments.truth("op", "vjp", vjp))


def _check_dtype(place: str, dtype: object) -> None:
    """The core says which texts are a dtype."""
    arguments.text(place, "dtype", dtype, f"one of {', '.join(dtype_names())} is needed")


def _size(name: str, value: object) -> int:
    """The core says what is wrong with a size below 1; more than it can hold is refused here."""
    return arguments.whole("size", name, value, -arguments.LARGEST_SIZE, arguments.LARGEST_SIZE)
