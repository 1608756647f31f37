"""How notebooks show profiles, gaps and causes: the table that commands print."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._core import Causes, Gap, Profile

_METHOD = "_repr_html_"  # that notebooks ask for


def attach_notebook_views() -> None:
    """Profile, Gap and Causes show themselves."""
    for kind, view in ((Profile, "of_profile"), (Gap, "of_gap"), (Causes, "of_causes")):
        setattr(kind, _METHOD, _shown_by(view))


def _shown_by(view: str) -> Callable[[Any], str]:
    def show(self: Any) -> str:
        from . import overview  # where a notebook asks, not for every program

        return str(getattr(overview, view)(self).html())

    return show
