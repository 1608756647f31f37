"""What a checkpointed block costs the host under PyTorch, beyond its calls (record
h100_checkpoint).

  python3 tools/measure_torch_checkpoint.py OUT.csv

Chains of blocks on tensors of a few elements, so that the device is never waited for. A block is
`layers` times a layer's modules; `plain` chains run it as it is, `again` chains behind
torch.utils.checkpoint.checkpoint(use_reentrant=False). Medians of forward and of backward passes in
turn, in seconds a block; host_pace is the median of the host's readings before and after
(host_pace.py). Under autocast of float16 where the row says so. Needs torch."""

import csv
import statistics
import sys

import torch
import torch.nn.functional as F
from host_pace import of_run
from torch import nn
from torch_cuda_host import clock, pace
from torch_cuda_options import Again

BLOCKS, WIDTH, ROUNDS, TURNS = 12, 64, 12, 5
LAYERS = (1, 2, 4)
COLUMNS = ("what", "device", "framework", "dtype", "value", "unit", "note")


class Mlp(nn.Module):
    """Five calls: a norm, two linear layers, an activation, a sum."""

    def __init__(self):
        super().__init__()
        self.norm, self.gelu = nn.LayerNorm(WIDTH), nn.GELU(approximate="tanh")
        self.up, self.down = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return x + self.down(self.gelu(self.up(self.norm(x))))


class Attention(nn.Module):
    """Five calls: a norm, two linear layers, attention with its heads, a sum."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        b, t, c = x.shape
        parts = self.qkv(self.norm(x)).split(c, 2)
        q, k, v = (y.view(b, t, 2, c // 2).transpose(1, 2) for y in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(y.transpose(1, 2).contiguous().view(b, t, c))


KINDS = {"mlp": Mlp, "attention": Attention}


def chain(kind, layers, again):
    def block():
        made = nn.Sequential(*(KINDS[kind]() for _ in range(layers)))
        return Again(made) if again else made

    return nn.Sequential(*(block() for _ in range(BLOCKS))).cuda()


def samples(model, leaf, low):
    """(forward, backward) seconds a block."""
    found = []
    for _ in range(ROUNDS):
        model.zero_grad(set_to_none=True)
        leaf.grad = None

        def forward():
            with torch.autocast("cuda", dtype=torch.float16, enabled=low):
                return model(leaf)

        f, y = clock(forward)
        dy = torch.ones_like(y)
        b, _ = clock(lambda y=y, dy=dy: y.backward(dy))
        found.append((f / BLOCKS, b / BLOCKS))
    return found[ROUNDS // 3 :]


def measure():
    leaf = torch.randn(2, 8, WIDTH, device="cuda", requires_grad=True)
    cases = {
        (kind, layers, way, low): chain(kind, layers, way == "again")
        for kind in KINDS
        for layers in LAYERS
        for way in ("plain", "again")
        for low in (False, True)
    }
    found = {}
    for turn in range(TURNS + 1):
        for case, model in cases.items():
            one = samples(model, leaf, case[3])
            if turn:  # in the first the processor and the libraries warm up
                found.setdefault(case, []).extend(one)
    for (kind, layers, way, low), all_of in found.items():
        for i, direction in enumerate(("forward", "backward")):
            values = sorted(s[i] for s in all_of)
            median = statistics.median(values)
            spread = (values[3 * len(values) // 4] - values[len(values) // 4]) / median
            what = f"host.checkpoint.{kind}.{way} layers={layers} {direction}"
            dtype = "float16" if low else "float32"
            yield [what, "h100", "torch-cuda", dtype, f"{median:.4e}", "s", f"spread {spread:.3f}"]


def main():
    torch.manual_seed(0)
    readings = [pace(2.0) for _ in range(4)]
    rows = list(measure())
    readings += [pace(2.0) for _ in range(4)]
    with open(sys.argv[1], "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*COLUMNS, "host_pace"])
        writer.writerows([*row, f"{of_run(readings):.3f}"] for row in rows)


if __name__ == "__main__":
    main()
