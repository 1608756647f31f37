"""Scores with a device, or an operation, left out of what the constants were fitted on.

What ships and constants are fitted on is the record h200_ops and those beside it; every kind of
operation has constants of its own there (tools/fit_*.py), so that a fit without some rows is the
framework file without the numbers of those rows, and what stands in for them is what an unknown
device or operation gets. The published tables behind the other constants don't ship:
tools/leave_published_out.py repeats that fit too.
"""

from __future__ import annotations

from collections.abc import Callable

from ._core import Device, Framework, Model, Number
from .devices import device
from .frameworks import framework
from .names import unknown_name
from .recorded_ops import OpRow, kernel_s, op_rows
from .validate import KERNEL, LeftOut, Score, validate

LEFT_OUT = ("device", "op")
_RECORD, _DEVICE, _FRAMEWORK = "h200_ops", "h200", "torch-cuda"
_STEPS = "h200_steps"
# Never fitted on: with a device left out it is scored as it is.
_NEVER_FITTED, _SUITE = "m3-max", "m3max_ops"


def leave_out(what: str) -> tuple[list[Score], list[LeftOut]]:
    """Scores of rows whose device ("device") or operation ("op") no constant was fitted on.

    device: the H200's steps and operations without any number measured on an H200, from its data
            sheet and what other boards gave; the op suite of the M3 Max, which is in no fit.
    op:     each operation of an H200 without the constants of its kind; another's stand in.
    Returns what `validate` does. Raises: UnknownNameError.
    """
    if what not in LEFT_OUT:
        raise unknown_name("what to leave out", what, LEFT_OUT)
    return _devices() if what == "device" else (_operations(), [])


def without_device() -> Framework:
    """PyTorch on CUDA without the numbers that an H200 gave, its own or lent to other boards."""
    return _without(lambda key, number: _is_of_its_records(number))


def without_its_own() -> Device:
    """The H200 by its data sheet: without what was measured beside one, as its hosts' pace."""
    whole = device(_DEVICE)
    kept = {key: n for key, n in whole.numbers.items() if not _is_of_its_records(n)}
    return Device(whole.id, whole.name, whole.vendor, whole.family, kept)


def without_op(kind: str) -> Framework:
    """The same without the constants of one kind of operation: "product", "gelu_tanh"...

    The errors of sums of kernels go too: they were judged by its rows.
    """
    own = {kind, f"{kind}_backward"}

    def is_of(key: str, number: Number) -> bool:
        table, _, rest = key.partition(".")
        subject = rest.split(".")[1] if "." in rest else ""
        return (
            table in (kind, "interval") or (table in ("efficiency", "row") and subject in own)
        ) and _is_of_its_records(number)

    return _without(is_of)


def _is_of_its_records(number: Number) -> bool:
    """Whether any record of the device had a part in it: sources name records."""
    return f"{_DEVICE}_" in number.source


def _without(is_left_out: Callable[[str, Number], bool]) -> Framework:
    whole = framework(_FRAMEWORK)
    kept = {key: n for key, n in whole.numbers.items() if not is_left_out(key, n)}
    return Framework(whole.id, whole.name, whole.vendors, kept, whole.lacks)


def _devices() -> tuple[list[Score], list[LeftOut]]:
    software = without_device()
    board = without_its_own()
    steps, left_out = validate(board, _STEPS, framework=software)
    machine = Model(board, software)
    operations = [_score(row, machine) for row in op_rows(_RECORD)]
    suite, others = validate(_NEVER_FITTED, _SUITE)
    return [*steps, *operations, *suite], [*left_out, *others]


def _operations() -> list[Score]:
    rows = list(op_rows(_RECORD))
    machines = {kind: Model(device(_DEVICE), without_op(kind)) for kind in {r.kind for r in rows}}
    return [_score(row, machines[row.kind]) for row in rows]


def _score(row: OpRow, machine: Model) -> Score:
    """A kernel's own time: no launch is in the record, nor in the prediction; no interval."""
    place = (f"{row.what}{KERNEL}", row.device, row.framework, row.seconds)
    op_class = row.calls[0].calls[0].op_class
    predicted = kernel_s(machine, row.calls)
    return Score.of(*place, predicted, "s", source=_RECORD, subject=row.kind, op_class=op_class)
