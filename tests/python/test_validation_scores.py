"""Guards what predictions have reached on everything recorded that ships: a change of the models
that makes any of it worse fails here. A score that got better belongs into the table."""

from __future__ import annotations

import dataclasses
import re

import pytest

import siliconprof as sp
from siliconprof import records
from siliconprof.recorded_work import asked
from siliconprof.validate import groups, summarise, validate

# Rows, mean and median absolute error, largest error, and the part of rows within their interval
# (None where there is none), as of 2026-11-23; of the H200's 378 steps 94, 36 and 23 ran on hosts
# that were faster than the median one, 225 on slower ones: launches decide the largest errors.
# MLX's convolutions by the way that they take made the errors of unseen devices, and with them its
# intervals, a fifth smaller: on the M3 Max they hold 51 of 57 rows where they held 54, of which
# they promise nine tenths. The host's part of a step's interval is of chains together, not one by
# one: it was 0.36 and is 0.29; 87 % of the H200's steps lie within where 94 % did, most that don't
# beside the slowest host (h200_unseen). LLaMA's steps are as long now as its norms' kernels make
# them, which draw less than others of their bytes: the median of energies in h100_families was
# 0.108. Pools, biases and norms that cores hold up, as on an H200, took h200_related from 0.091 to
# 0.067 and h100_families from 0.065 to 0.074, whose VGGs had been right by two errors; energies
# there follow. Kernels whose cores and memory are told apart by two boards, the same on every
# NVIDIA board, took energies of an H100 from 0.093 to 0.078 and its single calls from 0.125 to
# 0.104; its steps' times went from 0.060 to 0.062. On boards with no numbers of their own AdamW,
# norms and losses had been two to four times too quick: the RTX A6000's step is nearer, 0.33 where
# it was 0.37, and the energies of the paper's Table 5, one of which had been right by that, are
# further off (A6000 0.002, 4090 0.44 before). Predicted before they were measured, 18 and 19 more
# (h200_parted, h100_parted) are among them. What autograd keeps of attention, norms, gates and
# pools took peak memory in h100_families from 0.0147 to 0.0011 and in h200_related from 0.0226 to
# 0.0026; of reserved memory one step's is further off, the largest of 18 from 0.150 to 0.170, their
# mean from 0.057 to 0.041. On an M2 Max the step of Table 5 fits, as the paper says, and its energy
# is off by 0.03, not 0.10. Then 17 more were predicted before they were measured (h100_kept); that
# LLaMA's keys aren't repeated and its heads not copied in 16 bits, seen there, took the largest of
# their memory from 0.040 to 0.014; its times, mostly too short, are 2 % shorter without the copies
# (h200_related: 0.058 in the median). What streams draws by its cores and by a byte, told apart by
# an H100's watts beside an H200's, took an H100's energies from 0.0820 to 0.0600 and of replays
# from 0.151 to 0.067; one record's, of 18, from 0.052 to 0.062. Twenty more were predicted before
# they were measured, once energy and peak memory had intervals (h100_ranged); they stand here at
# the pace of their host, 0.74. Of steps that convolve, intervals of memory are no narrower than
# what cuDNN's choices come to: within them lie 96 % of an H200's peaks where 90 % did, of those
# under 0.5 GB 86 % where 14 % did, and of an H100's 92 % where 90 % did. That LLaMA widens its
# logits itself took three peaks from 0.014 and 0.010 to 0.0000, the largest of an H100's to 0.0072,
# and 94 % within. Then 35 steps with options came to an H100's (h100_options). That logits of 16
# bits stay until the loss is there took an H100's largest error of memory from 0.028 to 0.0085,
# reserved memory from 0.034 to 0.029 and an H200's from 0.030 to 0.026; of one record, of 26, one
# more peak is beside its interval, by 0.02 %. Hosts that nobody measured are the median machine's
# since: 14 of 18 records that none of the costs know came out nearer at it than at pace 1, those of
# the first days, with 150 steps, further off (the largest 0.43 to 0.57). Steps that chance chose,
# predicted so before they were measured, were off by 0.124 where pace 1 had 0.148 (h100_drawn; here
# at their hosts' paces). The CPU's two columns of the M3 Max came last (m3-max-cpu). Under PyTorch
# they miss: its build is stated nowhere, and its products were five times as slow as those of the
# version of its month that a table names, its functions nearly twice as quick. Then 14 compiled
# steps, predicted by chains of modules alone, and 19 of the same that aren't compiled
# (h100_compiled, h100_uncompiled). Their two slow hosts made the median machine's pace 0.89: the
# first days' largest error is 0.60 by that. What attention's gradients of 16 bits move beside their
# walks halved their own error and took an H100's time from 0.0696 to 0.069, compiled from 0.0899 to
# 0.0869; energies, whose constants stood, went from 0.0839 to 0.0847 and from 0.0591 to 0.0597,
# three records' more.
REPLAYED = "compiled, passes replayed as graphs"  # 16 steps more, predicted before
REACHED = {
    "h200 torch-cuda time": (396, 0.0965, 0.0513, 0.6045, 0.873),
    "h200 torch-cuda energy": (396, 0.0847, 0.0742, 0.3368, 0.871),
    "h200 torch-cuda memory": (396, 0.0015, 0.0005, 0.0499, 0.962),
    "h200 torch-cuda reserved memory": (396, 0.0256, 0.0112, 0.3026, None),
    "h200 torch-cuda time, replayed as a graph": (29, 0.0323, 0.0228, 0.1771, 0.931),
    "h200 torch-cuda energy, replayed as a graph": (29, 0.0615, 0.0554, 0.2446, 0.931),
    "h100 torch-cuda time, replayed as a graph": (29, 0.0387, 0.0289, 0.1667, 0.931),
    "h100 torch-cuda energy, replayed as a graph": (29, 0.0672, 0.0595, 0.235, 0.931),
    "h200 torch-cuda time, offloaded": (63, 0.0703, 0.0581, 0.2385, 0.841),
    "h200 torch-cuda time, not offloaded": (19, 0.1239, 0.0774, 0.4045, 0.894),
    "h200 torch-cuda memory, offloaded": (35, 0.0005, 0.0003, 0.0023, 1.0),
    "h200 torch-cuda memory, not offloaded": (10, 0.0008, 0.0004, 0.0037, 0.9),
    "h200 torch-cuda reserved memory, offloaded": (35, 0.0640, 0.0270, 0.2838, None),
    "h200 torch-cuda reserved memory, not offloaded": (10, 0.0498, 0.0046, 0.3893, None),
    "h100 torch-cuda time": (240, 0.069, 0.0533, 0.2557, 0.92),
    "h100 torch-cuda energy": (240, 0.0597, 0.0529, 0.2929, 0.95),
    "h100 torch-cuda memory": (240, 0.0011, 0.0006, 0.0085, 0.95),
    "h100 torch-cuda reserved memory": (240, 0.0284, 0.0142, 0.2402, None),
    "h100 torch-cuda time, compiled": (14, 0.0869, 0.0721, 0.2063, 0.928),
    "h100 torch-cuda energy, compiled": (14, 0.0613, 0.046, 0.177, 0.857),
    "h100 torch-cuda memory, compiled": (14, 0.0422, 0.0282, 0.1714, 0.928),
    "h100 torch-cuda reserved memory, compiled": (14, 0.0851, 0.0543, 0.2304, None),
    f"h100 torch-cuda time, {REPLAYED}": (16, 0.0567, 0.0395, 0.1467, 0.875),
    f"h100 torch-cuda energy, {REPLAYED}": (16, 0.0864, 0.0614, 0.2411, 0.75),
    f"h100 torch-cuda reserved memory, {REPLAYED}": (16, 0.1408, 0.142, 0.27, None),
    "epyc-zen5-2 native time": (9, 0.0425, 0.0326, 0.0845, 1.0),
    "xeon-amx-16 native time": (9, 0.0212, 0.0188, 0.0501, 1.0),
    "m3-max torch-mps time": (73, 0.1119, 0.0681, 0.4538, 0.945),
    "m3-max mlx time": (57, 0.1326, 0.0779, 0.5997, 0.895),
    "m3-max mlx-compile time": (57, 0.1029, 0.0663, 0.5543, 0.965),
    "m3-max-cpu mlx-cpu time": (57, 0.2759, 0.1470, 3.3011, 0.824),
    "m3-max-cpu torch-cpu time": (77, 0.5952, 0.5458, 4.1571, 0.597),
    "m2-ultra mlx time": (1, 0.0018, 0.0018, 0.0018, 1.0),
    "m2-ultra torch-mps time": (1, 0.0355, 0.0355, 0.0355, 1.0),
    "m2-max mlx time": (1, 0.0278, 0.0278, 0.0278, 1.0),
    "m2-max torch-mps time": (1, 0.1191, 0.1191, 0.1191, 1.0),
    "m2-pro mlx time": (1, 0.0807, 0.0807, 0.0807, 1.0),
    "m2-pro torch-mps time": (1, 0.1564, 0.1564, 0.1564, 1.0),
    "rtx-a6000 torch-cuda time": (1, 0.3306, 0.3306, 0.3306, 0.0),
    "m2-ultra torch-mps energy": (1, 0.1565, 0.1565, 0.1565, 1.0),
    "m2-max torch-mps energy": (1, 0.0263, 0.0263, 0.0263, 1.0),
    "rtx-a6000 torch-cuda energy": (1, 0.1548, 0.1548, 0.1548, 1.0),
    "rtx-4090 torch-cuda energy": (1, 0.7059, 0.7059, 0.7059, 0.0),
}
# What a score may lose: a twentieth of it, and half a per cent where it is next to nothing.
RELATIVE, ABSOLUTE = 1.05, 0.005
COVERED_LESS = 0.03


# Of the steps on the H200 and the H100 those of each record: one could get worse behind the others.
OF_RECORDS = {
    "steps of 2026-11-21 torch-cuda time": (94, 0.1267, 0.0380, 0.6045, 0.755),
    "steps of 2026-11-21 torch-cuda energy": (94, 0.0896, 0.0687, 0.3368, 0.861),
    "steps of 2026-11-21 torch-cuda memory": (94, 0.0009, 0.0004, 0.0082, 0.978),
    "steps of 2026-11-21 torch-cuda reserved memory": (94, 0.0253, 0.0066, 0.1768, None),
    "steps of 2026-11-22 torch-cuda time": (54, 0.0752, 0.0356, 0.3924, 0.907),
    "steps of 2026-11-22 torch-cuda energy": (54, 0.0920, 0.0826, 0.2868, 0.777),
    "steps of 2026-11-22 torch-cuda memory": (54, 0.0017, 0.0006, 0.0323, 0.925),
    "steps of 2026-11-22 torch-cuda reserved memory": (54, 0.0301, 0.0138, 0.1873, None),
    "blind of 2026-11-22 torch-cuda time": (29, 0.0519, 0.0473, 0.1646, 1.0),
    "blind of 2026-11-22 torch-cuda energy": (29, 0.0721, 0.0606, 0.1988, 0.931),
    "blind of 2026-11-22 torch-cuda memory": (29, 0.0010, 0.0007, 0.0045, 1.0),
    "blind of 2026-11-22 torch-cuda reserved memory": (29, 0.0270, 0.0082, 0.3026, None),
    "fresh of 2026-11-22 torch-cuda time": (72, 0.1045, 0.0699, 0.5593, 0.902),
    "fresh of 2026-11-22 torch-cuda energy": (72, 0.0864, 0.0816, 0.3099, 0.902),
    "fresh of 2026-11-22 torch-cuda memory": (72, 0.0012, 0.0004, 0.0083, 0.972),
    "fresh of 2026-11-22 torch-cuda reserved memory": (72, 0.0179, 0.0077, 0.0754, None),
    "paced of 2026-11-22 torch-cuda time": (27, 0.1333, 0.1288, 0.4031, 0.851),
    "paced of 2026-11-22 torch-cuda energy": (27, 0.0807, 0.0620, 0.3188, 1.0),
    "paced of 2026-11-22 torch-cuda memory": (27, 0.0018, 0.0004, 0.0218, 1.0),
    "paced of 2026-11-22 torch-cuda reserved memory": (27, 0.0260, 0.0137, 0.1129, None),
    "mixed of 2026-11-22 torch-cuda time": (23, 0.1017, 0.0775, 0.2719, 0.913),
    "mixed of 2026-11-22 torch-cuda energy": (23, 0.0888, 0.0781, 0.2035, 0.869),
    "mixed of 2026-11-22 torch-cuda memory": (23, 0.0037, 0.0005, 0.0499, 0.956),
    "mixed of 2026-11-22 torch-cuda reserved memory": (23, 0.0219, 0.0088, 0.1090, None),
    "sealed of 2026-11-22 torch-cuda time": (19, 0.0736, 0.0478, 0.279, 0.947),
    "sealed of 2026-11-22 torch-cuda energy": (19, 0.0718, 0.0498, 0.1971, 0.947),
    "sealed of 2026-11-22 torch-cuda memory": (19, 0.0014, 0.0008, 0.0066, 0.947),
    "sealed of 2026-11-22 torch-cuda reserved memory": (19, 0.0323, 0.0135, 0.1745, None),
    "unseen of 2026-11-22 torch-cuda time": (16, 0.1352, 0.1427, 0.3653, 0.687),
    "unseen of 2026-11-22 torch-cuda energy": (16, 0.1065, 0.117, 0.1876, 0.625),
    "unseen of 2026-11-22 torch-cuda memory": (16, 0.0031, 0.0025, 0.0155, 1.0),
    "unseen of 2026-11-22 torch-cuda reserved memory": (16, 0.0244, 0.0245, 0.0498, None),
    "later of 2026-11-23 torch-cuda time": (26, 0.0603, 0.028, 0.3429, 0.962),
    "later of 2026-11-23 torch-cuda energy": (26, 0.0737, 0.0804, 0.1861, 0.923),
    "later of 2026-11-23 torch-cuda memory": (26, 0.0019, 0.0006, 0.0186, 0.884),
    "later of 2026-11-23 torch-cuda reserved memory": (26, 0.0291, 0.0173, 0.1450, None),
    "related of 2026-11-23 torch-cuda time": (18, 0.0676, 0.071, 0.1482, 1.0),
    "related of 2026-11-23 torch-cuda energy": (18, 0.0761, 0.0512, 0.2596, 0.888),
    "related of 2026-11-23 torch-cuda memory": (18, 0.0010, 0.0009, 0.0051, 0.944),
    "related of 2026-11-23 torch-cuda reserved memory": (18, 0.0405, 0.0201, 0.1704, None),
    "related on an H100 of 2026-11-23 torch-cuda time": (18, 0.0739, 0.0642, 0.2194, 0.833),
    "related on an H100 of 2026-11-23 torch-cuda energy": (18, 0.0621, 0.054, 0.1733, 0.888),
    "related on an H100 of 2026-11-23 torch-cuda memory": (18, 0.0010, 0.0009, 0.0051, 0.944),
    "related on an H100 of 2026-11-23 torch-cuda reserved memory": (
        18,
        0.0405,
        0.0201,
        0.1704,
        None,
    ),
    "crossed on an H100 of 2026-11-23 torch-cuda time": (34, 0.0539, 0.0420, 0.1813, 0.97),
    "crossed on an H100 of 2026-11-23 torch-cuda energy": (34, 0.0514, 0.0444, 0.1685, 0.97),
    "crossed on an H100 of 2026-11-23 torch-cuda memory": (34, 0.0009, 0.0003, 0.0072, 0.97),
    "crossed on an H100 of 2026-11-23 torch-cuda reserved memory": (
        34,
        0.0257,
        0.0109,
        0.1065,
        None,
    ),
    "parted of 2026-11-23 torch-cuda time": (18, 0.0524, 0.0293, 0.2648, 0.944),
    "parted of 2026-11-23 torch-cuda energy": (18, 0.0547, 0.0452, 0.186, 0.944),
    "parted of 2026-11-23 torch-cuda memory": (18, 0.0015, 0.0009, 0.0059, 0.944),
    "parted of 2026-11-23 torch-cuda reserved memory": (18, 0.0193, 0.0093, 0.0930, None),
    "parted on an H100 of 2026-11-23 torch-cuda time": (19, 0.0691, 0.0444, 0.2144, 0.894),
    "parted on an H100 of 2026-11-23 torch-cuda energy": (19, 0.0653, 0.058, 0.1231, 1.0),
    "parted on an H100 of 2026-11-23 torch-cuda memory": (19, 0.0015, 0.0010, 0.0059, 0.947),
    "parted on an H100 of 2026-11-23 torch-cuda reserved memory": (
        19,
        0.0191,
        0.0114,
        0.0930,
        None,
    ),
    "families on an H100 of 2026-11-23 torch-cuda time": (22, 0.0646, 0.0557, 0.2556, 0.909),
    "families on an H100 of 2026-11-23 torch-cuda energy": (22, 0.0717, 0.0585, 0.2929, 0.863),
    "families on an H100 of 2026-11-23 torch-cuda memory": (22, 0.0011, 0.0005, 0.0067, 0.863),
    "families on an H100 of 2026-11-23 torch-cuda reserved memory": (
        22,
        0.0325,
        0.0158,
        0.1756,
        None,
    ),
    "kept on an H100 of 2026-11-25 torch-cuda time": (17, 0.0626, 0.0455, 0.1989, 0.941),
    "kept on an H100 of 2026-11-25 torch-cuda energy": (17, 0.0559, 0.0514, 0.1166, 0.941),
    "kept on an H100 of 2026-11-25 torch-cuda memory": (17, 0.0016, 0.0008, 0.0055, 0.882),
    "kept on an H100 of 2026-11-25 torch-cuda reserved memory": (17, 0.0241, 0.0196, 0.0660, None),
    "options on an H100 of 2026-11-27 torch-cuda time": (35, 0.0812, 0.0532, 0.2379, 0.885),
    "options on an H100 of 2026-11-27 torch-cuda energy": (35, 0.0570, 0.0575, 0.1390, 0.971),
    "options on an H100 of 2026-11-27 torch-cuda memory": (35, 0.0008, 0.0006, 0.0027, 1.0),
    "options on an H100 of 2026-11-27 torch-cuda reserved memory": (
        35,
        0.0498,
        0.0337,
        0.1705,
        None,
    ),
    "ranged on an H100 of 2026-11-26 torch-cuda time": (20, 0.0840, 0.0569, 0.2279, 0.9),
    "ranged on an H100 of 2026-11-26 torch-cuda energy": (20, 0.0442, 0.0305, 0.1503, 1.0),
    "ranged on an H100 of 2026-11-26 torch-cuda memory": (20, 0.0008, 0.0004, 0.0030, 1.0),
    "ranged on an H100 of 2026-11-26 torch-cuda reserved memory": (
        20,
        0.0339,
        0.0202,
        0.2402,
        None,
    ),
    "drawn on an H100 of 2026-11-27 torch-cuda time": (56, 0.0776, 0.0569, 0.2174, 0.946),
    "drawn on an H100 of 2026-11-27 torch-cuda energy": (56, 0.0633, 0.0567, 0.1835, 0.946),
    "drawn on an H100 of 2026-11-27 torch-cuda memory": (56, 0.0015, 0.0007, 0.0085, 0.928),
    "drawn on an H100 of 2026-11-27 torch-cuda reserved memory": (56, 0.0178, 0.0086, 0.1065, None),
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
    list_of = re.search(r"--list (\w+)", source)
    board = " on an H100" if "--device h100" in source else ""
    return f"{list_of[1] if list_of else 'steps'}{board} of {date}"


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


def test_peaks_of_small_steps_that_convolve_are_within_their_intervals_too():
    """Bytes that have nothing to do with the peak: they had 0.55 of an H200's, 0.4 of an H100's."""
    scores, _ = validate()
    small = [s for s in scores if s.quantity == "memory" and s.predicted < 1e9]
    small = [s for s in small if s.subject.startswith("simclr")]
    covered = {device: summarise(some).covered for device, some in groups(small)}
    assert covered.pop("h100 torch-cuda memory") == 1.0
    assert covered.pop("h200 torch-cuda memory") >= 0.9 - COVERED_LESS
    assert not covered


def test_every_group_of_scores_is_guarded():
    scores, _ = validate()
    assert {key for key, _ in groups(scores)} == set(REACHED)


def test_single_calls_on_a_board_whose_own_are_in_no_fit_keep_their_score():
    scores, _ = validate(record="h100_suite")
    score = summarise(scores)
    assert score.rows == 69
    assert score.median <= limit(0.1041)
    assert score.mape <= limit(0.1728)
    assert score.covered >= 0.942 - COVERED_LESS


def test_cpus_of_which_peaks_alone_are_known_have_intervals_that_hold_their_steps():
    """What is left of a calibration that came to no kernel, or of a data sheet."""
    held, wide = 0, 0
    for row in sp.load("cpu_steps").rows:
        whole, step = sp.device(row.device), asked(row).build()
        numbers = {k: n for k, n in whole.numbers.items() if not k.startswith("kernel.")}
        bare = sp.Device(whole.id, whole.name, whole.vendor, whole.family, numbers)
        low, high = sp.predict(step, bare).interval
        lowest, highest = sp.predict(step, whole).interval
        held += low <= row.value <= high
        wide += high / low > highest / lowest
    assert (held, wide) == (17, 18)


def paced_errors(record, paced):
    """Errors of a record's times and energies, beside a host of the pace that `paced` gives each
    of its rows."""
    table = records.load(record)
    rows = [dataclasses.replace(row, host_pace=paced(row)) for row in table.rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "load", lambda _: dataclasses.replace(table, rows=tuple(rows)))
        scores, _ = validate(record=record)
    return {unit: [s.error for s in scores if s.unit == unit] for unit in ("s", "J")}


def cells(text, begin):
    """The cells of the table's rows whose first cell begins so, after it; percents as parts."""
    rows = re.findall(rf"^\| ({begin}[^|]*) \|(.*)\|$", text, re.MULTILINE)
    return {name: [cell.strip(" %") for cell in rest.split("|")] for name, rest in rows}


def shown(errors):
    """Mean and largest, as the docs round them."""
    return [
        f"{100 * sum(map(abs, errors)) / len(errors):.1f}",
        f"{100 * max(map(abs, errors)):.0f}",
    ]


def test_what_the_docs_say_of_a_hosts_pace_is_what_predictions_do(root):
    text = (root / "docs/device-files.md").read_text(encoding="utf-8")
    given = {
        "0.89 (": lambda row: None,
        "1": lambda row: 1.0,
        "the mean": lambda row: row.host_pace,
        "0.90": lambda row: 0.9,
    }
    for begin, pace in given.items():
        ((mean, most, bias, energy),) = cells(text, re.escape(begin)).values()
        found = paced_errors("h200_paced", pace)
        assert [mean, most] == shown(found["s"])
        assert bias == f"{100 * sum(found['s']) / len(found['s']):.0f}"
        assert energy == shown(found["J"])[0]
    table = cells(text, "`h[12]00_")
    assert len(table) == 6
    for name, (steps, *numbers, _) in table.items():
        at_one = paced_errors(name.strip("`"), lambda row: 1.0)["s"]
        usual = paced_errors(name.strip("`"), lambda row: None)["s"]
        at_pace = paced_errors(name.strip("`"), lambda row: row.host_pace)["s"]
        assert int(steps) == len(at_one)
        assert numbers == [*shown(at_one), *shown(usual), *shown(at_pace)], name
