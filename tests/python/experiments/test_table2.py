from __future__ import annotations

import pytest
from matplotlib.figure import Figure

import siliconprof as sp
from siliconprof.experiments.table2 import EXPERIMENT, Params, recorded_rows, run


@pytest.fixture(scope="module")
def made():
    return run(Params())


def test_the_papers_table_is_recorded_with_its_source():
    rows = {row.what: row.value for row in recorded_rows()}
    assert rows["whisper-medium parameters"] == 769e6
    assert rows["gpt2-xl theoretical memory"] == 26139170963
    assert all("2501.14925" in row.source for row in recorded_rows())


@pytest.mark.parametrize(
    ("id", "exact"),
    [
        ("whisper-medium", 763857920),
        ("whisper-large", 1543304960),
        ("gpt2-large", 774030080),
        ("gpt2-xl", 1557611200),
    ],
)
def test_exact_counts_stand_beside_the_printed_ones(made, id, exact):
    (counted,) = made.where(origin="predicted", what=f"{id} parameters")
    assert counted.value == exact == sp.workload(id).parameters
    (memory,) = made.where(origin="predicted", what=f"{id} theoretical memory")
    assert memory.value == 16 * exact
    assert made.where(origin="recorded", what=f"{id} parameters")


@pytest.mark.parametrize(("id", "printed"), [("gpt2-large", 774e6), ("gpt2-xl", 1558e6)])
def test_the_gpt2_rows_are_the_exact_counts_rounded(made, id, printed):
    (counted,) = made.where(origin="predicted", what=f"{id} parameters")
    assert round(counted.value, -6) == printed


@pytest.mark.parametrize(("id", "printed"), [("whisper-medium", 769e6), ("whisper-large", 1550e6)])
def test_the_whisper_rows_are_above_the_models_and_that_is_explained(made, id, printed):
    (counted,) = made.where(origin="predicted", what=f"{id} parameters")
    assert 1.004 < printed / counted.value < 1.008
    assert f"{counted.value:,.0f}" in counted.source


def test_what_is_not_trained_needs_no_moments(made):
    (lasting,) = made.where(what="whisper-medium memory of weights, gradients and moments")
    assert lasting.value == 16 * 763857920 - 12 * 1500 * 1024


@pytest.mark.parametrize("id", Params().workloads)
def test_the_printed_memory_is_no_gib_and_that_is_explained(made, id):
    (parameters,) = made.where(origin="recorded", what=f"{id} parameters")
    (memory,) = made.where(origin="recorded", what=f"{id} theoretical memory")
    assert memory.value / 2**30 == pytest.approx(16 * parameters.value / 1e6 / 1024, abs=5e-4)
    assert memory.value == pytest.approx(1.0486 * 16 * parameters.value, rel=1e-4)
    printed = f"printed as {memory.value / 2**30:.3f} GiB"
    assert printed in memory.source
    assert "over 1024" in memory.source and "4.9 % above" in EXPERIMENT.claim


def test_the_experiment_draws(made):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panel = pyplot.subplots()
    EXPERIMENT.draw(made, {"memory": panel})
    assert panel.patches
    pyplot.close(figure)


def test_a_workload_that_was_not_built_has_no_bar():
    few = run(Params(workloads=("gpt2-large",)))
    panel = Figure().subplots()
    EXPERIMENT.draw(few, {"memory": panel})
    heights = [bar.get_height() for bar in panel.patches]
    assert len(heights) == 5 and min(heights) > 10.0
    assert "0.00" not in [text.get_text() for text in panel.texts]
