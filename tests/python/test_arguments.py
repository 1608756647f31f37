from __future__ import annotations

import enum
import math
from pathlib import Path

import numpy
import pytest

import siliconprof as sp
from siliconprof import arguments

# Python prints no integer of so many digits, nor does pytest.
HUGE = pytest.param(10**5000, id="huge")


def nested() -> list:
    value: list = []
    for _ in range(100_000):
        value = [value]
    return value


def test_the_message_names_place_argument_value_type_and_need():
    error = arguments.refused("run", "threads", "two", "a whole number is needed")
    assert str(error) == "[run] threads = 'two' (str): a whole number is needed"
    assert isinstance(error, sp.Error) and isinstance(error, ValueError)


@pytest.mark.parametrize(
    "value",
    [HUGE, pytest.param("x" * 10**6, id="long"), pytest.param(nested(), id="deep")],
)
def test_no_value_breaks_a_message_or_fills_a_screen(value):
    assert len(arguments.shown(value)) <= 60


def test_whole_numbers_pass_and_their_limits_hold():
    for value in (2, numpy.int32(2), numpy.uint64(2)):
        assert arguments.whole("x", "n", value, 1, 3) == 2
    with pytest.raises(sp.ArgumentError, match=r"n = 0 .*at least 1 is needed"):
        arguments.whole("x", "n", 0, 1, 3)
    with pytest.raises(sp.ArgumentError, match=r"n = 4 .*at most 3 is needed"):
        arguments.whole("x", "n", 4, 1, 3)


@pytest.mark.parametrize("value", [True, numpy.bool_(True), 2.0, math.nan, "2", None, [2]])
def test_what_is_no_whole_number_is_refused(value):
    with pytest.raises(sp.ArgumentError, match="a whole number is needed"):
        arguments.whole("x", "n", value, 0, 10)


def test_threads_are_some_or_all_and_as_many_as_the_core_takes():
    assert arguments.threads("x", None) is None
    assert arguments.threads("x", numpy.int64(2)) == 2
    assert arguments.threads("x", arguments.LARGEST_THREADS) == 4096
    for value in (0, 4097, "2", True):
        with pytest.raises(
            sp.ArgumentError, match=r"threads = .*from 1 to 4096 is needed; without"
        ):
            arguments.threads("x", value)
    with pytest.raises(sp.ArgumentError, match=f"1 to {arguments.LARGEST_THREADS}"):
        sp._core.evaluate(sp.op("relu", n=1), [numpy.zeros(1, "f4")], "eigen", 4097)


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, numpy.int64(2**53 + 1)])
def test_whole_numbers_that_float64_lacks_are_refused_where_each_counts(value):
    assert arguments.exact("dropout", "seed", 2**53) == 2.0**53
    assert arguments.exact("dropout", "seed", 0.1) == 0.1
    with pytest.raises(sp.ArgumentError, match=r"\[dropout\] seed = .*that float64 holds"):
        arguments.exact("dropout", "seed", value)
    with pytest.raises(sp.ArgumentError, match="that float64 holds"):
        sp.op("dropout", n=8, seed=value)


def test_finite_numbers_pass():
    assert arguments.real("x", "alpha", numpy.float32(0.5)) == 0.5
    assert arguments.real("x", "alpha", -3) == -3.0
    assert arguments.real("x", "alpha", 0, 0.0) == 0.0
    with pytest.raises(sp.ArgumentError, match=r"alpha = -3 \(int\): at least 0 is needed"):
        arguments.real("x", "alpha", -3, 0.0)


@pytest.mark.parametrize("value", [True, numpy.bool_(0), "2", b"2", None, math.inf, math.nan, HUGE])
def test_what_is_no_finite_number_is_refused(value):
    with pytest.raises(sp.ArgumentError, match="a finite number is needed"):
        arguments.real("x", "alpha", value)


def test_truth_values_pass():
    for value in (True, numpy.bool_(True), 1, 1.0):
        assert arguments.truth("x", "vjp", value) is True
    assert arguments.truth("x", "vjp", 0) is False


@pytest.mark.parametrize("value", [None, "no", 2, math.nan, []])
def test_what_is_neither_true_nor_false_is_refused(value):
    with pytest.raises(sp.ArgumentError, match="True or False is needed"):
        arguments.truth("x", "vjp", value)


def test_texts_pass_and_others_are_refused():
    assert arguments.text("x", "engine", "ä") == "ä"
    for value in (None, b"eigen", 3):
        with pytest.raises(sp.ArgumentError, match="a name is needed"):
            arguments.text("x", "engine", value, "a name is needed")
    with pytest.raises(sp.ArgumentError, match="lone surrogates"):
        arguments.text("x", "engine", "\ud800")


class Chosen(str, enum.Enum):  # noqa: UP042 - what is tested
    """As a program's own list of names often is; not StrEnum, which prints as its value."""

    DEVICE = "h200"
    FRAMEWORK = "torch-cuda"
    FILE = "a/b.json"


def test_a_text_of_a_class_of_its_own_is_taken_for_its_characters():
    assert type(arguments.text("x", "device", Chosen.DEVICE)) is str
    assert arguments.path("save", "path", Chosen.FILE) == Path("a/b.json")
    assert sp.device(Chosen.DEVICE).id == "h200"
    step = sp.predict(sp.op("copy", n=8), Chosen.DEVICE, Chosen.FRAMEWORK)
    assert (step.device, step.framework) == ("h200", "torch-cuda")


def test_an_instance_passes_and_others_are_refused():
    trace = sp.op("copy", n=2)
    assert arguments.instance("run", "trace", trace, sp.Trace) is trace
    with pytest.raises(sp.ArgumentError, match=r"trace = None .*a siliconprof.Trace is needed"):
        arguments.instance("run", "trace", None, sp.Trace)


def test_paths_pass():
    assert arguments.path("save", "path", "a/b.json") == Path("a/b.json")
    assert arguments.path("save", "path", Path("a")) == Path("a")


class BytesPath:
    def __fspath__(self):
        return b"a"


@pytest.mark.parametrize("value", [None, 3, b"a", "", "a\0b", "\ud800", BytesPath(), ["a"]])
def test_what_is_no_path_is_refused(value):
    with pytest.raises(sp.ArgumentError, match=r"\[save\] path = .*a path"):
        arguments.path("save", "path", value)


@pytest.mark.parametrize("flag", [True, False, 1, 0])
def test_what_is_true_or_false_may_say_so(flag):
    heads = {"batch": 1, "heads": 1, "queries": 8, "keys": 8, "head_dim": 4}
    assert len(sp.op("attention", causal=flag, **heads)) == 1
    assert len(sp.op("sort", outer=1, size=4, inner=1, descending=flag)) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"id": "attention", "causal": 0.5}, r"\[attention\] causal = 0.5 .*: True or False"),
        ({"id": "layer_norm", "epsilon": -1.0}, r"\[layer_norm\] epsilon = -1.*: at least 0"),
        ({"id": "clip", "max_norm": -1.0}, r"\[clip\] max_norm = -1.*: at least 0"),
        ({"id": "rotary", "base": 0.0}, r"\[rotary\] base = 0.*: at least 1"),
    ],
)
def test_an_attribute_that_no_op_has_is_refused(given, message):
    given = dict(given)
    with pytest.raises(sp.ArgumentError, match=message):
        sp.op(given.pop("id"), **given)
