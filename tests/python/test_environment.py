from __future__ import annotations

import importlib
import os
import subprocess
import sys

import pytest

from siliconprof import _core
from siliconprof.environment import (
    cpu_model,
    environment,
    for_readers,
    governor,
    huge_page_mode,
    memory_bytes,
)


def write(root, path, text):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_every_fact_is_text_and_none_is_empty():
    facts = environment()
    assert all(isinstance(value, str) and value for value in facts.values()), facts


def test_the_cpu_is_read_from_cpuinfo(tmp_path):
    write(tmp_path, "proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast CPU 9000\nflags: x\n")
    assert cpu_model(tmp_path) == "Fast CPU 9000"


@pytest.mark.parametrize(
    ("part", "name"),
    [("0xd0c", "Arm Neoverse-N1"), ("0xfff", "implementer 0x41, part 0xfff")],
)
def test_an_arm64_core_is_named_by_its_numbers(tmp_path, part, name):
    core = f"processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: {part}\n\n"
    little = "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n"
    write(tmp_path, "proc/cpuinfo", core + little)
    assert cpu_model(tmp_path).endswith(name)


def test_a_system_without_cpuinfo_still_names_the_cpu(tmp_path):
    assert cpu_model(tmp_path)


def test_a_mac_names_its_processor(tmp_path, monkeypatch):
    module = importlib.import_module("siliconprof.environment")
    monkeypatch.setattr(module.platform, "system", lambda: "Darwin")
    monkeypatch.setattr(module, "_APPLES_NAME", ("/bin/echo", "Apple M2 Pro"))
    assert cpu_model(tmp_path) == "Apple M2 Pro"
    monkeypatch.setattr(module, "_APPLES_NAME", ("/bin/false",))
    assert cpu_model(tmp_path) not in ("", "Apple M2 Pro")
    monkeypatch.setattr(module, "_APPLES_NAME", (str(tmp_path / "none"),))
    assert cpu_model(tmp_path) not in ("", "Apple M2 Pro")


def test_the_chosen_huge_page_mode_is_the_one_in_brackets(tmp_path):
    write(tmp_path, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
    assert huge_page_mode(tmp_path) == "madvise"


def test_a_limit_of_the_processs_group_is_its_memory(monkeypatch):
    everything = int(memory_bytes())
    module = importlib.import_module("siliconprof.environment")
    monkeypatch.setattr(module, "own_limit_bytes", lambda: 1 << 20)
    assert memory_bytes() == str(1 << 20)
    monkeypatch.setattr(module, "own_limit_bytes", lambda: None)
    assert int(memory_bytes()) >= everything


def test_an_unreadable_fact_says_why(tmp_path):
    assert governor(tmp_path).startswith("unavailable: ")
    assert "No such file" in governor(tmp_path)
    assert huge_page_mode(tmp_path).startswith("unavailable: ")


def test_the_governor_is_read_where_there_is_one(tmp_path):
    path = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
    write(tmp_path, path, "performance\n")
    assert governor(tmp_path) == "performance"


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no affinity on this system")
def test_threads_that_openmp_binds_still_have_all_processors():
    # It binds the first thread to one of them, which says nothing of the process.
    if _core.usable_processors() != sorted(os.sched_getaffinity(0)):
        pytest.skip("OpenMP binds threads here already, or to places of its own")
    asked = (
        "import siliconprof as sp; "
        "print(sp._core.usable_processors(), sp._core.default_threads(), "
        "sp.environment.environment()['cores'])"
    )
    found = subprocess.run(
        [sys.executable, "-c", asked],
        env={**os.environ, "OMP_PROC_BIND": "true"},
        capture_output=True,
        text=True,
        check=True,
    )
    processors = _core.usable_processors()
    count = len(processors)
    assert found.stdout.split("\n")[0] == f"{processors} {count} {count}"


@pytest.mark.parametrize(
    ("name", "value", "fact"),
    [
        ("memory_bytes", "25276510208", ("memory", "25.3 GB")),
        ("page_size_bytes", "4096", ("page size", "4,096 B")),
        ("memory_bytes", "unavailable: no file", ("memory", "unavailable: no file")),
        ("cpu_governor", "performance", ("cpu governor", "performance")),
    ],
)
def test_a_fact_for_readers_has_words_and_a_unit(name, value, fact):
    assert for_readers(name, value) == fact
