"""Shapes of the operations that stream and that no calibration measures: what stand-ins are fitted
on (tools/fit_stand_ins.py).

Generic ones: no training step's and no row of the op suite. Each is large enough for all threads
of a machine and small enough for most last caches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

# Elements of what goes element by element.
_ELEMENTS = (700_000, 2_500_000)
_BY_ELEMENT = (
    *("scale", "triad", "leaky_relu", "leaky_relu_backward", "selu", "selu_backward"),
    *("sigmoid", "sigmoid_backward", "softplus", "softplus_backward", "silu", "silu_backward"),
    *("gelu_erf", "gelu_erf_backward", "prelu", "prelu_backward", "prelu_weight_backward"),
    *("bce", "bce_backward", "bce_target_backward", "sgd", "square_sum", "clip", "unscale"),
    *("dropout", "fill", "silu_gate", "silu_gate_backward"),
    *("cast_float64", "cast_float16", "cast_bfloat16"),
)
_ROWS = ({"rows": 1100, "n": 900}, {"rows": 9000, "n": 300})
_BY_ROW = (
    *("bias", "bias_relu", "bias_relu_backward", "bias_gelu_erf", "bias_gelu_erf_backward"),
    *("bias_gelu_tanh", "bias_gelu_tanh_backward", "rms_norm", "rms_norm_backward"),
    *("normalise", "normalise_backward"),
)
_AXES = ({"outer": 900, "size": 1100, "inner": 1}, {"outer": 20, "size": 300, "inner": 400})
_ALONG_AXES = ("argmax", "broadcast", "softmax_backward", "sort_backward")
_INDEXED = ("scatter", "scatter_backward", "scatter_sum", "scatter_max", "scatter_max_backward")
_LOOK_UPS = (
    {"rows": 3000, "count": 9000, "columns": 160},
    {"rows": 500, "count": 60_000, "columns": 24},
)
_POOLS = (
    {"batch": 16, "height": 32, "width": 32, "channels": 96, "kernel": 2},
    {"batch": 4, "height": 56, "width": 56, "channels": 128, "kernel": 3},
)
_OTHERS: Mapping[str, tuple[Mapping[str, int], ...]] = {
    "outer": ({"m": 1100, "n": 900},),
    "embedding": ({"v": 20_000, "n": 3000, "c": 448},),
    "embedding_backward": ({"v": 3000, "n": 2500, "c": 448},),
    "concat": (
        {"outer": 3000, "first": 40, "second": 24, "inner": 12},
        {"outer": 1, "first": 800, "second": 500, "inner": 900},
    ),
    "slice": (
        {"outer": 3000, "size": 64, "length": 40, "inner": 12},
        {"outer": 1, "size": 2000, "length": 900, "inner": 900},
    ),
    "slice_backward": ({"outer": 3000, "size": 64, "length": 40, "inner": 12},),
    "transpose": (
        {"outer": 1, "m": 1100, "n": 900, "inner": 1},
        {"outer": 8, "m": 300, "n": 12, "inner": 48},
    ),
    "group_norm": ({"batch": 16, "groups": 8, "channels": 64, "inner": 900},),
    "group_norm_backward": ({"batch": 16, "groups": 8, "channels": 64, "inner": 900},),
    "nt_xent": ({"rows": 1200},),
    "nt_xent_backward": ({"rows": 1200},),
    "causal_mask": ({"batch": 20, "rows": 220, "columns": 220},),
    "causal_mask_backward": ({"batch": 20, "rows": 220, "columns": 220},),
    "rotary": ({"batch": 3, "tokens": 350, "heads": 14, "head_dim": 80},),
}


def stream_shapes() -> Iterator[tuple[str, Mapping[str, int]]]:
    """Every (operation, sizes)."""
    lists: dict[tuple[str, ...], tuple[Mapping[str, int], ...]] = {
        _BY_ELEMENT: tuple({"n": n} for n in _ELEMENTS),
        _BY_ROW: _ROWS,
        _ALONG_AXES: _AXES,
        _INDEXED: _LOOK_UPS,
        ("max_pool2d", "max_pool2d_backward", "avg_pool2d", "avg_pool2d_backward"): _POOLS,
        **{(op,): shapes for op, shapes in _OTHERS.items()},
    }
    for ops, shapes in lists.items():
        yield from ((op, sizes) for op in ops for sizes in shapes)
