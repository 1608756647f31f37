from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.experiments import points
from siliconprof.experiments.figure4 import Params as Params4
from siliconprof.experiments.figure5 import Params
from siliconprof.experiments.gap import Params as GapParams
from siliconprof.experiments.pairs import Target
from siliconprof.experiments.points import Point, measured_rows, predicted_rows, sweep_rows, table

RULE = sp.Sampling.fixed(5)


def test_a_sweep_predicts_every_point_and_measures_up_to_the_largest_size(still):
    large = Point("large", sp.op("matmul", m=20, k=20, n=20), "float32", 20)
    said = []
    rows = sweep_rows([point(), large], [Target("m2-ultra", "mlx")], RULE, said.append, 10)
    found = {(row.origin, row.point["size"]) for row in rows}
    assert found == {("measured", 10), ("predicted", 10), ("predicted", 20)}
    assert said == ["matmul"]
    everything = sweep_rows([large], [], RULE, said.append)
    assert {row.point["size"] for row in everything} == {20}


def point(dtype: str = "float32") -> Point:
    return Point("matmul", sp.op("matmul", m=10, k=10, n=10, dtype=dtype), dtype, 10)


def test_a_measured_point_is_a_time_and_two_rates_with_their_intervals(still):
    time, compute, traffic = measured_rows(point(), "openblas", RULE)
    assert time.value == pytest.approx(2000 / 1e11)
    assert compute.value == pytest.approx(1e11)
    assert (compute.lo, compute.hi) == (pytest.approx(1e11 / 1.02), pytest.approx(1e11 / 0.98))
    assert traffic.value == pytest.approx(1200 / time.value)
    assert (time.unit, compute.unit, traffic.unit) == ("s", "FLOP/s", "bytes/s")
    assert "5 samples" in time.source and "given" in time.source


def test_a_predicted_point_has_rows_for_every_target():
    rows = predicted_rows(point(), [Target("m2-ultra", "mlx"), Target("rtx-a6000", "torch-cuda")])
    assert len(rows) == 6
    assert all(row.origin == "predicted" and row.lo <= row.value <= row.hi for row in rows)


def test_a_dtype_that_a_device_lacks_is_a_row_without_a_value_and_with_the_reason():
    (row,) = predicted_rows(point("float64"), [Target("m2-ultra", "mlx")])
    assert (row.value, row.lo, row.hi) == (None, None, None)
    assert "float64" in row.source


def test_an_engine_that_is_not_there_is_a_row_with_the_reason(monkeypatch):
    def missing(*_, **__):
        raise sp.EngineUnavailable("[openblas] no library")

    monkeypatch.setattr(points, "run", missing)
    (row,) = measured_rows(point(), "openblas", RULE)
    assert row.value is None
    assert row.source == "[openblas] no library"


def test_a_table_keeps_host_parameters_and_date():
    made = table("figure5", [], Params(size=8))
    assert made.parameters["size"] == "8"
    assert made.host["cpu"]
    assert made.date.endswith("+00:00")


def test_parameters_are_for_readers():
    given = table("id", [], Params()).parameters
    assert given["targets"].startswith("rtx-a6000/torch-cuda, m2-ultra/mlx")
    assert given["engines"].startswith("openblas float32, openblas float16")
    assert given["dtypes"] == "float32, float16, bfloat16"
    cases = table("id", [], GapParams()).parameters["cases"]
    assert cases.startswith("whisper-medium batch=4: rtx-4090 to m2-ultra torch-mps; whisper-")
    assert "ways=" not in cases and ", amp-fp16 on CUDA; " in cases
    near = table("id", [], Params4(batches=())).parameters
    assert near["sizes"].startswith("layers=4 width=512") and near["batches"] == "none"
