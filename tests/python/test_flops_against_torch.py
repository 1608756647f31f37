"""FLOPs of whole models as PyTorch's FlopCounterMode counts them, at their real sizes: on tensors
of the meta device, which have no memory.

Products agree to the last flop. Where the two count differently:
- attention: the counter has no count for that of PyTorch's CPU backend; the one for fused attention
  takes every pair of a query and a key, ours those that a causal query sees;
- convolutions: the counter takes windows that hang over the edge in full, ours the taps on data;
- embeddings, norms, activations and optimizers: the counter takes them for free, ours are vector
  flops, counted apart.
"""

from __future__ import annotations

import importlib.util
import math

import pytest

import siliconprof as sp

torch = pytest.importorskip("torch", minversion="2.3")

MODELS = {
    **{f"gpt2-{size}": {"seq": 1024} for size in ("small", "medium", "large", "xl")},
    **{f"whisper-{size}": {} for size in ("tiny", "base", "small", "medium", "large")},
    "bert-base": {"batch": 2, "seq": 512},
    "resnet18": {"batch": 2},
    "resnet50": {"batch": 2},
    "simclr-resnet18": {"batch": 2},
    "vgg16": {"batch": 2},
    "vgg16-bn": {"batch": 2},
}


@pytest.fixture(scope="module")
def torch_steps(root):
    """The models of the benchmarks, which test_against_torch.py checks number by number."""
    place = root / "benchmarks" / "torch_steps.py"
    spec = importlib.util.spec_from_file_location("counted_torch_steps", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def on_meta(info):
    dtype = torch.int64 if info.dtype == "int32" else torch.float32
    return torch.empty(info.shape, dtype=dtype, device="meta")


def counted_by_torch(torch_steps, id, trace):
    """Flops of the loss and its gradients by operator."""
    from torch.utils.flop_counter import FlopCounterMode

    own = [info for info in trace.tensors if not info.is_view]
    arrays = {info.name: on_meta(info) for info in own if info.role == "parameter"}
    weights = torch_steps.leaves(arrays, set(), channels_last=True)
    data = {info.name: on_meta(info) for info in own if info.is_given}
    with FlopCounterMode(display=False) as counter:
        torch_steps.peer_of(id)(weights, data).backward()
    counts = counter.get_flop_counts()["Global"].items()
    return {str(op).removeprefix("aten."): flops for op, flops in counts}


def calls_of(trace, family):
    return [call for call in trace.calls if call.op.startswith(family)]


def windows_in_full(call, trace):
    """Flops of a convolution, or of either of its gradients, with every tap of every window."""
    d = call.dims
    results = trace.tensors[call.inputs[1] if "backward" in call.op else call.outputs[0]]
    taps = d["kernel"] if "kernel" in d else d["kernel_h"] * d["kernel_w"]
    return 2 * math.prod(results.shape) * taps * d["channels"]


def all_pairs(call):
    """Flops of an attention by the counter's rule for fused ones: its gradient makes the scores
    again."""
    from torch.utils.flop_counter import sdpa_backward_flop_count, sdpa_flop_count

    d = call.dims
    queries, keys = (d.get(which, d.get("tokens")) for which in ("queries", "keys"))
    q, k = ((d["batch"], d["heads"], tokens, d["head_dim"]) for tokens in (queries, keys))
    return sdpa_backward_flop_count(q, q, k, k) if "back" in call.op else sdpa_flop_count(q, k, k)


def as_seen(call):
    """The share of the pairs whose query sees the key."""
    tokens = call.dims.get("tokens", call.dims.get("queries"))
    return (tokens + 1) / (2 * tokens) if call.attributes["causal"] else 1


@pytest.mark.parametrize("id", MODELS)
def test_products_have_the_flops_that_torch_counts(id, torch_steps):
    trace = sp.workload(id, optimizer=None, **MODELS[id])
    counted = counted_by_torch(torch_steps, id, trace)
    convolved = sum(flops for op, flops in counted.items() if op.startswith("convolution"))
    attentions, convolutions = calls_of(trace, "attention"), calls_of(trace, "conv")
    # On the meta device attention is products of batches: two, and four for its gradient.
    attended = counted.get("bmm", 0)
    ours = trace.cost.matrix_flops
    ours -= sum(call.cost.matrix_flops for call in attentions + convolutions)
    assert ours == sum(counted.values()) - convolved - attended > 0
    assert convolved == sum(windows_in_full(call, trace) for call in convolutions)
    forward = [call for call in attentions if "backward" not in call.op]
    assert attended == 3 * sum(map(all_pairs, forward))


@pytest.mark.parametrize("id", MODELS)
def test_attention_counts_what_a_query_sees_and_convolutions_taps_on_data(id):
    trace = sp.workload(id, optimizer=None, **MODELS[id])
    for call in calls_of(trace, "attention"):
        assert call.cost.matrix_flops == pytest.approx(as_seen(call) * all_pairs(call), rel=1e-12)
    convolutions = calls_of(trace, "conv")
    for call in convolutions:
        flops, full = call.cost.matrix_flops, windows_in_full(call, trace)
        assert 0 < flops <= full
        assert (flops == full) == (call.attributes["padding"] == 0), call.op
