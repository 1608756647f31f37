"""`siliconprof advise`."""

from __future__ import annotations

import dataclasses
from typing import Any

import typer

from .. import arguments
from ..quantity import scaled
from .given import listed
from .output import print_json, print_table
from .workload_options import (
    DEVICES,
    FRAMEWORKS,
    JSON,
    OptionalInt,
    OptionalText,
    given_options,
    taking_a_model,
)

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
    from ..advise import advise as ask

    id = described.pop("id")
    sizes = described.pop("size")
    if most is not None:
        arguments.whole("advise", "most", most, 1, arguments.LARGEST_COUNT)
    rows = ask(
        id,
        devices=None if devices is None else listed(devices),
        frameworks=None if frameworks is None else listed(frameworks),
        **given_options(described, sizes),
    )[:most]
    if json:
        print_json({"rows": [dataclasses.asdict(row) for row in rows]})
        return
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
