"""What stands on a command line, checked before a command takes it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import arguments


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
