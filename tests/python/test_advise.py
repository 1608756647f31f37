"""Advice: those that a job fits first, by time; each with what decides its place."""

from __future__ import annotations

import pytest

import siliconprof as sp

DEVICES = ["m1-7", "m2-ultra", "rtx-4090", "h200", "rtx-3060"]
JOB = {"batch": 4, "seq": 128}


@pytest.fixture(scope="module")
def rows():
    return sp.advise("gpt2-large", devices=DEVICES, **JOB)


def test_what_fits_comes_first_by_time(rows):
    fits = [row.fits for row in rows]
    assert fits == sorted(fits, reverse=True)
    for wanted in (True, False):
        times = [row.time_s for row in rows if row.fits is wanted]
        assert times == sorted(times) and times


def test_every_row_is_a_prediction(rows):
    assert sorted(row.device for row in rows) == sorted(DEVICES)
    for row in rows:
        step = sp.workload("gpt2-large", framework=row.framework, **JOB)
        profile = sp.predict(step, row.device, row.framework)
        assert (row.time_s, row.interval_s) == (profile.time_s, profile.interval)
        assert row.peak_memory_bytes == profile.peak_memory_bytes
        assert row.peak_memory_interval_bytes == profile.peak_memory_interval_bytes
        assert row.energy_joules == profile.energy_joules
        assert row.energy_interval_joules == profile.energy_interval_joules


def test_where_the_memory_is_so_near_its_limit_that_it_may_not_fit_why_says_so(rows):
    plenty = {row.device: row for row in rows}["rtx-4090"]
    low, high = plenty.peak_memory_interval_bytes
    board, software = sp.device("rtx-4090"), sp.framework("torch-cuda")
    part = board.numbers["memory.usable_part"].value
    context_bytes = software.numbers["memory.nvidia.context_bytes"].value
    said = {}
    for limit in (low, (plenty.peak_memory_bytes + high) / 2, high):
        # But for the last digit, which a part of it takes.
        capacity_bytes = (limit + 1 + context_bytes) / part
        device = board.with_number("memory.capacity_bytes", capacity_bytes)
        (row,) = sp.advise("gpt2-large", devices=[device], **JOB)
        said[limit] = row.fits, row.why
    assert [fits for fits, _ in said.values()] == [False, True, True]
    unsure = ["not with all of its interval" in why for _, why in said.values()]
    assert unsure == [False, True, False]


def test_why_is_the_memory_that_lacks_or_the_largest_cause(rows):
    by_device = {row.device: row for row in rows}
    assert "the quickest that it fits" in rows[0].why
    assert "may hold 5.73 GB" in by_device["m1-7"].why  # 2/3 of 8 GiB
    assert by_device["rtx-3060"].why.endswith("GB, may hold 12.1 GB")  # of 12 GiB
    slow = by_device["m2-ultra"]
    first = (rows[0].device, rows[0].framework)
    steps = tuple(
        sp.workload("gpt2-large", framework=name, **JOB) for name in (first[1], slow.framework)
    )
    causes = sp.explain(steps, first, ("m2-ultra", slow.framework))
    most = max(causes.terms, key=lambda term: term.seconds)
    assert most.name in slow.why and rows[0].device in slow.why


def test_most_of_the_time_is_more_than_half_of_it():
    for size, said in (("gpt2-small", "the largest part of its time"), ("gpt2-xl", "most of")):
        (row,) = sp.advise(size, devices=["h200"], batch=1, seq=256)
        terms = sp.predict(sp.workload(size, batch=1, seq=256), "h200").terms
        assert (max(terms.values()) > 0.5 * row.time_s) == (said == "most of"), terms
        assert said in row.why and row.why.endswith(max(terms, key=terms.__getitem__))


def test_a_slower_framework_of_the_same_device_is_compared_by_its_name():
    frameworks = ["torch-cuda", "torch-cuda@graphs"]
    rows = sp.advise("gpt2-small", devices=["h200"], frameworks=frameworks)
    assert f" x the time of {rows[0].framework}, most by" in rows[1].why


def test_an_unknown_price_is_none(rows):
    prices = {row.device: row.price_usd for row in rows}
    assert prices["h200"] is None
    assert prices["rtx-4090"] == 1599


def test_a_machine_without_the_format_comes_last_with_the_reason():
    rows = sp.advise("gpt2-small", devices=["m2", "h200"], precision="tf32", **JOB)
    assert [row.device for row in rows] == ["h200", "m2"]
    assert rows[1].fits is None and rows[1].time_s is None
    assert rows[1].peak_memory_interval_bytes is rows[1].energy_interval_joules is None
    assert "no peak rate for tf32" in rows[1].why


def test_a_machine_beside_a_host_that_nothing_is_known_of_is_a_row_that_says_so():
    whole = sp.device("rtx-4090")
    numbers = {key: n for key, n in whole.numbers.items() if not key.startswith("host.")}
    alone = sp._core.Device("alone", "Alone", whole.vendor, whole.family, numbers)
    rows = sp.advise("gpt2-small", devices=[alone, "h200"], offload=True, **JOB)
    assert [row.device for row in rows] == ["h200", "alone"]
    assert rows[1].fits is None and rows[1].time_s is None and rows[1].interval_s is None
    assert "host.memory_bandwidth_bytes_per_s" in rows[1].why


def test_a_device_of_what_if_is_advised_on():
    faster = sp.device("m2").with_number("memory.bandwidth", 4e11)
    (row,) = sp.advise("gpt2-small", devices=faster, **JOB)
    assert row.time_s == sp.predict(sp.workload("gpt2-small", **JOB), faster).time_s


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"workload": "matvec"}, "a model's id"),
        ({"workload": "gpt2-larg"}, "unknown model 'gpt2-larg'; did you mean 'gpt2-large'"),
        ({"workload": "triad"}, "a model's id"),
        ({"devices": ["m3-mux"]}, "m3-max"),
        ({"devices": 3}, "devices = 3"),
        ({"device": "m2"}, "unknown advise argument 'device'; did you mean 'devices'"),
        ({"foo": 1}, r"unknown advise argument 'foo' \(there are: devices, (?!.*framework\b)"),
        ({"precision": "tf32"}, r"\[advise\] gpt2-small: nothing can be predicted; .*m2 has no"),
        ({"batch": 0}, "batch"),
        ({"framework": "torch-mps"}, r"\[advise\] framework = 'torch-mps' .*frameworks="),
    ],
)
def test_wrong_questions_are_named(wrong, error):
    given = {"workload": "gpt2-small", "devices": ["m2"], **wrong}
    with pytest.raises(sp.Error, match=error):
        sp.advise(given.pop("workload"), **given)


def test_device_files_stand_among_the_others(device_file, calibrated_file):
    files = [str(device_file), str(calibrated_file)]
    found = sp.advise("gpt2-small", devices=["m2-ultra", *files], batch=1, seq=64)
    assert {row.device for row in found} == {"m2-ultra", "half-ultra", "made-tm-cpu-here"}
    (own,) = (row for row in found if row.device == "made-tm-cpu-here")
    step = sp.workload("gpt2-small", batch=1, seq=64)
    assert own.time_s == sp.predict(step, calibrated_file).time_s
    assert own.why.split(" x the time of ")[1].startswith(found[0].device)


def test_a_framework_that_runs_on_none_of_the_devices_is_warned_of():
    with pytest.warns(UserWarning, match=r"\[advise\] left out: mlx: it runs on none of the dev"):
        rows = sp.advise("gpt2-small", devices="h200", frameworks=["torch-cuda", "mlx"], **JOB)
    assert [(row.device, row.framework) for row in rows] == [("h200", "torch-cuda")]


def test_no_devices_are_refused_in_its_own_name():
    with pytest.raises(sp.ArgumentError, match=r"\[advise\] devices = \[\] .*one or more"):
        sp.advise("gpt2-small", devices=[])


def test_what_an_allocator_keeps_beyond_the_card_is_said():
    (found,) = sp.advise("resnet50", batch=80, devices="rtx-4060")
    assert found.fits and found.why.endswith("; the allocator would reserve 8.45 GB of 7.89 GB")
