"""What the machine allows a kernel: memory traffic and arithmetic at rates measured in this run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from kernel_rows import trace_of

from siliconprof import DtypeError, _core
from siliconprof.run import bind
from siliconprof.workloads import op

LARGEST_BYTES = 1 << 28  # of an array of the bandwidth probe: past every cache
SMALLEST_BYTES = 1 << 15


# A pattern's arrays, and the operation that does nothing else.
ARRAYS = {"read": 1, "write": 1, "copy": 2, "update": 2}
OPERATIONS = {"read": "sum", "write": "fill", "copy": "copy", "update": "clip"}


@dataclass(frozen=True)
class Probe:
    """One pass over arrays past every cache."""

    call: Callable[[], object]
    bytes: int

    @classmethod
    def of(cls, pattern: str, threads: int) -> Probe:
        op_name = OPERATIONS[pattern]
        dims = dict.fromkeys(_core.op_dims(op_name), 1)
        dims["size" if op_name == "sum" else "n"] = LARGEST_BYTES // 4
        # Memory may take zeros faster than what rows write.
        attributes = {"value": 1.0} if op_name == "fill" else {}
        trace = trace_of(op_name, dims | attributes)
        return cls(bind(trace, threads=threads), trace.cost.bytes)

    def floor_s(
        self, traces: list[_core.Trace], samples_s: list[float], ours_s: list[float]
    ) -> float:
        """The calls' compulsory bytes at the probe's rate, as a part of our time turn by turn:
        memory that changes its pace does so under both."""
        part = _core.median([probe / ours for probe, ours in zip(samples_s, ours_s, strict=True)])
        bytes = sum(trace.cost.bytes for trace in traces)
        return float(bytes / self.bytes * part * _core.median(ours_s))


def pattern_of(trace: _core.Trace) -> str:
    """Reading; copying where a tenth is written, writing where less than a tenth is read, updating
    where that goes over an input."""
    cost = trace.cost
    if any(set(call.inputs) & set(call.outputs) for call in trace.calls):
        return "update"
    if 10 * cost.bytes_read < cost.bytes:
        return "write"
    return "copy" if 10 * cost.bytes_written > cost.bytes else "read"


@dataclass
class Floors:
    """Rates of this machine on `threads`, each measured when it is first needed.

    Bandwidth is that of the row's own working set: what fits in a cache runs at the cache's rate.
    That of memory, which others on the machine use too, is measured anew before each row, and in
    turn with what memory decides: a `probe`.
    """

    threads: int
    seconds: float
    rates: dict[str, float] = field(default_factory=dict)
    probes: dict[str, Probe] = field(default_factory=dict)  # the last one: its arrays are large

    def forget_memory(self) -> None:
        """Forgets the rates that may have changed since they were measured."""
        past = str(LARGEST_BYTES)
        self.rates = {key: rate for key, rate in self.rates.items() if past not in key}

    def bound_by(self, traces: list[_core.Trace]) -> str:
        """What decides the floor of these calls: "memory", a "cache", or "arithmetic"."""
        if any(self.floor_s(t) > 1.001 * self.memory_s(t) for t in traces):
            return "arithmetic"
        largest = max((t.cost.bytes for t in traces), default=0)
        return "memory" if is_past_caches(largest) else "cache"

    def probe(self, traces: list[_core.Trace]) -> Probe:
        """What memory allows a row in the state in which the row finds it."""
        pattern = pattern_of(max(traces, key=lambda trace: trace.cost.bytes))
        if pattern not in self.probes:
            self.probes = {pattern: Probe.of(pattern, self.threads)}
        return self.probes[pattern]

    def floor_s(self, trace: _core.Trace) -> float:
        """The longer of the trace's traffic and its arithmetic."""
        return max(self.memory_s(trace), trace.flops / self.flops_per_s(trace.calls[0].dtype))

    def memory_s(self, trace: _core.Trace) -> float:
        """Compulsory bytes at the bandwidth of their pattern."""
        bytes = trace.cost.bytes
        if bytes == 0:
            return 0.0
        pattern = pattern_of(trace)
        past = is_past_caches(bytes)
        return bytes / self.bandwidth(pattern, LARGEST_BYTES if past else bytes // ARRAYS[pattern])

    def flops_per_s(self, dtype: str = "float32") -> float:
        """Of independent float32 multiply-adds. Another format's dot products may be quicker or
        slower than these, and matrix tiles have none: the quickest of them and of its products."""

        def peak(key: str, of: str) -> float:
            return self._rate(key, lambda: _core.measure_fma_peak(of, self.threads, self.seconds))

        single = peak("fma", "float32")
        if dtype == "float32":
            return single
        try:
            own = peak(f"fma {dtype}", dtype)
        except DtypeError:  # this CPU has none
            own = single
        return max(single, own, self.plateau_flops_per_s(dtype))

    def plateau_flops_per_s(self, dtype: str = "float32") -> float:
        """What large products reach here."""
        key = "plateau" if dtype == "float32" else f"plateau {dtype}"
        return self._rate(key, lambda: plateau_rates(self.threads, self.seconds, dtype))

    def bandwidth(self, pattern: str, array_bytes: int) -> float:
        """With arrays of so many bytes, or the power of two below."""
        size = 1 << max(SMALLEST_BYTES, min(LARGEST_BYTES, array_bytes)).bit_length() - 1
        return self._rate(
            f"{pattern} {size}",
            lambda: _core.measure_bandwidth(pattern, self.threads, size, self.seconds),
        )

    def _rate(self, key: str, measure: Callable[[], list[float]]) -> float:
        # Whatever else the machine does lowers a sample, nothing raises one.
        if key not in self.rates:
            self.rates[key] = _core.quantile(measure(), 0.9)
        return self.rates[key]


def is_past_caches(bytes: int) -> bool:
    """True for more than a process may count on of the last cache; it runs at memory's rate."""
    return bytes > _core.last_level_cache_bytes()


def plateau_rates(threads: int, seconds: float, dtype: str = "float32") -> list[float]:
    """FLOP/s of products of 2048x2048 matrices, three or more: OpenBLAS's, or where vectors fill
    lines this library's own, which a smaller product is then set against."""
    trace = op("matmul", m=2048, k=2048, n=2048, dtype=dtype)
    call = bind(trace, threads=threads)
    call()
    rates: list[float] = []
    end_s = time.perf_counter() + seconds
    while len(rates) < 3 or time.perf_counter() < end_s:
        begin_s = time.perf_counter()
        call()
        rates.append(trace.flops / (time.perf_counter() - begin_s))
    return rates
