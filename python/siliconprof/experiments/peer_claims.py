"""What the paper and the article say of one machine or framework beside another, at one place."""

from __future__ import annotations

from .claim import INFINITE, Claim, Evidence, claim, ratios, some
from .pairs import pairs
from .rates import rate_row, sweep_ends
from .simclr import EPOCH
from .steps import ENERGY, TIME
from .table import Row, Table

HALF = "float16"
DTYPES = ("float32", HALF)
# Of Table 1, among the cards that the scenario has.
NEAREST_PRICE = (("rtx-a6000", "m2-ultra"), ("rtx-4090", "m2-max"))


def half_peer_claims(table: Table) -> list[Claim]:
    """Section 4.4, matrix-matrix product."""
    return [
        claim(
            "gemm-fp16-mlx-below-cuda",
            "In half precision MLX underperforms CUDA under all conditions.",
            _mlx_over_cuda(table, HALF, sweep_ends(table)[1]),
            (0.0, 1.0),
            "MLX / CUDA rate below 1 in each pair",
        )
    ]


def vector_peer_claims(table: Table) -> list[Claim]:
    """Section 4.4, matrix-vector product."""
    sizes = sorted({row.point["size"] for row in table.where(quantity="compute rate")})
    found = [
        entry for size in sizes for dtype in DTYPES for entry in _mlx_over_cuda(table, dtype, size)
    ]
    return [
        Claim(
            "gemv-mlx-over-cuda-somewhere",
            "In some matrix-vector products MLX outperforms CUDA.",
            "MLX / CUDA rate above 1 at one place at least.",
            some(found, 1.0, INFINITE),
            tuple(found),
        )
    ]


def small_peer_claims(table: Table) -> list[Claim]:
    """Section 4.4, vector-Jacobian product."""
    small, _ = sweep_ends(table)
    return [
        claim(
            "vjp-small-alike",
            "In small vector-Jacobian products MLX and CUDA perform alike.",
            [entry for dtype in DTYPES for entry in _mlx_over_cuda(table, dtype, small)],
            (0.8, 1.25),
            f"MLX / CUDA rate within 0.8 to 1.25 at side {small} in each pair",
        )
    ]


def price_claims(table: Table) -> list[Claim]:
    """Section 5.1, in the scenario with memory enough."""
    entries = []
    for panel in ("a1", "a2", "a3"):
        found = table.where(panel=panel, quantity=TIME, precision="fp32")
        rows = {row.device: row for row in found}
        for nvidia, apple in NEAREST_PRICE:
            entries.append((f"{panel}: {apple} / {nvidia}", rows.get(apple), rows.get(nvidia)))
    return [
        claim(
            "apple-3-to-4-times-slower",
            "A Mac is about 3 to 4 times slower than an NVIDIA GPU of similar price.",
            ratios(entries),
            (3.0, 4.0),
            "step time on Apple / on the card of the nearest launch price within 3 to 4",
        )
    ]


def lead_claims(table: Table) -> list[Claim]:
    """Section 5.2, by Table 4."""
    entries = [
        (f"{mac}, {origin}: MPS / MLX", _row(table, origin, mac, "torch-mps"), over)
        for origin in ("recorded", "predicted")
        for mac in ("m2-ultra", "m2-max", "m2-pro")
        if (over := _row(table, origin, mac, "mlx"))
    ]
    return [
        claim(
            "mlx-lead-30-to-40-percent",
            "Kernels made for Apple silicon (MLX) are only 30 to 40 % faster than PyTorch's.",
            ratios(entries),
            (1.3, 1.4),
            "MPS / MLX of Table 4 within 1.3 to 1.4 on every Mac, recorded and predicted",
        )
    ]


def a6000_energy_claims(table: Table) -> list[Claim]:
    """Section 4.2."""
    rows = {(row.origin, row.device): row for row in table.where(quantity=ENERGY)}
    entries = [
        (f"{origin}: {mac} / A6000", rows.get((origin, mac)), rows.get((origin, "rtx-a6000")))
        for origin in ("recorded", "predicted")
        for mac in ("m2-ultra", "m2-max")
    ]
    return [
        claim(
            "apple-energy-below-a6000",
            "An iteration takes two Apple devices much less energy than the A6000.",
            ratios(entries),
            (0.0, 0.75),
            "Apple / A6000 at most 0.75",
        )
    ]


def a6000_epoch_claims(table: Table) -> list[Claim]:
    """The article's third ratio."""
    rows = {
        (row.origin, row.device, row.point.get("precision", "tf32")): row
        for row in table.where(quantity=EPOCH)
    }
    entries = [
        (
            f"{origin}: M1 Pro / A6000",
            rows.get((origin, "m1-pro", "tf32" if origin == "recorded" else "fp32")),
            rows.get((origin, "rtx-a6000", "tf32")),
        )
        for origin in ("recorded", "predicted")
    ]
    return [
        claim(
            "m1-pro-behind-a6000",
            "The M1 Pro's GPU trains SimCLR 13.77 times slower than an A6000.",
            ratios(entries),
            (10.3, 17.2),
            "M1 Pro / A6000 within a quarter of 13.77; the A6000's convolutions in TF32",
        )
    ]


def _row(table: Table, origin: str, device: str, framework: str) -> Row | None:
    rows = table.where(origin=origin, device=device, framework=framework, quantity=TIME)
    return rows[0] if rows else None


def _mlx_over_cuda(table: Table, dtype: str, size: int) -> list[Evidence]:
    """In each pair of devices."""
    return ratios(
        (
            f"{dtype}, size {size}: {pair.apple} mlx / {pair.nvidia}",
            rate_row(table, pair.apple, "mlx", dtype, size),
            rate_row(table, pair.nvidia, "torch-cuda", dtype, size),
        )
        for pair in pairs()
    )
