"""Writing a file so that it is either the new one, whole, or the old one."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ._core import Error


def write_text(path: Path, text: str, place: str = "save") -> None:
    """Replaces `path` by `text`, in UTF-8, in one step; as write_file."""
    write_file(path, lambda file: file.write(text.encode()), place)


def write_file(path: Path, write: Callable[[BinaryIO], object], place: str = "save") -> None:
    """Replaces `path` in one step by what `write` writes to the file that it is given; as
    open_whole."""
    with open_whole(place, path) as file:
        write(file)


def _nowhere() -> Path | None:
    """What is begun isn't kept."""
    return None


@contextmanager
def open_whole(
    place: str, path: Path, interrupted: Callable[[], Path | None] = _nowhere
) -> Iterator[BinaryIO]:
    """A file to write to, which is `path` once the block has ended well.

    interrupted: asked on Ctrl-C while the file is still open: which file of the same directory is
    to be what was written so far, if any; a note of the KeyboardInterrupt names it then.

    It is a hidden one in the same directory until then, so a full disk, a read-only directory or
    an interrupt leaves the old file as it was and, unless asked, nothing else behind. Permissions
    stay; of a link the file that it leads to is replaced. What is no regular file, as a pipe or a
    terminal, is never replaced but written to as it is.
    Raises: Error naming the path and the system's reason; `place` asks.
    """
    with _told(place, path):
        found = _found(path)
        if found is not None and not stat.S_ISREG(found.st_mode):
            with open(path, "wb") as file:
                yield file
        else:
            with _staged(Path(os.path.realpath(path)), found, interrupted) as file:
                yield file


def beginning(path: Path, characters: int) -> str:
    """Of what a file holds before it is replaced; empty where it isn't there, can't be read or is
    no text. A pipe isn't opened: that would wait for whoever writes to it."""
    try:
        if path.is_file():
            with path.open(encoding="utf-8-sig") as file:
                return file.read(characters)
    except (OSError, ValueError):
        pass
    return ""


def check_writable(place: str, path: Path) -> None:
    """What open_whole would refuse, told before long work and with nothing written.

    Raises: Error as above.
    """
    with _told(place, path):
        found = _found(path)
        folder = os.path.dirname(os.path.realpath(path))
        if found is not None and not stat.S_ISREG(found.st_mode):
            folder = os.fspath(path)
        elif not stat.S_ISDIR(os.stat(folder).st_mode):
            raise _system_error(errno.ENOTDIR)
        if not os.access(folder, os.W_OK):
            read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
            raise _system_error(errno.EROFS if read_only else errno.EACCES)


@contextmanager
def _told(place: str, path: Path) -> Iterator[None]:
    """The system's errors as the library's."""
    if not path.name:
        raise Error(f"[{place}] cannot write {path}: a directory, not a file's name")
    try:
        yield
    except OSError as error:
        # Not Path.exists: that one raises for a name that is too long.
        kept = "; the file that was there is unchanged" if os.path.isfile(path) else ""
        raise Error(f"[{place}] cannot write {path}: {error.strerror or error}{kept}") from error


def _found(path: Path) -> os.stat_result | None:
    """What is there, behind links; None where a new file would be made."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise _system_error(errno.EISDIR)
    if stat.S_ISBLK(found.st_mode):
        raise OSError(errno.EPERM, "a disk, whose content would be overwritten")
    return found


@contextmanager
def _staged(
    path: Path, old: os.stat_result | None, interrupted: Callable[[], Path | None]
) -> Iterator[BinaryIO]:
    """A hidden file that replaces `path`, with the permissions of the old one."""
    # As short as possible: beside a name of the longest length that a system allows.
    staged = path.with_name(f".{secrets.token_hex(8)}")
    begun: Path | None = None
    try:
        with open(staged, "xb") as file:
            if old is not None:
                os.chmod(staged, stat.S_IMODE(old.st_mode))
            try:
                yield file
            except KeyboardInterrupt:
                begun = interrupted()
                raise
            file.flush()
            os.fsync(file.fileno())
        os.replace(staged, path)
    except BaseException as reason:
        if begun is not None:
            with suppress(OSError):  # a name that is too long, or a directory's
                os.replace(staged, begun)
                reason.add_note(f"what was done by then is in {begun}")
        staged.unlink(missing_ok=True)
        raise


def _system_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))
