"""`siliconprof workloads`."""

from __future__ import annotations

from .output import print_json, print_table
from .workload_options import JSON


def workloads(json: bool = JSON) -> None:
    """The named workloads and their default sizes.

    Example: siliconprof workloads --json
    """
    from ..workloads import workload_table

    entries = workload_table()
    if json:
        print_json(
            {
                "workloads": [
                    {
                        "id": entry.id,
                        "summary": entry.summary,
                        "op": entry.op,
                        "dims": dict(entry.dims),
                        "vjp": entry.vjp,
                    }
                    for entry in entries
                ]
            }
        )
        return
    rows = [
        [entry.id, " ".join(f"{key}={size}" for key, size in entry.dims.items()), entry.summary]
        for entry in entries
    ]
    print_table("Workloads", ("id", "sizes", "what it is"), rows)
