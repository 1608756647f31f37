"""What was measured of the two sides of a gap: seconds, or profiles of the same work."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import arguments
from ._core import ArgumentError, Error, Model, Profile, Trace
from .lowerings import own_lowering
from .recorded_work import asked
from .records import Row

CPU = "cpu"  # what a run here names as its device, whichever it is, and the vendor of all CPUs

Measured = float | Profile | None
SameWork = Callable[[int], tuple[Trace, ...]]

_OTHERWISE = "or its seconds as a number, which are taken as they are"


def both_seconds(
    measured: Sequence[Measured], sides: tuple[Model, Model], same: SameWork
) -> tuple[float | None, float | None]:
    """Seconds of either side.

    same: what side 0 or 1 runs, in this library's kernels and then in its own, or its own alone
          where nobody knows others; asked where a profile is given.
    Raises: ArgumentError for what is no time, and for a profile of other work, or of elsewhere.
    """
    if not isinstance(measured, (tuple, list)) or len(measured) != 2:
        need = "a pair of seconds or profiles is needed, None for a side that was not measured"
        raise arguments.refused("explain", "measured", measured, need)
    found = [
        _of_profile(name, value, sides[side], same(side))
        if isinstance(value, Profile)
        else _seconds(name, value)
        for side, (name, value) in enumerate(zip(("from", "to"), measured, strict=True))
    ]
    return found[0], found[1]


def _seconds(name: str, value: float | None) -> float | None:
    if value is None:
        return None
    seconds = arguments.real("explain", f"measured {name}", value)
    if seconds <= 0.0:
        raise arguments.refused("explain", f"measured {name}", value, "seconds above 0 are needed")
    return seconds


def _of_profile(name: str, profile: Profile, side: Model, same: tuple[Trace, ...]) -> float:
    if profile.origin == "predicted":
        need = "what was measured or recorded is needed, not a prediction"
        raise arguments.refused("explain", f"measured {name}", profile, need)
    work, bytes_moved = profile.work or profile.label, profile.bytes
    if profile.origin == "measured" and profile.device == CPU and side.device.vendor != CPU:
        raise _other(name, profile, f"measured on a CPU; needed: {side.device.id!r}")
    if profile.origin == "recorded":
        _check_place(name, profile, side)
        trace = _recorded(name, profile)
        work = trace.work or trace.label
        alike = own_lowering(profile.framework) == own_lowering(side.framework.id)
        bytes_moved = trace.bytes if alike else None
    wanted = same[-1].work or same[-1].label
    if work != wanted:
        raise _other(name, profile, f"its work is {work!r}; needed: {wanted!r}")
    known = [trace.bytes for trace in same]
    if len(same) > 1 and bytes_moved is not None and bytes_moved not in known:
        needed = f"it moves {bytes_moved} bytes, in another precision or with other options"
        raise _other(name, profile, f"{needed}; needed: {' or '.join(map(str, set(known)))}")
    return profile.time_s


def _check_place(name: str, profile: Profile, side: Model) -> None:
    """A recorded row names its device by id, and mostly its framework."""
    for what, found, needed in (
        ("device", profile.device, side.device.id),
        ("framework", profile.framework, side.framework.id.partition("@")[0]),
    ):
        if found and found != needed:
            raise _other(name, profile, f"recorded on {what} {found!r}; needed: {needed!r}")


def _recorded(name: str, profile: Profile) -> Trace:
    """What the words of a recorded row ask for."""
    row = Row(profile.label, profile.device, profile.framework or None, None, 1.0, "s", "")
    found = asked(row)
    if not isinstance(found, str):
        try:
            return found.build()
        except Error as error:
            found = str(error)
    raise _other(name, profile, f"its words don't say its work: {found}; needed: a row of a step")


def _other(name: str, profile: Profile, what: str) -> ArgumentError:
    label = arguments.shown(profile.label)
    return ArgumentError(f"[explain] measured {name} = {label}: {what}, {_OTHERWISE}")
