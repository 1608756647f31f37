"""Kernels whose time goes by how data lie: operands that lie across each other, as a convolution's
result and what a transformer adds to it, and sums over the rows of matrices; used by
measure_torch_cuda.py.

Rows across.<op> batch tokens n: what the operation takes where its first operand has its tokens
side by side and the others, or what it makes, their channels.
"""

import time

import torch
import torch.nn.functional as F
from torch_cuda_timing import ROWS, add, both, rand, use

# Of an encoder behind convolutions: images of the sound, their places, channels.
SOUNDS = ((12, 1500, 768), (24, 1500, 512), (8, 1500, 1024), (4, 1500, 384), (16, 1500, 384))
SOUNDS += ((3, 1500, 768), (2, 1500, 1280), (1, 1500, 384))
LOGITS = ((512, 50257), (2048, 50257), (8192, 50257), (4096, 30522), (1024, 51865), (512, 30522))
LENGTHS = (128, 512, 1024, 2048, 4096, 8192, 12000, 18000, 36000)
WIDTHS = (384, 512, 768, 1024, 1280, 2304, 3072, 4096, 5120)


def across(batch, tokens, n, dtype):
    """(batch, tokens, n) whose tokens are neighbours in memory."""
    return rand(batch, n, tokens, dtype=dtype).transpose(1, 2)


def layouts():
    for batch, tokens, n in SOUNDS:
        dims = dict(batch=batch, tokens=tokens, n=n)
        norms(dims, batch, tokens, n)
        for dtype in ("float32", "bfloat16"):
            t = use(dtype)
            sums_of_two(dims, dtype, across(batch, tokens, n, torch.float32), t)
            bends(dims, dtype, across(batch, tokens, n, t))
            flat(batch * tokens * n, dtype, t)
    for dtype in ("float32", "float16", "bfloat16"):
        sums_of_rows(dtype, use(dtype))


def norms(dims, batch, tokens, n):
    use("float32")
    weight, bias = rand(n, dtype=torch.float32), rand(n, dtype=torch.float32)

    def call(x, w, b):
        return F.layer_norm(x, (n,), w, b)

    x = across(batch, tokens, n, torch.float32)
    both("across.layer_norm", dims, "float32", lambda: ([x, weight, bias], call))
    rows = dict(rows=batch * tokens, n=n)
    both("layer_norm", rows, "float32", lambda: ([x.contiguous(), weight, bias], call))


def sums_of_two(dims, dtype, x, t):
    """A residual's, of float32, with what a layer makes in `t`; with the places' sinusoids."""
    y = rand(*x.shape, dtype=t)
    add("across.add", dims, dtype, "forward", lambda: x + y)
    if t == torch.float32:
        table = y[0].contiguous()
        add("across.bias", dims, dtype, "forward", lambda: x + table)


def bends(dims, dtype, x):
    dy = rand(*x.shape, dtype=x.dtype)
    add("across.gelu_erf", dims, dtype, "backward", lambda: torch.ops.aten.gelu_backward(dy, x))


def flat(n, dtype, t):
    """The same where everything lies alike."""
    x, y = rand(n, dtype=torch.float32), rand(n, dtype=t)
    add("mixed.add", dict(n=n), dtype, "forward", lambda: x + y)


def sums_of_rows(dtype, t):
    for size in LENGTHS:
        for width in WIDTHS:
            x = rand(size, width, dtype=t)
            add(
                "sum", dict(outer=1, size=size, inner=width), dtype, "forward", lambda x=x: x.sum(0)
            )


def losses():
    """Of logits of 16 bits under autocast, which makes float32 of their logarithms: what the loss
    and its gradient take with the casts, beside the casts alone."""
    for dtype in ("float16", "bfloat16"):
        t = use(dtype)
        for rows, words in LOGITS:
            dims = dict(rows=rows, v=words)
            target = torch.randint(0, words, (rows,), device="cuda")

            def loss(x, target=target):
                with torch.autocast("cuda", dtype=x.dtype):
                    return F.cross_entropy(x, target)

            logits = rand(rows, words, dtype=t)
            both("narrow.cross_entropy", dims, dtype, lambda x=logits, f=loss: ([x], f))
            both("narrow.cast", dims, dtype, lambda x=logits: ([x], lambda x: x.float()))


# Rows and columns of sums whose power is asked.
POWERED = ((960, 768), (4096, 768), (4096, 3072), (8192, 1600), (18000, 768), (18000, 3072))
POWERED += ((36000, 5120),)


def rest():
    time.sleep(0.01)


def sum_power():
    """What the board draws while it sums rows, again and again without a gap."""
    from torch_cuda_board import GRAPHED, PowerMeter, graphed  # needs more than torch

    meter = PowerMeter()
    ROWS.append(["power.idle", "board=1", "float32", "watts", *meter.row("idle", rest, 2.0)[4:]])
    for dtype in ("float32", "bfloat16"):
        t = use(dtype)
        for size, width in POWERED:
            x = rand(size, width, dtype=t)
            name, facts, _, _, watts, seconds = meter.row(
                "sum", graphed(lambda x=x: x.sum(0)), 0.8, GRAPHED * x.numel() * x.element_size()
            )
            dims = f"outer=1 size={size} inner={width}"
            ROWS.append(
                [name, dims, dtype, "watts", watts, f"{float(seconds) / GRAPHED:.4e}", facts]
            )
