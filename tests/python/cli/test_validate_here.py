from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof import validate_here
from siliconprof.calibrate import Calibration
from siliconprof.cli import application
from siliconprof.cli import validate_here as command
from siliconprof.suite import suite_row


@pytest.fixture
def known(monkeypatch, Made, tmp_path):
    """One small step, measured as a machine that never was takes it; its device file."""
    machine = Made()
    place = tmp_path / "made.toml"
    machine.device.save(place)
    monkeypatch.setattr(
        validate_here,
        "at_rest",
        lambda trace, sampling: (sp.predict(trace, machine.device, "native"), None),
    )
    monkeypatch.setattr(validate_here, "STEPS", (("gpt2-small", {"batch": 1, "seq": 48}),))
    return place


def test_the_document_has_steps_parts_and_their_errors(document, known):
    content = document("validate", "--here", "--device", known)
    assert content["mape"] == pytest.approx(0.0, abs=1e-9)
    assert content["rows"][0]["what"] == "gpt2-small batch=1 seq=48"
    assert content["rows"][0]["pace"] == pytest.approx(1.0)
    assert content["rows"][0]["memory_pace"] == pytest.approx(1.0)
    assert {"phase", "op_class", "measured", "predicted", "error"} <= set(content["parts"][0])


def test_the_steps_have_the_precision_asked_for(document, known):
    content = document("validate", "--here", "--device", known, "--precision", "amp-fp16")
    assert content["rows"][0]["what"] == "gpt2-small batch=1 seq=48 precision=amp-fp16"
    assert content["mape"] == pytest.approx(0.0, abs=1e-9)


def test_the_machine_is_calibrated_for_the_precision_and_no_other(document, known, monkeypatch):
    asked = []

    def calibration(backend, budget_s, precisions):
        asked.append((backend, budget_s, precisions))
        return Calibration(sp.device(known), 1.0, 1)

    monkeypatch.setattr(command, "calibration", calibration)
    document("validate", "--here", "--precision", "amp-bf16")
    document("validate", "--here", "--budget", "7")
    assert asked == [("cpu", None, ["amp-bf16"]), ("cpu", 7.0, ["fp32"])]


def test_the_table_sums_up(call, known):
    status, out = call("validate", "--here", "--device", known, "--limit", "0.01")
    assert status == 0
    assert "1 steps: error mean 0.0%" in out
    assert "product_forward" in out


def test_ops_are_rows_of_the_suite(document, call, known, monkeypatch):
    rows = [suite_row("ReLU dim=128x16x1024"), suite_row("Sum dim=64x128x128x128 axi=0")]
    monkeypatch.setattr(validate_here, "suite", lambda: tuple(rows))
    content = document("validate", "--here", "--ops", "--device", known)
    assert content["mape"] == pytest.approx(0.0, abs=1e-9)
    assert [row["what"] for row in content["rows"]] == [row.label for row in rows]
    assert content["left_out"] == content["notes"] == []
    status, out = call("validate", "--here", "--ops", "--device", known)
    assert status == 0
    assert "Error by workload" in out and "ReLU native time" in out
    assert " measured " in out and "recorded" not in out


def test_where_no_row_can_be_measured_the_reason_is_told(capsys, known, monkeypatch):
    def refuse(trace, sampling):
        raise sp.Error("[run] takes 9 bytes; 8 are there")

    monkeypatch.setattr(validate_here, "at_rest", refuse)
    monkeypatch.setattr(validate_here, "suite", lambda: (suite_row("ReLU dim=128x16x1024"),))
    with pytest.raises(SystemExit) as ended:
        application()(
            ["validate", "--here", "--ops", "--device", str(known)], prog_name="siliconprof"
        )
    told = capsys.readouterr().err
    assert ended.value.code != 0 and "no row of the op suite could be measured" in told
    assert "takes 9 bytes; 8 are there" in told
