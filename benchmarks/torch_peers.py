"""PyTorch's version of our operations: what they are compared with in value, gradient and time.

A peer takes the call's sizes and attributes (by name, as `d`) and its inputs as torch tensors in
our layout, and returns the outputs in ours, the differentiated one first. Layouts are changed by
views alone, so a peer's time is that of PyTorch's own kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace

import torch
from torch.nn import functional

Outputs = tuple[torch.Tensor, ...]
Peer = Callable[..., Outputs]


def channels_first(x: torch.Tensor) -> torch.Tensor:
    """(b, ..., c) as (b, c, ...): a view in channels-last memory."""
    return x.movedim(-1, 1)


def channels_last(x: torch.Tensor) -> torch.Tensor:
    """The way back."""
    return x.movedim(1, -1)


def matmul(d: SimpleNamespace, a: torch.Tensor, b: torch.Tensor) -> Outputs:
    return (torch.matmul(a.mT if d.transpose_a else a, b.mT if d.transpose_b else b),)


def linear(d: SimpleNamespace, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> Outputs:
    return (functional.linear(x, w, b),)


def convolution(d: SimpleNamespace, x: torch.Tensor, weight: torch.Tensor) -> Outputs:
    conv = functional.conv1d if x.dim() == 3 else functional.conv2d
    stride, padding = int(d.stride), int(d.padding)
    y = conv(channels_first(x), channels_first(weight), stride=stride, padding=padding)
    return (channels_last(y),)


def max_pool2d(d: SimpleNamespace, x: torch.Tensor) -> Outputs:
    y, position = functional.max_pool2d(
        channels_first(x), d.kernel, int(d.stride), int(d.padding), return_indices=True
    )
    return channels_last(y), channels_last(position)


def avg_pool2d(d: SimpleNamespace, x: torch.Tensor) -> Outputs:
    y = functional.avg_pool2d(channels_first(x), d.kernel, int(d.stride), int(d.padding))
    return (channels_last(y),)


def attention(d: SimpleNamespace, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> Outputs:
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    queries, keys = q.shape[2], k.shape[2]
    if d.causal and queries != keys:  # PyTorch's own flag aligns the first key, not the last
        mask = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
        y = _scaled_dot_product_attention(q, k, v, attn_mask=mask)
    else:
        y = _scaled_dot_product_attention(q, k, v, is_causal=bool(d.causal))
    return (y.transpose(1, 2),)


def _defined_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    is_causal: bool = False,
) -> torch.Tensor:
    """What scaled_dot_product_attention is defined as, for PyTorch before 2.0."""
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return scores.softmax(-1) @ v


_scaled_dot_product_attention = getattr(
    functional, "scaled_dot_product_attention", _defined_attention
)


def attention_qkv(d: SimpleNamespace, qkv: torch.Tensor) -> Outputs:
    return attention(d, *qkv.unbind(2))


def log_mel(d: SimpleNamespace, audio: torch.Tensor, filters: torch.Tensor) -> Outputs:
    """As Whisper's audio.py, per item of the batch."""
    window = torch.hann_window(int(d.fft), dtype=audio.dtype)
    stft = torch.stft(audio, int(d.fft), int(d.hop), window=window, return_complex=True)
    mel = filters @ stft[..., :-1].abs() ** 2
    logs = torch.clamp(mel, min=1e-10).log10()
    logs = torch.maximum(logs, logs.amax((1, 2), keepdim=True) - 8.0)
    return ((logs + 4.0) / 4.0,)


def layer_norm(d: SimpleNamespace, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> Outputs:
    y, mean, rstd = torch.native_layer_norm(x, (d.n,), w, b, d.epsilon)
    return y, mean.flatten(), rstd.flatten()


def rms_norm(d: SimpleNamespace, x: torch.Tensor, w: torch.Tensor) -> Outputs:
    if not hasattr(functional, "rms_norm"):  # PyTorch before 2.4
        return (x * torch.rsqrt((x * x).mean(-1, keepdim=True) + d.epsilon) * w,)
    return (functional.rms_norm(x, (d.n,), w, d.epsilon),)


def group_norm(d: SimpleNamespace, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> Outputs:
    flat = x.reshape(d.batch, d.groups * d.channels, d.inner)
    y = functional.group_norm(flat, d.groups, w.flatten(), b.flatten(), d.epsilon)
    return (y.reshape(x.shape),)


def batch_norm(d: SimpleNamespace, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> Outputs:
    # Channels-last data (inner = 1) as one tall image in that memory format, strides and all: by
    # other strides PyTorch 2 is slower, or gets the gradient wrong.
    flat = channels_first(x.reshape(1, d.outer, 1, d.channels)) if d.inner == 1 else x
    y = functional.batch_norm(flat, None, None, w, b, training=True, eps=d.epsilon)
    return (channels_last(y).reshape(x.shape) if d.inner == 1 else y,)


def normalise(d: SimpleNamespace, x: torch.Tensor) -> Outputs:
    return functional.normalize(x, dim=1, eps=d.epsilon), torch.linalg.vector_norm(x, dim=1)


def cross_entropy(d: SimpleNamespace, logits: torch.Tensor, target: torch.Tensor) -> Outputs:
    return (functional.cross_entropy(logits, target.long()).reshape(1),)


def nt_xent(d: SimpleNamespace, similarity: torch.Tensor) -> Outputs:
    scaled = (similarity / d.temperature).clone()
    scaled.fill_diagonal_(-math.inf)
    positive = (torch.arange(d.rows) + d.rows // 2) % d.rows
    return (functional.cross_entropy(scaled, positive).reshape(1),)


def causal_mask(d: SimpleNamespace, x: torch.Tensor) -> Outputs:
    kept = torch.ones(d.rows, d.columns, dtype=torch.bool).tril(d.columns - d.rows)
    return (x.masked_fill(~kept, -math.inf),)


def scatter(d: SimpleNamespace, x: torch.Tensor, index: torch.Tensor, new: torch.Tensor) -> Outputs:
    return (torch.index_copy(x, 0, index.long(), new),)


def scatter_sum(d: SimpleNamespace, updates: torch.Tensor, index: torch.Tensor) -> Outputs:
    return (torch.index_add(updates.new_zeros(d.rows, d.columns), 0, index.long(), updates),)


def scatter_max(d: SimpleNamespace, updates: torch.Tensor, index: torch.Tensor) -> Outputs:
    wide = index.long()[:, None].expand(-1, d.columns)
    zeros = updates.new_zeros(d.rows, d.columns)
    return (zeros.scatter_reduce(0, wide, updates, "amax", include_self=False),)


def sort(d: SimpleNamespace, x: torch.Tensor) -> Outputs:
    return torch.sort(x, dim=1, descending=bool(d.descending), stable=True)


def outer(d: SimpleNamespace, x: torch.Tensor, y: torch.Tensor) -> Outputs:
    return (torch.outer(x, y),)


def adamw(d: SimpleNamespace, p: torch.Tensor, g: torch.Tensor, *moments: torch.Tensor) -> Outputs:
    """PyTorch's own optimizer, in the middle of its life."""
    parameter, (m, v) = p.clone(), (moment.clone() for moment in moments)
    parameter.grad = g
    optimizer = torch.optim.AdamW(
        [parameter], d.learning_rate, (d.beta1, d.beta2), d.epsilon, d.weight_decay
    )
    step = torch.tensor(float(d.step) - 1.0)
    optimizer.state[parameter] = {"step": step, "exp_avg": m, "exp_avg_sq": v}
    optimizer.step()
    return parameter, m, v


def sgd(d: SimpleNamespace, p: torch.Tensor, g: torch.Tensor, velocity: torch.Tensor) -> Outputs:
    parameter, buffer = p.clone(), velocity.clone()
    parameter.grad = g
    optimizer = torch.optim.SGD(
        [parameter],
        d.learning_rate,
        d.momentum,
        weight_decay=d.weight_decay,
        nesterov=bool(d.nesterov),
    )
    optimizer.state[parameter] = {"momentum_buffer": buffer}
    optimizer.step()
    return parameter, optimizer.state[parameter]["momentum_buffer"]


def rotary(d: SimpleNamespace, x: torch.Tensor) -> Outputs:
    channel = torch.arange(d.head_dim // 2, dtype=torch.float64)
    turns = torch.arange(d.tokens, dtype=torch.float64)[:, None, None]
    angle = turns * d.base ** (-2.0 * channel / d.head_dim) * (-1.0 if d.inverse else 1.0)
    cosine, sine = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x.chunk(2, -1)
    return (torch.cat((a * cosine - b * sine, b * cosine + a * sine), -1),)


def clip(d: SimpleNamespace, gradient: torch.Tensor, total: torch.Tensor) -> Outputs:
    """As torch.nn.utils.clip_grad_norm_, the norm given."""
    return (gradient * torch.clamp(d.max_norm / (total.sqrt() + 1e-6), max=1.0),)


def unscale(d: SimpleNamespace, g: torch.Tensor, *state: torch.Tensor) -> Outputs:
    scale, found = state
    gradient, flag = g.clone(), found.clone().float()
    inverse = scale.double().reciprocal().float()
    torch._amp_foreach_non_finite_check_and_unscale_([gradient], flag, inverse)
    return gradient, flag


def update_scale(d: SimpleNamespace, *inputs: torch.Tensor) -> Outputs:
    scale, tracker, found = (x.clone().float() for x in inputs)
    count = tracker.int()
    torch._amp_update_scale_(
        scale, count, found, d.growth_factor, d.backoff_factor, int(d.growth_interval)
    )
    return scale, count


def _biased(activation: Callable[[torch.Tensor], torch.Tensor]) -> Peer:
    return lambda d, x, b: (activation(x + b),)


def _each(function: Callable[..., torch.Tensor]) -> Peer:
    return lambda d, *inputs: (function(*inputs),)


def _cast(dtype: torch.dtype) -> Peer:
    return lambda d, x: (x.to(dtype),)


def gelu_tanh(x: torch.Tensor) -> torch.Tensor:
    return functional.gelu(x, approximate="tanh")


PEERS: dict[str, Peer] = {
    "matmul": matmul,
    "matvec": lambda d, a, x: (torch.mv(a.mT if d.transpose else a, x),),
    "outer": outer,
    "copy": _each(torch.clone),
    "add": _each(torch.add),
    "scale": lambda d, x: (x * d.alpha,),
    "triad": lambda d, x, y: (torch.add(x, y, alpha=d.alpha),),
    "sum": lambda d, x: (x.sum(1),),
    "broadcast": lambda d, x: (x[:, None, :].repeat(1, d.size, 1),),
    "softmax": lambda d, x: (torch.softmax(x, 1),),
    "relu": _each(torch.relu),
    "leaky_relu": lambda d, x: (functional.leaky_relu(x, d.slope),),
    "selu": _each(torch.selu),
    "sigmoid": _each(torch.sigmoid),
    "softplus": lambda d, x: (functional.softplus(x, d.beta, d.threshold),),
    "gelu_erf": _each(functional.gelu),
    "gelu_tanh": _each(gelu_tanh),
    "silu": _each(functional.silu),
    "silu_gate": _each(lambda gate, up: functional.silu(gate) * up),
    "rotary": rotary,
    "prelu": _each(functional.prelu),
    "bce": lambda d, p, t: (functional.binary_cross_entropy(p, t).reshape(1),),
    "argmax": lambda d, x: (x.argmax(1),),
    "gather": lambda d, x, index: (x.index_select(0, index),),
    "scatter": scatter,
    "scatter_sum": scatter_sum,
    "scatter_max": scatter_max,
    "embedding": lambda d, table, index: (functional.embedding(index, table),),
    "embedding_backward_add": lambda d, total, index, dy: (total.index_add(0, index, dy),),
    "sort": sort,
    "concat": lambda d, a, b: (torch.cat((a, b), 1),),
    "slice": lambda d, x: (x.narrow(1, int(d.begin), d.length).contiguous(),),
    "transpose": lambda d, x: (x.transpose(1, 2).contiguous(),),
    "cast_float64": _cast(torch.float64),
    "cast_float32": _cast(torch.float32),
    "cast_float16": _cast(torch.float16),
    "cast_bfloat16": _cast(torch.bfloat16),
    "fill": lambda d: (torch.full((d.n,), d.value),),
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "group_norm": group_norm,
    "batch_norm": batch_norm,
    "normalise": normalise,
    "cross_entropy": cross_entropy,
    "nt_xent": nt_xent,
    "bias": _each(torch.add),
    "bias_gelu_tanh": _biased(gelu_tanh),
    "bias_gelu_erf": _biased(functional.gelu),
    "bias_relu": _biased(torch.relu),
    "causal_mask": causal_mask,
    "linear": linear,
    "conv1d": convolution,
    "conv2d": convolution,
    "max_pool2d": max_pool2d,
    "avg_pool2d": avg_pool2d,
    "attention": attention,
    "attention_qkv": attention_qkv,
    "log_mel": log_mel,
    "adamw": adamw,
    "sgd": sgd,
    "square_sum": lambda d, x, total: (total + x.square().sum().to(total.dtype),),
    "clip": clip,
    "unscale": unscale,
    "update_scale": update_scale,
}

# Operations that PyTorch has no counterpart of, or none that could give the same numbers.
WITHOUT_PEER: dict[str, str] = {
    "dropout": "its generator is ours: which elements it keeps is another choice than PyTorch's",
}
if not hasattr(torch.amp, "GradScaler"):
    for op in ("unscale", "update_scale"):
        del PEERS[op]
        WITHOUT_PEER[op] = "PyTorch before 2.3 has no loss scaling on a CPU"
