"""`siliconprof workloads`."""

from __future__ import annotations

from typing import Any

import typer

from ..quantity import scaled
from .output import print_json, print_table
from .workload_options import JSON

_OPS = typer.Option(False, "--ops", help="Instead, every operation: what it computes of what.")


def workloads(ops: bool = _OPS, json: bool = JSON) -> None:
    """The named workloads: models in training with their parameters, and single operations.

    Example: siliconprof workloads --ops
    """
    from ..workloads import workload_table

    if ops:
        _print_ops(json)
        return
    models = model_entries()
    entries = workload_table()
    if json:
        operations = [
            {
                "id": entry.id,
                "summary": entry.summary,
                "op": entry.op,
                "dims": dict(entry.dims),
                "vjp": entry.vjp,
            }
            for entry in entries
        ]
        print_json({"workloads": [*models, *operations]})
        return
    print_table(
        "Models in training: weights, gradients and AdamW's two moments in fp32, 16 bytes each",
        ("id", "parameters", "memory", "what it is"),
        [
            [
                entry["id"],
                f"{entry['parameters']:,}",
                scaled(entry["theoretical_memory_bytes"], "bytes"),
                entry["summary"],
            ]
            for entry in models
        ],
    )
    rows = [
        [entry.id, " ".join(f"{key}={size}" for key, size in entry.dims.items()), entry.summary]
        for entry in entries
    ]
    print_table("Operations", ("id", "sizes", "what it is"), rows)


def _print_ops(json: bool) -> None:
    """What `sp.op` takes: each operation's sizes, numbers with their defaults, and formula."""
    from .._core import op_attributes, op_dims, op_names, op_summary

    entries: list[dict[str, Any]] = [
        {
            "name": name,
            "dims": op_dims(name),
            "attributes": op_attributes(name),
            "summary": op_summary(name),
        }
        for name in op_names()
    ]
    if json:
        print_json({"ops": entries})
        return
    rows = [
        [
            entry["name"],
            " ".join(entry["dims"]),
            " ".join(f"{key}={value:g}" for key, value in entry["attributes"].items()),
            entry["summary"],
        ]
        for entry in entries
    ]
    print_table("Operations of sp.op", ("name", "sizes", "numbers", "what it is"), rows)


def model_entries() -> list[dict[str, Any]]:
    """Each model with its sizes, parameters and theoretical memory."""
    from ..workloads import BYTES_A_PARAMETER, models

    return [
        {
            "id": model.id,
            "summary": model.summary,
            "sizes": model.sizes,
            "parameters": model.parameters,
            "theoretical_memory_bytes": BYTES_A_PARAMETER * model.parameters,
        }
        for model in models()
    ]
