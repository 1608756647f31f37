from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.experiments.index import experiment, experiments


def test_the_experiments_are_the_papers_items_in_order():
    ids = [entry.id for entry in experiments()]
    figures = ["figure5", "figure6", "figure7"]
    assert ids == ["table1", "table2", "table6", *figures, "gap", "m3max-ops", "speed"]
    items = [entry.paper_item.lower().replace(" ", "") for entry in experiments()]
    assert items == [*ids[:-3], "", "", ""], "neither is the paper's"


def test_an_experiment_is_found_by_its_id():
    assert experiment("figure6").title == "Matrix-vector products"


def test_an_unknown_experiment_names_the_nearest():
    with pytest.raises(sp.UnknownNameError, match="figure5"):
        experiment("figrue5")
