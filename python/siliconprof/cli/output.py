"""What commands print: one JSON document or a table on stdout, errors on stderr."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .._core import Error
from ..overview import Overview
from .endings import taken_as_interrupts

WRONG_USE = 2
INTERRUPTED = 130
NO_READER = 141  # what a shell says of a program that SIGPIPE ended; 1 is a result judged bad
# Characters of a column in which longer words can still be read, in parts, and of one in which
# sentences can, which are longer than so many; between two columns; least of a page that isn't a
# terminal's.
_ENOUGH, _ENOUGH_OF_A_SENTENCE, _SENTENCE = 6, 20, 40
_GAP = 2
_PAGE = 140


def reported(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with the library's errors, a lack of memory, and output that cannot be written
    as one line on stderr and exit status 2, and what ends a process as Ctrl-C does."""

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> Any:
        try:
            try:
                with taken_as_interrupts():
                    return command(*arguments, **options)
            finally:
                sys.stdout.flush()  # what cannot be written is told here, not at the very end
        except Error as error:
            complain(str(error))
            raise typer.Exit(WRONG_USE) from None
        except MemoryError:
            complain("not enough memory; smaller sizes need less")
            raise typer.Exit(WRONG_USE) from None
        except KeyboardInterrupt as reason:
            complain("; ".join(["interrupted", *getattr(reason, "__notes__", ())]))
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # a reader that wants no more, as `head`: without a word
            _forget_output()
            raise typer.Exit(NO_READER) from None
        except OSError as error:
            give_up_output(error)
            raise typer.Exit(WRONG_USE) from None

    return run


def complain(text: str) -> None:
    """One line on stderr, where there is one."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"siliconprof: {text}", file=sys.stderr)


def give_up_output(error: OSError) -> None:
    """Says what the system said; what is still to be written to stdout is forgotten."""
    where = error.filename or "the output"
    complain(f"cannot write {where}: {error.strerror or error}")
    _forget_output()


def _forget_output() -> None:
    with contextlib.suppress(OSError):
        place = sys.stdout.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, place)
        os.close(nowhere)


def replace_unknown_characters() -> None:
    """From now on a character that stdout's encoding lacks is a question mark."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def is_stdout(path: str) -> bool:
    """Whether a file by that name, as /dev/stdout, is where output goes."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):  # no such file, or no file behind stdout
        return False


def print_json(document: Any) -> None:
    """One JSON document, and nothing else, on stdout. Raises: Error for a number that JSON
    lacks."""
    try:
        text = json.dumps(document, indent=1, allow_nan=False)
    except ValueError:
        found = next(_not_finite(document, ""))
        needed = "JSON has finite numbers alone; without --json it is shown"
        raise Error(f"[json] {found}: {needed}") from None
    print(text)


def _not_finite(value: Any, name: str) -> Iterator[str]:
    """Numbers that are infinite, or none, as "rows[2].ratio = inf"."""
    if isinstance(value, float) and not math.isfinite(value):
        yield f"{name} = {value}"
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _not_finite(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, (list, tuple)):
        for place, inner in enumerate(value):
            yield from _not_finite(inner, f"{name}[{place}]")


def print_overview(overview: Overview) -> None:
    """Heading, table and notes."""
    print_text(overview.heading, "bold")
    if overview.below:
        print_text(overview.below)
    print_table("", overview.columns, overview.rows)
    for note in overview.notes:
        print_text(note, "dim")


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
    """A table as wide as the terminal; where that is too narrow for columns, a line a cell. In a
    pipe or a file only sentences take several lines."""
    content = [[Text(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    longest = _longest(columns, content)
    page = console(_unbroken(longest))
    if _narrowest(longest, columns, content) > page.width:
        page.print(*_as_lines(title, columns, content), sep="\n")
        return
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=index == 0)
    for row in content:
        table.add_row(*row)
    page.print(table)


def _longest(columns: Sequence[str], rows: Sequence[Sequence[Text]]) -> list[int]:
    """Characters of the longest cell of each column."""
    cells = [columns, *([cell.plain for cell in row] for row in rows)]
    return [max(map(len, column)) for column in zip(*cells, strict=True)]


def _narrowest(
    longest: Sequence[int], columns: Sequence[str], rows: Sequence[Sequence[Text]]
) -> int:
    """The width that a table needs to be read: of its first column all, of others what is
    enough."""
    widths = [longest[0]]
    for index in range(1, len(columns)):
        if longest[index] > _SENTENCE:
            widths.append(_ENOUGH_OF_A_SENTENCE)
        else:
            words = (word for row in rows for word in row[index].plain.split())
            widths.append(min(max(map(len, [*columns[index].split(), *words]), default=0), _ENOUGH))
    return _with_gaps(widths)


def _unbroken(longest: Sequence[int]) -> int:
    """The width at which no cell but a sentence takes several lines."""
    return _with_gaps([longest[0], *(min(length, _SENTENCE) for length in longest[1:])])


def _with_gaps(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _as_lines(title: str, columns: Sequence[str], rows: Sequence[Sequence[Text]]) -> Iterator[Text]:
    """Each row as its first cell, and below it the others that aren't empty with their names."""
    if title:
        yield Text(title, "bold")
    for first, *others in rows:
        yield first
        for name, cell in zip(columns[1:], others, strict=True):
            if cell.plain:
                yield Text.assemble("  ", f"{name}: " if name else "", cell)


def console(wanted: int = 0) -> Console:
    """The terminal as wide as it is; a pipe or a file as wide as is wanted, and at least a page."""
    return Console() if sys.stdout.isatty() else Console(width=max(_PAGE, wanted))


def print_text(text: str, style: str = "") -> None:
    """One paragraph."""
    console().print(Text(text, style=style))
