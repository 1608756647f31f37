"""Steps made again at another batch."""

from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof import batches
from siliconprof.remaking import with_options


def made(batch, built, limit=10**9):
    """A step of GPT-2 that says which batches were asked for; none above `limit` can be made."""

    def make(changes):
        size = changes["batch"]
        built.append(size)
        if size > limit:
            raise sp.ArgumentError("too many")
        return sp.workload("gpt2-small", layers=1, seq=4, batch=size)

    return with_options(make({"batch": batch}), {"batch": batch}, make)


def at_most(bytes):
    return lambda step: step.peak_memory_bytes <= bytes


def test_a_step_of_a_model_knows_its_batch_and_no_operation_does():
    assert batches.batch_of(sp.workload("gpt2-small", batch=3)) == 3
    assert batches.batch_of(sp.workload("gpt2-small", framework="mlx")) == 1
    assert batches.batch_of(sp.workload("triad")) is None


@pytest.mark.parametrize("start", [1, 5, 6, 7, 100])
def test_the_largest_batch_is_found_from_below_and_from_above(start):
    limit = sp.workload("gpt2-small", layers=1, seq=4, batch=6).peak_memory_bytes
    built = []
    assert batches.largest_batch(made(start, built), at_most(limit)) == 6
    assert len(built) <= 10


def test_nothing_fits_where_one_does_not():
    assert batches.largest_batch(made(9, []), at_most(1)) == 0


def test_a_batch_that_cannot_be_made_does_not_fit():
    assert batches.largest_batch(made(2, [], limit=11), lambda step: True) == 11


def test_it_is_made_with_all_that_it_was_made_with():
    given = {"seq": 8, "layers": 2, "precision": "amp-fp16", "lora": 4, "framework": "mlx"}
    seen = []
    step = sp.workload("gpt2-small", batch=2, **given)
    batches.largest_batch(step, lambda one: bool(seen.append(one)))
    again = sp.workload("gpt2-small", batch=1, **given)
    assert (seen[-1].work, seen[-1].cost) == (again.work, again.cost)
