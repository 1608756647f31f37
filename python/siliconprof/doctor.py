"""What this machine lets one measure, what it lacks, and what to do about it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

import numpy

from . import _core
from .environment import environment
from .workloads import op

_COUNTS = ("cores", "memory_bytes", "page_size_bytes")


def report() -> dict[str, Any]:
    """Counters, machine, numpy's OpenBLAS and the engines, as one plain document.

    Units: cost_ns nanoseconds for one read, *_flops_per_s FLOP/s: medians; *_quartiles: the first
    and the third quartile of the same repetitions; ratio_quartiles: the widest that they allow.
    """
    return {
        "counters": counters(),
        "machine": machine(),
        "numpy": numpy_openblas(),
        "engines": engines(),
    }


def counters() -> list[dict[str, Any]]:
    """Every counter, available or not, with the cost of one read."""
    return [_counter(info) for info in _core.counters()]


def _counter(info: _core.CounterInfo) -> dict[str, Any]:
    costs_ns = read_costs_ns(info.name) if info.available else []
    return {
        "name": info.name,
        "available": info.available,
        "reason": info.reason or None,
        "remedy": info.remedy or None,
        "cost_ns": _core.median(costs_ns) if costs_ns else None,
        "cost_ns_quartiles": _quartiles(costs_ns) if costs_ns else None,
        "scope": info.scope,
        "unit": info.unit,
        "source": info.source,
        "accuracy": info.accuracy,
    }


def read_costs_ns(counter: str, repetitions: int = 7) -> list[float]:
    """Costs of one read of an available counter, each the median of many reads."""
    costs = (_core.counter_read_cost_ns(counter, 300) for _ in range(repetitions))
    return [cost for cost in costs if cost is not None]


def machine() -> dict[str, Any]:
    """The environment's facts, counts as numbers or why there is none, and the CPU's instruction
    sets."""
    facts: dict[str, Any] = {**environment()}
    facts |= {name: int(facts[name]) for name in _COUNTS if facts[name].isdecimal()}
    return {**facts, "cpu_features": _core.cpu_features()}


def engines() -> list[dict[str, Any]]:
    """Every engine, available or not."""
    return [
        {
            "name": info.name,
            "available": info.available,
            "reason": info.reason or None,
            "version": info.version,
            "kernel_family": info.kernel_family,
            "library": info.library,
            "threading": info.threading,
        }
        for info in _core.engines()
    ]


def numpy_openblas() -> dict[str, Any]:
    """What plain numpy gets from its OpenBLAS beside what the machine can do.

    Old OpenBLAS falls back to its slowest kernels on a CPU that it does not know, silently.
    """
    # In this order: threads of numpy's OpenBLAS turn idle rounds for a tenth of a second once it is
    # done, and take the processors from whoever measures then (16 of them left 8 % of the rate).
    own, lacking = _own_rates()
    plain = numpy_matmul_rates()
    plain_quartiles, own_quartiles = _quartiles(plain), _quartiles(own) if own else None
    ratio_quartiles = own_quartiles and [
        plain_quartiles[0] / own_quartiles[1],
        plain_quartiles[1] / own_quartiles[0],
    ]
    wanted = _core.wanted_openblas_family()
    library, family = _numpys_library()
    narrow = bool(wanted and family and _width(family) < _width(wanted))
    slow = narrow and ratio_quartiles is not None and ratio_quartiles[1] < 1.0
    return {
        "library": library,
        "kernel_family": family,
        "wanted_family": wanted or None,
        "matmul_flops_per_s": _core.median(plain),
        "matmul_flops_per_s_quartiles": plain_quartiles,
        "siliconprof_matmul_flops_per_s": _core.median(own) if own else None,
        "siliconprof_matmul_flops_per_s_quartiles": own_quartiles,
        "ratio": _core.median(plain) / _core.median(own) if own else None,
        "ratio_quartiles": ratio_quartiles,
        "remedy": f"export OPENBLAS_CORETYPE={wanted}" if slow else None,
        "reason": lacking or _reason(library, family, wanted, narrow, slow),
    }


def _own_rates() -> tuple[list[float], str]:
    """Those of matmul_rates, or why there are none."""
    try:
        return matmul_rates(), ""
    except _core.EngineUnavailable as error:
        return [], str(error)


def numpy_matmul_rates(size: int = 1000, repetitions: int = 7) -> list[float]:
    """FLOP/s of numpy's float32 product of two size x size matrices, one for each repetition."""
    a = numpy.ones((size, size), numpy.float32)
    out = numpy.empty_like(a)
    numpy.matmul(a, a, out=out)
    rates = []
    for _ in range(repetitions):
        start_s = time.perf_counter()
        numpy.matmul(a, a, out=out)
        rates.append(2.0 * size**3 / (time.perf_counter() - start_s))
    return rates


def matmul_rates(size: int = 1000, repetitions: int = 7) -> list[float]:
    """The same product's FLOP/s through the openblas engine."""
    trace = op("matmul", m=size, k=size, n=size)
    profile = _core.run_on_cpu(trace, "openblas", 0, _core.Sampling.fixed(repetitions, 1))
    return [trace.flops / sample_s for sample_s in profile.samples_s]


def _quartiles(samples: Sequence[float]) -> list[float]:
    return [_core.quantile(samples, 0.25), _core.quantile(samples, 0.75)]


def _numpys_library() -> tuple[str | None, str | None]:
    """The OpenBLAS that numpy loaded: the one in numpy's own folder, else the first loaded."""
    loaded = _core.loaded_openblas()
    bundled = [entry for entry in loaded if "numpy" in entry[0]]
    for path, family, _ in bundled or loaded:
        return path, family
    return None, None


def _width(family: str) -> int:
    """Bits of the vectors that a family's kernels use: families of one width are near equals."""
    widths = {"skylakex": 512, "cooperlake": 512, "sapphirerapids": 512, "haswell": 256, "zen": 256}
    return widths.get(family.lower(), 128)


def _reason(library: str | None, family: str | None, wanted: str, narrow: bool, slow: bool) -> str:
    if library is None:
        return "numpy has loaded no OpenBLAS; it uses another BLAS or none"
    if narrow and not slow:
        return (
            f"OpenBLAS took its {family} kernels for numpy, narrower than this CPU's {wanted}, "
            "but no slower here beyond the spread of the repetitions"
        )
    if slow:
        asked = os.environ.get("OPENBLAS_CORETYPE")
        why = f", as OPENBLAS_CORETYPE={asked} asks" if asked else ""
        return f"OpenBLAS took its {family} kernels for numpy{why}; this CPU runs {wanted}"
    return f"OpenBLAS took its {family} kernels for numpy, as wide as this CPU's vectors"
