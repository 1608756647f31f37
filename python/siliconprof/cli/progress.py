"""How far a command is: a bar on a terminal, a line now and then in a log file."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .output import complain

# Told what is done, how much there is in all, and what comes now.
Progress = Callable[[int, int, str], None]


@contextmanager
def shown_progress(
    unit: str, every_s: float, clock: Callable[[], float] = time.monotonic
) -> Iterator[Progress]:
    """Shows on stderr what it is told while the block lasts; nothing of it stays on a terminal.

    Elsewhere more being done is a line, when the one before is `every_s` old; `clock` tells.
    """
    if not shows_bars():
        yield _lines(unit, every_s, clock)
        return
    from tqdm import tqdm

    scaled = every_s > 0.0  # many small ones
    with tqdm(total=0, unit=unit, unit_scale=scaled, leave=False, dynamic_ncols=True) as bar:

        def show(done: int, total: int, text: str) -> None:
            bar.total = total
            if text:
                bar.set_description_str(text[:48].ljust(48), refresh=False)
            bar.update(done - bar.n)
            bar.refresh()

        yield show


def shows_bars() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def _lines(unit: str, every_s: float, clock: Callable[[], float]) -> Progress:
    said_s, said = clock(), -1

    def show(done: int, total: int, text: str) -> None:
        nonlocal said_s, said
        now_s = clock()
        if done > said and now_s - said_s >= every_s:
            said_s, said = now_s, done
            complain(f"{done:,} of {total:,} {unit}{text and f': {text}'}")

    return show
