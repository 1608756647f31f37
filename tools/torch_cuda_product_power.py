"""Power of products of all sizes that steps have; used by measure_torch_cuda.py."""

import torch
from torch_cuda_image_power import Register, add_power
from torch_cuda_timing import rand, use

ROWS_OF = (64, 256, 1024, 4096)
WIDTHS = ((768, 768), (768, 3072), (3072, 768), (1600, 6400))


def product_power():
    with torch.cuda.stream(torch.cuda.Stream()):
        register = Register()
        for dtype in ("float32", "tf32", "float16"):
            for k, n in WIDTHS:
                for rows in ROWS_OF:
                    products(register, dtype, rows, k, n)


def products(register, dtype, rows, k, n):
    t = use(dtype)
    x, w, dy = rand(rows, k, dtype=t), rand(n, k, dtype=t) * 0.04, rand(rows, n, dtype=t)
    y, dw = torch.empty_like(dy), torch.empty_like(w)
    moved = x.element_size() * (rows * k + k * n + rows * n)
    name, flops = f"linear rows={rows} k={k} n={n}", 2 * rows * k * n
    for direction, call in (
        ("forward", lambda: torch.matmul(x, w.T, out=y)),
        ("weight", lambda: torch.matmul(dy.T, x, out=dw)),
    ):
        add_power(register, f"{name} {direction}", dtype, flops, moved, call)
