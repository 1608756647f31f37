"""Whose kernels a step is predicted in."""

import gc

import numpy
import pytest

import siliconprof as sp
from siliconprof import lowerings

TARGETS = [("h200", "torch-cuda"), ("m2-ultra", "mlx"), ("m2-pro", "torch-mps")]
STEP = {"batch": 2, "seq": 16, "layers": 2}


def test_a_version_of_a_framework_has_the_frameworks_kernels():
    assert lowerings.own_lowering("torch-mps@2.2") == "torch-mps"
    assert lowerings.own_lowering("my-framework") == "native"
    steps = [sp.workload("gpt2-small", framework=name) for name in ("torch-mps", "torch-mps@2.2")]
    assert [call.op for call in steps[0].calls] == [call.op for call in steps[1].calls]


@pytest.mark.parametrize(("device", "framework"), TARGETS)
def test_a_step_left_open_is_predicted_in_the_kernels_of_the_framework(device, framework):
    step = sp.workload("gpt2-small", **STEP)
    chosen = sp.workload("gpt2-small", framework=framework, **STEP)
    found = sp.predict(step, device, framework=framework)
    assert found == sp.predict(chosen, device, framework=framework)
    assert found == sp.predict(step, sp.device(device), sp.framework(framework))
    assert len(chosen) != len(step)


def test_kernels_that_were_chosen_stay():
    for kernels in ("native", "mlx"):
        step = sp.workload("gpt2-small", framework=kernels, **STEP)
        spans = sp.predict(step, "h200", framework="torch-cuda").spans
        assert [s.name for s in spans if s.kind == "op"] == [call.op for call in step.calls]


def test_a_step_is_made_once_for_each_framework_and_forgotten_with_the_step():
    made = []

    def make(kernels):
        made.append(kernels)
        return sp.workload("gpt2-small", framework=kernels, **STEP)

    before = len(lowerings._open)
    step = lowerings.left_open(sp.op("relu", n=8), make)
    assert lowerings.lowered(step, "native") is step
    assert lowerings.lowered(step, "mlx") is lowerings.lowered(step, "mlx")
    assert lowerings.lowered(step, "torch-cuda") is not lowerings.lowered(step, "mlx")
    assert made == ["mlx", "torch-cuda"]
    del step
    gc.collect()
    assert len(lowerings._open) == before


def test_a_single_operation_is_predicted_as_it_is():
    call = sp.op("relu", n=1 << 20)
    assert lowerings.lowered(call, "mlx") is call


def test_the_same_step_in_other_kernels_can_be_compared():
    step = sp.workload("gpt2-xl", batch=2, seq=256)
    sides = [sp.predict(step, "h100", framework="torch-cuda"), sp.predict(step, "m2")]
    found = sp.compare(*sides)
    assert found.verdict == "slower"
    assert found.notes[0].startswith("the same work in other kernels: ")
    other = sp.predict(sp.workload("gpt2-xl", batch=1, seq=256), "m2")
    found = sp.compare(sides[0], other)
    assert found.verdict == "unresolved"
    assert " batch=2 " in found.notes[0] and " batch=1 " in found.notes[0]


def test_both_sides_of_an_explanation_have_their_own_kernels():
    step = sp.workload("gpt2-small", **STEP)
    sides = ("m2-ultra", "mlx"), ("h200", "torch-cuda")
    pair = tuple(sp.workload("gpt2-small", framework=name, **STEP) for _, name in sides)
    found, expected = sp.explain(step, *sides), sp.explain(pair, *sides)
    seconds = {term.name: term.seconds for term in found.terms}
    assert seconds == {term.name: term.seconds for term in expected.terms}
    assert seconds["fusion"] != 0.0


def test_a_step_is_left_open_until_somebody_chooses_its_kernels():
    assert lowerings.is_left_open(sp.workload("gpt2-small", **STEP))
    assert not lowerings.is_left_open(sp.workload("gpt2-small", framework="native", **STEP))
    assert not lowerings.is_left_open(sp.op("relu", n=8))


def test_a_version_has_kernels_of_its_own_or_its_frameworks():
    assert lowerings.own_lowering("torch-cuda@compile") == "torch-cuda@compile"
    replayed = "torch-cuda@reduce-overhead"
    assert lowerings.own_lowering(replayed) == replayed
    assert lowerings.own_lowering("torch-cuda@graphs") == "torch-cuda"
    assert lowerings.own_lowering("torch-mps@2.2") == "torch-mps"
    assert lowerings.own_lowering("elsewhere@compile") == "native"


def test_a_compiled_step_has_kernels_and_a_host_of_its_own():
    plain, compiled = (
        sp.workload("gpt2-small", precision="amp-bf16", framework=software, layers=2)
        for software in ("torch-cuda", "torch-cuda@compile")
    )
    launches = [sum(not call.joins_launch for call in step.calls) for step in (plain, compiled)]
    assert launches[1] < launches[0]
    assert compiled.cost.bytes < plain.cost.bytes
    sides = [("h100", "torch-cuda"), ("h100", "torch-cuda@compile")]
    times = [sp.predict(sp.workload("gpt2-small", layers=2), *side).time_s for side in sides]
    assert times[1] < times[0]


SMALL = {
    "gpt2-small": dict(batch=2, seq=8, layers=2, width=16, heads=2, vocab=31, context=8),
    "whisper-tiny": dict(batch=1, layers=1, label_len=4),
    "simclr-resnet18": dict(batch=2, image=8, channels=4, projection=3),
    "llama-1b": dict(batch=1, seq=6, layers=1, width=32, heads=4, kv_heads=2, vocab=31),
}


def inputs(step, seed=0):
    draw = numpy.random.default_rng(seed)
    for tensor in step.tensors:
        if tensor.role != "input" or tensor.is_view:
            continue
        if tensor.dtype == "int32":
            yield draw.integers(0, tensor.index_limit, tensor.shape, dtype=numpy.int32)
        else:
            yield draw.uniform(-1, 1, tensor.shape).astype(tensor.dtype)


@pytest.mark.parametrize("options", [{}, {"precision": "amp-bf16"}, {"accumulate": 2}], ids=str)
@pytest.mark.parametrize("model", SMALL)
def test_calls_that_share_a_kernel_compute_the_same(model, options):
    """Losses and gradients, whichever order the calls came to stand in."""
    plain, compiled = (
        sp.workload(model, framework=software, optimizer="none", **SMALL[model], **options)
        for software in ("torch-cuda", "torch-cuda@compile")
    )
    assert any(call.joins_launch for call in compiled.calls)
    found, wanted = (sp.evaluate(step, *inputs(step), threads=1) for step in (compiled, plain))
    assert len(found) == len(wanted) > 1
    for ours, theirs in zip(found, wanted, strict=True):
        numpy.testing.assert_array_equal(ours, theirs)
