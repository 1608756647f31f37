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
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from floors import Floors, Probe
from instructions import Less, instructions_s, within
from kernel_rows import Kernel, kernels, trace_of
from paired import RowTimeout, Rule, fastest, measure_alone, time_limit
from peer_environment import PEER_ENVIRONMENT
from row_sides import fit_domain, in_turn, one_call, peer_ways, scaling, times

import siliconprof as sp
from siliconprof import _core
from siliconprof.environment import environment

LONG_S = 1e-3  # rows above are measured on one thread too
SLOWER, BANDWIDTH_SHARE, PRODUCT_SHARE, SCALING = 1.05, 0.80, 0.85, 0.9
LONG_BANDWIDTH_SHARE = 0.95  # of what all threads get, by rows long enough
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
    rule = Rule(5, 0.004, 3.0) if options.quick else Rule()
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
            traces = kernel.traces()
            floors.forget_memory()
            row["floor_s"] = sum(map(floors.floor_s, traces))
            row["bound_by"] = floors.bound_by(traces)
            if kernel.op in PRODUCTS and row["bound_by"] == "arithmetic":
                plateau = floors.plateau_flops_per_s(kernel.dtype)
                row["plateau_s"] = sum(t.flops for t in traces) / plateau
            bound = [sp.bind(trace, threads=options.threads) for trace in traces]
            for (op, sizes), each in zip(kernel.calls(), bound):
                fit_domain(op, sizes, each.inputs)
            probe = floors.probe(traces) if row["bound_by"] == "memory" else None
            way, samples = beside(kernel, peer, bound, probe, rule, options.seed)
            row |= way | times(samples)
            if probe:
                row["floor_s"] = probe.floor_s(traces, samples["probe"], samples["ours"])
            if probe and share(row) < LONG_BANDWIDTH_SHARE:
                row |= bound_by_instructions(kernel, row, rule, options.threads)
            if options.threads > 1 and row["ours_s"] > LONG_S:
                alone = [sp.bind(t, *b.inputs, threads=1) for t, b in zip(traces, bound)]
                sides = {"ours": one_call(bound), "alone": one_call(alone)}
                again = in_turn(sides, rule.few(1 / 2), options.seed, warm=True)
                row |= scaling(again, samples["ours"])
    except (RowTimeout, sp.Error, RuntimeError, MemoryError) as error:
        row["note"] = f"{type(error).__name__}: {error}".splitlines()[0][:160]
    return row


def beside(
    kernel: Kernel, peer: Any | None, bound: list[Any], probe: Probe | None, rule: Rule, seed: int
) -> tuple[dict[str, str], dict[str, list[float]]]:
    """PyTorch's quickest `way`, whose results are let go again, and samples of ours, memory's and
    its. Each side warms up first: the other's threads go on waiting for work for some
    milliseconds, on the cores that it now needs."""
    sides = {"ours": one_call(bound)}
    if probe is not None:
        sides["probe"] = probe.call
    ways = peer_ways(kernel, peer, bound) if peer else []
    way = {}
    if ways:
        way["way"], sides["torch"] = fastest(ways)
    return way, in_turn(sides, rule, seed, warm=True)


def bound_by_instructions(
    kernel: Kernel, row: Mapping[str, Any], rule: Rule, threads: int
) -> dict[str, Any]:
    """What the row's instructions take within the last cache, and whether they decide: they do
    where memory's floor is shorter than they are."""
    cache_bytes = _core.last_level_cache_bytes() // 4
    cut = [within(call, cache_bytes, kernel.dtype) for call in kernel.calls()]
    parts = [each for each in cut if each is not None]
    if len(parts) < len(cut):
        return {}

    def seconds_of(less: Less) -> float:
        bound = sp.bind(trace_of(less.op, less.sizes, dtype=kernel.dtype), threads=threads)
        fit_domain(less.op, less.sizes, bound.inputs)
        return _core.median(measure_alone(bound, rule.few(1 / 3)))

    found_s = instructions_s(parts, seconds_of)
    found: dict[str, Any] = {"instructions_s": found_s}
    return found | ({"bound_by": "instructions"} if found_s > row["floor_s"] else {})


def give_back_memory() -> None:
    """To the system: PEER_ENVIRONMENT has the C library keep what earlier rows had in small pages,
    which later rows would get instead of huge ones."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's
    if trim is not None:
        trim(0)


def summary(rows: list[dict[str, Any]], threads: int) -> dict[str, Any]:
    """Geometric means by group, and the rows that miss what they should reach: four fifths of what
    memory or a cache allows (19 twentieths of memory's where a row takes long), and of what their
    instructions take in a cache for those that take longer than memory; 85 % of large products'
    rate for products, nine tenths of the threads where arithmetic decides. Other arithmetic than
    products has no share to reach: Winograd's convolutions do less than the floor counts."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        if "ratio" in row:
            groups.setdefault(row["group"], []).append(row["ratio"])
    measured_rows = [row for row in rows if "ours_s" in row]

    def below(
        bound: str, floor: str = "floor_s", reach: float = BANDWIDTH_SHARE, longer_s: float = 0.0
    ) -> list[str]:
        found = [r for r in measured_rows if r["bound_by"] == bound and r["ours_s"] > longer_s]
        return [name(row) for row in found if share(row, floor) < reach]

    return {
        "geometric_mean": {
            group: math.exp(sum(map(math.log, ratios)) / len(ratios))
            for group, ratios in groups.items()
        },
        "slower_than_torch": [name(row) for row in rows if row.get("ratio", 0.0) > SLOWER],
        "below_bandwidth_share": below("memory"),
        "long_below_bandwidth_share": below("memory", "floor_s", LONG_BANDWIDTH_SHARE, LONG_S),
        "bound_by_instructions": [
            f"{name(row)} ({100 * share(row, 'instructions_s'):.0f} % of its time)"
            for row in measured_rows
            if row["bound_by"] == "instructions"
        ],
        "below_instructions_share": below("instructions", "instructions_s"),
        "below_cache_share": below("cache"),
        "below_plateau_share": [
            name(row)
            for row in measured_rows
            if "plateau_s" in row and row["plateau_s"] < PRODUCT_SHARE * row["ours_s"]
        ],
        "below_scaling": [
            name(row)
            for row in measured_rows
            if row["bound_by"] == "arithmetic" and row.get("scaling", math.inf) < SCALING * threads
        ],
        "not_measured": [f"{name(row)} ({row['note']})" for row in rows if row["note"]],
    }


def share(row: Mapping[str, Any], floor: str = "floor_s") -> float:
    """Part of the rate that the floor allows."""
    return float(row[floor] / row["ours_s"])


def name(row: Mapping[str, Any]) -> str:
    return f"{row['group']}: {row['label']}"


HEADING = (
    f"{'':62} {'ours ms':>10} {'torch ms':>10} {'ratio (quartiles)':>21} {'floor':>9} {'%':>4}"
    f" {'1->n':>5} {'of plateau':>12}"
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
    if "scaling" in row:
        text += f" {row['scaling']:5.2f}"
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
