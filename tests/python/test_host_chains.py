"""What chains of modules are made of, against the models' traces, and the costs that they show."""

from __future__ import annotations

from collections import Counter

import pytest

import siliconprof as sp

LAYERS = {
    "block": ("gpt2-small", "h.3.", {}),
    "adapted_block": ("gpt2-small", "h.3.", {"lora": 8}),
    "whisper_layer": ("whisper-tiny", "encoder.layers.1.", {}),
    "whisper_decoder_layer": ("whisper-tiny", "decoder.layers.1.", {}),
    "resnet_block_64": ("simclr-resnet18", "layer1.1.", {}),
}


@pytest.fixture
def host_chains(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import host_chains

    return host_chains


def calls_of(trace, layer, way, by_dtype):
    """A layer's calls by their names there; promotions inside an addition are no calls, copies of
    what an attention has are in its cost."""
    found = Counter()
    for call, section in zip(trace.calls, trace.sections, strict=True):
        if call.phase != way or not section.startswith(layer) or call.op == "transpose":
            continue
        op = call.op.replace("gelu_tanh", "gelu").replace("gelu_erf", "gelu")
        op = op.replace("conv2d_data_backward", "conv2d_backward")
        if op.startswith("cast_") and not (way == "forward" and op == "cast_float32"):
            found["cast"] += 1
        elif op.removesuffix("_backward") in by_dtype:
            found[f"{op}.{call.dtype}"] += 1
        elif not op.startswith("cast_") and op != "conv2d_weight_backward":
            found[op] += 1
    return found


# Under autocast a trace of a ResNet casts its norms' weights too, without a call.
CASES = [(layer, kind) for layer in LAYERS for kind in ("", "_autocast")]
CASES.remove(("resnet_block_64", "_autocast"))


@pytest.mark.parametrize("way", ["forward", "backward"])
@pytest.mark.parametrize(("layer", "kind"), CASES)
def test_a_layers_chain_is_made_of_the_calls_of_a_models_layer(host_chains, layer, kind, way):
    workload, section, given = LAYERS[layer]
    precision = "amp-fp16" if kind else "fp32"
    trace = sp.workload(workload, framework="torch-cuda", batch=2, precision=precision, **given)
    found = calls_of(trace, section, way, host_chains.BY_DTYPE)
    assert found == host_chains.calls_of(layer, kind, way)


def test_costs_that_made_the_chains_are_found_again(host_chains):
    costs = {"linear": 4e-5, "layer_norm": 2e-5, "add": 1e-5}
    rows = [
        (counts, sum(n * costs[call] for call, n in counts.items()))
        for counts in (
            {"linear": 1.0},
            {"layer_norm": 1.0},
            {"add": 1.0},
            {"linear": 1.0, "layer_norm": 1.0},
            {"linear": 4.0, "layer_norm": 2.0, "add": 2.0},
            {"linear": 1.0, "add": 1.0},
        )
    ]
    assert host_chains.solve(rows) == pytest.approx(costs)
    # One chain that was timed while its host was slow moves them little.
    odd = [*rows[:-1], (rows[-1][0], 2.0 * rows[-1][1])]
    assert host_chains.solve(odd) == pytest.approx(costs, rel=0.02)


def test_what_layers_take_once_is_what_few_of_them_share(host_chains):
    once, each, way = 6e-4, 4e-4, "forward"
    times = {
        ("plain_block", way): each + once / host_chains.DEPTH,
        ("short_plain_block", way): each + once / host_chains.FEW,
        ("linear", way): 5e-5 + 2e-4 / host_chains.DEPTH,
    }
    assert host_chains.once_s(times, way) == pytest.approx([once])
    rows = host_chains.rows_of(times, way, once)
    block = host_chains.calls_of("block", "", way)
    assert [seconds for calls, seconds in rows if calls == block] == pytest.approx([each, each])
    beginning = [calls for calls, _ in rows if host_chains.BEGIN in calls]
    assert beginning == [{"linear": 1.0, host_chains.BEGIN: 1 / host_chains.DEPTH}]


def test_modules_at_the_widths_of_models_stand_beside_few_elements(host_chains):
    times = {("linear", "forward"): 4e-5, ("linear_768", "forward"): 4.2e-5}
    times |= {("linear", "backward"): 9e-5, ("product_768", "forward"): 4e-5}
    assert host_chains.wider(times, "forward") == pytest.approx([1.05])
    assert host_chains.wider(times, "backward") == []
    assert set(host_chains.WIDER.values()) <= set(host_chains.CHAINS)


def test_composites_are_told_at_the_pace_of_the_chains_beside_them(host_chains):
    begin, solved = 2.4e-4, {"linear": 4e-5, "layer_norm": 2e-5, "add": 1e-5}
    costs = {"rms_norm": 8e-5, "rotary": 9e-5, "silu_gate": 3e-5}
    pace, share = 1.25, begin / host_chains.DEPTH
    times = {(name, "forward"): pace * (s + share) for name, s in (solved | costs).items()}
    solved[host_chains.BEGIN] = begin
    found = host_chains.composites(times, "forward", solved)
    assert found == pytest.approx(costs)
    back = {"matmul": 2e-5, "sum": 1e-5, "layer_norm_backward": 4e-5, "add": 1e-5}
    times = {("layer_norm", "backward"): 4e-5 + share, ("linear", "backward"): 5e-5 + share}
    times |= {(name, "backward"): 2 * s + share for name, s in costs.items()}
    found = host_chains.composites(times, "backward", back | {host_chains.BEGIN: begin})
    wanted = {"rms_norm_backward": 1.6e-4, "rotary": 1.8e-4, "silu_gate_backward": 6e-5}
    assert found == pytest.approx(wanted)


def test_what_a_layer_without_a_kernel_takes_more_is_its_masks(host_chains):
    begin, way = 2.4e-4, "forward"
    solved = {"linear": 4e-5, "matmul": 3e-5, "scale": 1e-5, "attention.float32": 1e-4}
    solved |= {host_chains.BEGIN: begin, host_chains.OTHER: 2e-5}
    share = begin / host_chains.DEPTH
    times = {("linear", way): 4e-5 + share}
    times |= {(name, way): 5e-5 + share for name in host_chains.COMPOSITES}
    times |= {("llama_layer", way): 9e-4, ("llama_grouped_layer", way): 1.2e-3}
    found = host_chains.composites(times, way, solved)
    # 3e-4 more: without the fused one, two products, two scales, four others, and the mask.
    assert found["causal_mask"] == pytest.approx(3e-4 + 1e-4 - (6e-5 + 2e-5 + 8e-5))
