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

GPT2_HEAD_DIM = WHISPER_HEAD_DIM = BERT_HEAD_DIM = 64
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
    if hasattr(functional, "scaled_dot_product_attention"):
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    else:
        y = materialised_attention(q, k, v, causal)
    return y.transpose(1, 2).flatten(-2)


def materialised_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool
) -> torch.Tensor:
    """The quickest of PyTorch before 2.0: mask and scale in the product of all heads at once."""
    flat_q, flat_k, flat_v = (x.flatten(0, 1) for x in (q, k, v))
    mask = torch.zeros(q.shape[-2], k.shape[-2])
    if causal:
        mask = torch.full_like(mask, -torch.inf).triu(1)
    scores = torch.baddbmm(
        mask.expand(len(flat_q), -1, -1), flat_q, flat_k.mT, alpha=q.shape[-1] ** -0.5
    )
    return (scores.softmax(-1) @ flat_v).unflatten(0, q.shape[:2])


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


def _convolved(
    w: Weights, name: str, x: torch.Tensor, stride: int = 1, padding: int | None = None
) -> torch.Tensor:
    """Padded so that a stride of 1 keeps the size, if not said otherwise."""
    weight = w[f"{name}.weight"]
    around = weight.shape[-1] // 2 if padding is None else padding
    return functional.conv2d(x, weight, w.get(f"{name}.bias"), stride, around)


def _resnet_block(w: Weights, name: str, x: torch.Tensor, stride: int) -> torch.Tensor:
    """Two convolutions, or three of which the second has the stride, beside a short cut."""
    last = 3 if f"{name}.conv3.weight" in w else 2
    y = x
    for i in range(1, last + 1):
        y = _convolved(w, f"{name}.conv{i}", y, stride if i == last - 1 else 1)
        y = _normed(w, f"{name}.bn{i}", y)
        y = functional.relu(y) if i < last else y
    if f"{name}.downsample.0.weight" in w:
        x = _normed(w, f"{name}.downsample.1", _convolved(w, f"{name}.downsample.0", x, stride))
    return functional.relu(x + y)


def _resnet_features(w: Weights, images: torch.Tensor) -> torch.Tensor:
    """(batch, height, width, 3) images as rows of features; a wide first kernel is ImageNet's."""
    large = w["conv1.weight"].shape[-1] > 3
    x = _convolved(w, "conv1", images.permute(0, 3, 1, 2), 2 if large else 1)
    x = functional.relu(_normed(w, "bn1", x))
    x = functional.max_pool2d(x, 3, 2, 1) if large else x
    for stage in range(1, 5):
        for i, name in enumerate(blocks(w, f"layer{stage}.")):
            x = _resnet_block(w, name, x, 2 if stage > 1 and i == 0 else 1)
    return x.mean((2, 3))


def resnet(w: Weights, data: Mapping[str, torch.Tensor]) -> torch.Tensor:
    x = _resnet_features(w, data["images"])
    return functional.cross_entropy(linear(w, "fc", x), data["labels"])


def simclr(w: Weights, data: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """ResNet-18 in its CIFAR form, the projection head, NT-Xent."""
    x = _resnet_features(w, data["images"])
    x = functional.relu(_normed(w, "projection.0.bn", x @ w["projection.0.linear.weight"].T))
    z = functional.normalize(_normed(w, "projection.1.bn", x @ w["projection.1.linear.weight"].T))
    similar = z @ z.T / TEMPERATURE
    rows = len(z)
    itself = torch.eye(rows, dtype=torch.bool, device=z.device)
    similar = similar.masked_fill(itself, -torch.inf)
    return functional.cross_entropy(similar, torch.arange(rows, device=z.device).roll(rows // 2))


def vgg16(w: Weights, data: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """With batch norms where the parameters have them."""
    x = data["images"].permute(0, 3, 1, 2)
    for stage in range(5):
        for name in blocks(w, f"features.{stage}."):
            x = _convolved(w, name, x)
            x = _normed(w, f"{name}.norm", x) if f"{name}.norm.weight" in w else x
            x = functional.relu(x)
        x = functional.max_pool2d(x, 2, 2)
    x = functional.adaptive_avg_pool2d(x, 7)
    x = x.permute(0, 2, 3, 1).flatten(1)  # channels last, as our weights see them
    for name in ("classifier.0", "classifier.3"):
        x = functional.relu(linear(w, name, x))
    return functional.cross_entropy(linear(w, "classifier.6", x), data["labels"])


def _bert_norm(w: Weights, name: str, x: torch.Tensor) -> torch.Tensor:
    weight, bias = w[f"{name}.LayerNorm.weight"], w[f"{name}.LayerNorm.bias"]
    return functional.layer_norm(x, x.shape[-1:], weight, bias, eps=1e-12)


def bert(
    w: Weights, data: Mapping[str, torch.Tensor], head_dim: int = BERT_HEAD_DIM
) -> torch.Tensor:
    stem = "bert.embeddings"
    words = w[f"{stem}.word_embeddings.weight"]
    x = functional.embedding(data["tokens"], words)
    x = x + functional.embedding(data["segments"], w[f"{stem}.token_type_embeddings.weight"])
    x = x + w[f"{stem}.position_embeddings.weight"][: x.shape[1]]
    x = _bert_norm(w, stem, x)
    for h in blocks(w, "bert.encoder.layer."):
        q, k, v = (linear(w, f"{h}.attention.self.{name}", x) for name in ("query", "key", "value"))
        y = linear(w, f"{h}.attention.output.dense", attend(q, k, v, False, head_dim))
        x = _bert_norm(w, f"{h}.attention.output", y + x)
        wide = functional.gelu(linear(w, f"{h}.intermediate.dense", x))
        x = _bert_norm(w, f"{h}.output", linear(w, f"{h}.output.dense", wide) + x)
    head = "cls.predictions.transform"
    x = _bert_norm(w, head, functional.gelu(linear(w, f"{head}.dense", x)))
    return token_loss(functional.linear(x, words, w["cls.predictions.bias"]), data["targets"])


# By how the names of the family's workloads begin.
STEPS: Mapping[str, Loss] = {
    "gpt2": gpt2,
    "whisper": whisper,
    "simclr": simclr,
    "resnet": resnet,
    "vgg16": vgg16,
    "bert": bert,
}


def peer_of(workload: str) -> Loss:
    return next(loss for family, loss in STEPS.items() if workload.startswith(family))


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
