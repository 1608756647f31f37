from __future__ import annotations

import numpy
import pytest

import siliconprof as sp
from siliconprof.workloads import workload_table


def test_ids_are_those_of_the_table_in_order():
    assert sp.workloads() == [entry.id for entry in workload_table()]
    assert "batched-matmul" in sp.workloads()


@pytest.mark.parametrize("id", sp.workloads())
def test_every_workload_gives_a_trace(id):
    assert len(sp.workload(id)) >= 1


def test_the_batched_product_is_the_papers_shape():
    trace = sp.workload("batched-matmul")
    assert trace.flops == 2 * 8 * 2000**3
    assert trace.bytes == 3 * 8 * 2000 * 2000 * 4


def test_sizes_and_dtype_can_be_replaced():
    trace = sp.workload("batched-matmul", batch=1, m=10, k=20, n=30, dtype="float16")
    assert trace.flops == 2 * 10 * 20 * 30
    assert trace.bytes == 2 * (10 * 20 + 20 * 30 + 10 * 30)


def test_an_unknown_workload_names_the_nearest():
    with pytest.raises(sp.UnknownNameError, match="did you mean 'batched-matmul'"):
        sp.workload("batched-matmull")


def test_an_unknown_keyword_names_the_nearest():
    with pytest.raises(sp.UnknownNameError, match=r"'btach'.*did you mean 'batch'"):
        sp.workload("batched-matmul", btach=2)


def test_an_op_takes_dimensions_and_attributes_by_keyword():
    trace = sp.op("matmul", m=2, k=3, n=4, transpose_a=True)
    assert trace.flops == 2 * 2 * 3 * 4
    assert trace.calls[0].attributes["transpose_a"] == 1.0


def test_a_vector_jacobian_product_of_a_product_is_two_products():
    trace = sp.op("matmul", m=2, k=3, n=4, vjp=True)
    assert len(trace) == 2
    assert trace.flops == 2 * (2 * 2 * 3 * 4)


def test_an_unknown_op_names_the_nearest():
    with pytest.raises(sp.UnknownNameError, match="did you mean 'matmul'"):
        sp.op("matmull", m=1, k=1, n=1)


def test_an_unknown_argument_of_an_op_names_the_nearest():
    with pytest.raises(sp.UnknownNameError, match="did you mean 'transpose_a'"):
        sp.op("matmul", m=1, k=1, n=1, transpose_aa=1)


def test_a_missing_dimension_is_named():
    with pytest.raises(sp.ArgumentError, match="dimension k is missing"):
        sp.op("matmul", m=1, n=1)


@pytest.mark.parametrize("size", [0, -3])
def test_zero_and_negative_sizes_are_refused(size):
    with pytest.raises((sp.ShapeError, sp.ArgumentError), match=str(size)):
        sp.op("matvec", m=size, n=4)


@pytest.mark.parametrize("size", [2.5, "8", True, None])
def test_a_size_that_is_no_whole_number_is_refused(size):
    with pytest.raises(sp.ArgumentError, match="a whole number is needed"):
        sp.op("matvec", m=size, n=4)


def test_a_numpy_integer_is_a_size():
    assert sp.op("matvec", m=numpy.int64(3), n=4).flops == 24


def test_an_overflow_of_the_size_product_is_refused():
    with pytest.raises(sp.Error, match=r"4611686018427387904|overflow"):
        sp.op("matvec", m=2**62, n=2**62)


def test_an_unknown_dtype_names_the_nearest():
    with pytest.raises(sp.Error, match="float32"):
        sp.op("matvec", m=2, n=2, dtype="flaot32")


def test_an_activation_runs_forward_and_backward_with_its_attributes():
    x = numpy.array([-2.0, 0.0, 3.0], dtype=numpy.float32)
    dy = numpy.array([1.0, 2.0, 4.0], dtype=numpy.float32)
    trace = sp.op("leaky_relu", n=3, slope=0.5)
    assert trace.calls[0].attributes["slope"] == 0.5
    [y] = sp.evaluate(trace, x)
    assert y.tolist() == [-1.0, 0.0, 3.0]
    [dx] = sp.evaluate(sp.op("leaky_relu", n=3, slope=0.5, vjp=True), x, dy)
    assert dx.tolist() == [0.5, 1.0, 4.0]


@pytest.mark.parametrize("name", ["gelu_erf", "gelu_tanh", "relu", "selu", "sigmoid", "silu"])
def test_an_activation_can_be_predicted(name):
    assert sp.predict(sp.op(name, n=1 << 20), "m2-max").time_s > 0


def test_a_backward_op_has_no_vector_jacobian_product():
    with pytest.raises(sp.ArgumentError, match=r"\[relu_backward\] has no vector-Jacobian rule"):
        sp.op("relu_backward", n=4, vjp=True)


def test_the_gradients_of_a_prelu_and_of_a_cross_entropy_come_one_per_input():
    x = numpy.array([-2.0, 0.0, 3.0])
    w, dy = numpy.array([0.25]), numpy.array([5.0, 7.0, 11.0])
    dx, dw = sp.evaluate(sp.op("prelu", n=3, dtype="float64", vjp=True), x, w, dy)
    assert dx.tolist() == [1.25, 1.75, 11.0] and dw.tolist() == [-10.0]
    p, t = numpy.array([0.5, 0.25]), numpy.array([1.0, 0.0])
    [loss] = sp.evaluate(sp.op("bce", n=2, dtype="float64"), p, t)
    assert loss == pytest.approx([(numpy.log(2.0) + numpy.log(4.0 / 3.0)) / 2])
    dp, dt = sp.evaluate(sp.op("bce", n=2, dtype="float64", vjp=True), p, t, numpy.array([3.0]))
    assert dp.tolist() == pytest.approx([-3.0, 2.0])
    assert dt.tolist() == pytest.approx([0.0, 1.5 * numpy.log(3.0)])
