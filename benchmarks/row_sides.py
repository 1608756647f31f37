"""What a row of bench_kernels.py times in turn, and what it has of the samples."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy
from kernel_rows import Arguments, Kernel, trace_of
from paired import Call, Rule, measure_turns

import siliconprof as sp
from siliconprof import _core


def fit_domain(op: str, sizes: Arguments, inputs: list[Any]) -> None:
    """What is filled from -1 to 1, or with any indices, becomes what the op takes."""
    if op.startswith("bce"):
        for array in inputs[:2]:
            array *= 0.45
            array += 0.5
    elif op in ("adamw", "square_sum", "clip", "unscale"):
        numpy.abs(inputs[-1], out=inputs[-1])
    elif op.startswith("log_mel"):
        numpy.abs(inputs[1], out=inputs[1])
        if op.endswith("backward"):
            inputs[2][...] = sp.evaluate(trace_of("log_mel", sizes), *inputs[:2])[0]
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


def in_turn(
    sides: Mapping[str, Call], rule: Rule, seed: int, warm: bool = False
) -> dict[str, list[float]]:
    """Seconds a call of each side, turn by turn (paired.measure_turns)."""
    samples = measure_turns(list(sides.values()), rule, random.Random(seed), warm=warm)
    return dict(zip(sides, samples))


def times(samples: Mapping[str, list[float]]) -> dict[str, Any]:
    """What kernels.json has of them: our time; PyTorch's, with the quartiles of the ratio turn by
    turn."""
    ours = samples["ours"]
    found: dict[str, Any] = {"ours_s": _core.median(ours), "pairs": len(ours)}
    if "torch" in samples:
        ratios = [x / y for x, y in zip(ours, samples["torch"])]
        low, middle, high = (_core.quantile(ratios, q) for q in (0.25, 0.5, 0.75))
        found |= {"torch_s": _core.median(samples["torch"])}
        found |= {"ratio": middle, "ratio_low": low, "ratio_high": high}
    return found


def scaling(samples: Mapping[str, list[float]], before: list[float]) -> dict[str, float]:
    """Ours on one thread, and how many times as long as on all its quickest sample takes; `before`
    are earlier samples of ours. A machine that takes a core away slows one side alone, for seconds:
    medians would tell of that."""
    quickest = min(*samples["ours"], *before)
    alone = samples["alone"]
    return {"one_thread_s": _core.median(alone), "scaling": min(alone) / quickest}


def peer_ways(kernel: Kernel, peer: Any, bound: list[Any]) -> Any:
    defaults = _core.op_attributes(kernel.op)
    d = SimpleNamespace(**{**defaults, **kernel.arguments})
    if kernel.backward:
        trace = trace_of(kernel.op, kernel.arguments, dtype=kernel.dtype)
        inputs = sp.bind(trace, engine="reference").inputs
        fit_domain(kernel.op, kernel.arguments, inputs)
        return peer.backward_way(kernel.op, d, inputs)
    result_bytes = sum(array.nbytes for array in bound[0].results)
    return peer.forward_ways(kernel.op, d, bound[0].inputs, result_bytes)
