"""What single calls on a calibrated CPU are off by (call.cpu.<class>.calibrated_error_part).

    python tools/fit_cpu_calls.py [--record cpu_ops] [--framework native]

Reads calls that were measured alone on a CPU minutes after its calibration, at shapes that are
training steps' and not the calibration's. A calibration's own residuals tell how well a few shapes
repeat, not how far others are from them, nor what an op is whose class alone was measured. By class
of operation, what 90 % of max(p/m, m/p) - 1 are within, split-conformal with a scale of each class
(tools/conformal_errors.py); apart for calls that are predicted to be short, which are found in a
core's own caches when they are repeated, and where threads that meet take a part of the time
(call.cpu.<class>.calibrated_short_error_part, call.cpu.short_s). No whole step and no row of the op
suite is read. Prints TOML.
"""

from __future__ import annotations

import argparse
import math

from conformal_errors import Kind, error_parts
from fit_suite import show

import siliconprof as sp
from siliconprof._core import OpCall
from siliconprof.calibration_plan import kernels
from siliconprof.predict import model, synchronised
from siliconprof.recorded_work import Asked, asked

SOURCE = "cpu-ops"
ASSUMED_ERROR = 0.5
SCOPE = "cpu"
# Chosen: 2 MB at 40 GB/s, what a core's own cache has of operands.
SHORT_S = 50e-6


def errors(record: str, framework: str) -> dict[Kind, list[float]]:
    """Logarithms of predicted over measured seconds, by kind of call."""
    found: dict[Kind, list[float]] = {}
    measured = {_shape_of(kernel.trace().calls[0]) for kernel in kernels()}
    for row in sp.load(record).rows:
        work = asked(row)
        assert isinstance(work, Asked) and row.value is not None and row.device is not None, row
        trace = work.build()
        call = trace.calls[0]
        if _shape_of(call) in measured:
            continue  # what a calibration measures itself
        machine = model(row.device, framework)
        seconds = synchronised(machine, trace)[0]
        kind = (call.op_class, seconds < SHORT_S)
        found.setdefault(kind, []).append(math.log(seconds / row.value))
    return found


def _shape_of(call: OpCall) -> tuple[object, ...]:
    return call.op, *sorted(call.dims.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", default="cpu_ops")
    parser.add_argument("--framework", default="native")
    arguments = parser.parse_args()
    parts = error_parts(errors(arguments.record, arguments.framework))
    show(f"call.{SCOPE}.short_s", SHORT_S, ASSUMED_ERROR, "assumed-short")
    for (op_class, is_short), part in sorted(parts.items()):
        name = "calibrated_short_error_part" if is_short else "calibrated_error_part"
        show(f"call.{SCOPE}.{op_class}.{name}", part, ASSUMED_ERROR, SOURCE)


if __name__ == "__main__":
    main()
