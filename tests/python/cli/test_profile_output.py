from __future__ import annotations

import siliconprof as sp
from siliconprof import _core
from siliconprof.capacity import held_bytes, memory_of
from siliconprof.cli.profile_output import measured_document, print_profile, profile_document
from siliconprof.quantity import scaled

CONTRACT = {
    "time_s",
    "interval_s",
    "forward_s",
    "backward_s",
    "optimizer_s",
    "transfer_s",
    "peak_memory_bytes",
    "energy_joules",
    "fits",
    "terms",
    "flops",
    "kernels",
}


def trace() -> sp.Trace:
    return sp.op("matmul", m=64, k=64, n=64)


def measured() -> sp.Profile:
    step = _core.Span("step", "step", "forward", -1, -1, 1e-3, None, [1e-3])
    counters = [
        _core.CounterReading("minor_faults", "faults", 3.0),
        _core.CounterReading("energy", "J", None, "no RAPL here"),
    ]
    return sp.Profile(
        "measured", "t", "cpu", "openblas", [step], counters=counters, environment={"cpu": "x"}
    )


def test_a_prediction_has_the_fields_of_the_contract():
    profile = sp.predict(trace(), "m2-ultra")
    content = profile_document(profile, trace())
    assert set(content) >= CONTRACT
    assert content["interval_s"] == list(profile.interval)
    assert content["kernels"] == 1


def test_predicted_memory_and_energy_stand_with_their_intervals(capsys):
    profile = sp.predict(sp.workload("gpt2-small", batch=1, seq=64), "h200")
    content = profile_document(profile, trace())
    low, high = content["energy_interval_joules"]
    assert low < content["energy_joules"] < high
    assert content["peak_memory_interval_bytes"] == list(profile.peak_memory_interval_bytes)
    print_profile(profile)
    out = " ".join(capsys.readouterr().out.split())
    for ends, unit in ((profile.peak_memory_interval_bytes, "bytes"), ((low, high), "J")):
        assert " to ".join(scaled(end, unit) for end in ends) in out


def test_the_sizes_that_ran_are_told(capsys):
    step = sp.workload("gpt2-small", batch=3, seq=24)
    for work, sizes in ((step, "gpt2-small batch=3 "), (trace(), "matmul batch=1 m=64 ")):
        profile = sp.predict(work, "m2-ultra")
        content = profile_document(profile, work)
        assert content["work"].startswith(sizes) and content["workload"] == work.label
        print_profile(profile)
        assert capsys.readouterr().out.startswith(sizes)


def test_whether_it_fits_is_told_of_the_machine_that_was_predicted_for(capsys):
    step = sp.workload("gpt2-small", batch=8, seq=64)
    whole = sp.device("h200")
    for machine, fits in ((whole, True), (whole.with_number("memory.capacity_bytes", 1e9), False)):
        profile = sp.predict(step, machine)
        target = (machine, sp.framework("torch-cuda"))
        content = profile_document(profile, step, target)
        assert content["fits"] is fits
        assert ("would_fit" in content) is not fits
        print_profile(profile, step, target)
        out = capsys.readouterr().out
        assert ("doesn't fit in 450 MB" in " ".join(out.split())) is not fits
        assert "peak memory" in out and "energy" in out and "backward" in out
    assert profile_document(profile, step)["fits"] is None


def test_what_fits_is_less_than_the_memory_in_the_unit_beside_it(capsys):
    step = sp.workload("gpt2-large", batch=7, seq=256)
    profile = sp.predict(step, "m2")
    print_profile(profile, step, (sp.device("m2"), sp.framework("mlx")))
    line = next(line for line in capsys.readouterr().out.splitlines() if "peak memory" in line)
    assert " ".join(line.split()) == (  # 16 GiB, of 24
        "peak memory 16.5 GB 15 GB to 18.2 GB; fits in 17.2 GB, not with all of its interval"
    )


def test_the_batch_that_would_fit_is_the_allocators_with_what_was_set():
    step = sp.workload("gpt2-small", batch=64, seq=64, framework="torch-cuda")
    machine = sp.device("rtx-4090").with_number("memory.capacity_bytes", 6e9)
    whole = sp.framework("torch-cuda")
    named = []
    for software in (whole, whole.with_number("memory.nvidia.workspace_bytes", 1e9)):
        profile = sp.predict(step, machine, software)
        there = memory_of(machine, software)
        text = profile_document(profile, step, (machine, software))["would_fit"]
        named.append(int(text.removeprefix("a batch of ").removesuffix(" would fit")))
        for batch, fits in ((named[-1], True), (named[-1] + 1, False)):
            other = sp.workload("gpt2-small", batch=batch, seq=64, framework="torch-cuda")
            assert (held_bytes(sp.predict(other, machine, software), machine) <= there) is fits
    assert named[0] > named[1]


def test_a_step_that_fits_without_what_the_allocator_keeps_says_so(capsys):
    step = sp.workload("resnet50", batch=80)
    target = (sp.device("rtx-4060"), sp.framework("torch-cuda"))
    profile = sp.predict(step, *target)
    content = profile_document(profile, step, target)
    assert content["fits"] and "would_fit" not in content
    assert content["notes"][:-1] == list(profile.notes)
    assert content["notes"][-1].startswith("the allocator would reserve 8.45 GB of 7.89 GB: it has")
    print_profile(profile, step, target)
    assert "note: the allocator would reserve 8.45 GB of 7.89 GB" in capsys.readouterr().out


def test_a_step_that_pages_without_end_says_so():
    step = sp.workload("llama-7b", batch=64, seq=2048)
    target = (sp.device("m1"), sp.framework("mlx"))
    notes = profile_document(sp.predict(step, *target), step, target)["notes"]
    assert notes[-1].startswith("2.32 TB would go to swap, of which macOS makes 107 GB at most")


def test_a_predictions_document_has_its_counters():
    step = sp.workload("gpt2-small", batch=1, seq=64)
    profile = sp.predict(step, "m2-max", "mlx")
    counters = profile_document(profile, step)["counters"]
    assert {"reserved_memory_bytes", "memory_limit_bytes"} <= set(counters)
    for reading in profile.counters:
        shown = {"value": reading.value, "unit": reading.unit, "reason": reading.reason or None}
        assert counters[reading.name] == shown


def test_every_missing_value_has_a_reason():
    content = profile_document(sp.predict(trace(), "m2-ultra"), trace())
    missing = {name for name, value in content.items() if value is None}
    assert missing == set(content["reasons"])
    assert all(content["reasons"].values()), content["reasons"]


def test_a_measurement_adds_samples_counters_and_environment():
    content = measured_document(measured(), trace())
    assert content["samples"] == [1e-3]
    assert content["counters"]["minor_faults"]["value"] == 3.0
    assert content["counters"]["energy"] == {"value": None, "unit": "J", "reason": "no RAPL here"}
    assert content["environment"] == {"cpu": "x"}


def test_the_text_says_why_there_is_no_interval(capsys):
    print_profile(measured())
    assert "no interval: too few samples" in capsys.readouterr().out


def test_a_profile_without_work_has_no_rates(capsys):
    print_profile(sp.load("table4").profiles()[0])
    out = capsys.readouterr().out
    assert "2.71 s" in out
    assert "rate" not in out


def test_the_text_shows_the_origin_the_time_and_why_a_counter_is_missing(capsys):
    print_profile(measured())
    out = capsys.readouterr().out
    assert "measured" in out and "1 ms" in out and "no RAPL here" in out


def test_a_term_of_no_time_has_no_line_and_seconds_have_three_digits(capsys):
    print_profile(sp.predict(trace(), "m2-ultra"))
    out = capsys.readouterr().out
    assert "term matrix" in out and "term paging" not in out and " 0 s" not in out
    step = _core.Span("step", "step", "forward", -1, -1, 1e-3, None, [1e-3])
    counters = [_core.CounterReading("wall_s", "s", 1.341331)]
    profile = sp.Profile("measured", "t", "cpu", "openblas", [step], counters=counters)
    print_profile(profile)
    assert "1.34 s" in capsys.readouterr().out
