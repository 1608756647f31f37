"""What a training run shows while it works, and how Ctrl-C ends it."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType
from typing import Any, Protocol

from ..quantity import scaled


class Progress(Protocol):
    """Told of every step; `close` ends it."""

    def update(self, step: int, loss: float, tokens_per_s: float) -> None:
        """After a step, by its number."""
        ...

    def close(self) -> None:
        """After the last."""
        ...


class Silent:
    """Shows nothing."""

    def update(self, step: int, loss: float, tokens_per_s: float) -> None:
        pass

    def close(self) -> None:
        pass


class Bar:
    """A bar on stderr with the loss, the rate and the memory that the process has."""

    def __init__(self, done: int, total: int, unit: str) -> None:
        from tqdm import tqdm

        self._unit = unit
        self._bar: Any = tqdm(
            total=total, initial=done, unit="step", file=sys.stderr, dynamic_ncols=True
        )

    def update(self, step: int, loss: float, tokens_per_s: float) -> None:
        rate = f"{tokens_per_s:,.0f} {self._unit}/s"
        text = f"loss {loss:.4f}, {rate}, {scaled(resident_bytes(), 'bytes')}"
        self._bar.set_postfix_str(text, refresh=False)
        self._bar.update(1)

    def close(self) -> None:
        self._bar.close()


def resident_bytes() -> float | None:
    """Memory that this process holds now; None where the system doesn't tell."""
    from .._core import Window

    with Window(["rss_bytes"]) as window:
        pass
    return window.value("rss_bytes")


class Interrupts:
    """Within it the first Ctrl-C only sets `asked`, so that a step is finished; a second one
    raises KeyboardInterrupt at once. So does every other signal that is taken as Ctrl-C, as the
    command line takes SIGTERM. Outside the main thread, and where Ctrl-C is ignored or left to the
    system, it does nothing."""

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for each in signal.valid_signals():
                handler = signal.getsignal(each)
                if handler is signal.default_int_handler or (
                    each == signal.SIGINT and callable(handler)
                ):
                    self._before[signal.Signals(each)] = signal.signal(each, self._ask)
        return self

    def __exit__(self, *exception: object) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
