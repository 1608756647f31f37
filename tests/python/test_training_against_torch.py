"""Loss curves of 200 steps on the packaged text beside those of PyTorch 2.3 or newer, from the same
weights and data; skipped elsewhere."""

from __future__ import annotations

import numpy
import pytest

import siliconprof as sp
from siliconprof.datasets import open_dataset

torch = pytest.importorskip("torch", minversion="2.3")
torch.set_num_threads(1)
pytestmark = pytest.mark.filterwarnings("ignore")

LAYERS, WIDTH, HEADS, VOCAB, CONTEXT = 2, 64, 4, 257, 32
# At twice the rate weights that differ by 1e-7 part in PyTorch too, by 1e-2 in bfloat16.
BATCH, STEPS, RATE, RANK = 8, 200, 5e-4, 4
SIZES = {
    "batch": BATCH,
    "seq": CONTEXT,
    "layers": LAYERS,
    "width": WIDTH,
    "heads": HEADS,
    "vocab": VOCAB,
    "context": CONTEXT,
}


def initial_weights(**kinds):
    """The weights that a run starts with: those after a step of which nothing was learned."""
    run = sp.train("gpt2-small", steps=1, learning_rate=0.0, threads=1, **SIZES, **kinds)
    return {name: array.copy() for name, array in run.weights.items()}


class Torch:
    """GPT-2 from functions of torch, with AdamW as it comes."""

    def __init__(self, weights, trained):
        self.w = {
            name: torch.tensor(value, requires_grad=trained(name))
            for name, value in weights.items()
        }
        leaves = [w for w in self.w.values() if w.requires_grad]
        self.optimizer = torch.optim.AdamW(leaves, lr=RATE)

    def linear(self, x, name):
        y = torch.nn.functional.linear(x, self.w[f"{name}.weight"], self.w[f"{name}.bias"])
        if f"{name}.lora_A" in self.w:
            y = y + 2.0 * ((x @ self.w[f"{name}.lora_A"].T) @ self.w[f"{name}.lora_B"].T)
        return y

    def norm(self, x, name):
        weight, bias = self.w[f"{name}.weight"], self.w[f"{name}.bias"]
        return torch.nn.functional.layer_norm(x, (WIDTH,), weight, bias)

    def loss(self, inputs, targets):
        f = torch.nn.functional
        x = self.w["wte.weight"][inputs] + self.w["wpe.weight"]
        for i in range(LAYERS):
            qkv = self.linear(self.norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn")
            q, k, v = (
                t.transpose(1, 2)
                for t in qkv.reshape(BATCH, CONTEXT, 3, HEADS, WIDTH // HEADS).unbind(2)
            )
            y = f.scaled_dot_product_attention(q, k, v, is_causal=True)
            y = y.transpose(1, 2).reshape(BATCH, CONTEXT, WIDTH)
            x = x + self.linear(y, f"h.{i}.attn.c_proj")
            wide = self.linear(self.norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc")
            x = x + self.linear(f.gelu(wide, approximate="tanh"), f"h.{i}.mlp.c_proj")
        logits = self.norm(x, "ln_f") @ self.w["wte.weight"].T
        return f.cross_entropy(logits.reshape(-1, VOCAB), targets.reshape(-1))


def torch_curve(weights, amp=None, trained=lambda name: True):
    """Losses of STEPS steps, as a training loop with autocast and GradScaler has them."""
    model = Torch(weights, trained)
    trace = sp.workload("gpt2-small", **SIZES)
    data = open_dataset(trace)
    scaler = torch.amp.GradScaler("cpu", enabled=amp is torch.float16)
    losses = []
    for step in range(STEPS):
        batch = {name: torch.tensor(array).long() for name, array in data.batch(step).items()}
        with torch.autocast("cpu", amp, enabled=amp is not None):
            loss = model.loss(batch["tokens"], batch["targets"])
        model.optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(model.optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize(
    ("precision", "amp"),
    [("fp32", None), ("amp-bf16", torch.bfloat16), ("amp-fp16", torch.float16)],
)
def test_gpt2_learns_as_in_torch(precision, amp):
    ours = sp.train(
        "gpt2-small", steps=STEPS, learning_rate=RATE, precision=precision, threads=1, **SIZES
    )
    wanted = torch_curve(initial_weights(), amp)
    assert wanted[-1] < wanted[0] - 2.0
    numpy.testing.assert_allclose(ours.losses, wanted, rtol=1e-3)


def test_lora_learns_as_in_torch():
    kinds = {"lora": RANK}
    ours = sp.train("gpt2-small", steps=STEPS, learning_rate=RATE, threads=1, **SIZES, **kinds)
    wanted = torch_curve(initial_weights(**kinds), trained=lambda name: "lora" in name)
    assert wanted[-1] < wanted[0]
    numpy.testing.assert_allclose(ours.losses, wanted, rtol=1e-3)
