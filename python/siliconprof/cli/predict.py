"""`siliconprof predict`."""

from __future__ import annotations

import typer

from .. import store
from .output import print_json
from .profile_output import print_profile, profile_document
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

FRAMEWORK = typer.Option(None, help="Id; by default the vendor's own.")


def predict(
    workload: str = WORKLOAD,
    device: str = typer.Option(..., help="Id of a device, or the path of a device file."),
    framework: OptionalText = FRAMEWORK,
    dtype: str = DTYPE,
    batch: OptionalInt = BATCH,
    m: OptionalInt = M,
    k: OptionalInt = K,
    n: OptionalInt = N,
    vjp: bool = VJP,
    save: OptionalText = SAVE,
    json: bool = JSON,
) -> None:
    """Predict a workload on a device that need not be here.

    Example: siliconprof predict batched-matmul --device m2-ultra --framework mlx --json
    """
    from ..predict import predict as ask

    trace = trace_of(workload, dtype, vjp, batch=batch, m=m, k=k, n=n)
    profile = ask(trace, device, framework)
    if save:
        store.save(profile, save)
    if json:
        print_json(profile_document(profile, trace))
    else:
        print_profile(profile)
