from __future__ import annotations

import os
import signal
import threading

import pytest

from siliconprof.cli.endings import taken_as_interrupts
from siliconprof.training.progress import Interrupts


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_end_is_an_interrupt_inside_and_what_it_was_after(number):
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), taken_as_interrupts():
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


def test_a_training_inside_ends_after_its_step():
    """By what it takes as Ctrl-C (training.progress)."""
    with taken_as_interrupts(), Interrupts() as interrupts:
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupts.asked


def test_what_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with taken_as_interrupts():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_another_thread_leaves_signals_alone():
    found = []

    def work():
        with taken_as_interrupts():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGTERM)]
