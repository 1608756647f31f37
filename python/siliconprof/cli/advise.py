"""`siliconprof advise`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from .. import arguments
from ..quantity import scaled
from .given import listed
from .output import print_json, print_table, print_text
from .workload_options import (
    DEVICES,
    FRAMEWORKS,
    JSON,
    OptionalInt,
    OptionalText,
    given_options,
    taking_a_model,
)

if TYPE_CHECKING:
    from ..advise import Advice

MOST = typer.Option(None, "--most", help="Only so many, the best.")


@taking_a_model
def advise(
    described: dict[str, Any],
    devices: OptionalText = DEVICES,
    frameworks: OptionalText = FRAMEWORKS,
    most: OptionalInt = MOST,
    json: bool = JSON,
) -> None:
    """Which machine for this job: does it fit, how fast is it, what does it cost, and why?

    Machines that the step fits come first, the quickest of them at the top. Energy is of a step,
    a price that of the card or processor alone, but of the whole machine for Apple.

    Example: siliconprof advise gpt2-large --batch 16 --seq 256 --devices apple
    """
    from ..advise import advised

    id = described.pop("id")
    sizes = described.pop("size")
    if most is not None:
        arguments.whole("advise", "most", most, 1, arguments.LARGEST_COUNT)
    found, left_out = advised(
        id,
        None if devices is None else listed(devices),
        None if frameworks is None else listed(frameworks),
        given_options(described, sizes),
    )
    rows = found[:most]
    if json:
        content = [dataclasses.asdict(row) for row in rows]
        print_json({"rows": content, "left_out": list(left_out)})
        return
    _show(rows)
    for entry in left_out:
        print_text(f"left out: {entry}", "dim")


def _show(rows: Sequence[Advice]) -> None:
    fits = {True: "yes", False: "no", None: "–"}
    print_table(
        "",
        ("device", "framework", "fits", "time", "memory", "energy", "price", "why"),
        [
            [
                row.device,
                row.framework,
                fits[row.fits],
                scaled(row.time_s, "s"),
                scaled(row.peak_memory_bytes, "bytes"),
                scaled(row.energy_joules, "J"),
                "–" if row.price_usd is None else f"${row.price_usd:,.0f}",
                row.why,
            ]
            for row in rows
        ],
    )
