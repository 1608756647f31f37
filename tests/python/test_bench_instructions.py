"""benchmarks/instructions.py: what a row's instructions take where memory costs nothing."""

from __future__ import annotations

import pytest


@pytest.fixture
def instructions(load):
    return load("instructions")


def test_the_longest_axis_is_cut(instructions):
    less = instructions.within(("softmax", {"outer": 1024, "size": 64, "inner": 1}), 1 << 16)
    assert less.sizes == {"outer": 128, "size": 64, "inner": 1}
    assert less.part == 1 / 8


def test_an_axis_that_changes_the_work_for_an_element_is_not(instructions):
    # A sort of half as many compares each fewer times than half.
    rows = {"outer": 8, "size": 4096, "inner": 1}
    quarter = instructions.trace_of("sort", rows).cost.bytes // 4
    assert instructions.within(("sort", rows), quarter).sizes == {**rows, "outer": 2}
    assert instructions.within(("sort", {**rows, "outer": 1}), 1 << 12) is None


def test_what_fits_has_nothing_to_cut(instructions):
    assert instructions.within(("relu", {"n": 100}), 1 << 16) is None


def test_parts_make_the_whole(instructions):
    halves = [instructions.Less("relu", {"n": n}, 0.5) for n in (1, 2)]
    assert instructions.instructions_s(halves, lambda less: less.sizes["n"]) == 6.0


@pytest.mark.parametrize(("taken_s", "bound"), [(0.4, "instructions"), (0.1, None)])
def test_a_row_is_bound_by_what_takes_longer_than_memory(load, monkeypatch, taken_s, bound):
    bench = load("bench_kernels")
    monkeypatch.setattr(bench._core, "last_level_cache_bytes", lambda: 1 << 16)
    monkeypatch.setattr(bench, "measure_alone", lambda *_: [taken_s / 8])
    kernel = bench.Kernel("x", "y", "relu", {"n": 1 << 14})
    found = bench.bound_by_instructions(kernel, {"floor_s": 0.2}, bench.Rule(), 1)
    assert found["instructions_s"] == pytest.approx(taken_s)
    assert found.get("bound_by") == bound
