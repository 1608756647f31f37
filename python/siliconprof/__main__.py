"""The command line's entry: `siliconprof` and `python -m siliconprof`."""

from __future__ import annotations


def main() -> None:
    """Runs the command line and ends the process with its exit status."""
    from .cli import application

    application()(prog_name="siliconprof")


if __name__ == "__main__":
    main()
