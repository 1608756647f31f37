"""Energies of steps as physics has them: on every device, at any power that a board is held to."""

from __future__ import annotations

import functools

import pytest

import siliconprof as sp

POWERED = [id for id in sp.devices() if "power.board_watts" in sp.device(id).numbers]
BOARDS = [id for id in POWERED if sp.device(id).vendor == "nvidia"]
GPUS = [id for id in POWERED if sp.device(id).vendor in ("nvidia", "apple")]
STEPS = (
    ("gpt2-small", {"batch": 1, "seq": 16}),
    ("gpt2-small", {"batch": 8, "seq": 256}),
    ("resnet18", {"batch": 16}),
    ("gpt2-small", {"batch": 4, "seq": 64, "offload": True}),
)
PRECISIONS = ("fp32", "tf32", "amp-fp16", "amp-bf16")
SLACK = 1.0 + 1e-6


@functools.cache
def step(place, precision):
    name, sizes = STEPS[place]
    return sp.workload(name, precision=precision, **sizes)


def predictions(device, framework=None):
    """Of each step in each precision that is to be had there."""
    for place in range(len(STEPS)):
        for precision in PRECISIONS:
            try:
                yield sp.predict(step(place, precision), device, framework)
            except sp.DtypeError:
                assert precision == "tf32" or sp.device(device).vendor == "apple"


def counter(profile, name):
    return next(each.value for each in profile.counters if each.name == name)


@pytest.mark.parametrize("id", GPUS)
def test_a_step_draws_between_idling_and_what_the_board_may(id):
    watts = sp.device(id).numbers["power.board_watts"].value
    found = list(predictions(id))
    assert len(found) >= 4
    for profile in found:
        low, high = profile.energy_interval_joules
        assert 0.0 < low < profile.energy_joules < high
        mean = profile.energy_joules / profile.time_s
        assert 0.019 * watts < mean <= watts * SLACK
        assert 0.4 <= counter(profile, "sustained_clock") <= 1.0


@pytest.mark.parametrize("id", [id for id in sp.devices() if id not in GPUS])
def test_a_device_whose_power_is_not_known_has_no_energy(id):
    profile = sp.predict(step(0, "fp32"), id)
    assert profile.energy_joules is profile.energy_interval_joules is None
    assert not any("energy" in note for note in profile.notes)


@pytest.mark.parametrize("id", ["h200", "h100", "a100", "v100", "t4", "rtx-4090", "m2-max", "m1"])
def test_as_a_board_is_held_to_less_no_step_gets_quicker_and_none_draws_more_than_it_may(id):
    board = sp.device(id)
    full = board.numbers["power.board_watts"].value
    for place in range(len(STEPS)):
        last = None
        for part in (2.0, 1.0, 0.8, 0.6, 0.4, 0.2, 0.1):
            held = board.with_number("power.board_watts", part * full)
            profile = sp.predict(step(place, "fp32"), held)
            low, high = profile.energy_interval_joules
            assert low <= profile.energy_joules <= high
            is_told = any("the step takes longer than predicted" in n for n in profile.notes)
            draws_more = profile.energy_joules > part * full * profile.time_s * SLACK
            assert draws_more == is_told
            if last is not None:
                assert profile.time_s >= last.time_s / SLACK
                clocks = [counter(each, "sustained_clock") for each in (profile, last)]
                assert clocks == sorted(clocks)
            last = profile


KERNELS = {
    "matmul": {"m": 4096, "k": 4096, "n": 4096},
    "attention": {"batch": 64, "heads": 16, "queries": 1024, "keys": 1024, "head_dim": 64},
    "layer_norm": {"rows": 2**17, "n": 1024},
    "triad": {"n": 2**28},
}


@pytest.mark.parametrize("name", KERNELS)
def test_a_limit_slows_what_cores_hold_up_and_nothing_that_memory_does(name):
    board = sp.device("h200")
    call = sp.op(name, dtype="float16", **KERNELS[name])
    full, held = (sp.predict(call, d) for d in (board, board.with_number("power.board_watts", 300)))
    assert counter(full, "sustained_clock") > counter(held, "sustained_clock")
    if name == "triad":
        assert held.time_s == full.time_s
    else:
        assert held.time_s > 1.3 * full.time_s
    assert sum(held.terms.values()) >= held.time_s * (1.0 - 1e-12)


def test_a_wider_memory_takes_as_much_for_a_byte_and_little_where_cores_decide():
    board = sp.device("h200")
    wider = board.with_number("memory.bandwidth_bytes_per_s", 9.6e12)

    def both(name):
        call = sp.op(name, dtype="float16", **KERNELS[name])
        return [sp.predict(call, each) for each in (board, wider)]

    before, after = both("triad")
    assert after.time_s < 0.6 * before.time_s
    saved = (before.energy_joules - after.energy_joules) / (before.time_s - after.time_s)
    assert saved == pytest.approx((0.178 + 0.247) * 700.0, rel=0.02)  # idling, and its cores
    before, after = both("layer_norm")
    assert after.time_s == pytest.approx(before.time_s, rel=0.1)
    assert after.energy_joules < 1.1 * before.energy_joules


@pytest.mark.parametrize("id", BOARDS)
def test_arithmetic_in_every_format_takes_energy(id):
    """Beside what a board draws while any product runs."""
    board = sp.device(id)
    framework = sp.framework("torch-cuda")
    scopes = (board.family, board.vendor)

    def part(key):
        names = [f"power.{scope}.{key}" for scope in scopes]
        return next(framework.numbers[n].value for n in names if n in framework.numbers)

    watts = board.numbers["power.board_watts"].value
    for dtype in ("float64", "float32", "tf32", "float16", "bfloat16"):
        if f"peak.matrix.{dtype}_flops_per_s" not in board.numbers:
            continue
        found = sp.predict(sp.op("matmul", m=8192, k=8192, n=8192, dtype=dtype), board)
        if counter(found, "sustained_clock") == 1.0:
            without = (part("idle_part") + part("busy_part")) * watts * found.time_s
            assert found.energy_joules > 1.005 * without, dtype


@pytest.mark.parametrize("id", ["h200", "a100", "v100"])
def test_float64_where_it_is_half_as_quick_as_float32_draws_about_what_the_board_may(id):
    found = sp.predict(sp.op("matmul", m=8192, k=8192, n=8192, dtype="float64"), id)
    watts = sp.device(id).numbers["power.board_watts"].value
    assert 0.8 * watts < found.energy_joules / found.time_s <= watts * SLACK


@pytest.mark.parametrize("id", BOARDS)
def test_a_board_that_was_not_measured_has_a_wide_interval(id):
    is_hopper = sp.device(id).family == "nvidia-hopper"
    for profile in predictions(id):
        low, high = profile.energy_interval_joules
        part = (high - low) / profile.energy_joules
        assert (0.1 if is_hopper else 0.3) < part


@pytest.mark.parametrize("id", ["h200", "t4", "a100"])
def test_a_board_beside_itself_held_to_less_differs_in_clock_and_power_alone(id):
    full = sp.device(id)
    watts = full.numbers["power.board_watts"].value
    held = full.with_number("power.board_watts", 0.5 * watts)
    found = sp.explain(step(1, "fp32"), full, held)
    assert found.gap_s > 0.0
    for part in found.terms:
        wanted = found.gap_s if part.name == "clock and power" else 0.0
        assert part.seconds == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_a_limit_slows_nothing_that_an_offloaded_steps_host_does():
    """In `explain` as in `predict`, whose spans tell the optimizer's."""
    full = sp.device("h200")
    held = full.with_number("power.board_watts", 200)
    step = sp.workload("gpt2-medium", batch=16, seq=1024, offload=True, framework="torch-cuda")
    before, after = (sp.predict(step, board) for board in (full, held))
    assert after.terms["host optimizer"] == before.terms["host optimizer"]
    found = sp.explain(step, full, held)
    assert found.gap_s == pytest.approx(after.time_s - before.time_s, rel=1e-9)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_sweep_has_the_energies_of_predictions(precision):
    table = sp.sweep("resnet18", devices=["h100", "l4", "rtx-5090"], batch=4, precision=precision)
    assert len(table) == 3
    for row in table.to_dict("records"):
        profile = sp.predict(sp.workload("resnet18", batch=4, precision=precision), row["device"])
        found = [row[name] for name in ("time_s", "energy_joules", "lo_joules", "hi_joules")]
        wanted = [profile.time_s, profile.energy_joules, *profile.energy_interval_joules]
        assert found == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(
    ("step", "target"),
    [
        (("vgg16", {"batch": 512}), ("h200", "torch-cuda")),  # the limit slows it
        (("vgg16", {"batch": 128}), ("h200", "torch-cuda")),
        (("resnet50", {"batch": 1, "offload": True}), ("h100", "torch-cuda")),
    ],
)
def test_terms_of_slowed_and_of_offloaded_steps_are_their_time_or_more(step, target):
    name, options = step
    found = sp.predict(sp.workload(name, framework="torch-cuda", **options), *target)
    assert options.get("offload") or counter(found, "sustained_clock") < 1.0
    assert sum(found.terms.values()) >= found.time_s * (1.0 - 1e-12)
