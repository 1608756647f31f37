"""Regions: all sizes once, in as few families as the steps allow."""

from __future__ import annotations

import itertools

import pytest

import siliconprof as sp
from siliconprof.sweep_regions import regions


def gpt2(batch: int, seq: int) -> sp.Trace:
    return sp.workload("gpt2-small", layers=1, context=64, batch=batch, seq=seq)


def sizes(found) -> list[tuple[int, int]]:
    return [size for region in found for size in itertools.product(region.batches, region.lengths)]


def test_sizes_that_make_the_same_calls_are_one_region():
    (region,) = regions([gpt2], (1, 2, 8), (8, 16, 63))
    assert (region.batches, region.lengths) == ((1, 2, 8), (8, 16, 63))


def test_the_full_context_is_a_region_of_its_own():
    found = list(regions([gpt2], (1, 2), (8, 16, 64)))
    assert [region.lengths for region in found] == [(64,), (8, 16)]
    assert sorted(sizes(found)) == sorted(itertools.product((1, 2), (8, 16, 64)))
    for region in found:
        size = (region.batches[0], region.lengths[0])
        assert region.families[0].peak_memory_bytes(size) == gpt2(*size).peak_memory_bytes


def test_an_operation_that_depends_on_its_size_everywhere_has_a_region_for_each():
    def build(batch: int, length: int) -> sp.Trace:
        return sp.op("copy" if length % 2 else "scale", n=batch)

    found = list(regions([build], (1, 2), (1, 2, 3)))
    assert sorted(sizes(found)) == sorted(itertools.product((1, 2), (1, 2, 3)))
    assert all(len(region.lengths) == 1 for region in found)


def test_a_size_that_cannot_be_is_the_builds_own_error():
    with pytest.raises(sp.ArgumentError, match="context"):
        list(regions([gpt2], (1, 2), (8, 65)))
