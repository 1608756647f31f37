from __future__ import annotations

import siliconprof as sp
from siliconprof.figures.prediction import draw, save_prediction


def test_time_stands_above_memory():
    trace = sp.workload("gpt2-small", framework="mlx", layers=1, batch=1, seq=8)
    predicted = sp.predict(trace, "m2-ultra")
    upper, lower = draw(predicted).axes
    assert "seconds" in upper.get_xlabel()
    assert lower.get_title(loc="left").startswith("Memory, ")


def test_it_is_a_file(tmp_path):
    save_prediction(sp.predict(sp.op("matvec", m=8, n=8), "m2-pro"), tmp_path / "p.svg")
    assert "<svg" in (tmp_path / "p.svg").read_text()
