"""Unknown names: one wording for every family of names."""

from __future__ import annotations

from collections.abc import Sequence

from ._core import UnknownNameError, nearest_names


def unknown_name(what: str, found: str, valid: Sequence[str]) -> UnknownNameError:
    """The error for a name that is not in `valid`: the value found, the nearest, all that exist.

    `what` is the kind of name as a user says it ("workload", "backend").
    """
    nearest = nearest_names(str(found), list(valid))
    hint = f"; did you mean {' or '.join(repr(name) for name in nearest)}?" if nearest else ""
    known = ", ".join(valid) if valid else "none"
    return UnknownNameError(f"[{what}] unknown {what} {found!r}{hint} (there are: {known})")
