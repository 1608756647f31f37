"""`siliconprof frameworks`."""

from __future__ import annotations

from typing import Any

import typer

from .. import _core
from .devices import number_rows, numbers_document
from .output import print_json, print_table
from .workload_options import JSON, OptionalText

FRAMEWORK = typer.Argument(None, help="Only this framework, or ID@VERSION, with every number.")


def frameworks(
    framework: OptionalText = FRAMEWORK,
    json: bool = JSON,
) -> None:
    """The frameworks that can be predicted under, and their versions, as --framework takes them.

    Example: siliconprof frameworks torch-cuda@compile
    """
    from ..frameworks import framework as find_framework
    from ..frameworks import framework_versions, frameworks

    everything = sorted([*frameworks(), *framework_versions()], key=lambda id: id.split("@"))
    chosen = [find_framework(id) for id in ([framework] if framework else everything)]
    if json:
        print_json({"frameworks": [_document(entry) for entry in chosen]})
    elif framework:
        (one,) = chosen
        print_table(one.name, ("number", "value", "kind", "source"), number_rows(one.numbers))
        if one.lacks:
            print_table("Lacks", ("what", "why"), sorted(one.lacks.items()))
    else:
        columns = ("id", "vendors", "default of", "lacks", "name")
        print_table("Frameworks", columns, [_row(entry) for entry in chosen])


def _defaults(framework: _core.Framework) -> list[str]:
    """Vendors whose devices are predicted under it where none is named."""
    from ..devices import DEFAULT_FRAMEWORKS

    return [vendor for vendor, id in DEFAULT_FRAMEWORKS.items() if id == framework.id]


def _row(framework: _core.Framework) -> list[str]:
    lists = (framework.vendors, _defaults(framework), sorted(framework.lacks))
    return [framework.id, *map(", ".join, lists), framework.name]


def _document(framework: _core.Framework) -> dict[str, Any]:
    return {
        "id": framework.id,
        "name": framework.name,
        "vendors": list(framework.vendors),
        "default_of": _defaults(framework),
        "lacks": dict(framework.lacks),
        "numbers": numbers_document(framework.numbers),
    }
