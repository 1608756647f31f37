"""tools/fit_power.py: what a board draws is split into what draws it."""

from __future__ import annotations

from dataclasses import replace

import pytest

import siliconprof as sp


@pytest.fixture
def fit_power(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_power

    return fit_power


def test_small_operands_draw_less_than_large_ones(fit_power):
    rows = [(b, 500.0 * b / (b + 12e6)) for b in (1e6, 5e6, 40e6, 2e8, 1e9, 4e9)]
    watts, half = fit_power.saturation(rows)
    assert watts == pytest.approx(500.0) and half == pytest.approx(12e6)


def test_power_is_split_into_time_and_arithmetic(fit_power):
    constants = {"busy": 250.0, "busy_half_bytes": 6e6, "float16": 700.0}
    peaks = {"float16": 1e15}

    def watts(work, tried):
        return fit_power.product_watts(work, tried, peaks)

    works = []
    for flops in (1e9, 1e10, 2e11):
        for count_bytes in (2e6, 2e7, 2e8):
            for clock in (1.0, 0.8):
                amounts = (1e-3, flops, count_bytes, clock, 0)
                work = fit_power.Work("linear", "float16", 0.0, *amounts)
                works.append(replace(work, watts=watts(work, constants)))
    # Half busy, all of the arithmetic's energy over the time.
    half = fit_power.Work("linear", "float16", 0.0, 1e-3, 1e11, 6e6, 1.0, 0)
    assert watts(half, constants) == pytest.approx(125.0 + 70.0)
    start = {"busy": 200.0, "busy_half_bytes": 4e6, "float16": 500.0}
    assert fit_power.fitted(works, start, watts) == pytest.approx(constants, rel=1e-3)


def test_a_batch_norms_power_is_of_its_channels_and_its_bytes(fit_power):
    constants = {"row": 120.0, "row_joules": 2e-10, "row_half_bytes": 4e7}
    norm = fit_power.Work("batch_norm", "float32", 0.0, 1e-4, 0.0, 4e7, 1.0, 33)
    assert fit_power.norm_watts(norm, constants, 132.0) == pytest.approx(30.0 + 40.0)


def test_what_streams_draws_is_told_apart_by_two_boards(fit_power, monkeypatch):
    numbers = sp.framework("torch-cuda").numbers
    for key, found in fit_power.streams(700.0).items():
        assert numbers[f"power.nvidia-hopper.{key}"].value == pytest.approx(found, rel=0.01)
    # Made boards that draw 100 W, and 2e-11 J for each byte of their bandwidth.
    boards = {id: (id,) for id in ("h200", "h100")}
    rates = {id: sp.device(id).numbers["memory.bandwidth_bytes_per_s"].value for id in boards}

    def made(record, _):
        work = fit_power.Work("add", "float32", 100.0 + 2e-11 * rates[record], 1.0, 0, 1e9, 1.0, 0)
        return [work, replace(work, name="idle", watts=0.0, count_bytes=0.0)]

    monkeypatch.setattr(fit_power, "BOARDS", boards)
    monkeypatch.setattr(fit_power, "works", made)
    monkeypatch.setattr(fit_power, "saturation", lambda rows: (rows[0][1], 0.0))
    expected = {"stream_part": 0.5, "stream_byte_joules": 2e-11}
    assert fit_power.streams(200.0) == pytest.approx(expected)
