"""`siliconprof export`."""

from __future__ import annotations

from pathlib import Path

import typer

from .._core import ArgumentError, Profile
from ..names import unknown_name
from .output import print_json
from .workload_options import JSON

_FORMATS = ["perfetto", "csv", "json"]


def export(
    profile: str = typer.Argument(..., help="A saved profile (.json)."),
    out: str = typer.Option(..., help="The file to write."),
    format: str = typer.Option("perfetto", help="perfetto (Chrome trace), csv (spans) or json."),
    json: bool = JSON,
) -> None:
    """A saved profile in another program's form.

    Example: siliconprof export run.json --format perfetto --out run.trace.json
    """
    from ..atomic import write_text
    from ..frames import to_frame
    from ..perfetto import to_perfetto
    from ..store import load, save

    if format not in _FORMATS:
        raise unknown_name("format", format, _FORMATS)
    if not profile.endswith(".json"):
        raise ArgumentError(
            f"[export] {profile!r}: a saved profile, a file ending in .json, is needed"
        )
    loaded = load(profile)
    assert isinstance(loaded, Profile)
    if format == "perfetto":
        to_perfetto(loaded, out)
    elif format == "csv":
        write_text(Path(out), to_frame(loaded).to_csv(index=False))
    else:
        save(loaded, out)
    if json:
        print_json({"written": out, "format": format})
    else:
        print(f"written: {out}")
