"""The numbers of docs/validation.md are what `validate` finds."""

from __future__ import annotations

import dataclasses
import re

import pytest

from siliconprof import records
from siliconprof.validate import summarise, validate


def percents(some):
    """Mean and largest, as the page rounds them; dashes where there are none."""
    errors = [abs(score.error) for score in some]
    if not errors:
        return ["–", "–"]
    return [f"{100 * sum(errors) / len(errors):.1f}", f"{100 * max(errors):.0f}"]


def test_each_records_errors_are_what_validate_finds(root):
    text = (root / "docs/validation.md").read_text(encoding="utf-8")
    table = cells(text[: text.index("The largest errors")], "`[a-z0-9_]+`")
    assert len(table) == 28
    for name, (_, steps, *numbers) in table.items():
        scores, _ = validate(record=name.strip("`"))
        of = {
            kind: [score for score in scores if score.quantity.split(",")[0] == kind]
            for kind in ("time", "energy", "memory")
        }
        held = [bool(score.within_interval) for score in of["time"]]
        within = f"{100 * sum(held) / len(held):.0f}"
        assert int(steps) == len(held), name
        assert numbers == [*(n for some in of.values() for n in percents(some)), within], name


def test_single_operations_on_a_calibrated_cpu_are_predicted_as_the_page_says(root):
    text = (root / "docs/validation.md").read_text(encoding="utf-8")
    own = text[text.index("## Single operations") : text.index("## Apple's CPUs")]
    line = r"^\| `([\w-]+)` \| (all|above 20 us) \| (\d+) \| (.*) \|$"
    rows = re.findall(line, own, re.MULTILINE)
    scores, _ = validate(record="cpu_suite")
    assert len(rows) == 6
    for device, which, count, rest in rows:
        of = [score for score in scores if score.device == device]
        some = [score for score in of if which == "all" or score.recorded > 20e-6]
        found = summarise(some)
        said = [float(cell.strip(" %")) for cell in rest.split("|")]
        assert len(some) == int(count)
        assert said == [
            round(100 * found.median, 1),
            *(round(100 * part) for part in (found.p90, found.max, found.covered)),
        ]


def test_classes_of_single_operations_are_off_by_what_the_page_says(root):
    text = (root / "docs/validation.md").read_text(encoding="utf-8")
    own = text[text.index("## Single operations") : text.index("## Apple's CPUs")]
    rows = re.findall(r"^\| ([a-z_]+) \| (\d.*) \|$", own, re.MULTILINE)
    scores, _ = validate(record="cpu_suite")
    assert {name for name, _ in rows} == {score.op_class for score in scores}
    for name, rest in rows:
        of = [s for s in scores if s.op_class == name and s.recorded > 20e-6]
        many, two = ([s for s in of if s.device.endswith("-16") == is_many] for is_many in (1, 0))
        found = [summarise(some) for some in (two, many)]
        said = [float(cell.strip(" %")) for cell in rest.split("|")]
        assert said == [round(100 * part) for f in found for part in (f.median, f.p90)], name


def test_kernels_of_whole_steps_are_predicted_as_the_page_says(root):
    text = (root / "docs/validation.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(h[12]00_kernels)` \| (\w+) \| (.*) \|$", text, re.MULTILINE)
    assert len(rows) == 16
    for record, model, rest in rows:
        steps, *numbers = (cell.strip(" %") for cell in rest.split("|"))
        scores, left_out = validate(record=record)
        assert not left_out
        some = [s for s in scores if model == "all" or s.subject.startswith(model)]
        assert int(steps) == len(some), (record, model)
        assert numbers == percents(some), (record, model)
        assert {score.quantity for score in some} == {"step kernel time"}


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
    text = (root / "docs/validation.md").read_text(encoding="utf-8")
    given = {
        "0.98 (": lambda row: None,
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
    table = cells(text[text.index("What it changed on") :], "`h[12]00_")
    table = {name: some for name, some in table.items() if len(some) == 8}
    assert len(table) == 6
    for name, (steps, *numbers, _) in table.items():
        at_one = paced_errors(name.strip("`"), lambda row: 1.0)["s"]
        usual = paced_errors(name.strip("`"), lambda row: None)["s"]
        at_pace = paced_errors(name.strip("`"), lambda row: row.host_pace)["s"]
        assert int(steps) == len(at_one)
        assert numbers == [*shown(at_one), *shown(usual), *shown(at_pace)], name
