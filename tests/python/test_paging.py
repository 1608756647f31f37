from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.paging import swapped_in


@pytest.fixture(scope="module")
def step():
    return sp.workload("gpt2-small", layers=2, width=256, heads=4, vocab=8192, batch=1, seq=32)


def test_a_step_that_fits_reads_nothing_back(step):
    assert swapped_in(step, 2 * step.peak_memory_bytes, 3) == [0, 0, 0]


def test_a_tighter_limit_reads_more_back(step):
    found = [swapped_in(step, int(share * step.peak_memory_bytes), 3)[-1] for share in (0.8, 0.5)]
    assert 0 < found[0] < found[1]


def test_a_loop_over_more_than_the_limit_reads_all_of_it_back():
    copy = sp.op("copy", n=1 << 20)  # 4 MiB read, 4 MiB written, of which the result dies
    assert swapped_in(copy, 1 << 20, 3) == [0, 4 << 20, 4 << 20]
