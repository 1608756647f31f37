"""What the chains of modules of tools/torch_cuda_modules.py and torch_cuda_adapted.py are made of,
in calls of the models' traces, and the seconds of each call that they show together.

Counted off PyTorch's own record of its calls (torch.profiler): casts that autocast makes are those
of every weight and bias, of float32 data at each product that reads them, and of the gradient
behind an addition of two dtypes; a frozen weight is cast as often, and its cast has no gradient.
What copies a Whisper's heads is counted with its attention, whose chains have the copies, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

import numpy

Counts = dict[str, float]
Seconds = Mapping[tuple[str, str], float]  # by chain and direction

BEGIN = "begin"  # of a chain of modules that are no layers
OTHER = "other"  # a call that no chain tells
# Forward. What no gradient of a call's own name tells of stands in GRADIENTS.
CHAINS: dict[str, Counts] = {
    "linear": {"linear": 1},
    "product": {"matmul": 1},
    "layer_norm": {"layer_norm": 1},
    "gelu_tanh": {"gelu": 1},
    "gelu_erf": {"gelu": 1},
    "relu": {"relu": 1},
    "add": {"add": 1},
    "dropout": {"dropout": 1},
    "batch_norm": {"batch_norm": 1},
    "scaled_add": {"scale": 1, "add": 1},
    "norm_linear": {"linear": 1, "layer_norm": 1},
    "linear_add": {"linear": 1, "add": 1},
    "linear_attention": {"linear": 1, "attention_qkv": 1},
    "lora_linear": {"frozen": 1, "matmul": 2, "scale": 1, "add": 1},
    "adapted_block": {
        "frozen": 4,
        "matmul": 2,
        "scale": 1,
        "layer_norm": 2,
        "gelu": 1,
        "add": 3,
        "attention_qkv": 1,
    },
    "block": {"linear": 4, "layer_norm": 2, "gelu": 1, "add": 2, "attention_qkv": 1},
    "whisper_attention": {"linear": 3, "matmul": 1, "attention": 1},
    "whisper_layer": {
        "linear": 5,
        "matmul": 1,
        "layer_norm": 2,
        "gelu": 1,
        "add": 2,
        "attention": 1,
    },
    "whisper_decoder_layer": {
        "linear": 8,
        "matmul": 2,
        "layer_norm": 3,
        "gelu": 1,
        "add": 3,
        "attention": 2,
    },
    "conv2d": {"conv1d": 1},  # few channels lie as they are, as a Whisper's sounds do
}
WIDE = ("64", "128", "256", "512")  # channels of convolutions and of blocks of a ResNet
CHAINS |= {f"conv2d_{channels}": {"conv2d": 1} for channels in WIDE}
CHAINS |= {
    f"resnet_block_{channels}": {"conv2d": 2, "batch_norm": 2, "relu": 2, "add": 1}
    for channels in WIDE
}
SAME = {"plain_block": "block", "block_768": "block", "adapted_block_768": "adapted_block"}
SAME |= {"linear_768": "linear", "product_768": "product", "layer_norm_768": "layer_norm"}
SAME |= {f"{layer}_512": layer for layer in ("whisper_layer", "whisper_decoder_layer")}
# Modules of a model's own widths beside the same of a few elements.
WIDER = {name: name.rpartition("_")[0] for name in SAME if name.endswith(("_512", "_768"))}
WIDER["block_768"] = "plain_block"
# Four in a chain: what is run for the first time in a pass takes a part of them.
LAYERS = ("plain_block", "block_768", "whisper_layer", "whisper_decoder_layer", "adapted_block")
LAYERS += ("resnet_block_64", "resnet_block_512")
SHORT = {f"short_{name}": name for name in LAYERS}
SAME |= {short: SAME.get(name, name) for short, name in SHORT.items()}
CHAINS |= {name: CHAINS[other] for name, other in SAME.items()}
# What transformers computes by several kernels, each a call of ours, and its gradient's call: timed
# apart from the others.
COMPOSITES = {"rms_norm": "rms_norm_backward", "silu_gate": "silu_gate_backward"}
COMPOSITES["rotary"] = "rotary"
# Attention whose keys serve several heads has no kernel of its own outside 16 bits: these, in place
# of the fused one, and a mask, which is told by what such a layer takes more than another.
MASKED = {"forward": "causal_mask", "backward": "causal_mask_backward"}
UNFUSED = {
    "forward": {"matmul": 2, "scale": 2, OTHER: 4},  # softmax, its check, keys and values repeated
    "backward": {"matmul": 4, "scale": 2, "sum": 2, OTHER: 2},
}
# Calls of a gradient; else one of its own. A frozen layer has that of its data alone.
GRADIENTS: dict[str, Counts] = {
    "linear": {"matmul": 2, "sum": 1},
    "matmul": {"matmul": 2},
    "frozen": {"matmul": 1},
    "add": {"add": 1},
    "scale": {"scale": 1},
    "dropout": {"dropout": 1},
}
# Sums of gradients of data that more than one product reads, beside those of residuals.
SUMS = {"whisper_attention": 2, "whisper_layer": 2, "whisper_decoder_layer": 4}
SUMS |= {name: SUMS[other] for name, other in SAME.items() if other in SUMS}
CASTS = {  # forward and backward
    "linear": (2, 2),
    "product": (1, 1),
    "norm_linear": (3, 4),
    "linear_add": (3, 4),
    "linear_attention": (2, 2),
    "lora_linear": (4, 2),
    "adapted_block": (13, 7),
    "block": (10, 12),
    "whisper_attention": (7, 7),
    "whisper_layer": (15, 17),
    "whisper_decoder_layer": (25, 28),
}
CASTS |= {f"conv2d_{channels}": (1, 1) for channels in WIDE}
CASTS |= {f"resnet_block_{channels}": (2, 2) for channels in WIDE}
CASTS |= {name: CASTS[other] for name, other in SAME.items() if other in CASTS}
# Their kernels differ by dtype: convolutions are laid out anew, attention is another library's.
BY_DTYPE = ("conv2d", "attention", "attention_qkv")
KINDS = {"": "float32", "_tf32": "tf32", "_autocast": "float16"}
DEPTH, FEW = 24, 4  # modules of a chain
STEPS, FLOOR = 60, 0.01


def calls_of(name: str, kind: str, direction: str) -> Counts:
    """Of one module of a chain, `kind` a key of KINDS."""
    found: Counts = {}
    for op, count in CHAINS[name].items():
        forward = {"linear" if op == "frozen" else op: 1.0}
        own = forward if direction == "forward" else GRADIENTS.get(op, {f"{op}_backward": 1.0})
        for call, each in own.items():
            by_dtype = call.removesuffix("_backward") in BY_DTYPE
            key = f"{call}.{KINDS[kind]}" if by_dtype else call
            found[key] = found.get(key, 0.0) + count * each
    if direction == "backward" and name in SUMS:
        found["add"] = found.get("add", 0.0) + SUMS[name]
    if kind == "_autocast" and name in CASTS:
        found["cast"] = float(CASTS[name][direction == "backward"])
    return found


def once_s(times: Seconds, direction: str) -> list[float]:
    """What chains of layers take once, whose code and data other passes have not used: from what a
    layer takes more where four share it. Also the start of a backward pass."""
    found = []
    for short, name in SHORT.items():
        for kind in KINDS:
            few, many = (short + kind, direction), (name + kind, direction)
            if few in times and many in times:
                found.append((times[few] - times[many]) / (1 / FEW - 1 / DEPTH))
    return found


def rows_of(times: Seconds, direction: str, once: float) -> list[tuple[Counts, float]]:
    """Calls and seconds of every chain that was timed, but for what layers take once. Other modules
    take something to begin with too."""
    rows = []
    for name in CHAINS:
        for kind in KINDS:
            key = (f"{name}{kind}", direction)
            if key not in times or (name == "conv2d" and kind):
                continue
            depth = FEW if name in SHORT else DEPTH
            calls = calls_of(name, kind, direction)
            if is_layer(name):
                rows.append((calls, times[key] - once / depth))
            else:
                rows.append((calls | {BEGIN: 1 / depth}, times[key]))
    return rows


def wider(times: Seconds, direction: str) -> list[float]:
    """What modules take at a model's own widths over what they take at a few elements."""
    return [
        times[name + kind, direction] / times[other + kind, direction]
        for name, other in WIDER.items()
        for kind in KINDS
        if (name + kind, direction) in times and (other + kind, direction) in times
    ]


def is_layer(name: str) -> bool:
    return "block" in name or name.startswith(("whisper_layer", "whisper_decoder", "short_"))


def composites(times: Seconds, direction: str, solved: Counts) -> Counts:
    """Seconds of each composite call, of one host's chains: at the pace at which the chains beside
    them take what `solved` says."""

    def parts(counts: Counts) -> float:
        return sum(count * solved[call] for call, count in counts.items())

    known = rows_of(times, direction, 0.0)
    pace = median(seconds / parts(counts) for counts, seconds in known)
    found = {}
    for forward, backward in COMPOSITES.items():
        keys = [(forward + kind, direction) for kind in KINDS]
        seconds = median(times[key] for key in keys if key in times)
        call = forward if direction == "forward" else backward
        found[call] = seconds / pace - solved[BEGIN] / DEPTH
    own, layer = ("llama_grouped_layer", direction), ("llama_layer", direction)
    if own in times and layer in times:
        fused = "attention_backward" if direction == "backward" else "attention"
        unfused = parts(UNFUSED[direction]) - solved[f"{fused}.float32"]
        found[MASKED[direction]] = (times[own] - times[layer]) / pace - unfused
    return found


def solve(rows: list[tuple[Counts, float]]) -> Counts:
    """Seconds of each call that make the sums of the chains right: least distances, as parts."""
    calls = sorted({call for counts, _ in rows for call in counts})
    parts = numpy.array([[counts.get(c, 0.0) / seconds for c in calls] for counts, seconds in rows])
    wanted, weights = numpy.ones(len(rows)), numpy.ones(len(rows))
    found = wanted
    for _ in range(STEPS):  # weighted squares that become distances: a row that is off moves little
        found = numpy.linalg.lstsq(parts * weights[:, None], wanted * weights, rcond=None)[0]
        weights = numpy.maximum(abs(parts @ found - wanted), FLOOR) ** -0.5
    return dict(zip(calls, map(float, found), strict=True))
