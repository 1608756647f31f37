from __future__ import annotations

import dataclasses

import pytest

from siliconprof.experiments.experiment import Layout
from siliconprof.experiments.index import experiments


def test_a_layout_is_frozen_and_shows_what_is_measured_and_predicted():
    layout = Layout((("a", "b"),), 8.0, 4.0)
    assert layout.marks == ("measured", "predicted")
    with pytest.raises(dataclasses.FrozenInstanceError):
        layout.width_in = 9.0


@pytest.mark.parametrize("experiment", experiments(), ids=lambda experiment: experiment.id)
def test_every_experiment_has_frozen_parameters_and_a_smaller_variant(experiment):
    for parameters in (experiment.parameters, experiment.quick_parameters):
        assert type(parameters).__dataclass_params__.frozen
    assert experiment.parameters != experiment.quick_parameters
    assert len(experiment.claim.split()) > 30
