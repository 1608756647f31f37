"""What commands print: one JSON document or a table on stdout, errors on stderr."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .._core import Error

WRONG_USE = 2
INTERRUPTED = 130


def reported(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with the library's errors, and a lack of memory, as one line on stderr and
    exit status 2."""

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> Any:
        try:
            return command(*arguments, **options)
        except Error as error:
            print(f"siliconprof: {error}", file=sys.stderr)
            raise typer.Exit(WRONG_USE) from None
        except MemoryError:
            print("siliconprof: not enough memory; smaller sizes need less", file=sys.stderr)
            raise typer.Exit(WRONG_USE) from None
        except KeyboardInterrupt:
            print("siliconprof: interrupted", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None

    return run


def print_json(document: Any) -> None:
    """One JSON document, and nothing else, on stdout."""
    print(json.dumps(document, indent=1, allow_nan=False))


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
    """A table as wide as the terminal."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=index == 0)
    for row in rows:
        table.add_row(*[Text(cell) if isinstance(cell, str) else cell for cell in row])
    console().print(table)


def console() -> Console:
    """The terminal as wide as it is; a pipe or a file as wide as the tables want."""
    return Console() if sys.stdout.isatty() else Console(width=140)


def print_text(text: str, style: str = "") -> None:
    """One paragraph."""
    console().print(Text(text, style=style))
