from __future__ import annotations

from siliconprof.experiments import figure4
from siliconprof.experiments.figure4 import EXPERIMENT, MAJOR, PASS, RSS, Params, run
from siliconprof.experiments.near_capacity import LimitedRun, Pass
from siliconprof.figures.render import render_svg
from siliconprof.memory_limit import LimitUnavailable

SMALL = Params(sizes=dict(EXPERIMENT.quick_parameters.sizes), passes=3, shares=(1.2, 0.7))


def passes(limit):
    slow = 1.0 if limit is None else 5.0
    return LimitedRun(tuple(Pass(slow, 1.0, 0.0 if slow == 1 else 9.0, 1e8) for _ in range(3)))


def test_each_limit_has_its_passes_measured_and_predicted(monkeypatch):
    monkeypatch.setattr(figure4, "limited_run", lambda *given: passes(given[3]))
    made = run(SMALL)
    for quantity in (PASS, MAJOR, RSS):
        rows = made.where(origin="measured", swap="zram", share=0.7, quantity=quantity)
        assert [row.point["pass"] for row in rows] == [1, 2, 3]
    tight = made.where(origin="predicted", swap="file", share=0.7, quantity=PASS)
    assert tight[-1].value > 1.0 and tight[-1].lo == 1.0
    roomy = made.where(origin="predicted", swap="file", share=1.2, quantity=PASS)
    assert roomy[-1].value == 1.0
    assert "pass, s" in render_svg(EXPERIMENT, made)


def test_without_permission_the_reason_and_the_predicted_curve_stand(monkeypatch):
    def limited(*given):
        if given[3] is not None:
            raise LimitUnavailable("[memory limit] needed: root")
        return passes(None)

    monkeypatch.setattr(figure4, "limited_run", limited)
    made = run(SMALL)
    (refused,) = made.where(origin="measured", swap="zram", quantity=PASS)
    assert refused.value is None and "needed: root" in refused.source
    assert made.where(origin="predicted", swap="zram", share=1.2, quantity=PASS)
