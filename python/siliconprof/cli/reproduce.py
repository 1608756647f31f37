"""`siliconprof reproduce`."""

from __future__ import annotations

import typer

from .output import print_json
from .progress import shown_progress
from .workload_options import JSON


def reproduce(
    out: str = typer.Option(..., help="Folder of the report; made where missing."),
    quick: bool = typer.Option(False, "--quick", help="Small sizes: a look, not a measurement."),
    json: bool = JSON,
) -> None:
    """Measure this machine, predict the paper's, and write DIR/index.html and DIR/results.json.

    Example: siliconprof reproduce --out report
    """
    from ..report import reproduce as write

    with shown_progress("steps", every_s=0.0) as progress:
        index = write(out, quick, progress)
    if json:
        print_json({"index": str(index), "results": str(index.with_name("results.json"))})
    else:
        print(f"report written: {index}")
