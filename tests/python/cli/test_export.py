from __future__ import annotations

import json
import subprocess
import sys

import pytest

import siliconprof as sp


def test_a_chrome_trace_is_written(call, saved, tmp_path):
    out = tmp_path / "trace.json"
    assert call("export", saved(1.0), "--out", out)[0] == 0
    kinds = [event["ph"] for event in json.loads(out.read_text())["traceEvents"]]
    assert kinds.count("X") == 2


def test_a_table_of_spans_is_written(call, saved, tmp_path):
    out = tmp_path / "spans.csv"
    assert call("export", saved(1.0), "--format", "csv", "--out", out)[0] == 0
    assert out.read_text().splitlines()[0].startswith("name,kind,phase")
    assert len(out.read_text().splitlines()) == 3


def test_a_copy_is_equal(document, saved, tmp_path):
    path, out = saved(1.0), tmp_path / "copy.json"
    assert document("export", path, "--format", "json", "--out", out)["written"] == str(out)
    assert sp.load(out) == sp.load(path)


def test_a_recorded_time_is_exported_without_invented_rates(call, tmp_path):
    out = tmp_path / "spans.csv"
    assert call("export", "table4:1", "--format", "csv", "--out", out)[0] == 0
    header, row = (line.split(",") for line in out.read_text().splitlines())
    assert dict(zip(header, row))["flops_per_s"] == ""
    assert call("export", "table4:1", "--out", tmp_path / "t.json")[0] == 0


@pytest.mark.parametrize("format", ["csv", "json", "perfetto"])
def test_a_saved_profile_is_not_replaced_by_a_form_of_it(call, saved, tmp_path, format):
    path, other = saved(1.0), saved(2.0, "other.json")
    before = path.read_bytes()
    (tmp_path / "link.json").symlink_to("p.json")
    for out in (path, tmp_path / "link.json"):
        assert call("export", path, "--format", format, "--out", out)[0] == 2
    assert call("export", other, "--format", format, "--out", path)[0] == (2, 0)[format == "json"]
    assert path.read_bytes() == (before if format != "json" else other.read_bytes())


def test_the_table_that_a_time_is_of_is_not_replaced(call, root, tmp_path):
    for end in (".csv", ".toml"):
        packaged = root / f"python/siliconprof/data/records/table4{end}"
        (tmp_path / f"own{end}").write_bytes(packaged.read_bytes())
    own = tmp_path / "own.csv"
    for read in (own, tmp_path / "own.toml"):
        before = read.read_bytes()
        for format in ("csv", "json", "perfetto"):
            assert call("export", f"{own}:1", "--format", format, "--out", read)[0] == 2
        assert read.read_bytes() == before


@pytest.mark.parametrize("format", ["csv", "perfetto"])
def test_a_file_of_another_kind_is_not_replaced(call, saved, tmp_path, format):
    for name in ("weights.safetensors", "prog.py", "device.toml"):
        out = tmp_path / name
        assert call("export", saved(1.0), "--format", format, "--out", out)[0] == 2
        assert not out.exists()


def test_another_table_is_not_replaced(call, saved, tmp_path):
    out = tmp_path / "own.csv"
    out.write_text("what,device,framework,dtype,value,unit,note\nrest\n")
    for format in ("csv", "perfetto"):
        assert call("export", saved(1.0), "--format", format, "--out", out)[0] == 2
    assert out.read_text().endswith("rest\n")


def test_what_goes_to_the_output_is_the_document_alone(saved, tmp_path):
    command = [sys.executable, "-m", "siliconprof", "export", str(saved(1.0)), "--out"]
    done = subprocess.run([*command, "/dev/stdout"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["traceEvents"]
    out = tmp_path / "t.json"
    done = subprocess.run([*command, str(out)], capture_output=True, text=True, check=True)
    assert done.stdout == f"written: {out}\n"


def test_an_empty_name_of_a_file_is_wrong_use(call):
    for format in ("csv", "json", "perfetto"):
        assert call("export", "table4:1", "--format", format, "--out", "")[0] == 2


def test_an_unknown_format_and_a_table_are_wrong_use(call, saved, tmp_path):
    assert call("export", saved(1.0), "--format", "xml", "--out", tmp_path / "x")[0] == 2
    assert call("export", "table4.csv", "--out", tmp_path / "x")[0] == 2
