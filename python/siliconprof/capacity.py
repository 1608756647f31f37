"""Whether a step fits a memory, and what would."""

from __future__ import annotations

import functools
from pathlib import Path

from ._core import (
    ArgumentError,
    Device,
    Framework,
    Profile,
    TensorInfo,
    Trace,
    usable_memory,
)
from .alternatives import Peak, what_takes_less
from .batches import batch_of, largest_batch
from .memory_limit import own_limit_bytes, unmapped_bytes
from .quantity import GIB, scaled

MEMINFO = Path("/proc/meminfo")
_LASTING = ("parameter", "optimizer_state")
_MACOS_SWAP_BYTES = 100 * GIB  # [xnu-swap]


def memory_of(device: Device, framework: Framework) -> float:
    """Bytes that a step may take there: for Apple's GPUs the working set that Metal recommends, of
    a board's memory what error correction, the driver and the framework's process leave."""
    return usable_memory(device, framework).value


def available_bytes(meminfo: Path = MEMINFO) -> int | None:
    """Memory and swap that the system could still give to this process; None where it can't
    say."""
    found = _memory_and_swap(meminfo)
    return None if found is None else sum(found)


def free_bytes(meminfo: Path = MEMINFO) -> int | None:
    """The same without swap, and no more than the process may still map; None where neither is
    told."""
    found, unmapped = _memory_and_swap(meminfo), unmapped_bytes()
    told = [each for each in (found and found[0], unmapped) if each is not None]
    return min(told, default=None)


def _memory_and_swap(meminfo: Path) -> tuple[int, int] | None:
    try:
        lines = meminfo.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    found = {name: line.split() for name, _, line in (line.partition(":") for line in lines)}
    try:
        memory, swap = (1024 * int(found[name][0]) for name in ("MemAvailable", "SwapFree"))
    except (KeyError, IndexError, ValueError):
        return None
    limit = own_limit_bytes()
    return memory if limit is None else min(memory, limit), swap


def shares_memory(device: Device) -> bool:
    """Whether what a step keeps on its host takes memory of the device all the same."""
    return device.vendor in ("apple", "cpu")


def held_bytes(profile: Profile, device: Device) -> float:
    """What is predicted to be taken there: on a card with what its allocator keeps for later (a
    system shares its memory with other programs; how much they leave isn't known)."""
    found = float(profile.peak_memory_bytes or 0)
    if shares_memory(device):
        return found
    return max(found, _counter(profile, "reserved_memory_bytes"))


def beyond_note(profile: Profile, device: Device, framework: Framework) -> str:
    """What an allocator would keep of a step that fits a card beyond what it may take there;
    nothing where it keeps to it."""
    held, there = held_bytes(profile, device), memory_of(device, framework)
    if held <= there or (profile.peak_memory_bytes or 0) > there:
        return ""
    amounts = (scaled(amount, "bytes", gib=False) for amount in (held, there))
    return f"the allocator would reserve {' of '.join(amounts)}"


def swap_note(profile: Profile, device: Device) -> str:
    """What to know of a step that pages more out than macOS has swap for; nothing of any other."""
    part = device.numbers.get("paging.compressed_part")
    swapped = _counter(profile, "swapped_in_bytes") * (1.0 if part is None else part.value)
    if not device.family.startswith("apple") or swapped <= _MACOS_SWAP_BYTES:
        return ""
    needed, there = (scaled(some, "bytes", gib=False) for some in (swapped, _MACOS_SWAP_BYTES))
    return (
        f"{needed} would go to swap, of which macOS makes {there} at most, on a disk with room for "
        "it: the step would be out of memory; what is predicted is the step without that limit"
    )


def _counter(profile: Profile, name: str) -> float:
    """0 where it isn't there."""
    values = (reading.value for reading in profile.counters if reading.name == name)
    return next(values, None) or 0.0


def would_fit(
    trace: Trace,
    memory_bytes: float,
    shares: bool,
    peak_of: Peak | None = None,
    held_of: Peak | None = None,
) -> str:
    """What of the step would fit, in words: the largest batch, or else what takes less.

    shares:  whether the memory is the host's too, where offloading takes nothing off it.
    peak_of: what a trace takes, as an allocator has it; what its tensors do by default.
    held_of: the same with what the allocator keeps, to which a batch is held where one can be.
    Of a step of a model the batch is one that fits, found by trying. Of any other trace it is
    estimated: what parameters need stays, all else grows with the batch, or of an operation that
    has one size alone with that.
    """
    taken = peak_of or functools.partial(_tensors_bytes, shares=shares)
    lasting, kept = _lasting(trace, shares)
    if lasting < memory_bytes:
        if batch_of(trace) is None:
            size = "a batch" if lasting else _first_size(trace)
            about = _estimated_first(trace, memory_bytes, lasting, taken(trace) or 0.0)
            if size and about:
                return f"{size} of about {about} would fit"
        elif batch := (held_of and _largest(trace, memory_bytes, held_of)) or _largest(
            trace, memory_bytes, taken
        ):
            return f"a batch of {batch} would fit"
        if not lasting:
            return "smaller sizes would fit"
        kept = "no batch fits"
    else:
        kept = f"{kept} alone take {scaled(lasting, 'bytes', gib=False)}"
    return f"{kept}: {what_takes_less(trace, memory_bytes, shares, taken)}"


def _largest(trace: Trace, memory_bytes: float, peak_of: Peak) -> int:
    return largest_batch(trace, lambda step: (peak_of(step) or 0.0) <= memory_bytes)


def _tensors_bytes(trace: Trace, shares: bool) -> float:
    return trace.peak_memory_bytes + (trace.host_memory_bytes if shares else 0)


def _lasting(trace: Trace, shares: bool) -> tuple[int, str]:
    """Bytes that no batch takes less than, and what they are."""
    kept = [
        info
        for info in trace.tensors
        if info.role in _LASTING and info.base is None and (shares or not info.on_host)
    ]
    lasting = sum(info.bytes for info in kept)
    words = ["parameters"]
    if not _gives_gradients_up(trace, shares) and trace.trained_parameters:
        lasting += sum(info.bytes for info in trace.tensors if _is_trained(info))
        words.append("gradients")
    if any(info.role == "optimizer_state" for info in kept):
        words.append("optimizer states")
    return lasting, " and ".join([", ".join(words[:-1]), words[-1]] if words[:-1] else words)


def _is_trained(info: TensorInfo) -> bool:
    """Whether it has a gradient, which is of its dtype, also under mixed precision."""
    return info.role == "parameter" and not info.frozen and info.base is None


def _first_size(trace: Trace) -> str:
    """What an operation calls the first dimension of its inputs, where all grows with that."""
    length, sizes = _first_length(trace), [call.dims for call in trace.calls]
    if all(dims.get("batch") == length for dims in sizes):
        return "a batch"
    names = {name for dims in sizes for name in dims}
    return names.pop() if len(names) == 1 and length in sizes[0].values() else ""


def _first_length(trace: Trace) -> int:
    inputs = (info for info in trace.tensors if info.role == "input" and info.base is None)
    return next((info.shape[0] for info in inputs if info.shape), 0)


def _estimated_first(trace: Trace, memory_bytes: float, lasting: int, peak: float) -> int:
    """0 where nothing grows with the first dimension, or none fits."""
    length = _first_length(trace)
    each = (peak - lasting) / length if length else 0.0
    return int((memory_bytes - lasting) / each) if each > 0 else 0


def _gives_gradients_up(trace: Trace, shares: bool) -> bool:
    """Whether the first gradient is used up before the last is made: by its update, or by going to
    a host whose memory is another."""
    phases = [call.phase for call in trace.calls]
    ends = ("optimizer",) if shares else ("optimizer", "transfer")
    firsts = (phases.index(phase) for phase in ends if phase in phases)
    return "backward" in phases[min(firsts, default=len(phases)) :]


def refuse_what_cannot_fit(place: str, trace: Trace, available: int | None = None) -> None:
    """Raises: ArgumentError when the trace's tensors are more than memory and swap can hold,
    before anything is taken; the message says bytes needed, bytes there, and what would fit."""
    there = available_bytes() if available is None else available
    needed = trace.peak_memory_bytes + trace.host_memory_bytes
    if there is None or needed <= there:
        return
    raise ArgumentError(
        f"[{place}] {trace.label} takes {needed} bytes ({needed / GIB:.1f} GiB) and {there} "
        f"({there / GIB:.1f} GiB) are available; {would_fit(trace, there, True)}; needed: a size "
        "that this machine's memory holds"
    )
