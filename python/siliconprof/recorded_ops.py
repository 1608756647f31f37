"""Rows of single operations, as tools/measure_torch_cuda.py records them, as calls of ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import records
from ._core import Model, Trace, op_names
from .workloads import op as one_op

Product = tuple[tuple[int, int, int, int], tuple[int, int, int], bool]

# An operation of the record and ours, by direction, where a row is one call.
_BOTH_WAYS = (
    "gelu_tanh",
    "relu",
    "layer_norm",
    "softmax",
    "cross_entropy",
    "embedding",
    "batch_norm",
    "attention",
    "rms_norm",
    "silu_gate",
    "max_pool2d",
)
OURS: Mapping[tuple[str, str], str] = {
    **{(op, "forward"): op for op in ("copy", "add", "dropout", "sum", "clip", *_BOTH_WAYS)},
    **{(op, "backward"): f"{op}_backward" for op in _BOTH_WAYS},
    ("channel_bias", "forward"): "bias",  # of a convolution, apart
    ("rotary", "forward"): "rotary",
    ("rotary", "backward"): "rotary",  # a turn back
    ("adamw_foreach", "forward"): "adamw",
    ("sgd_foreach", "forward"): "sgd",
}
# What a row has gone through before its call of ours: a norm, where gradients are clipped to it.
BEFORE: Mapping[str, tuple[str, ...]] = {"clip": ("square_sum",)}
# A convolution's calls by direction: its gradients together, or each of them.
CONVOLUTIONS: Mapping[str, tuple[str, ...]] = {
    "forward": ("",),
    "backward": ("_data_backward", "_weight_backward"),
    "data": ("_data_backward",),
    "weight": ("_weight_backward",),
}
KINDS: Mapping[str, str] = {
    "linear": "product",
    "linear_bias": "product",
    "bmm": "product",
    "attention": "attention",
    "conv1d": "convolution",
    "conv2d": "convolution",
}


@dataclass(frozen=True)
class OpRow:
    """One kernel time: `op` and `direction` of the record, the calls of ours that it stands for."""

    what: str
    device: str
    framework: str
    op: str
    direction: str
    dtype: str
    seconds: float
    calls: tuple[Trace, ...]

    @property
    def kind(self) -> str:
        """What its constants are of: product, attention, convolution, or one of our operations."""
        return KINDS.get(self.op) or OURS[self.op, "forward"]


def op_rows(record: str) -> Iterator[OpRow]:
    """The rows of a packaged record that operations of ours stand for, in its order."""
    for row in records.load(record).rows:
        op, *words = row.what.split()
        if row.value is None or row.unit != "s" or not words or row.framework is None:
            continue
        dims = dims_of(words)
        calls = tuple(calls_of(op, dims, words[-1], row.dtype or ""))
        if calls:
            place = (row.what, row.device, row.framework, op, words[-1], row.dtype or "")
            yield OpRow(*place, row.value, calls)


def dims_of(words: Iterable[str]) -> dict[str, int]:
    """ "rows=8", "k=4" and "forward" as dimensions: those that are numbers by name."""
    return {key: int(value) for key, value in (w.split("=") for w in words if "=" in w)}


def calls_of(op: str, dims: Mapping[str, int], direction: str, dtype: str) -> list[Trace]:
    """What the model predicts for a row; none where it has no such operation."""
    if op in ("linear", "bmm"):
        (batch, m, k, n), _, along = product_of(op, direction, dims)
        turned = {"transpose_b": True} if along and op == "linear" else {}
        turned |= {"transpose_a": True} if direction == "weight" else {}
        return [one_op("matmul", dtype=dtype, batch=batch, m=m, k=k, n=n, **turned)]
    if op == "linear_bias":
        given = {"rows": dims["rows"], "in": dims["k"], "out": dims["n"]}
        return [_call("linear", given, dtype)]
    if op in ("conv1d", "conv2d"):
        if dims["channels"] < 8:
            return []  # first layers, whose data have no gradient in training
        return [_call(op + way, dims, dtype) for way in CONVOLUTIONS[direction]]
    ours = OURS.get((op, direction))
    given = {key: value for key, value in dims.items() if key != "tensors"}
    if ours not in op_names():
        return []
    before = [_call(name, given, dtype) for name in BEFORE.get(op, ())]
    return [*before, _call(ours, given, dtype)]


def _call(name: str, dims: Mapping[str, Any], dtype: str) -> Trace:
    return one_op(name, dtype=dtype, **dims)


def product_of(op: str, direction: str, d: Mapping[str, int]) -> Product:
    """(batch, m, k, n), stored row lengths, and whether both factors lie along the depth."""
    if op == "bmm":
        return (d["batch"], d["m"], d["k"], d["n"]), (d["k"], d["n"], d["n"]), False
    rows, k, n = d["rows"], d["k"], d["n"]
    if direction == "forward":  # x (rows, k) · weight (n, k)ᵀ
        return (1, rows, k, n), (k, k, n), True
    if direction == "data":  # dy (rows, n) · weight (n, k)
        return (1, rows, n, k), (n, k, k), False
    return (1, n, rows, k), (n, k, k), False  # dyᵀ · x


def kernel_s(model: Model, calls: Sequence[Trace]) -> float:
    """Seconds of the calls on the device alone."""
    profiles = [model.predict(call) for call in calls]
    return sum(profile.time_s - (profile.terms or {})["launch"] for profile in profiles)
