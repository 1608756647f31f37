"""What this machine lets one measure, what it lacks, and what to do about it."""

from __future__ import annotations

import os
import statistics
import time
from typing import Any

import numpy

from . import _core
from .environment import environment
from .workloads import op


def report() -> dict[str, Any]:
    """Counters, machine, numpy's OpenBLAS and the engines, as one plain document.

    Units: cost_ns nanoseconds for one read, *_flops_per_s FLOP/s.
    """
    return {
        "counters": counters(),
        "machine": machine(),
        "numpy": numpy_openblas(),
        "engines": engines(),
    }


def counters() -> list[dict[str, Any]]:
    """Every counter, available or not, with the cost of one read."""
    return [
        {
            "name": info.name,
            "available": info.available,
            "reason": info.reason or None,
            "remedy": info.remedy or None,
            "cost_ns": _core.counter_read_cost_ns(info.name) if info.available else None,
            "scope": info.scope,
            "unit": info.unit,
            "source": info.source,
            "accuracy": info.accuracy,
        }
        for info in _core.counters()
    ]


def machine() -> dict[str, Any]:
    """The environment's facts and the CPU's instruction sets."""
    return {**environment(), "cpu_features": _core.cpu_features()}


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
    numpy_flops_per_s = numpy_matmul_flops_per_s()
    own_flops_per_s = matmul_flops_per_s()
    wanted = _core.wanted_openblas_family()
    library, family = _numpys_library()
    slow = bool(wanted and family and _width(family) < _width(wanted))
    return {
        "library": library,
        "kernel_family": family,
        "wanted_family": wanted or None,
        "matmul_flops_per_s": numpy_flops_per_s,
        "siliconprof_matmul_flops_per_s": own_flops_per_s,
        "ratio": numpy_flops_per_s / own_flops_per_s,
        "remedy": f"export OPENBLAS_CORETYPE={wanted}" if slow else None,
        "reason": _reason(library, family, wanted, slow),
    }


def numpy_matmul_flops_per_s(size: int = 1000, repetitions: int = 7) -> float:
    """The median rate of numpy's float32 product of two size x size matrices."""
    a = numpy.ones((size, size), numpy.float32)
    out = numpy.empty_like(a)
    numpy.matmul(a, a, out=out)
    samples_s = []
    for _ in range(repetitions):
        start_s = time.perf_counter()
        numpy.matmul(a, a, out=out)
        samples_s.append(time.perf_counter() - start_s)
    return 2.0 * size**3 / statistics.median(samples_s)


def matmul_flops_per_s(size: int = 1000) -> float:
    """The same product's median rate through the openblas engine."""
    trace = op("matmul", m=size, k=size, n=size)
    profile = _core.run_on_cpu(trace, "openblas", 0, _core.Sampling.fixed(7, 1))
    return trace.flops / profile.time_s


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


def _reason(library: str | None, family: str | None, wanted: str, slow: bool) -> str:
    if library is None:
        return "numpy has loaded no OpenBLAS; it uses another BLAS or none"
    if slow:
        asked = os.environ.get("OPENBLAS_CORETYPE")
        why = f", as OPENBLAS_CORETYPE={asked} asks" if asked else ""
        return f"OpenBLAS took its {family} kernels for numpy{why}; this CPU runs {wanted}"
    return f"OpenBLAS took its {family} kernels for numpy, as wide as this CPU's vectors"
