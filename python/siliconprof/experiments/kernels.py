"""Every kernel against PyTorch and the machine: what `make bench-kernels` measured, row by row."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core
from ..quantity import counted, scaled
from .experiment import Experiment, Layout
from .points import HERE, table
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RATIO, TIME, SHARE = "over PyTorch's time", "time", "of the floor's rate"
GROUPS = ("suite", "gpt2-124m", "whisper-tiny", "resnet18", "bfloat16")
_FORMAT = ("siliconprof-kernels", 1)
_HEIGHT_IN, _LEAST_HEIGHT_IN = 22.7, 3.2


@dataclass(frozen=True)
class Params:
    """path: a kernels.json of `make bench-kernels`; None stands for bench/kernels.json beside the
    package's folder in the build. groups: rows that are shown, by what they are part of."""

    path: Path | None = None
    groups: tuple[str, ...] = GROUPS


def run(params: Params, say: Say = silent) -> Table:
    """Three rows for each kernel; where it was not measured, one with the reason."""
    say("what `make bench-kernels` measured")
    path = params.path or Path(_core.__file__).parents[2] / "bench" / "kernels.json"
    return table("kernels", _rows(path, params.groups), params)


def _rows(path: Path, groups: tuple[str, ...]) -> list[Row]:
    if not path.is_file():
        return [_without("kernels", "measured by `make bench-kernels`, which has not run here")]
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if (document["format"], document["version"]) != _FORMAT:
            raise ValueError(f"{document['format']} version {document['version']}")
        day = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.UTC).date()
        where = f"{document['peer']}; {document['environment'].get('cpu', 'unknown CPU')}; {day}"
        chosen = [row for row in document["rows"] if row["group"] in groups]
        return [one for row in chosen for one in kernel_rows(row, where)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return [_without("kernels", f"{path.name} is none of `make bench-kernels`: {error!r}")]


def kernel_rows(row: Mapping[str, Any], where: str) -> list[Row]:
    """The kernel's time, its ratio to the peer's and the part of the floor's rate that it has.

    row: one of kernels.json; where: the peer, the machine and the day, for the source.
    """
    name = f"{row['group']}: {row['label']}"
    if "ours_s" not in row:
        return [_without(name, row["note"] or "not measured", row["group"])]
    own = {key: row[key] for key in ("group", "label", "floor_s", "torch_s") if key in row}
    point = {**own, "n": row["pairs"]}
    of = f"median of {counted(row['pairs'], 'turn')}; {where}"
    bound = f"the floor, {scaled(row['floor_s'], 's')}, is that of {row['bound_by']}; {of}"
    found = [_measured(name, TIME, row["ours_s"], "s", of, point)]
    if "ratio" in row:
        ends = (row["ratio_low"], row["ratio_high"])
        found.append(_measured(name, RATIO, row["ratio"], "1", of, point, ends))
    else:
        found.append(_without(f"{name}, {RATIO}", f"no time of PyTorch's; {where}", row["group"]))
    found.append(_measured(name, SHARE, row["floor_s"] / row["ours_s"], "1", bound, point))
    return found


def _measured(
    name: str,
    quantity: str,
    value: float,
    unit: str,
    source: str,
    point: Mapping[str, Any],
    ends: tuple[float | None, float | None] = (None, None),
) -> Row:
    what, coordinates = f"{name}, {quantity}", {**point, "quantity": quantity}
    return Row("measured", HERE, "openblas", what, value, unit, *ends, source, coordinates)


def _without(what: str, reason: str, group: str = "") -> Row:
    point = {"quantity": "missing", "group": group}
    return Row("measured", HERE, "openblas", what, None, "1", None, None, reason, point)


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """A panel for each group: ratios with quartiles, and the floor as a second mark."""
    from ..figures.kernel_ratios import draw_kernel_ratios
    from ..figures.style import heading

    for group in GROUPS:
        found = [
            {**row.point, "ratio": row.value, "ratio_low": row.lo, "ratio_high": row.hi}
            for row in table.where(quantity=RATIO, group=group)
        ]
        if found:
            draw_kernel_ratios(axes[group], found)
        else:
            axes[group].set_axis_off()
        heading(axes[group], group, "" if found else "not measured: the table says why")
    if not table.where(quantity=RATIO):  # no page of nothing
        axes[GROUPS[0]].figure.set_size_inches(EXPERIMENT.layout.width_in, _LEAST_HEIGHT_IN)


EXPERIMENT = Experiment(
    id="kernels",
    title="The library's kernels against PyTorch's",
    paper_item="",
    claim=(
        "Each kernel of the op suite and of three trainings in float32, and what autocast runs in "
        "bfloat16, as `make bench-kernels` timed it last on this machine: in turn with PyTorch's "
        "CPU path on the same threads, beside the machine's floor, the larger of bytes over "
        "measured bandwidth and operations over measured peak. The table has each row's time, its "
        "ratio to PyTorch's and the part of the floor's rate that it reaches. That takes minutes "
        "and a machine of its own, so that a report shows what was measured before it and measures "
        "nothing itself."
    ),
    parameters=Params(),
    quick_parameters=Params(groups=("suite",)),
    run=run,
    draw=draw,
    layout=Layout(
        (
            ("suite", "gpt2-124m"),
            ("suite", "whisper-tiny"),
            ("suite", "resnet18"),
            ("bfloat16", "bfloat16"),
        ),
        13.6,
        _HEIGHT_IN,
        marks=("measured",),
        bars="quartiles",
    ),
)
