"""What a step computes does not depend on whose calls it is made of: updates as under PyTorch."""

import numpy
import pytest

import siliconprof as sp
from siliconprof import _core

SHAPE = {"batch": 1, "layers": 1, "width": 16, "heads": 2, "vocab": 30}
MODELS = {
    "llama-7b": {**SHAPE, "seq": 6, "kv_heads": 2, "hidden": 32},
    "bert-base": {**SHAPE, "seq": 6},
    "gpt2-small": {**SHAPE, "seq": 6},
    "whisper-tiny": {**SHAPE, "label_len": 6, "frames": 12},
}
WAYS = (
    {},
    {"checkpoint": True},
    {"clip": 0.1},
    {"accumulate": 3},
    {"accumulate": 2, "checkpoint": True, "offload": "overlapped"},
    {"accumulate": 2, "lora": 4},
)


def updates(model, framework, way):
    """Of each parameter, in two steps on the reference engine."""
    trace = _core.training_step(
        model,
        MODELS[model],
        precision="fp64",
        optimizer="sgd",
        learning_rate=0.01,
        framework=framework,
        **way,
    )
    step = sp.bind(trace, engine="reference")
    parameters = {
        tensor.name: id
        for id, tensor in enumerate(trace.tensors)
        if tensor.role == "parameter" and not tensor.is_view
    }
    before = {name: numpy.array(step.tensor(id)) for name, id in parameters.items()}
    step()
    step()
    return {name: step.tensor(id) - before[name] for name, id in parameters.items()}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(way) or "plain")
@pytest.mark.parametrize("model", MODELS)
def test_a_step_updates_as_under_pytorch(model, way):
    ours, theirs = updates(model, "native", way), updates(model, "torch-cuda", way)
    assert ours.keys() == theirs.keys() and len(ours) > 10
    moved = 0
    for name, change in theirs.items():
        numpy.testing.assert_allclose(ours[name], change, rtol=1e-7, atol=1e-13, err_msg=name)
        moved += bool(numpy.any(change != 0))
    assert moved >= (2 if "lora" in way else len(theirs) / 2)
