"""The command line: a contents page; one file per command."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import typer


def application() -> typer.Typer:
    """The program with all its commands."""
    from . import (
        advise,
        calibrate,
        compare,
        devices,
        doctor,
        explain,
        export,
        frameworks,
        predict,
        reproduce,
        run,
        sweep,
        validate,
        workloads,
    )
    from .given import without_empty, without_empty_defaults
    from .output import reported
    from .program import empty_program

    program = empty_program()
    commands: tuple[tuple[str, Callable[..., Any]], ...] = (
        ("doctor", doctor.doctor),
        ("devices", devices.devices),
        ("frameworks", frameworks.frameworks),
        ("workloads", workloads.workloads),
        ("run", run.run),
        ("predict", predict.predict),
        ("calibrate", calibrate.calibrate),
        ("compare", compare.compare),
        ("explain", explain.explain),
        ("sweep", sweep.sweep),
        ("advise", advise.advise),
        ("validate", validate.validate),
        ("reproduce", reproduce.reproduce),
        ("export", export.export),
    )
    for name, command in commands:
        checked = reported(without_empty(name, without_empty_defaults(command)))
        program.command(name)(checked)
    return program
