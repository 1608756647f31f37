"""Claims of section 4.4 on matrix-vector products."""

from __future__ import annotations

from .claim import Claim, Evidence, claim, quotient, ratio, ratios
from .pairs import pairs
from .rates import FRAMEWORKS, half_gains, rate_row, sweep_ends
from .table import Table


def vector_claims(table: Table) -> list[Claim]:
    """Section 4.4, matrix-vector product."""
    small, large = sweep_ends(table)
    return [
        claim(
            "gemv-fp16-small",
            "For small matrix-vector products half precision is about as fast as float32.",
            [gain for f in FRAMEWORKS for gain in half_gains(table, f, small)],
            (0.9, 1.1),
            f"float16 / float32 rate within 0.9 to 1.1 at {small} elements",
        ),
        claim(
            "gemv-fp16-large",
            "For large ones the gain is alike on CUDA and on Apple's GPUs.",
            _gain_ratios(table, large),
            (0.8, 1.25),
            f"gain of the Apple device / gain of its CUDA partner within 0.8 to 1.25 at {large} "
            "elements",
        ),
        claim(
            "gemv-mps-like-mlx",
            "MPS performs like MLX in matrix-vector products.",
            ratios(
                (
                    f"float32, {large} elements: {pair.apple} torch-mps / mlx",
                    rate_row(table, pair.apple, "torch-mps", "float32", large),
                    rate_row(table, pair.apple, "mlx", "float32", large),
                )
                for pair in pairs()
            ),
            (0.8, 1.25),
            f"MPS / MLX rate within 0.8 to 1.25 at {large} elements",
        ),
    ]


def _gain_ratios(table: Table, size: int) -> list[Evidence]:
    """The Apple device's half-precision gain over its CUDA partner's."""

    def gain(device: str, framework: str) -> Evidence | None:
        half = rate_row(table, device, framework, "float16", size)
        single = rate_row(table, device, framework, "float32", size)
        return ratio("", half, single) if half and single else None

    found = []
    for pair in pairs():
        for framework in ("mlx", "torch-mps"):
            over, under = gain(pair.apple, framework), gain(pair.nvidia, "torch-cuda")
            if over and under:
                what = f"gain of {pair.apple} {framework} / gain of {pair.nvidia}"
                found.append(quotient(what, over, under))
    return found
