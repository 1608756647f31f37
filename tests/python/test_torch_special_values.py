"""NaN and infinities, also beside zeros and denormals, and axes of size 0, as PyTorch has them.

The truth is PyTorch's result in float32 on the very same inputs: where NaN and infinities stand,
and the numbers beside them.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy
import pytest
from torch_cases import (
    CASES,
    ENGINES,
    OPS,
    evaluated,
    expect_near,
    has_vjp,
    inputs_of,
    largest,
    sizes_of,
    torch,
    trace_of,
)

import siliconprof as sp
from siliconprof import _core

pytestmark = pytest.mark.filterwarnings("ignore")

SMALL = [0.0, -0.0, 1e-40, -1e-40]
KINDS = {
    "nan": [numpy.nan],
    "infinity": [numpy.inf],
    "negative": [-numpy.inf],
    "small": SMALL,
    "all": [numpy.nan, numpy.inf, -numpy.inf, *SMALL],
}
LARGE = ("nan", "infinity", "negative", "all")
INFINITE = ("infinity", "negative", "all")


class Excuse(NamedTuple):
    """What isn't compared, and why."""

    ops: tuple[str, ...]
    kinds: tuple[str, ...]
    reason: str
    sides: tuple[str, ...] = ("result", "gradient")


EXCUSES = (
    Excuse(("bce",), tuple(KINDS), "PyTorch refuses what isn't from 0 to 1"),
    Excuse(("update_scale",), LARGE, "its flag is 0 or 1"),
    Excuse(
        ("attention", "attention_qkv"), LARGE, "a masked NaN, or one of none, is PyTorch's kernel's"
    ),
    Excuse(
        ("gelu_erf", "bias_gelu_erf"),
        INFINITE,
        "in PyTorch's vectors that of infinity is NaN, beside them infinity",
        ("result",),
    ),
    Excuse(
        ("selu",),
        ("nan", "all"),
        "in PyTorch's vectors the slope at NaN is NaN, beside them that of positive numbers",
        ("gradient",),
    ),
    Excuse(
        ("conv1d", "conv2d"),
        LARGE,
        "PyTorch multiplies weights by the zeros between windows a stride apart",
        ("gradient",),
    ),
    Excuse(
        ("scatter_max",),
        tuple(KINDS),
        "PyTorch shares a gradient among equal updates; ours goes to the first",
        ("gradient",),
    ),
)
# Infinity less infinity, or over it, is NaN: which terms come first decides between the two.
ANY_ORDER = ("layer_norm", "group_norm", "batch_norm", "adamw")


def excuse(op: str, kind: str, side: str, peers: Any) -> str | None:
    if op in peers.WITHOUT_PEER:
        return str(peers.WITHOUT_PEER[op])
    if op.startswith("cast_"):
        return "compared bit for bit in test_torch_agreement"
    for each in EXCUSES:
        if op in each.ops and kind in each.kinds and side in each.sides:
            return each.reason
    return None


def sprinkle(arrays: list[numpy.ndarray], kind: str, seed: int) -> None:
    """Some of the kind among the numbers of each input."""
    random = numpy.random.default_rng([seed, 11])
    for array in arrays:
        if array.dtype == numpy.float32:
            places = random.random(array.shape) < 1 / 12
            array[places] = random.choice(KINDS[kind], int(places.sum()))


def check(op: str, found: numpy.ndarray, truth: Any, trace: sp.Trace, size: float) -> None:
    wanted = truth.detach().numpy().reshape(found.shape)
    if found.dtype == numpy.int32:
        numpy.testing.assert_array_equal(found, wanted)
        return
    if op in ANY_ORDER:
        found, wanted = (numpy.where(numpy.isinf(a), numpy.nan, a) for a in (found, wanted))
    expect_near(found, wanted, trace, "float32", size)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("op", OPS)
def test_results_have_special_values_where_pytorch_has_them(op, kind, engine, peers):
    if reason := excuse(op, kind, "result", peers):
        pytest.skip(reason)
    for seed in range(CASES):
        sizes = sizes_of(op, seed)
        trace = trace_of(op, sizes, "float32")
        arrays = inputs_of(op, trace, seed)
        sprinkle(arrays, kind, seed)
        given = [torch.from_numpy(array.copy()) for array in arrays]
        truths = peers.PEERS[op](SimpleNamespace(**sizes), *given)
        results = evaluated(trace, arrays, engine)
        assert 1 <= len(truths) <= len(results)  # some of ours are kept for the gradient alone
        for found, truth in zip(results, truths):
            check(op, found, truth, trace, largest(arrays))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("op", [op for op in OPS if has_vjp(op)])
def test_gradients_have_special_values_where_pytorch_has_them(op, kind, engine, peers):
    if reason := excuse(op, kind, "gradient", peers):
        pytest.skip(reason)
    for seed in range(CASES):
        sizes = sizes_of(op, seed)
        trace = trace_of(op, sizes, "float32", vjp=True)
        arrays = inputs_of(op, trace, seed)
        sprinkle(arrays, kind, seed)
        *inputs, cotangent = arrays
        given = [torch.from_numpy(array.copy()) for array in inputs]
        followed = [tensor.requires_grad_() for tensor in given if tensor.is_floating_point()]
        output = peers.PEERS[op](SimpleNamespace(**sizes), *given)[0]
        arriving = torch.from_numpy(cotangent).reshape(output.shape)
        truths = torch.autograd.grad(output, followed, arriving)
        gradients = evaluated(trace, arrays, engine)
        assert len(gradients) == len(truths)
        for found, truth in zip(gradients, truths):
            check(op, found, truth, trace, largest(arrays))


def test_excuses_name_operations_and_kinds():
    for each in EXCUSES:
        assert set(each.ops) <= set(OPS)
        assert set(each.kinds) <= set(KINDS)
        assert set(each.sides) <= {"result", "gradient"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("op", [op for op in OPS if not op.startswith("cast_")])
def test_axes_of_size_0_give_what_pytorch_gives(op, engine, peers):
    if op in peers.WITHOUT_PEER:
        pytest.skip(peers.WITHOUT_PEER[op])
    compared = []
    for dim in _core.op_dims(op):
        sizes = {**sizes_of(op, 0), dim: 0}
        try:
            trace = trace_of(op, sizes, "float32")
        except sp.ShapeError as error:  # ours needs some, and says of what
            assert dim in str(error)
            continue
        arrays = inputs_of(op, trace, 0)
        results = evaluated(trace, arrays, engine)
        try:
            truths = peers.PEERS[op](SimpleNamespace(**sizes), *map(torch.from_numpy, arrays))
        except (RuntimeError, IndexError, ZeroDivisionError):  # PyTorch's does
            continue
        for found, truth in zip(results, truths):
            if truth.numel() == found.size:  # a sum over no channels is nothing to PyTorch
                check(op, found, truth, trace, 1.0)
                compared.append(dim)
    if not compared:
        pytest.skip("either side needs some of each")
