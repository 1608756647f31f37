"""The library's own speed against what it should reach, each as a figure of one run."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy

from .. import _core
from ..explain import explain
from ..predict import model, predict
from ..quantity import scaled
from ..run import run as run_here
from ..workloads import op, workload
from .experiment import Experiment, Layout
from .fresh_process import fresh_process
from .native_speed import native_samples
from .points import HERE, table
from .quartiles import Quartiles, quartiles
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FULL = (8, 2000)  # batch and size that the figures of the product are stated for
_LARGEST_SHARE = 1.05  # of the FMA peak: above, the peak itself was measured too low

# Run in a fresh process: seconds that the import takes, and what it should not have loaded.
_IMPORT = """
import json, sys, time
import numpy
begin_s = time.perf_counter()
import siliconprof
taken_s = time.perf_counter() - begin_s
print(json.dumps([taken_s, sorted({"matplotlib", "pandas"} & set(sys.modules))]))
"""


@dataclass(frozen=True)
class Params:
    """rounds: of the product, each with the FMA peak and numpy's in turn; numpy_batch: of the
    product's batch, how much of it numpy does, at the same rate; calls: of one Python statement in
    a sample; repeats: samples of it; imports: fresh processes; native_rounds: of the C++ program;
    native: its path, beside the package's build folder where None."""

    batch: int = 8
    size: int = 2000
    rounds: int = 4
    run_samples: int = 1
    peak_s: float = 0.15
    numpy_batch: int = 2
    calls: int = 5000
    repeats: int = 15
    imports: int = 5
    native_rounds: int = 2
    native: Path | None = None


@dataclass(frozen=True)
class Target:
    """What a figure should reach: `limit` at least, or at most."""

    what: str
    unit: str
    limit: float
    at_least: bool

    def reached(self, value: float) -> bool:
        """Whether the value is on the right side of the limit."""
        return value >= self.limit if self.at_least else value <= self.limit


def targets(params: Params) -> dict[str, Target]:
    """The figures by their keys, in the order in which they are shown."""
    product = f"matmul {params.batch}x{params.size}x{params.size} float32 through sp.run"
    return {
        "fma": Target(f"{product} / FMA peak", "1", 0.85, True),
        "numpy": Target(f"{product} / numpy", "1", 1.0, True),
        "cblas": Target("matmul 8x2000x2000 float32 in C++ / bare cblas", "1", 0.98, True),
        "predict": Target("sp.predict of one op", "s", 2e-6, False),
        "predict-native": Target("prediction of one op in C++", "s", 0.2e-6, False),
        "predict-step": Target("sp.predict of a GPT-2 XL step, H200", "s", 60e-6, False),
        "step": Target("one prediction of a GPT-2 XL step in a sweep, H200", "s", 25e-6, False),
        "explain": Target("sp.explain of a GPT-2 large step", "s", 50e-3, False),
        "build-small": Target("a training step of GPT-2 small made in C++", "s", 3e-3, False),
        "build-xl": Target("a training step of GPT-2 XL made in C++", "s", 20e-3, False),
        "window": Target("empty counter window (wall and faults)", "s", 1.5e-6, False),
        "import": Target("import siliconprof over import numpy", "s", 60e-3, False),
    }


def run(params: Params, say: Say = silent) -> Table:
    """Every figure as a median with quartiles, beside what it should reach."""
    measured = measure(params, say)
    smaller = () if (params.batch, params.size) == FULL else ("fma", "numpy")
    rows = [
        _row(key, target, measured[key], judged=key not in smaller)
        for key, target in targets(params).items()
    ]
    return table("speed", rows, params)


def measure(params: Params, say: Say = silent) -> dict[str, Quartiles | str]:
    """Every figure by key, or the reason why there is none."""
    say("calls from Python")
    samples: dict[str, list[float] | str] = dict(_call_samples(params))
    say("import in fresh processes")
    samples["import"] = _import_samples(params)
    say("the C++ program")
    native = native_samples(params.native, params.native_rounds)
    samples.update(_product_samples(params, say))
    own = {key: one if isinstance(one, str) else quartiles(one) for key, one in samples.items()}
    return {**own, **native}


def _call_samples(params: Params) -> dict[str, list[float]]:
    trace = op("matmul", batch=params.batch, m=params.size, k=params.size, n=params.size)
    counters = ("wall_s", "minor_faults")

    def seconds(statement: str, **names: Any) -> list[float]:
        return _seconds(params.repeats, params.calls, statement, names)

    return {
        **_step_samples(params),
        "predict": seconds("predict(t, 'm2-ultra', framework='mlx')", predict=predict, t=trace),
        "window": seconds("with window(c): pass", window=_core.Window, c=counters),
    }


def _step_samples(params: Params) -> dict[str, list[float]]:
    """Whole steps: fewer calls, each of a thousand kernels."""
    calls = max(1, params.calls // 500)
    large = workload("gpt2-large", batch=8, seq=512, framework="torch-cuda")
    sides = {"t": large, "a": ("rtx-a6000", "torch-cuda"), "b": ("m2-ultra", "mlx")}

    def build(batch: int, seq: int) -> _core.Trace:
        return workload("gpt2-xl", batch=batch, seq=seq, framework="torch-cuda")

    many = 100  # so that what a size costs once doesn't count
    whole = {"predict": predict, "t": build(8, 512)}
    own = {
        "chunk": _core.sweep_chunk,
        "labels": [""] * many,
        "models": [model("h200")] * many,
        "families": [_core.StepFamily(build, (8, 512), (8, 512))] * many,
        "sizes": [(8, 512)],
    }
    steps = _seconds(params.repeats, calls, "chunk(labels, models, families, sizes)", own)
    return {
        "explain": _seconds(
            params.repeats, calls, "explain(t, a, b)", {"explain": explain, **sides}
        ),
        "predict-step": _seconds(
            params.repeats, many, "predict(t, 'h200', framework='torch-cuda')", whole
        ),
        "step": [taken_s / many for taken_s in steps],
    }


def _seconds(repeats: int, calls: int, statement: str, names: dict[str, Any]) -> list[float]:
    """Of one run of the statement, a sample for each repeat."""
    taken_s = timeit.Timer(statement, globals=names).repeat(repeats, calls)
    return [total_s / calls for total_s in taken_s]


def _import_samples(params: Params) -> list[float] | str:
    samples_s = []
    for index in range(params.imports + 1):
        taken_s, loaded = fresh_process("speed", _IMPORT)
        if loaded:
            return f"import siliconprof loads {' and '.join(loaded)}"
        samples_s += [taken_s] if index else []  # the first one fills the disk's cache
    return samples_s


def _product_samples(params: Params, say: Say) -> dict[str, list[float] | str]:
    """sp.run, the FMA peak and numpy in turn, so that a drifting machine hits all alike."""
    size = params.size
    trace = op("matmul", batch=params.batch, m=size, k=size, n=size)
    rule = _core.Sampling.fixed(params.run_samples, 1)
    multiply = _numpy_product(params.numpy_batch, size)
    numpy_flops = 2 * params.numpy_batch * size**3
    over_peak: list[float] = []
    over_numpy: list[float] = []
    for index in range(params.rounds):
        say(f"products, round {index + 1} of {params.rounds}")
        ours = trace.flops / run_here(trace, sampling=rule).time_s
        peak = _core.quantile(_core.measure_fma_peak("float32", 0, params.peak_s), 0.9)
        over_peak.append(ours / peak)
        over_numpy.append(ours * timeit.timeit(multiply, number=1) / numpy_flops)
    highest = max(over_peak)
    if highest > _LARGEST_SHARE:
        reason = f"a product ran at {highest:.2f} of the FMA peak: the peak was disturbed"
        return {"fma": reason, "numpy": over_numpy}
    return {"fma": over_peak, "numpy": over_numpy}


def _numpy_product(batch: int, size: int) -> Callable[[], object]:
    generator = numpy.random.default_rng(1)
    a, b = (generator.random((batch, size, size), dtype=numpy.float32) for _ in range(2))
    out = numpy.zeros_like(a)
    return lambda: numpy.matmul(a, b, out=out)


def _row(key: str, target: Target, found: Quartiles | str, judged: bool) -> Row:
    word = "at least" if target.at_least else "at most"
    what = f"{target.what}; to reach: {word} {scaled(target.limit, target.unit)}"
    point: dict[str, Any] = {"quantity": "figure", "key": key, "label": target.what}
    point |= {"limit": target.limit, "at_least": target.at_least}
    if isinstance(found, str):
        return Row("measured", HERE, "", what, None, target.unit, None, None, found, point)
    verdict = f"not judged, being smaller than {FULL[0]}x{FULL[1]}x{FULL[1]}"
    if judged:
        point["reached"] = target.reached(found.middle)
        verdict = "reached" if point["reached"] else "MISSED"
    source = f"{verdict}; median of {found.of}, interval: quartiles"
    numbers = (found.middle, target.unit, found.low, found.high)
    return Row("measured", HERE, "", what, *numbers, source, point)


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Each figure as its margin over what it should reach: right of the line is reached."""
    from ..figures.margins import draw_margins

    rows = table.where(quantity="figure")
    draw_margins(axes["margins"], [row for row in rows if "reached" in row.point])


EXPERIMENT = Experiment(
    id="speed",
    title="The library's own speed",
    paper_item="",
    claim=(
        "What siliconprof adds to the work that it measures, and how near its products come to the "
        "machine: each figure is a ratio of two things measured in turn in this run, or the time "
        "of one call, beside what it should reach. `make bench` prints the same figures from "
        "longer runs, and builds the C++ program that four of them come from."
    ),
    parameters=Params(),
    quick_parameters=Params(size=512, rounds=5, calls=500, imports=2, native_rounds=0),
    run=run,
    draw=draw,
    layout=Layout((("margins",),), 8.4, 3.4, marks=("measured",), bars="quartiles"),
)
