from __future__ import annotations

from dataclasses import replace

import pytest

from siliconprof import _core
from siliconprof.calibration_plan import Kernel, memory_levels
from siliconprof.calibration_samples import (
    Measured,
    cache_bytes,
    disturbance,
    interruptions,
    measure,
    notes_of,
    quick,
    usual,
)

ADD = Kernel("add", {"n": 1000}, update=True)
NEAR = ("cached_bytes_per_s", "memory_bytes_per_s")


def measured(*far):
    return Measured(ADD, _core.replicate(ADD.trace(), 2, 1, True), [list(each) for each in far], [])


def test_first_runs_are_far_and_others_near(Made):
    found = measure(Made(), ADD, 1e5, 1.0)
    assert len(found.far_s) == len(found.near[0]) == len(found.trace) // 2
    assert quick(found.near[0]) < quick(found.far_s)


def test_operands_take_no_more_than_half_of_the_free_memory(Made):
    made = Made()
    made.free_bytes = 1e6
    assert measure(made, ADD, 1e5, 1.0).trace.peak_memory_bytes <= 4e5
    found = measure(made, ADD, 1e6, 1.0)
    assert 4e5 < found.trace.peak_memory_bytes <= 5e5


SORT = Kernel("sort", {"outer": 64, "size": 1024, "inner": 1})


def test_where_a_pass_takes_too_long_two_sets_take_turns(Made):
    """What lies between pushes them out: their points are as far and as near as of many sets."""
    many, two = (measure(Made(), SORT, 16e6, share_s) for share_s in (60.0, 1e-4))
    assert (many.between, two.between) == (0, 1)
    assert len(many.trace) == 2 * 51 and [call.op for call in two.trace.calls] == [
        *("sort", "sort", "sum") * 2
    ]
    assert two.trace.peak_memory_bytes == pytest.approx(many.trace.peak_memory_bytes, rel=0.02)
    for one, other in zip(many.points(16e6), two.points(16e6), strict=True):
        assert one.seconds == pytest.approx(other.seconds, rel=0.02)
        assert one.amounts == pytest.approx(other.amounts, rel=0.02)


def test_levels_are_whole_sets_however_long_they_take(Made):
    assert measure(Made(), memory_levels()[-1], 16e6, 1e-9).between == 0


def test_a_later_round_runs_what_the_first_ran(Made):
    kernel = replace(SORT, large=True)
    first = measure(Made(), kernel, 16e6, 60.0)
    made = Made()
    again = measure(made, kernel, 1e6, 1e-9, first)
    assert made.runs == 2
    assert again.trace is first.trace and again.large_trace is first.large_trace
    assert again.between == first.between and len(again.far_s) == len(first.far_s)


def test_points_of_far_and_near_differ_in_memory(Made):
    far, near = measure(Made(), ADD, 1e5, 1.0).points(1e5)
    assert far.amounts["cached_bytes_per_s"] == near.amounts["cached_bytes_per_s"] == 12000.0
    assert far.amounts["memory_bytes_per_s"] > 5 * near.amounts["memory_bytes_per_s"]


def test_a_call_larger_than_the_cache_is_a_point_of_its_own(Made):
    kernel = replace(ADD, large=True)
    far, near, large = measure(Made(), kernel, 1e5, 1.0).points(1e5)
    assert set(large.amounts) == {"start_s", "streamed_bytes_per_s"}
    # Two operands of 4 kB, one of them in place: 25 times as long they fill two caches.
    assert large.amounts["streamed_bytes_per_s"] == 25 * 12000.0
    assert {*far.amounts} == {*near.amounts} == {*large.amounts, *NEAR} - {"streamed_bytes_per_s"}


@pytest.mark.parametrize("free_bytes", [3.9e5, 4.1e5])
def test_a_call_larger_than_the_cache_takes_half_of_the_free_memory_at_most(Made, free_bytes):
    made = Made()
    made.free_bytes = free_bytes
    found = measure(made, replace(ADD, large=True), 1e5, 1.0)
    assert bool(found.large) == (free_bytes > 4e5)


def test_a_large_call_that_fails_leaves_the_others(Made):
    made, runs = Made(), []
    measured_by = made.measure

    def refusing(trace, sampling):
        runs.append(trace)
        if len(runs) == 3:  # tried, its sets, the large one
            raise MemoryError("no room")
        return measured_by(trace, sampling)

    made.measure = refusing
    found = measure(made, replace(ADD, large=True), 1e5, 1.0)
    assert found.far_s and not found.large
    assert notes_of([found]) == ["left out: calls larger than the cache of add (no room)"]
    found.add(measure(made, replace(ADD, large=True), 1e5, 1.0))
    assert found.large and notes_of([found]) == []


def test_a_large_call_is_in_place_where_the_others_are(Made):
    for update, operands in ((True, 2), (False, 3)):
        found = measure(Made(), replace(ADD, large=True, update=update), 1e5, 1.0)
        (call,) = found.large_trace.calls
        elements = dict(call.dims)["n"]
        assert found.large_trace.peak_memory_bytes == operands * 4 * elements


def test_pauses_of_large_calls_count_among_the_interruptions():
    whole = measured([1.0] * 4)
    whole.large = [[1.0, 1.0, 1.0, 3.0]]
    assert interruptions([whole]) == pytest.approx((1.0 + 1.5) / 2.0)


def test_a_round_that_others_disturbed_has_no_large_calls_either(Made):
    first, second = (measure(Made(), replace(ADD, large=True), 1e5, 1.0) for _ in range(2))
    first.others, second.large = 0.5, [[7.0]]
    first.add(second)
    assert first.large == [[7.0]]
    first.add(measure(Made(), replace(ADD, large=True), 1e5, 1.0))
    assert len(first.large) == 2


def test_the_edge_of_the_cache_is_found(Made):
    levels = [measure(Made(), kernel, 1.0, 1.0) for kernel in memory_levels()]
    assert cache_bytes(levels) == pytest.approx(16e6, rel=0.05)


def test_too_few_levels_leave_a_guess():
    assert cache_bytes([]) == 64e6


def test_levels_that_are_all_as_quick_leave_the_middle_size(Made):
    """Not the smallest: a cache that holds them all is as likely as one that holds none."""
    levels = [measure(Made(), kernel, 1.0, 1.0) for kernel in memory_levels()]
    for level in levels:
        level.far = [[1e-4] * 5]
    assert 10e6 < cache_bytes(levels) < 100e6


def test_no_cache_is_larger_than_what_was_measured(Made):
    """Where the largest set alone takes a little longer, the larger a cache the better it fits."""
    kernels = memory_levels()
    levels = [measure(Made(), kernel, 1.0, 1.0) for kernel in kernels]
    for level, kernel in zip(levels, kernels, strict=True):
        level.far = [[1e-4 if kernel is not kernels[-1] else 1.05e-4] * 5]
    assert cache_bytes(levels) <= 2.0**0.125 * kernels[-1].working_set_bytes


def test_disturbance_is_the_mean_over_the_quickest():
    assert disturbance([measured([1.0, 1.0, 1.2, 1.2, 1.2])]) == pytest.approx(1.12)
    assert disturbance([measured([1.0, 3.0])]) == 1.0  # too few to tell
    assert disturbance([measured([1.0] * 5 + [2.1] * 45)]) == pytest.approx(1.99)
    assert disturbance([measured([1.0, 1.0, 1.5, 1.5, 8.0])]) == pytest.approx(1.25)  # interrupted


def test_a_point_is_the_mean_of_its_rounds():
    (point,) = measured([2.0] * 5, [3.0, 4.0]).points(1e6, 1.5)
    assert point.seconds == pytest.approx(1.5 * (2.0 + 3.5) / 2.0)


def test_what_was_interrupted_is_in_no_mean():
    assert usual([[1.0, 1.0, 1.5, 1.5, 8.0], []]) == pytest.approx(1.25)
    assert usual([[1.0] * 4, [1.0] * 4, [3.0] * 4]) == 1.0  # a whole round


@pytest.mark.parametrize("slower", [1.9, 2.1, 5.0])
def test_most_samples_are_never_interruptions(slower):
    """A machine that was slow most of the time calibrates as a slow one."""
    assert usual([[1.0] * 9, [slower] * 9, [slower] * 9]) == pytest.approx((1 + 2 * slower) / 3)
    assert usual([[1.0] * 5 + [slower] * 50]) == pytest.approx((5 + 50 * slower) / 55)


def test_interruptions_are_those_of_all_kernels():
    whole, interrupted = measured([1.0] * 4), measured([1.0, 1.0, 1.0, 3.0])
    assert interruptions([whole, whole]) == 1.0
    assert interruptions([whole, interrupted]) == pytest.approx((1.0 + 1.5) / 2.0)
    asleep = measured([1.0, 1.0, 1.0, 3600.0])
    assert interruptions([whole, asleep]) == pytest.approx((1.0 + 2.0) / 2.0)  # no more of one
    assert interruptions([]) == 1.0


@pytest.mark.parametrize(
    ("samples", "rounds", "said"),
    [
        ([1.0] * 9, (1.0, 1.0, 1.0), []),
        ([1.0, 1.0, *[1.3] * 7], (1.0, 1.0, 1.0), ["noisy: repetitions took 23%"]),
        ([1.0] * 9, (1.0, 1.0, 1.2), ["slowed down: the last round took 20%"]),
        # A limit of half a core: runs for as long as it stands still.
        ([1.0] * 8 + [9.0], (1.0, 1.0, 1.0), ["interrupted: pauses made kernels 89% longer"]),
        ([1.0] * 9, (1.0, 1.25, 1.0), ["noisy: the slowest round of a kernel took 25%"]),
    ],
)
def test_a_machine_that_was_not_at_rest_is_said(samples, rounds, said):
    notes = notes_of([measured(*([each * slower for each in samples] for slower in rounds))])
    assert [note[: len(start)] for note, start in zip(notes, said, strict=True)] == said


def test_a_round_that_others_disturbed_gives_way_to_one_that_they_did_not():
    found = measured([2.0] * 5)
    found.others = 0.3
    assert notes_of([found])[0].startswith("noisy: other processes used the processors")
    found.add(measured([1.0] * 5))
    assert found.far_s == [1.0] * 5
    worse = measured([3.0] * 5)
    worse.others = 0.5
    found.add(worse)
    assert found.far_s == [1.0] * 5
    assert found.attempts == 3
    assert not found.disturbed
