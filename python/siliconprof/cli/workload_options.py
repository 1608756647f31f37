"""The options that describe a trace, shared by run and predict."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Optional

import typer

from .._core import Trace
from ..workloads import find_workload, op, workload

JSON = typer.Option(False, "--json", help="One JSON document on stdout and nothing else.")
SAVE = typer.Option(None, "--save", help="Also save the profile to this .json file.")

# Typer of Debian 12 knows no `int | None`.
OptionalInt = Optional[int]  # noqa: UP045
OptionalText = Optional[str]  # noqa: UP045

_OPTIONS: tuple[tuple[str, Any, Any], ...] = (
    ("workload", str, typer.Argument(..., help="Id of a workload (see `siliconprof workloads`).")),
    ("dtype", str, typer.Option("float32", help="float64, float32, tf32, float16 or bfloat16.")),
    ("batch", OptionalInt, typer.Option(None, help="Products in the batch.")),
    ("m", OptionalInt, typer.Option(None, help="Rows of the result.")),
    ("k", OptionalInt, typer.Option(None, help="Length of the inner products.")),
    ("n", OptionalInt, typer.Option(None, help="Columns, or elements of a vector.")),
    (
        "vjp",
        bool,
        typer.Option(False, "--vjp", help="The vector-Jacobian product, not the forward pass."),
    ),
)


def taking_a_trace(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options that describe a trace in place of its parameter `trace`."""

    def run(**given: Any) -> None:
        described = {name: given.pop(name) for name, _, _ in _OPTIONS}
        command(trace_of(described.pop("workload"), **described), **given)

    functools.update_wrapper(run, command)
    kind = inspect.Parameter.KEYWORD_ONLY
    own = list(inspect.signature(command, eval_str=True).parameters.values())
    parameters = [
        *(inspect.Parameter(n, kind, default=d, annotation=a) for n, a, d in _OPTIONS),
        *(entry.replace(kind=kind) for entry in own if entry.name != "trace"),
    ]
    # What Typer reads a command's options from.
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {entry.name: entry.annotation for entry in parameters}
    return run


def trace_of(id: str, dtype: str, vjp: bool, **sizes: int | None) -> Trace:
    """The workload's trace with the sizes that were given."""
    given = {name: size for name, size in sizes.items() if size is not None}
    entry = find_workload(id)
    if not vjp or entry.vjp:
        return workload(id, dtype=dtype, **given)
    return op(entry.op, dtype=dtype, vjp=True, **{**entry.dims, **given})
