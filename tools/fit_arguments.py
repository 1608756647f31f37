"""What every fit of single operations is told: a device, its record, where constants are tried."""

from __future__ import annotations

import argparse


def fit_arguments(
    about: str, device: str = "h200", record: str = "h200_ops", source: str = "h200-micro"
) -> argparse.Namespace:
    """device, record, framework and source of the command line; `about` is the tool's docstring."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--device", default=device)
    parser.add_argument("--record", default=record)
    parser.add_argument("--framework", default="torch-cuda", help="where constants are tried in it")
    parser.add_argument("--source", default=source, help="a key of the file's sources")
    return parser.parse_args()
