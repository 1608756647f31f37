"""Host costs by operation (issue.<vendor>.<phase>.<op>_s) of a framework file.

    python tools/fit_host.py --device h200 [--record h200_ops]

Differences of chains of modules of a packaged record, measured by tools/measure_torch_cuda.py: of
each machine alone, whose pace they share, then the median over machines. No training step is read.
Prints TOML.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from fit_arguments import fit_arguments

import siliconprof as sp
from siliconprof.recorded_ops import dims_of

Times = dict[tuple[str, str, int], float]  # seconds by row, direction and tensors
# Casts that autocast makes in one module of each chain, forward and backward: of every weight and
# bias, of float32 data at each product that reads them, of the gradient behind an addition of two
# dtypes.
CASTS = {
    "linear": (2, 2),
    "product": (1, 1),
    "norm_linear": (4, 4),
    "norm_three_linears": (10, 10),
    "linear_add": (3, 4),
    "linear_attention": (2, 2),
    "three_linear_attention": (6, 6),
    "block": (10, 12),
    "whisper_attention": (7, 7),
    "whisper_layer": (15, 17),
    "whisper_decoder_layer": (25, 28),
}
MODULES = ("layer_norm", "gelu_tanh", "relu", "batch_norm")


def machines(record: str) -> Iterator[Times]:
    """Host seconds of each machine of the record."""
    found: dict[int, Times] = {}
    for row in sp.load(record).rows:
        if row.what.startswith("host.") and row.value is not None:
            name, *words = row.what.split()
            dims = dims_of(words)
            key = (name, words[-1], dims.get("tensors", 0))
            found.setdefault(dims.get("machine", 1), {})[key] = row.value
    yield from found.values()


def host(record: str) -> dict[str, float]:
    """Host seconds by "<phase>.<op>", the median over machines."""
    found: dict[str, list[float]] = {}
    for times in machines(record):
        for key, seconds in host_of(times).items():
            found.setdefault(key, []).append(seconds)
    return {key: median(values) for key, values in found.items()}


def host_of(times: Times) -> dict[str, float]:
    """Those of one machine that it has the rows for."""
    found: dict[str, float] = {}
    for direction in ("forward", "backward"):
        found |= _modules(times, direction)
        tail = "" if direction == "forward" else "_backward"
        for name in ("embedding", "cross_entropy"):
            if (f"host.{name}", direction, 0) in times:
                found[f"{direction}.{name}{tail}"] = times[f"host.{name}", direction, 0]
    return found | optimizers_of(times)


def _modules(times: Times, direction: str) -> dict[str, float]:
    """Attention of three products is as transformers' models write it."""

    def module(name: str) -> float:
        return times[f"host.module.{name}", direction, 0]

    tail = "" if direction == "forward" else "_backward"
    linear, product = module("linear"), module("product")
    found = {f"{direction}.{name}{tail}": module(name) for name in MODULES}
    found[f"{direction}.dropout"] = module("dropout")  # its own gradient
    found[f"{direction}.gelu_erf{tail}"] = module("gelu_tanh")
    found[f"{direction}.add"] = module("add")
    found[f"{direction}.attention_qkv{tail}"] = module("linear_attention") - linear
    if ("host.module.whisper_attention", direction, 0) in times:
        whole = module("whisper_attention")
        found[f"{direction}.attention{tail}"] = whole - 3 * linear - product
    for dtype in ("float16", "bfloat16", "float32"):
        found[f"{direction}.cast_{dtype}"] = cast_of(times, direction)
    if direction == "forward":
        found["forward.linear"], found["forward.matmul"] = linear, product
        found["forward.bias"] = found["forward.add"]
        found["forward.conv1d"] = found["forward.conv2d"] = module("conv2d")
        return found
    found["backward.matmul"], found["backward.sum"] = product / 2, linear - product
    for name in ("conv1d", "conv2d"):
        for of in ("data", "weight"):
            found[f"backward.{name}_{of}_backward"] = module("conv2d") / 2
    return found


def cast_of(times: Times, direction: str) -> float:
    """What autocast adds to all chains together, for each of their casts: the difference of one
    chain with and without it is too small beside a host's wander."""
    added, casts = 0.0, 0
    for name, counts in CASTS.items():
        key = (f"host.module.{name}_autocast", direction, 0)
        if key in times:
            added += times[key] - times[f"host.module.{name}", direction, 0]
            casts += counts[0 if direction == "forward" else 1]
    return added / casts


def optimizers_of(times: Times) -> dict[str, float]:
    """Seconds a tensor: the slope between few and many."""
    few, many = 148, 580
    found = {}
    for op, name, direction in (
        ("adamw", "adamw_foreach", "step"),
        ("sgd", "sgd_foreach", "step"),
        ("unscale", "grad_scaler", "unscale"),
        ("clip", "clip", "step"),
    ):
        if (f"host.{name}", direction, many) in times:
            more = times[f"host.{name}", direction, many] - times[f"host.{name}", direction, few]
            found[f"optimizer.{op}"] = more / (many - few)
    return found


def main() -> None:
    arguments = fit_arguments(__doc__)
    print(f"[issue.{sp.device(arguments.device).vendor}]")
    for key, seconds in host(arguments.record).items():
        tail = f'kind = "measured", source = "{arguments.source}", relative_error = 0.35'
        print(f"{key}_s = {{ value = {seconds:.3g}, {tail} }}")


if __name__ == "__main__":
    main()
