"""What else a training step does, as measure_torch_steps.py's words name it: blocks computed again
(checkpoint=1), micro-batches (accumulate=4), gradients clipped (clip=1), SGD (optimizer=sgd), GPT-2
with dropout behind its embedding, attention and feed-forward layers (dropout=0.1)."""

import contextlib
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

# Steps of none of torch_cuda_step_lists.py, with options that no record had (record h100_options).
OPTIONS = """
gpt2-small batch=8 seq=512 checkpoint=1 fp32 amp-bf16
gpt2-medium batch=8 seq=512 checkpoint=1 tf32 amp-fp16
gpt2-xl batch=4 seq=1024 checkpoint=1 amp-bf16
gpt2-small batch=4 seq=256 accumulate=4 fp32 amp-fp16
gpt2-medium batch=2 seq=512 accumulate=8 amp-bf16
gpt2-small batch=8 seq=512 clip=1 tf32 amp-fp16
gpt2-large batch=4 seq=512 clip=1 fp32
gpt2-small batch=16 seq=256 optimizer=sgd fp32
gpt2-xl batch=2 seq=512 optimizer=sgd tf32
simclr-resnet18 batch=256 image=32 optimizer=sgd tf32 amp-fp16
gpt2-small batch=8 seq=512 dropout=0.1 fp32 amp-bf16
gpt2-medium batch=8 seq=1024 dropout=0.1 tf32
gpt2-large batch=4 seq=1024 checkpoint=1 dropout=0.1 amp-bf16
whisper-small batch=8 label_len=64 checkpoint=1 tf32 amp-fp16
whisper-medium batch=8 label_len=64 clip=1 tf32
gpt2-medium batch=4 seq=512 accumulate=2 clip=1 checkpoint=1 dropout=0.1 amp-fp16
gpt2-large batch=4 seq=1024 lora=8 checkpoint=1 amp-bf16
"""

# Once a host's costs of checkpointed blocks were fitted (the same record, machine 2).
FITTED = """
gpt2-small batch=16 seq=256 checkpoint=1 tf32 amp-fp16
gpt2-medium batch=4 seq=1024 checkpoint=1 amp-bf16
gpt2-large batch=8 seq=512 checkpoint=1 tf32
gpt2-xl batch=8 seq=512 lora=8 checkpoint=1 amp-fp16
gpt2-large batch=2 seq=512 accumulate=2 checkpoint=1 amp-bf16
gpt2-medium batch=8 seq=256 accumulate=2 optimizer=sgd dropout=0.1 amp-fp16
gpt2-medium batch=8 seq=512 clip=1 amp-bf16
whisper-tiny batch=16 label_len=64 checkpoint=1 fp32 amp-bf16
whisper-medium batch=4 label_len=64 checkpoint=1 amp-fp16
"""


@dataclass(frozen=True)
class Options:
    checkpoint: int = 0
    accumulate: int = 1
    clip: float = 0.0
    optimizer: str = "adamw"
    dropout: float = 0.0

    def optimizer_of(self, trained, capturable):
        if self.optimizer == "sgd":
            return torch.optim.SGD(trained, lr=1e-4, momentum=0.9)
        return torch.optim.AdamW(trained, lr=1e-4, capturable=capturable)


def parted(what):
    """Words of a model and its sizes, and the options among them."""
    kinds = {name: type(value) for name, value in vars(Options()).items()}
    words, given = [], {}
    for word in what.split():
        name, _, value = word.partition("=")
        if name in kinds:
            given[name] = kinds[name](value)
        else:
            words.append(word)
    return " ".join(words), Options(**given)


class Again(nn.Module):
    """A block of which the backward pass computes what it needs again."""

    def __init__(self, block):
        super().__init__()
        self.block = block

    def forward(self, x):
        return checkpoint(self.block, x, use_reentrant=False)


def prepare(model, options):
    """The model's own part of them; GPT-2's blocks are plain modules, others' transformers'."""
    if options.dropout:
        model.drop = nn.Dropout(options.dropout)
        for block in model.blocks:
            block.attn_proj = nn.Sequential(block.attn_proj, nn.Dropout(options.dropout))
            block.mlp_proj = nn.Sequential(block.mlp_proj, nn.Dropout(options.dropout))
    if options.checkpoint and hasattr(model, "blocks"):
        model.blocks = nn.ModuleList(Again(block) for block in model.blocks)
    elif options.checkpoint:
        model.gradient_checkpointing_enable({"use_reentrant": False})


def step_of(loss_of, trained, optimizer, options, low):
    """A function that runs one step; `low` is the dtype of autocast, or None."""
    scaler = torch.amp.GradScaler("cuda") if low is torch.float16 else None

    def backward():
        with torch.autocast("cuda", dtype=low) if low else contextlib.nullcontext():
            loss = loss_of()
        if options.accumulate > 1:
            loss = loss / options.accumulate
        (loss if scaler is None else scaler.scale(loss)).backward()

    def clip():
        if scaler is not None:
            scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(trained, options.clip)

    def step():
        optimizer.zero_grad(set_to_none=True)
        for _ in range(options.accumulate):
            backward()
        if options.clip:
            clip()
        if scaler is None:
            optimizer.step()
        else:
            scaler.step(optimizer)
            scaler.update()

    return step
