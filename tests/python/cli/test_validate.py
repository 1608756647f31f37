from __future__ import annotations

import pytest

from siliconprof.cli import application, validate_here


def test_the_document_has_rows_and_their_errors(document):
    content = document("validate", "--device", "h200", "--records", "h200_steps")
    row = content["rows"][0]
    assert {"what", "device", "recorded", "predicted", "error", "within_interval"} <= set(row)
    assert 0 < content["median"] <= content["p90"] <= content["max"]
    assert content["groups"]["h200 torch-cuda time"]["mape"] == content["mape"]
    assert content["by_op_class"]["whole step torch-cuda time"]["mape"] == content["mape"]
    assert "gpt2-small torch-cuda energy" in content["by_workload"]


def test_a_mean_above_the_limit_ends_with_one(call):
    assert call("validate", "--device", "h200", "--limit", "0.0")[0] == 1
    status, out = call("validate", "--device", "h200", "--limit", "1.0")
    assert status == 0
    assert "h200 torch-cuda time" in out


def test_an_unknown_table_is_wrong_use(call):
    assert call("validate", "--records", "nowhere")[0] == 2


def test_a_limit_needs_times_to_judge(call, tmp_path, root):
    header = (root / "python/siliconprof/data/records/h200_blind.toml").read_text()
    (tmp_path / "own.toml").write_text(header)
    table = (root / "python/siliconprof/data/records/h200_blind.csv").read_text().splitlines()
    memory = [line for line in table[1:] if ",bytes," in line][:2]
    (tmp_path / "own.csv").write_text("\n".join([table[0], *memory]) + "\n")
    assert memory and call("validate", "--records", tmp_path / "own.csv")[0] == 0
    for more in ((), ("--json",)):
        asked = ("validate", "--records", tmp_path / "own.csv", "--limit", "0.9", *more)
        assert call(*asked)[0] == 2


def test_a_limit_below_zero_or_no_number_is_wrong_use(call):
    assert call("validate", "--device", "h200", "--limit", "-1")[0] == 2
    assert call("validate", "--device", "h200", "--limit", "nan")[0] == 2


def test_leaving_an_operation_out_scores_it_by_the_others(document, call):
    content = document("validate", "--leave-out", "op")
    assert content["by_workload"]["gelu_tanh torch-cuda kernel time"]["rows"] == 44
    assert call("validate", "--leave-out", "op", "--device", "h200")[0] == 2
    assert call("validate", "--leave-out", "nothing")[0] == 2


def test_what_is_measured_here_takes_no_records_and_leaves_nothing_out(call):
    assert call("validate", "--here", "--leave-out", "op")[0] == 2
    assert call("validate", "--here", "--records", "h200_steps")[0] == 2


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (("--device", "m2", "--budget", "5"), "budget = 5.0 (float): no --device is needed"),
        (("--samples", "0"), "samples = 0 (int): at least 1"),
        (("--ops", "--samples", "2"), "samples = 2 (int): with --ops rows are repeated"),
        (("--ops", "--precision", "fp64"), "precision = 'fp64' (str): the op suite's rows"),
        (("--precision", "amp-bf61"), "did you mean 'amp-bf16'"),
    ],
)
def test_what_is_of_no_use_here_is_told_before_the_work(capsys, monkeypatch, wrong, told):
    def never(*_):
        raise AssertionError("measured")

    monkeypatch.setattr(validate_here, "calibration", never)
    monkeypatch.setattr(validate_here, "judge", never)
    monkeypatch.setattr(validate_here, "judge_ops", never)
    with pytest.raises(SystemExit) as ended:
        application()(["validate", "--here", *wrong], prog_name="siliconprof")
    assert ended.value.code == 2 and told in capsys.readouterr().err


NEEDING_HERE = [("--samples", "5"), ("--budget", "5"), ("--ops",), ("--precision", "fp32")]


@pytest.mark.parametrize("given", NEEDING_HERE)
def test_what_is_of_measuring_needs_here(call, given):
    assert call("validate", *given)[0] == 2


def test_a_limit_is_shown_beside_the_mean_that_it_judges(call):
    _, out = call("validate", "--records", "table4", "--limit", "0.9")
    assert "mean absolute error of times: " in out and "limit 90.0%" in out


def test_rows_that_are_left_out_are_printed_by_their_reasons(call, tmp_path):
    (tmp_path / "own.toml").write_text(
        'title = "T"\nread = "r"\nuncertainty = "u"\nstatistic = "mean"\nnotes = []\n'
        '[source]\ntitle = "S"\nurl = "https://example.org"\ndate = "2026"\n'
        '[units]\ns = "seconds"\nJ = "joules"\n'
    )
    rows = ["triad n=1000 time,h200,torch-cuda,,0.1,s,"]
    rows += ["triad n=1000 time,h200,torch-cuda,,0.1,J,"] * 21
    rows += ["triad n=1000 time,h20,torch-cuda,,0.1,s,"]
    header = "what,device,framework,dtype,value,unit,note"
    (tmp_path / "own.csv").write_text("\n".join([header, *rows]) + "\n")
    status, out = call("validate", "--records", str(tmp_path / "own.csv"))
    assert status == 0
    assert "22 rows left out; --json has each" in out
    assert "own.csv line 3: triad n=1000 time on h200 under torch-cuda: time is in s, not J" in out
    assert "(21 rows, this the first)" in out and "own.csv line 4" not in out
    assert "own.csv line 24" in out and "did you mean 'h200'" in out and "there are" not in out
    (tmp_path / "own.csv").write_text("\n".join([header, *rows[:2]]) + "\n")
    _, out = call("validate", "--records", str(tmp_path / "own.csv"))
    assert "1 row left out\n" in out


def test_a_small_error_has_a_digit_and_none_is_minus_zero(call):
    _, out = call("validate", "--device", "h200", "--records", "h200_steps")
    cells = [line.split()[-1] for line in out.splitlines() if line.startswith("gpt2-small batch")]
    assert cells and not {"-0%", "+0%", "-0.0%"} & set(cells)
