# ruff: noqa: B023
"""The operations that measure_torch_cuda.py times."""

import torch
import torch.nn.functional as F
from torch_cuda_timing import DTYPES, ROWS, add, both, rand, use


def products():
    widths = [
        (768, 2304),
        (768, 768),
        (768, 3072),
        (3072, 768),
        (1280, 5120),
        (1600, 4800),
        (1600, 1600),
        (6400, 1600),
        (768, 50257),
        (1600, 50257),
        (384, 384),
        (1024, 4096),
    ]
    for dtype in DTYPES:
        t = use(dtype)
        for k, n in widths:
            for m in (64, 256, 1024, 4096, 8192):
                a, b = rand(m, k, dtype=t), rand(n, k, dtype=t)
                add("linear", dict(rows=m, k=k, n=n), dtype, "forward", lambda: a @ b.T)
                dy = rand(m, n, dtype=t)
                add("linear", dict(rows=m, k=k, n=n), dtype, "data", lambda: dy @ b)
                add("linear", dict(rows=m, k=k, n=n), dtype, "weight", lambda: dy.T @ a)
        for s in (512, 1024, 2048, 4096, 8192):
            a, b = rand(s, s, dtype=t), rand(s, s, dtype=t)
            add("linear", dict(rows=s, k=s, n=s), dtype, "forward", lambda: a @ b)
        for bh, tq, d in ((48, 256, 64), (96, 512, 64), (12, 1024, 64), (6, 1500, 64)):
            a, b = rand(bh, tq, d, dtype=t), rand(bh, d, tq, dtype=t)
            s = rand(bh, tq, tq, dtype=t)
            add("bmm", dict(batch=bh, m=tq, k=d, n=tq), dtype, "forward", lambda: a @ b)
            add("bmm", dict(batch=bh, m=tq, k=tq, n=d), dtype, "forward", lambda: s @ a)


def attention():
    for dtype in DTYPES:
        t = use(dtype)
        for b, h, q, k, causal in (
            (1, 12, 256, 256, 1),
            (8, 12, 256, 256, 1),
            (8, 12, 512, 512, 1),
            (4, 12, 1024, 1024, 1),
            (8, 25, 512, 512, 1),
            (32, 12, 128, 128, 1),
            (8, 20, 64, 64, 1),
            (4, 6, 1500, 1500, 0),
            (4, 16, 1500, 1500, 0),
            (4, 16, 64, 1500, 0),
        ):
            both(
                "attention",
                dict(batch=b, heads=h, queries=q, keys=k, head_dim=64, causal=causal),
                dtype,
                lambda: (
                    [rand(b, h, n, 64, dtype=t) for n in (q, k, k)],
                    lambda q_, k_, v_: F.scaled_dot_product_attention(
                        q_, k_, v_, is_causal=bool(causal)
                    ),
                ),
            )


def elementwise():
    for dtype in ("float32", "float16"):
        t = use(dtype)
        for p in (10, 14, 16, 18, 20, 21, 22, 23, 24, 25, 26, 28):
            n = 2**p
            x, y, out = rand(n, dtype=t), rand(n, dtype=t), torch.empty(n, device="cuda", dtype=t)
            add("copy", dict(n=n), dtype, "forward", lambda: out.copy_(x))
            add("add", dict(n=n), dtype, "forward", lambda: torch.add(x, y, out=out))
            if p < 27:
                both(
                    "gelu_tanh",
                    dict(n=n),
                    dtype,
                    lambda: ([x], lambda v: F.gelu(v, approximate="tanh")),
                )
                both("relu", dict(n=n), dtype, lambda: ([x], F.relu))
                add(
                    "dropout",
                    dict(n=n),
                    dtype,
                    "forward",
                    lambda: torch.native_dropout(x, 0.1, True),
                )
            other = torch.float16 if dtype == "float32" else torch.float32
            cast = torch.empty(n, device="cuda", dtype=other)
            add("cast", dict(n=n), dtype, "forward", lambda: cast.copy_(x))


def rows():
    for dtype in ("float32", "float16"):
        t = use(dtype)
        layer_norms(dtype, t)
        softmaxes(dtype, t)
        column_sums(dtype, t)
    use("float32")
    cross_entropies()
    embeddings()


def layer_norms(dtype, t):
    for r, n in (
        (64, 768),
        (256, 768),
        (1024, 768),
        (4096, 768),
        (16384, 768),
        (2048, 1600),
        (8192, 1600),
        (6000, 384),
        (6000, 1024),
        (24000, 1024),
    ):
        w, b = rand(n, dtype=t), rand(n, dtype=t)
        both(
            "layer_norm",
            dict(rows=r, n=n),
            dtype,
            lambda: (
                [rand(r, n, dtype=t), w, b],
                lambda x, w_, b_: F.layer_norm(x, (n,), w_, b_),
            ),
        )


def softmaxes(dtype, t):
    for r, n in ((12 * 256, 256), (96 * 512, 512), (48 * 1024, 1024), (24 * 1500, 1500)):
        both(
            "softmax",
            dict(outer=r, size=n, inner=1),
            dtype,
            lambda: ([rand(r, n, dtype=t)], lambda x: F.softmax(x, -1)),
        )


def column_sums(dtype, t):
    for r, n in ((4096, 768), (4096, 3072), (8192, 1600)):
        x = rand(r, n, dtype=t)
        add("sum", dict(outer=1, size=r, inner=n), dtype, "forward", lambda: x.sum(0))


def cross_entropies():
    for r, v in ((256, 50257), (1024, 50257), (4096, 50257), (8192, 50257), (256, 51865)):
        target = torch.randint(0, v, (r,), device="cuda")
        both(
            "cross_entropy",
            dict(rows=r, v=v),
            "float32",
            lambda: ([rand(r, v, dtype=torch.float32)], lambda x: F.cross_entropy(x, target)),
        )


def embeddings():
    for v, n, c in ((50257, 256, 768), (50257, 4096, 768), (50257, 8192, 1600), (1024, 1024, 768)):
        index = torch.randint(0, v, (n,), device="cuda")
        both(
            "embedding",
            dict(v=v, n=n, c=c),
            "float32",
            lambda: ([rand(v, c, dtype=torch.float32)], lambda w: F.embedding(index, w)),
        )


def vision():
    for dtype in DTYPES:
        convolutions(dtype)
    for dtype in ("float32", "float16"):
        batch_norms(dtype)


def convolutions(dtype):
    for image in (
        (256, 3, 32, 64, 3, 1),
        (256, 64, 32, 64, 3, 1),
        (256, 64, 32, 128, 3, 2),
        (256, 128, 16, 128, 3, 1),
        (256, 128, 16, 256, 3, 2),
        (256, 256, 8, 256, 3, 1),
        (256, 256, 8, 512, 3, 2),
        (256, 512, 4, 512, 3, 1),
        (256, 64, 32, 128, 1, 2),
        (32, 3, 224, 64, 7, 2),
        (32, 64, 56, 64, 3, 1),
        (32, 512, 7, 512, 3, 1),
    ):
        convolve_images(dtype, *image)
    for layer in ((4, 80, 384, 1), (4, 384, 384, 2), (4, 1024, 1024, 2)):
        convolve_frames(dtype, *layer)


def convolve_images(dtype, batch, channels, side, outputs, kernel, stride):
    t, padding = use(dtype), kernel // 2
    shapes = (batch, channels, side, side), (outputs, channels, kernel, kernel)
    dims = dict(batch=batch, height=side, width=side, channels=channels, outputs=outputs)
    dims |= dict(kernel_h=kernel, kernel_w=kernel, stride=stride, padding=padding)

    def convolve(x, w):
        return F.conv2d(x, w, stride=stride, padding=padding)

    both("conv2d", dims, dtype, lambda: ([rand(*s, dtype=t) for s in shapes], convolve))


def convolve_frames(dtype, batch, channels, outputs, stride):
    t = use(dtype)
    shapes = (batch, channels, 3000), (outputs, channels, 3)
    dims = dict(batch=batch, length=3000, channels=channels, outputs=outputs)
    dims |= dict(kernel=3, stride=stride, padding=1)

    def convolve(x, w):
        return F.conv1d(x, w, stride=stride, padding=1)

    both("conv1d", dims, dtype, lambda: ([rand(*s, dtype=t) for s in shapes], convolve))


def batch_norms(dtype):
    for image in (
        (256, 64, 32),
        (256, 128, 16),
        (256, 256, 8),
        (256, 512, 4),
        (64, 64, 32),
        (512, 64, 32),
        (512, 128, 16),
        (512, 256, 8),
        (512, 512, 4),
        (64, 512, 4),
        (32, 64, 112),
        (32, 256, 56),
    ):
        batch_norm(dtype, *image)


def batch_norm(dtype, batch, channels, side):
    t = use(dtype)
    w, bias = torch.ones(channels, device="cuda"), torch.zeros(channels, device="cuda")
    mean, var = torch.zeros(channels, device="cuda"), torch.ones(channels, device="cuda")

    def norm(x, w_, b_):
        return F.batch_norm(x, mean, var, w_, b_, True)

    dims = dict(outer=batch, channels=channels, inner=side * side)
    inputs = [rand(batch, channels, side, side, dtype=t), w, bias]
    both("batch_norm", dims, dtype, lambda: (inputs, norm))


def optimizers():
    use("float32")
    for widths, layers in ((768, 12), (1600, 12), (384, 4)):
        shapes = [
            s
            for _ in range(layers)
            for s in (
                (widths,),
                (widths,),
                (3 * widths, widths),
                (3 * widths,),
                (widths, widths),
                (widths,),
                (widths,),
                (widths,),
                (4 * widths, widths),
                (4 * widths,),
                (widths, 4 * widths),
                (widths,),
            )
        ]
        parameters = [rand(*s, dtype=torch.float32).requires_grad_() for s in shapes]
        for p in parameters:
            p.grad = torch.randn_like(p)
        n = sum(p.numel() for p in parameters)
        for kind in ("foreach", "fused"):
            optimizer = torch.optim.AdamW(parameters, **{kind: True})
            add(
                "adamw_" + kind,
                dict(n=n, tensors=len(shapes)),
                "float32",
                "forward",
                optimizer.step,
            )
        sgd = torch.optim.SGD(parameters, lr=0.1, momentum=0.9, foreach=True)
        add("sgd_foreach", dict(n=n, tensors=len(shapes)), "float32", "forward", sgd.step)
        add(
            "clip",
            dict(n=n, tensors=len(shapes)),
            "float32",
            "forward",
            lambda: torch.nn.utils.clip_grad_norm_(parameters, 1.0),
        )


def workspaces():
    """Rows of bytes that a convolution takes for the time of its call, beside its operands."""
    for dtype in ("float32", "tf32", "float16"):
        t = use(dtype)
        for b in (2, 8, 16, 32, 64, 128, 256, 512, 1024, 2048):
            for c, s, o, k, stride in (
                (64, 32, 64, 3, 1),
                (64, 32, 128, 3, 2),
                (128, 16, 128, 3, 1),
                (256, 8, 256, 3, 1),
                (512, 4, 512, 3, 1),
                (64, 56, 64, 3, 1),
            ):
                x = rand(b, c, s, s, dtype=t).requires_grad_()
                w = rand(o, c, k, k, dtype=t).requires_grad_()
                dims = dict(batch=b, height=s, channels=c, outputs=o, kernel=k, stride=stride)
                y = dy = None
                for direction in ("forward", "data", "weight"):
                    for _ in range(2):
                        torch.cuda.synchronize()
                        torch.cuda.reset_peak_memory_stats()
                        before = torch.cuda.memory_allocated()
                        if direction == "forward":
                            y = None
                            y = F.conv2d(x, w, stride=stride, padding=k // 2)
                        else:
                            dy = torch.ones_like(y) if dy is None else dy
                            of = x if direction == "data" else w
                            before = torch.cuda.memory_allocated()
                            torch.cuda.reset_peak_memory_stats()
                            torch.autograd.grad(y, of, dy, retain_graph=True)
                    made = {"forward": y, "data": x, "weight": w}[direction]
                    extra = torch.cuda.max_memory_allocated() - before
                    if direction != "forward":
                        extra -= made.numel() * made.element_size()
                    add_bytes("workspace.conv2d", dims, dtype, direction, extra)


def add_bytes(op, dims, dtype, direction, count):
    if count <= 0:
        return  # a record has no zeros: no row, no workspace
    words = " ".join(f"{k}={v}" for k, v in dims.items())
    ROWS.append([op, words, dtype, direction, f"{count:d}", "0"])
