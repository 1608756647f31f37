"""Whole training steps beside PyTorch's on this CPU: interleaved, each side in its own process.

`make bench-training PYTHON=<python with torch>` runs it. Either side takes the same weights and
data; the losses of the first steps show that they compute the same. PyTorch runs with the fastest
AdamW that it has, with scaled_dot_product_attention (before 2.0, with the mask and the scale in one
batched product), and convolutions in the faster of its memory formats. One step is run with its
optimizer on the host, too, beside the plain one: only time and memory may differ. Needs the machine
for itself. Exit status 1 where a figure isn't reached.

`--only PATTERN` rows by regular expression; `--pairs N` of samples; `--threads N`;
`--out` folder of training.json.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from peer_environment import PEER_ENVIRONMENT

from siliconprof import _core
from siliconprof.environment import environment
from siliconprof.quantity import scaled
from siliconprof.workloads import workload

PLATEAU_SHARE, MEMORY_RATIO = 0.80, 0.80


@dataclass(frozen=True)
class Row:
    """A step; `reach`: how many times PyTorch's rate it should have; `plateau`: whether its FLOP/s
    are set against those of large products."""

    id: str
    sizes: dict[str, int]
    item: str
    items: int
    reach: float
    plateau: bool = False

    @property
    def name(self) -> str:
        return f"{self.id} {' '.join(f'{n}={s}' for n, s in self.sizes.items())}"


ROWS = (
    Row("gpt2-small", {"batch": 4, "seq": 64}, "tokens", 256, 1.5, plateau=True),
    Row("gpt2-small", {"batch": 1, "seq": 256}, "tokens", 256, 1.5, plateau=True),
    Row("simclr-resnet18", {"batch": 128}, "images", 256, 1.0),
    Row("whisper-tiny", {"batch": 4}, "sequences", 4, 1.0),
)
OFFLOADED = Row("gpt2-small", {"batch": 4, "seq": 64}, "tokens", 256, 0.0)
# What a trace with backward and AdamW may take to build.
BUILDS = (("gpt2-small", 3e-3), ("gpt2-xl", 20e-3))


class Worker:
    """A process with one side's step."""

    def __init__(self, side: str, row: Row, threads: int, weights: Path, **extra: str) -> None:
        program = Path(__file__).with_name("training_worker.py")
        sizes = json.dumps(row.sizes)
        command = [sys.executable, str(program), side, row.id, str(threads), sizes, str(weights)]
        settings = {**os.environ, "OMP_NUM_THREADS": str(threads), **extra}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=settings
        )
        self.how = str(self.ask("ready")["how"])

    def ask(self, what: str) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the worker ended with status {self._process.wait()}")
        return dict(json.loads(answer))

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def peak_bytes(side: str, row: Row, threads: int, weights: Path, how: str) -> int:
    """Growth of the resident memory's peak in three steps, in a fresh process."""
    worker = Worker(side, row, threads, weights, BENCH_TORCH_KIND=how)
    found = [worker.ask("step") for _ in range(3)][-1]["peak_bytes"]
    worker.end()
    return int(found)


def measure(row: Row, threads: int, pairs: int, order: random.Random) -> dict[str, Any]:
    """A row's samples of either side, in turn."""
    sides = ("ours", "torch") if importlib.util.find_spec("torch") else ("ours",)
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "weights.safetensors"
        workers = {s: Worker(s, row, threads, weights, **_settings(s)) for s in sides}
        samples: dict[str, list[float]] = {side: [] for side in sides}
        losses = {
            s: [worker.ask("step")["loss"] for _ in range(2)] for s, worker in workers.items()
        }
        plateaus = [workers["ours"].ask("plateau")["flops_per_s"]]
        for _ in range(pairs):
            for side in order.sample(sides, len(sides)):
                samples[side].append(workers[side].ask("step")["seconds"])
        plateaus.append(workers["ours"].ask("plateau")["flops_per_s"])
        hows = {side: worker.how for side, worker in workers.items()}
        for worker in workers.values():
            worker.end()
        peaks = {s: peak_bytes(s, row, threads, weights, hows[s]) for s in sides}
    trace = workload(row.id, **row.sizes)
    return {
        "row": row.name,
        "samples_s": samples,
        "losses": losses,
        "how": hows,
        "torch": importlib.metadata.version("torch") if "torch" in sides else None,
        "peak_bytes": peaks,
        "planned_bytes": trace.peak_memory_bytes,
        "plateau_flops_per_s": max(plateaus),
        "matrix_flops": trace.cost.matrix_flops,
    }


def _settings(side: str) -> dict[str, str]:
    kept = {k: v for k, v in PEER_ENVIRONMENT.items() if v and k not in os.environ}
    return kept if side == "torch" else {}


def report(row: Row, found: dict[str, Any]) -> bool:
    """Prints a row; whether its figures are reached."""
    ours_s = _core.median(found["samples_s"]["ours"])
    rate = scaled(row.items / ours_s, f"{row.item}/s")
    share = found["matrix_flops"] / ours_s / found["plateau_flops_per_s"]
    print(f"{row.name}: {scaled(ours_s, 's')}, {rate}, {100 * share:.0f} % of large products' rate")
    reached = not row.plateau or share >= PLATEAU_SHARE
    memory = scaled(found["peak_bytes"]["ours"], "bytes")
    planned = scaled(found["planned_bytes"], "bytes")
    print(f"  memory {memory} measured, {planned} planned")
    if "torch" not in found["samples_s"]:
        return reached
    ratios = [t / o for o, t in zip(found["samples_s"]["ours"], found["samples_s"]["torch"])]
    ratio, spread = _core.median(ratios), _core.median_interval(ratios)
    between = "" if spread is None else f" ({spread[0]:.2f} to {spread[1]:.2f})"
    theirs_s = scaled(_core.median(found["samples_s"]["torch"]), "s")
    relative = found["peak_bytes"]["ours"] / found["peak_bytes"]["torch"]
    peer = f"PyTorch {found['torch']} {theirs_s} ({found['how']['torch']})"
    print(f"  {peer}: ours {ratio:.2f}x{between}", end="")
    print(f", memory {relative:.2f}x of {scaled(found['peak_bytes']['torch'], 'bytes')}")
    print(f"  losses ours {found['losses']['ours']}, PyTorch {found['losses']['torch']}")
    return reached and ratio >= row.reach and relative <= MEMORY_RATIO


def measure_offload(row: Row, threads: int, pairs: int, order: random.Random) -> dict[str, Any]:
    """Our step with its optimizer on the host (`offload`), and without, in turn."""
    ways = {"plain": row, "offload": replace(row, sizes={**row.sizes, "offload": True})}
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "weights.safetensors"
        workers = {way: Worker("ours", each, threads, weights) for way, each in ways.items()}
        samples: dict[str, list[float]] = {way: [] for way in ways}
        losses = {w: [each.ask("step")["loss"] for _ in range(3)] for w, each in workers.items()}
        for _ in range(pairs):
            for way in order.sample([*ways], len(ways)):
                samples[way].append(workers[way].ask("step")["seconds"])
        for worker in workers.values():
            worker.end()
        peaks = {w: peak_bytes("ours", each, threads, weights, "") for w, each in ways.items()}
    traces = {way: workload(each.id, **each.sizes) for way, each in ways.items()}
    calls = traces["offload"].calls
    return {
        "row": ways["offload"].name,
        "samples_s": samples,
        "losses": losses,
        "peak_bytes": peaks,
        "planned_bytes": {way: trace.planned_memory_bytes for way, trace in traces.items()},
        "device_bytes": {way: trace.peak_memory_bytes for way, trace in traces.items()},
        "sent_bytes": sum(call.cost.bytes_read for call in calls if call.phase == "transfer"),
    }


def report_offload(found: dict[str, Any]) -> bool:
    """Prints the row; whether the losses are the same to the last bit."""
    samples, losses = found["samples_s"], found["losses"]
    ratios = [o / p for o, p in zip(samples["offload"], samples["plain"], strict=True)]
    spread = _core.median_interval(ratios)
    between = "" if spread is None else f" ({spread[0]:.2f} to {spread[1]:.2f})"
    offloaded_s = scaled(_core.median(samples["offload"]), "s")
    print(f"{found['row']}: {offloaded_s}, {_core.median(ratios):.2f}x the plain step's", end="")
    print(f"{between}; {scaled(found['sent_bytes'], 'bytes')} sent over")
    for what in ("peak_bytes", "planned_bytes", "device_bytes"):
        plain, offloaded = (scaled(found[what][way], "bytes") for way in ("plain", "offload"))
        print(f"  {what.removesuffix('_bytes')} memory {offloaded}, plain {plain}")
    same = losses["offload"] == losses["plain"]
    beside = "the same" if same else f"plain {losses['plain']}"
    print(f"  losses {losses['offload']}, {beside}")
    return bool(same)


def builds() -> dict[str, float]:
    """Seconds that the trace of a step takes to build, the best of nine."""
    best = {}
    for id, reach in BUILDS:
        samples = []
        for _ in range(9):
            begin_s = time.perf_counter()
            workload(id, batch=1, seq=256)
            samples.append(time.perf_counter() - begin_s)
        best[id] = min(samples)
        print(f"trace of {id}: {scaled(best[id], 's')}, at most {scaled(reach, 's')} wanted")
    return best


def main() -> None:
    style = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("--only", default="", help="rows whose name has this regular expression")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--threads", type=int, default=_core.default_threads())
    parser.add_argument("--out", type=Path, default=Path("build/bench"))
    given = parser.parse_args()
    built = builds()
    reached = all(built[id] <= reach for id, reach in BUILDS)
    order, rows = random.Random(0), []
    for row in ROWS:
        if not re.search(given.only, row.name):
            continue
        rows.append(measure(row, given.threads, given.pairs, order))
        reached = report(row, rows[-1]) and reached
    if re.search(given.only, f"{OFFLOADED.name} offload=True"):
        rows.append(measure_offload(OFFLOADED, given.threads, given.pairs, order))
        reached = report_offload(rows[-1]) and reached
    given.out.mkdir(parents=True, exist_ok=True)
    document = {"environment": environment(), "threads": given.threads, "builds_s": built}
    text = json.dumps({**document, "rows": rows}, indent=1)
    (given.out / "training.json").write_text(text, encoding="utf-8")
    sys.exit(0 if reached else 1)


if __name__ == "__main__":
    main()
