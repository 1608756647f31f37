"""What stands on a command line, checked before a command takes it."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any

from typer.core import TyperGroup
from typer.models import ParameterInfo

from .. import arguments
from .._core import ArgumentError
from ..names import nearest_of


class Commands(TyperGroup):
    """The commands by name. click names no nearest one, and takes a word as "./run.json" for the
    beginning of options: it shows the help and ends well."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that the first word names; wrong use where there is none."""
        if self.get_command(ctx, args[0]) is None:
            ctx.fail(f"No such command {args[0]!r}{_nearest(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


def _nearest(word: str, commands: list[str]) -> str:
    """ "; did you mean 'predict'?" where one is near."""
    near = nearest_of(word, commands)
    return f"; did you mean {near[0]!r}?" if near else "."


def without_empty(place: str, command: Callable[..., Any]) -> Callable[..., Any]:
    """The command, which refuses an argument or option that is an empty text; `place` asks."""

    @functools.wraps(command)
    def run(*positional: Any, **options: Any) -> Any:
        for name, value in options.items():
            if value == "" or (isinstance(value, (list, tuple)) and "" in value):
                option = name.rstrip("_").replace("_", "-")
                raise arguments.refused(place, option, "", "a text that isn't empty is needed")
        return command(*positional, **options)

    return run


def without_empty_defaults(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command, whose help says nothing of a default where there is none; typer of Debian 12
    says "[default: None]", also of what is required."""
    for entry in inspect.signature(command).parameters.values():
        told = entry.default
        if isinstance(told, ParameterInfo) and (told.default is None or told.default is ...):
            told.show_default = False
    return command


def refuse_input_as_output(
    place: str, option: str, out: str | None, inputs: Mapping[str, str | None]
) -> None:
    """Refuses to write `out` over a file that the command reads, by whatever path; `inputs` are
    those files by the name of their argument, None where none is given.

    Raises: ArgumentError; `place` asks.
    """
    for name, path in inputs.items():
        if out is not None and path is not None and _is_same_file(out, path):
            needed = f"needed: another file than {name} = {path!r}"
            raise ArgumentError(f"[{place}] {option} = {out!r}; {needed}")


def _is_same_file(first: str, second: str) -> bool:
    """Also by a link, and of a file that is still to be made."""
    try:
        return os.path.samefile(first, second)
    except (OSError, ValueError):  # one isn't there, or can't be
        return _resolved(first) == _resolved(second)


def _resolved(path: str) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:  # a null character: whoever opens the file says so
        return path


def listed(text: str) -> list[str]:
    """The names of "h200, m2-ultra"."""
    return [name.strip() for name in text.split(",")]
