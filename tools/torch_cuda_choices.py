# ruff: noqa: B023
"""Single operations over sizes at which libraries choose other kernels; used by
measure_torch_cuda.py.

Convolutions of many channels on small images; attention that few or many blocks share, or whose
queries are few; norms of a batch whose images are small; products whose rows lie unaligned.
"""

import torch
import torch.nn.functional as F
from torch_cuda_kernels import batch_norm, convolve_images
from torch_cuda_timing import add, both, rand, use

# Channels, side, outputs, stride of layers on small images, and at which batches.
SMALL_IMAGES = (
    ((512, 4, 512, 1), (8, 32, 96, 160, 192, 224, 384, 768)),
    ((512, 2, 512, 1), (128, 512, 1024)),
    ((512, 8, 512, 1), (32, 64, 128, 256)),
    ((512, 14, 512, 1), (16, 64)),
    ((1024, 4, 1024, 1), (64, 256, 512)),
    ((384, 4, 384, 1), (128, 256, 512)),
    ((256, 4, 256, 1), (128, 256, 512, 1024)),
    ((256, 8, 256, 1), (32, 192, 384, 768, 1536)),
    ((128, 4, 128, 1), (256, 1024)),
    ((128, 8, 128, 1), (256, 1024)),
    ((128, 16, 128, 1), (32, 384, 768)),
    ((64, 32, 64, 1), (8, 32, 48, 80, 96, 192, 768)),
    ((64, 16, 64, 1), (64, 256, 1024)),
    ((256, 8, 512, 2), (32, 192, 384, 768)),
    ((512, 8, 1024, 2), (128, 256)),
    ((128, 16, 256, 2), (32, 384)),
    ((64, 32, 128, 2), (32, 384)),
)
# Batch, channels, side, outputs, kernel, stride of layers on large images: VGG-16's, ResNet-50's.
LARGE_IMAGES = (
    *((32, c, side, o, 3, 1) for c, side, o in ((64, 224, 64), (64, 112, 128), (128, 112, 128))),
    *((32, c, side, o, 3, 1) for c, side, o in ((128, 56, 256), (256, 56, 256), (256, 28, 512))),
    *((32, c, side, o, 3, 1) for c, side, o in ((512, 28, 512), (512, 14, 512))),
    *((128, c, 56, o, 1, 1) for c, o in ((64, 64), (64, 256), (256, 64), (256, 128))),
    *((128, c, 28, o, 1, 1) for c, o in ((128, 512), (512, 128), (512, 256))),
    *((128, c, 14, o, 1, 1) for c, o in ((256, 1024), (1024, 256), (1024, 512))),
    *((128, c, 7, o, 1, 1) for c, o in ((512, 2048), (2048, 512))),
    *((128, c, side, 2 * c, 1, 2) for c, side in ((256, 56), (512, 28), (1024, 14))),
    *((128, c, side, c, 3, 2) for c, side in ((128, 56), (256, 28), (512, 14))),
    *((128, c, side, c, 3, 1) for c, side in ((64, 56), (128, 28), (256, 14), (512, 7))),
)
ATTENTION = (  # batch, heads, queries, keys, causal
    *(
        (b, h, 1500, 1500, 0)
        for b, h in ((1, 6), (1, 8), (1, 16), (2, 8), (8, 8), (16, 6), (32, 8))
    ),
    *((b, h, 64, 1500, 0) for b, h in ((1, 8), (2, 12), (8, 8), (16, 6), (32, 8))),
    *((4, 12, q, 1500, 0) for q in (32, 128, 256)),
    *((b, h, 1024, 1024, 1) for b, h in ((1, 12), (1, 25), (2, 12), (8, 12), (8, 25), (16, 12))),
    *((b, h, 512, 512, 1) for b, h in ((1, 16), (4, 12), (4, 25), (24, 16))),
    *((b, h, 256, 256, 1) for b, h in ((2, 12), (4, 20), (32, 16), (64, 12))),
    *((b, h, 64, 64, 1) for b, h in ((1, 12), (4, 8), (64, 12))),
)


def few_windows():
    for dtype in ("float32", "tf32"):
        for (channels, side, outputs, stride), batches in SMALL_IMAGES:
            for batch in batches:
                convolve_images(dtype, batch, channels, side, outputs, 3, stride)
        torch.cuda.empty_cache()


def large_images():
    for dtype in ("float32", "tf32", "float16"):
        for batch, channels, side, outputs, kernel, stride in LARGE_IMAGES:
            gradients(batch, channels, side, outputs, stride, kernel, dtype)
            torch.cuda.empty_cache()


# Channels and side of images of ResNets and of VGGs, between their convolutions.
NORMED = ((64, 112), (64, 56), (256, 56), (128, 28), (512, 28), (256, 14), (1024, 14), (2048, 7))
POOLED = ((64, 112, 3), (64, 224, 2), (128, 112, 2), (256, 56, 2), (512, 28, 2), (512, 14, 2))


def between_convolutions():
    for dtype in ("float32", "float16", "bfloat16"):
        for batch in (32, 64, 128, 256):
            for channels, side in NORMED:
                batch_norm(dtype, batch, channels, side)
        for batch in (16, 32, 64):
            for channels, side, kernel in POOLED:
                max_pool(dtype, batch, channels, side, kernel)
            torch.cuda.empty_cache()
        for rows, channels in {(b * side**2, c): 0 for b in (16, 32, 64) for c, side, _ in POOLED}:
            channel_bias(dtype, rows, channels)


def max_pool(dtype, batch, channels, side, kernel):
    x = rand(batch, channels, side, side, dtype=use(dtype))
    dims = dict(batch=batch, height=side, width=side, channels=channels, kernel=kernel)
    dims |= dict(stride=2, padding=kernel // 2 if kernel > 2 else 0)

    def pool(x):
        return F.max_pool2d(x, kernel, 2, dims["padding"])

    both("max_pool2d", dims, dtype, lambda: ([x], pool))


def channel_bias(dtype, rows, channels):
    """A convolution's, that cuDNN leaves apart: one for each channel, and its gradient."""
    t = use(dtype)
    x, bias = rand(16, channels, rows // 16, 1, dtype=t), rand(1, channels, 1, 1, dtype=t)
    dims = dict(rows=rows, n=channels)
    add("channel_bias", dims, dtype, "forward", lambda: x.add_(bias))
    add("channel_bias", dims, dtype, "backward", lambda: x.sum((0, 2, 3)))


# Channels and side of layers as wide as their results, at which batches.
PLAIN_IMAGES = (
    *((32, 32), (64, 32), (128, 32), (64, 16), (128, 16), (256, 16), (64, 8), (128, 8), (256, 8)),
    *((512, 8), (256, 4), (512, 4), (128, 14), (256, 14), (512, 7)),
)
BATCHES = (16, 32, 64, 128, 256, 512, 768, 1024)


def single_gradients():
    for batch in BATCHES:
        for channels, side in PLAIN_IMAGES:
            gradients(batch, channels, side, channels, 1)
        for channels, side in ((64, 32), (128, 16), (256, 8)):
            gradients(batch, channels, side, 2 * channels, 2)
        torch.cuda.empty_cache()
    for batch in (16, 64, 128):
        gradients(batch, 64, 56, 64, 1)


def gradients(batch, channels, side, outputs, stride, kernel=3, dtype="float32"):
    """A convolution, the gradient of its data, and that of its weights."""
    t, padding = use(dtype), kernel // 2
    x = rand(batch, channels, side, side, dtype=t)
    w = rand(outputs, channels, kernel, kernel, dtype=t)
    dy = torch.ones_like(F.conv2d(x, w, stride=stride, padding=padding))
    dims = dict(batch=batch, height=side, width=side, channels=channels, outputs=outputs)
    dims |= dict(kernel_h=kernel, kernel_w=kernel, stride=stride, padding=padding)

    def backward(*wanted):
        places = ([stride] * 2, [padding] * 2, [1, 1], False, [0, 0], 1)
        return torch.ops.aten.convolution_backward(dy, x, w, None, *places, [*wanted, False])

    add("conv2d", dims, dtype, "forward", lambda: F.conv2d(x, w, stride=stride, padding=padding))
    add("conv2d", dims, dtype, "data", lambda: backward(True, False))
    add("conv2d", dims, dtype, "weight", lambda: backward(False, True))


def attention_grids():
    for dtype in ("float32", "float16"):
        for shape in ATTENTION:
            attend(dtype, *shape)


def attend(dtype, batch, heads, queries, keys, causal):
    t = use(dtype)

    def make():
        inputs = [rand(batch, heads, n, 64, dtype=t) for n in (queries, keys, keys)]
        call = F.scaled_dot_product_attention
        return inputs, lambda q, k, v: call(q, k, v, is_causal=bool(causal))

    dims = dict(batch=batch, heads=heads, queries=queries, keys=keys, head_dim=64, causal=causal)
    both("attention", dims, dtype, make)


def small_batch_norms():
    for dtype in ("bfloat16", "float16", "float32"):
        for channels, side in ((512, 4), (512, 2), (256, 8), (128, 16), (64, 32), (64, 4)):
            for batch in (32, 128, 384, 1024):
                batch_norm(dtype, batch, channels, side)


def unaligned_products():
    for dtype in ("tf32", "float16", "bfloat16"):
        t = use(dtype)
        for rows, k, n in (
            (512, 1024, 50257),
            (2048, 1280, 50257),
            (4096, 512, 51865),
            (256, 384, 51865),
            (2048, 768, 3077),
            (8192, 768, 769),
            # Rows of whole pairs and of whole fours.
            (4096, 1024, 30522),
            (512, 768, 30522),
            (8192, 768, 50258),
            (2048, 512, 51866),
            (4096, 768, 30524),
            (2048, 1024, 50260),
        ):
            a, b, dy = rand(rows, k, dtype=t), rand(n, k, dtype=t), rand(rows, n, dtype=t)
            dims = dict(rows=rows, k=k, n=n)
            add("linear", dims, dtype, "forward", lambda: a @ b.T)
            add("linear", dims, dtype, "data", lambda: dy @ b)
            add("linear", dims, dtype, "weight", lambda: dy.T @ a)
