"""Compute rates of a table, picked and divided as the claims need them."""

from __future__ import annotations

from .claim import Evidence, ratios
from .pairs import pairs
from .table import Row, Table

FRAMEWORKS = ("torch-cuda", "mlx", "torch-mps")


def mlx_over_mps(table: Table, dtype: str, size: int) -> list[Evidence]:
    """MLX over MPS at one size on every Apple chip."""
    return ratios(
        (
            f"{dtype}, size {size}: {pair.apple} mlx / torch-mps",
            rate_row(table, pair.apple, "mlx", dtype, size),
            rate_row(table, pair.apple, "torch-mps", dtype, size),
        )
        for pair in pairs()
    )


def half_gains(table: Table, framework: str, size: int | None) -> list[Evidence]:
    """float16 over float32 on each device under the framework, at the size or the only one."""
    devices = {row.device for row in table.where(framework=framework, quantity="compute rate")}
    return ratios(
        (
            f"{device} {framework}: float16 / float32",
            rate_row(table, device, framework, "float16", size),
            rate_row(table, device, framework, "float32", size),
        )
        for device in sorted(devices)
    )


def rate_row(
    table: Table, device: str, framework: str, dtype: str, size: int | None = None
) -> Row | None:
    """The compute rate at one place of the table, or None."""
    wanted: dict[str, str | int] = {"device": device, "framework": framework, "dtype": dtype}
    if size is not None:
        wanted["size"] = size
    rows = table.where(quantity="compute rate", **wanted)
    return rows[0] if rows else None


def sweep_ends(table: Table) -> tuple[int, int]:
    """The smallest and the largest size of the table's sweep."""
    sizes = sorted({row.point["size"] for row in table.where(quantity="compute rate")})
    return sizes[0], sizes[-1]
