"""Operations of ours that transformers computes by several kernels each, as LLaMA has them: a norm
by root mean squares, a rotation by positions, a gate; used by measure_torch_cuda.py.

Their kernels on the device, and what they cost the host: chains of them in turn with those that
tell its pace, and whole layers to hold the sums against.
"""

import torch
import torch.nn.functional as F
from host_pace import PACERS
from torch import nn
from torch_cuda_host import Chain, rows_of
from torch_cuda_modules import chains
from torch_cuda_timing import both, rand, use

KINDS = (("", None), ("_autocast", torch.float16))


def norm(width):
    from transformers.models.llama.modeling_llama import LlamaRMSNorm

    return LlamaRMSNorm(width)


def rotated(x, cos, sin):
    """As transformers' apply_rotary_pos_emb does to queries and to keys."""
    from transformers.models.llama.modeling_llama import rotate_half

    return (x * cos) + (rotate_half(x) * sin)


class Rotation(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.turns = [torch.randn(1, 1, tokens, width, device="cuda") for _ in range(2)]

    def forward(self, x):
        return rotated(x, *self.turns)


class Gate(nn.Module):
    """Beside a gate that is a result of its own."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Parameter(torch.randn(1, 32, 32))

    def forward(self, x):
        return F.silu(self.gate) * x


class Layer(nn.Module):
    """LLaMA's, of a few elements; the heads of its keys each serve `groups` of its queries."""

    def __init__(self, groups):
        super().__init__()
        from transformers import LlamaConfig
        from transformers.models.llama.modeling_llama import LlamaDecoderLayer

        sizes = {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4}
        config = LlamaConfig(**sizes, num_key_value_heads=4 // groups, attn_implementation="sdpa")
        self.inner = LlamaDecoderLayer(config, 0)
        self.turns = [torch.randn(1, 32, 16, device="cuda") for _ in range(2)]

    def forward(self, x):
        y = self.inner(x, position_embeddings=tuple(self.turns), use_cache=False)
        return y[0] if isinstance(y, tuple) else y


def composite_chains():
    flat = (1, 32, 32)
    return {
        "rms_norm": (lambda: norm(32), flat),
        "rotary": (lambda: Rotation(32, 16), (1, 2, 32, 16)),
        "silu_gate": (Gate, flat),
        "llama_layer": (lambda: Layer(1), (1, 32, 64)),
        "llama_grouped_layer": (lambda: Layer(2), (1, 32, 64)),
    }


def composites_on_host(turns=8):
    """Rows host.module.<chain>; a host whose pace wanders slows all of them."""
    torch.backends.cuda.matmul.allow_tf32 = False
    every = chains()
    made = {name: Chain(*every[name]) for name in PACERS}
    made |= {name: Chain(*chain) for name, chain in composite_chains().items()}
    found = {}
    for turn in range(turns + 1):
        for label, dtype in KINDS:
            for name, chain in made.items():
                samples = chain.samples(dtype, 14)[4:]
                if turn:
                    found.setdefault(f"host.module.{name}{label}", []).extend(samples)
    rows = []
    for name, samples in found.items():
        rows += rows_of(name, "depth=24", ("forward", "backward"), samples)
    return rows


SIZES = ((64, 2048), (512, 768), (512, 2048), (1024, 4096), (2048, 2048), (4096, 4096))
SIZES += ((8192, 2048),)


def composite_kernels():
    for dtype in ("float32", "float16"):
        t = use(dtype)
        for rows, width in SIZES:
            norms(dtype, t, rows, width)
            rotations(dtype, t, rows, width // 64)
        for n in sorted({rows * width for rows, width in SIZES}):
            gates(dtype, t, n)


def norms(dtype, t, rows, width):
    module = norm(width).cuda()

    def call(x, weight):
        return torch.func.functional_call(module, {"weight": weight}, (x,))

    both(
        "rms_norm",
        dict(rows=rows, n=width),
        dtype,
        lambda: ([rand(rows, width, dtype=t), rand(width, dtype=t)], call),
    )


def rotations(dtype, t, tokens, heads):
    turns = [rand(1, 1, tokens, 64, dtype=t) for _ in range(2)]
    both(
        "rotary",
        dict(batch=1, tokens=tokens, heads=heads, head_dim=64),
        dtype,
        lambda: (
            # Heads lie apart in a token's row, as a product leaves them.
            [rand(1, tokens, heads, 64, dtype=t)],
            lambda x: rotated(x.transpose(1, 2), *turns),
        ),
    )


def gates(dtype, t, n):
    both(
        "silu_gate",
        dict(n=n),
        dtype,
        lambda: ([rand(n, dtype=t), rand(n, dtype=t)], lambda gate, x: F.silu(gate) * x),
    )
