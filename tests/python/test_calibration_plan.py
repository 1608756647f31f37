from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.calibration_plan import (
    FORMATS,
    MOST_KERNELS,
    Kernel,
    kernels,
    kernels_in,
    memory_levels,
)
from siliconprof.stand_ins import streams


def test_a_plan_has_at_most_64_kernels():
    assert 40 <= len(memory_levels()) + len(kernels()) <= MOST_KERNELS


@pytest.mark.parametrize("precision", [name for name, dtype in FORMATS.items() if dtype])
def test_what_a_step_in_a_format_spends_its_time_on_is_in_its_plan(precision):
    """By kernel and dtype, or by their class, all that moves 1 % or more of a step's bytes."""
    dtype = FORMATS[precision]
    plan = kernels_in(dtype)
    assert len(plan) <= MOST_KERNELS
    calls = [kernel.trace().calls[0] for kernel in [*kernels(), *plan]]
    known = {(name, c.dtype) for c in calls for name in (_core.kernel_name(c), c.op_class)}
    for workload in ("gpt2-small", "whisper-tiny", "simclr-resnet18", "bert-base"):
        step = sp.workload(workload, batch=2, precision=precision, framework="native")
        moved = {}
        for call in step.calls:
            kind = (_core.kernel_name(call), call.op_class, call.dtype)
            moved[kind] = moved.get(kind, 0) + call.cost.bytes
        for (name, op_class, of), bytes in moved.items():
            if bytes > 0.01 * sum(moved.values()):
                assert {(name, of), (op_class, of)} & known, (workload, name, of)


def test_formats_of_16_bits_are_cast_to_and_from():
    casts = [(k.op, k.dtype) for k in kernels_in("bfloat16") if k.op.startswith("cast")]
    assert casts == [("cast_bfloat16", "float32"), ("cast_float32", "bfloat16")]
    assert [k.dtype for k in kernels_in("bfloat16") if k.op == "adamw"] == []
    assert [k.dtype for k in kernels_in("float16") if k.op == "unscale"] == ["float32"]
    assert {k.dtype for k in kernels_in("float64")} == {"float64"}


def test_working_sets_reach_past_the_last_cache_however_many_cores_share_it():
    for last in (None, 8e6, 32e6, 256e6):
        levels = memory_levels(last)
        sizes = [level.working_set_bytes for level in levels]
        assert sizes == sorted(sizes)
        assert sizes[-1] > 6.0 * (last or 0.0)
        # So many sets as the smallest machine takes, not more and more of the same size.
        counts = [level.sets(level.working_set_bytes, 10**6) for level in levels]
        assert counts == [3, 10, 19, 38, 114]


def test_working_sets_keep_to_half_of_the_free_memory():
    sets = [level.working_set_bytes for level in memory_levels(300e6, 480e6)]
    assert max(sets) == 240e6
    assert memory_levels(300e6, 1e12) == memory_levels(300e6)
    assert all(level.trace().calls for level in memory_levels(300e6, 0.0))


def test_every_kernel_is_a_call_that_can_be_made():
    for kernel in [*memory_levels(), *kernels()]:
        assert len(kernel.trace()) == 1, kernel


def test_the_first_kernels_hold_all_layouts_of_products():
    first = [(kernel.op, dict(kernel.attributes)) for kernel in kernels()[:3]]
    assert first == [("linear", {}), ("matmul", {}), ("matmul", {"transpose_a": 1.0})]


def test_no_kernel_is_measured_twice():
    seen = [(k.op, tuple(k.dims.items()), tuple(k.attributes.items())) for k in kernels()]
    assert len(set(seen)) == len(seen)


def test_sets_fill_the_bytes_asked_for():
    # add reads two and, where it updates, writes one of them: 8 bytes an element, else 12.
    assert Kernel("add", {"n": 1000}, update=True).sets(80_000, 100) == 10
    assert Kernel("add", {"n": 1000}).sets(120_000, 100) == 10
    assert Kernel("add", {"n": 1000}).sets(1.0, 100) == 1
    assert Kernel("add", {"n": 1}).sets(1e9, 100) == 100


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_all_that_streams_is_measured_in_calls_larger_than_the_cache_too(dtype):
    for kernel in kernels() if dtype == "float32" else kernels_in(dtype):
        call = kernel.trace().calls[0]
        # A table's gradient touches some rows of it.
        assert kernel.large == (streams(call) and call.op != "embedding_backward_add"), kernel


def test_a_grown_call_fills_the_bytes_asked_for_beside_what_does_not_grow():
    # A table of 1000 rows of 40 bytes, and what 100 places and their rows take.
    gather = Kernel("gather", {"rows": 1000, "count": 100, "columns": 10})
    grown = gather.grown(100_000)
    each = grown.dims["count"]
    assert grown.dims == {**gather.dims, "count": each}
    filled = [sum(t.bytes for t in gather.grown(size).trace().tensors) for size in (1.0, 100_000)]
    assert filled[0] == 1000 * 40 + 100 * filled_by_one_place(gather)
    assert 100_000 <= filled[1] < 100_000 + 100 * filled_by_one_place(gather)


def filled_by_one_place(kernel: Kernel) -> int:
    few, more = (
        sum(t.bytes for t in Kernel(kernel.op, {**kernel.dims, "count": n}).trace().tensors)
        for n in (1, 2)
    )
    return more - few


def test_a_plan_that_is_cut_short_has_some_of_every_kind():
    """Of one that is cut to 43, all that kernels are told apart by; then shapes of each in turn."""
    every = kernels()
    names = [_core.kernel_name(kernel.trace().calls[0]) for kernel in every]
    assert set(names[: 43 - len(memory_levels())]) == set(names)
    for name in ("product_forward", "attention_backward", "conv2d_3x3_weight_backward"):
        assert names[:51].count(name) >= 2, name
