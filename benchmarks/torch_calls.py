"""The fastest ways that PyTorch has to run a row of the benchmark, as calls without arguments.

Outputs are reused where the API takes them (`out=`, in place); elsewhere PyTorch's allocator gets
back what it freed, as bench_kernels.py keeps freed memory in the process. What a program prepares
once is prepared here before: integer types of indices, layouts of weights and images.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace

import numpy
import torch
from torch.nn import functional
from torch_peers import PEERS

Call = Callable[[], object]
Ways = list[tuple[str, Call]]
nn = torch._C._nn

# A result of gigabytes that is made anew finds no room where the last one was (malloc wants some
# bytes more for its alignment), and a few calls of it fill the machine.
LARGE_BYTES = 1 << 30


def forward_ways(
    op: str, d: SimpleNamespace, arrays: list[numpy.ndarray], result_bytes: int
) -> Ways:
    """Every way to the outputs from these inputs (in our layout)."""
    torch.set_grad_enabled(False)
    inputs = [tensor_of(array) for array in arrays]
    ways: Ways = WAYS[op](d, *inputs) if op in WAYS else []
    if op in PEERS and op not in IN_PLACE and not (ways and result_bytes > LARGE_BYTES):
        ways.append(("plain", lambda: PEERS[op](d, *inputs)))
    return ways


def backward_way(op: str, d: SimpleNamespace, arrays: list[numpy.ndarray]) -> Ways:
    """The gradients of all inputs by autograd, from a graph that is kept."""
    torch.set_grad_enabled(True)
    inputs = [tensor_of(array) for array in arrays]
    followed = [x.requires_grad_() for x in inputs if x.is_floating_point()]
    output = (functional.dropout(inputs[0], d.rate) if op == "dropout" else
              PEERS[op](d, *inputs)[0])  # fmt: skip
    cotangent = torch.ones_like(output)
    return [
        ("autograd", lambda: torch.autograd.grad(output, followed, cotangent, retain_graph=True))
    ]


def tensor_of(array: numpy.ndarray) -> torch.Tensor:
    """On the array's memory; numpy, which has no bfloat16, holds its bits."""
    if array.dtype == numpy.uint16:
        return torch.from_numpy(array.view(numpy.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _flat(x: torch.Tensor) -> torch.Tensor:
    """Without an inner axis of length 1: PyTorch is faster along the last axis."""
    return x[..., 0] if x.dim() == 3 and x.shape[2] == 1 else x


def _into(function: Callable[..., object], like: torch.Tensor, *inputs: object) -> Call:
    out = torch.empty_like(like)
    return lambda: function(*inputs, out=out)


def _argmax(d: SimpleNamespace, x: torch.Tensor) -> Ways:
    flat = _flat(x)
    out = torch.empty_like(flat.argmax(1))
    return [("out", lambda: torch.argmax(flat, 1, out=out))]


def _sort(d: SimpleNamespace, x: torch.Tensor) -> Ways:
    flat = _flat(x)
    out = (torch.empty_like(flat), torch.empty(flat.shape, dtype=torch.int64))
    return [
        (f"out stable={stable}", lambda s=stable: torch.sort(flat, stable=s, dim=1, out=out))
        for stable in (True, False)
    ]


def _sum(d: SimpleNamespace, x: torch.Tensor) -> Ways:
    flat = _flat(x)
    if d.outer == d.inner == 1:
        return [("all", lambda: flat.sum())]
    out = torch.empty_like(flat.sum(1))
    return [("out", lambda: torch.sum(flat, 1, out=out))]


def _softmax(d: SimpleNamespace, x: torch.Tensor) -> Ways:
    flat = _flat(x)
    return [("out", _into(lambda v, out: torch.softmax(v, 1, out=out), flat, flat))]


def _concat(d: SimpleNamespace, a: torch.Tensor, b: torch.Tensor) -> Ways:
    out = torch.empty(d.outer, d.first + d.second, d.inner)
    return [("out", lambda: torch.cat((a, b), 1, out=out))]


def _convolution(d: SimpleNamespace, x: torch.Tensor, w: torch.Tensor) -> Ways:
    stride, padding = int(getattr(d, "stride", 1)), int(getattr(d, "padding", 0))
    if x.dim() == 3:  # as an image of one row, in channels-last memory
        image, kernel = x.movedim(-1, 1)[:, :, None], w.movedim(-1, 1)[:, :, None]
        dense = (x.movedim(-1, 1).contiguous(), w.movedim(-1, 1).contiguous())
        strides, paddings = (1, stride), (0, padding)
        return [
            ("conv2d", lambda: functional.conv2d(image, kernel, None, strides, paddings)),
            ("ncl", lambda: functional.conv1d(*dense, None, stride, padding)),
        ]
    dense = (x.movedim(-1, 1).contiguous(), w.movedim(-1, 1).contiguous())
    return [("nchw", lambda: functional.conv2d(*dense, None, stride, padding))]


def _gather(d: SimpleNamespace, x: torch.Tensor, index: torch.Tensor) -> Ways:
    out, long = torch.empty(d.count, d.columns), index.long()
    return [
        ("out, int32", lambda: torch.index_select(x, 0, index, out=out)),
        ("out, int64", lambda: torch.index_select(x, 0, long, out=out)),
        ("embedding", lambda: functional.embedding(long, x)),
    ]


def _scatter(d: SimpleNamespace, x: torch.Tensor, index: torch.Tensor, new: torch.Tensor) -> Ways:
    out, long = torch.empty_like(x), index.long()
    return [
        ("index_copy", lambda: torch.index_copy(x, 0, long, new, out=out)),
        ("index_put", lambda: out.copy_(x).index_put_((long,), new)),
    ]


def _scatter_sum(d: SimpleNamespace, new: torch.Tensor, index: torch.Tensor) -> Ways:
    out, long = torch.empty(d.rows, d.columns), index.long()
    wide = long[:, None].expand(-1, d.columns)
    return [
        ("index_add", lambda: out.zero_().index_add_(0, long, new)),
        ("scatter_add", lambda: out.zero_().scatter_add_(0, wide, new)),
    ]


def _scatter_max(d: SimpleNamespace, new: torch.Tensor, index: torch.Tensor) -> Ways:
    out = torch.empty(d.rows, d.columns)
    long = index.long()
    wide = long[:, None].expand(-1, d.columns)

    def by_element() -> torch.Tensor:
        return out.zero_().scatter_reduce_(0, wide, new, "amax", include_self=False)

    def by_row() -> torch.Tensor:
        return out.zero_().index_reduce_(0, long, new, "amax", include_self=False)

    return [("scatter_reduce", by_element), ("index_reduce", by_row)]


def _linear(d: SimpleNamespace, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> Ways:
    out = torch.empty(x.shape[0], w.shape[0], dtype=x.dtype)
    turned = w.t().contiguous()
    return [
        ("addmm", lambda: torch.addmm(b, x, w.t(), out=out)),
        ("addmm, turned weight", lambda: torch.addmm(b, x, turned, out=out)),
    ]


def _matmul(d: SimpleNamespace, a: torch.Tensor, b: torch.Tensor) -> Ways:
    left = a.mT if getattr(d, "transpose_a", 0) else a
    right = b.mT if getattr(d, "transpose_b", 0) else b
    out = torch.empty(left.shape[0], left.shape[1], right.shape[2], dtype=left.dtype)
    if left.shape[0] == 1:
        return [("mm", lambda: torch.mm(left[0], right[0], out=out[0]))]
    return [("bmm", lambda: torch.bmm(left, right, out=out))]


def _optimizer(
    make: Callable[..., torch.optim.Optimizer], p: torch.Tensor, g: torch.Tensor
) -> Ways:
    ways: Ways = []
    for kind in ("fused", "foreach"):
        parameter = p.clone()
        parameter.grad = g.clone()
        try:
            optimizer = make([parameter], **{kind: True})
            optimizer.step()  # makes its state
        except (RuntimeError, TypeError):
            continue  # a PyTorch that lacks it on this device
        ways.append((kind, optimizer.step))
    return ways


def _adamw(d: SimpleNamespace, p: torch.Tensor, g: torch.Tensor, *_: torch.Tensor) -> Ways:
    return _optimizer(torch.optim.AdamW, p, g)


def _sgd(d: SimpleNamespace, p: torch.Tensor, g: torch.Tensor, *_: torch.Tensor) -> Ways:
    return _optimizer(lambda *a, **k: torch.optim.SGD(*a, lr=0.1, momentum=0.9, **k), p, g)


def _unscale(d: SimpleNamespace, g: torch.Tensor, *_: torch.Tensor) -> Ways:
    gradient, found, inverse = g.clone(), torch.zeros(1), torch.ones(1)
    check = torch._amp_foreach_non_finite_check_and_unscale_
    return [("amp", lambda: check([gradient], found, inverse))]


def _clip(d: SimpleNamespace, g: torch.Tensor, total: torch.Tensor) -> Ways:
    gradient, factor = g.clone(), torch.ones(1)
    return [("mul_", lambda: gradient.mul_(factor))]


WAYS: Mapping[str, Callable[..., Ways]] = {
    "argmax": _argmax,
    "sort": _sort,
    "sum": _sum,
    "softmax": _softmax,
    "concat": _concat,
    "conv1d": _convolution,
    "conv2d": _convolution,
    "gather": _gather,
    "embedding": lambda d, x, i: _gather(SimpleNamespace(count=d.n, columns=d.c), x, i),
    "scatter": _scatter,
    "scatter_sum": _scatter_sum,
    "scatter_max": _scatter_max,
    "linear": _linear,
    "matmul": _matmul,
    "relu": lambda d, x: [("clamp_min", _into(torch.clamp_min, x, x, 0.0))],
    "leaky_relu": lambda d, x: [("out", _into(nn.leaky_relu, x, x, 0.01))],
    "selu": lambda d, x: [
        ("elu out", _into(nn.elu, x, x, 1.6732632423543772, 1.0507009873554805, 1.0))
    ],
    "sigmoid": lambda d, x: [("out", _into(torch.sigmoid, x, x))],
    "softplus": lambda d, x: [("out", _into(nn.softplus, x, x))],
    "gelu_erf": lambda d, x: [("out", _into(nn.gelu, x, x))],
    "add": lambda d, a, b: [("out", _into(torch.add, a, a, b))],
    "dropout": lambda d, x: [("dropout", lambda: functional.dropout(x, d.rate))],
    "square_sum": lambda d, x, total: [
        ("dot", lambda: torch.dot(x, x)),
        ("vector_norm", lambda: torch.linalg.vector_norm(x)),
    ],
    "adamw": _adamw,
    "sgd": _sgd,
    "unscale": _unscale,
    "clip": _clip,
}

# Whose peers copy first, so that they can be compared: no measure of their time.
IN_PLACE = ("adamw", "sgd", "unscale", "clip", "square_sum")
