"""`siliconprof export`."""

from __future__ import annotations

import typer

from .. import arguments
from ..names import unknown_name
from .given import refuse_input_as_output
from .output import is_stdout, print_json
from .profile_argument import file_of, profile_of
from .workload_options import JSON

_FORMATS = ["perfetto", "csv", "json"]


def export(
    profile: str = typer.Argument(..., help="A saved profile, or TABLE:ROW."),
    out: str = typer.Option(..., help="The file to write."),
    format: str = typer.Option("perfetto", help="perfetto (Chrome trace), csv (spans) or json."),
    json: bool = JSON,
) -> None:
    """A saved profile, or one time of a recorded table (TABLE:ROW), in another program's form.

    Example: siliconprof export run.json --format perfetto --out run.trace.json
    """
    from ..atomic import write_text
    from ..frames import to_frame
    from ..perfetto import to_perfetto
    from ..store import check_form, save

    if format not in _FORMATS:
        raise unknown_name("format", format, _FORMATS)
    refuse_input_as_output("export", "out", out, {"profile": file_of(profile)})
    loaded = profile_of(profile)
    if format == "perfetto":
        to_perfetto(loaded, out)
    elif format == "csv":
        where = arguments.path("export", "out", out)
        check_form("export", where)
        write_text(where, to_frame(loaded).to_csv(index=False), "export")
    else:
        save(loaded, out)
    if json:
        print_json({"written": out, "format": format})
    elif not is_stdout(out):
        print(f"written: {out}")
