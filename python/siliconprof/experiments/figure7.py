"""Figure 7: vector-Jacobian products of square matrix products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._core import Sampling
from ..workloads import op
from .experiment import Experiment
from .pairs import PAIR_GRID, Target, targets
from .points import Point, sweep_rows, table
from .roofs import roof_rows
from .table import Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Params:
    """sizes: sides of the square products; measured up to `largest_measured`, predicted for all."""

    sizes: tuple[int, ...] = (128, 256, 512, 1024, 2048, 4096)
    largest_measured: int = 2048
    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16")
    targets: tuple[Target, ...] = targets()
    budget_s: float = 1.0
    roof_s: float = 0.2
    roof_bytes: int = 268435456


def run(params: Params, say: Say = silent) -> Table:
    """Both gradients of C = A B: two products, measured here and predicted for the pairs."""
    points = [point(size, dtype) for size in params.sizes for dtype in params.dtypes]
    rule = sampling(params)
    rows = sweep_rows(points, params.targets, rule, say, params.largest_measured)
    say("roofs of this machine")
    drawn = ("float32", "float16")
    rows += roof_rows(params.targets, drawn, drawn, params.roof_s, params.roof_bytes)
    return table("figure7", rows, params)


def sampling(params: Params) -> Sampling:
    """At least as many samples as an interval from order statistics needs."""
    return Sampling.adaptive(budget_s=params.budget_s, warmups=1, min_samples=6)


def point(size: int, dtype: str) -> Point:
    """The vector-Jacobian product of one square product."""
    trace = op("matmul", m=size, k=size, n=size, dtype=dtype, vjp=True)
    return Point(f"matmul-vjp {size}x{size} {dtype}", trace, dtype, size)


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """A column for each pair, a row for each dtype; the roofline at the right."""
    from ..figures.pair_grid import draw_pair_grid

    sizes = sorted({row.point["size"] for row in table.where(quantity="compute rate")})
    places = {size: str(size) for size in sizes}
    scale = (1e12, "TFLOP/s")
    draw_pair_grid(axes, table, "compute rate", scale, places, "side of the square matrices")


EXPERIMENT = Experiment(
    id="figure7",
    title="Vector-Jacobian products",
    paper_item="Figure 7",
    claim=(
        "The backward pass of a product is two products. The paper finds half precision 5 to 6 "
        "times faster on CUDA and about twice as fast under MLX and MPS, MLX ahead of CUDA on "
        "large float32 shapes and behind it in half precision, and MPS clearly behind MLX."
    ),
    parameters=Params(),
    quick_parameters=Params(
        sizes=(128, 256, 512, 4096),
        largest_measured=512,
        budget_s=0.05,
        roof_s=0.05,
        roof_bytes=67108864,
    ),
    run=run,
    draw=draw,
    layout=PAIR_GRID,
)
