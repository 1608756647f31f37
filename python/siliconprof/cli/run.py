"""`siliconprof run`."""

from __future__ import annotations

import typer

from .. import store
from .._core import Trace
from .output import print_json
from .profile_output import measured_document, print_profile
from .workload_options import JSON, SAVE, OptionalInt, OptionalText, taking_a_trace

THREADS = typer.Option(None, help="Threads; all usable cores by default.")


@taking_a_trace
def run(
    trace: Trace,
    backend: str = typer.Option("cpu", help="The measuring backend: cpu."),
    engine: str = typer.Option("openblas", help="openblas, eigen or reference."),
    threads: OptionalInt = THREADS,
    sampling: str = typer.Option("adaptive", help="adaptive, or paper: 10 warm-ups, 100 launches."),
    save: OptionalText = SAVE,
    json: bool = JSON,
) -> None:
    """Measure a workload on this machine.

    Example: siliconprof run gpt2-small --batch 4 --seq 64 --threads 2 --json
    """
    from ..run import run as measure

    if save is not None:
        store.profile_path(save)  # wrong names are told before the work, not after
    profile = measure(trace, backend, engine, threads, sampling)
    if save is not None:
        store.save(profile, save)
    if json:
        print_json(measured_document(profile, trace))
    else:
        print_profile(profile)
