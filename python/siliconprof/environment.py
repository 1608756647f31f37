"""Facts of the machine and of the software that a measurement depends on."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

import numpy

from . import _core
from .memory_limit import own_limit_bytes
from .quantity import scaled

_APPLES_NAME = ("/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string")
_NO_NAME = "unavailable: the system gives no name"
# By implementer and part. Source: arch/arm64/include/asm/cputype.h of Linux.
_ARM_CORES = {
    ("0x41", "0xd03"): "Arm Cortex-A53",
    ("0x41", "0xd08"): "Arm Cortex-A72",
    ("0x41", "0xd0b"): "Arm Cortex-A76",
    ("0x41", "0xd0c"): "Arm Neoverse-N1",
    ("0x41", "0xd40"): "Arm Neoverse-V1",
    ("0x41", "0xd49"): "Arm Neoverse-N2",
    ("0x41", "0xd4f"): "Arm Neoverse-V2",
    ("0xc0", "0xac3"): "Ampere-1",
}


def environment(root: Path = Path("/")) -> dict[str, str]:
    """This machine's facts by name; a fact that cannot be read says why instead.

    `root` stands before /proc and /sys, so that another machine's files can be read.
    """
    facts = {
        "cpu": cpu_model(root),
        "cores": str(usable_cores()),
        "memory_bytes": memory_bytes(),
        "page_size_bytes": page_size_bytes(),
        "transparent_huge_pages": huge_page_mode(root),
        "cpu_governor": governor(root),
        "os": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
    }
    return facts


def for_readers(name: str, value: str) -> tuple[str, str]:
    """A fact's name in words and its value with its unit: memory_bytes is "memory", "25.3 GB"."""
    words = name.removesuffix("_bytes").replace("_", " ")
    if name.endswith("_bytes") and value.isdigit():
        number = int(value)
        return words, scaled(number, "bytes") if number >= 1e6 else f"{number:,} B"
    return words, value


def usable_cores() -> int:
    """Cores that this process may run on (OpenMP's places, else its affinity)."""
    return _core.default_threads()


def cpu_model(root: Path = Path("/")) -> str:
    """The CPU's own name, or the architecture's where the system does not tell."""
    facts = _first_cpu(root)
    name = facts.get("model name") or facts.get("Model") or _arms_name(facts)
    return name or _apples_name() or platform.processor() or platform.machine() or _NO_NAME


def _first_cpu(root: Path) -> dict[str, str]:
    """What /proc/cpuinfo says, of the first core where of each; nothing on other systems."""
    facts: dict[str, str] = {}
    try:
        with (root / "proc/cpuinfo").open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                key, _, value = line.partition(":")
                facts.setdefault(key.strip(), value.strip())
    except OSError:
        pass
    return facts


def _arms_name(facts: dict[str, str]) -> str:
    """Of an arm64 core under Linux, which gives numbers alone, or these; nothing of others."""
    implementer, part = facts.get("CPU implementer"), facts.get("CPU part")
    if implementer is None or part is None:
        return ""
    unknown = f"{platform.machine()}, implementer {implementer}, part {part}"
    return _ARM_CORES.get((implementer, part), unknown)


def _apples_name() -> str:
    """Of a Mac's processor, as "Apple M2 Pro"; nothing on other systems."""
    if platform.system() != "Darwin":
        return ""
    try:
        asked = subprocess.run(_APPLES_NAME, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return asked.stdout.strip()


def huge_page_mode(root: Path = Path("/")) -> str:
    """always, madvise or never."""
    text = _read(root / "sys/kernel/mm/transparent_hugepage/enabled")
    chosen = re.search(r"\[(\w+)\]", text)
    return chosen.group(1) if chosen else text


def governor(root: Path = Path("/")) -> str:
    """The frequency governor of the first core."""
    return _read(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def page_size_bytes() -> str:
    """Bytes of an ordinary page."""
    return str(os.sysconf("SC_PAGE_SIZE"))


def memory_bytes() -> str:
    """Bytes of memory that this process may use: the machine's, or the limit of its group."""
    try:
        physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return str(min(physical, own_limit_bytes() or physical))
    except (ValueError, OSError) as error:
        return f"unavailable: {error}"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        return f"unavailable: {path}: {error.strerror}"
