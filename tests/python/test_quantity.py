from __future__ import annotations

import pytest

from siliconprof.quantity import counted, scaled


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (3.2e11, "FLOP/s", "320 GFLOP/s"),
        (0.00123, "s", "1.23 ms"),
        (2.5e-7, "s", "250 ns"),
        (8.0e9, "bytes", "8 GB"),
        (8 * 2**30, "bytes", "8 GiB"),
        (3.3e10, "bytes/s", "33 GB/s"),
        (0.0, "s", "0 s"),
        (-0.004, "s", "-4 ms"),
        (4650.0, "USD", "4,650 USD"),
        (50.2, "FLOP/byte", "50.2 FLOP/byte"),
        (999.9, "s", "1,000 s"),
        (1693.4, "s", "1,693 s"),
        (-34800.0, "s", "-34,800 s"),
        (1e-9, "s", "1 ns"),
        (1e-320, "s", "1e-320 s"),
        (-1e308, "s", "-1e+308 s"),
        (2.0**70, "bytes", "1.18e+21 B"),
        (1e30, "1", "1e+30"),
        (float("inf"), "bytes/s", "inf B/s"),
        (float("nan"), "s", "nan s"),
    ],
)
def test_a_value_has_the_prefix_that_a_reader_wants(value, unit, text):
    assert scaled(value, unit) == text


def test_a_missing_value_is_a_dash():
    assert scaled(None, "s") == "–"


def test_beside_what_is_needed_a_memory_is_in_the_same_unit():
    assert scaled(16 * 2**30, "bytes", gib=False) == "17.2 GB"


def test_a_ratio_is_shown_without_its_unit_of_one():
    assert scaled(0.857, "1") == "0.857"


@pytest.mark.parametrize(("count", "text"), [(1, "1 step"), (0, "0 steps"), (1200, "1200 steps")])
def test_one_of_a_thing_is_no_plural(count, text):
    assert counted(count, "step") == text
    assert counted(count, "pass") == text.replace("steps", "passes").replace("step", "pass")


def test_thousands_are_set_apart_with_more_digits_too():
    assert scaled(1599.0, "USD", 5) == "1,599 USD"
