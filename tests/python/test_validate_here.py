from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.suite import suite_row
from siliconprof.validate_here import STEPS, judge, judge_ops, totals

STEP = ("gpt2-small", {"batch": 1, "seq": 48})


@pytest.fixture(scope="module")
def made(Made):
    return Made()


def predicted(made, factor=1.0, names=("",)):
    """Measures as the known machine would, on a device whose kernels are `factor` times slower if
    their names begin with one of `names`."""
    slow = tuple(f"kernel.native.{name}" for name in names)
    numbers = {
        key: sp._core.Number(
            number.value * (factor if key.endswith("start_s") else 1.0 / factor)
            if key.startswith(slow)
            else number.value,
            number.kind,
            number.source,
            number.relative_error,
        )
        for key, number in made.device.numbers.items()
    }
    slower = sp.Device("slower", "Slower", "cpu", "cpu", numbers)
    return lambda trace, sampling: (sp.predict(trace, slower, "native"), None)


def test_the_machine_that_was_calibrated_has_no_error(made):
    (one,) = judge(made.device, [STEP], measure=predicted(made))
    assert one.score.error == pytest.approx(0.0, abs=1e-12)
    assert one.pace == pytest.approx(1.0)
    assert one.score.within_interval
    low, high = one.score.interval
    assert low < one.score.predicted < high
    assert one.score.source.startswith("measured here: ")


def test_steps_are_in_the_precision_asked_for(made):
    seen = []

    def measure(trace, sampling):
        seen.extend(call.dtype for call in trace.calls)
        return predicted(made)(trace, sampling)

    (one,) = judge(made.device, [STEP], measure=measure, precision="amp-bf16")
    assert "bfloat16" in seen
    assert one.score.what == "gpt2-small batch=1 seq=48 precision=amp-bf16"
    assert one.score.error == pytest.approx(0.0, abs=1e-12)
    assert one.pace == pytest.approx(1.0)


def test_a_machine_that_drifted_has_an_error_but_none_at_its_pace(made):
    (one,) = judge(made.device, [STEP], measure=predicted(made, 1.25))
    assert one.score.error == pytest.approx(0.8 - 1.0)
    assert one.pace == pytest.approx(1.25)
    assert one.error_at_pace == pytest.approx(0.0, abs=1e-12)


def test_memory_has_a_pace_of_its_own(made):
    """Products and attention take as long as ever; all else has become slower, or the other way."""
    arithmetic = ("product", "attention")
    rest = {key.split(".")[2] for key in made.device.numbers if key.startswith("kernel.native.")}
    rest = {name for name in rest if not name.startswith(arithmetic)}
    for names, pace, memory_pace in ((rest, 1.0, 1.6), (arithmetic, 1.6, 1.0)):
        (one,) = judge(made.device, [STEP], measure=predicted(made, 1.6, tuple(names)))
        assert one.pace == pytest.approx(pace)
        assert one.memory_pace == pytest.approx(memory_pace)
        assert one.score.error < -0.02
        assert one.error_at_pace == pytest.approx(0.0, abs=1e-9)


def test_a_moment_in_which_the_machine_is_slow_is_no_pace(made):
    factors = iter([3.0] + [1.0] * 9)  # the first reading of two ways' two

    def measure(trace, sampling):
        return predicted(made, next(factors))(trace, sampling)

    (one,) = judge(made.device, [STEP], measure=measure)
    assert one.pace == pytest.approx(1.0)
    assert one.error_at_pace == pytest.approx(0.0, abs=1e-12)


def test_what_cannot_be_predicted_is_not_measured_first(made):
    def measure(trace, sampling):
        raise AssertionError("measured")

    numbers = {key: number for key, number in made.device.numbers.items() if "bfloat16" not in key}
    without = sp.Device("without", "Without", "cpu", "cpu", numbers)
    with pytest.raises(sp.Error, match="no peak rate for bfloat16"):
        next(judge(without, [STEP], measure=measure, precision="amp-bf16"))


def test_steps_are_measured_at_two_times(made):
    """The second way through all steps on a machine that has become slower meanwhile."""
    paces = iter([1.0] * 10 + [2.0] * 10)  # each step between two readings of two paces

    def measure(trace, sampling):
        return predicted(made, next(paces))(trace, sampling)

    judged = list(judge(made.device, [STEP, STEP], measure=measure))
    assert [one.score.error for one in judged] == pytest.approx([1.0 / 1.5 - 1.0] * 2)
    assert [one.pace for one in judged] == pytest.approx([1.5, 1.5])
    assert [part.error for part in judged[0].parts] == pytest.approx([0.0] * len(judged[0].parts))
    assert judged[0].score.source == "measured here: median of 2 samples at 2 times"


def test_parts_add_up_to_the_step(made):
    judged = list(judge(made.device, [STEP, STEP], measure=predicted(made, 2.0)))
    parts = judged[0].parts
    assert sum(part.measured for part in parts) == pytest.approx(judged[0].score.recorded)
    assert [part.error for part in parts] == pytest.approx([-0.5] * len(parts))
    assert {"product_forward", "product_weight_gradient"} <= {part.op_class for part in parts}
    assert totals(judged)[0].measured == pytest.approx(2 * max(part.measured for part in parts))


def test_the_steps_are_those_of_the_aim():
    names = [name for name, _ in STEPS]
    assert names.count("gpt2-small") == 6
    assert {"whisper-tiny", "simclr-resnet18", "bert-base"} <= set(names)


def test_rows_of_the_suite_are_predicted_and_measured(made):
    rows = [suite_row("Sort dim=64x128x1024 axi=2"), suite_row("ReLU dim=128x16x1024")]
    scores, left_out = judge_ops(made.device, rows, predicted(made, 2.0))
    assert [score.what for score in scores] == [row.label for row in rows]
    assert [score.error for score in scores] == pytest.approx([-0.5, -0.5])
    assert [score.subject for score in scores] == ["Sort", "ReLU"]
    assert [score.op_class for score in scores] == ["sort", "elementwise"]
    assert scores[0].within_interval is False
    assert left_out == []


def test_rows_have_the_intervals_of_calls_alone(made):
    """What other shapes than a calibration's are off by; short calls are further off."""
    parts = {k: n.value for k, n in sp.framework("native").numbers.items() if k[:4] == "call"}

    def part(row):
        scores, _ = judge_ops(made.device, [suite_row(row)], predicted(made, 1.0))
        (low, high), time_s = scores[0].interval, scores[0].predicted
        assert low * high == pytest.approx(time_s**2)
        return time_s, high / time_s - 1.0

    short = parts["call.cpu.short_s"]
    long_s, of_long = part("ReLU dim=64x128x1024")
    assert long_s > short
    assert of_long == pytest.approx(parts["call.cpu.elementwise.calibrated_error_part"])
    short_s, of_short = part("ReLU dim=64x16")
    assert short_s < short
    assert of_short == pytest.approx(parts["call.cpu.elementwise.calibrated_short_error_part"])


def test_rows_that_this_machine_has_no_memory_for_are_told(made):
    def refuse(trace, sampling):
        raise sp.Error("[run] takes 9 bytes; 8 are there")

    scores, left_out = judge_ops(made.device, [suite_row("ReLU dim=128x16x1024")], refuse)
    assert not scores
    assert left_out == ["ReLU dim=128x16x1024: [run] takes 9 bytes; 8 are there"]
