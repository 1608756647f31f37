# ruff: noqa: B023
"""Copies that lay attention's heads one after the other; used by measure_torch_cuda.py."""

from torch_cuda_timing import add, rand, use


def head_copies():
    for dtype in ("float32", "float16", "bfloat16"):
        t = use(dtype)
        for batch in (1, 4, 16):
            for tokens in (64, 128, 448, 1500):
                for heads in (6, 8, 12, 16):
                    x = rand(batch, tokens, heads, 64, dtype=t)
                    dims = dict(outer=batch, m=tokens, n=heads, inner=64)
                    call = lambda: x.transpose(1, 2).contiguous()  # noqa: E731
                    add("transpose", dims, dtype, "forward", call)
