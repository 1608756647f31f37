from __future__ import annotations

from types import SimpleNamespace

import numpy
import pytest

import siliconprof as sp
from siliconprof.datasets.base import Order, digest, given_dataset


def test_each_epoch_has_every_item_once_in_another_order():
    order = Order(7, seed=3)
    first, second = ([order.item(epoch * 7 + i) for i in range(7)] for epoch in range(2))
    assert sorted(first) == sorted(second) == list(range(7))
    assert first != second


def test_what_was_asked_before_changes_nothing():
    asked = Order(5)
    for number in (11, 3, 19):
        asked.item(number)
    assert [asked.item(i) for i in range(20)] == [Order(5).item(i) for i in range(20)]


def test_the_seed_says_which_order():
    assert [Order(9, 1).item(i) for i in range(9)] != [Order(9, 2).item(i) for i in range(9)]


def test_a_batch_may_span_two_epochs():
    order = Order(3)
    assert order.items(1, 2) == [order.item(2), order.item(3)]


def own(found, **more):
    return SimpleNamespace(batch=lambda index: found, **more)


def test_an_object_with_batches_is_known_by_its_description_or_its_class():
    arrays = {"tokens": numpy.zeros(3)}
    assert given_dataset("x", own(arrays, description="mine")).description == "mine"
    assert given_dataset("x", own(arrays)).description == "batches of SimpleNamespace"
    assert given_dataset("x", own(arrays)).batch(0) == arrays


@pytest.mark.parametrize(
    "data", [5, numpy.zeros(3), {"tokens": 3}, SimpleNamespace(batch=3), Order]
)
def test_what_has_no_batches_is_refused(data):
    with pytest.raises(sp.ArgumentError, match=r"^\[x\] data = .*an object with batch\(index\)"):
        given_dataset("x", data)


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (3, r"batch\(7\) of the data = 3 \(int\): an array for each input"),
        ({"tokens": [1, 2]}, r"tokens of the data = \[1, 2\] \(list\): an array is needed"),
        (
            {"tokens": numpy.ma.masked_array([1, 2], [True, False])},
            "tokens of the data masks 1 of its numbers; needed: an array whose numbers all count",
        ),
    ],
)
def test_a_batch_that_has_no_arrays_is_refused(found, told):
    with pytest.raises(sp.ArgumentError, match=rf"^\[x\] {told}"):
        given_dataset("x", own(found)).batch(7)


def test_a_description_that_is_no_text_is_refused():
    with pytest.raises(sp.ArgumentError, match="description of the data = 3"):
        given_dataset("x", own({}, description=3))


def test_a_digest_tells_contents_apart_whatever_their_layout():
    rows = numpy.arange(6, dtype=numpy.int32).reshape(2, 3)
    assert digest(rows) == digest(numpy.asfortranarray(rows)) == digest(rows.tobytes())
    assert len({digest(rows), digest(rows.T), digest(rows, b"x"), digest()}) == 4
