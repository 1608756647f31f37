"""What a call costs the host under PyTorch; used by measure_torch_cuda.py.

Wall times of chains of modules on tensors of a few elements, so that the device is never waited
for: forward, and backward with gradients that start as none, as a step has them.
"""

import contextlib
import statistics
import time

import torch
import torch.nn.functional as F
from host_pace import PACERS, pace_of, reference
from torch import nn
from torch_cuda_models import make
from torch_cuda_modules import chains, whole_ends

DEPTH = 24
TURNS = 6


def clock(call, after=torch.cuda.synchronize):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    result = call()
    spent = time.perf_counter() - begin
    after()
    return spent, result


class Chain:
    """DEPTH modules, each behind the one before."""

    def __init__(self, make, shape):
        self.modules = nn.ModuleList([make() for _ in range(DEPTH)]).cuda()
        self.leaf = torch.randn(*shape, device="cuda", requires_grad=True)

    def samples(self, dtype, count):
        """(forward, backward) host seconds a module."""
        context = torch.autocast("cuda", dtype=dtype) if dtype else contextlib.nullcontext()

        def forward():
            y = self.leaf
            with context:
                for m in self.modules:
                    y = m(y)
            return y

        found = []
        for _ in range(count):
            self.leaf.grad = None
            self.modules.zero_grad(set_to_none=True)
            f, y = clock(forward)
            dy = torch.ones_like(y)
            b, _ = clock(lambda y=y, dy=dy: y.backward(dy))
            found.append((f / DEPTH, b / DEPTH))
        return found


def rows_of(name, dims, directions, samples):
    rows = []
    for i, direction in enumerate(directions):
        values = sorted(s[i] for s in samples)
        median = statistics.median(values)
        spread = (values[3 * len(values) // 4] - values[len(values) // 4]) / median
        rows.append([name, dims, "float32", direction, f"{median:.4e}", f"{spread:.3f}"])
    return rows


def modules():
    """Every chain in turn, several times over: a host whose pace wanders slows all of them."""
    made = {name: Chain(make, shape) for name, (make, shape) in chains().items()}
    kinds = (("", None), ("_autocast", torch.float16), ("_tf32", None))
    found = {}
    for turn in range(TURNS + 1):
        for label, dtype in kinds:
            torch.backends.cudnn.allow_tf32 = label != ""
            for name, chain in made.items():
                if label == "_tf32" and not name.startswith("conv2d"):
                    continue  # convolutions alone launch other kernels
                samples = chain.samples(dtype, 14)[4:]
                if turn:  # in the first the processor and the libraries warm up
                    found.setdefault(name + label, []).extend(samples)
    rows = []
    for name, samples in found.items():
        rows += rows_of(f"host.module.{name}", f"depth={DEPTH}", ("forward", "backward"), samples)
    return rows


def rounds(model, loss_of, dtype, count, warm=8):
    """(forward, backward) host seconds of `count` rounds after `warm` others."""
    context = torch.autocast("cuda", dtype=dtype) if dtype else contextlib.nullcontext()

    def forward():
        with context:
            return loss_of()

    samples = []
    for _ in range(warm + count):
        model.zero_grad(set_to_none=True)
        f, y = clock(forward)
        dy = torch.ones_like(y) if y.dim() else None
        b, _ = clock(lambda y=y, dy=dy: y.backward(dy))
        samples.append((f, b))
    return samples[warm:]


def models_without_layers():
    """Each in turn, several times over: again and again, and once behind a pass of other modules
    and an optimizer's step, as a training step runs what it runs once."""
    made = {name: make() for name, make in whole_ends().items()}
    make_other, shape = chains()["whisper_layer"]
    other = Chain(make_other, shape)
    optimizer = torch.optim.AdamW(other.modules.parameters(), lr=1e-4)
    kinds = (("", None), ("_autocast", torch.float16))
    found = {}
    for turn in range(TURNS + 1):
        for label, dtype in kinds:
            for name, (model, loss_of) in made.items():
                other.samples(dtype, 1)
                optimizer.step()
                once = rounds(model, loss_of, dtype, 1, warm=0)
                samples = rounds(model, loss_of, dtype, 8)
                if turn:
                    found.setdefault("once." + name + label, []).extend(once)
                    found.setdefault(name + label, []).extend(samples)
    rows = []
    for name, samples in found.items():
        rows += rows_of(f"host.{name}", "", ("forward", "backward"), samples)
    return rows


# Modules as models hold them, for what their parts take within a step.
WHOLES = ("block", "whisper_layer", "whisper_decoder_layer", "resnet_block")


def steps_of_wholes(seconds=3.0):
    """Forward and backward seconds of 24 whole layers between an optimizer's steps, where the
    layers' code and data aren't at hand any more when their turn comes. Each turn stands beside all
    pacers and is told at their median pace: a host whose pace wanders slows both."""
    every = chains()
    pacers = {name: Chain(*every[name]) for name in PACERS}
    turns = []
    for label, dtype in (("", None), ("_autocast", torch.float16)):
        for name in WHOLES:
            chain = Chain(*every[name])
            optimizer = torch.optim.AdamW(chain.modules.parameters(), lr=1e-4)
            begin, count = time.perf_counter(), 0
            while time.perf_counter() - begin < seconds or count < 12:
                alone = {pacer: pacers[pacer].samples(None, 2)[1] for pacer in PACERS}
                whole = chain.samples(dtype, 1)[0]
                clock(optimizer.step)
                count += 1
                if count > 4:
                    turns.append((name + label, whole, alone, sum(map(sum, alone.values()))))
    common, ways = statistics.median(turn[3] for turn in turns), ("forward", "backward")
    found = {}
    for name, whole, alone, pace in turns:
        rows = {f"host.step.{name}": whole, **{f"host.module.{p}": s for p, s in alone.items()}}
        for row, sample in rows.items():
            found.setdefault(row, []).append(tuple(s * common / pace for s in sample))
    return [
        row
        for name, samples in found.items()
        for row in rows_of(name, f"depth={DEPTH}", ways, samples)
    ]


def ends():
    """The first and the last of a model: rows of a table, and the loss."""
    index = torch.randint(0, 64, (32,), device="cuda")
    table = torch.randn(64, 32, device="cuda", requires_grad=True)
    logits = torch.randn(32, 64, device="cuda", requires_grad=True)
    rows = []
    for name, call, leaf in (
        ("embedding", lambda: F.embedding(index, table), table),
        ("cross_entropy", lambda: F.cross_entropy(logits, index), logits),
    ):
        samples = []
        for _ in range(60):
            leaf.grad = None
            f, y = clock(call)
            dy = torch.ones_like(y)
            b, _ = clock(lambda y=y, dy=dy: y.backward(dy))
            samples.append((f, b))
        rows += rows_of(f"host.{name}", "", ("forward", "backward"), samples[10:])
    return rows


def optimizers():
    """Steps on parameters of a few elements: what a tensor costs, and the step itself."""
    rows = []
    for tensors in (12, 148, 292, 580):
        parameters = [torch.randn(32, device="cuda", requires_grad=True) for _ in range(tensors)]
        dims = f"tensors={tensors}"
        kinds = {
            "adamw_foreach": torch.optim.AdamW(parameters, lr=1e-3),
            "adamw_fused": torch.optim.AdamW(parameters, lr=1e-3, fused=True),
            "sgd_foreach": torch.optim.SGD(parameters, lr=1e-3, momentum=0.9),
        }
        gradients = [torch.randn_like(p) for p in parameters]

        def fill(parameters=parameters, gradients=gradients):
            for p, g in zip(parameters, gradients, strict=True):
                p.grad = g

        for name, optimizer in kinds.items():
            samples = []
            for _ in range(40):
                fill()
                step, _ = clock(optimizer.step)
                zero, _ = clock(lambda o=optimizer: o.zero_grad(set_to_none=True))
                samples.append((step, zero))
            rows += rows_of(f"host.{name}", dims, ("step", "zero_grad"), samples[10:])
        scaler = torch.amp.GradScaler("cuda")
        scaler.scale(torch.ones(1, device="cuda"))
        optimizer, samples = kinds["adamw_foreach"], []
        for _ in range(40):
            fill()
            unscale, _ = clock(lambda s=scaler, o=optimizer: s.unscale_(o))
            step, _ = clock(lambda s=scaler, o=optimizer: s.step(o))
            update, _ = clock(scaler.update)
            samples.append((unscale, step, update))
        rows += rows_of("host.grad_scaler", dims, ("unscale", "step", "update"), samples[10:])
        samples = []
        for _ in range(30):
            fill()
            samples.append((clock(lambda p=parameters: nn.utils.clip_grad_norm_(p, 1.0))[0],))
        rows += rows_of("host.clip", dims, ("step",), samples[10:])
    return rows


def optimizers_of_models():
    """AdamW on all tensors of a model behind a pass of blocks, as a step runs it; then gradients
    are set to none and let go."""
    rows = []
    for what in ("gpt2-small batch=1 seq=64", "whisper-tiny batch=1 label_len=8", "simclr"):
        model, _ = make(what if " " in what else "simclr-resnet18 batch=2 image=32")
        parameters = list(p for p in model.parameters() if p.requires_grad)
        optimizer = torch.optim.AdamW(parameters, lr=1e-4)
        make_other, shape = chains()["block"]
        other = Chain(make_other, shape)
        samples = []
        for _ in range(24):
            for p in parameters:
                p.grad = torch.zeros_like(p)
            other.samples(None, 1)
            step, _ = clock(optimizer.step)
            zero, _ = clock(lambda o=optimizer: o.zero_grad(set_to_none=True))
            samples.append((step, zero))
        dims, ways = f"tensors={len(parameters)}", ("step", "zero_grad")
        rows += rows_of("host.once.adamw_foreach", dims, ways, samples[6:])
    return rows


def host():
    torch.backends.cuda.matmul.allow_tf32 = False
    return modules() + ends() + models_without_layers() + optimizers() + optimizers_of_models()


def pace(seconds=20.0):
    """This host's (host_pace.py): all pacers in turn, again and again for so long; in the first
    turn processor and libraries warm up."""
    torch.backends.cuda.matmul.allow_tf32 = False
    every, found, turns = chains(), {}, 0
    made = {name: Chain(*every[name]) for name in PACERS}
    begin = time.perf_counter()
    while turns < 2 or time.perf_counter() - begin < seconds:
        for kind, dtype in (("", None), ("_autocast", torch.float16)):
            for name, chain in made.items():
                samples = chain.samples(dtype, 14)[4:]
                if turns:
                    found.setdefault(f"host.module.{name}{kind}", []).extend(samples)
        turns += 1
    times = {
        (name, way): statistics.median(sample[i] for sample in samples)
        for name, samples in found.items()
        for i, way in enumerate(("forward", "backward"))
    }
    return pace_of(times, reference())


def wholes():
    """Alone: on a machine of its own, since it holds its own pacers."""
    torch.backends.cuda.matmul.allow_tf32 = False
    return steps_of_wholes()
