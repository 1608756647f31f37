"""The program before it has commands: its help, and its version."""

from __future__ import annotations

import typer

from .. import __version__
from .given import Commands


def empty_program() -> typer.Typer:
    """It knows `--help` and `--version`."""
    program = typer.Typer(
        name="siliconprof",
        cls=Commands,
        help="Run, predict and compare traces of ML operations.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )

    def show(asked: bool) -> None:
        if asked:
            typer.echo(f"siliconprof {__version__}")
            raise typer.Exit()

    @program.callback()
    def begin(
        version: bool = typer.Option(
            False, "--version", callback=show, is_eager=True, help="Print the version and exit."
        ),
    ) -> None:
        pass

    return program
