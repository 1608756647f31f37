"""Figure 6: matrix-vector products over a sweep of shapes."""

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
    """shapes (m, n) of the matrix; budget_s for each measured point."""

    shapes: tuple[tuple[int, int], ...] = (
        (256, 256),
        (512, 512),
        (1024, 1024),
        (2048, 2048),
        (4096, 4096),
        (16384, 4096),
    )
    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16")
    targets: tuple[Target, ...] = targets()
    budget_s: float = 0.35
    roof_s: float = 0.2
    roof_bytes: int = 268435456


def run(params: Params, say: Say = silent) -> Table:
    """Time and traffic rate of y = A x, measured here and predicted for the paper's pairs."""
    points = [point(m, n, dtype) for m, n in params.shapes for dtype in params.dtypes]
    rule = Sampling.adaptive(budget_s=params.budget_s)
    rows = sweep_rows(points, params.targets, rule, say)
    say("roofs of this machine")
    drawn = ("float32", "float16")
    rows += roof_rows(params.targets, drawn, drawn, params.roof_s, params.roof_bytes)
    return table("figure6", rows, params)


def point(m: int, n: int, dtype: str) -> Point:
    """One matrix-vector product; its size is the number of the matrix's elements."""
    return Point(f"matvec {m}x{n} {dtype}", op("matvec", m=m, n=n, dtype=dtype), dtype, m * n)


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """A column for each pair, a row for each dtype; the roofline at the right."""
    from ..figures.pair_grid import draw_pair_grid

    names = {row.point["size"]: row.what.split()[1] for row in table.where(quantity="time")}
    places = {size: _short(names[size]) for size in sorted(names)}
    scale = (1e9, "GB/s of compulsory traffic")
    largest = [max(names)]
    draw_pair_grid(axes, table, "traffic rate", scale, places, "shape of the matrix", largest)


def _short(shape: str) -> str:
    m, n = shape.split("x")
    return f"{m}²" if m == n else f"{m}\n×{n}"


EXPERIMENT = Experiment(
    id="figure6",
    title="Matrix-vector products",
    paper_item="Figure 6",
    claim=(
        "A matrix-vector product reads each element once, so memory bandwidth bounds large shapes "
        "and launching bounds small ones: half precision gains alike on CUDA and on Apple's GPUs "
        "for large shapes and nothing for small ones; MLX comes close to CUDA and MPS to MLX. On "
        "the machine measured here shapes that fit in a cache rise above the DRAM roof."
    ),
    parameters=Params(),
    quick_parameters=Params(
        shapes=((256, 256), (1024, 1024), (2048, 2048)),
        budget_s=0.05,
        roof_s=0.05,
        roof_bytes=67108864,
    ),
    run=run,
    draw=draw,
    layout=PAIR_GRID,
)
