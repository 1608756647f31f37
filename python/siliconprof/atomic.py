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
    staged = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
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
        kept = "; the file that was there is unchanged" if path.exists() else ""
        raise Error(f"[save] cannot write {path}: {error.strerror or error}{kept}") from error
