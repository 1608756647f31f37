"""The explicit list of experiments, in the order of the report."""

from __future__ import annotations

from ..names import unknown_name
from . import (
    figure3,
    figure4,
    figure5,
    figure6,
    figure7,
    gap,
    kernels,
    m3max_ops,
    memory,
    simclr,
    speed,
    table1,
    table2,
    table3,
    table4,
    table5,
    table6,
    validation,
)
from .experiment import Experiment


def experiments() -> tuple[Experiment, ...]:
    """Every experiment of this version; a new one is one file and one entry here."""
    return (
        table1.EXPERIMENT,
        table2.EXPERIMENT,
        table3.EXPERIMENT,
        figure3.EXPERIMENT,
        table4.EXPERIMENT,
        figure4.EXPERIMENT,
        table5.EXPERIMENT,
        table6.EXPERIMENT,
        figure5.EXPERIMENT,
        figure6.EXPERIMENT,
        figure7.EXPERIMENT,
        gap.EXPERIMENT,
        m3max_ops.EXPERIMENT,
        simclr.EXPERIMENT,
        memory.EXPERIMENT,
        validation.EXPERIMENT,
        kernels.EXPERIMENT,
        speed.EXPERIMENT,
    )


def experiment(id: str) -> Experiment:
    """The experiment called `id`. Raises: UnknownNameError with the nearest ids."""
    for entry in experiments():
        if entry.id == id:
            return entry
    raise unknown_name("experiment", id, [entry.id for entry in experiments()])
