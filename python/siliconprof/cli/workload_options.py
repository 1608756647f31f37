"""The options that describe a trace, shared by run and predict."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

import typer

from .. import arguments
from .._core import Trace, offload_names
from ..devices import default_framework
from ..devices import device as find_device
from ..lowerings import own_lowering
from ..workloads import find_workload, is_model, op, workload

JSON = typer.Option(False, "--json", help="One JSON document on stdout and nothing else.")
SET = typer.Option(
    [], "--set", help="A number changed, as memory.bandwidth=1e12 or host.pace=0.7; repeatable."
)
DEVICES = typer.Option(
    None, help="Ids or device files, commas between; apple, nvidia or cpu for a vendor's."
)
FRAMEWORKS = typer.Option(
    None,
    help="Ids or id@version (`siliconprof frameworks`), commas between; each vendor's own by "
    "default.",
)
SAVE = typer.Option(None, "--save", help="Also save the profile to this .json file.")

# Typer of Debian 12 knows no `int | None`.
OptionalInt = Optional[int]  # noqa: UP045
OptionalText = Optional[str]  # noqa: UP045

OptionalNumber = Optional[float]  # noqa: UP045

# Told the options of a workload, and the others.
Body = Callable[[dict[str, Any], dict[str, Any]], None]

_OPTIONS: tuple[tuple[str, Any, Any], ...] = (
    ("workload", str, typer.Argument(..., help="Id of a workload (see `siliconprof workloads`).")),
    (
        "dtype",
        OptionalText,
        typer.Option(None, help="Of an operation: float64, float32, tf32, float16 or bfloat16."),
    ),
    ("batch", OptionalInt, typer.Option(None, help="Products, sequences or images in the batch.")),
    ("m", OptionalInt, typer.Option(None, help="Rows of the result.")),
    ("k", OptionalInt, typer.Option(None, help="Length of the inner products.")),
    ("n", OptionalInt, typer.Option(None, help="Columns, or elements of a vector.")),
    (
        "vjp",
        bool,
        typer.Option(False, "--vjp", help="The vector-Jacobian product, not the forward pass."),
    ),
    ("seq", OptionalInt, typer.Option(None, help="Tokens of each sequence.")),
    ("label_len", OptionalInt, typer.Option(None, help="Whisper: tokens of each text.")),
    ("image", OptionalInt, typer.Option(None, help="Height and width of images.")),
    (
        "size",
        list[str],
        typer.Option([], "--size", help="Any other size of a model, as layers=2; repeatable."),
    ),
    (
        "precision",
        OptionalText,
        typer.Option(None, help="Of a model: fp32, tf32, amp-fp16, amp-bf16 or fp64."),
    ),
    ("optimizer", OptionalText, typer.Option(None, help="adamw, sgd or none.")),
    ("lora", OptionalInt, typer.Option(None, help="Rank of LoRA adapters; no others train.")),
    (
        "offload",
        bool,
        typer.Option(False, "--offload", help="The optimizer on the host (ZeRO-Offload)."),
    ),
    (
        "offload_mode",
        OptionalText,
        typer.Option(None, help="Offloads so: overlapped, delayed, serial or pageable."),
    ),
    (
        "checkpoint",
        bool,
        typer.Option(False, "--checkpoint", help="Compute activations again, block by block."),
    ),
    ("clip", OptionalNumber, typer.Option(None, help="Largest norm of all gradients.")),
    ("accumulate", OptionalInt, typer.Option(None, help="Micro-batches of a step.")),
    ("dropout", OptionalNumber, typer.Option(None, help="Rate of dropout; 0 by default.")),
)
_MODEL = ("workload", str, typer.Argument(..., help="Id of a model (see `siliconprof workloads`)."))
# Those of a single operation alone.
_OF_AN_OPERATION = ("dtype", "m", "k", "n", "vjp")
_OF_A_MODEL = (_MODEL, *(entry for entry in _OPTIONS[1:] if entry[0] not in _OF_AN_OPERATION))


def taking_a_trace(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options that describe a trace in place of its parameter `trace`."""

    def run(described: dict[str, Any], given: dict[str, Any]) -> None:
        kernels = lowering_of(given.get("device"), given.get("framework"))
        command(trace_of(described.pop("workload"), framework=kernels, **described), **given)

    return _with_options(command, "trace", run)


def taking_a_workload(command: Callable[..., None]) -> Callable[..., None]:
    """The command with those options in place of its parameter `described`: what `trace_of` takes,
    but for the framework."""
    return _with_options(command, "described", _described(command))


def taking_a_model(command: Callable[..., None]) -> Callable[..., None]:
    """The same for a command of training steps alone, without the options of an operation."""
    return _with_options(command, "described", _described(command), _OF_A_MODEL)


def _described(command: Callable[..., None]) -> Body:
    def run(described: dict[str, Any], given: dict[str, Any]) -> None:
        described["id"] = described.pop("workload")
        command(described, **given)

    return run


def _with_options(
    command: Callable[..., None],
    replaced: str,
    body: Body,
    options: Sequence[tuple[str, Any, Any]] = _OPTIONS,
) -> Callable[..., None]:
    """`body`, told the options of a workload and the others, with the signature that says so."""

    def run(**given: Any) -> None:
        body({name: given.pop(name) for name, _, _ in options if name in given}, given)

    functools.update_wrapper(run, command)
    kind = inspect.Parameter.KEYWORD_ONLY
    own = list(inspect.signature(command, eval_str=True).parameters.values())
    parameters = [
        *(inspect.Parameter(n, kind, default=d, annotation=a) for n, a, d in options),
        *(entry.replace(kind=kind) for entry in own if entry.name != replaced),
    ]
    # What Typer reads a command's options from.
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {entry.name: entry.annotation for entry in parameters}
    return run


def lowering_of(device: str | None, framework: str | None) -> str:
    """`own_lowering` of the framework that will run the step."""
    if framework is None and device is not None:
        framework = default_framework(find_device(device))
    return own_lowering(framework or "native")


def trace_of(
    id: str,
    dtype: str | None = None,
    vjp: bool = False,
    size: Sequence[str] = (),
    framework: str = "native",
    **options: Any,
) -> Trace:
    """The workload's trace with the options that were given."""
    given = given_options(options, size)
    if is_model(id):
        if vjp:
            raise arguments.refused(id, "vjp", vjp, "a step of a model has its gradients already")
        if dtype is not None:
            given["dtype"] = dtype
        return workload(id, framework=framework, **given)
    entry = find_workload(id)
    chosen = dtype or "float32"
    if not vjp or entry.vjp:
        return workload(id, dtype=chosen, **given)
    return op(entry.op, dtype=chosen, vjp=True, **{**entry.dims, **given})


def given_options(options: Mapping[str, Any], size: Sequence[str] = ()) -> dict[str, Any]:
    """Those that were given, and the sizes by name."""
    given = {
        name: value for name, value in options.items() if value is not None and value is not False
    }
    offload = offloading(given.pop("offload", False), given.pop("offload_mode", None))
    if offload is not False:
        given["offload"] = offload
    for text in size:
        name, value = _named_size(text)
        if name in given:
            need = f"one size of each name is needed; {name} is {given[name]!r} already"
            raise arguments.refused("size", "size", text, need)
        given[name] = value
    return given


def offloading(offload: bool | str, mode: str | None) -> bool | str:
    """What --offload and --offload-mode come to: a mode asks for offloading by itself."""
    if mode == "none":
        modes = ", ".join(name for name in offload_names() if name != "none")
        raise arguments.refused("offload", "offload-mode", mode, f"one of {modes} is needed")
    return mode or offload


def _named_size(text: str) -> tuple[str, int]:
    """ "layers=2" as a name and a number."""
    name, _, value = text.partition("=")
    try:
        return name, int(value)
    except ValueError:
        raise arguments.refused("size", "size", text, "name=number, as layers=2") from None
