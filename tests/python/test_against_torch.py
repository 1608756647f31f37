"""Whole models against PyTorch 2.3 or newer, from the same weights and data; skipped elsewhere."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest

import siliconprof as sp

torch = pytest.importorskip("torch", minversion="2.3")


def _torch_steps():
    """The models of the benchmarks: what is timed there is what is checked here."""
    place = Path(__file__).resolve().parents[2] / "benchmarks" / "torch_steps.py"
    spec = importlib.util.spec_from_file_location("checked_torch_steps", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


torch_steps = _torch_steps()


LAYERS, WIDTH, HEADS, VOCAB, CONTEXT = 2, 24, 4, 31, 16
SIZES = {"layers": LAYERS, "width": WIDTH, "heads": HEADS, "vocab": VOCAB, "context": CONTEXT}
BATCH, SEQ = 3, 11
ONE_BLOCK_A_STAGE = {f"blocks{stage}": 1 for stage in range(1, 5)}


def gradient_trace(id, **given):
    return sp.workload(id, precision="fp64", optimizer=None, **given)


def weights_of(trace, scale=0.1):
    """Random values for every parameter, norms near one."""
    random = numpy.random.default_rng(12)
    return {
        info.name: random.normal(1.0 if info.name.endswith(NORMS) else 0.0, scale, info.shape)
        for info in trace.tensors
        if info.role == "parameter" and not info.is_view
    }


NORMS = ("ln_1.weight", "ln_2.weight", "ln_f.weight", "layernorm.weight", "norm.weight")


def compare(trace, loss, gradients, trained, torch_loss, leaves, tolerance=1e-10):
    """Loss and every gradient against those that PyTorch has left in its leaves."""
    torch_loss.backward()
    assert loss[0] == pytest.approx(torch_loss.item(), rel=1e-12)
    names = [trace.tensors[id].name.removesuffix(".grad") for id in trace.results[1:]]
    assert names == list(trained)
    for name, gradient in zip(names, gradients, strict=True):
        wanted = leaves[name].grad.numpy()
        numpy.testing.assert_allclose(gradient, wanted, rtol=1e-7, atol=tolerance, err_msg=name)


def tokens():
    random = numpy.random.default_rng(3)
    return [random.integers(0, VOCAB, (BATCH, SEQ), dtype=numpy.int32) for _ in range(2)]


def attend(q, k, v, causal):
    """(batch, tokens, heads, head_dim) each."""
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return y.transpose(1, 2).reshape(BATCH, SEQ, WIDTH)


def gpt2_loss(w, inputs, targets):
    data = {"tokens": inputs, "targets": targets}
    return torch_steps.gpt2(w, data, head_dim=WIDTH // HEADS)


def leaves_of(weights):
    return {name: torch.tensor(value, requires_grad=True) for name, value in weights.items()}


@pytest.mark.parametrize("engine", ["reference", "openblas"])
@pytest.mark.parametrize("framework", ["native", "mlx"])
@pytest.mark.parametrize("checkpoint", [False, True])
def test_gpt2_has_torchs_loss_and_gradients(engine, framework, checkpoint):
    trace = gradient_trace(
        "gpt2-small", batch=BATCH, seq=SEQ, checkpoint=checkpoint, framework=framework, **SIZES
    )
    weights = weights_of(trace)
    inputs, targets = tokens()
    loss, *gradients = sp.evaluate(trace, inputs, targets, engine=engine, named=weights)
    leaves = leaves_of(weights)
    wanted = gpt2_loss(leaves, torch.tensor(inputs).long(), torch.tensor(targets).long())
    compare(trace, loss, gradients, weights, wanted, leaves)


def test_one_adamw_step_of_gpt2_is_torchs():
    sizes = {"batch": BATCH, "seq": SEQ, "precision": "fp64", **SIZES}
    weights = weights_of(sp.workload("gpt2-small", **sizes))
    inputs, targets = tokens()
    data = SimpleNamespace(
        description="one batch", batch=lambda index: {"tokens": inputs, "targets": targets}
    )
    run = sp.train(
        "gpt2-small",
        steps=1,
        data=data,
        learning_rate=0.01,
        weights=weights,
        engine="reference",
        clip=0.5,
        **sizes,
    )
    leaves = leaves_of(weights)
    optimizer = torch.optim.AdamW(leaves.values(), lr=0.01)
    loss = gpt2_loss(leaves, torch.tensor(inputs).long(), torch.tensor(targets).long())
    loss.backward()
    torch.nn.utils.clip_grad_norm_(list(leaves.values()), 0.5)
    optimizer.step()
    assert run.losses == [pytest.approx(loss.item(), rel=1e-12)]
    assert run.weights.keys() == leaves.keys()
    for name, leaf in leaves.items():
        moved = run.weights[name]
        assert not numpy.array_equal(moved, weights[name]), name
        wanted = leaf.detach().numpy()
        # The keys' bias changes no attention: its gradient, and so where it goes, is round-off.
        if name.endswith("c_attn.bias"):
            moved, wanted = (numpy.delete(x, slice(WIDTH, 2 * WIDTH)) for x in (moved, wanted))
        numpy.testing.assert_allclose(moved, wanted, rtol=1e-9, atol=1e-12, err_msg=name)


def llama_loss(w, inputs, targets, kv_heads, hidden):
    f = torch.nn.functional
    head_dim = WIDTH // HEADS

    def norm(x, name):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * w[f"{name}.weight"]

    angles = torch.arange(SEQ, dtype=torch.float64)[:, None] * 10000.0 ** (
        -torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim
    )
    cosines = torch.cat([angles.cos()] * 2, -1)[None, :, None]
    sines = torch.cat([angles.sin()] * 2, -1)[None, :, None]

    def turn(x):
        low, high = x.chunk(2, -1)
        return x * cosines + torch.cat([-high, low], -1) * sines

    x = w["model.embed_tokens.weight"][inputs]
    for i in range(LAYERS):
        h = f"model.layers.{i}"
        y = norm(x, f"{h}.input_layernorm")
        q, k, v = (
            (y @ w[f"{h}.self_attn.{which}_proj.weight"].T).reshape(BATCH, SEQ, -1, head_dim)
            for which in "qkv"
        )
        k, v = (turn(k), v)
        k, v = (t.repeat_interleave(HEADS // kv_heads, 2) for t in (k, v))
        x = x + attend(turn(q), k, v, True) @ w[f"{h}.self_attn.o_proj.weight"].T
        y = norm(x, f"{h}.post_attention_layernorm")
        gate, up = (y @ w[f"{h}.mlp.{which}_proj.weight"].T for which in ("gate", "up"))
        assert gate.shape[-1] == hidden
        x = x + (f.silu(gate) * up) @ w[f"{h}.mlp.down_proj.weight"].T
    logits = norm(x, "model.norm") @ w["lm_head.weight"].T
    return f.cross_entropy(logits.reshape(-1, VOCAB), targets.reshape(-1))


def test_llama_has_torchs_loss_and_gradients():
    kv = {"kv_heads": 2, "hidden": 40}
    trace = gradient_trace("llama-1b", batch=BATCH, seq=SEQ, **kv, **SIZES)
    weights = weights_of(trace)
    inputs, targets = tokens()
    loss, *gradients = sp.evaluate(trace, inputs, targets, engine="openblas", named=weights)
    leaves = leaves_of(weights)
    wanted = llama_loss(leaves, torch.tensor(inputs).long(), torch.tensor(targets).long(), **kv)
    compare(trace, loss, gradients, weights, wanted, leaves)


def simclr_loss(w, images):
    """(2·batch, height, width, 3) images through the CIFAR form of ResNet-18."""
    channels_first = {name: x.movedim(-1, 1) if x.dim() > 2 else x for name, x in w.items()}
    return torch_steps.simclr(channels_first, {"images": images})


def test_simclr_has_torchs_loss_and_gradients():
    trace = gradient_trace("simclr-resnet18", batch=3, image=16, channels=4, **ONE_BLOCK_A_STAGE)
    weights = weights_of(trace, 0.5)
    images = numpy.random.default_rng(5).normal(0, 1, (6, 16, 16, 3))
    loss, *gradients = sp.evaluate(trace, images, engine="reference", named=weights)
    leaves = leaves_of(weights)
    compare(trace, loss, gradients, weights, simclr_loss(leaves, torch.tensor(images)), leaves)


SMALL = {
    "whisper-tiny": {"label_len": 5, "frames": 12, "mels": 6, "context": 8, "vocab": VOCAB}
    | {"layers": 2, "width": 128, "heads": 2},
    "resnet18": {"image": 32, "channels": 4, "classes": 7, **ONE_BLOCK_A_STAGE},
    "resnet50": {"image": 32, "channels": 4, "classes": 7, **ONE_BLOCK_A_STAGE},
    "vgg16-bn": {"image": 224, "channels": 2, "hidden": 10, "classes": 7},
    "bert-base": {"seq": SEQ, "layers": 2, "width": 128, "heads": 2, "hidden": 30}
    | {"vocab": VOCAB, "context": CONTEXT},
}


def data_of(trace):
    """Numbers for every input by its name."""
    random = numpy.random.default_rng(7)
    given = {info.name: info for info in trace.tensors if info.is_given and not info.is_view}
    return {
        name: random.integers(0, info.index_limit, info.shape, dtype=numpy.int32)
        if info.dtype == "int32"
        else random.normal(0, 1, info.shape)
        for name, info in given.items()
    }


@pytest.mark.parametrize("id", SMALL)
def test_a_model_has_torchs_loss_and_gradients(id):
    trace = gradient_trace(id, batch=BATCH, **SMALL[id])
    weights = weights_of(trace)
    data = data_of(trace)
    loss, *gradients = sp.evaluate(trace, *data.values(), engine="openblas", named=weights)
    leaves = leaves_of(weights)
    seen = {name: x.movedim(-1, 1) if x.dim() > 2 else x for name, x in leaves.items()}
    tensors = {name: torch.tensor(x) for name, x in data.items()}
    tensors = {name: x.long() if x.dtype == torch.int32 else x for name, x in tensors.items()}
    frozen = {info.name for info in trace.tensors if info.frozen}
    trained = [name for name in weights if name not in frozen]
    compare(trace, loss, gradients, trained, torch_steps.peer_of(id)(seen, tensors), leaves)


def test_autocast_casts_where_torch_does():
    """Dtypes of what each module of a small network gives, under CPU bfloat16 and here."""
    trace = sp.workload("gpt2-small", batch=1, seq=4, precision="amp-bf16", optimizer=None, **SIZES)
    found = {
        call.op: trace.tensors[call.outputs[0]].dtype
        for call in trace.calls
        if call.phase == "forward"
    }
    x = torch.randn(4, WIDTH)
    with torch.autocast("cpu", torch.bfloat16):
        f = torch.nn.functional
        linear = f.linear(x, torch.randn(WIDTH, WIDTH))
        norm = f.layer_norm(x, (WIDTH,))
        bent = f.gelu(linear, approximate="tanh")
        total = x + linear
        loss = f.cross_entropy(linear, torch.zeros(4, dtype=torch.long))
    wanted = {"linear": linear, "layer_norm": norm, "gelu_tanh": bent, "add": total}
    assert {op: f"torch.{found[op]}" for op in wanted} == {
        op: str(tensor.dtype) for op, tensor in wanted.items()
    }
    assert found["cross_entropy"] == "float32" == str(loss.dtype).removeprefix("torch.")
