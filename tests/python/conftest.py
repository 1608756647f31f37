"""What every Python test stands on: an importable build, a quiet matplotlib, and the root."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "python"

# The package under test is the one on the path (an installed wheel, PYTHONPATH); a bare `pytest`
# takes the one of the build folder, also in the processes that tests start.
if importlib.util.find_spec("siliconprof") is None:
    if not (BUILT / "siliconprof").is_dir():
        pytest.exit(f"siliconprof is not importable and {BUILT} is empty: run `make build`", 4)
    sys.path.insert(0, str(BUILT))
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(BUILT), os.environ.get("PYTHONPATH", "")])
    )
os.environ.setdefault("MPLBACKEND", "Agg")
# What several tests share lies beside them; with import-mode=importlib nothing else adds it.
sys.path.append(str(Path(__file__).parent))


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def peers(root):
    """The module of PyTorch's own operations (benchmarks/torch_peers.py)."""
    spec = importlib.util.spec_from_file_location(
        "torch_peers", root / "benchmarks" / "torch_peers.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def load(root, monkeypatch):
    """Imports a module of benchmarks/, where each finds those beside it."""
    folder = root / "benchmarks"
    monkeypatch.syspath_prepend(str(folder))
    yield importlib.import_module
    for path in folder.glob("*.py"):
        sys.modules.pop(path.stem, None)


@pytest.fixture
def tools(root, monkeypatch):
    """Modules of tools/ can be imported, and are forgotten behind the test."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(root / "tools"))
    yield
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(root / "tools")):
            del sys.modules[name]


@pytest.fixture(scope="session")
def check_packaged():
    """Whether a fit's TOML is what a framework's file has: each constant from a source that names
    the record, `count` of them at least."""
    import siliconprof as sp

    constant = re.compile(
        r"(?P<key>[a-z][\w.-]+) = \{ value = (?P<value>[^,]+), .*error = (?P<error>[^ ]+) \}"
    )

    def check(framework, text, record, count):
        numbers = sp.framework(framework).numbers
        found = [m for line in text.splitlines() if (m := constant.match(line))]
        assert len(found) >= count
        for line in found:
            packaged = numbers[line["key"]]
            assert packaged.value == pytest.approx(float(line["value"]), rel=0.01), line["key"]
            assert packaged.relative_error == pytest.approx(float(line["error"])), line["key"]
            assert record in packaged.source

    return check


@pytest.fixture(scope="session")
def made_machine():
    """The module of the machine that never was (made_machine.py)."""
    import made_machine

    return made_machine


@pytest.fixture(scope="session")
def Made(made_machine):
    """A backend of known rates."""
    return made_machine.Made


@pytest.fixture(scope="session")
def rates_of(made_machine):
    """Its rates by kernel."""
    return made_machine.rates_of


@pytest.fixture(scope="session")
def calibrated_file(made_machine, tmp_path_factory):
    """The device file of a calibration of the machine that never was."""
    from siliconprof.calibration_device import build_device
    from siliconprof.calibration_plan import kernels, memory_levels
    from siliconprof.calibration_samples import measure

    made = made_machine.Made()
    found = [measure(made, some, 16e6, 1.0) for some in [*memory_levels(), *kernels()]]
    path = tmp_path_factory.mktemp("calibrated") / "made.toml"
    build_device("cpu", "native", made.facts(), found, "2026-01-02").save(path)
    return path


@pytest.fixture(scope="session")
def device_file(tmp_path_factory):
    """A device file of one's own, without measured kernels: an M2 Ultra of half the bandwidth."""
    import siliconprof as sp

    path = tmp_path_factory.mktemp("devices") / "half.toml"
    whole = sp.device("m2-ultra")
    key = "memory.bandwidth_bytes_per_s"
    full = whole.numbers[key]
    half = sp._core.Number(full.value / 2.0, "assumed", full.source, 0.1)
    numbers = {**whole.numbers, key: half}
    sp._core.Device("half-ultra", "Half", whole.vendor, whole.family, numbers).save(path)
    return path
