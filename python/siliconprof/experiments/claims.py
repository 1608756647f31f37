"""The paper's claims of sections 4.3 and 4.4, judged by the tables at hand."""

from __future__ import annotations

from collections.abc import Mapping

from .claim import Claim
from .gradient_claims import gradient_claims
from .launch_claims import launch_claims
from .product_claims import product_claims
from .table import Table
from .vector_claims import vector_claims


def claims(tables: Mapping[str, Table]) -> list[Claim]:
    """Every claim that the tables (by experiment id) can speak to, in the paper's order."""
    judges = (
        ("table6", launch_claims),
        ("figure5", product_claims),
        ("figure6", vector_claims),
        ("figure7", gradient_claims),
    )
    return [claim for id, judge in judges if id in tables for claim in judge(tables[id])]
