from __future__ import annotations

from siliconprof.experiments.quartiles import Quartiles, quartiles


def test_quartiles_are_those_of_the_samples_and_say_of_how_many():
    assert quartiles([5.0, 1.0, 3.0, 2.0, 4.0]) == Quartiles(2.0, 3.0, 4.0, "5 samples")
    assert quartiles([7.0]) == Quartiles(7.0, 7.0, 7.0, "1 samples")
