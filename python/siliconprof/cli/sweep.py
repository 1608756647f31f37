"""`siliconprof sweep`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from .. import arguments
from ..quantity import scaled
from .given import listed
from .output import print_json, print_table, print_text
from .progress import shown_progress
from .workload_options import (
    DEVICES,
    FRAMEWORKS,
    JSON,
    OptionalInt,
    OptionalText,
    given_options,
)

_SIZES = re.compile(r"(?P<first>\d{1,99})(:(?P<last>\d{1,99})(:(?P<step>\d{1,99}))?)?")
_SHOWN = 20
_LINE_EVERY_S = 30.0
_SIZES_NEEDED = "sizes as 8 or 1,2,4 or 1:64 or 8:64:8 are needed"
WORKLOADS = typer.Argument(..., help="Ids of models, one or more.")
OUT = typer.Option(..., "--out", help="A .csv file, or .parquet where pyarrow is installed.")
BATCH = typer.Option("1", help="Sizes: 8, or 1,2,4, or 1:64, or 8:64:8 (from, to, step).")
SEQ = typer.Option(None, help="Lengths, the same way; of Whisper, its texts'.")
PRECISION = typer.Option("fp32", help="fp32, tf32, amp-fp16, amp-bf16, fp64, with commas between.")
OPTIMIZER = typer.Option(None, help="adamw, sgd or none.")
LORA = typer.Option(None, help="Rank of LoRA adapters; no others train.")
OFFLOAD = typer.Option(False, "--offload", help="The optimizer on the host.")
OFFLOAD_MODE = typer.Option(None, help="Of --offload: overlapped, delayed, serial or pageable.")
CHECKPOINT = typer.Option(False, "--checkpoint", help="Compute activations again.")
THREADS = typer.Option(None, help="All cores by default.")


def sweep(
    workloads: list[str] = WORKLOADS,
    out: str = OUT,
    devices: OptionalText = DEVICES,
    frameworks: OptionalText = FRAMEWORKS,
    batch: str = BATCH,
    seq: OptionalText = SEQ,
    precision: str = PRECISION,
    optimizer: OptionalText = OPTIMIZER,
    lora: OptionalInt = LORA,
    offload: bool = OFFLOAD,
    offload_mode: OptionalText = OFFLOAD_MODE,
    checkpoint: bool = CHECKPOINT,
    threads: OptionalInt = THREADS,
    json: bool = JSON,
) -> None:
    """Predict a grid: devices x batch x length x precision x workload, to a table.

    Prints the frontier of each workload: the choices of which none that fits is as quick and draws
    as little for a token, is as cheap and as small as another, and better in one respect. A price
    is that of the card or processor alone, but of the whole machine for Apple. In the table,
    `frontier` marks what no choice of the same size beats.

    Example: siliconprof sweep gpt2-small --batch 1:64 --seq 64:1024:64
    --precision fp32,amp-fp16 --out grid.csv
    """
    from ..sweep import Sweep
    from ..sweep import sweep as run

    given = given_options(
        {"optimizer": optimizer, "lora": lora, "checkpoint": checkpoint}
        | {"offload": offload, "offload_mode": offload_mode}
    )
    with shown_progress("rows", _LINE_EVERY_S) as progress:
        found = run(
            workloads,
            out,
            devices=None if devices is None else listed(devices),
            frameworks=None if frameworks is None else listed(frameworks),
            batch=sizes("batch", batch),
            seq=None if seq is None else sizes("seq", seq),
            precision=listed(precision),
            threads=threads,
            progress=lambda done, total: progress(done, total, ""),
            **given,
        )
    assert isinstance(found, Sweep)
    _show(found, json)


def sizes(name: str, text: str) -> list[int]:
    """ "1,2,8" or "1:64" or "8:64:8" as sizes; both ends are in."""
    found: list[int] = []
    for part in listed(text):
        match = _SIZES.fullmatch(part)
        if match is None:
            raise arguments.refused("sweep", name, text, _SIZES_NEEDED)
        first = int(match["first"])
        last, step = int(match["last"] or first), int(match["step"] or 1)
        if need := _no_range(first, last, step):
            raise arguments.refused("sweep", name, part, need)
        found += range(first, last + 1, step)
    return found


def _no_range(first: int, last: int, step: int) -> str:
    """What is needed of the three; nothing where they are sizes."""
    if first < 1:
        return "sizes of at least 1 are needed"
    if last > arguments.LARGEST_COUNT:
        return f"sizes of at most {arguments.LARGEST_COUNT} are needed"
    if last < first:
        return f"{first}:{last} ends before it begins: from:to, the smaller first, is needed"
    if step < 1:
        return "a step of at least 1 is needed"
    if (last - first) // step >= arguments.MOST_SIZES:
        return f"{arguments.MOST_SIZES} sizes at most are needed"
    return ""


def _document(found: Any) -> dict[str, Any]:
    return {
        "out": str(found.path),
        "rows": found.rows,
        "seconds": found.seconds,
        "frontier": list(found.frontier),
        "left_out": list(found.left_out),
        "notes": list(found.notes),
    }


def _show(found: Any, json: bool) -> None:
    if json:
        return print_json(_document(found))
    print_text(f"{found.rows:,} rows in {found.seconds:.1f} s: {found.path}", "bold")
    for workload, rows in itertools.groupby(found.frontier, key=lambda row: row["workload"]):
        _print_frontier(workload, list(rows))
    if not found.frontier:
        print_text("frontier: none, as nothing fits its device's memory")
    if found.left_out:
        print_text(f"left out: {len(found.left_out)}, as {found.left_out[0]}", "dim")
    if found.notes:
        others = f"; notes in all: {len(found.notes)}" if len(found.notes) > 1 else ""
        print_text(f"note: {found.notes[0]}{others}", "dim")
    return None


def _print_frontier(workload: str, rows: Sequence[Mapping[str, Any]]) -> None:
    columns = ("device", "framework", "precision", "batch", "length")
    print_table(
        f"Frontier of {workload}: time and energy for a token or image, price, memory",
        (*columns, "time", "for one", "energy", "memory", "price"),
        [
            [
                *(str(row[name]) for name in columns),
                scaled(row["time_s"], "s"),
                scaled(row["time_per_item_s"], "s"),
                "–" if row["joules_per_item"] is None else scaled(row["joules_per_item"], "J"),
                scaled(row["peak_memory_bytes"], "bytes"),
                "–" if row["price_usd"] is None else f"${row['price_usd']:,.0f}",
            ]
            for row in rows[:_SHOWN]
        ],
    )
    if len(rows) > _SHOWN:
        print_text(f"the {_SHOWN} quickest of {len(rows)}; --json has all", "dim")
