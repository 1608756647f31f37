"""CONTRIBUTING's promise for devices, tried: one new file, nothing else edited."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import siliconprof as sp

DEVICE = """
id = "{id}"
name = "A card that does not exist"
vendor = "nvidia"
family = "throwaway"

[memory]
capacity_bytes = {{ value = 16e9, kind = "assumed", source = "x", relative_error = 0.1 }}
bandwidth_bytes_per_s = {{ value = 500e9, kind = "assumed", source = "x", relative_error = 0.1 }}

[peak.vector]
float32_flops_per_s = {{ value = {peak}, kind = "assumed", source = "x", relative_error = 0.1 }}

[peak.matrix]
float32_flops_per_s = {{ value = {peak}, kind = "assumed", source = "x", relative_error = 0.1 }}

[sources.x]
title = "Numbers made up for a test"
url = "https://example.org/throwaway"
date = "2025-01-01"
"""


def write_device(folder: Path, id: str, peak: float) -> Path:
    path = folder / f"{id}.toml"
    path.write_text(DEVICE.format(id=id, peak=peak))
    return path


@pytest.fixture
def product() -> sp.Trace:
    """A product whose 1.4e11 flops outweigh its 2e8 bytes and its one launch."""
    return sp.op("matmul", batch=1, m=4096, k=4096, n=4096, dtype="float32")


def test_a_device_of_ones_own_is_one_file(tmp_path, product):
    path = write_device(tmp_path, "throwaway", peak=10e12)
    profile = sp.predict(product, path, framework="torch-cuda")
    assert profile.origin == "predicted"
    assert profile.device == "throwaway"
    assert profile.time_s >= product.flops / 10e12


def test_the_numbers_of_the_file_decide_the_time(tmp_path, product):
    slow = sp.predict(product, write_device(tmp_path, "slow", 5e12), framework="torch-cuda")
    fast = sp.predict(product, write_device(tmp_path, "fast", 10e12), framework="torch-cuda")
    assert slow.time_s / fast.time_s == pytest.approx(2.0, rel=0.05)


def test_a_file_added_to_the_package_is_found_by_its_id(tmp_path):
    """In a copy of the package: the new id is listed and predicted, with no code touched."""
    package = tmp_path / "siliconprof"
    shutil.copytree(Path(sp.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    write_device(package / "data" / "devices", "throwaway", peak=10e12)
    program = (
        "import json, siliconprof as sp\n"
        "trace = sp.op('matmul', batch=1, m=64, k=64, n=64)\n"
        "time_s = sp.predict(trace, 'throwaway', framework='torch-cuda').time_s\n"
        "print(json.dumps([sp.__file__, 'throwaway' in sp.devices(), time_s]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    imported, listed, time_s = json.loads(done.stdout)
    assert Path(imported).is_relative_to(tmp_path)
    assert listed and time_s > 0
