"""Claims of section 4.4 on matrix-matrix products."""

from __future__ import annotations

from .claim import INFINITE, Claim, claim, most, ratios
from .pairs import pairs
from .rates import FRAMEWORKS, half_gains, mlx_over_mps, rate_row, sweep_ends
from .table import Table


def product_claims(table: Table) -> list[Claim]:
    """Section 4.4, matrix-matrix product."""
    gains = {f: half_gains(table, f, None) for f in FRAMEWORKS}
    weaker = ratios(
        (
            f"float32: {pair.apple} {framework} / {pair.nvidia}",
            rate_row(table, pair.apple, framework, "float32"),
            rate_row(table, pair.nvidia, "torch-cuda", "float32"),
        )
        for pair in pairs()
        for framework in ("mlx", "torch-mps")
    )
    half_lead = mlx_over_mps(table, "float16", sweep_ends(table)[1])
    return [
        claim(
            "gemm-fp16-cuda",
            "In batched products half precision gains a great deal on CUDA (Tensor Cores).",
            gains["torch-cuda"],
            (2.0, INFINITE),
            "float16 / float32 rate above 2 on each card",
        ),
        claim(
            "gemm-fp16-mlx",
            "MLX gains only about 20 to 30 % from half precision in batched products.",
            gains["mlx"],
            (1.2, 1.3),
            "float16 / float32 rate within 1.2 to 1.3 on each chip",
        ),
        claim(
            "gemm-fp16-mps",
            "MPS gains hardly anything from half precision in batched products.",
            gains["torch-mps"],
            (0.9, 1.15),
            "float16 / float32 rate within 0.9 to 1.15 on each chip",
        ),
        claim(
            "gemm-fp32-comparable",
            "In float32 MLX and MPS are slightly weaker than CUDA but largely comparable.",
            weaker,
            (0.5, 1.0),
            "Apple / CUDA rate within 0.5 to 1 in each pair",
        ),
        Claim(
            "gemm-fp16-mlx-over-mps",
            "In half precision MLX is faster than MPS in most cases.",
            "MLX / MPS rate above 1 on most chips.",
            most(half_lead, 1.0, INFINITE),
            tuple(half_lead),
        ),
    ]
