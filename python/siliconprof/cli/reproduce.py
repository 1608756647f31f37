"""`siliconprof reproduce`."""

from __future__ import annotations

import sys

import typer

from .output import print_json
from .workload_options import JSON


def reproduce(
    out: str = typer.Option(..., help="Folder of the report; made where missing."),
    quick: bool = typer.Option(False, "--quick", help="Small sizes: a look, not a measurement."),
    json: bool = JSON,
) -> None:
    """Measure this machine, predict the paper's, and write DIR/index.html and DIR/results.json.

    Example: siliconprof reproduce --out report
    """
    from tqdm import tqdm

    from ..report import reproduce as write

    with tqdm(total=1, unit="step", leave=False, dynamic_ncols=True) as bar:

        def show(done: int, total: int, text: str) -> None:
            moved = done != bar.n
            bar.total = total
            bar.set_description_str(text[:48].ljust(48), refresh=False)
            bar.update(done - bar.n)
            # A log file gets a line for each experiment, a terminal every change.
            if moved or sys.stderr.isatty():
                bar.refresh()

        index = write(out, quick, show)
    if json:
        print_json({"index": str(index), "results": str(index.with_name("results.json"))})
    else:
        print(f"report written: {index}")
