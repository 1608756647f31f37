"""Training for real: the step of a workload run again and again on data."""

from __future__ import annotations

from .loop import TrainingRun, train

__all__ = ["TrainingRun", "train"]
