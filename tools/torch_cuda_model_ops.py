"""Kernels as models call them, where that is not as one calls them alone; used by
measure_torch_cuda.py.

A product with a bias goes to another library's entry, which chooses other kernels; heads of
attention lie as the split of one product leaves them; convolutions of few and of many images; norms
of a batch under autocast, which have kernels of their own in bfloat16.
"""

import torch
import torch.nn.functional as F
from torch_cuda_kernels import batch_norm, convolve_frames, convolve_images
from torch_cuda_timing import DTYPES, add, both, rand, use

WIDTHS = (
    (384, 384),
    (384, 1536),
    (1536, 384),
    (512, 2048),
    (768, 768),
    (768, 2304),
    (768, 3072),
    (3072, 768),
    (1024, 3072),
    (1024, 4096),
    (4096, 1024),
    (1280, 1280),
    (1280, 5120),
    (5120, 1280),
    (1600, 4800),
    (6400, 1600),
)
# Channels, side, outputs, kernel, stride of a ResNet-18's layers on small images.
IMAGES = (
    (64, 32, 64, 3, 1),
    (64, 32, 128, 3, 2),
    (128, 16, 128, 3, 1),
    (128, 16, 256, 3, 2),
    (256, 8, 256, 3, 1),
    (256, 8, 512, 3, 2),
    (512, 4, 512, 3, 1),
    (64, 32, 128, 1, 2),
)


def biased_products():
    for dtype in DTYPES:
        for k, n in WIDTHS:
            for rows in (128, 512, 1024, 1500, 4096, 12000):
                biased_product(dtype, rows, k, n)


def biased_product(dtype, rows, k, n):
    t = use(dtype)
    x, w, b = rand(rows, k, dtype=t), rand(n, k, dtype=t), rand(n, dtype=t)
    dims = dict(rows=rows, k=k, n=n)
    add("linear_bias", dims, dtype, "forward", lambda: F.linear(x, w, b))


def packed_attention():
    for dtype in DTYPES:
        for batch, heads, length in (
            (1, 12, 128),
            (8, 12, 384),
            (2, 20, 512),
            (4, 16, 1024),
            (32, 12, 1024),
            (2, 25, 1024),
            (16, 16, 512),
        ):
            attention_of_one_product(dtype, batch, heads, length)


def attention_of_one_product(dtype, batch, heads, length):
    t = use(dtype)

    def attend(x):
        parts = x.split(64 * heads, dim=2)
        q, k, v = (y.view(batch, length, heads, 64).transpose(1, 2) for y in parts)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    dims = dict(batch=batch, heads=heads, queries=length, keys=length, head_dim=64, causal=1)
    both("attention", dims, dtype, lambda: ([rand(batch, length, 192 * heads, dtype=t)], attend))


def image_batches():
    for dtype in DTYPES:
        for image in IMAGES:
            for batch in (16, 64, 128, 512, 1024):
                convolve_images(dtype, batch, *image)
        for batch in (1, 8, 16):
            for layer in ((80, 384, 1), (384, 384, 2), (768, 768, 2)):
                convolve_frames(dtype, batch, *layer)
        torch.cuda.empty_cache()


def autocast_batch_norms():
    for image in (
        (16, 64, 32),
        (64, 64, 32),
        (256, 64, 32),
        (768, 64, 32),
        (64, 128, 16),
        (256, 128, 16),
        (768, 128, 16),
        (64, 256, 8),
        (256, 256, 8),
        (768, 256, 8),
        (16, 512, 4),
        (256, 512, 4),
        (768, 512, 4),
        (32, 64, 112),
        (32, 256, 56),
    ):
        batch_norm("bfloat16", *image)
