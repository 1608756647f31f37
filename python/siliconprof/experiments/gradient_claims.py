"""Claims of section 4.4 on vector-Jacobian products."""

from __future__ import annotations

from .claim import INFINITE, Claim, Evidence, claim, ratios
from .pairs import pairs
from .rates import half_gains, mlx_over_mps, rate_row, sweep_ends
from .table import Table

CLEARLY = 1.1  # a smaller lead is no clear one


def gradient_claims(table: Table) -> list[Claim]:
    """Section 4.4, vector-Jacobian product, at the largest size of the sweep."""
    _, large = sweep_ends(table)
    apple = half_gains(table, "mlx", large)
    apple += half_gains(table, "torch-mps", large)
    return [
        claim(
            "vjp-fp16-cuda",
            "In vector-Jacobian products half precision is about 5 to 6 times faster on CUDA.",
            half_gains(table, "torch-cuda", large),
            (5.0, 6.0),
            f"float16 / float32 rate within 5 to 6 at side {large} on each card",
        ),
        claim(
            "vjp-fp16-apple",
            "Under MLX and MPS half precision reaches about twice the float32 rate there.",
            apple,
            (1.7, 2.3),
            f"float16 / float32 rate within 1.7 to 2.3 at side {large}",
        ),
        claim(
            "vjp-fp32-mlx-over-cuda",
            "In float32 MLX outperforms CUDA in large vector-Jacobian products.",
            _mlx_over_cuda(table, "float32", large),
            (1.0, INFINITE),
            f"MLX / CUDA rate above 1 at side {large} in each pair",
        ),
        claim(
            "vjp-fp16-cuda-over-mlx",
            "In float16 CUDA outperforms MLX in large vector-Jacobian products.",
            _mlx_over_cuda(table, "float16", large),
            (0.0, 1.0),
            f"MLX / CUDA rate below 1 at side {large} in each pair",
        ),
        claim(
            "vjp-mps-below-mlx",
            "MPS is clearly slower than MLX in vector-Jacobian products.",
            mlx_over_mps(table, "float32", large),
            (CLEARLY, INFINITE),
            f"MLX / MPS rate at least {CLEARLY} at side {large} on each chip",
        ),
    ]


def _mlx_over_cuda(table: Table, dtype: str, side: int) -> list[Evidence]:
    """In each pair of devices."""
    return ratios(
        (
            f"{dtype}, side {side}: {pair.apple} mlx / {pair.nvidia}",
            rate_row(table, pair.apple, "mlx", dtype, side),
            rate_row(table, pair.nvidia, "torch-cuda", dtype, side),
        )
        for pair in pairs()
    )
