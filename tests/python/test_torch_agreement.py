"""Every operation and every gradient against PyTorch's, in float64 and in float32.

The truth is PyTorch's result in float64 on the very same inputs. Runs where PyTorch is installed:
PYTHONPATH=build/python <python with torch> -m pytest tests/python/test_torch_agreement.py
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy
import pytest
from torch_cases import (
    CASES,
    ENGINES,
    OPS,
    evaluated,
    exact,
    expect_near,
    has_vjp,
    inputs_of,
    largest,
    sizes_of,
    torch,
    trace_of,
    values,
)

from siliconprof import _core

pytestmark = pytest.mark.filterwarnings("ignore")

EXACT = ("cast_",)  # rounded to a format: compared bit for bit, from the call's own dtype


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("op", OPS)
def test_results_agree_with_pytorch(op, dtype, engine, peers):
    if op in peers.WITHOUT_PEER:
        pytest.skip(peers.WITHOUT_PEER[op])
    for seed in range(CASES):
        sizes = sizes_of(op, seed)
        trace = trace_of(op, sizes, dtype)
        arrays = inputs_of(op, trace, seed)
        given = [torch.from_numpy(a) if op.startswith(EXACT) else exact(a) for a in arrays]
        truths = peers.PEERS[op](SimpleNamespace(**sizes), *given)
        for found, truth in zip(evaluated(trace, arrays, engine), truths):
            if found.dtype == numpy.int32 or op.startswith(EXACT):
                wanted = truth.double().numpy().reshape(found.shape)
                numpy.testing.assert_array_equal(values(found), wanted, f"{op} {sizes}")
            else:
                expect_near(found, truth.detach().numpy(), trace, dtype, largest(arrays))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("op", [op for op in OPS if has_vjp(op)])
def test_gradients_agree_with_pytorch(op, dtype, engine, peers):
    if op in peers.WITHOUT_PEER:
        pytest.skip(peers.WITHOUT_PEER[op])
    for seed in range(CASES):
        sizes = sizes_of(op, seed)
        trace = trace_of(op, sizes, dtype, vjp=True)
        arrays = inputs_of(op, trace, seed)
        *inputs, cotangent = arrays
        given = [exact(array, follow=True) for array in inputs]
        followed = [tensor for tensor in given if tensor.requires_grad]
        output = peers.PEERS[op](SimpleNamespace(**sizes), *given)[0]
        truths = torch.autograd.grad(output, followed, exact(cotangent).to(output.dtype))
        gradients = evaluated(trace, arrays, engine)
        assert len(gradients) == len(truths), op
        for found, truth in zip(gradients, truths):
            expect_near(found, truth.detach().numpy(), trace, dtype, largest(arrays))


def test_every_operation_is_compared_or_excused(peers):
    reached = {
        call.op
        for op in OPS
        if op in peers.PEERS and has_vjp(op)
        for call in trace_of(op, sizes_of(op, 0), "float32", vjp=True).calls
    }
    known = reached | set(peers.PEERS) | set(peers.WITHOUT_PEER)
    assert [op for op in _core.op_names() if op not in known] == []
    assert set(peers.PEERS) & set(peers.WITHOUT_PEER) == set()
