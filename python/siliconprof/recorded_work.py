"""What a recorded row's words ask for: a trace, and which of its quantities."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ._core import Profile, ShapeError, Trace, UnknownNameError, op_names
from .names import nearest_of
from .records import Row
from .suite import suite_row
from .workloads import is_model, op, workload, workloads

# What a row's words may end in, and its unit; what ends in another's words comes before it.
QUANTITIES = {"peak memory": "bytes", "reserved memory": "bytes", "energy": "J"}
QUANTITIES |= {"kernel time": "s", "time": "s"}
CALL = "call"  # the quantity of a row of the op suite: one call that is waited for
# Words of the paper's tables: a workload, its sizes and what was recorded of it.
PAPER = (
    (re.compile(r"gpt2-large step, batch (\d+)"), "transformer-lm-gpt2-large", "time"),
    (re.compile(r"whisper-medium energy per iteration, batch (\d+)"), "whisper-medium", "energy"),
)
# One of several machines that a device stood in; what the version of the framework does.
_NO_SIZES = ("machine", "replay", "kernels")
_COLUMNS = ("framework", "dtype")
_NAMES = ("id", "name")  # of the workload or operation, which the first word is
# What a step's column dtype may say by its precision, besides nothing: what its parameters are in,
# or what it computes in.
_DTYPES: Mapping[str, tuple[str, ...]] = {
    "fp32": ("float32",),
    "tf32": ("float32", "tf32"),
    "amp-fp16": ("float32", "float16"),
    "amp-bf16": ("float32", "bfloat16"),
    "fp64": ("float64",),
}
_LITERALS: Mapping[str, Any] = {"True": True, "False": False}


@dataclass(frozen=True)
class Asked:
    """One quantity of one trace.

    key:      the same for rows of the same trace.
    build:    makes the trace; raises what `workload` and `op` do.
    quantity: one of QUANTITIES, or CALL.
    subject:  the workload or operation; is_step: whether it is a whole step of a model.
    """

    key: tuple[str, ...]
    build: Callable[[], Trace]
    quantity: str
    subject: str
    is_step: bool


def asked(row: Row) -> Asked | str:
    """What the row asks for, or why that can't be said."""
    for words, id, quantity in PAPER:
        if found := words.fullmatch(row.what):
            return _wrong_unit(row, quantity) or _papers(row, id, quantity, int(found[1]))
    if " dim=" in row.what:
        return _call(row)
    first = row.what.split()[0]
    if first not in workloads() and first not in op_names():
        nearest = nearest_of(first, [*workloads(), *op_names()])
        hint = f"; nearest: {', '.join(nearest)}" if nearest else ""
        return f"{first!r} is no workload, operation or label of the op suite{hint}"
    quantity = next((q for q in QUANTITIES if row.what.endswith(" " + q)), "")
    if not quantity:
        return f"no quantity is named; the words end in one of {', '.join(QUANTITIES)}"
    words_given = row.what.removesuffix(quantity).split()
    given = _given(words_given[1:])
    if isinstance(given, str):
        return given
    return _wrong_unit(row, quantity) or _of_words(row, words_given, given, quantity)


def amount(profile: Profile, quantity: str) -> tuple[float | None, tuple[float, float] | None]:
    """One of QUANTITIES of a prediction, None where it has none, and its interval."""
    if quantity == "time":
        return profile.time_s, profile.interval
    if quantity == "kernel time":
        return _kernels_s(profile), None
    if quantity == "energy":
        return profile.energy_joules, profile.energy_interval_joules
    if quantity == "peak memory":
        return profile.peak_memory_bytes, profile.peak_memory_interval_bytes
    reserved = (c.value for c in profile.counters if c.name == "reserved_memory_bytes")
    return next(reserved, None), None


def _kernels_s(profile: Profile) -> float | None:
    """Of a step that is on its device alone: beside a host kernels hide behind transfers."""
    terms = profile.terms
    if terms is None or terms["transfers"] + terms["host optimizer"] > 0.0:
        return None
    return profile.time_s - terms["launch"] - terms["paging"]


def _papers(row: Row, id: str, quantity: str, batch: int) -> Asked | str:
    if reason := _wrong_dtype(row, "fp32"):
        return reason

    def build() -> Trace:
        return workload(id, framework=row.framework, batch=batch)

    return Asked((row.what, row.framework or ""), build, quantity, id, True)


def _call(row: Row) -> Asked | str:
    """A row of the op suite."""
    try:
        row_of_suite = suite_row(row.what)
    except (ShapeError, UnknownNameError) as reason:
        return str(reason)
    except (ValueError, TypeError, ArithmeticError):
        return f"{row.what!r} is no label of the op suite, 'Name dim=2x3 ... axi=0'"
    if row.unit != "s":
        return f"a call is timed in s, not {row.unit}"
    if not row_of_suite.available:
        return f"no operation {row_of_suite.op}"
    dtype, framework = row.dtype or "float32", row.framework or ""

    def build() -> Trace:
        return row_of_suite.trace(dtype, framework=framework)

    return Asked((row.what, dtype, framework), build, CALL, row_of_suite.operation, False)


def _of_words(row: Row, words: list[str], given: Mapping[str, Any], quantity: str) -> Asked | str:
    """A step of a model in its precision, or an operation in the dtype of the row."""
    id, dtype = words[0], row.dtype or "float32"
    if is_model(id):
        if reason := _wrong_dtype(row, str(given.get("precision", "fp32"))):
            return reason

        def build_step() -> Trace:
            return workload(id, framework=row.framework, **given)

        return Asked((*words, row.framework or ""), build_step, quantity, id, True)

    def build_op() -> Trace:
        if id in workloads():
            return workload(id, dtype=dtype, **given)
        return op(id, dtype=dtype, **given)

    return Asked((*words, dtype), build_op, quantity, id, False)


def _given(words: list[str]) -> dict[str, Any] | str:
    """ "batch=8" and "precision=tf32" as arguments of a workload, or what is wrong with them."""
    given: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals:
            return f"{word!r} is neither key=value nor one of {', '.join(QUANTITIES)}"
        if key in _COLUMNS:
            return f"{key} has a column of its own, not {word!r}"
        if key in _NAMES:
            return f"{word!r} is no size; the first word names the work"
        if key in given:
            return f"{key} stands twice"
        if key not in _NO_SIZES:
            given[key] = _value(text)
    return given


def _value(text: str) -> Any:
    """The number or truth value; a text as it is, which the workload judges."""
    if text in _LITERALS:
        return _LITERALS[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _wrong_unit(row: Row, quantity: str) -> str:
    """Why the unit can't be the quantity's; nothing where it is."""
    unit = QUANTITIES[quantity]
    return "" if row.unit == unit else f"{quantity} is in {unit}, not {row.unit}"


def _wrong_dtype(row: Row, precision: str) -> str:
    """Why the column can't be said of such a step; nothing where it can."""
    fitting = _DTYPES.get(precision)
    if row.dtype is None or fitting is None or row.dtype in fitting:
        return ""
    return f"dtype {row.dtype} contradicts precision {precision} ({' or '.join(fitting)})"
