"""Guards what predictions have reached on everything recorded that ships: a change of the models
that makes any of it worse fails here. A score that got better belongs into the table."""

from __future__ import annotations

import dataclasses

import pytest

from siliconprof.validate import groups, summarise, validate

# Rows, mean and median absolute error, largest error, and the part of rows within their interval
# (None where there is none), as of 2026-11-22; of the H200's 299 steps 94, 36 and 23 ran on hosts
# that were faster than the median one, 146 on slower ones: launches decide the largest errors.
REACHED = {
    "h200 torch-cuda time": (299, 0.1074, 0.0788, 0.4059, 0.893),
    "h200 torch-cuda energy": (299, 0.1001, 0.0857, 0.4460, None),
    "h200 torch-cuda memory": (299, 0.0043, 0.0006, 0.0657, None),
    "h200 torch-cuda reserved memory": (299, 0.0401, 0.0162, 0.3132, None),
    "h200 torch-cuda time, offloaded": (63, 0.0774, 0.0604, 0.2746, 0.841),
    "h200 torch-cuda time, not offloaded": (19, 0.1048, 0.1115, 0.2573, 0.947),
    "h200 torch-cuda memory, offloaded": (35, 0.0005, 0.0003, 0.0023, None),
    "h200 torch-cuda memory, not offloaded": (10, 0.0008, 0.0004, 0.0037, None),
    "h200 torch-cuda reserved memory, offloaded": (35, 0.0685, 0.0299, 0.2838, None),
    "h200 torch-cuda reserved memory, not offloaded": (10, 0.0492, 0.0035, 0.3893, None),
    "m3-max torch-mps time": (73, 0.1215, 0.0772, 0.4422, 0.945),
    "m3-max mlx time": (57, 0.1419, 0.0823, 0.6665, 0.947),
    "m3-max mlx-compile time": (57, 0.1175, 0.0704, 0.5543, 0.965),
    "m2-ultra mlx time": (1, 0.0075, 0.0075, 0.0075, 1.0),
    "m2-ultra torch-mps time": (1, 0.0355, 0.0355, 0.0355, 1.0),
    "m2-max mlx time": (1, 0.0364, 0.0364, 0.0364, 1.0),
    "m2-max torch-mps time": (1, 0.1191, 0.1191, 0.1191, 1.0),
    "m2-pro mlx time": (1, 0.0836, 0.0836, 0.0836, 1.0),
    "m2-pro torch-mps time": (1, 0.1564, 0.1564, 0.1564, 1.0),
    "rtx-a6000 torch-cuda time": (1, 0.3689, 0.3689, 0.3689, 0.0),
    "m2-ultra torch-mps energy": (1, 0.1562, 0.1562, 0.1562, None),
    "m2-max torch-mps energy": (1, 0.0259, 0.0259, 0.0259, None),
    "rtx-a6000 torch-cuda energy": (1, 0.0022, 0.0022, 0.0022, None),
    "rtx-4090 torch-cuda energy": (1, 0.4409, 0.4409, 0.4409, None),
}
# What a score may lose: a twentieth of it, and half a per cent where it is next to nothing.
RELATIVE, ABSOLUTE = 1.05, 0.005
COVERED_LESS = 0.03


# Of the H200's steps those of each record: one could get worse behind the others.
OF_RECORDS = {
    "steps of 2026-11-21 torch-cuda time": (94, 0.0872, 0.0441, 0.4059, 0.957),
    "steps of 2026-11-21 torch-cuda energy": (94, 0.0869, 0.0698, 0.4460, None),
    "steps of 2026-11-21 torch-cuda memory": (94, 0.0018, 0.0004, 0.0219, None),
    "steps of 2026-11-21 torch-cuda reserved memory": (94, 0.0403, 0.0199, 0.3132, None),
    "steps of 2026-11-22 torch-cuda time": (54, 0.1085, 0.0732, 0.3406, 0.852),
    "steps of 2026-11-22 torch-cuda energy": (54, 0.1028, 0.0960, 0.3248, None),
    "steps of 2026-11-22 torch-cuda memory": (54, 0.0039, 0.0008, 0.0294, None),
    "steps of 2026-11-22 torch-cuda reserved memory": (54, 0.0441, 0.0267, 0.2270, None),
    "blind of 2026-11-22 torch-cuda time": (29, 0.1114, 0.1015, 0.2682, 0.931),
    "blind of 2026-11-22 torch-cuda energy": (29, 0.0970, 0.0942, 0.2868, None),
    "blind of 2026-11-22 torch-cuda memory": (29, 0.0058, 0.0009, 0.0457, None),
    "blind of 2026-11-22 torch-cuda reserved memory": (29, 0.0499, 0.0331, 0.1941, None),
    "fresh of 2026-11-22 torch-cuda time": (72, 0.1130, 0.0806, 0.3660, 0.833),
    "fresh of 2026-11-22 torch-cuda energy": (72, 0.1040, 0.0862, 0.3575, None),
    "fresh of 2026-11-22 torch-cuda memory": (72, 0.0063, 0.0007, 0.0637, None),
    "fresh of 2026-11-22 torch-cuda reserved memory": (72, 0.0381, 0.0111, 0.2547, None),
    "paced of 2026-11-22 torch-cuda time": (27, 0.1384, 0.1171, 0.3776, 0.852),
    "paced of 2026-11-22 torch-cuda energy": (27, 0.1040, 0.0741, 0.3465, None),
    "paced of 2026-11-22 torch-cuda memory": (27, 0.0048, 0.0005, 0.0359, None),
    "paced of 2026-11-22 torch-cuda reserved memory": (27, 0.0373, 0.0137, 0.2014, None),
    "mixed of 2026-11-22 torch-cuda time": (23, 0.1068, 0.0809, 0.2691, 0.957),
    "mixed of 2026-11-22 torch-cuda energy": (23, 0.1220, 0.1180, 0.2602, None),
    "mixed of 2026-11-22 torch-cuda memory": (23, 0.0069, 0.0009, 0.0657, None),
    "mixed of 2026-11-22 torch-cuda reserved memory": (23, 0.0268, 0.0075, 0.1749, None),
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
    lists = ("blind", "fresh", "paced", "mixed")
    name = next((name for name in lists if f"--list {name}" in source), "steps")
    return f"{name} of {date}"


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
