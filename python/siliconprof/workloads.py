"""What can be run or predicted: single operations by name, models in training, named workloads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import Parameter, signature
from typing import Any

from . import arguments
from ._core import (
    ArgumentError,
    ShapeError,
    Trace,
    attribute_needs,
    dtype_names,
    models,
    offload_names,
    op_attributes,
    op_dims,
    op_names,
    single_op,
    training_step,
)
from .frameworks import framework_versions, frameworks
from .lowerings import left_open, own_lowering
from .names import nearest_of, unknown_name
from .remaking import given_by, with_options

# Weight, gradient and AdamW's two moments in float32.
BYTES_A_PARAMETER = 16

# Attributes that are true or false begin so; the others are numbers.
_TRUTHS = ("causal", "descending", "inverse", "nesterov", "pageable", "transpose")


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
    """Ids of the named workloads: models in training, then single operations."""
    return [model.id for model in models()] + [entry.id for entry in workload_table()]


def find_workload(id: str) -> Workload:
    """The table's entry. Raises: UnknownNameError with the nearest ids."""
    for entry in workload_table():
        if entry.id == id:
            return entry
    raise unknown_name("workload", id, workloads())


def is_model(id: str) -> bool:
    """Whether `id` is a model in training, not a single operation."""
    return any(model.id == id for model in models())


def check_model(place: str, name: str, id: object) -> None:
    """Refuses what is no model's id; `place` asks for it as its argument `name`.

    Raises: UnknownNameError; ArgumentError for an operation.
    """
    if not is_model(arguments.text(place, name, id)):
        if id in workloads():
            raise arguments.refused(place, name, id, "a model's id is needed")
        raise unknown_name("model", id, [entry.id for entry in models()])


def workload(id: str, *, dtype: str = "float32", **given: Any) -> Trace:
    """The trace of the named workload: of one whole training step of a model, or of an operation.

    Models:     any of the model's sizes by keyword (`batch=16, seq=256`), and
                precision "fp32" | "tf32" | "amp-fp16" | "amp-bf16" | "fp64";
                optimizer "adamw" | "sgd" | None (up to the gradients);
                learning_rate of its updates, 0.001 or, of sgd, 0.1 unless asked for;
                lora a rank, or None; checkpoint True or False; clip a norm, or None;
                offload False, or True: the optimizer on the host (ZeRO-Offload), as "overlapped"
                (gradients cross while the backward pass runs, parameters while the next is
                updated), "serial" (after both), "pageable" (serial, in memory that may be paged),
                "delayed" (overlapped, with updates one step late, beside the pass);
                accumulate micro-batches of `batch` each; dropout a rate, 0 unless asked for;
                framework whose kernels the step is made of ("native": this library's own); by
                default this library's where the step is run, and where it is predicted those of
                the framework that it is predicted under.
    Operations: any dimension by keyword (`m=…`, `batch=…`), and dtype.
    Raises:     UnknownNameError for an id or a keyword that does not exist; ArgumentError and
                ShapeError for a value that cannot be, saying what would fit; DtypeError.
    """
    is_step = is_model(arguments.text("workload", "id", id))
    trace = _step(id, dtype, given) if is_step else _operation(id, dtype, given)
    return given_by(trace, partial(workload, id, dtype=dtype, **given))


def _operation(id: str, dtype: str, given: Mapping[str, Any]) -> Trace:
    """Of the table."""
    entry = find_workload(id)
    _check_dtype("workload", dtype)
    valid = op_dims(entry.op)
    for name in given:
        if name not in valid:
            raise unknown_name(f"{id} argument", name, [*valid, "dtype"])
    dims = {**entry.dims, **{name: _size(name, value) for name, value in given.items()}}
    return single_op(entry.op, dims, dtype, {}, entry.vjp)


def _optional(check: Callable[..., Any], *limits: Any) -> Callable[[str, str, Any], Any]:
    def checked(place: str, name: str, value: Any) -> Any:
        return None if value is None else check(place, name, value, *limits)

    return checked


def _optimizer(place: str, name: str, value: Any) -> str:
    return "none" if value is None else arguments.text(place, name, value)


def _framework(place: str, name: str, value: Any) -> str:
    """Whose kernels: a version's own or its framework's; a packaged one without any, ours."""
    text = arguments.text(place, name, value)
    id, at, _ = text.partition("@")
    if at and text not in framework_versions():
        raise unknown_name("framework version", text, framework_versions())
    return own_lowering(text) if id in frameworks() else id


def _offload(place: str, name: str, value: Any) -> str:
    """The mode's name: True is the one that overlaps."""
    if isinstance(value, str) and value in offload_names():
        return value
    try:
        return "overlapped" if arguments.truth(place, name, value) else "none"
    except ArgumentError:
        modes = [mode for mode in offload_names() if mode != "none"]  # which False is
        near = " or ".join(repr(mode) for mode in nearest_of(value, modes))
        need = f"True or False is needed, or one of {', '.join(modes)}"
        need += f"; did you mean {near}?" if near else ""
        raise arguments.refused(place, name, value, need) from None


# How each argument of a step is checked; the core says which values fit the model.
_STEP_ARGUMENTS: Mapping[str, Callable[[str, str, Any], Any]] = {
    "precision": arguments.text,
    "optimizer": _optimizer,
    "lora": _optional(arguments.whole, -arguments.LARGEST_SIZE, arguments.LARGEST_SIZE),
    "offload": _offload,
    "checkpoint": arguments.truth,
    "clip": _optional(arguments.real),
    "accumulate": lambda place, name, value: arguments.whole(place, name, value, 1, 1 << 20),
    "dropout": arguments.real,
    "learning_rate": _optional(arguments.real, 0.0),
    "framework": _framework,
}


def check_keywords(
    function: Callable[..., Any],
    ids: Iterable[str],
    given: Iterable[str],
    varied: Collection[str] = (),
) -> None:
    """Refuses a keyword that neither `function` takes, which hands `given` on, nor a training step
    of any of these models; varied: a step's that `function` has an argument of its own for."""
    own = [entry.name for entry in signature(function).parameters.values() if _is_keyword(entry)]
    sizes = [name for entry in models() if entry.id in ids for name in entry.sizes]
    others = (name for name in [*sizes, *_STEP_ARGUMENTS] if name not in varied)
    valid = list(dict.fromkeys([*own, *others]))
    for name in given:
        if name not in valid:
            raise unknown_name(f"{function.__name__} argument", name, valid)


def _is_keyword(parameter: Parameter) -> bool:
    return parameter.kind is Parameter.KEYWORD_ONLY


def _step(id: str, dtype: str, given: Mapping[str, Any]) -> Trace:
    """The training step of a model."""
    if dtype != "float32":
        raise arguments.refused(id, "dtype", dtype, "a model takes `precision`, as 'amp-bf16'")
    (model,) = (model for model in models() if model.id == id)
    sizes: dict[str, int] = {}
    others: dict[str, Any] = {}
    for name, value in given.items():
        if name in _STEP_ARGUMENTS:
            others[name] = _STEP_ARGUMENTS[name](id, name, value)
        elif name in model.sizes:
            sizes[name] = _size(name, value)
        else:
            raise unknown_name(f"{id} argument", name, [*model.sizes, *_STEP_ARGUMENTS])

    def make(changes: Mapping[str, Any]) -> Trace:
        own = {name: value for name, value in changes.items() if name in model.sizes}
        rest = {
            name: _STEP_ARGUMENTS[name](id, name, value)
            for name, value in changes.items()
            if name not in own
        }
        return training_step(id, {**sizes, **own}, **{**others, **rest})

    options = {**model.sizes, **sizes, **others}
    step = with_options(_named_step(id, sizes, others), options, make)
    if "framework" in others:
        return step
    return left_open(step, lambda kernels: training_step(id, sizes, framework=kernels, **others))


def _named_step(id: str, sizes: Mapping[str, int], others: Mapping[str, Any]) -> Trace:
    """The step; where an operation's tensors can't be addressed, or its calls are too many, the
    error begins with what was asked for, as the operation knows only what became of it."""
    try:
        return training_step(id, sizes, **others)
    except ShapeError as error:
        is_too_large = str(error).startswith("[trace]") or "2^63-1" in str(error)
        asked = {**sizes, **{k: v for k, v in others.items() if k == "accumulate"}}
        if not asked or not is_too_large:
            raise
        given = ", ".join(f"{name} = {size}" for name, size in asked.items())
        raise ShapeError(f"[{id}] too large with {given}: {error}") from None


def op(name: str, *, dtype: str = "float32", vjp: bool = False, **given: float) -> Trace:
    """The trace of one call of an operation; `vjp=True` for its vector-Jacobian product.

    Arguments: the operation's dimensions (integers) and attributes (numbers; `transpose…` True
               or False), by keyword: `sp.op("matmul", batch=8, m=2000, k=2000, n=2000)`;
               `siliconprof workloads --ops` lists each operation's, its shapes and its formula.
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
            check = arguments.truth if key.startswith(_TRUTHS) else arguments.exact
            attributes[key] = float(check(name, key, value))
            if need := attribute_needs(name, key, attributes[key]):
                raise arguments.refused(name, key, value, f"{need} is needed")
        else:
            valid = [*dim_names, *attribute_names, "dtype", "vjp"]
            raise unknown_name(f"{name} argument", key, valid)
    _check_dtype("op", dtype)
    trace = single_op(name, dims, dtype, attributes, arguments.truth("op", "vjp", vjp))
    return given_by(trace, partial(op, name, dtype=dtype, vjp=vjp, **given))


def _check_dtype(place: str, dtype: object) -> None:
    """The core says which texts are a dtype."""
    arguments.text(place, "dtype", dtype, f"one of {', '.join(dtype_names())} is needed")


def _size(name: str, value: object) -> int:
    """The core says what is wrong with a size below 1; more than it can hold is refused here."""
    return arguments.whole("size", name, value, -arguments.LARGEST_SIZE, arguments.LARGEST_SIZE)
