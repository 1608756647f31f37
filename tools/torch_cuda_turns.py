"""What parts of a training step cost the host, all in turn beside one yardstick; used by
measure_torch_cuda.py.

A host's pace wanders by a third within minutes, which hides what one part takes more than another.
Here every part runs once a turn, in another order each time, behind other parts; before each of
them the same chains run, and a part's seconds are told at the median of what those took in all
turns. Rows: host.turn.<chain>, forward and backward of a module; host.module.<pacer>, the chains
that tell a host's pace, again and again; host.once.<model without layers>; host.step.<layer>,
between steps of an optimizer of its own; host.once.adamw_foreach and host.step.adamw_foreach.
"""

import random
import statistics
import time

import torch
from host_pace import PACERS
from torch import nn
from torch_cuda_adapted import containers, every_chain, parameter_sets
from torch_cuda_host import DEPTH, Chain, clock, rounds
from torch_cuda_modules import whole_ends

YARDSTICK = ("linear", "layer_norm", "linear_attention")
LAYERS = ("plain_block", "block_768", "whisper_layer", "whisper_decoder_layer", "adapted_block")
LAYERS += ("resnet_block_64", "resnet_block_512", "adapted_block_768")
LAYERS += ("whisper_layer_512", "whisper_decoder_layer_512")
FEW = 4  # layers of a short chain
KINDS = {"": (None, False), "_autocast": (torch.float16, True), "_tf32": (None, True)}
WAYS = ("forward", "backward")
OPTIMIZER = "step_and_zero_grad"


class Short(Chain):
    """The first modules of a chain."""

    def __init__(self, chain):
        self.modules, self.leaf = nn.ModuleList(list(chain.modules)[:FEW]), chain.leaf

    def samples(self, dtype, count):
        whole = super().samples(dtype, count)  # told for each of DEPTH
        return [tuple(seconds * DEPTH / FEW for seconds in sample) for sample in whole]


def kinds_of(name):
    convolves = name.startswith(("conv2d", "resnet_block"))
    return [kind for kind in KINDS if convolves or kind != "_tf32"]


def one(chain, kind, count=1):
    """(forward, backward) seconds a module, of the last of so many rounds."""
    dtype, torch.backends.cudnn.allow_tf32 = KINDS[kind]
    return chain.samples(dtype, count)[-1]


def middle(samples):
    return tuple(statistics.median(seconds) for seconds in zip(*samples, strict=True))


def chain_parts():
    """(row, ways, a function that returns the seconds of each way)."""
    for name, (make, shape) in every_chain().items():
        chain = Chain(make, shape)
        for kind in kinds_of(name):
            yield f"host.turn.{name}{kind}", WAYS, lambda c=chain, k=kind: one(c, k)
            if name in PACERS:
                again = lambda c=chain, k=kind: middle([one(c, k, 5) for _ in range(5)])  # noqa: E731
                yield f"host.module.{name}{kind}", WAYS, again
            if name in LAYERS:
                short = Short(chain)
                yield f"host.turn.short_{name}{kind}", WAYS, lambda c=short, k=kind: one(c, k)
                yield f"host.step.{name}{kind}", (*WAYS, OPTIMIZER), in_steps(chain, kind)
                yield f"host.step.short_{name}{kind}", (*WAYS, OPTIMIZER), in_steps(short, kind)


def in_steps(chain, kind):
    optimizer = torch.optim.AdamW([p for p in chain.modules.parameters() if p.requires_grad])

    def run():
        found = []
        for _ in range(4):
            sample = one(chain, kind)
            step, _ = clock(optimizer.step)
            zero, _ = clock(lambda: optimizer.zero_grad(set_to_none=True))
            found.append((*sample, step + zero))
        return middle(found[1:])

    run.tensors = len(optimizer.param_groups[0]["params"])
    return run


def end_parts():
    """Models without layers, and with a few: once, behind others."""
    models = {name: make() for name, make in whole_ends().items()} | containers()
    for name, model_and_loss in models.items():
        for kind in ("", "_autocast"):
            dtype = KINDS[kind][0]
            run = lambda m=model_and_loss, d=dtype: rounds(*m, d, 1, warm=0)[0]  # noqa: E731
            yield f"host.once.{name}{kind}", WAYS, run


def optimizer_parts():
    for count, parameters in parameter_sets().items():
        ways = ("step", "zero_grad", "unscale")
        yield f"host.once.adamw_foreach tensors={count}", ways, optimizer_run(parameters)


def optimizer_run(parameters):
    optimizer = torch.optim.AdamW(parameters, lr=1e-4)
    scaler = torch.amp.GradScaler("cuda")
    scaler.scale(torch.ones(1, device="cuda"))

    def run():
        for p in parameters:
            p.grad = torch.zeros_like(p)
        unscale, _ = clock(lambda: scaler.unscale_(optimizer))
        scaler.update()
        step, _ = clock(optimizer.step)
        zero, _ = clock(lambda: optimizer.zero_grad(set_to_none=True))
        return step, zero, unscale

    return run


class Yardstick:
    """Host seconds of a few chains, forward and backward, in both formats."""

    def __init__(self):
        every = every_chain()
        self.chains = [Chain(*every[name]) for name in YARDSTICK]

    def seconds(self):
        return sum(sum(one(c, kind)) for c in self.chains for kind in ("", "_autocast")) * DEPTH


def turns(parts, seconds):
    """By part, (seconds by way, the yardstick's before it) of each turn but the first."""
    yardstick, found = Yardstick(), {name: [] for name, _, _ in parts}
    begin, turn, order = time.perf_counter(), 0, random.Random(0)
    while turn < 3 or time.perf_counter() - begin < seconds:
        order.shuffle(parts)
        for name, _, run in parts:
            beside = yardstick.seconds()
            sample = run()
            if turn:
                found[name].append((sample, beside))
        turn += 1
    return found


def rows_of_turns(parts, found):
    common = statistics.median(beside for turns in found.values() for _, beside in turns)
    rows, updates = [], {}
    for name, ways, run in sorted(parts, key=lambda part: part[0]):
        op, *dims = name.split()
        if not dims and "once" not in op:
            dims = [f"depth={FEW if 'short_' in op else DEPTH}"]
        for i, way in enumerate(ways):
            values = [common * sample[i] / beside for sample, beside in found[name]]
            if way == OPTIMIZER:
                updates.setdefault(run.tensors, []).extend(values)
            else:
                rows.append(row(op, " ".join(dims), way, values))
    step = "host.step.adamw_foreach"
    return rows + [row(step, f"tensors={n}", OPTIMIZER, updates[n]) for n in sorted(updates)]


def row(op, dims, way, values):
    low, median, high = statistics.quantiles(values, n=4)
    return [op, dims, "float32", way, f"{median:.4e}", f"{(high - low) / median:.3f}"]


def layers_in_steps(seconds=150.0):
    """Whole layers of models between an optimizer's steps alone, beside the chains that tell a
    host's pace: what one kind of layer takes more than another."""
    torch.backends.cuda.matmul.allow_tf32 = False
    parts = [p for p in chain_parts() if p[0].startswith(("host.step.", "host.module."))]
    parts = [p for p in parts if "short_" not in p[0]]
    return rows_of_turns(parts, turns(parts, seconds))


def in_turns(seconds=420.0):
    torch.backends.cuda.matmul.allow_tf32 = False
    parts = [*chain_parts(), *end_parts(), *optimizer_parts()]
    return rows_of_turns(parts, turns(parts, seconds))
