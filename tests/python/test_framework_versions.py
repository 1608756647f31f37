"""Versions of frameworks, and frameworks that are known on some families alone."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import siliconprof as sp
from siliconprof import DeviceError, UnknownNameError
from siliconprof.frameworks import framework, framework_versions, number_keys
from siliconprof.packaged import Shelf


@pytest.mark.parametrize("name", framework_versions())
def test_a_version_is_the_framework_with_what_differed(name: str) -> None:
    id = name.partition("@")[0]
    file = Path(sp.__file__).parent / f"data/frameworks/versions/{name}.toml"
    written = tomllib.loads(file.read_text(encoding="utf-8"))
    base = framework(f"{id}@{written['like']}" if "like" in written else id)
    found = framework(name)
    assert (found.id, found.vendors) == (name, base.vendors)
    assert found.name == f"{framework(id).name} {written['version']}"
    without = tuple(written.get("without", []))
    kept = {key for key in base.numbers if not key.startswith(without or ("none",))}
    assert kept <= set(found.numbers) <= number_keys()
    assert (found.numbers, found.lacks) != (base.numbers, base.lacks)
    for key, number in found.numbers.items():
        assert "2501.14925" not in number.source, f"{key}: the paper's tables are not calibration"


def test_an_unknown_version_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"torch-mps@2\.2"):
        framework("torch-mps@2.3")


def test_a_version_may_be_without_what_the_framework_has_now() -> None:
    """Kernels that came later: what stood beside them, not what they replaced, serves."""
    old = framework("mlx-cpu@0.5").numbers
    assert not [key for key in old if key.startswith("convolution.")]
    assert [key for key in framework("mlx-cpu").numbers if key.startswith("convolution.")]


def test_what_a_version_is_without_must_be_there(monkeypatch, tmp_path) -> None:
    text = 'id = "mlx"\nversion = "0"\nwithout = ["access.none."]\n'
    file = tmp_path / "mlx@0.toml"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr("siliconprof.packaged.Shelf.file", lambda shelf, name: file)
    with pytest.raises(DeviceError, match=r"without = 'access.none.': no number .* begins so"):
        framework("mlx@0")


def test_what_a_version_is_like_must_be_a_version(monkeypatch, tmp_path) -> None:
    text = 'id = "mlx"\nversion = "0"\nlike = "gone"\n'
    (tmp_path / "mlx@0").write_text(text, "utf-8")
    packaged = Shelf.file

    def file(shelf: Shelf, name: str) -> object:
        return tmp_path / name if name == "mlx@0" else packaged(shelf, name)

    monkeypatch.setattr(Shelf, "file", file)
    with pytest.raises(UnknownNameError, match="unknown version of a framework 'mlx@gone'"):
        framework("mlx@0")
    (tmp_path / "mlx@0").write_text(text.replace("gone", "0"), "utf-8")
    with pytest.raises(DeviceError, match="like = '0': needs another version"):
        framework("mlx@0")


def test_a_framework_that_is_known_on_some_families_alone_says_so_elsewhere() -> None:
    trace = sp.op("relu", n=10)
    with pytest.raises(sp.ArgumentError, match=r"'mlx-cpu' does not run on 'xeon-8380' \(x86"):
        sp.predict(trace, "xeon-8380", "mlx-cpu")
    with pytest.raises(sp.ArgumentError, match=r"'mlx' does not run on 'm3-max-cpu'.*mlx-cpu"):
        sp.predict(trace, "m3-max-cpu", "mlx")
    assert sp.predict(trace, "m3-max-cpu", "mlx-cpu").time_s > 0
