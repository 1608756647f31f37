from __future__ import annotations

import math

import pytest

import siliconprof as sp
from siliconprof import _core, records
from siliconprof.suite import SUITE, suite, suite_row


def recorded_labels() -> list[str]:
    whats = dict.fromkeys(row.what for row in records.load("m3max_ops").rows)
    return [what for what in whats if not what.endswith(", mean over shapes")]


def test_the_rows_are_those_of_the_record_in_its_order():
    assert [row.label for row in suite()] == recorded_labels()
    assert len(SUITE) == 21


@pytest.mark.parametrize("row", suite(), ids=lambda row: row.label)
def test_every_row_is_a_call_of_this_version_or_says_that_it_is_not(row):
    if not row.available:
        with pytest.raises(sp.UnknownNameError):
            row.trace()
        return
    (call,) = row.trace().calls
    assert (call.op, call.dims) == (row.op, dict(row.arguments))
    assert set(row.arguments) == set(_core.op_dims(row.op))


@pytest.mark.parametrize(
    ("label", "op", "arguments"),
    [
        ("Argmax dim=64x1024x128 axi=0", "argmax", (1, 64, 131072)),
        ("Argmax dim=64x1024x128 axi=1", "argmax", (64, 1024, 128)),
        ("Argmax dim=64x1024x128 axi=2", "argmax", (65536, 128, 1)),
        ("Softmax dim=1024x64x32x8 axi=-1", "softmax", (1024 * 64 * 32, 8, 1)),
        ("Concat dim=1000000x64 dim=1000000x32 axi=1", "concat", (1000000, 64, 32, 1)),
        ("Concat dim=64x1000000 dim=64x1000000 axi=0", "concat", (1, 64, 64, 1000000)),
        ("Concat dim=100x64 dim=100x32 axi=-1", "concat", (100, 64, 32, 1)),
        ("Gather dim=64x256 dim=1000", "gather", (64, 1000, 256)),
        ("Linear dim=100x1x51200 dim=51200x1 dim=1", "linear", (100, 51200, 1)),
        ("MatMul dim=32x1x1000 dim=32x1000x128", "matmul", (32, 1, 1000, 128)),
        ("MatMul dim=1000x64x256 dim=256x32", "matmul", (1, 64000, 256, 32)),
        ("MatMul dim=2x3x4x5 dim=2x3x5x6", "matmul", (6, 4, 5, 6)),
        ("MatMul dim=64x1000000 dim=1000000x32", "matmul", (1, 64, 1000000, 32)),
        ("SumAll dim=64x128x128x128", "sum", (1, 64 * 128**3, 1)),
        ("Sum dim=64x128x128x128 axi=2", "sum", (64 * 128, 128, 128)),
        ("Conv1d dim=16x1000x80 dim=128x11x80", "conv1d", (16, 1000, 80, 128, 11)),
        ("Conv2d dim=1x256x256x128 dim=8x3x3x128", "conv2d", (1, 256, 256, 128, 8, 3, 3)),
        ("PReLU dim=64x128x1024 dim=1", "prelu", (64 * 128 * 1024,)),
    ],
)
def test_sizes_become_dimensions(label, op, arguments):
    row = suite_row(label)
    assert (row.op, tuple(row.arguments.values())) == (op, arguments)


def test_scatters_that_reduce_take_one_column_under_pytorch():
    row = suite_row("ScatterMax dim=1024x32 dim=1000")
    sizes = {"rows": 1024, "count": 1000, "columns": 32}
    assert row.trace().calls[0].dims == row.trace(framework="mlx").calls[0].dims == sizes
    assert row.trace(framework="torch-mps@2.2").calls[0].dims == {**sizes, "columns": 1}
    whole = suite_row("Scatter dim=1024x32 dim=1000").trace(framework="torch-mps")
    assert whole.calls[0].dims == sizes


def test_no_element_of_an_axis_op_is_lost():
    for row in suite():
        if {"outer", "size", "inner"} == set(row.arguments):
            assert math.prod(row.arguments.values()) == math.prod(row.shapes[0])


def test_other_sizes_are_rows_too():
    assert suite_row("ReLU dim=3x5").arguments == {"n": 15}


def test_an_operation_that_the_suite_lacks_is_named_with_the_nearest():
    with pytest.raises(sp.UnknownNameError, match=r"operation of the suite 'Relu'; .*'ReLU'"):
        suite_row("Relu dim=2x3")


@pytest.mark.parametrize("label", ["ReLU", "ReLU dim=axb", "dim=3", "ReLU average"])
def test_what_is_no_label_is_refused(label):
    with pytest.raises(ValueError, match="needs 'Name dim="):
        suite_row(label)


@pytest.mark.parametrize(
    ("label", "needed"),
    [
        ("Sum dim=64x128x128 axi=3", "axi=3: needed: -3 to 2, of 64x128x128"),
        ("Sum dim=64x128x128 axi=-4", "axi=-4: needed: -3 to 2"),
        ("Concat dim=4x5 dim=4x3 axi=2", "axi=2: needed: -2 to 1"),
        ("Concat dim=4x5 dim=7x3 axi=1", "differ along the axis alone"),
        ("MatMul dim=32x1x1000 dim=32x999x128", "as many rows as columns left"),
        ("MatMul dim=32x1x1000 dim=7x1000x128", "one for each left"),
        ("Linear dim=100x32 dim=64x10 dim=10", "weights of 32 rows"),
        ("Conv1d dim=16x1000x80 dim=128x11x3", "a kernel of 80 channels"),
        ("Conv2d dim=1x28x28x3 dim=8x3x3x4", "a kernel of 3 channels"),
    ],
)
def test_shapes_that_no_call_takes_are_refused(label, needed):
    with pytest.raises(sp.ShapeError, match=needed):
        suite_row(label)
