from __future__ import annotations

import itertools

import numpy
import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.predict import model
from siliconprof.sweep_frontier import Frontier

DEVICES = ("m2-ultra", "rtx-4090", "rtx-3060", "h200")
MODELS = [model(name) for name in DEVICES]


def chunk(sizes) -> _core.SweepChunk:
    def build(batch: int, length: int) -> sp.Trace:
        return sp.workload("gpt2-small", layers=1, batch=batch, seq=length)

    family = _core.StepFamily(build, (1, 8), (4, 32))
    return _core.sweep_chunk(list(DEVICES), MODELS, [family] * len(MODELS), sizes)


def columns(sizes) -> dict[str, numpy.ndarray]:
    return chunk(sizes).columns()


def labels() -> list[tuple[str, str, str, str]]:
    return [("gpt2-small", "fp32", name, "default") for name in DEVICES]


def test_chunks_one_by_one_give_what_all_at_once_give():
    sizes = list(itertools.product((1, 2, 4), (8, 32)))
    whole, parts = Frontier(), Frontier()
    whole.add(labels(), columns(sizes))
    for size in sizes:
        parts.add(labels(), columns([size]))
    assert parts.rows() == whole.rows()


def test_it_holds_what_nothing_beats_per_item():
    sizes = list(itertools.product((1, 4), (8, 32)))
    found = Frontier()
    found.add(labels(), columns(sizes))
    rows = found.rows()
    times = [row["time_per_item_s"] for row in rows]
    assert times == sorted(times)
    assert rows[0]["time_per_item_s"] == rows[0]["time_s"] / rows[0]["batch"] / rows[0]["length"]
    dear = [row["price_usd"] for row in rows if row["device"] == "h200"]
    assert set(dear) <= {None}, "the H200 has no published price"


def test_each_workload_has_its_own():
    """A smaller model's tokens are quicker and cheaper, and no choice for a larger one."""
    sizes = [(1, 8), (4, 32)]
    alone, both = Frontier(), Frontier()
    alone.add(labels(), columns(sizes))
    slower = columns(sizes)
    for name in ("time_s", "time_per_item_s", "energy_joules", "joules_per_item"):
        slower[name] = 10.0 * slower[name]
    both.add([("gpt2-large", *label[1:]) for label in labels()], slower)
    both.add(labels(), columns(sizes))
    large, small = (
        [row for row in both.rows() if row["workload"] == name]
        for name in ("gpt2-large", "gpt2-small")
    )
    assert both.rows() == (*large, *small)
    assert tuple(small) == alone.rows()
    assert [row["device"] for row in large] == [row["device"] for row in small]


def test_what_draws_least_for_an_item_is_on_it():
    found = Frontier()
    found.add(labels(), columns([(1, 8), (4, 32)]))
    every = chunk([(1, 8), (4, 32)]).columns()
    joules = every["energy_joules"] / (every["batch"] * every["length"])
    assert min(row["joules_per_item"] for row in found.rows()) == joules.min()


def test_a_row_may_be_on_it_for_its_energy_alone():
    times, joules = numpy.array([1.0, 2.0]), numpy.array([5.0, 4.0])
    ones = numpy.ones(2)
    assert _core.frontier(numpy.stack([times, joules, ones, ones], axis=1)).all()
    assert _core.frontier(numpy.stack([times, ones, ones, ones], axis=1)).tolist() == [True, False]


def test_costs_are_rows_of_four():
    costs = numpy.array([[1.0, 2.0, 3.0, 1.0], [1.0, 2.0, 4.0, 1.0], [0.5, 9.0, 9.0, 9.0]])
    assert _core.frontier(costs).tolist() == [True, False, True]
    with pytest.raises(sp.ArgumentError, match=r"\(n, 4\)"):
        _core.frontier(numpy.zeros((2, 2)))
