"""Our kernels against PyTorch's and against the machine, row by row, in one process.

`make bench-kernels` runs it with PYTHONPATH at the built package. PyTorch is taken from the
interpreter that runs it, so `make bench-kernels PYTHON=<python with torch>` picks the peer: any
PyTorch whose Python has the version that the package was built for, Debian's python3-torch too.
Without PyTorch ours and the floor are measured alone. Needs the machine for itself.

`--only PATTERN` a regular expression on "group: label"; `--quick` few pairs; `--out` folder of
kernels.json and kernels.svg.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import math
import os
import random
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
from floors import Floors
from kernel_rows import Arguments, Kernel, kernels, trace_of
from paired import RowTimeout, Rule, fastest, measure_alone, measure_turns, time_limit
from peer_environment import PEER_ENVIRONMENT

import siliconprof as sp
from siliconprof import _core
from siliconprof.environment import environment

LONG_S = 1e-3  # rows above are measured on one thread too
SLOWER, BANDWIDTH_SHARE, PRODUCT_SHARE, SCALING = 1.05, 0.80, 0.85, 0.9
PRODUCTS = ("linear", "matmul")


def arguments() -> argparse.Namespace:
    style = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("--only", default="", help="rows whose name has this regular expression")
    parser.add_argument("--quick", action="store_true", help="five pairs a row, not fifteen")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--row-seconds", type=float, default=60.0, help="a row's time-out")
    parser.add_argument("--seed", type=int, default=1, help="of the order within pairs")
    parser.add_argument("--out", type=Path, default=Path("build/bench"))
    return parser.parse_args()


def main() -> None:
    """Measures, prints, writes."""
    options = arguments()
    if os.environ.get("SILICONPROF_BENCH") != "1":
        kept = {k: v for k, v in PEER_ENVIRONMENT.items() if v and k not in os.environ}
        os.environ.update(kept, SILICONPROF_BENCH="1")
        os.execv(sys.executable, [sys.executable, *sys.argv])
    rule = Rule(5, 0.004, 2.0) if options.quick else Rule()
    peer = load_peer(options.threads)
    floors = Floors(options.threads, 0.05 if options.quick else 0.2)
    print(f"threads {options.threads}; {peer_text(peer)}\n{HEADING}", flush=True)
    rows = []
    for kernel in kernels():
        if not re.search(options.only, kernel.name):
            continue
        row = measured(kernel, peer, floors, rule, options)
        rows.append(row)
        print(line(row), flush=True)
    document = {
        "format": "siliconprof-kernels",
        "version": 1,
        "environment": environment(),
        "peer": peer_text(peer),
        "threads": options.threads,
        "rates": floors.rates,
        "rows": rows,
        "summary": summary(rows, options.threads),
    }
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "kernels.json").write_text(json.dumps(document, indent=1) + "\n")
    draw(rows, options.out / "kernels.svg")
    print(summary_text(document["summary"]))
    print(f"written: {options.out}/kernels.json and kernels.svg")


def load_peer(threads: int) -> Any | None:
    """The module of PyTorch's calls, at its best settings; None without PyTorch."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(threads)
    torch.backends.mkldnn.flags(enabled=True)
    import torch_calls

    return torch_calls


def peer_text(peer: Any | None) -> str:
    if peer is None:
        return "no PyTorch in this interpreter: ours and the floor alone"
    return f"PyTorch {peer.torch.__version__}, {peer.torch.get_num_threads()} threads"


def measured(
    kernel: Kernel, peer: Any | None, floors: Floors, rule: Rule, options: argparse.Namespace
) -> dict[str, Any]:
    """One row as kernels.json has it; what could not be measured is None and `note` says why."""
    row: dict[str, Any] = {"group": kernel.group, "label": kernel.label, "op": kernel.op}
    row |= {"backward": kernel.backward, "note": kernel.missing or ""}
    if kernel.missing:
        return row
    give_back_memory()
    try:
        with time_limit(options.row_seconds):
            traces = [trace_of(op, sizes) for op, sizes in kernel.calls()]
            floors.forget_memory()
            row["floor_s"] = sum(map(floors.floor_s, traces))
            row["bound_by"] = floors.bound_by(traces)
            if kernel.op in PRODUCTS and row["bound_by"] == "arithmetic":
                row["plateau_s"] = sum(t.flops for t in traces) / floors.plateau_flops_per_s()
            bound = [sp.bind(trace, threads=options.threads) for trace in traces]
            for (op, sizes), each in zip(kernel.calls(), bound):
                fit_domain(op, sizes, each.inputs)
            probe = floors.probe(traces) if row["bound_by"] == "memory" else None
            sides = [one_call(bound), *([probe.call] if probe else [])]
            found, probed_s = times(kernel, sides, peer, bound, rule, options.seed)
            row |= found
            if probe:
                row["floor_s"] = probe.floor_s(traces, probed_s)
            if row["ours_s"] > LONG_S and options.threads > 1:
                alone = one_call([sp.bind(t, *b.inputs, threads=1) for t, b in zip(traces, bound)])
                few = Rule(min(5, rule.pairs), rule.sample_s, rule.budget_s / 3)
                row["one_thread_s"] = _core.median(measure_alone(alone, few))
    except (RowTimeout, sp.Error, RuntimeError, MemoryError) as error:
        row["note"] = f"{type(error).__name__}: {error}".splitlines()[0][:160]
    return row


def give_back_memory() -> None:
    """To the system, where earlier rows have left little: PEER_ENVIRONMENT has the C library keep
    what they had, and binding looks for what is free. Otherwise kept: PyTorch would fault it in."""
    gc.collect()
    pages = os.sysconf("SC_AVPHYS_PAGES"), os.sysconf("SC_PHYS_PAGES")
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's
    if trim is not None and pages[0] < pages[1] / 4:
        trim(0)


def fit_domain(op: str, sizes: Arguments, inputs: list[Any]) -> None:
    """What is filled from -1 to 1, or with any indices, becomes what the op takes."""
    if op.startswith("bce"):
        for array in inputs[:2]:
            array *= 0.45
            array += 0.5
    elif op in ("adamw", "square_sum", "clip", "unscale", "log_mel"):
        numpy.abs(inputs[-1], out=inputs[-1])
    elif op == "max_pool2d_backward":
        pooling = sp.bind(trace_of("max_pool2d", sizes))
        pooling()
        inputs[0][...] = pooling.results[1]


def one_call(bound: list[Any]) -> Callable[[], object]:
    """The calls of a row as one."""
    if len(bound) == 1:
        return bound[0]  # type: ignore[no-any-return]

    def call() -> None:
        for each in bound:
            each()

    return call


def times(
    kernel: Kernel,
    sides: list[Callable[[], object]],
    peer: Any | None,
    bound: list[Any],
    rule: Rule,
    seed: int,
) -> tuple[dict[str, Any], list[float]]:
    """Of our side, which is first, and PyTorch's where there is one, with the quartiles of the
    ratio turn by turn; and of a probe of memory, where there is one behind ours."""
    ways = peer_ways(kernel, peer, bound) if peer else []
    way, theirs = fastest(ways) if ways else ("", None)
    samples = measure_turns([*sides, *([theirs] if theirs else [])], rule, random.Random(seed))
    ours = samples[0]
    probed_s = samples[1] if len(sides) > 1 else []
    if not ways:
        return {"ours_s": _core.median(ours)}, probed_s
    ratios = [x / y for x, y in zip(ours, samples[-1])]
    low, middle, high = (_core.quantile(ratios, q) for q in (0.25, 0.5, 0.75))
    found = {"ours_s": _core.median(ours), "torch_s": _core.median(samples[-1]), "way": way}
    found |= {"pairs": len(ours), "ratio": middle, "ratio_low": low, "ratio_high": high}
    return found, probed_s


def peer_ways(kernel: Kernel, peer: Any, bound: list[Any]) -> Any:
    defaults = _core.op_attributes(kernel.op)
    d = SimpleNamespace(**{**defaults, **kernel.arguments})
    if kernel.backward:
        trace = trace_of(kernel.op, kernel.arguments)
        inputs = sp.bind(trace, engine="reference").inputs
        fit_domain(kernel.op, kernel.arguments, inputs)
        return peer.backward_way(kernel.op, d, inputs)
    result_bytes = sum(array.nbytes for array in bound[0].results)
    return peer.forward_ways(kernel.op, d, bound[0].inputs, result_bytes)


def summary(rows: list[dict[str, Any]], threads: int) -> dict[str, Any]:
    """Geometric means by group, and the rows that miss what they should reach: four fifths of what
    memory or a cache allows, 85 % of OpenBLAS's plateau for products, nine tenths of the threads
    where arithmetic decides. Other arithmetic than products has no share to reach: sorts and
    transcendental functions do more than the floor counts, Winograd's convolutions less."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        if "ratio" in row:
            groups.setdefault(row["group"], []).append(row["ratio"])
    measured_rows = [row for row in rows if "ours_s" in row]

    def below(bound: str) -> list[str]:
        found = [row for row in measured_rows if row["bound_by"] == bound]
        return [name(row) for row in found if share(row) < BANDWIDTH_SHARE]

    return {
        "geometric_mean": {
            group: math.exp(sum(map(math.log, ratios)) / len(ratios))
            for group, ratios in groups.items()
        },
        "slower_than_torch": [name(row) for row in rows if row.get("ratio", 0.0) > SLOWER],
        "below_bandwidth_share": below("memory"),
        "below_cache_share": below("cache"),
        "below_plateau_share": [
            name(row)
            for row in measured_rows
            if "plateau_s" in row and row["plateau_s"] < PRODUCT_SHARE * row["ours_s"]
        ],
        "below_scaling": [
            name(row)
            for row in measured_rows
            if row["bound_by"] == "arithmetic"
            and row.get("one_thread_s", math.inf) < SCALING * threads * row["ours_s"]
        ],
        "not_measured": [f"{name(row)} ({row['note']})" for row in rows if row["note"]],
    }


def share(row: Mapping[str, Any]) -> float:
    """Part of the rate that the floor allows."""
    return float(row["floor_s"] / row["ours_s"])


def name(row: Mapping[str, Any]) -> str:
    return f"{row['group']}: {row['label']}"


HEADING = (
    f"{'':62} {'ours ms':>10} {'torch ms':>10} {'ratio (quartiles)':>21} {'floor':>9} {'%':>4}"
    f" {'1->n':>5} {'of OpenBLAS':>12}"
)


def line(row: Mapping[str, Any]) -> str:
    """One row as text."""
    if "ours_s" not in row:
        return f"{name(row):62} {row['note']}"
    text = f"{name(row)[:62]:62} {1e3 * row['ours_s']:10.4g} "
    if "ratio" in row:
        quartiles = f"{row['ratio']:.2f} ({row['ratio_low']:.2f}-{row['ratio_high']:.2f})"
        text += f"{1e3 * row['torch_s']:10.4g} {quartiles:>21} "
    else:
        text += f"{'-':>10} {'-':>21} "
    text += f"{1e3 * row['floor_s']:9.3g} {100 * share(row):4.0f}"
    if "one_thread_s" in row:
        text += f" {row['one_thread_s'] / row['ours_s']:5.2f}"
    if "plateau_s" in row:
        text = f"{text:128} {100 * row['plateau_s'] / row['ours_s']:4.0f} %"
    return f"{text}  {row['note']}".rstrip()


def summary_text(found: Mapping[str, Any]) -> str:
    lines = [f"geometric mean of {g}: {m:.3f}" for g, m in found["geometric_mean"].items()]
    for key, rows in found.items():
        if key != "geometric_mean":
            lines.append(f"{key.replace('_', ' ')}: {len(rows)}")
            lines += [f"  {row}" for row in rows]
    return "\n".join(lines)


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Ratio of each row to PyTorch, with its quartiles, and the floor as a second mark."""
    from matplotlib.figure import Figure

    from siliconprof.figures.kernel_ratios import draw_kernel_ratios
    from siliconprof.figures.style import LIGHT, style

    found = [row for row in rows if "ratio" in row]
    if not found:
        return
    with style(LIGHT):
        figure = Figure(figsize=(9.0, 1.2 + 0.17 * len(found)), layout="constrained")
        draw_kernel_ratios(figure.add_subplot(), found)
        figure.savefig(path)


if __name__ == "__main__":
    main()
