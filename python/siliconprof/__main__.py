"""The command line's entry: `siliconprof` and `python -m siliconprof`."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and ends the process with its exit status."""
    try:
        _run()
    except KeyboardInterrupt:  # before a command began, which tells of its own
        from .cli.output import INTERRUPTED, complain

        complain("interrupted")
        sys.exit(INTERRUPTED)


def _run() -> None:
    from .cli import application
    from .cli.output import WRONG_USE, complain, give_up_output, replace_unknown_characters

    if sys.stdout is None:
        complain("stdout is closed; needed: something to write to, as a file or /dev/null")
        sys.exit(WRONG_USE)
    replace_unknown_characters()
    try:
        application()(prog_name="siliconprof")
    except OSError as error:  # of help, which no command prints
        give_up_output(error)
        sys.exit(WRONG_USE)


if __name__ == "__main__":
    main()
