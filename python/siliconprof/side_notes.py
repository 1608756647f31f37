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
    more = [*_hosts(sides)]
    more += [
        f"'{side}' ({name}): {note}"
        for side, name, trace, machine in zip(("from", "to"), targets, traces, sides, strict=True)
        for note in _predicted(trace, machine)
        if note not in known
    ]
    return causes.with_notes([*causes.notes, *more]) if more else causes


def _hosts(sides: tuple[Model, Model]) -> Iterator[str]:
    """What two boards are apart may be their hosts': machines that were met beside either."""
    numbers = [{**side.framework.numbers, **side.device.numbers} for side in sides]
    paces = [each["host.pace"].value for each in numbers if "host.pace" in each]
    if len(paces) == len(sides) and paces[0] != paces[1]:
        yield (
            f"hosts differ: host.pace {paces[0]:g} and {paces[1]:g}; what that makes is launch and "
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
