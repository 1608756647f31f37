from __future__ import annotations

import json
import subprocess
import sys

import numpy
import pytest

import siliconprof as sp
from siliconprof import safetensors

TENSORS = {
    "a": numpy.arange(6, dtype=numpy.float32).reshape(2, 3),
    "half": numpy.array([1.5, -2.0], numpy.float16),
    "pairs": numpy.array([[16256]], numpy.uint16),
    "none": numpy.empty((0, 4), numpy.float64),
    "one": numpy.array(7, numpy.int64),
}


def test_tensors_and_metadata_come_back_as_they_were(tmp_path):
    path = tmp_path / "t.safetensors"
    safetensors.write(path, TENSORS, {"step": "3"})
    found, metadata = safetensors.read(path)
    assert metadata == {"step": "3"} and list(found) == list(TENSORS)
    for name, array in TENSORS.items():
        assert found[name].dtype == array.dtype
        numpy.testing.assert_array_equal(found[name], array)


def test_the_bytes_are_those_that_the_format_asks_for(tmp_path):
    path = tmp_path / "t.safetensors"
    safetensors.write(path, {"x": numpy.array([1.0], numpy.float32)})
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    assert header == {"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}
    assert length % 8 == 0 and content[8 + length :] == b"\x00\x00\x80\x3f"


@pytest.mark.parametrize("kept", [0, 4, 30, -1])
def test_a_truncated_file_is_named_and_refused(tmp_path, kept):
    path = tmp_path / "t.safetensors"
    safetensors.write(path, TENSORS)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(sp.RecordError, match=r"t\.safetensors: not a whole safetensors file"):
        safetensors.read(path)


@pytest.mark.parametrize(
    "header",
    [
        "[]",
        "{",
        '{"x": 3}',
        '{"x": {"dtype": "F8", "shape": [4], "data_offsets": [4, 0]}}',
        '{"x": {"dtype": 99, "shape": [1], "data_offsets": [0, 4]}}',
        '{"x": {"dtype": "f 4", "shape": [1], "data_offsets": [0, 4]}}',
        '{"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}',
        '{"x": {"dtype": "F32", "shape": [-1], "data_offsets": [0, -4]}}',
        '{"x": {"dtype": "F32", "shape": [-1, -1], "data_offsets": [0, 4]}}',
        '{"x": {"dtype": "F32", "shape": [1e999], "data_offsets": [0, 4]}}',
        '{"x": {"dtype": "F32", "shape": [1.5], "data_offsets": [0, 4]}}',
        '{"x": {"dtype": "F32", "shape": [0, 1180591620717411303424], "data_offsets": [4, 4]}}',
        '{"__metadata__": 3}',
    ],
)
def test_a_header_that_is_no_header_is_refused(tmp_path, header):
    path = tmp_path / "t.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header.encode() + b"\0" * 4)
    with pytest.raises(sp.RecordError, match="not a whole safetensors file"):
        safetensors.read(path)


def test_an_optimised_python_checks_a_file_as_any_other_does(tmp_path):
    path = tmp_path / "t.safetensors"
    header = b'{"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 8]}}'
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * 8)
    code = "import sys, pathlib; from siliconprof import safetensors as s; "
    code += "s.read(pathlib.Path(sys.argv[1]))"
    ran = subprocess.run([sys.executable, "-O", "-c", code, path], capture_output=True, text=True)
    assert "entry of 'x' is not one of a tensor" in ran.stderr


def test_what_is_no_such_file_at_all_is_said_once(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("shopping: milk, bread")
    with pytest.raises(sp.RecordError) as caught:
        safetensors.read(path)
    assert str(caught.value).count("notes.txt") == 1 and "21 bytes for a hea" in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(sp.RecordError, match=r"gone\.safetensors: cannot be read"):
        safetensors.read(tmp_path / "gone.safetensors")


def test_a_dtype_that_the_format_lacks_is_refused_and_the_old_file_stays(tmp_path):
    path = tmp_path / "t.safetensors"
    safetensors.write(path, TENSORS)
    before = path.read_bytes()
    with pytest.raises(sp.Error, match="x is complex128"):
        safetensors.write(path, {"x": numpy.zeros(2, numpy.complex128)})
    assert path.read_bytes() == before


def test_what_was_read_can_be_written_to_without_changing_the_file(tmp_path):
    path = tmp_path / "t.safetensors"
    safetensors.write(path, TENSORS)
    before = path.read_bytes()
    safetensors.read(path)[0]["a"][...] = 0
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("dtype", "shape", "size", "kind", "found_shape"),
    [
        ("F8_E4M3", [2, 4], 8, "V1", [8]),
        ("U16", [4], 8, "V1", [8]),
        ("F4", [4], 2, "V1", [2]),
        ("F6_E2M3", [0], 0, "V1", [0]),
        ("U32", [2], 8, "<u4", [2]),
        ("C64", [1], 8, "<c8", [1]),
    ],
)
def test_numbers_that_numpy_lacks_are_there_as_bytes(
    tmp_path, dtype, shape, size, kind, found_shape
):
    path = tmp_path / "t.safetensors"
    header = json.dumps({"x": {"dtype": dtype, "shape": shape, "data_offsets": [0, size]}})
    path.write_bytes(len(header).to_bytes(8, "little") + header.encode() + b"\1" * size)
    found = safetensors.read(path)[0]["x"]
    assert (found.dtype, list(found.shape)) == (numpy.dtype(kind), found_shape)
    assert found.tobytes() == b"\1" * size
