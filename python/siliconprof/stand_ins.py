"""Which kernels, measured by a calibration, may stand in for operations that it doesn't measure.

stand_in.<scope>.<op>.<kernel>, in a framework file: an operation takes so many times as long as the
kernel by each byte that it finds in cache; what comes from beyond the cache is as quick for both
(cpp/siliconprof/devices/kernel_rates.h).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from . import _core

# What streams of a calibration's kernels (calibration_plan.py), but for a table's gradient, whose
# counted bytes it doesn't touch.
MEASURED = (
    *("add", "adamw", "batch_norm", "batch_norm_backward", "copy", "cross_entropy"),
    *("cross_entropy_backward", "gather", "gelu_tanh", "gelu_tanh_backward", "layer_norm"),
    *("layer_norm_backward", "matvec", "relu", "relu_backward", "softmax", "sum", "sum_rows"),
)


def keys(scopes: Sequence[str]) -> Iterator[str]:
    """Those that a framework file may hold."""
    for scope in scopes:
        for op in _core.op_names():
            yield from (f"stand_in.{scope}.{op}.{kernel}" for kernel in MEASURED)
