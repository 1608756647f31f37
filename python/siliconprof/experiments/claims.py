"""The paper's claims of sections 4.3 and 4.4, judged by the tables at hand."""

from __future__ import annotations

from collections.abc import Mapping

from .claim import Claim
from .gap_claims import gap_claims
from .gradient_claims import gradient_claims
from .launch_claims import launch_claims
from .product_claims import product_claims
from .table import Table
from .vector_claims import vector_claims


def claims(tables: Mapping[str, Table], quick: bool = False) -> list[Claim]:
    """Every claim that the tables (by experiment id) can speak to, in the paper's order.

    A quick run's sizes are not the paper's: its numbers are shown, and nothing is judged.
    """
    judges = (
        ("table6", launch_claims),
        ("figure5", product_claims),
        ("figure6", vector_claims),
        ("figure7", gradient_claims),
        ("gap", gap_claims),
    )
    found = [claim for id, judge in judges if id in tables for claim in judge(tables[id])]
    if not quick:
        return found
    return [claim.unjudged("quick run, not at the paper's sizes") for claim in found]
