"""Swap space for a while: compressed memory (zram) or a file, taken away again at the end."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .memory_limit import LimitUnavailable

LARGEST_BYTES = 1_500_000_000
KINDS = ("zram", "file")
_ZRAM_CONTROL = Path("/sys/class/zram-control")
_BLOCK = Path("/sys/block")
_FIRST = 32000  # priority: before any other swap there may be

Run = Callable[[Sequence[str]], None]


def run_command(command: Sequence[str]) -> None:
    """Raises: LimitUnavailable with what the program wrote."""
    search = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
    program = shutil.which(command[0], path=search)
    if program is None:
        raise LimitUnavailable(f"[swap] no program {command[0]}; needed: util-linux")
    done = subprocess.run([program, *command[1:]], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LimitUnavailable(f"[swap] {' '.join(command)}: {done.stderr.strip()}")


@contextmanager
def swap_space(kind: str, size_bytes: int, run: Run = run_command) -> Iterator[None]:
    """`size_bytes` of swap, "zram" or "file"; switched off and given back at the end, also after
    an error or Ctrl-C. Raises: LimitUnavailable with the reason."""
    if size_bytes > LARGEST_BYTES:
        raise LimitUnavailable(
            f"[swap] {size_bytes} bytes; needed: at most {LARGEST_BYTES}, as a disk may be shared"
        )
    make = {"zram": zram_device, "file": swap_file}[kind]
    with make(size_bytes) as path:
        run(["mkswap", str(path)])
        run(["swapon", "-p", str(_FIRST), str(path)])
        try:
            yield
        finally:
            run(["swapoff", str(path)])


@contextmanager
def swap_file(size_bytes: int, folder: Path | None = None) -> Iterator[Path]:
    """A file without holes that nobody else may read."""
    handle, name = tempfile.mkstemp(prefix="siliconprof-swap-", dir=folder or "/var/tmp")
    try:
        try:
            os.posix_fallocate(handle, 0, size_bytes)
        except OSError as error:
            raise LimitUnavailable(f"[swap] {name}: {error.strerror}") from error
        finally:
            os.close(handle)
        yield Path(name)
    finally:
        os.unlink(name)


@contextmanager
def zram_device(
    size_bytes: int, control: Path = _ZRAM_CONTROL, block: Path = _BLOCK
) -> Iterator[Path]:
    """A compressed block device of its own; those that are there already are left alone."""
    try:
        number = (control / "hot_add").read_text().strip()
    except OSError as error:
        raise LimitUnavailable(
            f"[swap] {control}/hot_add: {error.strerror}; needed: the zram module, and root"
        ) from error
    try:
        try:
            (block / f"zram{number}" / "disksize").write_text(str(size_bytes))
        except OSError as error:
            raise LimitUnavailable(f"[swap] zram{number}: {error.strerror}") from error
        yield Path(f"/dev/zram{number}")
    finally:
        (control / "hot_remove").write_text(number)
