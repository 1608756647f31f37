"""How notebooks show profiles, gaps and causes: the table that commands print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from ._core import Causes, Gap, Profile
from .overview import Overview, of_causes, of_gap, of_profile

_METHOD = "_repr_html_"  # that notebooks ask for


def attach_notebook_views() -> None:
    """Profile, Gap and Causes show themselves."""
    for kind, view in ((Profile, of_profile), (Gap, of_gap), (Causes, of_causes)):
        setattr(kind, _METHOD, _shown_by(view))


def _shown_by(view: Callable[[Any], Overview]) -> Callable[[Any], str]:
    def show(self: Any) -> str:
        return html(view(self))

    return show


def html(overview: Overview) -> str:
    """The table in the notebook's own colours and type."""
    below = f"<br><small>{escape(overview.below)}</small>" if overview.below else ""
    caption = f"<b>{escape(overview.heading)}</b>{below}"
    head = _cells("th", overview.columns, overview.numbers)
    rows = "".join(f"<tr>{_cells('td', row, overview.numbers)}</tr>" for row in overview.rows)
    notes = "".join(f"<br><small>{escape(note)}</small>" for note in overview.notes)
    table = (
        f'<table><caption style="text-align: left">{caption}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )
    return f"<div>{table}{notes.removeprefix('<br>')}</div>"


def _cells(tag: str, words: Sequence[str], numbers: Sequence[int]) -> str:
    sides = ("right" if place in numbers else "left" for place in range(len(words)))
    return "".join(
        f'<{tag} style="text-align: {side}">{escape(word)}</{tag}>'
        for word, side in zip(words, sides, strict=True)
    )
