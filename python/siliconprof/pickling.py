"""What pickle and copy make profiles, devices and frameworks of: other processes may have them."""

from __future__ import annotations

import copyreg
from typing import Any

from ._core import Device, Framework, Number, Profile

_FIELDS: dict[type, tuple[str, ...]] = {
    Number: ("value", "kind", "source", "relative_error"),
    Device: ("id", "name", "vendor", "family", "numbers"),
    Framework: ("id", "name", "vendors", "numbers", "lacks"),
}


def attach_pickling() -> None:
    """Tells pickle and copy."""
    for kind in _FIELDS:
        copyreg.pickle(kind, _by_fields)  # type: ignore[arg-type]
    copyreg.pickle(Profile, _by_document)  # type: ignore[arg-type]


def _by_fields(made: Any) -> tuple[type, tuple[Any, ...]]:
    kind = type(made)
    return kind, tuple(getattr(made, name) for name in _FIELDS[kind])


def _by_document(profile: Profile) -> tuple[Any, tuple[str]]:
    return profile_of, (profile.to_json(),)


def profile_of(text: str) -> Profile:
    """The profile of a document that `to_json` wrote."""
    import json

    from .profile_document import profile_from

    return profile_from(json.loads(text), "pickle")
