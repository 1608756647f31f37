"""The report: every experiment run, drawn and judged, in one folder that is swapped in whole."""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from . import __version__, arguments
from ._core import Error
from .environment import environment
from .experiments.claim import Claim
from .experiments.claims import claims
from .experiments.experiment import Experiment
from .experiments.index import experiments
from .experiments.table import Table
from .figures.render import render_svg
from .figures.style import DARK, LIGHT
from .report_page import Section, page

Progress = Callable[[int, int, str], None]

_FOLDERS = ("figures", "tables")
_FILES = ("results.json", "index.html")
_TITLE = "<title>siliconprof report</title>"  # of the page, data/report.html.j2


def reproduce(out: str | Path, quick: bool = False, progress: Progress | None = None) -> Path:
    """Runs every experiment and writes the report; returns the path of its index.html.

    out:      a folder, made where missing. It gets index.html, which needs no other file,
              results.json, figures/*.svg and tables/*.json; other files in it are left alone, and
              an index.html or results.json that no report left is refused.
    quick:    small sizes, for a look.
    progress: called with steps done, steps in all, and what is being done.
    Everything is written beside the old report first and moved over it at the end, so an error,
    a full disk or Ctrl-C leaves the old report as it was. Raises: Error naming the path.
    """
    quick = arguments.truth("reproduce", "quick", quick)
    arguments.callback("reproduce", "progress", progress)
    tell = progress or (lambda done, total, text: None)
    chosen = experiments()
    total = len(chosen) + 1
    folder = arguments.path("reproduce", "out", out)
    with _staged(folder) as stage:
        tables: dict[str, Table] = {}
        for done, experiment in enumerate(chosen):
            tell(done, total, experiment.id)
            say = partial(_tell_step, tell, done, total, experiment.id)
            parameters = experiment.quick_parameters if quick else experiment.parameters
            tables[experiment.id] = experiment.run(parameters, say)
        tell(len(chosen), total, "drawing")
        write_report(stage, chosen, tables, quick)
        tell(total, total, "done")
    return folder / "index.html"


def write_report(
    folder: Path, chosen: tuple[Experiment, ...], tables: dict[str, Table], quick: bool
) -> None:
    """Draws the tables and writes the report's files into an existing folder."""
    judged = claims(tables, quick)
    facts = environment()
    sections = []
    for name in ("figures", "tables"):
        (folder / name).mkdir()
    for experiment in chosen:
        table = tables[experiment.id]
        light, dark = (render_svg(experiment, table, theme) for theme in (LIGHT, DARK))
        table.save(folder / "tables" / f"{experiment.id}.json")
        _write(folder / "figures" / f"{experiment.id}.svg", light)
        sections.append(Section(experiment, table, light, dark))
    document = results_document(sections, judged, facts, quick)
    results = json.dumps(document, indent=1, allow_nan=False)
    _write(folder / "results.json", results + "\n")
    _write(folder / "index.html", page(sections, judged, facts, __version__, quick))


def results_document(
    sections: list[Section], judged: list[Claim], machine: Mapping[str, str], quick: bool
) -> dict[str, Any]:
    """What results.json holds: how it was made, the experiments' rows, the claims."""
    return {
        "version": __version__,
        "date": sections[0].table.date if sections else None,
        "quick": quick,
        "machine": dict(machine),
        "experiments": [
            {
                "id": section.experiment.id,
                "title": section.experiment.title,
                "paper_item": section.experiment.paper_item,
                "rows": [row.result() for row in section.table.rows],
                "figure": f"figures/{section.experiment.id}.svg",
            }
            for section in sections
        ],
        "claims": [claim.result() for claim in judged],
    }


def _tell_step(tell: Progress, done: int, total: int, id: str, text: str) -> None:
    tell(done, total, f"{id}: {text}")


@contextmanager
def _staged(out: Path) -> Iterator[Path]:
    """A folder inside `out` whose files replace those of `out` when the block ends well."""
    made = not os.path.lexists(out)
    stage = out / f".staged-{secrets.token_hex(4)}"
    finished = False
    try:
        if out.exists() and not out.is_dir():
            raise Error(f"[reproduce] cannot write {out}: a file is there, a folder is needed")
        _check_targets(out, _FILES)  # now, not when all is measured
        _refuse_others_page(out)
        stage.mkdir(parents=True)
        yield stage
        _move_in(stage, out)
        finished = True
    except OSError as error:
        kept = "" if made else "; the report that was there is unchanged"
        where = error.filename or out
        raise Error(f"[reproduce] cannot write {where}: {error.strerror or error}{kept}") from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)
        if made and not finished:
            shutil.rmtree(out, ignore_errors=True)


def _move_in(stage: Path, out: Path) -> None:
    """Moves file by file, the page last: all bytes are on the disk already, only names change.

    Copies of the old files wait in `stage` and are put back when anything fails on the way.
    """
    drawn = (file for part in _FOLDERS for file in sorted((stage / part).iterdir()))
    names = [*(file.relative_to(stage).as_posix() for file in drawn), *_FILES]
    _check_targets(out, names)
    kept = stage / "old"
    for part in _FOLDERS:
        (out / part).mkdir(exist_ok=True)
        (kept / part).mkdir(parents=True)
    for name in names:
        if (out / name).exists():
            shutil.copy2(out / name, kept / name)
    moved = []
    try:
        for name in names:
            moved.append(name)
            os.replace(stage / name, out / name)
    except BaseException:
        _put_back(kept, out, moved)
        raise


def _check_targets(out: Path, names: Sequence[str]) -> None:
    """Refuses a directory where a file shall stand, and a file where a directory shall."""
    for name in names:
        if (out / name).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(out / name))
    for part in _FOLDERS:
        if (out / part).exists() and not (out / part).is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(out / part))


def _refuse_others_page(out: Path) -> None:
    """A folder's page and results are replaced where either is a report's: that is enough of one
    that was changed or copied in part."""
    there = [name for name in _FILES if (out / name).exists()]
    if there and not _holds_report(out):
        raise Error(
            f"[reproduce] {out / there[-1]} is no report of siliconprof; needed: a folder without "
            "index.html and results.json of others, or with an older report"
        )


def _holds_report(folder: Path) -> bool:
    try:
        if _TITLE in (folder / "index.html").read_text(encoding="utf-8"):
            return True
    except (OSError, ValueError):
        pass  # the results may say it
    try:
        found = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and {"version", "experiments", "claims"} <= found.keys()


def _put_back(kept: Path, out: Path, names: Sequence[str]) -> None:
    try:
        for name in names:
            if (kept / name).exists():
                os.replace(kept / name, out / name)
            else:
                (out / name).unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise Error(
            f"[reproduce] cannot put the old {error.filename} back: {reason}; "
            f"the report in {out} is partly the old and partly the new one"
        ) from error


def _write(path: Path, text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
