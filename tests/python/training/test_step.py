from __future__ import annotations

import numpy
import pytest

import siliconprof as sp
from siliconprof.training.step import Step

SIZES = {"batch": 1, "seq": 4, "layers": 1, "width": 8, "heads": 2, "vocab": 11}
BATCH = {"tokens": numpy.array([[1, 2, 3, 4]], "i4"), "targets": numpy.array([[2, 3, 4, 5]], "i4")}


def step(**given):
    return Step(sp.workload("gpt2-small", **SIZES, **given), threads=1)


def test_the_step_count_of_adamw_advances():
    """With a constant gradient each update of AdamW without decay is the learning rate."""
    made = step(precision="fp64")
    made.set_learning_rate(1e-6)
    before = made.arrays["wte.weight"][0].copy()
    for number in range(3):
        made.run(number, number, BATCH)
    moved = numpy.abs(made.arrays["wte.weight"][0] - before)[1:6]
    assert numpy.median(moved) == pytest.approx(3e-6, rel=0.05)


def test_arrays_are_the_steps_own_memory():
    made = step()
    made.write("wte.weight", numpy.zeros((11, 8), numpy.float32))
    assert made.run(0, 0, BATCH) == pytest.approx(numpy.log(11), abs=1e-6)


def test_offloaded_parameters_are_set_on_both_sides():
    made = step(offload=True)
    assert len(made.arrays["wte.weight"]) == 2
    made.write("wte.weight", numpy.ones((11, 8), numpy.float32))
    assert all((array == 1).all() for array in made.arrays["wte.weight"])


def test_names_and_shapes_that_do_not_fit_are_refused():
    made = step()
    with pytest.raises(sp.UnknownNameError, match=r"wte\.weight"):
        made.write("wte.wait", numpy.zeros(1))
    with pytest.raises(sp.ArgumentError, match=r"needed: \(11, 8\)"):
        made.write("wte.weight", numpy.zeros((8, 11)))
    with pytest.raises(sp.ArgumentError, match="the data have no 'targets'"):
        made.run(0, 0, {"tokens": BATCH["tokens"]})


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([[0.5, 1.0, 2.0, 3.0]], r"tokens of the data holds 0.5; needed: numbers that int32"),
        ([[1.0, numpy.nan, 2.0, 3.0]], r"tokens of the data holds nan"),
        ([["a", "b", "c", "d"]], r"tokens of the data is <U1; needed: int32"),
        ([[1j, 0, 0, 0]], r"tokens of the data is complex128"),
        ([[1, 2, 2**40, 3]], r"tokens of the data holds 1099511627776; needed: numbers that int32"),
        (numpy.array([[1, 2, 2**63, 3]], "u8"), r"tokens of the data holds 9223372036854775808"),
    ],
)
def test_data_that_would_become_other_numbers_are_refused(tokens, message):
    with pytest.raises(sp.ArgumentError, match=message):
        step().run(0, 0, {**BATCH, "tokens": numpy.asarray(tokens)})


def test_data_of_other_sizes_of_numbers_are_the_same_numbers():
    loss = step().run(0, 0, BATCH)
    for dtype in ("i8", "u1"):
        batch = {name: array.astype(dtype) for name, array in BATCH.items()}
        assert step().run(0, 0, batch) == loss


def test_a_step_without_an_optimizer_is_refused():
    with pytest.raises(sp.ArgumentError, match="has no optimizer"):
        step(optimizer=None)


def test_dropout_drops_others_in_each_micro_batch_and_the_same_in_its_gradient():
    made = step(dropout=0.5, accumulate=2, checkpoint=True)
    seeds = dict(made.seeds)
    assert len(set(seeds.values())) == 2 * 3  # of the embedding, the attention and the mlp
    calls = [(made.calls[i].attributes["seed"], seed) for i, seed in seeds.items()]
    for own in {own for own, _ in calls}:
        found = [seed for mine, seed in calls if mine == own]
        half = len(found) // 2
        assert len(set(found[:half])) == len(set(found[half:])) == 1
        assert found[0] != found[-1]


@pytest.mark.parametrize("checkpoint", [False, True])
def test_steps_share_no_mask_and_leave_none_out(checkpoint):
    """Calls that are computed again are no masks of their own."""
    made = step(dropout=0.5, checkpoint=checkpoint)
    drawn = []

    class Bound:
        def __getattr__(self, name):
            return getattr(bound, name)

        def set_attribute(self, call, name, value):
            if name == "seed":
                drawn[-1].add(value)

    bound, made.bound = made.bound, Bound()
    for number in range(3):
        drawn.append(set())
        made.run(number, number, BATCH)
    assert drawn == [{0.0, 1.0, 2.0}, {3.0, 4.0, 5.0}, {6.0, 7.0, 8.0}]
