"""benchmarks/: what `make bench` and `make bench-kernels` measure and print, and when they fail."""

from __future__ import annotations

import dataclasses
import random
import runpy
from types import SimpleNamespace

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.experiments import speed
from siliconprof.experiments.table import Row

REACHED = Row("measured", "here", "", "x", 1e-6, "s", 9e-7, 2e-6, "reached; m", {"reached": True})


@pytest.fixture
def bench(root, monkeypatch):
    """Runs bench.py's main with the rows of a run given; returns the parameters of that run."""

    def call(*rows):
        seen = []
        fake = lambda params, say: seen.append(params) or SimpleNamespace(rows=rows)  # noqa: E731
        monkeypatch.setattr(speed, "run", fake)
        monkeypatch.setattr("sys.argv", ["bench.py", "some/program"])
        runpy.run_path(str(root / "benchmarks" / "bench.py"), run_name="__main__")
        return seen[0]

    return call


def test_reached_figures_are_printed_with_their_quartiles(bench, capsys):
    params = bench(REACHED)
    assert (params.batch, params.size, str(params.native)) == (*speed.FULL, "some/program")
    assert params.numpy_batch == params.batch
    line = capsys.readouterr().out
    assert "1 µs" in line and "900 ns" in line and "2 µs" in line and "reached" in line


@pytest.mark.parametrize(
    "row",
    [
        dataclasses.replace(REACHED, source="MISSED; m", point={"reached": False}),
        dataclasses.replace(REACHED, value=None, lo=None, hi=None, source="no program", point={}),
    ],
)
def test_a_missed_or_missing_figure_fails_the_run(bench, capsys, row):
    with pytest.raises(SystemExit) as caught:
        bench(REACHED, row)
    assert caught.value.code == 1
    assert "MISSED" in capsys.readouterr().out


# ---- bench_kernels.py -------------------------------------------------------------------


class Machine:
    """A clock that calls move on."""

    def __init__(self):
        self.now_s = 0.0
        self.order = []

    def clock(self):
        return self.now_s

    def call(self, name, seconds):
        def run():
            self.order.append(name)
            self.now_s += seconds

        return run


def test_pairs_hold_one_sample_of_each_side_in_random_order(load):
    paired = load("paired")
    machine = Machine()
    rule = paired.Rule(pairs=20, sample_s=0.001, budget_s=1e9)
    ours, theirs = machine.call("a", 0.001), machine.call("b", 0.002)
    a, b = paired.measure_turns([ours, theirs], rule, random.Random(3), machine.clock)
    assert a == pytest.approx([0.001] * 20) and b == pytest.approx([0.002] * 20)
    firsts = {"".join(machine.order[-40:])[i : i + 2] for i in range(0, 40, 2)}
    assert firsts == {"ab", "ba"}


def test_a_warm_sample_has_a_call_before_it_that_is_not_counted(load):
    paired, machine = load("paired"), Machine()
    rule = paired.Rule(pairs=3, sample_s=0.001, budget_s=1e9)
    calls = [machine.call("a", 0.002), machine.call("b", 0.002)]
    order = random.Random(1)
    found = paired.measure_turns(calls, rule, order, machine.clock, warm=True)
    assert found[0] == found[1] == pytest.approx([0.002] * 3)
    turns = "".join(machine.order[-12:])
    assert all(turns[i] == turns[i + 1] for i in range(0, 12, 2))


def test_short_calls_are_repeated_for_a_sample(load):
    paired, machine = load("paired"), Machine()
    assert paired.repetitions(machine.call("a", 1e-6), 0.01, machine.clock) == pytest.approx(
        10000, rel=0.01
    )
    assert paired.repetitions(machine.call("a", 1.0), 0.01, machine.clock) == 1


def test_the_budget_ends_a_row_after_three_pairs_at_least(load):
    paired, machine = load("paired"), Machine()
    rule = paired.Rule(pairs=20, sample_s=0.001, budget_s=0.5)
    slow = machine.call("a", 1.0)
    a, _ = paired.measure_turns([slow, slow], rule, random.Random(1), machine.clock)
    assert len(a) == 3


def test_of_several_ways_the_fastest_is_taken(load):
    paired, machine = load("paired"), Machine()
    ways = [("slow", machine.call("a", 0.02)), ("fast", machine.call("b", 0.01))]
    assert paired.fastest(ways, machine.clock)[0] == "fast"


def test_a_row_that_takes_too_long_is_given_up(load):
    paired = load("paired")
    too_long = pytest.raises(paired.RowTimeout, match=r"took more than 0\.01 s")
    with too_long, paired.time_limit(0.01):
        while True:
            pass


def test_every_row_of_the_benchmark_is_a_call_of_this_version_or_says_why_not(load):
    rows = load("kernel_rows").kernels()
    assert len({row.name for row in rows}) == len(rows)
    for row in rows:
        assert row.missing or all(trace_parts(row, load))
    assert sum(row.group == "suite" for row in rows) == 85


def trace_parts(row, load):
    traces = row.traces()
    return [len(trace) == 1 and trace.calls[0].dtype == row.dtype for trace in traces]


def test_what_autocast_runs_in_bfloat16_is_measured_so_too(load):
    rows = load("kernel_rows").kernels()
    halves = {row.label: row for row in rows if row.dtype == "bfloat16"}
    singles = {row.label: row for row in rows if row.label in halves and row.dtype == "float32"}
    assert halves.keys() == singles.keys()
    assert {row.op for row in halves.values()} >= {"linear", "matmul", "conv1d", "conv2d"}
    assert {row.group for row in halves.values()} == {"bfloat16"}
    assert any(row.backward for row in halves.values())


def test_a_backward_row_computes_no_forward_call_again(load):
    kernel_rows = load("kernel_rows")
    row = kernel_rows.Kernel("x", "y", "sigmoid", {"n": 4}, backward=True)
    assert [op for op, _ in row.calls()] == ["sigmoid_backward"]
    product = {"batch": 1, "m": 2, "k": 3, "n": 4}
    row = kernel_rows.Kernel("x", "y", "matmul", product, backward=True)
    assert [op for op, _ in row.calls()] == ["matmul", "matmul"]


def test_the_floor_is_the_longer_of_traffic_and_arithmetic(load, monkeypatch):
    floors = load("floors").Floors(2, 0.1)
    monkeypatch.setattr(_core, "measure_fma_peak", lambda *_: [1e11])
    monkeypatch.setattr(_core, "measure_bandwidth", lambda *_: [1e10])
    assert floors.floor_s(sp.op("copy", n=10**6)) == pytest.approx(8e6 / 1e10)
    rates = {"copy": 1e10, "update": 2e10}
    monkeypatch.setattr(_core, "measure_bandwidth", lambda pattern, *_: [rates[pattern]])
    update = load("kernel_rows").trace_of("sgd", {"n": 10**6})
    assert load("floors").Floors(2, 0.1).floor_s(update) == pytest.approx(20e6 / 2e10)
    rates = {"copy": 1e10, "write": 5e9}
    fill = sp.op("gather", **{"rows": 8, "count": 10**5, "columns": 64})
    written = 10**5 * 64 * 4
    assert load("floors").Floors(2, 0.1).floor_s(fill) == pytest.approx(fill.cost.bytes / 5e9)
    assert fill.cost.bytes_read < 0.1 * fill.cost.bytes and fill.cost.bytes_written == written
    product = sp.op("matmul", m=512, k=512, n=512)
    assert floors.floor_s(product) == pytest.approx(2 * 512**3 / 1e11)
    assert floors.bound_by([product]) == "arithmetic"


def test_a_row_is_bound_by_memory_where_it_is_larger_than_the_cache(load, monkeypatch):
    floors = load("floors").Floors(2, 0.1)
    measured = []
    monkeypatch.setattr(_core, "measure_fma_peak", lambda *_: [1e15])
    monkeypatch.setattr(_core, "measure_bandwidth", lambda *a: [measured.append(a) or 1e10])
    monkeypatch.setattr(_core, "last_level_cache_bytes", lambda: 1 << 20)
    small, large, huge = (sp.op("copy", n=n) for n in (1 << 14, 3 << 16, 1 << 24))
    assert [floors.bound_by([t]) for t in (small, large, huge)] == ["cache", "memory", "memory"]
    assert floors.bound_by([]) == "cache"
    assert len(measured) == 2  # 1.5 caches and many are both at the rate of memory
    floors.forget_memory()  # memory may be slower by now, a cache is not
    floors.bound_by([small, large])
    assert len(measured) == 3


def test_the_summary_names_rows_that_miss_what_they_should_reach(load):
    bench = load("bench_kernels")
    row = {"group": "suite", "backward": False, "note": "", "bound_by": "memory"}
    product = {**row, "bound_by": "arithmetic", "floor_s": 0.5}
    rows = [
        {**row, "label": "a", "ours_s": 1.0, "torch_s": 4.0, "floor_s": 0.9, "ratio": 0.25},
        {**row, "label": "b", "ours_s": 2.0, "torch_s": 1.0, "floor_s": 0.5, "ratio": 2.0},
        {**row, "label": "c", "note": "no op c in this version"},
        {**row, "label": "f", "ours_s": 9e-4, "floor_s": 8e-4},  # too short for more
        {**product, "label": "d", "ours_s": 1.0, "plateau_s": 0.84, "scaling": 1.7},
        {**product, "label": "e", "ours_s": 1.0, "plateau_s": 0.85, "scaling": 1.8},
    ]
    found = bench.summary(rows, threads=2)
    assert found["geometric_mean"] == {"suite": pytest.approx(0.5**0.5)}
    assert found["slower_than_torch"] == found["below_bandwidth_share"] == ["suite: b"]
    assert found["long_below_bandwidth_share"] == ["suite: a", "suite: b"]
    assert found["below_plateau_share"] == found["below_scaling"] == ["suite: d"]
    assert found["below_cache_share"] == []
    assert found["not_measured"] == ["suite: c (no op c in this version)"]


def test_sides_are_compared_turn_by_turn(load):
    row_sides = load("row_sides")
    times = row_sides.times
    assert times({"ours": [0.5, 0.5]}) == {"ours_s": 0.5, "pairs": 2}
    # A machine that slows down slows all: the ratios stay.
    ours, slower = [1.0, 2.0, 10.0], [2.0, 4.0, 20.0]
    found = times({"ours": ours, "probe": [0.1] * 3, "torch": slower})
    assert (found["ratio_low"], found["ratio"], found["ratio_high"]) == (0.5, 0.5, 0.5)
    assert (found["ours_s"], found["torch_s"]) == (2.0, 4.0)
    # Where a core is taken away, all threads take as long as one.
    found = row_sides.scaling({"ours": [4.0, 4.0, 4.0], "alone": [4.0, 4.0, 6.0]}, [2.0, 2.5])
    assert found == {"one_thread_s": 4.0, "scaling": 2.0}


def test_sides_are_sampled_in_turn_by_name(load, monkeypatch):
    row_sides = load("row_sides")
    monkeypatch.setattr(row_sides, "measure_turns", lambda calls, *_, **__: [[c()] for c in calls])
    sides = {"ours": lambda: 1.0, "torch": lambda: 2.0}
    assert row_sides.in_turn(sides, row_sides.Rule(), 1) == {"ours": [1.0], "torch": [2.0]}


@pytest.mark.parametrize(
    ("op", "sizes", "pattern"),
    [
        ("sum", {"outer": 4, "size": 64, "inner": 1}, "read"),
        ("fill", {"n": 64}, "write"),
        ("copy", {"n": 64}, "copy"),
        ("sgd", {"n": 64}, "update"),
    ],
)
def test_a_probe_of_memory_moves_as_the_row_does(load, monkeypatch, op, sizes, pattern):
    floors, kernel_rows = load("floors"), load("kernel_rows")
    monkeypatch.setattr(floors, "LARGEST_BYTES", 1 << 12)
    trace = kernel_rows.trace_of(op, sizes)
    assert floors.pattern_of(trace) == pattern
    found = floors.Floors(2, 0.1).probe([trace])
    assert found.bytes == pytest.approx(floors.ARRAYS[pattern] << 12, abs=4)
    found.call()
    # Memory that slows down to a third slows both: a part of a fifth in each turn.
    twice = found.floor_s([trace, trace], [0.1, 0.3, 0.2], [0.5, 1.5, 1.0])
    assert twice == pytest.approx(2 * trace.cost.bytes / found.bytes * 0.2 * 1.0)


def test_a_probe_of_writing_writes_no_zeros(load, monkeypatch):
    floors = load("floors")
    monkeypatch.setattr(floors, "LARGEST_BYTES", 1 << 12)
    probe = floors.Probe.of("write", 1)
    probe.call()
    assert (probe.call.results[0] != 0.0).all()


# ---- bench_training.py ------------------------------------------------------------------


def found(**changed):
    samples = {"ours": [1.0, 1.0, 1.0], "torch": [1.6, 1.5, 1.7]}
    return {
        "samples_s": samples,
        "losses": {"ours": [1.0], "torch": [1.0]},
        "how": {"ours": "openblas", "torch": "fused"},
        "torch": "2.13.0",
        "peak_bytes": {"ours": 7, "torch": 10},
        "planned_bytes": 7,
        "plateau_flops_per_s": 100.0,
        "matrix_flops": 85.0,
        **changed,
    }


@pytest.mark.parametrize(
    ("changed", "reached"),
    [
        ({}, True),
        ({"matrix_flops": 79.0}, False),
        ({"peak_bytes": {"ours": 9, "torch": 10}}, False),
        ({"samples_s": {"ours": [1.0] * 3, "torch": [1.4] * 3}}, False),
        ({"samples_s": {"ours": [1.0] * 3}, "peak_bytes": {"ours": 9}}, True),
    ],
)
def test_a_training_row_says_whether_its_figures_are_reached(load, capsys, changed, reached):
    training = load("bench_training")
    assert training.report(training.ROWS[0], found(**changed)) is reached
    out = capsys.readouterr().out
    assert "256 tokens/s" in out and "of large products' rate" in out


def offloaded(**changed):
    return {
        "row": "gpt2-small offload=True",
        "samples_s": {"plain": [1.0, 1.0, 1.0], "offload": [1.2, 1.3, 1.25]},
        "losses": {"plain": [2.0, 1.5], "offload": [2.0, 1.5]},
        "peak_bytes": {"plain": 7, "offload": 9},
        "planned_bytes": {"plain": 7, "offload": 9},
        "device_bytes": {"plain": 7, "offload": 3},
        "sent_bytes": 4,
        **changed,
    }


@pytest.mark.parametrize(
    ("losses", "same"),
    [
        ({"plain": [2.0, 1.5], "offload": [2.0, 1.5]}, True),
        ({"plain": [2.0, 1.5], "offload": [2.0, 1.5000001]}, False),
    ],
)
def test_offload_changes_nothing_but_time_and_memory(load, capsys, losses, same):
    training = load("bench_training")
    assert training.report_offload(offloaded(losses=losses)) is same
    out = capsys.readouterr().out
    assert "1.25x the plain step's" in out and "peak memory 9 B, plain 7 B" in out


@pytest.mark.parametrize(
    ("id", "sizes"),
    [
        ("gpt2-small", {"seq": 8, "layers": 2, "width": 128, "heads": 2, "vocab": 50}),
        ("whisper-tiny", {"frames": 20, "layers": 1, "width": 64, "heads": 1, "vocab": 50}),
        ("simclr-resnet18", {"image": 16, "channels": 8}),
        ("resnet18", {"image": 32, "channels": 8, "classes": 10}),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_either_side_of_a_training_row_takes_the_same_steps(load, tmp_path, id, sizes):
    torch = pytest.importorskip("torch")
    worker, before = load("training_worker"), torch.get_num_threads()
    trace = sp.workload(id, batch=4, **sizes)
    weights = tmp_path / "weights.safetensors"
    sides = [make(trace, 1, weights)[0] for make in (worker.ours, worker.theirs)]
    ours, theirs = ([run() for _ in range(3)] for run in sides)
    torch.set_num_threads(before)
    # PyTorch tried its ways out before, each on weights of its own.
    assert ours[2] < ours[0]
    assert ours == pytest.approx(theirs, rel=1e-3)
