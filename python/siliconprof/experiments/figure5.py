"""Figure 5: batched matrix products, 8 of 2000x2000."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._core import Sampling
from ..workloads import op
from .experiment import Experiment, Layout
from .pairs import Target, targets
from .points import HERE, Point, measured_rows, predicted_rows, table
from .roofs import roof_rows
from .table import Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Params:
    """batch products of size x size; engines are pairs of (engine, dtype) to measure.

    The paper launches 10 + 100 times; on a CPU that is minutes, so the adaptive rule is the
    default here and `paper_rule` takes the paper's.
    """

    batch: int = 8
    size: int = 2000
    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16")
    engines: tuple[tuple[str, str], ...] = (
        ("openblas", "float32"),
        ("openblas", "float16"),
        ("openblas", "bfloat16"),
        ("eigen", "float32"),
    )
    targets: tuple[Target, ...] = targets()
    budget_s: float = 2.0
    roof_s: float = 0.2
    roof_bytes: int = 268435456
    paper_rule: bool = False


def run(params: Params, say: Say = silent) -> Table:
    """Measured here, predicted for the paper's pairs; the paper publishes no numbers."""
    rows = []
    for dtype in params.dtypes:
        rows += predicted_rows(point(params, dtype), params.targets)
    for engine, dtype in params.engines:
        where = point(params, dtype)
        say(f"{where.what} with {engine}")
        rows += measured_rows(where, engine, sampling(params))
    say("roofs of this machine")
    drawn = ("float32", "float16")
    rows += roof_rows(params.targets, params.dtypes, drawn, params.roof_s, params.roof_bytes)
    return table("figure5", rows, params)


def point(params: Params, dtype: str) -> Point:
    """The batched product in one dtype."""
    size = params.size
    trace = op("matmul", batch=params.batch, m=size, k=size, n=size, dtype=dtype)
    return Point(f"matmul {params.batch}x{size}x{size} {dtype}", trace, dtype, size)


def sampling(params: Params) -> Sampling:
    """The paper's rule, or the adaptive one within the budget."""
    if params.paper_rule:
        return Sampling.paper()
    return Sampling.adaptive(budget_s=params.budget_s, warmups=1, min_samples=6)


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Left: rate by device and framework, a rung for each. Right: the same on the rooflines."""
    from ..figures.ladder import draw_ladder
    from ..figures.roofline import draw_roofline
    from ..figures.style import heading

    rates = table.where(quantity="compute rate")
    order = [
        *[row for row in rates if row.device != HERE],
        *table.where(quantity="compute rate", device=HERE),
    ]
    draw_ladder(axes["rates"], order, 1e12, "TFLOP/s")
    heading(axes["rates"], "Batched matrix product")
    draw_roofline(axes["roof"], table, ("float32", "float16"))


EXPERIMENT = Experiment(
    id="figure5",
    title="Batched matrix products",
    paper_item="Figure 5",
    claim=(
        "Half precision speeds batched products up a great deal on CUDA, by 20 to 30 % under MLX "
        "and hardly at all under MPS; in float32 Apple's GPUs are slightly weaker than their CUDA "
        "partners. The paper prints bars without numbers, so nothing is recorded here: its words "
        "are among the claims below, judged by the predicted rates."
    ),
    parameters=Params(),
    quick_parameters=Params(size=512, budget_s=0.3, roof_s=0.05, roof_bytes=67108864),
    run=run,
    draw=draw,
    layout=Layout((("rates", "roof"),), 10.4, 4.8, (1.15, 1.0)),
)
