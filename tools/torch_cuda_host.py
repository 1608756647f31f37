"""What a call costs the host under PyTorch; used by measure_torch_cuda.py.

Wall times of chains of modules on tensors of a few elements, so that the device is never waited
for: forward, and backward with gradients that start as none, as a step has them.
"""

import contextlib
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn

DEPTH = 24


def clock(call, after=torch.cuda.synchronize):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    result = call()
    spent = time.perf_counter() - begin
    after()
    return spent, result


class Attention(nn.Module):
    """Heads of a product of all three, or of three products."""

    def __init__(self, packed):
        super().__init__()
        self.packed = packed
        self.inner = nn.ModuleList(
            [nn.Linear(32, 96)] if packed else [nn.Linear(32, 32) for _ in range(3)]
        )

    def forward(self, x):
        parts = self.inner[0](x).split(32, dim=2) if self.packed else [m(x) for m in self.inner]
        q, k, v = (p.view(1, 32, 2, 16).transpose(1, 2) for p in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y.transpose(1, 2).contiguous().view(1, 32, 32)


class Block(nn.Module):
    """All of a transformer's block, to hold the sum of its parts against."""

    def __init__(self):
        super().__init__()
        self.attention, self.out = Attention(True), nn.Linear(32, 32)
        self.ln_1, self.ln_2 = nn.LayerNorm(32), nn.LayerNorm(32)
        self.wide, self.narrow = nn.Linear(32, 128), nn.Linear(128, 32)
        self.gelu = nn.GELU(approximate="tanh")

    def forward(self, x):
        x = x + self.out(self.attention(self.ln_1(x)))
        return x + self.narrow(self.gelu(self.wide(self.ln_2(x))))


class Residual(nn.Module):
    def forward(self, x):
        return x + x


class WhisperAttention(nn.Module):
    """Attention of three products as transformers' models write it."""

    def __init__(self):
        super().__init__()
        from transformers import WhisperConfig
        from transformers.models.whisper.modeling_whisper import WhisperAttention as Theirs

        config = WhisperConfig(d_model=32, attn_implementation="sdpa")
        self.inner = Theirs(embed_dim=32, num_heads=2, is_decoder=False, config=config)

    def forward(self, x):
        return self.inner(x)[0]


class WhisperLayer(nn.Module):
    """A whole layer of an encoder, to hold the sum of its parts against."""

    def __init__(self):
        super().__init__()
        from transformers import WhisperConfig
        from transformers.models.whisper.modeling_whisper import WhisperEncoderLayer

        self.inner = WhisperEncoderLayer(
            WhisperConfig(
                d_model=32,
                encoder_attention_heads=2,
                encoder_ffn_dim=128,
                attn_implementation="sdpa",
            )
        )

    def forward(self, x):
        y = self.inner(x, None)
        return y[0] if isinstance(y, tuple) else y


def chains():
    flat, image = (1, 32, 32), (2, 4, 8, 8)
    return {
        "linear": (lambda: nn.Linear(32, 32), flat),
        "product": (lambda: nn.Linear(32, 32, bias=False), flat),
        "layer_norm": (lambda: nn.LayerNorm(32), flat),
        "gelu_tanh": (lambda: nn.GELU(approximate="tanh"), flat),
        "relu": (nn.ReLU, flat),
        "add": (Residual, flat),
        "dropout": (lambda: nn.Dropout(0.1), flat),
        "linear_attention": (lambda: Attention(True), flat),
        "three_linear_attention": (lambda: Attention(False), flat),
        "block": (Block, flat),
        "whisper_attention": (WhisperAttention, flat),
        "whisper_layer": (WhisperLayer, flat),
        "conv2d": (lambda: nn.Conv2d(4, 4, 3, padding=1, bias=False), image),
        "batch_norm": (lambda: nn.BatchNorm2d(4), image),
    }


def chain(make, shape, dtype):
    modules = nn.ModuleList([make() for _ in range(DEPTH)]).cuda()
    leaf = torch.randn(*shape, device="cuda", requires_grad=True)
    context = torch.autocast("cuda", dtype=dtype) if dtype else contextlib.nullcontext()

    def forward():
        y = leaf
        with context:
            for m in modules:
                y = m(y)
        return y

    samples = []
    for _ in range(120):
        leaf.grad = None
        modules.zero_grad(set_to_none=True)
        f, y = clock(forward)
        dy = torch.ones_like(y)
        b, _ = clock(lambda y=y, dy=dy: y.backward(dy))
        samples.append((f / DEPTH, b / DEPTH))
    return samples[40:]


def rows_of(name, dims, directions, samples):
    rows = []
    for i, direction in enumerate(directions):
        values = sorted(s[i] for s in samples)
        median = statistics.median(values)
        spread = (values[3 * len(values) // 4] - values[len(values) // 4]) / median
        rows.append([name, dims, "float32", direction, f"{median:.4e}", f"{spread:.3f}"])
    return rows


def modules():
    rows = []
    chain(*chains()["linear"], None)  # the processor and the libraries warm up
    for label, dtype in (("", None), ("_autocast", torch.float16)):
        for name, (make, shape) in chains().items():
            samples = chain(make, shape, dtype)
            rows += rows_of(
                f"host.module.{name}{label}", f"depth={DEPTH}", ("forward", "backward"), samples
            )
    return rows


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


def host():
    torch.backends.cuda.matmul.allow_tf32 = False
    return modules() + ends() + optimizers()
