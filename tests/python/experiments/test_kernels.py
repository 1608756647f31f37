from __future__ import annotations

import json

import pytest

from siliconprof.experiments.kernels import EXPERIMENT, RATIO, SHARE, TIME, Params, run
from siliconprof.figures.render import draw

TIMED = {
    "group": "suite",
    "label": "Sum dim=64x8 axi=0",
    "op": "sum",
    "backward": False,
    "note": "",
    "bound_by": "memory",
    "floor_s": 0.8e-3,
    "ours_s": 1e-3,
    "torch_s": 2e-3,
    "ratio": 0.5,
    "ratio_low": 0.4,
    "ratio_high": 0.6,
    "pairs": 15,
}
ALONE = {k: v for k, v in TIMED.items() if not k.startswith(("ratio", "torch"))}
OTHERS = [
    {**ALONE, "group": "gpt2-124m", "label": "adamw 10"},
    {"group": "resnet18", "label": "conv2d", "op": "conv2d", "note": "RowTimeout: 60 s"},
]


@pytest.fixture
def written(tmp_path):
    def write(**changes):
        document = {
            "format": "siliconprof-kernels",
            "version": 1,
            "environment": {"cpu": "a CPU"},
            "peer": "PyTorch 2.13, 2 threads",
            "rows": [TIMED, *OTHERS],
        }
        path = tmp_path / "kernels.json"
        path.write_text(json.dumps({**document, **changes}))
        return path

    return write


def test_each_kernel_has_its_time_its_ratio_and_its_part_of_the_floors_rate(written):
    found = run(Params(written())).where(group="suite")
    assert [row.what.rpartition(", ")[2] for row in found] == [TIME, RATIO, SHARE]
    assert [row.value for row in found] == [1e-3, 0.5, pytest.approx(0.8)]
    assert (found[1].lo, found[1].hi) == (0.4, 0.6)
    assert all("PyTorch 2.13, 2 threads; a CPU" in row.source for row in found)
    assert "the floor, 800 µs, is that of memory;" in found[2].source


def test_what_was_not_measured_has_its_reason(written):
    table = run(Params(written()))
    (ratio,) = [row for row in table.where(group="gpt2-124m") if row.value is None]
    assert ratio.source.startswith("no time of PyTorch's")
    (late,) = table.where(group="resnet18")
    assert (late.value, late.source) == (None, "RowTimeout: 60 s")


def test_a_quick_report_shows_the_suite_alone(written):
    assert EXPERIMENT.quick_parameters.groups == ("suite",)
    assert len(run(Params(written(), groups=("suite",))).rows) == 3


def test_without_the_file_it_is_said_what_measures_it(tmp_path):
    (row,) = run(Params(tmp_path / "none")).rows
    assert row.value is None and "`make bench-kernels`" in row.source


@pytest.mark.parametrize("changes", [{"version": 2}, {"rows": [{"group": "suite"}]}, {"rows": 3}])
def test_another_file_is_a_reason(written, changes):
    (row,) = run(Params(written(**changes))).rows
    assert row.value is None and "none of `make bench-kernels`" in row.source


def test_the_picture_has_a_rung_for_each_ratio_and_says_what_is_missing(written):
    panels = draw(EXPERIMENT, run(Params(written()))).axes
    assert [len(panel.get_yticks()) for panel in panels if panel.axison] == [1]
    notes = [panel.get_title(loc="right") for panel in panels if not panel.axison]
    assert notes == ["not measured: the table says why"] * 4


def test_a_picture_of_nothing_is_low(tmp_path, written):
    def height(path):
        return draw(EXPERIMENT, run(Params(path))).get_size_inches()[1]

    assert height(tmp_path / "none") < 4 < height(written())
