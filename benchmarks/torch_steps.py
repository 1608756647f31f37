"""Whole training steps in PyTorch: the peers of our traces, from parameters by our names.

Each takes the parameters `w` as leaves, channels-last weights seen channels-first, and the inputs
of the step as tensors, and returns the loss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch.nn import functional

Weights = Mapping[str, torch.Tensor]
Loss = Callable[[Weights, Mapping[str, torch.Tensor]], torch.Tensor]

GPT2_HEAD_DIM = WHISPER_HEAD_DIM = 64
TEMPERATURE = 0.5


def linear(w: Weights, name: str, x: torch.Tensor) -> torch.Tensor:
    return functional.linear(x, w[f"{name}.weight"], w.get(f"{name}.bias"))


def layer_norm(w: Weights, name: str, x: torch.Tensor) -> torch.Tensor:
    return functional.layer_norm(x, x.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"])


def heads(x: torch.Tensor, head_dim: int) -> torch.Tensor:
    """(batch, tokens, width) as (batch, heads, tokens, head_dim)."""
    return x.unflatten(-1, (-1, head_dim)).transpose(1, 2)


def attend(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, head_dim: int
) -> torch.Tensor:
    q, k, v = (heads(x, head_dim) for x in (q, k, v))
    y = functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return y.transpose(1, 2).flatten(-2)


def token_loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def blocks(w: Weights, stem: str) -> list[str]:
    """ "h.0", "h.1"... of "h."."""
    numbers = {int(name.removeprefix(stem).split(".")[0]) for name in w if name.startswith(stem)}
    return [f"{stem}{number}" for number in sorted(numbers)]


def gpt2(
    w: Weights, data: Mapping[str, torch.Tensor], head_dim: int = GPT2_HEAD_DIM
) -> torch.Tensor:
    tokens = data["tokens"]
    x = functional.embedding(tokens, w["wte.weight"]) + w["wpe.weight"][: tokens.shape[1]]
    for h in blocks(w, "h."):
        qkv = linear(w, f"{h}.attn.c_attn", layer_norm(w, f"{h}.ln_1", x))
        y = attend(*qkv.chunk(3, -1), causal=True, head_dim=head_dim)
        x = x + linear(w, f"{h}.attn.c_proj", y)
        wide = linear(w, f"{h}.mlp.c_fc", layer_norm(w, f"{h}.ln_2", x))
        x = x + linear(w, f"{h}.mlp.c_proj", functional.gelu(wide, approximate="tanh"))
    return token_loss(layer_norm(w, "ln_f", x) @ w["wte.weight"].T, data["targets"])


def _whisper_attention(
    w: Weights, name: str, x: torch.Tensor, heard: torch.Tensor | None, causal: bool
) -> torch.Tensor:
    y = layer_norm(w, f"{name}_layer_norm", x)
    source = y if heard is None else heard
    q, k, v = (linear(w, f"{name}.{which}_proj", y if which == "q" else source) for which in "qkv")
    return x + linear(w, f"{name}.out_proj", attend(q, k, v, causal, WHISPER_HEAD_DIM))


def _whisper_mlp(w: Weights, name: str, x: torch.Tensor) -> torch.Tensor:
    wide = linear(w, f"{name}.fc1", layer_norm(w, f"{name}.final_layer_norm", x))
    return x + linear(w, f"{name}.fc2", functional.gelu(wide))


def whisper(w: Weights, data: Mapping[str, torch.Tensor]) -> torch.Tensor:
    x = data["mel"].transpose(1, 2)
    for stride, name in ((1, "encoder.conv1"), (2, "encoder.conv2")):
        x = functional.conv1d(x, w[f"{name}.weight"], w[f"{name}.bias"], stride, padding=1)
        x = functional.gelu(x)
    x = x.transpose(1, 2) + w["encoder.embed_positions.weight"]
    for name in blocks(w, "encoder.layers."):
        x = _whisper_attention(w, f"{name}.self_attn", x, None, False)
        x = _whisper_mlp(w, name, x)
    heard = layer_norm(w, "encoder.layer_norm", x)
    tokens, words = data["tokens"], w["decoder.embed_tokens.weight"]
    places = w["decoder.embed_positions.weight"][: tokens.shape[1]]
    x = functional.embedding(tokens, words) + places
    for name in blocks(w, "decoder.layers."):
        x = _whisper_attention(w, f"{name}.self_attn", x, None, True)
        x = _whisper_attention(w, f"{name}.encoder_attn", x, heard, False)
        x = _whisper_mlp(w, name, x)
    return token_loss(layer_norm(w, "decoder.layer_norm", x) @ words.T, data["targets"])


def _normed(w: Weights, name: str, x: torch.Tensor) -> torch.Tensor:
    weight, bias = w[f"{name}.weight"], w[f"{name}.bias"]
    return functional.batch_norm(x, None, None, weight, bias, training=True)


def _resnet_block(w: Weights, name: str, x: torch.Tensor) -> torch.Tensor:
    stride = 2 if f"{name}.downsample.0.weight" in w else 1
    y = functional.conv2d(x, w[f"{name}.conv1.weight"], stride=stride, padding=1)
    y = functional.relu(_normed(w, f"{name}.bn1", y))
    y = _normed(w, f"{name}.bn2", functional.conv2d(y, w[f"{name}.conv2.weight"], padding=1))
    if stride == 2:
        x = functional.conv2d(x, w[f"{name}.downsample.0.weight"], stride=2)
        x = _normed(w, f"{name}.downsample.1", x)
    return functional.relu(x + y)


def simclr(w: Weights, data: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """ResNet-18 in its CIFAR form, the projection head, NT-Xent."""
    x = data["images"].permute(0, 3, 1, 2)
    x = functional.relu(_normed(w, "bn1", functional.conv2d(x, w["conv1.weight"], padding=1)))
    for stage in range(1, 5):
        for name in blocks(w, f"layer{stage}."):
            x = _resnet_block(w, name, x)
    x = x.mean((2, 3))
    x = functional.relu(_normed(w, "projection.0.bn", x @ w["projection.0.linear.weight"].T))
    z = functional.normalize(_normed(w, "projection.1.bn", x @ w["projection.1.linear.weight"].T))
    similar = z @ z.T / TEMPERATURE
    rows = len(z)
    similar = similar.masked_fill(torch.eye(rows, dtype=torch.bool), -torch.inf)
    return functional.cross_entropy(similar, torch.arange(rows).roll(rows // 2))


STEPS: Mapping[str, Loss] = {
    "gpt2-small": gpt2,
    "whisper-tiny": whisper,
    "simclr-resnet18": simclr,
}


def leaves(
    arrays: Mapping[str, torch.Tensor], frozen: set[str], channels_last: bool
) -> dict[str, torch.Tensor]:
    """Our parameters as PyTorch's: convolutions channels-first, in either memory format."""
    made = {}
    for name, array in arrays.items():
        x = array.clone()
        if x.dim() > 2:
            x = x.movedim(-1, 1)
            x = x if channels_last else x.contiguous()
        made[name] = x.requires_grad_(name not in frozen)
    return made
