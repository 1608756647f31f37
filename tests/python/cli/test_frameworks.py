from __future__ import annotations

import siliconprof as sp
from siliconprof.devices import DEFAULT_FRAMEWORKS
from siliconprof.frameworks import framework_versions


def test_every_framework_and_version_is_listed(call):
    status, out = call("frameworks")
    words = {line.split()[0] for line in out.splitlines() if line.strip()}
    assert status == 0
    assert {*sp.frameworks(), *framework_versions()} <= words


def test_the_document_says_vendors_and_what_is_lacking(document):
    entries = {entry["id"]: entry for entry in document("frameworks")["frameworks"]}
    assert sorted(entries) == sorted([*sp.frameworks(), *framework_versions()])
    assert [id for id in entries if id.startswith("mlx")][:3] == ["mlx", "mlx@0.2", "mlx@0.24"]
    for vendor, id in DEFAULT_FRAMEWORKS.items():
        assert vendor in entries[id]["default_of"] and vendor in entries[id]["vendors"]
    assert entries["torch-mps@2.2"]["lacks"] == dict(sp.framework("torch-mps@2.2").lacks)
    assert entries["torch-mps@2.2"]["default_of"] == []


def test_one_version_is_shown_with_its_numbers_sources_and_lacks(call, document):
    status, out = call("frameworks", "torch-mps@2.2")
    assert status == 0
    assert "launch.dispatch_s" in out and "float64" in out and "Lacks" in out
    (entry,) = document("frameworks", "torch-mps@2.2")["frameworks"]
    assert all(number["source"] for number in entry["numbers"].values())


def test_an_unknown_framework_is_wrong_use(call):
    assert call("frameworks", "mlxx")[0] == 2


def test_help_of_predictions_names_versions(call):
    for command in ("predict", "sweep", "advise"):
        assert "id@version" in call(command, "--help")[1]
