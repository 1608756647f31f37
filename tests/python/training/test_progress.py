from __future__ import annotations

import signal
import threading

import pytest

from siliconprof.training.progress import Bar, Interrupts, resident_bytes


def test_the_bar_shows_loss_rate_and_memory(capsys):
    bar = Bar(3, 5, "tokens")
    bar.update(4, 2.34567, 1234.0)
    bar.update(5, 1.25, 1234.0)
    bar.close()
    shown = capsys.readouterr().err
    assert "5/5" in shown and "loss 1.2500" in shown and "1,234 tokens/s" in shown
    assert "MB" in shown or "GB" in shown


def test_resident_memory_is_that_of_a_python_process():
    assert 10e6 < resident_bytes() < 1e12


@pytest.fixture
def interrupted_by():
    """Sets what Ctrl-C does, and sets it back: a script's background jobs start with it ignored."""
    before = signal.getsignal(signal.SIGINT)
    yield lambda handler: signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGINT, before)


def test_the_first_ctrl_c_asks_and_the_second_one_raises(interrupted_by):
    interrupted_by(signal.default_int_handler)
    before = signal.getsignal(signal.SIGINT)
    with Interrupts() as interrupts:
        assert not interrupts.asked
        signal.raise_signal(signal.SIGINT)
        assert interrupts.asked
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("is_taken", [True, False])
def test_a_signal_that_is_taken_as_ctrl_c_asks_and_a_programs_own_stays(is_taken):
    seen = []
    handler = signal.default_int_handler if is_taken else lambda number, frame: seen.append(number)
    before = signal.signal(signal.SIGTERM, handler)
    try:
        with Interrupts() as interrupts:
            signal.raise_signal(signal.SIGTERM)
            assert interrupts.asked == is_taken
        assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == ([] if is_taken else [signal.SIGTERM])


def test_who_ignores_ctrl_c_is_not_interrupted(interrupted_by):
    interrupted_by(signal.SIG_IGN)
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGINT)
        assert not interrupts.asked
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_other_threads_leave_the_signal_alone():
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def work():
        with Interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]
