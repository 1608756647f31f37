"""Writing a file so that it is either the new one, whole, or the old one."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from ._core import Error


def write_text(path: Path, text: str) -> None:
    """Replaces `path` by `text` in one step.

    The text goes to a hidden file in the same directory first, so a full disk, a read-only
    directory or an interrupt leaves the old file as it was and nothing else behind.
    Raises: Error naming the path and the system's reason.
    """
    if not path.name:
        raise Error(f"[save] cannot write {path}: a directory, not a file's name")
    # As short as possible: beside a name of the longest length that a system allows.
    staged = path.with_name(f".{secrets.token_hex(8)}")
    try:
        try:
            with open(staged, "x", encoding="utf-8", newline="") as file:
                file.write(text)
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
