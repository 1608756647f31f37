"""What a reader should know of either side of a gap: what the prediction of its step notes."""

from __future__ import annotations

from collections.abc import Iterator

from ._core import Causes, DtypeError, Model, Trace
from .lowerings import lowered, own_lowering
from .remaking import call_of

# A gap is of times.
_OF_ENERGY = "energy is "
# Where there is no tf32, a gap has the products in float32.
_FLOAT32 = {"precision": "fp32", "dtype": "float32"}


def with_notes_of(
    causes: Causes, traces: tuple[Trace, Trace], sides: tuple[Model, Model]
) -> Causes:
    """The same with the notes of both predictions: of which side, then as the profile has it; what
    `causes` notes itself stays as it is.

    traces: the step as each side runs it, or in open kernels.
    """
    targets = causes.from_target, causes.to_target
    known = {note.removeprefix(f"{name}: ") for note in causes.notes for name in targets}
    of_each = (
        f"'{side}' ({name}): {note}"
        for side, name, trace, machine in zip(("from", "to"), targets, traces, sides, strict=True)
        for note in _predicted(trace, machine)
        if note not in known
    )
    more = [*_hosts(sides), *of_each]
    return causes.with_notes([*causes.notes, *more]) if more else causes


def _hosts(sides: tuple[Model, Model]) -> Iterator[str]:
    """Where what two boards are apart may be their hosts', as each file or any host's has it."""
    told = []
    for side in sides:
        own = side.device.numbers.get("host.pace")
        pace = own or side.framework.numbers.get("host.pace")
        if pace is None:
            return
        told.append((pace.value, f"{pace.value:g}" if own else f"{pace.value:g} (any host's)"))
    (first, one), (second, other) = told
    if first != second:
        yield (
            f"hosts differ: host.pace {one} and {other}; what that makes is mostly launch and "
            "dispatch, and the same host.pace set on both sides takes it out"
        )


def _predicted(trace: Trace, machine: Model) -> Iterator[str]:
    """Of the step in the machine's own kernels, but of its energy."""
    kernels = own_lowering(machine.framework.id)
    try:
        profile = machine.predict(lowered(trace, kernels))
    except DtypeError:
        if (single := _in_float32(trace)) is None:
            return
        profile = machine.predict(lowered(single, kernels))
    yield from (note for note in profile.notes if not note.startswith(_OF_ENERGY))


def _in_float32(trace: Trace) -> Trace | None:
    """The same in float32, if it is one in tf32 that can be made again."""
    call = call_of(trace)
    asked = {} if call is None else call.keywords
    changed = {key: value for key, value in _FLOAT32.items() if asked.get(key) == "tf32"}
    return call(**changed) if call is not None and changed else None
