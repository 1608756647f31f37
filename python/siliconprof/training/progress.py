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
    raises KeyboardInterrupt at once. Outside the main thread, and where Ctrl-C is ignored or left
    to the system, it does nothing."""

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None
        in_main = threading.current_thread() is threading.main_thread()
        self._active = in_main and callable(signal.getsignal(signal.SIGINT))

    def __enter__(self) -> Interrupts:
        if self._active:
            self._before = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._active:
            signal.signal(signal.SIGINT, self._before)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
