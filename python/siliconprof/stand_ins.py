"""Which kernels, measured by a calibration, may stand in for operations that it doesn't measure.

stand_in.<scope>.<op>.<kernel>, in a framework file: an operation takes so many times as long as the
kernel by each byte that it finds in cache; what comes from beyond the cache takes no less than the
quickest of BARE (cpp/siliconprof/devices/kernel_rates.h).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence

from . import _core
from ._core import OpCall

# What streams of a calibration's kernels (calibration_plan.py), by the kind of operation that they
# are like, the likest first; but for a table's gradient, whose counted bytes it doesn't touch.
LIKE: Mapping[str, tuple[str, ...]] = {
    "function": ("gelu_tanh", "gelu_tanh_backward"),
    "elementwise": ("copy", "add", "adamw", "relu", "relu_backward"),
    "row_normalisation": (
        *("layer_norm", "layer_norm_backward", "softmax", "batch_norm", "batch_norm_backward"),
        *("cross_entropy", "cross_entropy_backward"),
    ),
    "reduction": ("sum_rows", "sum", "copy"),
    "other": ("copy", "gather", "matvec"),
}
MEASURED = tuple(dict.fromkeys(kernel for kernels in LIKE.values() for kernel in kernels))
# What computes next to nothing.
BARE = ("adamw", "add", "copy", "relu")
# Of the elementwise operations, what takes an exponential, a logarithm or an error function.
_FUNCTIONS = ("selu", "sigmoid", "softplus", "silu", "gelu", "bias_gelu", "bce")
# Classes whose work is more than bytes.
_MULTIPLYING = ("matrix_product", "convolution", "attention")


def kind_of(call: OpCall) -> str:
    """The key of LIKE that the call's operation has."""
    if call.op.startswith(_FUNCTIONS):
        return "function"
    return call.op_class if call.op_class in LIKE else "other"


def streams(call: OpCall) -> bool:
    """Whether the call reads and writes alone."""
    return call.op_class not in _MULTIPLYING and call.op != "sort"


def keys(scopes: Sequence[str]) -> Iterator[str]:
    """Those that a framework file may hold."""
    for scope in scopes:
        for op in _streaming():
            yield from (f"stand_in.{scope}.{op}.{kernel}" for kernel in MEASURED)


@functools.cache
def _streaming() -> tuple[str, ...]:
    ops = ((op, _core.op_dims(op)) for op in _core.op_names())
    made = ((op, _core.single_op(op, dict.fromkeys(dims, 4)).calls[0]) for op, dims in ops)
    return tuple(op for op, call in made if streams(call))
