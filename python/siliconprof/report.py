"""The report: every experiment run, drawn and judged, in one folder that is swapped in whole."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from . import __version__
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


def reproduce(out: str | Path, quick: bool = False, progress: Progress | None = None) -> Path:
    """Runs every experiment and writes the report; returns the path of its index.html.

    out:      a folder, made where missing. It gets index.html, which needs no other file,
              results.json, figures/*.svg and tables/*.json; other files in it are left alone.
    quick:    small sizes, for a look.
    progress: called with steps done, steps in all, and what is being done.
    Everything is written beside the old report first and moved over it at the end, so an error,
    a full disk or Ctrl-C leaves the old report as it was. Raises: Error naming the path.
    """
    tell = progress or (lambda done, total, text: None)
    chosen = experiments()
    total = len(chosen) + 1
    with _staged(Path(out)) as stage:
        tables: dict[str, Table] = {}
        for done, experiment in enumerate(chosen):
            tell(done, total, experiment.id)
            say = partial(_tell_step, tell, done, total, experiment.id)
            parameters = experiment.quick_parameters if quick else experiment.parameters
            tables[experiment.id] = experiment.run(parameters, say)
        tell(len(chosen), total, "drawing")
        write_report(stage, chosen, tables, quick)
        tell(total, total, "done")
    return Path(out) / "index.html"


def write_report(
    folder: Path, chosen: tuple[Experiment, ...], tables: dict[str, Table], quick: bool
) -> None:
    """Draws the tables and writes the report's files into an existing folder."""
    judged = claims(tables)
    sections = []
    for name in ("figures", "tables"):
        (folder / name).mkdir()
    for experiment in chosen:
        table = tables[experiment.id]
        light, dark = (render_svg(experiment, table, theme) for theme in (LIGHT, DARK))
        table.save(folder / "tables" / f"{experiment.id}.json")
        _write(folder / "figures" / f"{experiment.id}.svg", light)
        sections.append(Section(experiment, table, light, dark))
    results = json.dumps(results_document(sections, judged), indent=1, allow_nan=False)
    _write(folder / "results.json", results + "\n")
    _write(folder / "index.html", page(sections, judged, environment(), __version__, quick))


def results_document(sections: list[Section], judged: list[Claim]) -> dict[str, Any]:
    """What results.json holds."""
    return {
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
    made = not out.exists()
    stage = out / f".staged-{secrets.token_hex(4)}"
    finished = False
    try:
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
    """Moves file by file, the page last: all bytes are on the disk already, only names change."""
    for name in ("figures", "tables"):
        (out / name).mkdir(exist_ok=True)
        for file in sorted((stage / name).iterdir()):
            os.replace(file, out / name / file.name)
    for name in ("results.json", "index.html"):
        os.replace(stage / name, out / name)


def _write(path: Path, text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
