from __future__ import annotations

import pytest

from siliconprof import _core
from siliconprof.experiments import table6
from siliconprof.experiments.table6 import COLD, DISPATCH, FOLLOW_UP, ROUND_TRIP, Params, run


@pytest.fixture
def made(still):
    return run(Params(processes=7, calls=3))


def test_the_papers_times_are_recorded_in_seconds(made):
    (cold,) = made.where(origin="recorded", device="m2-ultra", quantity=COLD)
    (again,) = made.where(origin="recorded", device="m2-ultra", quantity=FOLLOW_UP)
    assert (cold.value, again.value) == (0.7859e-3, 0.148e-3)


def test_every_target_has_a_pipelined_and_a_synchronised_launch(made):
    for target in Params().targets:
        wanted = {"device": target.device, "framework": target.framework}
        (pipelined,) = made.where(quantity=DISPATCH, **wanted)
        (synchronised,) = made.where(quantity=ROUND_TRIP, **wanted)
        assert pipelined.value < synchronised.value
        assert pipelined.lo <= pipelined.value <= pipelined.hi


def test_this_machines_launches_are_medians_over_processes(made):
    (cold,) = made.where(device="here", quantity=COLD)
    (again,) = made.where(device="here", quantity=FOLLOW_UP)
    assert (cold.value, again.value) == (4e-5, 2e-6)
    assert "7 fresh processes" in cold.source


def test_a_fresh_process_gives_its_first_call_and_the_following_ones():
    first, following = table6._fresh_process(4, 3)
    assert (len(first), len(following)) == (1, 3)


def test_quick_and_full_runs_have_processes_enough_for_an_interval():
    for parameters in (table6.EXPERIMENT.parameters, table6.EXPERIMENT.quick_parameters):
        assert _core.median_interval(list(range(parameters.processes))) is not None
