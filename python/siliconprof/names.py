"""Unknown names: one wording for every family of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeGuard

from ._core import UnknownNameError, nearest_names
from .arguments import shown


def unknown_name(
    what: str, found: object, valid: Sequence[str], otherwise: str = ""
) -> UnknownNameError:
    """The error for a name that is not in `valid`: the value found, the nearest, all that exist.

    `what` is the kind of name as a user says it ("workload", "backend"); `otherwise` says what
    could stand in place of a name ("the path of a .toml file").
    """
    nearest = nearest_of(found, valid)
    hint = f"; did you mean {' or '.join(repr(name) for name in nearest)}?" if nearest else ""
    known = ", ".join(valid) if valid else "none"
    more = f"; or {otherwise}" if otherwise else ""
    return UnknownNameError(
        f"[{what}] unknown {what} {shown(found)}{hint} (there are: {known}{more})"
    )


def nearest_valid(found: object, valid: Sequence[str]) -> str:
    """The nearest names as the end of a message about a file; all of them where none is near."""
    nearest = nearest_of(found, valid)
    known = ", ".join(nearest or valid) or "none"
    return f"nearest valid: {known}" if nearest else f"valid: {known}"


def nearest_of(found: object, valid: Iterable[str]) -> list[str]:
    """Those of `valid` that `found` may have been meant as; none for what nobody types."""
    return nearest_names(found, list(filter(_is_plain, valid))) if _is_plain(found) else []


def _is_plain(found: object) -> TypeGuard[str]:
    """A text short enough to have been meant, and one that the core can read."""
    return isinstance(found, str) and len(found) <= 200 and found.isprintable()
