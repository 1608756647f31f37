from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.paging import PAGE_BYTES, PassFaults, limited_passes

NOTHING = PassFaults(0, 0, 0, 0)
THREADS = 2  # each has a workspace of its own, which is much beside so small a step


@pytest.fixture(scope="module")
def step():
    return sp.workload("gpt2-small", layers=2, width=256, heads=4, vocab=8192, batch=1, seq=32)


def test_a_step_that_fits_faults_in_its_first_pass_alone(step):
    first, *later = limited_passes(step, 2 * step.peak_memory_bytes, 3, "zram", THREADS)
    assert first.major_faults == first.pages_in == first.pages_out == 0 < first.minor_faults
    assert later == [NOTHING, NOTHING]


def test_a_tenth_too_little_makes_several_times_as_much_come_back(step):
    limit = int(0.9 * step.peak_memory_bytes)
    missing = (step.peak_memory_bytes - limit) // PAGE_BYTES
    for each in limited_passes(step, limit, 5, "zram", THREADS)[1:]:
        assert 2 * missing < each.pages_in == each.major_faults
        assert each.pages_out == pytest.approx(each.pages_in, rel=0.2)


def test_a_tighter_limit_reads_more_back(step):
    limits = [int(share * step.peak_memory_bytes) for share in (1.2, 0.9, 0.5)]
    found = [
        sum(p.pages_in for p in limited_passes(step, limit, 4, "zram", THREADS)) for limit in limits
    ]
    assert 0 == found[0] < found[1] < found[2]


def test_a_file_is_read_ahead_so_that_most_pages_come_back_without_waiting(step):
    last = limited_passes(step, int(0.7 * step.peak_memory_bytes), 3, "file", THREADS)[-1]
    assert 4 * last.major_faults < last.pages_in
    assert last.minor_faults > last.major_faults


def test_another_kind_of_swap_is_refused_with_those_there_are(step):
    with pytest.raises(sp.UnknownNameError, match="zram"):
        limited_passes(step, 10**9, 1, "tape")


def test_a_limit_that_holds_nothing_is_refused(step):
    with pytest.raises(sp.ArgumentError, match="needed: at least 1024"):
        limited_passes(step, 10**6, 1, "zram")
