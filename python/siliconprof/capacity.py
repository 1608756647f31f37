"""Whether a step fits a memory, and what would."""

from __future__ import annotations

from pathlib import Path

from ._core import ArgumentError, Device, Number, Trace
from .quantity import GIB

MEMINFO = Path("/proc/meminfo")
_LASTING = ("parameter", "optimizer_state")
_GRADIENT_BYTES = 4  # of a trained parameter: float32, also under mixed precision


def memory_of(device: Device) -> float:
    """Bytes that a step may take there: for Apple's GPUs the working set that Metal recommends."""
    return memory_number(device).value


def memory_number(device: Device) -> Number:
    """The same with its source and error."""
    numbers = device.numbers
    return numbers.get("memory.working_set_limit_bytes") or numbers["memory.capacity_bytes"]


def available_bytes(meminfo: Path = MEMINFO) -> int | None:
    """Memory and swap that the system could still give to a process; None where it can't say."""
    try:
        lines = meminfo.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    found = {name: line.split() for name, _, line in (line.partition(":") for line in lines)}
    try:
        return sum(1024 * int(found[name][0]) for name in ("MemAvailable", "SwapFree"))
    except (KeyError, IndexError, ValueError):
        return None


def shares_memory(device: Device) -> bool:
    """Whether what a step keeps on its host takes memory of the device all the same."""
    return device.vendor in ("apple", "cpu")


def would_fit(trace: Trace, memory_bytes: float, shares: bool) -> str:
    """What of the step would fit, in words: the largest batch, estimated from this trace.

    shares: whether the memory is the host's too, where offloading takes nothing off it.
    What parameters need stays, all else grows with the batch: exact but for the gradients that
    share memory with activations, or wait there for an update amid the backward pass.
    """
    lasting = sum(
        info.bytes
        for info in trace.tensors
        if info.role in _LASTING and info.base is None and (shares or not info.on_host)
    )
    peak = trace.peak_memory_bytes + (trace.host_memory_bytes if shares else 0)
    kept = "parameters and optimizer states"
    if not _updates_early(trace):
        lasting += _GRADIENT_BYTES * trace.trained_parameters
        kept = "parameters, gradients and optimizer states"
    batch = next(
        (
            info.shape[0]
            for info in trace.tensors
            if info.role == "input" and info.base is None and info.shape
        ),
        0,
    )
    each = (peak - lasting) / batch if batch else 0.0
    if each > 0 and lasting + each <= memory_bytes:
        return f"a batch of about {int((memory_bytes - lasting) / each)} would fit"
    if lasting and lasting < memory_bytes:
        return "no batch fits: shorter sequences, amp-bf16 or checkpoint=True take less"
    if lasting:
        others = ["a smaller model", "optimizer='sgd'", "lora=8"]
        if not shares and not trace.host_memory_bytes:
            others.append("offload=True")
        less = f"{', '.join(others[:-1])} or {others[-1]} takes less"
        return f"{kept} alone take {lasting} bytes: {less}"
    return "smaller sizes would"


def _updates_early(trace: Trace) -> bool:
    """Whether the first parameter is updated before the last gradient is made."""
    phases = [call.phase for call in trace.calls]
    return "optimizer" in phases and "backward" in phases[phases.index("optimizer") :]


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
