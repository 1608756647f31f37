"""`siliconprof run`."""

from __future__ import annotations

import typer

from .. import store
from .output import print_json
from .profile_output import measured_document, print_profile
from .workload_options import (
    BATCH,
    DTYPE,
    JSON,
    SAVE,
    VJP,
    WORKLOAD,
    K,
    M,
    N,
    OptionalInt,
    OptionalText,
    trace_of,
)

THREADS = typer.Option(None, help="Threads; all usable cores by default.")


def run(
    workload: str = WORKLOAD,
    backend: str = typer.Option("cpu", help="The measuring backend: cpu."),
    engine: str = typer.Option("openblas", help="openblas, eigen or reference."),
    threads: OptionalInt = THREADS,
    sampling: str = typer.Option("adaptive", help="adaptive, or paper: 10 warm-ups, 100 launches."),
    dtype: str = DTYPE,
    batch: OptionalInt = BATCH,
    m: OptionalInt = M,
    k: OptionalInt = K,
    n: OptionalInt = N,
    vjp: bool = VJP,
    save: OptionalText = SAVE,
    json: bool = JSON,
) -> None:
    """Measure a workload on this machine.

    Example: siliconprof run batched-matmul --dtype float32 --threads 2 --json
    """
    from ..run import run as measure

    trace = trace_of(workload, dtype, vjp, batch=batch, m=m, k=k, n=n)
    profile = measure(trace, backend, engine, threads, sampling)
    if save:
        store.save(profile, save)
    if json:
        print_json(measured_document(profile, trace))
    else:
        print_profile(profile)
