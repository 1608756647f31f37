"""The paper's claims of sections 4.1 to 5.2, and our own, judged by the tables at hand."""

from __future__ import annotations

from collections.abc import Mapping

from .claim import Claim
from .figure4 import near_capacity_claims
from .gap_claims import gap_claims
from .gradient_claims import gradient_claims
from .launch_claims import launch_claims
from .memory import memory_growth_claims
from .peer_claims import (
    a6000_energy_claims,
    a6000_epoch_claims,
    half_peer_claims,
    lead_claims,
    price_claims,
    small_peer_claims,
    vector_peer_claims,
)
from .product_claims import product_claims
from .step_claims import (
    energy_claims,
    memory_claims,
    pass_claims,
    scenario_claims,
    simclr_claims,
)
from .table import Table
from .validation_claims import validation_claims
from .vector_claims import vector_claims


def claims(tables: Mapping[str, Table], quick: bool = False) -> list[Claim]:
    """Every claim that the tables (by experiment id) can speak to: the paper's in its order, ours.

    A quick run's sizes are not the paper's: its numbers are shown, and nothing is judged.
    """
    judges = (
        ("table3", memory_claims),
        ("figure3", scenario_claims),
        ("table4", pass_claims),
        ("figure4", near_capacity_claims),
        ("table5", energy_claims),
        ("table5", a6000_energy_claims),
        ("simclr", simclr_claims),
        ("simclr", a6000_epoch_claims),
        ("memory", memory_growth_claims),
        ("table6", launch_claims),
        ("figure5", product_claims),
        ("figure5", half_peer_claims),
        ("figure6", vector_claims),
        ("figure6", vector_peer_claims),
        ("figure7", gradient_claims),
        ("figure7", small_peer_claims),
        ("gap", gap_claims),
        ("figure3", price_claims),
        ("table4", lead_claims),
        ("validation", validation_claims),
    )
    found = [claim for id, judge in judges if id in tables for claim in judge(tables[id])]
    if not quick:
        return found
    return [claim.unjudged("quick run, not at the paper's sizes") for claim in found]
