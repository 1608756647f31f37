"""CONTRIBUTING's promise for devices and frameworks, tried: one new file, nothing else edited."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import siliconprof as sp
from siliconprof.frameworks import OP_CLASSES

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


FRAMEWORK = """
id = "throwaway-ml"
name = "A framework that does not exist"
vendors = ["nvidia"]

[sources.x]
title = "Numbers made up for a test"
url = "https://example.org/throwaway"
date = "2025-01-01"

[launch]
dispatch_s = { value = 5e-6, kind = "assumed", source = "x", relative_error = 0.5 }
round_trip_s = { value = 2e-5, kind = "assumed", source = "x", relative_error = 0.5 }
"""
KERNEL = """
[kernel.throwaway-ml.product_data_gradient.float32]
start_s = { value = 0.5, kind = "measured", source = "x", relative_error = 0.1 }
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


@pytest.fixture
def package(tmp_path):
    """A copy of the package, with a device of one's own."""
    package = tmp_path / "siliconprof"
    shutil.copytree(Path(sp.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    write_device(package / "data" / "devices", "throwaway", peak=10e12)
    return package


def said(package: Path, program: str) -> list:
    """What the program prints as JSON, under that package."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=package.parent,
        env={**os.environ, "PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_device_added_to_the_package_is_found_by_its_id(package):
    """The new id is listed and predicted, with no code touched."""
    imported, listed, time_s = said(
        package,
        "import json, siliconprof as sp\n"
        "trace = sp.op('matmul', batch=1, m=64, k=64, n=64)\n"
        "time_s = sp.predict(trace, 'throwaway', framework='torch-cuda').time_s\n"
        "print(json.dumps([sp.__file__, 'throwaway' in sp.devices(), time_s]))\n",
    )
    assert Path(imported).is_relative_to(package)
    assert listed and time_s > 0


def test_a_framework_added_to_the_package_makes_steps_and_has_measured_kernels(package):
    """Its steps are made of this library's kernels; a device may say how long its own take."""
    number = '{ value = 0.7, kind = "assumed", source = "x", relative_error = 0.2 }\n'
    text = FRAMEWORK + "".join(
        f"[efficiency.any.{name}]\ncompute.any = {number}bandwidth = {number}"
        for name in OP_CLASSES
    )
    (package / "data" / "frameworks" / "throwaway-ml.toml").write_text(text)
    device = package / "data" / "devices" / "throwaway.toml"
    device.write_text(device.read_text() + KERNEL)
    listed, same, time_s = said(
        package,
        "import json, siliconprof as sp\n"
        "named, own = (sp.workload('gpt2-small', layers=1, batch=1, seq=8, framework=framework)\n"
        "              for framework in ('throwaway-ml', 'native'))\n"
        "trace = sp.op('matmul', batch=1, m=64, k=64, n=64)\n"
        "time_s = sp.predict(trace, 'throwaway', 'throwaway-ml').time_s\n"
        "from siliconprof.frameworks import frameworks\n"
        "print(json.dumps(['throwaway-ml' in frameworks(), named == own, time_s]))\n",
    )
    assert listed and same
    assert time_s == pytest.approx(0.5, rel=0.01)


def test_every_operation_says_its_errors_and_its_source(root):
    lacking = []
    for path in sorted((root / "cpp/siliconprof/ops").glob("*.h")):
        text = path.read_text()
        said = "\n// Errors: what any op refuses" in text and "\n// Source: " in text
        if "extern const Op" in text and not said:
            lacking.append(path.name)
    assert lacking == []
