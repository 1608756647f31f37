"""Steps that chance chose: of the models, sizes, batches and precisions that predictions are asked
of most, so that nobody's taste is in what judges them; used by measure_torch_steps.py --list drawn.
"""

from __future__ import annotations

import random

from torch_cuda_step_lists import PRECISIONS

BATCHES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
LENGTHS = (64, 128, 192, 256, 384, 512, 768, 1024)
LABEL_LENGTHS = (32, 48, 64, 96, 128)
IMAGE_BATCHES = (8, 24, 32, 48, 96, 160, 320, 448)
FAMILIES = ("gpt2", "gpt2", "gpt2", "whisper", "whisper", "simclr")
ADAPTED = ("", "", "", " lora=8")
# What a step keeps of one token, or of one sound, beside what the smallest model does: none is
# drawn that takes more than some seconds, or 60 GB.
TOKENS = {"small": 1.0, "medium": 2.7, "large": 5.0, "xl": 9.0}
SOUNDS = {"tiny": 1.0, "base": 2.0, "small": 5.0, "medium": 14.0}
MOST_TOKENS, MOST_SOUNDS = 100_000, 180
SEED = 20261127


def drawn(seed: int = SEED, count: int = 28) -> str:
    """One step a line, no model twice at the same size, batch and length."""
    draw, found = random.Random(seed), dict[str, str]()
    while len(found) < count:
        found.setdefault(_step(draw), draw.choice(PRECISIONS))
    return "\n".join(f"{step} {precision}" for step, precision in found.items())


# Models of few layers, which torch.compile compiles within half a minute.
SMALL = ("gpt2-small", "gpt2-medium", "whisper-tiny", "whisper-base", "simclr-resnet18")


def drawn_small(count: int = 16) -> str:
    """Such steps of a third draw, whose first ones are drawn_since, to be compiled and not."""
    lines = drawn(SEED + 2, 4 * count).split("\n")
    return "\n".join([line for line in lines if line.split()[0] in SMALL][:count])


def _step(draw: random.Random) -> str:
    family = draw.choice(FAMILIES)
    if family == "simclr":
        return f"simclr-resnet18 batch={draw.choice(IMAGE_BATCHES)} image=32"
    if family == "whisper":
        size = draw.choice(tuple(SOUNDS))
        batch = draw.choice([b for b in BATCHES if b * SOUNDS[size] <= MOST_SOUNDS])
        return f"whisper-{size} batch={batch} label_len={draw.choice(LABEL_LENGTHS)}"
    size, length = draw.choice(tuple(TOKENS)), draw.choice(LENGTHS)
    batch = draw.choice([b for b in BATCHES if b * length * TOKENS[size] <= MOST_TOKENS])
    return f"gpt2-{size} batch={batch} seq={length}{draw.choice(ADAPTED)}"
