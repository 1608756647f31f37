from __future__ import annotations

import siliconprof as sp
from siliconprof.experiments.pairs import PAIR_GRID, pairs, targets


def test_the_pairs_are_those_of_the_paper_and_known():
    assert [(pair.nvidia, pair.apple) for pair in pairs()] == [
        ("rtx-a6000", "m2-ultra"),
        ("rtx-2080-ti", "m2-max"),
        ("quadro-rtx-4000", "m2-pro"),
    ]
    assert {target.device for target in targets()} <= set(sp.devices())
    assert {target.framework for target in targets()} == {"torch-cuda", "mlx", "torch-mps"}


def test_each_pair_has_one_target_on_nvidia_and_two_on_apple():
    assert len(targets()) == 9


def test_the_grid_has_a_column_for_each_pair():
    assert len(PAIR_GRID.mosaic[0]) == len(pairs()) + 1
