from __future__ import annotations

import io
import sys

import pytest

from siliconprof.cli.progress import shown_progress


@pytest.fixture
def clock():
    """Seconds that are set by hand."""

    def tell():
        return tell.now_s

    tell.now_s = 100.0
    return tell


def test_a_log_file_gets_a_plain_line_now_and_then(capsys, clock):
    with shown_progress("rows", 30.0, clock) as progress:
        for done in range(0, 4000, 100):
            clock.now_s += 2.0
            progress(done, 4000, "")
    assert capsys.readouterr().err.splitlines() == [
        "siliconprof: 1,400 of 4,000 rows",
        "siliconprof: 2,900 of 4,000 rows",
    ]


def test_a_log_file_gets_every_step_of_a_few_once(capsys, clock):
    with shown_progress("steps", 0.0, clock) as progress:
        for done, text in ((0, "table1"), (0, "table1: half"), (1, "table2"), (2, "")):
            progress(done, 2, text)
    assert capsys.readouterr().err.splitlines() == [
        "siliconprof: 0 of 2 steps: table1",
        "siliconprof: 1 of 2 steps: table2",
        "siliconprof: 2 of 2 steps",
    ]


def test_without_a_stderr_nothing_is_shown(capsys, clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with shown_progress("steps", 0.0, clock) as progress:
        progress(0, 2, "table1")
    assert capsys.readouterr().out == ""


def test_a_terminal_gets_a_bar_that_goes_away(clock, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with shown_progress("rows", 30.0, clock) as progress:
        progress(1500, 2000, "table1")
        assert "1.50k/2.00k" in terminal.getvalue() and "table1" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r") and "\n" not in terminal.getvalue()
