"""Guards what predictions have reached on everything recorded that ships: a change of the models
that makes any of it worse fails here. A score that got better belongs into the table."""

from __future__ import annotations

import dataclasses

import pytest

from siliconprof.validate import groups, summarise, validate

# Rows, mean and median absolute error, largest error, and the part of rows within their interval
# (None where there is none), as of 2026-11-22; of the H200's 177 steps 83 are on hosts that
# were slow while they were measured.
REACHED = {
    "h200 torch-cuda time": (177, 0.1065, 0.0789, 0.3742, 0.859),
    "h200 torch-cuda energy": (177, 0.0841, 0.0694, 0.4348, None),
    "h200 torch-cuda memory": (177, 0.0031, 0.0005, 0.0457, None),
    "h200 torch-cuda reserved memory": (177, 0.0431, 0.0287, 0.3132, None),
    "h200 torch-cuda time, offloaded": (63, 0.0839, 0.0682, 0.2893, 0.793),
    "h200 torch-cuda time, not offloaded": (19, 0.1130, 0.1389, 0.2387, 0.842),
    "h200 torch-cuda memory, offloaded": (35, 0.0005, 0.0003, 0.0023, None),
    "h200 torch-cuda memory, not offloaded": (10, 0.0008, 0.0004, 0.0037, None),
    "h200 torch-cuda reserved memory, offloaded": (35, 0.0685, 0.0299, 0.2838, None),
    "h200 torch-cuda reserved memory, not offloaded": (10, 0.0492, 0.0035, 0.3893, None),
    "m3-max torch-mps time": (73, 0.1534, 0.0959, 0.7108, 0.959),
    "m3-max mlx time": (57, 0.1594, 0.0979, 0.7091, 0.930),
    "m3-max mlx-compile time": (57, 0.1408, 0.0946, 0.5557, 0.947),
    "m2-ultra mlx time": (1, 0.0693, 0.0693, 0.0693, 1.0),
    "m2-ultra torch-mps time": (1, 0.0673, 0.0673, 0.0673, 1.0),
    "m2-max mlx time": (1, 0.0955, 0.0955, 0.0955, 1.0),
    "m2-max torch-mps time": (1, 0.1483, 0.1483, 0.1483, 1.0),
    "m2-pro mlx time": (1, 0.1047, 0.1047, 0.1047, 1.0),
    "m2-pro torch-mps time": (1, 0.1671, 0.1671, 0.1671, 1.0),
    "rtx-a6000 torch-cuda time": (1, 0.3690, 0.3690, 0.3690, 0.0),
    "m2-ultra torch-mps energy": (1, 0.1086, 0.1086, 0.1086, None),
    "m2-max torch-mps energy": (1, 0.0163, 0.0163, 0.0163, None),
    "rtx-a6000 torch-cuda energy": (1, 0.0020, 0.0020, 0.0020, None),
    "rtx-4090 torch-cuda energy": (1, 0.4390, 0.4390, 0.4390, None),
}
# What a score may lose: a twentieth of it, and half a per cent where it is next to nothing.
RELATIVE, ABSOLUTE = 1.05, 0.005
COVERED_LESS = 0.03


# Of the H200's steps those of each record: one could get worse behind the others.
OF_RECORDS = {
    "steps of 2026-11-21 torch-cuda time": (94, 0.0785, 0.0465, 0.3148, 0.989),
    "steps of 2026-11-21 torch-cuda energy": (94, 0.0750, 0.0556, 0.4348, None),
    "steps of 2026-11-21 torch-cuda memory": (94, 0.0018, 0.0004, 0.0219, None),
    "steps of 2026-11-21 torch-cuda reserved memory": (94, 0.0403, 0.0199, 0.3132, None),
    "steps of 2026-11-22 torch-cuda time": (54, 0.1320, 0.1043, 0.3742, 0.722),
    "steps of 2026-11-22 torch-cuda energy": (54, 0.0969, 0.0834, 0.2490, None),
    "steps of 2026-11-22 torch-cuda memory": (54, 0.0039, 0.0008, 0.0294, None),
    "steps of 2026-11-22 torch-cuda reserved memory": (54, 0.0442, 0.0275, 0.2270, None),
    "blind of 2026-11-22 torch-cuda time": (29, 0.1499, 0.1471, 0.3110, 0.69),
    "blind of 2026-11-22 torch-cuda energy": (29, 0.0895, 0.1068, 0.2574, None),
    "blind of 2026-11-22 torch-cuda memory": (29, 0.0058, 0.0009, 0.0457, None),
    "blind of 2026-11-22 torch-cuda reserved memory": (29, 0.0499, 0.0331, 0.1941, None),
}
STEPS = "tools/measure_torch_steps.py"


@pytest.fixture(scope="module")
def found():
    scores, _ = validate()
    steps = [s for s in scores if STEPS in s.source]
    by_record = groups([dataclasses.replace(s, device=record_of(s.source)) for s in steps])
    return {key: summarise(some) for key, some in (*groups(scores), *by_record)}


def record_of(source: str) -> str:
    date = source[source.index("(") + 1 : source.index(")")]
    return f"{'blind' if '--blind' in source else 'steps'} of {date}"


def limit(reached: float) -> float:
    return max(RELATIVE * reached, reached + ABSOLUTE)


@pytest.mark.parametrize("key", [*REACHED, *OF_RECORDS])
def test_no_score_is_worse_than_it_was(found, key):
    rows, mean, median, largest, covered = (REACHED | OF_RECORDS)[key]
    score = found[key]
    assert score.rows >= rows, "rows that were predicted are left out now"
    assert score.mape <= limit(mean)
    assert score.median <= limit(median)
    assert score.max <= limit(largest)
    if covered is not None:
        assert score.covered >= covered - COVERED_LESS


def test_every_group_of_scores_is_guarded():
    scores, _ = validate()
    assert {key for key, _ in groups(scores)} == set(REACHED)
