from __future__ import annotations

from siliconprof.datasets.base import Order


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
