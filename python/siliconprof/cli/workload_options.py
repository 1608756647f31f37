"""The options that describe a trace, shared by run and predict."""

from __future__ import annotations

from typing import Optional

import typer

from .._core import Trace
from ..workloads import find_workload, op, workload

WORKLOAD = typer.Argument(..., help="Id of a workload (see `siliconprof workloads`).")
DTYPE = typer.Option("float32", help="float64, float32, tf32, float16 or bfloat16.")
BATCH = typer.Option(None, help="Products in the batch.")
M = typer.Option(None, help="Rows of the result.")
K = typer.Option(None, help="Length of the inner products.")
N = typer.Option(None, help="Columns, or elements of a vector.")
VJP = typer.Option(False, "--vjp", help="The vector-Jacobian product instead of the forward pass.")
JSON = typer.Option(False, "--json", help="One JSON document on stdout and nothing else.")
SAVE = typer.Option(None, "--save", help="Also save the profile to this .json file.")

# Typer of Debian 12 knows no `int | None`.
OptionalInt = Optional[int]  # noqa: UP045
OptionalText = Optional[str]  # noqa: UP045


def trace_of(id: str, dtype: str, vjp: bool, **sizes: int | None) -> Trace:
    """The workload's trace with the sizes that were given."""
    given = {name: size for name, size in sizes.items() if size is not None}
    entry = find_workload(id)
    if not vjp or entry.vjp:
        return workload(id, dtype=dtype, **given)
    return op(entry.op, dtype=dtype, vjp=True, **{**entry.dims, **given})
