"""Host costs by operation (issue.<vendor>.<phase>.<op>_s) of a framework file.

    python tools/fit_host.py --device h200 [--record h200_ops]

Differences of chains of modules of a packaged record, measured by tools/measure_torch_cuda.py: of
each machine alone, whose pace they share and are freed of, then the median over machines. What
begins a pass are models without layers, which other modules ran before, less what their calls cost
in chains. No training step is read. Prints TOML.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import host_pace
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


def machines(record: str) -> list[Times]:
    """Host seconds of each machine of the record, at the median machine's pace."""
    every = list(raw_machines(record))
    paces = [pace(times, every, set(host_pace.ROWS)) for times in every]
    paced = [freed(t, p) for t, p in zip(every, paces, strict=True) if p]
    # Machines without those chains are held against what the others have at the common pace.
    paces = [p or pace(t, paced, None) for t, p in zip(every, paces, strict=True)]
    return [freed(t, p) for t, p in zip(every, paces, strict=True) if p]


def pace(times: Times, every: list[Times], names: set[str] | None) -> float | None:
    """How much longer a machine takes than the median of all; none without rows in common."""
    ratios = []
    for key, seconds in times.items():
        others = [t[key] for t in every if key in t]
        if others and (names is None or key[0] in names):
            ratios.append(seconds / median(others))
    return median(ratios) if ratios else None


def freed(times: Times, pace: float) -> Times:
    return {key: seconds / pace for key, seconds in times.items()}


def raw_machines(record: str) -> Iterator[Times]:
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
    every = machines(record)
    for times in every:
        for key, seconds in host_of(times).items():
            found.setdefault(key, []).append(seconds)
    return with_ends(as_layers_hold({k: median(v) for k, v in found.items()}, every), every)


# Calls that layers are made of, forward; a linear layer's gradient is two products and a sum.
LAYERS = {
    "block": {"linear": 4, "layer_norm": 2, "gelu_tanh": 1, "add": 2, "attention_qkv": 1},
    "whisper_layer": {
        "linear": 5,
        "matmul": 1,
        "layer_norm": 2,
        "gelu_erf": 1,
        "add": 2,
        "attention": 1,
    },
    "whisper_decoder_layer": {
        "linear": 8,
        "matmul": 2,
        "layer_norm": 3,
        "gelu_erf": 1,
        "add": 3,
        "attention": 2,
    },
    "resnet_block": {"conv1d": 2, "batch_norm": 2, "relu": 2, "add": 1},
}
CASTS["resnet_block"] = (4, 4)
GRADIENTS = {
    "linear": {"matmul": 2, "sum": 1},
    "matmul": {"matmul": 2},
    "add": {"add": 1},
    "conv1d": {"conv1d_data_backward": 1, "conv1d_weight_backward": 1},
}


def parts_of(layer: str, direction: str, found: dict[str, float]) -> float:
    """Seconds of the calls that a layer is made of."""
    seconds = 0.0
    for op, count in LAYERS[layer].items():
        own = {op: 1} if direction == "forward" else GRADIENTS.get(op, {f"{op}_backward": 1})
        seconds += count * sum(n * found[f"{direction}.{part}"] for part, n in own.items())
    return seconds


def as_layers_hold(found: dict[str, float], every: list[Times]) -> dict[str, float]:
    """Each direction's calls times what whole layers, in chains of their own and between an
    optimizer's steps, take beyond the sum of their parts: chains of one module are at hand all the
    time, and layers have code of their own. The median over machines and layers."""
    result = dict(found)
    for i, direction in enumerate(("forward", "backward")):
        beyond = []
        for layer in LAYERS:
            for kind in ("", "_autocast"):
                casts = CASTS[layer][i] * found[f"{direction}.cast_float16"] if kind else 0.0
                parts = parts_of(layer, direction, found) + casts
                keys = [(f"host.{way}.{layer}{kind}", direction, 0) for way in ("module", "step")]
                beyond += [t[key] / parts for t in every for key in keys if key in t]
        for key in found:
            if beyond and key.startswith(direction):
                result[key] *= median(beyond)
    return result


# Calls of models without layers (tools/torch_cuda_modules.py), with how often.
GPT2_ENDS = {"bias": 1, "layer_norm": 1, "matmul": 1, "cross_entropy": 1}
SIMCLR_ENDS = {"matmul": 3, "batch_norm": 2, "relu": 1}
WHISPER_ENDS = {"embedding": 1, "conv1d": 2, "gelu_erf": 2, "bias": 2, "layer_norm": 2}
WHISPER_ENDS |= {"matmul": 1, "cross_entropy": 1}


def with_ends(found: dict[str, float], every: list[Times]) -> dict[str, float]:
    """And what models without layers show: tables of tokens with their positions, a contrastive
    loss, what begins a pass, what comes before a decoder."""

    def end(name: str, direction: str) -> float:
        key = (f"host.{name}", direction, 0)
        return median(times[key] for times in every if key in times)

    def calls(counts: dict[str, int]) -> float:
        return sum(count * found[f"forward.{op}"] for op, count in counts.items())

    found["forward.embedding"] = end("gpt2_ends", "forward") - calls(GPT2_ENDS)
    loss = end("simclr_ends", "forward") - calls(SIMCLR_ENDS)
    found["forward.normalise"] = found["forward.nt_xent"] = loss / 2
    backward = {"matmul": 6, "batch_norm_backward": 2, "relu_backward": 1}
    known = sum(n * found[f"backward.{op}"] for op, n in backward.items())
    begin = end("scalar_loss", "backward")
    loss = end("simclr_ends", "backward") - begin - known
    found["backward.normalise_backward"] = found["backward.nt_xent_backward"] = loss / 2
    once = {
        name: end(f"once.{name}", "forward") - end(name, "forward")
        for name in ("gpt2_ends", "simclr_ends", "whisper_ends")
    }
    found["forward.pass"] = median(once.values())
    found["backward.pass"] = end("once.scalar_loss", "backward")
    # Tensors as large as a model's, whose gradients are let go, cost more than those of chains.
    each = [
        (seconds + times[name, "zero_grad", tensors]) / tensors
        for times in every
        for (name, way, tensors), seconds in times.items()
        if name == "host.once.adamw_foreach" and way == "step"
    ]
    found["optimizer.adamw"] = median(each)
    whole = end("once.whisper_ends", "forward")
    found["forward.decoder"] = whole - found["forward.pass"] - calls(WHISPER_ENDS)
    return found


def host_of(times: Times) -> dict[str, float]:
    """Those of one machine that it has the rows for."""
    found: dict[str, float] = {}
    for direction in ("forward", "backward"):
        if ("host.module.batch_norm", direction, 0) in times:  # not pacers and whole layers alone
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
        found["forward.conv1d"] = module("conv2d")
        # Channels that fill a tile are laid out anew, by kernels of their own.
        if ("host.module.conv2d_wide", direction, 0) in times:
            found["forward.conv2d"] = module("conv2d_wide")
        return found
    found["backward.matmul"], found["backward.sum"] = product / 2, linear - product
    for of in ("data", "weight"):
        found[f"backward.conv1d_{of}_backward"] = module("conv2d") / 2
        if ("host.module.conv2d_wide", direction, 0) in times:
            found[f"backward.conv2d_{of}_backward"] = module("conv2d_wide") / 2
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
    """Seconds a tensor: the median over their numbers of the slope from the fewest, since a host's
    pace wanders between any two; and of a step what the fewest take beyond that. Setting gradients
    to none is an optimizer's too."""
    fewest, numbers = 12, (148, 292, 580)
    found = {}
    for op, rows in (
        ("adamw", (("adamw_foreach", "step"), ("adamw_foreach", "zero_grad"))),
        ("sgd", (("sgd_foreach", "step"), ("sgd_foreach", "zero_grad"))),
        ("unscale", (("grad_scaler", "unscale"),)),
        ("clip", (("clip", "step"),)),
    ):
        if any((f"host.{n}", way, many) not in times for n, way in rows for many in numbers):
            continue

        def seconds(many: int, rows: tuple[tuple[str, str], ...] = rows) -> float:
            return sum(times[f"host.{name}", way, many] for name, way in rows)

        each = median((seconds(many) - seconds(fewest)) / (many - fewest) for many in numbers)
        found[f"optimizer.{op}"] = each
        if op == "adamw":
            found["optimizer.pass"] = max(seconds(fewest) - fewest * each, 0.0)
    return found


def main() -> None:
    arguments = fit_arguments(__doc__)
    print(f"[issue.{sp.device(arguments.device).vendor}]")
    for key, seconds in host(arguments.record).items():
        tail = f'kind = "measured", source = "{arguments.source}", relative_error = 0.35'
        print(f"{key}_s = {{ value = {seconds:.3g}, {tail} }}")


if __name__ == "__main__":
    main()
