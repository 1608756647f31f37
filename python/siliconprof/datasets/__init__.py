"""Data to train on: files by path, or small samples that need no download.

A dataset answers `batch(index)` with an array for every input of a step, the same for the same
index and seed, whatever was asked before: so a run that is resumed sees what it would have seen.
"""

from __future__ import annotations

from .base import Dataset
from .choose import open_dataset
from .samples import write_sample

__all__ = ["Dataset", "open_dataset", "write_sample"]
