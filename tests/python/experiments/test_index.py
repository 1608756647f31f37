from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.experiments.index import experiment, experiments


def test_the_experiments_are_the_papers_items_in_order():
    steps = ["table3", "figure3", "table4", "figure4", "table5"]
    figures = ["figure5", "figure6", "figure7"]
    papers = ["table1", "table2", *steps, "table6", *figures]
    assert [entry.id for entry in experiments()][: len(papers)] == papers
    items = [entry.paper_item.lower().replace(" ", "") for entry in experiments()]
    assert [item for item in items if item] == papers, "the others are none of it"


def test_an_experiment_is_found_by_its_id():
    assert experiment("figure6").title == "Matrix-vector products"


def test_an_unknown_experiment_names_the_nearest():
    with pytest.raises(sp.UnknownNameError, match="figure5"):
        experiment("figrue5")
