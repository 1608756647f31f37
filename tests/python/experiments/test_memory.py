from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.experiments import memory
from siliconprof.experiments.memory import ALL_CASES, GROWTH, PEAK, Case, Params, run


def test_parts_add_up_to_the_peak(monkeypatch):
    monkeypatch.setattr(memory, "fresh_process", lambda *given: (2_170_000_000, 0))
    made = run(Params(cases=(Case("gpt2-small", (("batch", 1), ("seq", 64))),)))
    (peak,) = made.where(quantity=PEAK)
    parts = [row.value for row in made.rows if row.origin == "predicted" and row is not peak]
    assert peak.value == sum(parts)
    (claim,) = memory.memory_growth_claims(made)
    assert claim.evidence[0].value == pytest.approx(peak.value / 2_170_000_000)


def test_what_kernels_keep_has_a_name():
    parts = memory.predicted_parts(Case("simclr-resnet18", (("batch", 4),)).trace())
    # The widest convolution's weights in panels are there at least; where its windows go by
    # Winograd's products, instead of nine taps sixteen, and less than a megabyte of each thread.
    weights = 512 * 512 * 4
    most = 16 * weights + 2**20 * memory._core.default_threads()
    assert 9 * weights <= parts["scratch of kernels"] < most
    # Products that are large in every direction are OpenBLAS's, but where vectors fill lines.
    trace = sp.op("matmul", m=4096, k=4096, n=4096)
    parts = memory.predicted_parts(trace)
    (who,) = {"operands that OpenBLAS copies", "scratch of kernels"} & parts.keys()
    panel = 4096 * 16 * 4  # all terms of a vector's columns
    assert parts[who] >= panel


def test_a_process_that_fails_is_a_reason(monkeypatch):
    def fail(*given):
        raise memory.Error("[memory] the fresh process ended with 1: no")

    monkeypatch.setattr(memory, "fresh_process", fail)
    made = run(Params(cases=ALL_CASES[:1]))
    (row,) = made.where(quantity=GROWTH)
    assert row.value is None and "not measured" in row.source


def test_all_cases_are_the_batches_and_lengths_that_are_promised():
    gpt2 = [dict(case.sizes) for case in ALL_CASES if case.workload == "gpt2-small"]
    assert {sizes["batch"] for sizes in gpt2} == {1, 2, 4, 8}
    assert {sizes["seq"] for sizes in gpt2} == {64, 128, 256, 512}
    assert len(gpt2) == 16
    for workload, batches in {
        "whisper-tiny": {1, 2, 4, 8},
        "resnet18": {8, 16, 32, 64},
        "simclr-resnet18": {8, 16, 32, 64, 128},
    }.items():
        named = [dict(case.sizes) for case in ALL_CASES if case.workload == workload]
        assert {sizes["batch"] for sizes in named} == batches
