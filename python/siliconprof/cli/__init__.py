"""The command line: a contents page; one file per command."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import typer


def application() -> typer.Typer:
    """The program with all its commands."""
    import typer

    from . import (
        advise,
        calibrate,
        compare,
        devices,
        doctor,
        explain,
        export,
        predict,
        reproduce,
        run,
        sweep,
        validate,
        workloads,
    )
    from .given import Commands, without_empty
    from .output import reported

    program = typer.Typer(
        name="siliconprof",
        cls=Commands,
        help="Run, predict and compare traces of ML operations.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    commands: tuple[tuple[str, Callable[..., Any]], ...] = (
        ("doctor", doctor.doctor),
        ("devices", devices.devices),
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
        program.command(name)(reported(without_empty(name, command)))
    return program
