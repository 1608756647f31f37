"""Two profiles side by side."""

from __future__ import annotations

from . import _core, arguments
from ._core import Gap, Profile
from .records import Record


def compare(from_profile: Profile, to_profile: Profile, margin: float = 0.02) -> Gap:
    """How `to_profile` compares with `from_profile`: the ratio of their times with its interval, a
    verdict (faster, slower, same within the margin, unresolved) and rows by operation.

    margin: part of a time, in [0, 1), within which two are the same.
    Raises: ArgumentError for what is no profile, another margin, or a time of 0.
    """
    for name, given in (("from_profile", from_profile), ("to_profile", to_profile)):
        if isinstance(given, Record):
            need = "a profile is needed: one of its .profiles()"
            raise arguments.refused("compare", name, f"record {given.id}", need)
        arguments.instance("compare", name, given, Profile)
    return _core.compare(from_profile, to_profile, arguments.real("compare", "margin", margin))
