"""What ends a process that nobody watches, taken as Ctrl-C: files that were begun are kept or
taken away as they are then, which the signal alone would leave."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def _signals() -> list[signal.Signals]:
    """A batch system's and a closed terminal's; some systems lack the latter."""
    return [signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def taken_as_interrupts() -> Iterator[None]:
    """Inside, a signal that would end the process is a KeyboardInterrupt; one that whoever started
    it ignores (nohup) or handles stays so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    taken = [each for each in _signals() if signal.getsignal(each) is signal.SIG_DFL]
    try:
        for each in taken:
            signal.signal(each, signal.default_int_handler)
        yield
    finally:
        for each in taken:
            signal.signal(each, signal.SIG_DFL)
