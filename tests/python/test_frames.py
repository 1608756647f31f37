from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.frames import to_frame


@pytest.fixture
def measured():
    step = _core.Span("step", "step", "forward", -1, -1, 2.0, (1.5, 2.5), [1.5, 2.0, 2.5], None, 80)
    op = _core.Span("matmul", "op", "forward", 0, 0, 1.0, None, [], None, 80, 0, 16, 8)
    return sp.Profile("measured", "t", "here", "openblas", [step, op])


def test_there_is_one_row_per_span_in_order(measured):
    frame = to_frame(measured)
    assert list(frame["name"]) == ["step", "matmul"]
    assert list(frame["parent"]) == [-1, 0]
    assert list(frame["wall_s"]) == [2.0, 1.0]
    assert list(frame["samples"]) == [3, 0]


def test_a_whole_step_is_of_no_phase(measured):
    assert list(to_frame(measured)["phase"]) == [None, "forward"]


def test_what_nobody_states_is_missing_not_zero():
    import pandas

    (profile, *_) = sp.load("table4").profiles()
    frame = to_frame(profile)
    for column in ("flops", "bytes", "flops_per_s", "bytes_per_s"):
        assert frame[column][0] is pandas.NA, column


def test_rates_are_amounts_over_time(measured):
    frame = to_frame(measured)
    assert frame["flops_per_s"][1] == 80.0
    assert frame["bytes_per_s"][1] == 24.0


def test_a_missing_interval_is_missing_not_a_number(measured):
    import pandas

    frame = to_frame(measured)
    assert frame["low_s"][0] == 1.5
    assert frame["low_s"][1] is pandas.NA


def test_terms_of_a_prediction_are_columns():
    frame = to_frame(sp.predict(sp.op("matmul", m=64, k=64, n=64), "m2-ultra"))
    assert {"term_matrix", "term_bandwidth", "term_launch"} <= set(frame.columns)
