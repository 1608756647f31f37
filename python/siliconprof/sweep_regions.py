"""Sizes of a workload whose steps make the same calls: one family of steps for each kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ._core import ArgumentError, StepFamily, Trace

Build = Callable[[int, int], Trace]


@dataclass(frozen=True)
class Region:
    """Batches and lengths, every pair of them; a family for each build that was asked for."""

    batches: Sequence[int]
    lengths: Sequence[int]
    families: list[StepFamily]


def regions(
    builds: Sequence[Build], batches: Sequence[int], lengths: Sequence[int]
) -> Iterator[Region]:
    """All sizes in as few regions as need be.

    The calls of a step may depend on its size at an end: GPT-2 takes the whole table of positions
    at its full context, a slice of it below. Such an end is a region of its own.
    Raises: ArgumentError of a build for a size that cannot be.
    """
    least, most = (batches[0], lengths[0]), (batches[-1], lengths[-1])
    try:
        families = [StepFamily(build, least, most) for build in builds]
    except ArgumentError:
        if len(lengths) > 1:
            # The longest first: a length that cannot be is told at once.
            yield from regions(builds, batches, lengths[-1:])
            yield from regions(builds, batches, lengths[:-1])
        elif len(batches) > 1:
            yield from regions(builds, batches[:1], lengths)
            yield from regions(builds, batches[1:], lengths)
        else:
            raise
        return
    yield Region(batches, lengths, families)
