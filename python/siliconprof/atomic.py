"""Writing a file so that it is either the new one, whole, or the old one."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from ._core import Error


def write_text(path: Path, text: str) -> None:
    """Replaces `path` by `text`, in UTF-8, in one step; as write_file."""
    write_file(path, lambda file: file.write(text.encode()))


def write_file(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Replaces `path` in one step by what `write` writes to the file that it is given.

    That goes to a hidden file in the same directory first, so a full disk, a read-only
    directory or an interrupt leaves the old file as it was and nothing else behind.
    Raises: Error naming the path and the system's reason.
    """
    if not path.name:
        raise Error(f"[save] cannot write {path}: a directory, not a file's name")
    # As short as possible: beside a name of the longest length that a system allows.
    staged = path.with_name(f".{secrets.token_hex(8)}")
    try:
        try:
            with open(staged, "xb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(staged, path)
        except BaseException:
            staged.unlink(missing_ok=True)
            raise
    except OSError as error:
        # Not Path.exists: that one raises for a name that is too long.
        kept = "; the file that was there is unchanged" if os.path.isfile(path) else ""
        raise Error(f"[save] cannot write {path}: {error.strerror or error}{kept}") from error
