"""Limits on the memory of a process and its children: control groups of Linux, 1 or 2, and on what
it may map (ulimit -v)."""

from __future__ import annotations

import functools
import os
import resource
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ._core import Error

CGROUPS = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
OWN_PAGES = Path("/proc/self/statm")
_REMOVING_S = 2.0
_LIMITS = {1: "memory.limit_in_bytes", 2: "memory.max"}
_NO_LIMIT = 1 << 60  # version 1 writes a number of this size


class LimitUnavailable(Error, RuntimeError):
    """Memory can't be limited here; the message says why and what would help."""


@dataclass(frozen=True)
class MemoryGroup:
    """A control group that holds processes to a number of bytes.

    version: 1 writes memory.limit_in_bytes, 2 writes memory.max.
    """

    path: Path
    version: int

    def set_limit(self, limit_bytes: int) -> None:
        """Raises: LimitUnavailable when the kernel refuses."""
        _write(self.path / _LIMITS[self.version], str(limit_bytes))

    @property
    def processes(self) -> Path:
        """The file that a process writes its id to, to enter."""
        return self.path / "cgroup.procs"


def own_limit_bytes(root: Path = CGROUPS, own: Path = OWN) -> int | None:
    """The least limit of this process's groups, as a container or a batch system sets one; None
    where there is none. `own` says the groups."""
    limits = [_limit_of(file) for file in _own_limits(root, own)]
    return min((each for each in limits if each is not None), default=None)


@functools.cache  # whoever puts a process into a group does so before it works
def _own_limits(root: Path, own: Path) -> list[Path]:
    """Files of the limits of the process's group and of those above it."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return []
    found: list[Path] = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        version = 1 if controllers else 2
        for base in (root / "memory",) if version == 1 else (root, root / "unified"):
            group = base / path.lstrip("/")
            # In a container the path may be the host's: what is there to see is the base.
            folders = (each for each in (group, *group.parents) if base in (each, *each.parents))
            files = (folder / _LIMITS[version] for folder in folders)
            found += (file for file in files if file.is_file())
    return found


def _limit_of(file: Path) -> int | None:
    try:
        limit = int(file.read_text())
    except (OSError, ValueError):  # no such group, or "max"
        return None
    return limit if limit < _NO_LIMIT else None


def unmapped_bytes(pages: Path = OWN_PAGES) -> int | None:
    """What this process may still map; None without a limit, and where it can't be told how much it
    has mapped."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        mapped = int(pages.read_text().split()[0]) * resource.getpagesize()
    except (OSError, IndexError, ValueError):
        return None
    return max(0, limit - mapped)


def find_hierarchy(root: Path = CGROUPS) -> tuple[Path, int]:
    """The folder below which memory groups are made, and its version.

    Raises: LimitUnavailable: no such hierarchy, or no permission to make a group in it.
    """
    first = root / "memory"
    if (first / "memory.limit_in_bytes").is_file():
        return _writable(first), 1
    for second in (root, root / "unified"):
        controllers = second / "cgroup.controllers"
        if controllers.is_file() and "memory" in controllers.read_text().split():
            if "memory" not in (second / "cgroup.subtree_control").read_text().split():
                raise LimitUnavailable(
                    f"[memory limit] {second} does not hand its memory controller down; needed: "
                    f"'+memory' in {second}/cgroup.subtree_control"
                )
            return _writable(second), 2
    raise LimitUnavailable(
        f"[memory limit] no memory controller below {root}; needed: Linux with control groups 1 "
        "or 2 and the memory controller"
    )


@contextmanager
def memory_group(limit_bytes: int, root: Path = CGROUPS) -> Iterator[MemoryGroup]:
    """A new group with the limit, removed at the end, also after an error or Ctrl-C.

    Raises: LimitUnavailable with the reason.
    """
    parent, version = find_hierarchy(root)
    # One that was left behind may have had the same process's id.
    name = f"siliconprof-{os.getpid()}-{secrets.token_hex(4)}"
    group = MemoryGroup(parent / name, version)
    try:
        group.path.mkdir()
    except OSError as error:
        raise LimitUnavailable(
            f"[memory limit] {group.path} can't be made: {error.strerror}; needed: permission, as "
            "root has it"
        ) from error
    try:
        group.set_limit(limit_bytes)
        yield group
    finally:
        _remove(group.path)


def _writable(folder: Path) -> Path:
    if not os.access(folder, os.W_OK):
        raise LimitUnavailable(
            f"[memory limit] {folder} can't be written; needed: permission, as root has it"
        )
    return folder


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as error:
        raise LimitUnavailable(f"[memory limit] {path}: {error.strerror}") from error


def _remove(path: Path) -> None:
    """A group can be removed once the kernel has taken leave of its last process."""
    end_s = time.monotonic() + _REMOVING_S
    while True:
        try:
            path.rmdir()
            return
        except OSError:
            if time.monotonic() > end_s:
                raise
            time.sleep(0.02)
