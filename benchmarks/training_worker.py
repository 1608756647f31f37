"""One side of bench_training.py in a process of its own: builds a training step, then runs it each
time a line asks for it. Speaks JSON lines on stdin and stdout.

    training_worker.py ours|torch WORKLOAD THREADS SIZES WEIGHTS
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
from floors import plateau_rates
from paired import fastest

from siliconprof import _core, safetensors
from siliconprof.training.step import Step
from siliconprof.workloads import workload

RunStep = Callable[[], float]


def memory_bytes(which: str) -> int:
    """VmHWM or VmRSS of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{which}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"no {which} here")


def data_of(trace: _core.Trace) -> dict[str, numpy.ndarray]:
    """The same numbers for either side."""
    random = numpy.random.default_rng(0)
    made: dict[str, numpy.ndarray] = {}
    for info in trace.tensors:
        if not info.is_given or info.is_view:
            continue
        if info.dtype == "int32":
            made[info.name] = random.integers(0, info.index_limit, info.shape, dtype=numpy.int32)
        else:
            made[info.name] = random.standard_normal(info.shape, dtype=numpy.float32)
    return made


def ours(trace: _core.Trace, threads: int, weights: Path) -> tuple[RunStep, str]:
    step = Step(trace, threads=threads)
    if not weights.exists():
        arrays = {name: step.arrays[name][0] for name in step.parameters}
        safetensors.write(weights, arrays)
    data, count = data_of(trace), iter(range(1 << 40))

    def run() -> float:
        number = next(count)
        return step.run(number, number, data)

    return run, "openblas"


def has_adamw(**kind: bool) -> bool:
    """Fused on a CPU came with PyTorch 2.4, foreach with 1.12."""
    import torch

    weight = torch.zeros(4, requires_grad=True)
    weight.grad = torch.zeros(4)
    try:
        torch.optim.AdamW([weight], **kind).step()
    except (RuntimeError, TypeError):
        return False
    return True


def theirs(trace: _core.Trace, threads: int, weights: Path) -> tuple[RunStep, str]:
    import torch
    from torch_steps import leaves, peer_of

    torch.set_num_threads(threads)
    arrays = {name: torch.from_numpy(a) for name, a in safetensors.read(weights)[0].items()}
    frozen = {info.name for info in trace.tensors if info.frozen}
    data = {name: torch.from_numpy(a) for name, a in data_of(trace).items()}
    data = {name: a.long() if a.dtype == torch.int32 else a for name, a in data.items()}
    loss_of = peer_of(trace.label)

    def made(channels_last: bool, **kind: bool) -> RunStep:
        w = leaves(arrays, frozen, channels_last)
        trained = [x for x in w.values() if x.requires_grad]
        optimizer = torch.optim.AdamW(trained, **kind)

        def run() -> float:
            optimizer.zero_grad(set_to_none=True)
            loss = loss_of(w, data)
            loss.backward()
            optimizer.step()
            return loss.item()

        return run

    convolves = any(a.dim() == 4 for a in arrays.values())
    formats = (True, False) if convolves else (True,)
    kinds = [kind for kind in ({"fused": True}, {"foreach": True}, {}) if has_adamw(**kind)]
    chosen = os.environ.get("BENCH_TORCH_KIND")
    if chosen is None:  # each way is measured alone, so that its memory goes before the next
        best = (numpy.inf, "")
        for last in formats:
            for kind in kinds:
                _, run = fastest([("", made(last, **kind))])
                run()
                begin_s = time.perf_counter()
                run()
                spent_s = time.perf_counter() - begin_s
                best = min(best, (spent_s, json.dumps([last, kind])))
                del run
        chosen = best[1]
    last, kind = json.loads(chosen)
    run = made(last, **kind)
    arrays.clear()  # the weights' file, whose pages would count as ours
    return run, chosen


def warm_up(side: str, threads: int) -> None:
    """Loads what a first step loads: libraries, their threads, code that is made on demand."""
    if side == "ours":
        tiny = {"batch": 1, "image": 8, "channels": 8}
        Step(workload("simclr-resnet18", **tiny), threads=threads)
        return
    import torch

    torch.set_num_threads(threads)
    layers = [torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.Flatten()]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(8 * 36, 8), torch.nn.GELU())
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.randn(4, 3, 8, 8)).sum().backward()
    optimizer.step()


def main() -> None:
    side, id, threads, sizes, weights = sys.argv[1:]
    trace = workload(id, **json.loads(sizes))
    # Libraries and their threads are there before the model's memory is counted.
    make = ours if side == "ours" else theirs
    warm_up(side, int(threads))
    before_bytes = memory_bytes("VmRSS")
    run, how = make(trace, int(threads), Path(weights))
    answer: dict[str, Any] = {"how": how}
    for line in sys.stdin:
        print(json.dumps(answer), flush=True) if line.strip() == "ready" else None
        if line.strip() == "step":
            begin_s = time.perf_counter()
            loss = run()
            spent_s = time.perf_counter() - begin_s
            grown = memory_bytes("VmHWM") - before_bytes
            reply = {"seconds": spent_s, "loss": loss, "peak_bytes": grown}
            print(json.dumps(reply), flush=True)
        if line.strip() == "plateau":
            plateau = _core.quantile(plateau_rates(int(threads), seconds=1.5), 0.5)
            print(json.dumps({"flops_per_s": plateau}), flush=True)


if __name__ == "__main__":
    main()
