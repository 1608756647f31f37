from __future__ import annotations

import numpy
import pytest

import siliconprof as sp
from siliconprof.workloads import workload_table

# Python prints no integer of so many digits, nor does pytest.
HUGE = pytest.param(10**5000, id="huge")


def test_ids_are_the_models_then_those_of_the_table_in_order():
    operations = [entry.id for entry in workload_table()]
    assert sp.workloads()[-len(operations) :] == operations
    assert sp.workloads()[0] == "gpt2-small"


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


@pytest.mark.parametrize("size", [-1, -3])
def test_negative_sizes_are_refused(size):
    with pytest.raises((sp.ShapeError, sp.ArgumentError), match=str(size)):
        sp.op("matvec", m=size, n=4)


@pytest.mark.parametrize("size", [2.5, "8", True, None])
def test_a_size_that_is_no_whole_number_is_refused(size):
    with pytest.raises(sp.ArgumentError, match="a whole number is needed"):
        sp.op("matvec", m=size, n=4)


@pytest.mark.parametrize("size", [2**63, 2**64, -(2**64), numpy.bool_(True), HUGE])
def test_a_size_that_the_core_cannot_hold_is_refused(size):
    with pytest.raises(sp.ArgumentError, match=r"\[size\] m = .*is needed"):
        sp.op("matvec", m=size, n=4)


@pytest.mark.parametrize("dtype", [None, numpy.float32, 3, b"float32"])
def test_a_dtype_that_is_no_text_is_refused_with_those_that_exist(dtype):
    for make in (sp.op, sp.workload):
        with pytest.raises(sp.ArgumentError, match=r"dtype = .*one of float64, float32"):
            make("triad", dtype=dtype, n=4)


@pytest.mark.parametrize("vjp", ["no", None, 2, 0.5])
def test_a_vjp_that_is_neither_true_nor_false_is_refused(vjp):
    with pytest.raises(sp.ArgumentError, match=r"vjp = .*True or False is needed"):
        sp.op("copy", n=4, vjp=vjp)


@pytest.mark.parametrize("alpha", ["x", None, 10**400, True, float("nan"), 1j])
def test_an_attribute_that_is_no_finite_number_is_refused(alpha):
    with pytest.raises(sp.ArgumentError, match=r"\[scale\] alpha = .*a finite number is needed"):
        sp.op("scale", n=4, alpha=alpha)


def test_an_attribute_that_is_true_or_false_takes_nothing_else():
    assert sp.op("matmul", m=2, k=3, n=4, transpose_b=numpy.bool_(True)).flops == 48
    with pytest.raises(sp.ArgumentError, match=r"transpose_a = 2 .*True or False"):
        sp.op("matmul", m=2, k=3, n=4, transpose_a=2)


@pytest.mark.parametrize("name", [None, 3, ["matmul"]])
def test_a_name_that_is_no_text_is_refused(name):
    for make in (sp.op, sp.workload):
        with pytest.raises(sp.ArgumentError, match="a text is needed"):
            make(name)


def test_a_numpy_integer_is_a_size():
    assert sp.op("matvec", m=numpy.int64(3), n=4).flops == 24


def test_an_overflow_of_the_size_product_is_refused():
    with pytest.raises(sp.Error, match=r"4611686018427387904|overflow"):
        sp.op("matvec", m=2**62, n=2**62)
    asked = r"\[gpt2-small\] too large with batch = 100000000000, seq = 8: \[embedding\] .*2\^63-1"
    with pytest.raises(sp.ShapeError, match=asked):
        sp.workload("gpt2-small", batch=10**11, seq=8)
    for name, many in (("layers", 10**9), ("accumulate", 2**20)):
        with pytest.raises(sp.ShapeError, match=rf"with .*{name} = \d+: .*1048576 calls"):
            sp.workload("gpt2-small", batch=1, seq=1, **{name: many})


def test_an_unknown_dtype_names_the_nearest():
    with pytest.raises(sp.Error, match="float32"):
        sp.op("matvec", m=2, n=2, dtype="flaot32")


def test_a_sum_takes_an_axis_away_and_its_gradient_repeats():
    x = numpy.arange(24, dtype=numpy.float32).reshape(2, 3, 4)
    (y,) = sp.evaluate(sp.op("sum", outer=2, size=3, inner=4), x)
    numpy.testing.assert_array_equal(y, x.sum(axis=1))
    (dx,) = sp.evaluate(sp.op("sum", outer=2, size=3, inner=4, vjp=True), x, y)
    numpy.testing.assert_array_equal(dx, numpy.broadcast_to(y[:, None, :], (2, 3, 4)))


def test_softmax_shares_add_up_to_one_along_the_axis():
    x = numpy.random.default_rng(5).normal(0, 30, (2, 300, 4)).astype(numpy.float32)
    (y,) = sp.evaluate(sp.op("softmax", outer=2, size=300, inner=4), x)
    terms = numpy.exp(x.astype(numpy.float64) - x.max(axis=1, keepdims=True))
    expected = terms / terms.sum(axis=1, keepdims=True)
    numpy.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-30)
    dy = numpy.ones_like(x)
    (dx,) = sp.evaluate(sp.op("softmax", outer=2, size=300, inner=4, vjp=True), x, dy)
    numpy.testing.assert_allclose(dx, 0, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "dims"),
    [("relu_backward", {"n": 4}), ("softmax_backward", {"outer": 2, "size": 3, "inner": 4})],
)
def test_an_op_without_a_vector_jacobian_rule_says_so(name, dims):
    with pytest.raises(sp.ArgumentError, match=rf"\[{name}\] has no vector-Jacobian rule; needed"):
        sp.op(name, **dims, vjp=True)


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


# ---- models in training -----------------------------------------------------------------

TINY = {"batch": 2, "seq": 3, "context": 5, "vocab": 7, "layers": 2, "width": 6, "heads": 2}


def test_the_ids_of_the_public_face_are_all_there():
    text = (
        "gpt2-small gpt2-medium gpt2-large gpt2-xl whisper-tiny whisper-base whisper-small "
        "whisper-medium whisper-large simclr-resnet18 resnet18 resnet50 vgg16 vgg16-bn bert-base "
        "bert-large transformer-lm transformer-lm-gpt2-large"
    )
    assert set(text.split()) <= set(sp.workloads())


def test_a_step_says_what_it_does_and_holds():
    trace = sp.workload("gpt2-small", batch=4, seq=64)
    assert trace.parameters == trace.trained_parameters == 124439808
    assert {call.phase for call in trace.calls} == {"forward", "backward", "optimizer"}
    # Weights and two moments; the gradients never live together, but all do in PyTorch's order.
    assert 12 * trace.parameters < trace.peak_memory_bytes < 15 * trace.parameters
    theirs = sp.workload("gpt2-small", batch=4, seq=64, framework="torch-cpu")
    assert theirs.peak_memory_bytes > 16 * trace.parameters
    assert len(trace.memory_timeline) == len(trace)
    assert trace.tensors[trace.results[0]].shape == (1,)


def test_a_step_gives_the_same_loss_on_every_engine():
    step = sp.workload("gpt2-small", **TINY)
    tokens = numpy.zeros((2, 3), dtype=numpy.int32)
    losses = [
        sp.evaluate(step, tokens, tokens, engine=engine)[0][0]
        for engine in ("reference", "eigen", "openblas")
    ]
    assert losses == pytest.approx([losses[0]] * 3, rel=1e-5)
    assert 0 < losses[0] < 2 * numpy.log(7)


def test_weights_can_be_given_by_name():
    step = sp.workload("gpt2-small", optimizer=None, **TINY)
    tokens = numpy.zeros((2, 3), dtype=numpy.int32)
    named = {"wte.weight": numpy.zeros((7, 6), dtype=numpy.float32)}
    loss, *gradients = sp.evaluate(step, tokens, tokens, engine="reference", named=named)
    assert loss[0] == pytest.approx(numpy.log(7), rel=1e-6)
    names = [step.tensors[id].name for id in step.results[1:]]
    assert names[0] == "wte.weight.grad" and len(gradients) == len(names) == 28
    with pytest.raises(sp.ArgumentError, match=r"'wte', which is .*mean 'wte.weight'"):
        sp.evaluate(step, tokens, tokens, engine="reference", named={"wte": tokens})


def test_a_model_in_training_can_be_measured_and_predicted():
    step = sp.workload("gpt2-small", **TINY)
    measured = sp.run(step, engine="reference", warmups=0, min_samples=1, max_samples=1)
    predicted = sp.predict(step, "m2-ultra")
    for profile in (measured, predicted):
        assert profile.forward_s > 0 and profile.backward_s > 0 and profile.optimizer_s > 0


@pytest.mark.parametrize("precision", ["fp32", "tf32", "amp-fp16", "amp-bf16", "fp64"])
def test_every_precision_makes_a_step(precision):
    assert len(sp.workload("gpt2-small", precision=precision, **TINY)) > 0


def test_lora_trains_adapters_alone():
    trace = sp.workload("gpt2-large", lora=8)
    assert trace.parameters == 774030080 + trace.trained_parameters
    assert trace.trained_parameters == 36 * 8 * (1280 + 3 * 1280)


def test_offload_moves_states_to_the_host():
    here, there = sp.workload("gpt2-small"), sp.workload("gpt2-small", offload=True)
    assert there.peak_memory_bytes < here.peak_memory_bytes / 2
    assert here.host_memory_bytes == 0 < there.host_memory_bytes
    assert "transfer" in {call.phase for call in there.calls}


@pytest.mark.parametrize("mode", ["pageable", "serial", "overlapped", "delayed"])
def test_offload_is_one_of_several_programs(mode):
    step = sp.workload("gpt2-small", offload=mode)
    assert step.host_memory_bytes > 0
    same = sp.workload("gpt2-small", offload=True)
    assert ([c.phase for c in step.calls] == [c.phase for c in same.calls]) == (
        mode == "overlapped"
    )


def test_a_delayed_update_keeps_no_gradients_of_another_scale():
    with pytest.raises(sp.ArgumentError, match="needed: a precision other than amp-fp16"):
        sp.workload("gpt2-small", offload="delayed", precision="amp-fp16")


def test_a_framework_that_materialises_attention_makes_more_calls():
    own = sp.workload("gpt2-small")
    assert len(sp.workload("gpt2-small", framework="mlx")) > len(own)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"batch": 0}, r"\[gpt2-small\] batch is 0; needed: at least 1"),
        ({"batch": 10**14}, r"batch is 1(0){14}; needed: at most \d+, the most of any size$"),
        ({"seq": 1025}, r"\[gpt2-small\] seq is 1025; needed: at most 1024 \(the context"),
        ({"lora": 1000}, r"\[lora\] rank is 1000; needed: 1 to 768, the smaller side of 'h.0"),
        ({"accumulate": 0}, r"\[gpt2-small\] accumulate = 0 .*at least 1"),
        ({"clip": -1.0}, r"\[clip\] clip is -1.*; needed: more than 0"),
        ({"learning_rate": -1.0}, r"\[gpt2-small\] learning_rate = -1.0 .*at least 0 is needed"),
        ({"dropout": 1.0}, r"\[gpt2-small\] dropout is 1.*; needed: at least 0, below 1"),
        ({"dtype": "float16"}, r"dtype = 'float16' .*a model takes `precision`"),
        ({"offload": "yes"}, r"offload = 'yes' .*True or False.*of (?!.*none).*delayed$"),
        ({"offload": "overlaped"}, r"offload = 'overlaped' .*did you mean 'overlapped'\?"),
        ({"layers": 1.5}, "a whole number is needed"),
    ],
)
def test_a_bad_configuration_names_argument_value_and_what_would_fit(given, message):
    with pytest.raises(sp.ArgumentError, match=message):
        sp.workload("gpt2-small", **given)


@pytest.mark.parametrize(
    ("given", "nearest"),
    [
        ({"precision": "amp-fp61"}, "amp-fp16"),
        ({"optimizer": "adam"}, "adamw"),
        ({"framework": "mlxx"}, "mlx"),
        ({"seqq": 3}, "seq"),
        ({"bacth": 3}, "batch"),
    ],
)
def test_a_bad_name_names_the_nearest(given, nearest):
    with pytest.raises(sp.UnknownNameError, match=f"'{nearest}'"):
        sp.workload("gpt2-small", **given)


def test_a_version_of_a_framework_must_be_one():
    present, older = (
        sp.workload("gpt2-small", framework=name) for name in ("torch-mps", "torch-mps@2.2")
    )
    assert [call.op for call in older.calls] == [call.op for call in present.calls]
    with pytest.raises(sp.UnknownNameError, match=r"did you mean 'torch-mps@2\."):
        sp.workload("gpt2-small", framework="torch-mps@2.3")


def test_a_tensor_says_what_it_is():
    step = sp.workload("gpt2-small", batch=1, seq=8, layers=1)
    found = next(info for info in step.tensors if info.name == "wte.weight")
    assert repr(found) == "<TensorInfo 'wte.weight', parameter, float32 (50257, 768)>"


def test_a_cost_and_a_point_in_memory_say_how_much():
    call = sp.op("add", n=1000)
    assert repr(call.cost) == "<Cost 1000 FLOP, 1.2e+04 bytes>"
    assert repr(call.memory_timeline[0]) == "<MemoryPoint call 0: 1.2e+04 bytes>"
