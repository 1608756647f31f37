from __future__ import annotations

import dataclasses

import pytest

from siliconprof.rest import Usage, busy_ticks, is_disturbed, others

START = Usage(wall_s=10.0, own_s=5.0, busy_s=100.0, processors=2, tick_s=0.01)
STAT = """cpu  1 1 1 1 1 1 1 1 0 0
cpu0 10 1 2 900 50 3 4 5 0 0
cpu1 20 0 0 800 0 0 0 0 0 0
cpu2 70 0 0 800 0 0 0 0 0 0
intr 5
"""


def after(wall_s, own_s, busy_s):
    return dataclasses.replace(
        START, wall_s=10.0 + wall_s, own_s=5.0 + own_s, busy_s=100.0 + busy_s
    )


def test_what_is_not_our_own_is_others():
    # Of 2 processors for 10 s, 4 s less two ticks of each.
    assert others(START, after(10.0, 16.0, 20.0)) == pytest.approx((4.0 - 0.04) / 20.0)


def test_ticks_are_no_evidence():
    assert others(START, after(0.1, 0.18, 0.21)) == 0.0


def test_a_system_that_does_not_tell_has_no_answer():
    silent = dataclasses.replace(START, busy_s=None)
    assert others(silent, after(1.0, 1.0, 1.0)) is None
    assert not is_disturbed(None)


def test_a_twentieth_disturbs():
    assert not is_disturbed(0.05)
    assert is_disturbed(0.06)


def test_busy_is_all_but_idle_and_waiting_of_the_processors_in_question(tmp_path):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text(STAT)
    assert busy_ticks(tmp_path, {0, 1}) == 10 + 1 + 2 + 3 + 4 + 5 + 20
    assert busy_ticks(tmp_path, {0, 7}) is None
    assert busy_ticks(tmp_path / "nowhere", {0}) is None
