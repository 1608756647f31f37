"""benchmarks/bench.py: what `make bench` prints, and when it fails."""

from __future__ import annotations

import dataclasses
import runpy
from types import SimpleNamespace

import pytest

from siliconprof.experiments import speed
from siliconprof.experiments.table import Row

REACHED = Row("measured", "here", "", "x", 1e-6, "s", 9e-7, 2e-6, "reached; m", {"reached": True})


@pytest.fixture
def bench(root, monkeypatch):
    """Runs bench.py's main with the rows of a run given; returns the parameters of that run."""

    def call(*rows):
        seen = []
        fake = lambda params, say: seen.append(params) or SimpleNamespace(rows=rows)  # noqa: E731
        monkeypatch.setattr(speed, "run", fake)
        monkeypatch.setattr("sys.argv", ["bench.py", "some/program"])
        runpy.run_path(str(root / "benchmarks" / "bench.py"), run_name="__main__")
        return seen[0]

    return call


def test_reached_figures_are_printed_with_their_quartiles(bench, capsys):
    params = bench(REACHED)
    assert (params.batch, params.size, str(params.native)) == (*speed.FULL, "some/program")
    assert params.numpy_batch == params.batch
    line = capsys.readouterr().out
    assert "1 µs" in line and "900 ns" in line and "2 µs" in line and "reached" in line


@pytest.mark.parametrize(
    "row",
    [
        dataclasses.replace(REACHED, source="MISSED; m", point={"reached": False}),
        dataclasses.replace(REACHED, value=None, lo=None, hi=None, source="no program", point={}),
    ],
)
def test_a_missed_or_missing_figure_fails_the_run(bench, capsys, row):
    with pytest.raises(SystemExit) as caught:
        bench(REACHED, row)
    assert caught.value.code == 1
    assert "MISSED" in capsys.readouterr().out
