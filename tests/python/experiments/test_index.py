from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.experiments.index import experiment, experiments


def test_the_experiments_are_the_papers_items_in_order():
    ids = [entry.id for entry in experiments()]
    steps = ["table3", "figure3", "table4", "figure4", "table5"]
    figures = ["figure5", "figure6", "figure7"]
    others = ["gap", "m3max-ops", "simclr", "memory", "validation", "speed"]
    assert ids == ["table1", "table2", *steps, "table6", *figures, *others]
    items = [entry.paper_item.lower().replace(" ", "") for entry in experiments()]
    assert items == [*ids[: -len(others)], *[""] * len(others)], "the others are none of it"


def test_an_experiment_is_found_by_its_id():
    assert experiment("figure6").title == "Matrix-vector products"


def test_an_unknown_experiment_names_the_nearest():
    with pytest.raises(sp.UnknownNameError, match="figure5"):
        experiment("figrue5")
