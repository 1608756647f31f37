"""Where the gap between the paper's machines comes from, in its memory scenarios."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .. import records
from .._core import Causes, Device, Framework, Model, Number, Trace
from ..explain import Ways, explain_steps
from ..lowerings import own_lowering
from ..predict import model
from ..workloads import workload
from .experiment import Experiment, Layout
from .pairs import Target
from .points import table
from .scenarios import GPT2_TOKENS
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Make = Callable[[str, str | None, bool | str], Trace]
_Ends = tuple[float | None, float | None]
GAP, TERM, TIME, RESIDUAL = "gap", "term", "time", "residual"
BLAS_SHARE, SYSTEM_SHARE = "share of BLAS kernels", "share of system issues"
# What the paper calls BLAS kernels and system issues; the rest is neither.
BLAS = ("matrix kernels", "dtype support")
SYSTEM = ("launch and dispatch", "paging and capacity", "transfers", "clock and power")
_TABLE4 = "transformer-lm-gpt2-large"
# A 90 % interval's half-width in standard deviations of a normal distribution.
_NINETY = 1.645


@dataclass(frozen=True)
class Case:
    """One workload on an NVIDIA card and on an Apple machine, as the paper ran it."""

    scenario: str
    workload: str
    sizes: Mapping[str, int]
    nvidia: Target
    apple: Target
    ways: Ways = field(default_factory=Ways)
    recorded: str = ""  # Table 4's words for it

    @property
    def title(self) -> str:
        """One line for tables and figures."""
        offload = ", offload on CUDA" if self.ways.offloads[0] else ""
        format = self.ways.precisions[0]
        amp = f", {format} on CUDA" if format else ""
        sizes = " ".join(f"{name}={size}" for name, size in self.sizes.items())
        machines = f"{self.nvidia.device} to {self.apple.device} {self.apple.framework}"
        return f"{self.workload} {sizes}: {machines}{amp}{offload}"


def cases() -> tuple[Case, ...]:
    """Tables 3 and 4. Offloading and AMP are the NVIDIA side's alone, as in the paper."""
    a6000, rtx4090, rtx2080ti, rtx4000 = (
        Target(card, "torch-cuda")
        for card in ("rtx-a6000", "rtx-4090", "rtx-2080-ti", "quadro-rtx-4000")
    )
    ultra, ultra_mlx = Target("m2-ultra", "torch-mps"), Target("m2-ultra", "mlx")
    whisper, text = {"batch": 4}, {"batch": 16, "seq": GPT2_TOKENS}
    amp, offload = Ways(("amp-fp16", None)), Ways(offloads=(True, False))
    table4, eight = "gpt2-large step, batch 8", {"batch": 8}
    return (
        Case("1", "whisper-medium", whisper, rtx4090, ultra),
        Case("1", "whisper-medium", whisper, a6000, ultra),
        Case("1", "whisper-medium", whisper, a6000, Target("m2-max", "torch-mps")),
        Case("1", "gpt2-large", text, a6000, ultra),
        Case("1", "gpt2-large", text, a6000, ultra, amp),
        Case("1", _TABLE4, eight, a6000, ultra_mlx, recorded=table4),
        Case("1", _TABLE4, eight, a6000, ultra, recorded=table4),
        Case("2", "whisper-medium", whisper, rtx4000, ultra, offload),
        Case("2", "whisper-medium", whisper, rtx2080ti, ultra, offload),
        Case("2", "gpt2-xl", text, rtx4090, ultra, offload),
    )


@dataclass(frozen=True)
class Params:
    """draws: how often every number of a target is drawn from its error for the intervals."""

    cases: tuple[Case, ...] = field(default_factory=cases)
    draws: int = 40
    seed: int = 1


def run(params: Params, say: Say = silent) -> Table:
    """Predicted times, the terms of their gap with intervals, and what Table 4 has beyond it."""
    rows: list[Row] = []
    for index, case in enumerate(params.cases):
        say(case.title)
        rows += _rows(index, case, params)
    return table("gap", rows, params)


def _rows(index: int, case: Case, params: Params) -> list[Row]:
    recorded = _recorded(case)
    sides = [model(side.device, side.framework) for side in (case.nvidia, case.apple)]
    make = _steps(case)

    def explained(models: Sequence[Model]) -> Causes:
        before, after = ((side.device, side.framework) for side in models)
        return explain_steps(make, before, after, recorded, case.ways)

    causes = explained(sides)
    generator = random.Random(params.seed)
    drawn = [explained([_drawn(side, generator) for side in sides]) for _ in range(params.draws)]
    times = [_interval_of(side, make, case.ways, place) for place, side in enumerate(sides)]
    wider = _wider(causes.gap_s, [c.gap_s for c in drawn], causes, times)

    maker = _Maker(index, case, wider)
    row = maker.row
    rows = [
        maker.time("time on CUDA", causes.from_s, sides[0], times[0], side="nvidia"),
        maker.time("time on Apple", causes.to_s, sides[1], times[1], side="apple"),
        row("gap", causes.gap_s, GAP, [c.gap_s for c in drawn]),
    ]
    for place, term in enumerate(causes.terms):
        spread = [c.terms[place].seconds for c in drawn]
        rows.append(row(term.name, term.seconds, TERM, spread, term=term.name))
    for quantity, terms in ((BLAS_SHARE, BLAS), (SYSTEM_SHARE, SYSTEM)):
        spread = [_share(c, terms) for c in drawn]
        rows.append(row(quantity, _share(causes, terms), quantity, spread))
    if causes.residual_s is not None:
        spread = [c.residual_s or 0.0 for c in drawn]
        rows.append(row("recorded gap less predicted", causes.residual_s, RESIDUAL, spread))
    return rows


@dataclass(frozen=True)
class _Maker:
    """Makes the rows of a case, whose intervals of draws are to be so much wider."""

    index: int
    case: Case
    wider: tuple[float, float]

    def row(
        self, what: str, value: float, quantity: str, spread: Sequence[float], **more: Any
    ) -> Row:
        case = self.case
        unit = "1" if quantity in (BLAS_SHARE, SYSTEM_SHARE) else "s"
        low, high = _interval(value, spread, self.wider)
        if unit == "1" and low is not None and high is not None:
            low, high = max(low, 0.0), min(high, 1.0)
        origin = "recorded" if quantity == RESIDUAL else "predicted"
        source = "Table 4 less the prediction" if quantity == RESIDUAL else _SOURCE
        point = {"case": self.index, "title": case.title, "quantity": quantity, **more}
        label = f"{case.title}: {what}"
        return Row(
            origin, case.apple.device, case.apple.framework, label, value, unit, low, high, source,
            {**point, "scenario": case.scenario},
        )  # fmt: skip

    def time(self, what: str, seconds: float, own: Model, ends: _Ends, **more: Any) -> Row:
        """As its side's own: its device, its framework, and the prediction's own interval."""
        return replace(
            self.row(what, seconds, TIME, (), **more),
            device=own.device.id,
            framework=own.framework.id,
            lo=ends[0],
            hi=ends[1],
            source="a prediction of one step, its interval",
        )


def _interval_of(side: Model, make: _Make, ways: Ways, place: int) -> _Ends:
    """Of the side's own step."""
    step = make(own_lowering(side.framework.id), ways.precisions[place], ways.offloads[place])
    return side.predict(step).interval or (None, None)


def _wider(
    gap_s: float, drawn_s: Sequence[float], causes: Causes, times: Sequence[_Ends]
) -> tuple[float, float]:
    """How much further the gap's interval reaches below and above it by those of its two
    predictions than by the draws.

    Numbers that are drawn one by one average their errors away; a prediction's interval comes from
    the errors of whole steps. The two sides err apart from each other.
    """
    low, high = _interval(gap_s, drawn_s)
    (nvidia_lo, nvidia_hi), (apple_lo, apple_hi) = times
    if low is None or high is None or nvidia_lo is None or apple_lo is None:
        return 1.0, 1.0
    assert nvidia_hi is not None and apple_hi is not None
    below = math.hypot(causes.to_s - apple_lo, nvidia_hi - causes.from_s)
    above = math.hypot(apple_hi - causes.to_s, causes.from_s - nvidia_lo)
    reaches = ((below, gap_s - low), (above, high - gap_s))
    first, second = (max(1.0, wanted / own) if own > 0.0 else 1.0 for wanted, own in reaches)
    return first, second


_SOURCE = (
    "Shapley split of two predictions; interval: every number drawn from its error, at least as "
    "wide as the two predictions' own intervals make the gap's"
)


def _share(causes: Causes, terms: Sequence[str]) -> float:
    """The terms' part of all that changes, whichever way it goes: no term cancels another."""
    moved = {term.name: abs(term.seconds) for term in causes.terms}
    return sum(moved[name] for name in terms) / (sum(moved.values()) or 1.0)


def _steps(case: Case) -> _Make:
    """The case's step as a side runs it, built once for all draws."""

    @functools.cache
    def make(framework: str, precision: str | None, offload: bool | str) -> Trace:
        given: dict[str, Any] = {**case.sizes, "framework": framework, "offload": offload}
        if precision is not None:
            given["precision"] = precision
        return workload(case.workload, **given)

    return make


def _recorded(case: Case) -> tuple[float | None, float | None]:
    if not case.recorded:
        return None, None
    found = {
        (row.device, row.framework): row.value
        for row in records.load("table4").rows
        if row.what == case.recorded
    }
    return (
        found[case.nvidia.device, case.nvidia.framework],
        found[case.apple.device, case.apple.framework],
    )


def _drawn(side: Model, generator: random.Random) -> Model:
    """The model with each number drawn from its error: nine of ten are within a factor of
    1 + relative_error either way (docs/device-files.md)."""

    def drawn(number: Number) -> Number:
        factor = (1.0 + number.relative_error) ** (generator.gauss(0.0, 1.0) / _NINETY)
        return Number(number.value * factor, number.kind, number.source, number.relative_error)

    device, framework = side.device, side.framework
    numbers = {key: drawn(number) for key, number in sorted(device.numbers.items())}
    costs = {key: drawn(number) for key, number in sorted(framework.numbers.items())}
    return Model(
        Device(device.id, device.name, device.vendor, device.family, numbers),
        Framework(framework.id, framework.name, framework.vendors, costs),
    )


def _interval(
    value: float, spread: Sequence[float], wider: tuple[float, float] = (1.0, 1.0)
) -> _Ends:
    """The middle 90 % of the draws, so much further below and above the value; none of too few
    draws."""
    if len(spread) < 10:
        return None, None
    ordered = sorted(spread)
    cut = len(ordered) // 20
    low, high = min(ordered[cut], value), max(ordered[-1 - cut], value)
    return value - wider[0] * (value - low), value + wider[1] * (high - value)


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Each gap as a bar of its terms, over the time on CUDA."""
    from ..figures.gap_bars import draw_gaps
    from ..figures.style import heading

    draw_gaps(axes["gaps"], table.rows)
    heading(axes["gaps"], "What the gap is made of", "line: the gap's interval")


EXPERIMENT = Experiment(
    id="gap",
    title="Why one machine is slower than another",
    paper_item="",
    claim=(
        "The paper concludes that the performance of BLAS kernels is the primary factor of the gap "
        "between NVIDIA and Apple, and system issues (page faults, power, kernel launches) the "
        "secondary one. Shown is the predicted gap for the paper's machines and workloads, split "
        "exactly by Shapley values into what the model is made of: each term is what changes when "
        "those constants of the one machine are replaced by the other's, averaged over all orders. "
        "Fusion is what each framework makes of the model (attention in one kernel, or its scores "
        "in memory), neither BLAS nor a system issue. The paper does not state GPT-2's sequence "
        f"length on IMDB; {GPT2_TOKENS} is taken, as for Table 3. Where Table 4 has times, what "
        "they have beyond the prediction stands beside it as residual. What an offloading card "
        "waits for its host is in transfers: copies over the link and the optimizer on the host's "
        "cores, as torch's fused AdamW runs it. The paper doesn't say what hosts its cards had; a "
        "workstation with two channels of memory is assumed, within 60 %, and the intervals show "
        "it."
    ),
    parameters=Params(),
    quick_parameters=Params(draws=10),
    run=run,
    draw=draw,
    layout=Layout((("gaps",),), 10.4, 5.2, marks=("predicted",), bars=""),
)
