from __future__ import annotations

import pytest

from siliconprof.experiments.native_speed import native_samples
from siliconprof.experiments.quartiles import Quartiles

LINES = """echo '{"median": 120.0, "q1": 110.0, "q3": 130.0}'
echo '{"median": 0.99, "q1": 0.98, "q3": 1.0}'
echo '{"median": 1.5, "q1": 1.25, "q3": 2.0}'
echo '{"median": 4.0, "q1": 3.0, "q3": 5.0}'
"""


def program(folder, text):
    path = folder / "bench"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def test_the_programs_lines_become_seconds_and_a_ratio(tmp_path):
    found = native_samples(program(tmp_path, LINES), 3)
    speed, product = found["predict-native"], found["cblas"]
    assert (speed.low, speed.middle, speed.high) == pytest.approx((1.1e-7, 1.2e-7, 1.3e-7))
    assert product == Quartiles(0.98, 0.99, 1.0, "the samples of bench")
    assert found["build-small"].middle == pytest.approx(1.5e-3)
    assert found["build-xl"].high == pytest.approx(5e-3)


def test_without_the_program_it_is_said_what_builds_it(tmp_path):
    found = native_samples(tmp_path / "none", 3)
    assert set(found) == {"predict-native", "cblas", "build-small", "build-xl"}
    assert all("`make bench` builds" in reason for reason in found.values())


def test_no_rounds_run_nothing(tmp_path):
    found = native_samples(program(tmp_path, "touch ran"), 0)
    assert all("left out of a quick run" in reason for reason in found.values())
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("text", ["exit 3", "echo nonsense", "echo '{}'; echo '{}'", "true"])
def test_a_program_that_fails_is_a_reason(tmp_path, text):
    found = native_samples(program(tmp_path, text), 3)
    assert all("bench failed" in reason for reason in found.values())
