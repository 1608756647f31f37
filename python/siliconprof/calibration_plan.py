"""Which kernels a calibration measures, the most telling ones first."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from . import _core
from ._core import Trace

MOST_KERNELS = 64  # of each precision
# Of each precision what its steps compute in but for float32. CPUs have no TF32.
FORMATS: Mapping[str, str | None] = {
    "fp32": None,
    "fp64": "float64",
    "amp-bf16": "bfloat16",
    "amp-fp16": "float16",
}
# What autocast leaves in float32; and a sort and a softmax, which no step has.
_SINGLE = ("adamw", "layer_norm", "cross_entropy", "embedding", "sort", "softmax")
# Layers (rows, inputs, outputs) whose three products are measured: large and long, few rows, so
# small a one that starting shows, few inputs, a vocabulary. Generic on purpose: no model's own.
_LAYERS = (
    (1024, 512, 1536),
    (64, 384, 384),
    (40, 96, 160),
    (2048, 64, 1024),
    (96, 512, 16384),
)
# Products of a short side, of each of the three one.
_THIN = (
    ("linear", {"rows": 8, "in": 512, "out": 4096}),
    ("matmul", {"m": 4096, "k": 8, "n": 1024}),
    ("matmul", {"m": 4096, "k": 1024, "n": 8}),
)
# (batch, side, channels, outputs, kernel, stride): first one of each that kernels are told apart by
# (windows of 3 x 3 at every position, others).
_CONVOLUTIONS = (
    (16, 32, 64, 64, 3, 1),
    (32, 16, 160, 256, 3, 2),
    (64, 4, 512, 512, 3, 1),
    (16, 32, 3, 64, 3, 1),
    (2, 56, 128, 256, 3, 1),
)
_COLOURS = 3
_NARROW = (8, 64, 16, 8, 3, 1)
# (batch, heads, queries, keys, causal)
_ATTENTIONS = ((1, 6, 1024, 1024, 0), (4, 8, 64, 64, 1), (2, 6, 64, 1024, 0))
# Which of a call's sizes are rows of whatever kind, the first that it has.
_GROWING = ("count", "rows", "outer", "m", "n")
# Not measured in calls larger than the cache: some rows of a table are touched, however large
# it is, and a sort goes by its comparisons.
_NEVER_LARGE = ("embedding_backward_add", "sort")
# Elements of the streams whose rates by working set show the cache, and what those sets are where
# the last cache may have that many bytes for this process; where it may have more, both are larger.
_STREAM_ELEMENTS = 262144
_WORKING_SETS = (6e6, 20e6, 40e6, 80e6, 240e6)
_THEIR_CACHE_BYTES = float(32 << 20)
# Of the free memory; with more, a machine of little memory measures how it swaps.
PART_OF_MEMORY = 0.5


@dataclass(frozen=True)
class Kernel:
    """One call to measure, on several sets of operands.

    update: outputs take inputs' memory where the op allows it, as training steps have it;
    working_set_bytes: of all sets together, None for as many as the cache can't hold;
    dtype: the call's, which for a cast is what it reads;
    large: a call larger than the cache is measured, too.
    """

    op: str
    dims: Mapping[str, int]
    attributes: Mapping[str, float] = field(default_factory=dict)
    update: bool = False
    working_set_bytes: float | None = None
    dtype: str = "float32"
    large: bool = False

    def trace(self) -> Trace:
        """One call."""
        return _core.single_op(self.op, dict(self.dims), self.dtype, dict(self.attributes))

    def replicated(self, sets: int, repeats: int, bytes_between: int = 0) -> Trace:
        """The call on sets of operands, `repeats` times on each."""
        return _core.replicate(self.trace(), sets, repeats, self.update, bytes_between)

    def sets(self, wanted_bytes: float, most: int) -> int:
        """How many sets of operands take `wanted_bytes`, at least 1."""
        return max(1, min(round(wanted_bytes / self.set_bytes()), most))

    def grown(self, wanted_bytes: float) -> Kernel:
        """A call whose own operands take `wanted_bytes` or more, of more rows."""
        name = next(name for name in _GROWING if name in self.dims)

        def times(n: int) -> Kernel:
            return replace(self, dims={**self.dims, name: self.dims[name] * n})

        once, twice = self.set_bytes(), times(2).set_bytes()  # tables stay as they are
        return times(1 + math.ceil(max(wanted_bytes - once, 0.0) / (twice - once)))

    def set_bytes(self) -> int:
        call = self.trace()
        inputs = {id for c in call.calls for id in c.inputs}
        outputs = {id for c in call.calls for id in c.outputs}
        return sum(call.tensors[id].bytes for id in (inputs if self.update else inputs | outputs))


def memory_levels(
    last_cache_bytes: float | None = None, free_bytes: float | None = None
) -> list[Kernel]:
    """One stream over ever larger working sets: where its rate falls, the cache ends. The largest
    set is seven times what the last cache may hold, or what the free memory allows."""
    scale = max(1.0, (last_cache_bytes or 0.0) / _THEIR_CACHE_BYTES)
    if free_bytes is not None:
        scale = min(scale, PART_OF_MEMORY * free_bytes / _WORKING_SETS[-1])
    elements = max(1, round(_STREAM_ELEMENTS * scale))
    return [
        Kernel("add", {"n": elements}, update=True, working_set_bytes=size * scale)
        for size in _WORKING_SETS
    ]


def kernels() -> list[Kernel]:
    """Everything else, so that any first part of it serves: a point of each kind in turn."""
    products, attentions, convolutions = _products(), _attentions(), _convolutions()
    in_turn = itertools.zip_longest(attentions[1:], products[2:], convolutions[2:], fillvalue=())
    groups = [
        *products[:2],
        _streams(),
        *convolutions[:2],
        attentions[0],
        [*(Kernel(op, dims) for op, dims in _THIN), _convolution("conv2d", _NARROW)],
        *itertools.chain.from_iterable(in_turn),
    ]
    return [*itertools.chain.from_iterable(groups)]


def kernels_in(dtype: str) -> list[Kernel]:
    """What steps in another format than float32 run: the same in that format, or, under autocast in
    one of 16 bits, all but what stays in float32, and casts of weights, data and gradients."""
    if dtype == "float64":
        return [replace(kernel, dtype=dtype) for kernel in kernels()]
    n = {"n": 1_000_000}
    casts = [
        Kernel(f"cast_{dtype}", n, large=True),
        Kernel("cast_float32", n, dtype=dtype, large=True),
    ]
    # The check of gradients that float16's loss scaling needs.
    check = Kernel("unscale", {"n": 600_000}, update=True, large=True)
    checks = [check] if dtype == "float16" else []
    same = [replace(k, dtype=dtype) for k in kernels() if not k.op.startswith(_SINGLE)]
    layouts = len(_products()[0])
    return [*same[:layouts], *casts, *checks, *same[layouts:]]


def _products() -> list[tuple[Kernel, ...]]:
    """Of each layer: forward, gradient of the data, gradient of the weights."""
    return [
        (
            Kernel("linear", {"rows": m, "in": k, "out": n}),
            Kernel("matmul", {"m": m, "k": n, "n": k}),
            Kernel("matmul", {"m": n, "k": m, "n": k}, {"transpose_a": 1.0}),
        )
        for m, k, n in _LAYERS
    ]


def _attentions() -> list[tuple[Kernel, ...]]:
    return [
        tuple(
            Kernel(
                op,
                {"batch": b, "heads": h, "queries": q, "keys": k, "head_dim": 64},
                {"causal": float(causal)},
            )
            for op in ("attention", "attention_backward")
        )
        for b, h, q, k, causal in _ATTENTIONS
    ]


def _convolutions() -> list[tuple[Kernel, ...]]:
    """Of each its gradients too, but for the data's where that is a picture: no step needs it."""
    ops = ("conv2d", "conv2d_data_backward", "conv2d_weight_backward")
    return [
        tuple(
            _convolution(op, sizes)
            for op in ops
            if op != "conv2d_data_backward" or sizes[2] > _COLOURS
        )
        for sizes in _CONVOLUTIONS
    ]


def _convolution(op: str, sizes: tuple[int, ...]) -> Kernel:
    batch, side, channels, outputs, kernel, stride = sizes
    dims = {"batch": batch, "height": side, "width": side, "channels": channels}
    windows = {"outputs": outputs, "kernel_h": kernel, "kernel_w": kernel}
    return Kernel(op, {**dims, **windows}, {"stride": float(stride), "padding": float(kernel // 2)})


def _streams() -> list[Kernel]:
    """What reads and writes alone, and a sort; of the most, calls larger than the cache, too."""
    rows = {"rows": 512, "n": 768}
    loss = {"rows": 64, "v": 32000}
    planes = {"outer": 8192, "channels": 64, "inner": 1}
    streams = [
        Kernel("add", {"n": 64}, update=True),
        Kernel("adamw", {"n": 600_000}, update=True),
        Kernel("layer_norm", rows),
        Kernel("layer_norm_backward", rows),
        Kernel("gelu_tanh", {"n": 1_000_000}),
        Kernel("gelu_tanh_backward", {"n": 1_000_000}, update=True),
        Kernel("sum", {"outer": 1, "size": 512, "inner": 1536}),
        Kernel("sum", {"outer": 768, "size": 1024, "inner": 1}),
        Kernel("cross_entropy", loss),
        Kernel("cross_entropy_backward", loss, update=True),
        Kernel("batch_norm", planes),
        Kernel("batch_norm_backward", planes),
        Kernel("relu", {"n": 1_000_000}, update=True),
        Kernel("relu_backward", {"n": 1_000_000}, update=True),
        Kernel("copy", {"n": 1_000_000}),
        Kernel("matvec", {"m": 1024, "n": 1024}),
        Kernel("gather", {"rows": 4096, "count": 2048, "columns": 256}),
        Kernel("softmax", {"outer": 512, "size": 1024, "inner": 1}),
        # Tables that a head shares, as those of all language models here.
        Kernel("embedding_backward_add", {"c": 512, "n": 256, "v": 32768}, update=True),
        Kernel("sort", {"outer": 512, "size": 1024, "inner": 1}),
    ]
    return [replace(kernel, large=kernel.op not in _NEVER_LARGE) for kernel in streams]
