"""What bench_kernels.py measures: the op suite, the steps of three trainings op by op, and of these
what autocast runs in bfloat16."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from siliconprof import _core
from siliconprof.suite import suite

# What autocast runs in 16 bits and takes time.
IN_BFLOAT16 = ("linear", "matmul", "attention", "attention_qkv", "conv1d", "conv2d")
# What a training step, ours and PyTorch's, writes over what it was computed from.
UPDATES = ("adamw", "sgd", "clip", "unscale")

Arguments = Mapping[str, float]
Call = tuple[str, Arguments]


@dataclass(frozen=True)
class Kernel:
    """One row: an op at its sizes, forward or backward.

    group: "suite", the training that it is part of, or "bfloat16".
    op, arguments: sizes and attributes by name, of the forward call also where its backward calls
           are measured.
    """

    group: str
    label: str
    op: str
    arguments: Arguments
    backward: bool = False
    dtype: str = "float32"

    @property
    def name(self) -> str:
        """What `--only` searches."""
        return f"{self.group}: {self.label}"

    @property
    def missing(self) -> str | None:
        """Why this version can't run the row, or None."""
        return None if self.op in _core.op_names() else f"no op {self.op} in this version"

    def calls(self) -> tuple[Call, ...]:
        """Our calls: the op itself, or those of its vector-Jacobian rule.

        A training step keeps what the forward pass left: what the rule would compute again is left
        out, and so is the copy that makes a result of a gradient that is the cotangent itself.
        """
        if not self.backward:
            return ((self.op, self.arguments),)
        trace = trace_of(self.op, self.arguments, vjp=True, dtype=self.dtype)
        return tuple(
            (call.op, {**call.dims, **call.attributes})
            for call in trace.calls
            if call.op not in (self.op, "copy") or self.op == "matmul"
        )

    def traces(self) -> list[_core.Trace]:
        """Each of them."""
        return [trace_of(op, sizes, dtype=self.dtype) for op, sizes in self.calls()]


def trace_of(
    op: str, arguments: Arguments, vjp: bool = False, dtype: str = "float32"
) -> _core.Trace:
    """One call with its sizes and attributes by name."""
    dims = {name: int(arguments[name]) for name in _core.op_dims(op)}
    attributes = {k: float(v) for k, v in arguments.items() if k not in dims}
    trace = _core.single_op(op, dims, dtype, attributes, vjp)
    return _core.replicate(trace, 1, 1, True) if op in UPDATES else trace


def kernels() -> list[Kernel]:
    """Every row: the suite forward, the trainings forward and backward, in bfloat16 alike."""
    rows = [Kernel("suite", row.label, row.op, row.arguments) for row in suite()]
    for group, calls in TRAININGS.items():
        for op, arguments in calls:
            label = f"{op} {sizes_text(arguments)}"
            rows.append(Kernel(group, label, op, arguments))
            if op not in WITHOUT_BACKWARD:
                rows.append(Kernel(group, f"{label} backward", op, arguments, backward=True))
    halves = [row for row in rows if row.group in TRAININGS and row.op in IN_BFLOAT16]
    return rows + [replace(row, group="bfloat16", dtype="bfloat16") for row in halves]


def sizes_text(arguments: Arguments) -> str:
    """The sizes as one word: "256x768x2304", what isn't a size behind it."""
    known = {name for op in _core.op_names() for name in _core.op_attributes(op)}
    sizes = "x".join(str(value) for name, value in arguments.items() if name not in known)
    rest = [f"{name}={value:g}" for name, value in arguments.items() if name in known]
    return " ".join([sizes, *rest])


WITHOUT_BACKWARD = ("square_sum", "clip", "unscale", "adamw", "sgd", "add")


def linear(rows: int, n_in: int, out: int) -> Call:
    """x·weightᵀ + bias."""
    return "linear", {"rows": rows, "in": n_in, "out": out}


def attention(batch: int, heads: int, queries: int, keys: int, causal: int = 0) -> Call:
    """Heads of 64, as all three trainings have."""
    sizes = {"batch": batch, "heads": heads, "queries": queries, "keys": keys, "head_dim": 64}
    return "attention", {**sizes, "causal": causal}


def conv2d(side: int, channels: int, outputs: int, kernel: int = 3, stride: int = 1) -> Call:
    """A batch of 128 square images."""
    sizes = {"batch": 128, "height": side, "width": side, "channels": channels}
    sizes |= {"outputs": outputs, "kernel_h": kernel, "kernel_w": kernel}
    return "conv2d", {**sizes, "stride": stride, "padding": kernel // 2}


def conv1d(length: int, channels: int, stride: int) -> Call:
    """Whisper's front: kernel 3, 384 outputs."""
    sizes = {"batch": 4, "length": length, "channels": channels, "outputs": 384, "kernel": 3}
    return "conv1d", {**sizes, "stride": stride, "padding": 1}


def batch_norm(side: int, channels: int) -> Call:
    """Of 128 channels-last images."""
    return "batch_norm", {"outer": 128 * side * side, "channels": channels, "inner": 1}


TRAININGS: Mapping[str, tuple[Call, ...]] = {
    # 256 tokens in a step: 4 x 64 and 1 x 256 differ in attention alone.
    "gpt2-124m": (
        ("embedding", {"v": 50257, "n": 256, "c": 768}),
        ("layer_norm", {"rows": 256, "n": 768}),
        linear(256, 768, 2304),
        ("attention_qkv", {"batch": 4, "tokens": 64, "heads": 12, "head_dim": 64, "causal": 1}),
        ("attention_qkv", {"batch": 1, "tokens": 256, "heads": 12, "head_dim": 64, "causal": 1}),
        linear(256, 768, 768),
        ("add", {"n": 256 * 768}),
        linear(256, 768, 3072),
        ("gelu_tanh", {"n": 256 * 3072}),
        ("bias_gelu_tanh", {"rows": 256, "n": 3072}),
        linear(256, 3072, 768),
        ("dropout", {"n": 256 * 768}),
        ("matmul", {"batch": 1, "m": 256, "k": 768, "n": 50257, "transpose_b": 1}),
        ("cross_entropy", {"rows": 256, "v": 50257}),
        ("square_sum", {"n": 124439808}),
        ("clip", {"n": 124439808}),
        ("unscale", {"n": 124439808}),
        ("adamw", {"n": 124439808, "step": 3}),
    ),
    # 30 s of sound, 64 tokens, a batch of 4.
    "whisper-tiny": (
        ("log_mel", {"batch": 4, "samples": 480000, "mels": 80}),
        conv1d(3000, 80, 1),
        conv1d(3000, 384, 2),
        ("gelu_erf", {"n": 4 * 3000 * 384}),
        ("layer_norm", {"rows": 6000, "n": 384}),
        linear(6000, 384, 384),
        attention(4, 6, 1500, 1500),
        linear(6000, 384, 1536),
        ("bias_gelu_erf", {"rows": 6000, "n": 1536}),
        linear(6000, 1536, 384),
        attention(4, 6, 64, 64, causal=1),
        attention(4, 6, 64, 1500),
        ("cross_entropy", {"rows": 256, "v": 51865}),
        ("adamw", {"n": 37184640, "step": 3}),
    ),
    # The CIFAR form, and SimCLR's head.
    "resnet18": (
        conv2d(32, 3, 64),
        conv2d(32, 64, 64),
        conv2d(32, 64, 128, stride=2),
        conv2d(32, 64, 128, kernel=1, stride=2),
        conv2d(16, 128, 128),
        conv2d(8, 256, 256),
        conv2d(4, 512, 512),
        batch_norm(32, 64),
        batch_norm(16, 128),
        batch_norm(8, 256),
        batch_norm(4, 512),
        ("relu", {"n": 128 * 32 * 32 * 64}),
        ("add", {"n": 128 * 32 * 32 * 64}),
        (
            "max_pool2d",
            {
                "batch": 128, "height": 32, "width": 32, "channels": 64,
                "kernel": 3, "stride": 2, "padding": 1,
            },
        ),
        (
            "avg_pool2d",
            {"batch": 128, "height": 4, "width": 4, "channels": 512, "kernel": 4, "stride": 4},
        ),
        linear(128, 512, 10),
        ("cross_entropy", {"rows": 128, "v": 10}),
        ("normalise", {"rows": 256, "n": 128}),
        ("nt_xent", {"rows": 256}),
        ("sgd", {"n": 11173962}),
    ),
}  # fmt: skip
